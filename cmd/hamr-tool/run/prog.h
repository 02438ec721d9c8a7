/* prog.h - one program run to its end: a command, a hook, a plug-in.
 *
 * It gets a text on stdin and has a deadline; its output is read up to a
 * ceiling.  It is over once its process has ended and its pipes have been quiet
 * for 100 ms, not at end of file.  Nothing it starts outlives it.  The caller
 * ignores SIGPIPE.
 */
#pragma once

#include "root/output.h"
#include "sandbox/box.h"
#include "stage/stage.h"

enum prog_end {
	PROG_ENDED,		/* by itself: code and number are known */
	PROG_TIMEOUT,
	PROG_CANCEL,		/* cancel, end of input, stdout closed */
	PROG_TOO_MUCH,		/* it wrote more than text holds */
	PROG_FAILED		/* not started, or its end is unknown; see e */
};

struct prog {
	/* set by the caller */
	struct sandboxes *sandboxes;
	struct box_spec spec;
	bool resident;		/* use the sandbox that stays up; no stdin; the
				 * processes it leaves behind are named */
	char *const *argv;
	char *const *env;	/* NULL: the sandbox's own */
	struct slice input;
	int ms;			/* its timeout */
	int grace;		/* ms from TERM to KILL, at most 500 after a
				 * cancel; 0: KILL at once */
	int alive;		/* a file that is touched each second it runs:
				 * its time of access; 0: none */
	struct output *out;	/* where stdout goes, or ... */
	struct buf *text;	/* ... its raw bytes */
	struct output *err;	/* where stderr goes; NULL: nowhere */
	const char *id;		/* of its `output` records; NULL: write none */
	/* set by prog_run */
	bool ran;		/* it was started */
	enum prog_end end;
	bool exited;		/* its status is known */
	bool signalled;
	int number;		/* exit status or signal */
	struct buf notes;	/* of the sandbox */
	struct buf ended;	/* names of processes it left behind */
	const char *sandbox;	/* what it ran in */
	const char *unlimited;	/* box_unlimited */
	struct err e;
};

/* A program that the user trusts: no sandbox, our environment.  argv and text
 * are borrowed. */
struct prog prog_trusted(struct sandboxes *bs, const char *const *argv, int ms,
    struct buf *text);
void prog_run(struct prog *p, struct stage *s);
void prog_release(struct prog *p);

/* An `output` record of the call id: stream is "stdout" or "stderr". */
void prog_put_output(struct stage *s, const char *id, const char *stream,
    struct slice text);

/* Did it end with status 0? */
bool prog_is_good(const struct prog *p);
/* "status 3", "SIGSEGV", "no answer within 5 s", appended. */
void prog_outcome(const struct prog *p, struct buf *out);

/* Append "SIGKILL"; for a real-time signal, which has no name, the word and the
 * number. */
void prog_signal_name(struct buf *out, const char *word, int sig);
