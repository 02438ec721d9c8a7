/* turn.h - one turn of the agent: steps until it ends, and how it ended.
 *
 * The committed records alone decide what to do next (track.h), so a resumed
 * session continues where it stopped.
 */
#pragma once

#include "conf/conf.h"
#include "hub/hub.h"

enum ending {
	END_COMPLETED, END_TOOL_ERROR, END_BUDGET, END_CONTRACT, END_GUARD,
	END_MODEL, END_DENIED, END_INTERRUPTED
};

struct turn {
	struct hub *hub;
	const struct conf *conf;
	long long begun;	/* ms, monotonic */
	long long waited_ms;	/* for a server that was down */
	bool timed_out;		/* its time ran out in an action: last words are
				 * still to be asked for */
	enum ending end;
	char *reason;		/* owned */
	char *record;		/* the end record, once committed; owned */
};

/* Can the configured limits be enforced?  -1 with e: ST_CONFIG: a cost limit
 * needs prices.  provider is --provider, or NULL. */
int turn_check_limits(const struct conf *c, const char *provider,
    struct err *e);

/* Run until the turn ends; set t->end and t->reason.  Open calls are answered,
 * so that none is left without a result. */
void turn_run(struct turn *t);

/* Before a new task: answer the calls left open.  None is run in a session that
 * is not continued (run is false), or after a later message.  False: the turn
 * is over. */
bool turn_settle(struct turn *t, bool task, bool run);

/* Commit the end record.  0, or -1 if it is only shown. */
int turn_end(struct turn *t);

/* By enum ending: the word in the end record, hamr-loop's exit status, and what
 * a person is told. */
extern const struct turn_ending {
	const char *word;
	int status;
	const char *told;
} turn_endings[];
