/* compact.h - the state of one transcript, and when it is compacted.
 *
 * All of it follows from the records read so far.  An epoch is decided at a
 * safe point: before an assistant message (a model was called there) and at
 * `go`.  A `compaction` record read decides instead of us.
 */
#ifndef COMPACT_COMPACT_H
#define COMPACT_COMPACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "budget.h"
#include "buf.h"
#include "conf.h"
#include "map.h"
#include "rec.h"
#include "stage.h"
#include "token.h"
#include "view.h"

#include "summary.h"

struct strategy {
	const char *name;
	long high, low;		/* percent of B; high 0: never */
	bool stubs_first;	/* fold only when stubs do not suffice */
};

struct epoch {
	long number;		/* 0: none yet */
	size_t row;		/* of the table of stages, when number > 0 */
	size_t fold, tail, thin;	/* nodes: folded, the tail's first
					 * one, and shown slim */
	size_t summary_cap;
	long before, after;	/* tokens */
	long base;		/* the size the next trigger rests on */
	size_t messages_in;
	bool recorded;		/* it was read as a record */
	bool written;		/* read, or written by us */
	size_t told_fold, told_thin;	/* as of the last epoch written */
};

/* What a server counted of a request of ours. */
struct anchor {
	bool set;
	bool open;		/* the message it was for is not here yet */
	long tokens, completion;
	uint64_t sum;		/* the estimate of what the tokens count */
};

struct compact {
	const struct conf *conf;
	long flag_window;	/* -1: none */
	bool model;		/* the configuration names one */
	enum token_family start_family, family;
	const struct strategy *strategy;
	/* below: of this transcript */
	struct view *view;
	struct summary *summary;
	struct map reads;	/* path: how often it was read */
	struct budget budget;
	long limit;		/* -1: none */
	struct epoch epoch;
	bool demand;		/* compact now, one stage further */
	char *tools;		/* the array of the last `tools`, or NULL */
	uint64_t tools_sum;
	char *choice;		/* tool_choice of an unspent constrain */
	int64_t choice_steps;
	struct anchor anchor;
	long ratio;		/* real / estimate, in 1/1024 */
	struct buf seen;	/* our own request or error, just read */
	struct buf tmp;
};

/* ---- compact.c ---- */

void compact_init(struct compact *c, const struct conf *conf,
    const struct strategy *st, long flag_window, const char *model);
void compact_reset(struct compact *c);	/* as new */
void compact_release(struct compact *c);
void compact_record(struct compact *c, const struct rec *r);

/* Tokens of the request as it would be sent now. */
long compact_size(const struct compact *c);
/* The same for a part of it. */
long compact_tokens(const struct compact *c, uint64_t sum);

/* Append the request record; view_print's messages are its own. */
void compact_request(struct compact *c, struct buf *out);

/* ---- epoch.c ---- */

const struct strategy *strategy_named(const char *name);

/* At a safe point: compact if it is time.  False when what is left does not
 * fit the window. */
bool epoch_decide(struct compact *c);

/* A compaction record was read.  (epoch_rec.c) */
void epoch_read(struct compact *c, const struct rec *r);

/* "0", "1", "2", "2b", "3". */
const char *epoch_stage(const struct compact *c);

/* Append the compaction record of this epoch. */
void epoch_print(struct compact *c, struct buf *out);

/* The size that starts the next epoch. */
long epoch_trigger(const struct compact *c);

#endif
