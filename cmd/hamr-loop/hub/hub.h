/* hub.h - the only writer of the session and its resident stages (chapter 1.3).
 *
 * The hub feeds each slot from the session file: a slot has a cursor into the
 * file and a queue of control lines (go, sync, cancel, request), each due when
 * the cursor reaches its offset.  So a commit is one write, nothing committed
 * is kept in memory, and a stage that died is restarted by setting its cursor
 * to 0.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "record/rec.h"
#include "session/runlog.h"
#include "session/session.h"
#include "child/child.h"
#include "session/track.h"
#include "ui/ui.h"

enum slot_id {
	SLOT_GUARD, SLOT_COMPACT, SLOT_PROVIDER, SLOT_TOOL, SLOT_MEM, SLOTS
};

struct control {
	off_t at;		/* due when the cursor gets here */
	char *line;		/* with its LF; owned */
	size_t n;
};

struct slot {
	struct hub *hub;
	const char *name;
	struct child_opts cmd;	/* commands NULL: this run does without it */
	struct argv flags;	/* its flags */
	bool started;		/* its stage was started once */
	struct child *child;	/* NULL: not running */
	struct rec_in in;
	off_t cursor;		/* session bytes copied to out so far */
	struct buf out;		/* being written to the child */
	size_t written;
	struct control *q;
	size_t nq, capq;
	off_t barrier;		/* offset of the last go or sync it returned */
	int64_t asked;		/* number of the go or sync in flight, or 0 */
	bool asked_go;
	struct buf notices;	/* lines that go before that go */
	int64_t discard;	/* discard its output until this sync */
	size_t skip;		/* proposals already in the session */
	struct buf proposals;	/* whole lines, until the barrier returns */
	long long deadline;	/* ms, 0: none */
	long long drain_until;	/* its input is closed: when to stop it, or 0 */
	int restarts;
	char *last_words;	/* why it ended: the last line of its stderr, or
				 * what it was stopped for; or NULL */
};

struct hub {
	struct slot slot[SLOTS];
	struct session *session;
	struct track *track;
	struct ui *ui;
	struct runlog *log;	/* borrowed; NULL: none */
	struct buf request;	/* compact's last one, or empty */
	int64_t number;		/* of the last go or sync */
	bool window_asked;	/* the provider had its first sync, at which it
				 * asks the server for its window */
	int interrupts;		/* how many signals came */
	bool to_end;		/* one of them was not SIGINT */
	bool unattended;	/* calls were not allowed beforehand, and nobody
				 * is there to allow one */
	bool chat;		/* a person types, and may name any file */
	bool listen;		/* read lines from a terminal that is not
				 * redrawn while waiting */
	bool refused;		/* a person said no, and stop */
	bool cancelling;	/* in hub_cancel */
	bool ending;		/* the turn is ending: a closed stdout no
				 * longer stops a wait */
	bool closing;		/* the end record is written; commit no more */
	bool quiet;		/* nothing came for a while */
	bool failed;
	struct err err;		/* what ended the run */
	struct texts died;	/* stages restarted, not yet in the session */
	bool stage_failed;	/* a stage ended for good; err names it, with
				 * its last line on stderr */
	bool explained;		/* that line says what a person can mend, and
				 * has been shown */
	struct scan scan;
};

int hub_init(struct hub *h, struct session *s, struct track *t,
    struct ui *ui, struct err *e);

/* Start every used slot, the memory's after the first request.  resume: the
 * session already has records. */
int hub_start(struct hub *h, bool resume, struct err *e);

/* Commit one record of the loop, made from a form (json/scan.h) or given ready
 * (released).  The next wait sends it on: at once to a slot that is asked for
 * something, to the others when there is time.  hub_feed sends to all as much
 * as their pipes take. */
#define hub_put(h, form, ...) \
	hub_put_slices(h, form, \
	    (const struct slice[]){ { NULL, 0 }, ##__VA_ARGS__ })
int hub_put_slices(struct hub *h, const char *form,
    const struct slice *from1);
int hub_commit(struct hub *h, struct buf *record);

/* Commit a config record for each of these settings that can be changed in a
 * session: the mode, the model, and [context]. */
void hub_set(struct hub *h, struct slice settings);

/* Show a record (released) that is not committed: progress, or one that could
 * not be committed. */
void hub_show(struct hub *h, struct buf *record);

/* Ask and wait for the answer.  0; -1 when the run is over (h->failed, or an
 * interrupt: h->interrupts). */
int hub_sync(struct hub *h, enum slot_id id);
/* until: when to give up, in ms of file_now_ms; 0: never.  The provider's go is
 * sent with the last request. */
int hub_go(struct hub *h, enum slot_id id, long long until);

/* A turn begins: restart stages that were given up or stopped; the guard judges
 * what it has not judged yet, before anything follows. */
void hub_revive(struct hub *h);

/* Ask without waiting, unless the stage has ended for good; wait for all
 * answers. */
void hub_ask(struct hub *h, enum slot_id id, bool go);
int hub_wait(struct hub *h, long long until_ms);

/* Read the signals that came into h->interrupts and h->to_end. */
void hub_read_signals(struct hub *h);

/* Let ms pass while serving the stages.  -1 as for hub_sync. */
int hub_pause(struct hub *h, int ms);

/* Send hamr-tool a record (released) that is not committed, with its next go
 * and again if it is restarted: that a call is answered, before its answer is
 * due in call order. */
void hub_notify_tool(struct hub *h, struct buf *record);

/* Cancel the action in progress and give the stage time to write what it has.
 * A stage that has not answered by then is stopped until hub_revive. */
void hub_cancel(struct hub *h);

void hub_feed(struct hub *h);

/* Sync, close, kill after 2 s.  What stages still propose is not committed, so
 * that the end record stays the last one. */
void hub_end(struct hub *h);
