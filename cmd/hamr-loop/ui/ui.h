/* ui.h - what a person and a program see of a run.
 *
 * stdout: the answer, or with --json every committed record, delta, output
 * and progress.  stderr: calm progress.  What a model or a tool sends can
 * never steer a terminal: control bytes, bidirectional overrides and
 * invisible tags are shown, not sent.
 *
 * On a terminal that can be redrawn the bottom rows are ours: what is going
 * on, the input, where the session stands (live.c).  All that is written there
 * goes through one screen.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/map.h"
#include "conf/conf.h"
#include "record/rec.h"
#include "screen/editor.h"
#include "screen/keys.h"
#include "markdown/markdown.h"
#include "screen/screen.h"
#include "session/track.h"

/* Where a turn stands. */
struct ui_status {
	bool on;		/* a turn runs */
	size_t open;		/* calls; none: the model is asked */
	long steps;
	long long tokens, window;	/* of the last request; 0: unknown */
	double cost;		/* of the session */
	char *model, *mode;	/* NULL: unknown */
	char *doing;		/* what is going on; NULL: nothing */
	long long since;	/* ms of file_now_ms: when that began ... */
	long long until;	/* ... and when a wait is over; 0: none */
};

/* A call of the model, kept until the end of the run. */
struct ui_call {
	char *what;		/* "bash make test" */
	char *args;		/* as the model wrote them */
	bool path;		/* what names it is a path */
	bool refused;		/* by the person who was asked, */
	char *reason;		/* for this, or NULL */
};

/* What a person answered. */
struct ui_allow {
	bool yes;
	bool session;		/* the same need not be asked again */
	bool network;		/* and it may use the network */
	bool stop;		/* no, and the turn ends */
	char *args;		/* other arguments instead, yours, or NULL */
	char *reason;		/* of a no, yours, or NULL */
};

/* A record that a program said, not taken yet. */
struct ui_said {
	enum rec_kind kind;
	char *line;		/* owned */
};

struct ui {
	bool json, quiet;
	bool tty_out, tty_err, color;
	struct buf out;		/* queued for stdout */
	size_t written;
	bool out_closed;	/* stdout cannot be written any more ... */
	int out_errno;		/* ... and why; EPIPE: nobody reads it */
	int out_fd;		/* stdout, or a terminal's that never waits */
	int signals;		/* INT, TERM and HUP come here; -1: not yet */
	bool told_to_end;	/* so nobody is waited for who reads it */
	struct map calls;	/* call id -> index + 1 into seen */
	struct ui_call *seen;
	size_t nseen, capseen;
	struct map always;	/* what is allowed for the session */
	const struct conf *conf;	/* with what always is, at ... */
	const char *root;	/* ... this root, and is written for good; both
				 * borrowed, NULL: nothing */
	size_t diff_lines;	/* of a change that are shown */
	size_t output_lines;	/* of a command that failed */
	bool dumb;		/* TERM: it cannot redraw a line */
	bool live;		/* it can, and is shown what goes on */
	bool markdown;		/* answers are rendered */
	enum { THEME_AUTO, THEME_DARK, THEME_LIGHT } theme;
	enum { BELL_OFF, BELL_RING, BELL_NOTIFY } bell;
	bool away;		/* the window is not in front */
	bool streamed;		/* the last answer was shown as it came */
	bool answered;		/* so was one of this turn */

	struct screen *screen;	/* of a terminal on stderr, else NULL */
	struct markdown *answer;	/* as it comes, or NULL */
	struct editor *editor;	/* the input; NULL: there is none */
	struct keys keys;
	bool listening;		/* keys come to us one by one */
	int job;		/* Ctrl-Z and the like come here; -1: not
				 * watched */
	struct buf sent;	/* messages not taken yet, a NUL after each */
	/* A command that is carried out in a turn, too: true, it was.  NULL:
	 * there is none. */
	bool (*at_once)(void *arg, const char *line);
	void *at_once_arg;
	bool aside;		/* what is shown does not end the answer that
				 * comes */
	bool interrupted;	/* Ctrl-C, or Esc in a turn: for who takes it */
	bool leaving;		/* Ctrl-D */
	bool stale;		/* the live rows are to be made anew ... */
	long long drawn;	/* ... when that was last, in ms */
	struct buf question;	/* what is asked, in their place */
	char *draft;		/* what was begun at a question, where there is
				 * no input else; or NULL */

	struct buf output;	/* of the last command, all that is kept */
	struct buf partial;	/* of what is shown as it runs: a line that
				 * has no end yet */
	size_t blocks;		/* of code in the turn's answers so far */
	bool printing;		/* the call that runs has printed something */
	struct buf thinking;	/* the last reasoning of the model ... */
	long long thinking_since;	/* ... in ms; 0: it is over */
	struct ui_status status;
	char *trouble;		/* told of the model server, or NULL */

	struct rec_in *peer;	/* a program in a person's place; NULL: none */
	struct ui_said *said;
	size_t nsaid, capsaid;
	bool telling;		/* notes and errors are for it, as progress */
};

void ui_init(struct ui *u, bool json, bool quiet);
/* As [ui] says. */
void ui_configure(struct ui *u, const struct conf *c);
void ui_release(struct ui *u);

/* INT, TERM and HUP come on u->signals from here on.  -1 with errno. */
int ui_take_signals(struct ui *u);

/* Calls of a session that goes on: they are known when results come.  Only
 * the last assistant message's are kept. */
void ui_restore_calls(struct ui *u, const struct rec *r);

void ui_committed(struct ui *u, const struct rec *r);
void ui_passing(struct ui *u, const struct rec *r);

