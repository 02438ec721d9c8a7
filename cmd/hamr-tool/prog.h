/* prog.h - one program run to its end: a hook, an approver, a plug-in.
 *
 * It gets a text on stdin, has a deadline, and what it writes is taken in up
 * to a ceiling.  Nothing it starts outlives it.  While it runs SIGPIPE is
 * ignored.
 */
#ifndef HAMR_TOOL_PROG_H
#define HAMR_TOOL_PROG_H

#include "box.h"
#include "output.h"
#include "stage.h"

enum prog_end {
	PROG_ENDED,		/* by itself: code and number are known */
	PROG_TIMEOUT,
	PROG_CANCEL,		/* cancel, end of input, stdout closed */
	PROG_TOO_MUCH,		/* it wrote more than text holds */
	PROG_FAILED		/* it never ran, or its end is not known; e */
};

struct prog {
	/* what is wanted */
	struct boxes *boxes;
	struct box_want want;
	char *const *argv;
	char *const *env;	/* NULL: the sandbox's own */
	struct slice input;
	int ms, grace;		/* the time it has; from TERM to KILL */
	struct output *out;	/* where stdout goes, or ... */
	struct buf *text;	/* ... its bytes as they are */
	struct output *err;
	/* what came of it */
	enum prog_end end;
	bool signalled;
	int number;		/* exit status or signal */
	struct buf notes;	/* of the sandbox */
	const char *sandbox;	/* what it ran in */
	struct err e;
};

void prog_run(struct prog *p, struct stage *s);
void prog_release(struct prog *p);

/* It ended with status 0. */
bool prog_is_good(const struct prog *p);
/* "status 3", "SIGSEGV", "no answer within 5 s", appended. */
void prog_how(const struct prog *p, struct buf *out);

#endif
