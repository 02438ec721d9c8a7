/* err.h - what every program says when it stops, and with which status.
 *
 * A function that can fail returns -1 or NULL and leaves its reason, words and
 * status, in a struct err; who can do nothing about it hands it on.
 * Messages go to stderr as "PROGRAM: TEXT", one line, no full stop.
 */
#pragma once

#include <stdarg.h>
#include <stddef.h>

/* Exit statuses, the one list (EXIT STATUS of every manual page).  From 65 on
 * they take precedence over the smaller ones. */
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

/* A reason: a status and the words for it.  Owned by the caller; the words
 * are cut to the array on a character border, nothing else is. */
struct err {
	enum status status;
	char text[1024];
};

/* Fill *e and return -1, so that a failing function ends with
 * "return err_set(e, ST_DATA, ...)".  e may be NULL. */
int err_set(struct err *e, enum status st, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* As err_set, with ": " and strerror(errno) behind the words. */
int err_sys(struct err *e, enum status st, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Why getopt_long, whose options begin with ':', returned ':' or '?'; -1. */
int err_option(struct err *e, int c, char *const *argv);

/* The program's name for all messages; call it first in main.  It also makes
 * sure that descriptors 0 to 2 are open, so that no later file becomes the
 * standard error of a library or a child. */
void err_program(const char *name);

/* Have such lines, without their LF, written by another than us: by who draws
 * on the terminal.  NULL: by us again. */
void err_redirect(void (*write)(void *arg, const char *line), void *arg);

/* One line on stderr: "PROGRAM: TEXT".  What could steer a terminal or hide
 * there (ctrl.h) is shown as '?'. */
void err_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Say e's words and return its status; for the last line of main. */
int err_report(const struct err *e);

/* Print a help or a version to stdout, and end the process. */
void err_print(const char *text) __attribute__((noreturn));

/* Say the words and end the process with st (main.c, mem.c and http.c). */
void err_die(enum status st, const char *fmt, ...)
	__attribute__((format(printf, 2, 3), noreturn));
