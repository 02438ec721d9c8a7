/* run.h - everything one run of the agent holds, from configuration to end. */
#pragma once

#include "conf/conf.h"
#include "hub/hub.h"
#include "opts.h"
#include "session/session.h"
#include "begin.h"
#include "session/track.h"
#include "turn.h"
#include "ui/ui.h"

struct run {
	struct opts o;
	struct conf *conf;
	struct err broken;	/* what is wrong with its files, for --doctor;
				 * text "": nothing */
	char *root;
	char *dir;		/* where we were called, or -C */
	char *replay;		/* --replay, found from where we were called */
	struct session session;
	struct track track;
	struct ui ui;
	struct hub hub;
	struct runlog *log;
	struct setup setup;
	bool hub_made;
	bool begun;		/* its first records are there */
	bool foreign;		/* the session was not written here ... */
	bool lent_mode;		/* ... and o.mode is the configuration's */
	bool branches;		/* o.fork is the session that was open */
	char *resume_id;	/* of a /resume */
	char *images;		/* a JSON array of parts that come with the next
				 * task, or NULL; owned */
};

/* Read the configuration and go to the root. */
int run_configure(struct run *r, struct err *e);

/* Open or make the session as the options say, and start the stages. */
int run_open(struct run *r, struct err *e);

/* The first records, if they are not there yet; task (or NULL) is what the
 * session begins with.  -1 when it cannot begin.  Where a stage failed, or the
 * person stopped it, the turn tells so, and this is done again by the next. */
int run_begin(struct run *r, const char *task, struct err *e);

/* One turn to its end record; task may be NULL (go on with what is there).
 * The status. */
int run_turn(struct run *r, const char *task, struct err *e);

/* How the last turn of a session that is resumed ended; its end record. */
void run_tell_last(struct run *r, const struct rec *end);

/* One task of the command line: all of the above. */
int run_task(struct run *r, struct err *e);

/* End the stages and close the session; another one may be opened. */
void run_end(struct run *r);

void run_release(struct run *r);
