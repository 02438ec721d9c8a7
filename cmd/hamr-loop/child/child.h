/* child.h - child processes of the loop, all started through libpipeline
 * (the one use of it): one pipeline of commands with both ends in our hand.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"
#include "opts.h"

struct child_opts {
	const char *const *commands;	/* each one command line, split into
					 * words by libpipeline, no shell */
	size_t n;
	const char *const *argv;	/* or, with n 0, one command's words */
	size_t nargv;
	const char *const *flags;	/* arguments of the first command */
	size_t nflags;
	const char *const *unset;	/* variables it does not inherit */
	size_t nunset;
	int pass;		/* a descriptor it inherits; 0: none */
	int stop;		/* one of ours: what comes there ends every
				 * wait for it; 0: none */
	enum child_err {
		CHILD_ERR_OURS,	/* its stderr is ours ... */
		CHILD_ERR_NONE,
		CHILD_ERR_OUT,	/* ... or its stdout (one command) ... */
		CHILD_ERR_TOLD	/* ... or is told, line by line */
	} err;
	void (*tell)(void *arg, struct slice line);
	void *arg;
	bool tty;		/* stdin, stdout and stderr are /dev/tty, and
				 * it is in the foreground */
};

struct child {
	struct pipeline *p;
	int in, out;		/* our ends, non-blocking */
	int err;		/* the same of its stderr; -1: there is none */
	pid_t group;		/* its process group: the first command */
	/* private */
	struct child_opts o;	/* its command is borrowed while it starts */
	int err_theirs;
	struct buf said;	/* a line that is not whole yet */
};

/* Start it in a process group of its own.  A command "hamr-X" without a slash
 * is taken from our own folder when it is there, else from PATH. */
struct child *child_start(const struct child_opts *o, struct err *e);

/* One read of its stderr, each line told; false when nothing came. */
bool child_read_err(struct child *c);

/* Close our write end: the child reads the end of its input. */
void child_close_in(struct child *c);

/* Write input and close our end; append what it prints to out (NULL: thrown
 * away) until that ends or out is full, time is over (until, ms of
 * file_now_ms) or something comes on its stop.  Returns the ms left. */
long long child_talk(struct child *c, struct slice input, long long until,
    struct buf *out);

/* Close both ends, wait up to ms for all of its processes, kill the group
 * after that, tell what else it said, free c.  Returns the raw wait status of
 * the command that failed first, or of the last one. */
int child_end(struct child *c, int ms);

/* Run command (a line as of a slot) with these further arguments, nothing on
 * stdin, at most ms.  Its stdout is appended to out up to the ceiling of that.
 * Returns its exit status, 128 and more for a signal or when its time was
 * over; -1 with e when it cannot be started. */
int child_run(const char *command, const char *const *args, size_t n, int ms,
    enum child_err err, struct buf *out, struct err *e);

/* The same on the terminal, in our place, as long as it takes. */
int child_run_tty(const char *command, const char *const *args, size_t n,
    struct err *e);

/* A command line in the making; its words are borrowed. */
struct argv {
	const char **v;
	size_t n, cap;
};

void argv_add(struct argv *a, const char *word);
/* Both, unless value is NULL or empty. */
void argv_option(struct argv *a, const char *flag, const char *value);
/* Flags of ours that another program must see to judge the same; those that
 * name the model server. */
void argv_ours(struct argv *a, const struct opts *o);
void argv_server(struct argv *a, const struct opts *o);
