/* child.h - the loop's child processes, each a pipeline of commands whose two
 * ends we hold.  The only user of libpipeline.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"
#include "opts.h"

struct child_opts {
	/* lists end with NULL; NULL is an empty one */
	const char *const *commands;	/* command lines, split into words by
					 * libpipeline, without a shell; their
					 * quotes are balanced */
	const char *const *flags;	/* arguments of the first command */
	const char *const *unset;	/* variables it does not inherit */
	const char *settings;	/* its HAMR_SET; NULL: ours */
	int pass;		/* a descriptor it inherits; 0: none */
	int stop;		/* a descriptor that we hold: input on it ends
				 * every wait for the child; 0: none */
	enum child_err {	/* where its stderr goes */
		CHILD_ERR_OURS,	/* to our stderr */
		CHILD_ERR_NONE,
		CHILD_ERR_OUT,	/* to its stdout (one command only) */
		CHILD_ERR_LINES	/* to on_line(), line by line */
	} err;
	void (*on_line)(void *arg, struct slice line);
	void *arg;
	bool tty;		/* stdin, stdout and stderr are /dev/tty, and
				 * it is in the foreground */
};

struct child {
	struct pipeline *p;
	int in, out;		/* our ends, non-blocking; -1: closed */
	int err;		/* our end of its stderr; -1: none */
	pid_t group;		/* the first command's pid; without tty that
				 * of its process group */
	/* private */
	struct child_opts o;	/* the command is borrowed while it starts */
	int err_theirs;
	struct buf partial;	/* an incomplete line of its stderr */
};

/* Start a child in its own process group; child_end frees it.  A command
 * "hamr-X" without a slash is looked up in our own folder first, then in PATH.
 * NULL with e. */
struct child *child_start(const struct child_opts *o, struct err *e);

/* The same for one command line with these further arguments. */
struct child *child_open(const char *command, const char *const *args,
    enum child_err err, struct err *e);

/* Read its stderr once and pass each line to on_line.  False: nothing came. */
bool child_read_err(struct child *c);

/* Close our write end, so that the child sees the end of its input. */
void child_close_in(struct child *c);

/* Write input, which is advanced, close our end, and append the child's output
 * to out (NULL: discard it) until it ends, out is full, the time is until (in
 * ms of file_now_ms) or something comes on its stop.  Returns the ms left. */
long long child_communicate(struct child *c, struct slice *input,
    long long until, struct buf *out);

/* Is one of its processes left after ms, or when something came on its stop?
 */
bool child_is_alive(const struct child *c, int ms);

/* Close both ends, wait up to ms for all of its processes, then kill the group
 * (ms -1: wait for its commands, and leave what they put into the background),
 * pass the rest of its stderr to on_line, and free c.  Returns the raw wait
 * status of the first command that failed, or else of the last one. */
int child_end(struct child *c, int ms);

/* Run command (a command line, as for a slot) with these further arguments and
 * an empty stdin for at most ms.  Append its stdout to out, up to out's
 * ceiling.  Returns its exit status, 128 or more for a signal or a timeout; -1
 * with e when it cannot be started. */
int child_run(const char *command, const char *const *args, int ms,
    enum child_err err, struct buf *out, struct err *e);

/* Run command in the foreground of the terminal, for as long as it takes, or
 * until something comes on the descriptor stop (0 or less: none).  Returns as
 * child_run does. */
int child_run_tty(const char *command, const char *const *args, int stop,
    struct err *e);

/* Words that are known where they are used. */
#define ARGS(...) ((const char *const[]){ __VA_ARGS__, NULL })

/* An argument vector under construction, NULL after it; its words are borrowed.
 */
struct argv {
	const char **v;
	size_t n, cap;
};

/* Add words: argv_add(&a, "-n", "-q").  A list of words may be NULL. */
#define argv_add(a, ...) argv_words(a, ARGS(__VA_ARGS__))
void argv_words(struct argv *a, const char *const *words);
/* Add flag and value, unless value is NULL or empty. */
void argv_option(struct argv *a, const char *flag, const char *value);
/* Append a word as a shell reads it, quoted if it must be. */
void argv_shell(struct buf *b, const char *word);
/* Add the flags that another hamr program needs to read the same configuration
 * (argv_ours), or to use the same model server (argv_server). */
void argv_ours(struct argv *a, const struct opts *o);
void argv_server(struct argv *a, const struct opts *o);
