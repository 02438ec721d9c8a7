/* ui.h - what a person or a program sees of a run.
 *
 * stdout: the answer, or with --json every committed record, delta, output
 * and progress.  stderr: progress for a person.  What a model or a tool sends
 * cannot control the terminal: control bytes, bidirectional overrides and
 * invisible tags are shown escaped.
 *
 * On a terminal that can be redrawn the bottom rows are ours: the current
 * activity, the input, the session's state (live.c).  All output to it goes
 * through one screen.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/map.h"
#include "base/mem.h"
#include "conf/conf.h"
#include "record/rec.h"
#include "screen/editor.h"
#include "screen/keys.h"
#include "markdown/markdown.h"
#include "screen/screen.h"
#include "session/track.h"

/* Where a turn stands, beside what u->track knows. */
struct ui_status {
	bool on;		/* a turn runs */
	char *model;		/* as the server names it, or NULL */
	char *doing;		/* the current activity; NULL: none */
	long long since;	/* when that began, in ms of file_now_ms */
	long long until;	/* when a wait is over; 0: no wait */
};

/* A call of the model's last message. */
struct ui_call {
	char *what;		/* "bash make test" */
	char *args;		/* as the model wrote them */
	bool path;		/* what names the call is a path */
	bool refused;		/* by the person who was asked */
	char *reason;		/* why it was refused, or NULL */
};

/* What a person answered. */
struct ui_permission {
	bool yes;
	bool session;		/* do not ask for such a call again */
	bool network;		/* it may use the network */
	bool stop;		/* no, and the turn ends */
	char *args;		/* arguments to use instead, or NULL; owned */
	char *reason;		/* why not, or NULL; owned */
};

/* A record from a program, not taken yet. */
struct ui_record {
	enum rec_kind kind;
	char *line;		/* owned */
};

struct ui {
	bool json, quiet;
	bool tty_out, tty_err, color;
	struct buf out;		/* queued for stdout */
	size_t written;
	bool out_closed;	/* stdout can no longer be written ... */
	int out_errno;		/* ... and why; 0 or EPIPE: nobody reads it */
	int out_fd;		/* stdout, or its terminal, non-blocking */
	int signals;		/* INT, TERM and HUP come here; -1: not yet */
	bool told_to_end;	/* wait only briefly for stdout's reader */
	struct map calls;	/* call id -> index + 1 into seen */
	struct ui_call *seen;
	size_t nseen, capseen;
	struct map always;	/* what is allowed for the session */
	const struct track *track;	/* the session, borrowed */
	const struct conf *conf;	/* borrowed; NULL: not read yet */
	const char *root;	/* where a new permission is saved; borrowed,
				 * NULL: none */
	bool dumb;		/* the terminal cannot redraw a line ($TERM) */
	bool live;		/* it can, and shows live rows */
	bool away;		/* the window is not in front */
	bool streamed;		/* the last answer was shown as it came */
	bool answered;		/* so was an answer of this turn */

	struct screen *screen;	/* of a terminal on stderr, else NULL */
	struct markdown *answer;	/* being streamed, or NULL */
	struct editor *editor;	/* the input, or NULL */
	struct keys keys;
	bool stalled;		/* a paste is, and the rows say so */
	bool listening;		/* keys come to us one by one */
	int job;		/* Ctrl-Z and the like come here; -1: not
				 * watched */
	struct texts sent;	/* messages not taken yet */
	struct buf line;	/* the begun one of a terminal that edits its
				 * lines itself */
	/* Carry out a command that need not wait for the end of the turn; true
	 * if it did.  NULL: no such commands. */
	bool (*at_once)(void *arg, const char *line);
	void *at_once_arg;
	bool aside;		/* what is shown does not end the answer being
				 * streamed */
	bool interrupted;	/* Ctrl-C, or Esc in a turn, and no input to be
				 * cleared by it; the taker clears this */
	bool leaving;		/* Ctrl-D */
	bool stale;		/* the live rows must be rebuilt */
	long long drawn;	/* when they were last rebuilt, in ms */
	struct buf question;	/* shown in place of the live rows */
	long long until;	/* when it ends unanswered, in ms of
				 * file_now_ms; 0: never */
	char *draft;		/* a message begun at a question where there is
				 * no other input, or NULL */

	struct buf output;	/* kept output of the last command */
	struct buf partial;	/* its last line, while that has no LF yet */
	size_t blocks;		/* of code in the turn's answers so far */
	bool printing;		/* the call that runs has printed something */
	struct buf thinking;	/* the last reasoning of the model ... */
	long long thinking_since;	/* ... in ms; 0: it is over */
	struct ui_status status;
	char *trouble;		/* reported of the model server, or NULL */

	struct rec_in *peer;	/* a program in a person's place, or NULL */
	struct ui_record *records;
	size_t nrecords, caprecords;
	bool telling;		/* send it notes and errors as progress */
};

/* t: the session, also before it begins. */
void ui_init(struct ui *u, const struct track *t, bool json, bool quiet);
/* Take the settings, those of [ui] now. */
void ui_configure(struct ui *u, const struct conf *c);
void ui_release(struct ui *u);

/* Deliver INT, TERM, QUIT and, unless it is ignored, HUP on u->signals from now
 * on.  -1 with errno. */
int ui_take_signals(struct ui *u);

/* Learn the calls of a resumed session, so that their results can be shown. */
void ui_restore_calls(struct ui *u, const struct rec *r);

void ui_committed(struct ui *u, const struct rec *r);
void ui_passing(struct ui *u, const struct rec *r);

/* Print the answer, at the end. */
void ui_answer(struct ui *u, const char *text);

