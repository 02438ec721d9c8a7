/* run.h - everything one run of the agent holds, from configuration to end. */
#pragma once

#include "conf/conf.h"
#include "hub/hub.h"
#include "opts.h"
#include "session/session.h"
#include "session/track.h"
#include "setup.h"
#include "turn.h"
#include "ui/ui.h"

struct run {
	struct opts o;
	struct conf *conf;
	struct err broken;	/* what is wrong with its files, for --doctor;
				 * text "": nothing */
	char *root;
	char *dir;		/* where we were started, or -C */
	char *replay;		/* --replay, relative to where we started */
	struct session session;
	struct track track;
	struct ui ui;
	struct hub hub;
	char *mode;		/* the session began with; owned */
	struct buf system;	/* the system message's text for it */
	struct argv secrets;	/* variables only the provider inherits */
	bool headed;		/* setup_header is done */
	bool open;		/* there is a session; its stages run */
	bool begun;		/* the first records are committed */
	bool runs_calls;	/* its open calls may be run: it was written
				 * here, and they were not copied by a fork */
	char *foreign;		/* says that it was not written here; or NULL */
	char *resume_id;	/* from a /resume */
	char *images;		/* a JSON array of image parts for the next
				 * task, or NULL; owned */
};

/* Read the configuration and go to the root. */
int run_configure(struct run *r, struct err *e);

/* Open or create the session as the options say, and start the stages. */
int run_open(struct run *r, struct err *e);

/* Commit the first records unless they are there; task (or NULL) is the first
 * task.  -1 with e when the session cannot begin.  If a stage failed or the
 * person stopped it, the turn reports that, and the next turn tries again. */
int run_begin(struct run *r, const char *task, struct err *e);

/* Answer the calls that were left open; run: by running them, if they may be.
 * False: stopped. */
bool run_settle(struct run *r, bool run);

/* Run one turn to its end record; task may be NULL (continue with what is
 * there).  Returns the exit status. */
int run_turn(struct run *r, const char *task, struct err *e);

/* The command that goes on with a session: flag is "--resume=" or "--fork=".
 * The caller frees it. */
char *run_command(const struct run *r, const char *flag, const char *id);

/* Show how the last turn of a resumed session ended; end is its end record. */
void run_tell_last(struct run *r, const struct rec *end);

/* Run the task of the command line: all of the above. */
int run_task(struct run *r, struct err *e);

/* Stop the stages and close the session; another one may be opened. */
void run_end(struct run *r);

void run_release(struct run *r);
