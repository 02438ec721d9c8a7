/* index.h - the stage: what of a transcript is remembered, and when. */
#ifndef MEM_INDEX_H
#define MEM_INDEX_H

#include "opts.h"
#include "stage.h"

struct index_opts {
	const struct opts *opts;	/* which memory */
	bool enabled;			/* [memory] enabled */
	const char *const *exclude;	/* globs of paths */
	size_t nexclude;
	const char *path;		/* into this file; NULL: as opts say */
};

/* Run the stage over its inputs; s is set up but for ops and self.  Nothing is
 * looked for or opened before there is something to remember.  Returns the
 * exit status. */
int index_run(struct stage *s, const struct index_opts *o);
/* The same as the configuration says, into the file at path (NULL: as opts
 * say), of s->files.  -1 with e when it could not begin. */
int index_files(struct stage *s, const struct opts *o, const char *path,
    struct err *e);

#endif
