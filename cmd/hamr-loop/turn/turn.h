/* turn.h - one turn of the agent: steps until it ends, and how it ended.
 *
 * What to do next is decided by the committed records alone (track.h), so a
 * resumed session goes on where it stood.
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
	int died;		/* of hub->died, what is told already */
	bool timed_out;		/* its time ran out in an action ... */
	bool spent;		/* ... or before; the final request is out */
	enum ending end;
	char *reason;		/* owned */
	char *record;		/* the end record, once it is; owned */
};

/* Can the limits that are set be kept?  A cost needs prices: ST_CONFIG.  The
 * provider and the model are those of the command line, or NULL. */
int turn_check_limits(const struct conf *c, const char *provider,
    const char *model, struct err *e);

/* Go on until the turn ends; sets t->end and t->reason.  Calls left open are
 * answered, so that none is without a result. */
void turn_run(struct turn *t);

/* Before a new task: what calls were left open are answered.  None is run in a
 * session that is not gone on with (run false), or after a later message.
 * False: the turn is over. */
bool turn_settle(struct turn *t, bool task, bool run);

/* Commit the end record and make it durable. */
int turn_end(struct turn *t);

/* What the end record calls it, the status of hamr-loop, and what a person is
 * told; by enum ending. */
extern const struct turn_ending {
	const char *word;
	int status;
	const char *told;
} turn_endings[];
