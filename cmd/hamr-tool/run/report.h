/* report.h - a command that is over, as the text the model reads. */
#pragma once

#include "prog.h"
#include "root/result.h"

struct report {
	const struct prog *prog;	/* it ran */
	const char *command;	/* NULL: a plug-in; when all is well, its
				 * stdout alone */
	const char *root;	/* what is shown as cwd */
	int rootfd;
	size_t cap;
	bool clamped;		/* its timeout was too much or too little */
	bool unlimited;		/* tell box_unlimited */
};

/* First line, stdout, "[stderr]" and stderr, within the cap; and the meta of
 * chapter 2.4.  The whole goes to .hamr/out when it was cut. */
void report_fill(const struct report *p, struct result *r);

/* The text in out alone, within the cap, and notes ("" for none) behind it. */
void report_text(const struct output *out, const char *notes, int rootfd,
    size_t cap, struct result *r);
