/* err.h - error messages and exit statuses, for every program.
 *
 * A function that can fail returns -1 or NULL and leaves the reason, a text
 * and a status, in a struct err; a caller that cannot handle it passes it on.
 * Messages go to stderr as "PROGRAM: TEXT", one line, no full stop.
 */
#pragma once

#include <stdarg.h>
#include <stddef.h>

/* All exit statuses (EXIT STATUS of every manual page).  Those from 65 on take
 * precedence over the smaller ones. */
enum status {
	ST_OK = 0,
	ST_NO = 1,		/* the answer is no: nothing found, a verdict */
	ST_USAGE = 2,
	ST_NOFIT = 3,		/* hamr-compact: nothing fits */
	ST_CONTRACT = 4,	/* hamr-loop: contract_failed */
	ST_GUARD = 5,		/* hamr-loop: guard_stopped */
	ST_MODEL = 6,		/* hamr-loop: model_error */
	ST_DATA = 65,		/* bad record or transcript */
	ST_NOINPUT = 66,	/* an input is missing */
	ST_PEER = 69,		/* the peer failed for good */
	ST_BUG = 70,
	ST_SYSTEM = 71,		/* open, write, fork, disk full */
	ST_TEMP = 75,		/* try again later */
	ST_POLICY = 77,		/* refused by policy or permission */
	ST_CONFIG = 78,
	ST_INTERRUPTED = 130
};

/* A reason: a status and a text.  Owned by the caller.  A text too long for the
 * array is cut between two characters. */
struct err {
	enum status status;
	char text[1024];
};

/* Fill *e and return -1, so that a failing function ends with
 * "return err_set(e, ST_DATA, ...)".  e may be NULL. */
int err_set(struct err *e, enum status st, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* As err_set, with ": " and strerror(errno) appended. */
int err_sys(struct err *e, enum status st, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The same for a path that cannot be opened: ST_NOINPUT if nothing is there,
 * else ST_SYSTEM. */
int err_open(struct err *e, const char *path);

/* Set e to why getopt_long, with an option string that begins with ':',
 * returned c (':' or '?'); returns -1. */
int err_option(struct err *e, int c, char *const *argv);

/* The program's name for all messages; call it first in main.  It also makes
 * sure that descriptors 0 to 2 are open, so that no later file becomes the
 * standard error of a library or a child, and that a write past the limit on
 * files fails as on a full disk. */
void err_program(const char *name);

/* Pass these lines, without their LF, to write instead of printing them, for
 * whatever draws on the terminal.  NULL: print them again. */
void err_redirect(void (*write)(void *arg, const char *line), void *arg);

/* Print one line on stderr: "PROGRAM: TEXT".  Characters that could control a
 * terminal or be invisible there (ctrl.h) are shown as '?'. */
void err_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Print e's text and return its status; for the last line of main. */
int err_report(const struct err *e);

/* Print a help text or a version to stdout and exit. */
void err_print(const char *text) __attribute__((noreturn));

/* Print the message and exit with st (only in main.c, mem.c and http.c). */
void err_die(enum status st, const char *fmt, ...)
	__attribute__((format(printf, 2, 3), noreturn));
