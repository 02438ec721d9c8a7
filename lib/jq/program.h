/* program.h - a jq program of the user's, run in a process of its own.
 *
 * A program that aborts, loops or grows ends that process, not ours: what
 * comes of it is a struct err.  It sees no environment, no file and no module
 * path.  Inputs are given one after the other, each when it is asked for:
 *
 *	while ((ev = program_next(p, &text, e)) >= 0)
 *		PROGRAM_NEED:  program_give() or program_last()
 *		PROGRAM_VALUE: a result
 *		...
 */
#pragma once

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

enum program_event {
	PROGRAM_NEED,		/* wants an input */
	PROGRAM_VALUE,		/* *text is a result */
	PROGRAM_SAME,		/* the result is the input as it was */
	PROGRAM_ERROR,		/* failed on this input, *text says why */
	PROGRAM_DONE,		/* all results of one input have come */
	PROGRAM_END		/* after program_last(): that was all */
};

struct program;

/* Compile text, whose global variables are the members of vars (a JSON
 * object).  importer: inputs carry their lines, as "_line" in each
 * object and in the objects of its lists.  name is for messages, borrowed.
 * NULL with e (ST_USAGE: does not compile; "NAME:LINE: why" where libjq tells
 * the line). */
struct program *program_new(const char *name, const char *text,
    const char *vars, bool importer, struct err *e);
void program_free(struct program *p);

/* Wait with this for what the program says, instead of blocking: not 0 means
 * that it is no longer wanted, and the process is killed. */
typedef int program_waiter(void *ctx, struct pollfd *fds, size_t n, int ms);
void program_wait(struct program *p, program_waiter *wait, void *ctx);

/* Queue an input, checked JSON that begins on this line; more than one may be
 * given when asked. */
void program_give(struct program *p, struct slice json, size_t line);
void program_last(struct program *p);

/* What comes next; *text is valid until the next call.  -1: the process is
 * gone, e says why (ST_DATA). */
int program_next(struct program *p, struct slice *text, struct err *e);

/* One input through a program that is not an importer: its results, one a line,
 * are appended to out, an unchanged one as the bytes it came in.  0; 1: the
 * program failed on it, e says why, what came before that is in out; -1: the
 * program is gone. */
int program_run(struct program *p, struct slice json, struct buf *out,
    struct err *e);
