/* stages.h - child processes of the loop, all started through libpipeline
 * (this file's only use): one pipeline of commands with both ends in our hand.
 */
#ifndef HAMR_LOOP_STAGES_H
#define HAMR_LOOP_STAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "err.h"

struct child;

struct child_opts {
	const char *const *commands;	/* each one command line, split into
					 * words by libpipeline, no shell */
	size_t n;
	const char *const *argv;	/* or, with n 0, one command's words */
	size_t nargv;
	const char *const *flags;	/* arguments of the first command */
	size_t nflags;
	const char *const *unset;	/* variables it shall not inherit */
	size_t nunset;
	int pass;		/* a descriptor it inherits; 0: none */
	bool hush;		/* its stderr goes nowhere ... */
	bool merge;		/* ... or to its stdout (one command) ... */
	bool overhear;		/* ... or to us, see child_take_err */
};

/* Start it in a process group of its own.  A command "hamr-X" without a slash
 * is taken from our own folder when it is there, else from PATH. */
struct child *child_start(const struct child_opts *o, struct err *e);

int child_in(const struct child *c);	/* write end, non-blocking */
int child_out(const struct child *c);	/* read end, non-blocking */
pid_t child_pid(const struct child *c);	/* of the first command */

/* The read end of its stderr, non-blocking, yours to close; -1: not
 * overheard. */
int child_take_err(struct child *c);

/* Close our write end: the child reads the end of its input. */
void child_close_in(struct child *c);

/* Close both ends, wait up to ms for all of its processes, kill the group
 * after that, free c.  Returns the raw wait status of the command that failed
 * first, or of the last one. */
int child_end(struct child *c, int ms);

/* Run a command in the foreground of the terminal and wait for it; the raw
 * wait status, -1 with e. */
int child_on_tty(const char *command, const char *const *args, size_t n,
    struct err *e);

#endif
