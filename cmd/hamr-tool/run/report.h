/* report.h - a finished command, as the text the model reads. */
#pragma once

#include "prog.h"
#include "root/result.h"

struct report {
	const struct prog *prog;	/* it has run */
	const char *command;	/* NULL: a plug-in; when all is well, its
				 * stdout alone */
	const char *root;	/* what is shown as cwd */
	int rootfd;
	size_t cap;
	bool clamped;		/* its timeout was out of range */
	bool unlimited;		/* report box_unlimited */
};

/* First line, stdout, "[stderr]" and stderr, within the cap; and the meta of
 * chapter 2.4.  If the output was cut, all of it is saved in .hamr/out. */
void report_fill(const struct report *p, struct result *r);

/* Only the text in out, within the cap, then notes ("" for none). */
void report_text(const struct output *out, const char *notes, int rootfd,
    size_t cap, struct result *r);
