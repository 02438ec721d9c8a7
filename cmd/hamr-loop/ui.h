/* ui.h - what a person and a program see of a run.
 *
 * stdout: the answer, or with --json every committed record, delta, output
 * and progress.  stderr: calm progress.  What a model or a tool sends can
 * never steer a terminal: control bytes, bidirectional overrides and
 * invisible tags are shown, not sent.
 */
#ifndef HAMR_LOOP_UI_H
#define HAMR_LOOP_UI_H

#include <stdbool.h>
#include <termios.h>

#include "buf.h"
#include "err.h"
#include "map.h"
#include "rec.h"

/* Where a turn stands. */
struct ui_status {
	bool on, shown;		/* a turn runs; the line is on the screen */
	bool acting;		/* a call runs, else the model is asked */
	long steps;
	long long tokens, window;	/* of the last request; 0: unknown */
	double cost;
	long long begun, drawn;	/* ms of file_now_ms */
	char doing[128];
};

/* Where folded text stands, see ui_fold. */
struct ui_fold {
	size_t columns, at;	/* of the terminal; of the cursor */
	struct buf word;	/* the last one, as long as it may grow ... */
	size_t width;		/* ... and its columns */
};

/* A call of the model, kept until the end of the run. */
struct ui_call {
	char *what;		/* "bash make test" */
	char *args;		/* as the model wrote them */
};

/* What a person answered. */
struct ui_allow {
	bool yes;
	bool session;		/* the same need not be asked again */
	bool stop;		/* no, and the turn ends */
	char *args;		/* other arguments instead, yours, or NULL */
	char *reason;		/* of a no, yours, or NULL */
};

struct ui {
	bool json, quiet;
	bool tty_out, tty_err, color;
	struct buf out;		/* queued for stdout */
	size_t written;
	bool out_closed;	/* stdout cannot be written any more ... */
	int out_errno;		/* ... and why; EPIPE: nobody reads it */
	struct map calls;	/* call id -> index + 1 into seen */
	struct ui_call *seen;
	size_t nseen, capseen;
	struct map always;	/* what is allowed for the session */
	bool dumb;		/* TERM: it cannot redraw a line */
	bool live;		/* it can, and is shown what goes on */
	bool midline;		/* text was shown without a line end */
	bool streamed;		/* the last answer was shown as it came */
	struct ui_fold fold;	/* of the streamed text */
	struct termios cooked;	/* the terminal as it was, while ... */
	bool raw;		/* ... its keys come to us one by one */
	int job;		/* job.h, then; -1: not watched */
	struct buf typed;	/* the message that is being typed */
	char seq[8];		/* in the midst of a key's bytes: those behind
				 * its ESC ... */
	size_t nseq;		/* ... how many, and the ESC; 0: in none */
	bool pasting;		/* between the marks of a paste */
	struct ui_status status;
	char *trouble;		/* told of the model server, or NULL */
};

void ui_init(struct ui *u, bool json, bool quiet);
void ui_release(struct ui *u);

/* Calls of a session that goes on: they are known when results come.  Only
 * the last assistant message's are kept. */
void ui_recall(struct ui *u, const struct rec *r);

void ui_committed(struct ui *u, const struct rec *r);
void ui_passing(struct ui *u, const struct rec *r);

/* The answer, at the end. */
void ui_answer(struct ui *u, const char *text);

/* The answer of a session that was over before; with --json its end record,
 * line. */
void ui_said(struct ui *u, const char *answer, const char *line);

/* One line of progress, e.g. "session ...". */
void ui_note(struct ui *u, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* A line (without its LF) that a stage wrote on stderr. */
void ui_overheard(struct ui *u, const char *p, size_t n);

/* A turn begins, in this context window (tokens; 0: unknown); it is over.
 * Between them a line at the bottom of a terminal says where it stands. */
void ui_begin(struct ui *u, long long window);
void ui_rest(struct ui *u);

/* What is being done now ("" nothing), for that line. */
void ui_status_doing(struct ui *u, const char *what);

/* Take the keys of the terminal one by one, or leave it its own lines. */
void ui_listen(struct ui *u, bool on);
/* Have the terminal say where a paste begins and ends: what is pasted is text,
 * and nothing in it is a key. */
void ui_mark_pastes(bool on);
/* Something came on u->job: Ctrl-Z, or the end of it. */
void ui_job(struct ui *u);
/* Keys came: the message being typed is shown in the status line; one that is
 * whole is appended to lines, with a NUL behind it. */
void ui_typed(struct ui *u, const char *p, size_t n, struct buf *lines);

/* Is somebody there who would see a question and can answer it? */
bool ui_can_ask(const struct ui *u);

/* Redraw that line when it is time; ms until the next time, -1: never. */
int ui_tick(struct ui *u);

/* Show an ask and read the answer from the terminal.  No without a terminal;
 * no, and stop, when something comes on the descriptor stop (left unread).
 * Messages that are sent meanwhile go to lines, as in ui_typed. */
struct ui_allow ui_ask(struct ui *u, const struct rec *ask, int stop,
    struct buf *lines);
/* Another session: what was allowed in this one is not in that. */
void ui_ask_anew(struct ui *u);

/* stdout was found closed by its reader. */
void ui_lost(struct ui *u);

/* Write what can be written without blocking; true while some is left. */
bool ui_pump(struct ui *u);
void ui_flush(struct ui *u);	/* all of it, blocking */

/* The last act: flush and close stdout.  -1 (ST_SYSTEM) when something was
 * lost and it was not the reader who left. */
int ui_end(struct ui *u, struct err *e);

#endif
