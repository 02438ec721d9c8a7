/* program.h - runs a user's jq program in its own process.
 *
 * A program that aborts, loops or grows ends that process, not ours, and we
 * get a struct err.  It sees no environment, files or module path.  Give it
 * inputs one at a time, as it asks for them:
 *
 *	while ((ev = program_next(p, &text, e)) >= 0)
 *		PROGRAM_NEED:  program_queue() or program_last()
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
	PROGRAM_SAME,		/* the result is the input, unchanged */
	PROGRAM_ERROR,		/* failed on this input, *text says why */
	PROGRAM_DONE,		/* all results of one input have come */
	PROGRAM_END		/* after program_last(): that was all */
};

struct program;

/* Compile text, with the members of vars (a JSON object) as global variables.
 * importer: inputs carry their line numbers, as "_line" in each object and in
 * the objects of its lists.  name is for messages, and borrowed.  NULL with e
 * (ST_USAGE: does not compile; "NAME:LINE: why" if libjq reports the line). */
struct program *program_new(const char *name, const char *text,
    const char *vars, bool importer, struct err *e);
void program_free(struct program *p);

/* Wait for the program's output with this function, instead of blocking.  If it
 * returns nonzero, the output is no longer wanted: the process is killed. */
typedef int program_waiter(void *ctx, struct pollfd *fds, size_t n, int ms);
void program_wait(struct program *p, program_waiter *wait, void *ctx);

/* Queue an input, checked JSON that begins on this line.  The caller may queue
 * several when the program asks for one. */
void program_queue(struct program *p, struct slice json, size_t line);
void program_last(struct program *p);

/* The next event; *text is valid until the next call.  -1: the process is gone,
 * e says why (ST_DATA). */
int program_next(struct program *p, struct slice *text, struct err *e);

/* Run a program that is not an importer on one input, and append its results to
 * out, one a line; an unchanged input keeps its bytes.  0; 1: the program
 * failed on it, e says why, earlier results are in out; -1: the program is
 * gone, e says why. */
int program_run(struct program *p, struct slice json, struct buf *out,
    struct err *e);
