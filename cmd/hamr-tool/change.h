/* change.h - a change of one file, judged and planned; nothing is written
 * here.
 */
#ifndef HAMR_TOOL_CHANGE_H
#define HAMR_TOOL_CHANGE_H

#include "edit.h"
#include "files_in.h"

/* A change that was judged good and waits to be made. */
struct change {
	struct path path;
	char *name;		/* as shown */
	int fd;			/* of the old file; -1: there is none */
	struct stat st;		/* and what it was when it was read */
	struct buf old, new;	/* contents */
	char before[SHA_HEX], after[SHA_HEX];
	struct edits edits;
	struct hits hits;
	struct diff diff;
	struct fault fault;
};

void change_init(struct change *c);
void change_release(struct change *c);

/* Find the file and ask whether it may be written at all.  0, or -1 with
 * c->fault. */
int change_target(struct files *f, struct change *c, struct slice args);
/* All of it: the contents before and after, and their difference. */
int change_plan(struct files *f, struct change *c, bool edit,
    struct slice args);

#endif
