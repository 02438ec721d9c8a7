/* hub.h - the one committing writer and its resident stages (chapter 1.3).
 *
 * Every slot reads the session file itself, through our hands: it has a
 * cursor into it and a queue of control lines (go, sync, cancel, request)
 * that are due when the cursor reaches their place.  So a commit is one write,
 * nothing committed is kept in memory, and a stage that died is started again
 * by setting its cursor to 0.
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
	off_t at;		/* due when the cursor is here */
	char *line;		/* with its LF; owned */
	size_t n;
};

struct slot {
	struct hub *hub;
	const char *name;
	struct child_opts cmd;
	bool used;		/* this run has the slot ... */
	bool started;		/* ... and its stage was started once */
	struct child *child;	/* NULL: not running */
	struct rec_in in;
	off_t cursor;		/* session bytes handed over to out */
	struct buf out;		/* being written */
	size_t written;
	struct control *q;
	size_t nq, capq;
	off_t barrier;		/* where its last returned barrier stood */
	int64_t asked;		/* number of the go or sync in flight; 0 */
	bool asked_go;
	int64_t discard;	/* output is thrown away until this sync */
	size_t skip;		/* proposals that are in the session already */
	struct buf proposals;	/* whole lines, until the barrier returns */
	long long deadline;	/* ms, 0: none */
	int restarts;
	char *said;		/* the last line of its stderr, or NULL */
};

struct hub {
	struct slot slot[SLOTS];
	struct session *session;
	struct track *track;
	struct ui *ui;
	struct runlog *log;	/* borrowed; NULL: none */
	struct slice request;	/* compact's last one; n is 0: none */
	struct buf kept;	/* it lies there */
	int64_t number;		/* of the last go or sync */
	bool window_asked;	/* the provider had its first sync, at which it
				 * asks the server for its window */
	int interrupts;		/* how many signals came */
	bool to_end;		/* one of them was not SIGINT */
	bool unattended;	/* nobody is there to allow a call, and it was
				 * not allowed beforehand */
	bool chat;		/* a person types, and may name any file */
	bool listen;		/* lines of a terminal that is not redrawn
				 * are taken in meanwhile */
	bool refused;		/* a person said no, and stop */
	bool ending;		/* the turn is ending: a closed stdout does
				 * not stop a wait any more */
	bool closing;		/* the end record is written: no more */
	bool quiet;		/* nothing came for a while */
	bool failed;
	struct err err;		/* what ended the run */
	int died;		/* stages started again so far ... */
	const char *who_died;	/* ... the last one's name */
	bool stage_failed;	/* a stage ended for good; err names it, and
				 * says what it said at last */
	struct scan scan;
};

int hub_init(struct hub *h, struct session *s, struct track *t,
    struct ui *ui, struct err *e);

/* Start every used slot, the memory's behind the first request.  resume: the
 * session has records already. */
int hub_start(struct hub *h, bool resume, struct err *e);

/* Commit one record of our own (released), made of a form (json/scan.h) or
 * before.  The session's bytes are sent by the next wait: to a slot that is
 * asked for something at once, to the others when there is time, and to all by
 * hub_feed as far as their pipes take them. */
#define hub_put(h, form, ...) \
	hub_put_slices(h, form, \
	    (const struct slice[]){ { NULL, 0 }, ##__VA_ARGS__ })
int hub_put_slices(struct hub *h, const char *form,
    const struct slice *from1);
int hub_commit(struct hub *h, struct buf *record);

/* A config record for each of these settings. */
void hub_set(struct hub *h, struct slice settings);

/* Show a record (released) that is not committed: one of progress, or one that
 * could not be. */
void hub_show(struct hub *h, struct buf *record);

/* Ask and wait for the answer.  0; -1 when the run is over (h->failed, or an
 * interrupt: h->interrupts). */
int hub_sync(struct hub *h, enum slot_id id);
/* until: give up then, in ms of file_now_ms; 0: never.  The provider's go goes
 * out with the last request. */
int hub_go(struct hub *h, enum slot_id id, long long until);

/* Try stages again that ended for good, or were ended: a turn begins. */
void hub_revive(struct hub *h);

/* Ask without waiting, unless it has ended for good; then wait for all that was
 * asked. */
void hub_ask(struct hub *h, enum slot_id id, bool go);
int hub_wait(struct hub *h, long long until_ms);

/* Signals that came: interrupts, or the end of it all. */
void hub_read_signals(struct hub *h);

/* Let ms pass, with the stages alive.  -1 as of hub_sync. */
int hub_pause(struct hub *h, int ms);

/* Tell one slot a record that is not committed (released): that a call is
 * answered, before its answer's turn in call order has come. */
void hub_tell_slot(struct hub *h, enum slot_id id, struct buf *record);

/* Cancel the action in hand and give it time to write what there is.  A stage
 * that has not answered by then is ended, until hub_revive. */
void hub_cancel(struct hub *h);

void hub_feed(struct hub *h);
int hub_durable(struct hub *h);

/* sync, close, kill after 2 s.  What stages still propose is not committed:
 * the end record is the last one. */
void hub_end(struct hub *h);