/* Print the answer of a session that had already ended; with --json its end
 * record. */
void ui_print_ended(struct ui *u, struct slice end);

/* One line of progress, e.g. "session ...". */
void ui_note(struct ui *u, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* A line (without its LF) that a stage wrote on stderr. */
void ui_stage_line(struct ui *u, const char *p, size_t n);

/* A turn begins; it is over. */
void ui_begin_turn(struct ui *u);
void ui_end_turn(struct ui *u);

/* Show how the turn ended, in one line: "done  4 steps  ...". */
void ui_turn_summary(struct ui *u, const char *how, const struct track *t,
    long long ms);

/* Update u->status from a record. */
void ui_status_take(struct ui *u, const struct rec *r);

/* Set the current activity ("": none). */
void ui_status_doing(struct ui *u, const char *what);

/* The model of the session or, before it begins, of the configuration; else the
 * one that the server uses.  "": unknown. */
const char *ui_model(const struct ui *u);

/* ---- the terminal's live rows and keys ---- */

/* Show the input until ui_close_input. */
void ui_open_input(struct ui *u, const struct editor_options *o);
void ui_close_input(struct ui *u);

/* The descriptor that keys come on; -1: none, as in the background. */
int ui_keys_fd(const struct ui *u);

/* Read what was typed: keys, or whole lines where there is no input.  Messages
 * go to u->sent; u->interrupted and u->leaving are set.  False: the terminal is
 * gone. */
bool ui_read_keys(struct ui *u);

/* Take the first message that was sent; the caller frees it.  NULL: none. */
char *ui_take_sent(struct ui *u);

/* Put messages that were sent and not taken back into the input. */
void ui_unqueue(struct ui *u);

/* Something came on u->job: Ctrl-Z, a resume, or a new size. */
void ui_job(struct ui *u);

/* On a terminal that edits its lines itself: show prompt, and wait until the
 * terminal has taken all output or a signal comes. */
void ui_prompt(struct ui *u, const char *prompt);

/* Draw what is due.  Returns the ms until the next time, -1: never.  A key may
 * become due, too: check what ui_read_keys sets. */
int ui_tick(struct ui *u);

/* Take the terminal back from another program, after screen_suspend. */
void ui_resume(struct ui *u);

/* Show output of a program that a person runs; n 0: its end. */
void ui_output(struct ui *u, const char *p, size_t n);

/* Show lines, each with an LF, escaped but otherwise unchanged. */
void ui_lines(struct ui *u, struct slice text);

/* The columns to use; show a whole answer in Markdown, whose turn had *blocks
 * of code before it; show a diff of any number of files. */
size_t ui_columns(const struct ui *u);
void ui_rows(struct ui *u, struct slice answer, size_t *blocks);
void ui_diff(struct ui *u, struct slice diff);

/* Edit the input in $EDITOR; put text into the input and list its completions.
 */
void ui_edit_input(struct ui *u);
void ui_suggest(struct ui *u, const char *text);

/* Show the last command's output; the model's last reasoning. */
void ui_show_output(struct ui *u);
void ui_show_thinking(struct ui *u);

/* Show a message or command that a person gave; that of a record. */
void ui_show_message(struct ui *u, const char *text);
void ui_show_record(struct ui *u, const struct rec *message);

/* Edit text in $VISUAL or $EDITOR.  The caller frees the result; NULL with why.
 */
char *ui_edit(struct ui *u, struct slice text, const char *suffix,
    const char **why);

/* ---- questions ---- */

/* Is somebody there to see a question and answer it? */
bool ui_can_ask(const struct ui *u);

/* Show an ask and read the answer from the terminal.  The answer is no without
 * a terminal, or at u->until; no and stop when a signal comes (left unread).
 * Messages sent meanwhile are in u->sent.  The caller frees args and reason. */
struct ui_permission ui_ask(struct ui *u, const struct rec *ask);
/* Is u->until over? */
bool ui_is_late(const struct ui *u);
/* Ask for a y on a terminal; anything else, or a signal, is no. */
bool ui_confirm(struct ui *u, const char *question);

/* Say on stderr why the model gave no answer, and what to do. */
void ui_model_error(const struct track *t, bool chat);

/* ---- a program in a person's place: its records on stdin ----
 *
 * A cancel sets u->interrupted, the end of input u->leaving.  Other records are
 * kept, in order, until they are taken.
 */

void ui_open_peer(struct ui *u);

/* Read what is there.  False: the input has ended. */
bool ui_read_peer(struct ui *u);

/* Take the first record; the caller frees it.  NULL: none. */
char *ui_take_record(struct ui *u);

/* Take the first record of this kind, out of turn; the caller frees it.  NULL:
 * none. */
char *ui_take_kind_of_record(struct ui *u, enum rec_kind kind);

/* Wait for the record of this kind with this id; the caller frees it.  NULL:
 * cancelled, the end of input, u->until, or a signal came (left unread). */
char *ui_await(struct ui *u, enum rec_kind kind, struct slice id);

/* What a verdict, recovery, verification or message of the loop means, in words
 * that the caller frees.  NULL: nothing a person needs to know. */
char *plain_words(const struct rec *r);

/* ---- stdout ---- */

/* Write what can be written without blocking.  True: some is left. */
bool ui_pump(struct ui *u);
/* Write all of it, blocking; TERM, HUP and INT end that as by default. */
void ui_flush(struct ui *u);

/* Flush and close stdout, as the last act.  -1 with e (ST_SYSTEM) when output
 * was lost for another reason than that the reader left. */
int ui_end(struct ui *u, struct err *e);