/* The answer, at the end. */
void ui_answer(struct ui *u, const char *text);

/* The answer of a session that was over before; with --json its end record,
 * line. */
void ui_print_ended(struct ui *u, const char *answer, const char *line);

/* One line of progress, e.g. "session ...". */
void ui_note(struct ui *u, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* A line (without its LF) that a stage wrote on stderr. */
void ui_stage_line(struct ui *u, const char *p, size_t n);

/* A turn begins, in this context window (tokens; 0: unknown); it is over. */
void ui_begin_turn(struct ui *u, long long window);
void ui_end_turn(struct ui *u);

/* How the turn ended, in one line: "done  4 steps  ...". */
void ui_sum(struct ui *u, const char *how, const struct track *t,
    long long ms);

/* Note what a record says about where the session stands. */
void ui_status_take(struct ui *u, const struct rec *r);

/* What is being done now ("" nothing). */
void ui_status_doing(struct ui *u, const char *what);

/* The model ("": not known) and the mode (NULL: as before), until records say
 * otherwise. */
void ui_where(struct ui *u, const char *model, const char *mode);

/* ---- the terminal's live rows and keys ---- */

/* The input, from here on, until ui_close_input; what it is made of. */
void ui_open_input(struct ui *u, const struct editor_options *o);
void ui_close_input(struct ui *u);

/* Where keys come; -1: in the background, none does. */
int ui_keys_fd(const struct ui *u);

/* Read what was typed.  A message that was sent is in u->sent, and
 * u->interrupted and u->leaving say what else was meant.  False: the terminal
 * is gone. */
bool ui_read_keys(struct ui *u);

/* The first message that was sent, yours; NULL: none. */
char *ui_take_sent(struct ui *u);

/* The last one, as editor_options.take_queued wants it. */
char *ui_take_queued(void *ui);

/* What was sent and not taken goes back into the input. */
void ui_unsend(struct ui *u);

/* As Esc does where there is something to clear. */
void ui_clear_input(struct ui *u);

/* Something came on u->job: Ctrl-Z, the end of it, or another size. */
void ui_job(struct ui *u);

/* Where the terminal edits its lines itself: all that was shown, then this,
 * is taken by it before we go on, or a signal comes. */
void ui_prompt(struct ui *u, const char *prompt);

/* Draw what is due; ms until the next time, -1: never.  Keys may be due, too:
 * look at what ui_read_keys tells. */
int ui_tick(struct ui *u);

/* Another program has the terminal until ui_take_back. */
void ui_lend(struct ui *u);
void ui_take_back(struct ui *u);

/* Output of a program that a person runs, as it comes; at its end with n 0. */
void ui_output(struct ui *u, const char *p, size_t n);

/* Text with one LF behind each line, as it is, but escaped. */
void ui_lines(struct ui *u, struct slice text);

/* An answer in Markdown, whole, before which the turn has *blocks of code; a
 * diff of any number of files. */
size_t ui_columns(const struct ui *u);
void ui_rows(struct ui *u, struct slice answer, size_t *blocks);
void ui_diff(struct ui *u, struct slice diff);

/* The input in $EDITOR; text put into the input, and what completes it
 * listed. */
void ui_edit_input(struct ui *u);
void ui_offer(struct ui *u, const char *text);

/* All that the last command printed; the last reasoning of the model. */
void ui_show_output(struct ui *u);
void ui_show_thinking(struct ui *u);

/* A message or command that a person gave; that of a record. */
void ui_said(struct ui *u, const char *text);
void ui_said_in(struct ui *u, const struct rec *message);

/* Text in $VISUAL or $EDITOR; yours, or NULL with why. */
char *ui_edit(struct ui *u, struct slice text, const char *suffix,
    const char **why);

/* ---- questions ---- */

/* Is somebody there who would see a question and can answer it? */
bool ui_can_ask(const struct ui *u);

/* Show an ask and read the answer from the terminal.  No without a terminal;
 * no, and stop, when a signal comes (left unread).  Messages that are sent
 * meanwhile are in u->sent. */
struct ui_allow ui_ask(struct ui *u, const struct rec *ask);
/* y, on a terminal; anything else, or a signal, is no. */
bool ui_confirm(struct ui *u, const char *question);

/* Say on stderr why the model gave no answer, and what to do. */
void ui_model_error(const struct track *t, bool chat);

/* ---- a program in a person's place: its records on stdin ----
 *
 * A cancel sets u->interrupted, the end of input u->leaving.  All else waits
 * to be taken, in order.
 */

void ui_open_peer(struct ui *u);
void ui_close_peer(struct ui *u);

/* Read what is there; false at the end. */
bool ui_read_peer(struct ui *u);

/* The first record that waits, yours; NULL: none does. */
char *ui_take_said(struct ui *u);

/* The first of that kind, for what cannot wait its turn. */
char *ui_take_kind(struct ui *u, enum rec_kind kind);

/* Wait for the record of that kind with that id; yours.  NULL: cancelled, the
 * end of input, or a signal came (left unread). */
char *ui_await(struct ui *u, enum rec_kind kind, struct slice id);

/* ---- stdout ---- */

/* stdout was found closed by its reader. */
void ui_stdout_closed(struct ui *u);

/* Write what can be written without blocking; true while some is left. */
bool ui_pump(struct ui *u);
/* All of it, blocking; but TERM, HUP and INT end that as they end a process. */
void ui_flush(struct ui *u);

/* The last act: flush and close stdout.  -1 (ST_SYSTEM) when something was
 * lost and it was not the reader who left. */
int ui_end(struct ui *u, struct err *e);
