/* compact.h - the state of one transcript, and when it is compacted.
 *
 * All of it follows from the records read so far.  We decide whether to compact
 * after each record that leaves no call unanswered, and before each assistant
 * message (where a model was called): never only because of a `go`, so that
 * it does not matter where these are.  A `compaction` record in the input
 * decides instead of us.
 *
 * From the oldest to the newest, the nodes of the view are
 *   folded   into the summary, one user message; but steps with a kept call
 *            are shown after it
 *   slim     each result is replaced by a stub, long arguments are cut,
 *            reasoning is dropped; but kept calls are in full
 *   in full  the tail; at stage 3 some of its results are cut
 * and an epoch is a period in which these borders do not move.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/map.h"
#include "conf/conf.h"
#include "items/fact.h"
#include "record/rec.h"
#include "tokens/budget.h"
#include "tokens/token.h"
#include "view/view.h"

struct summary;			/* internal.h */

struct strategy {
	const char *name;
	long high, low;		/* percent of B; high 0: never; low 0: by the
				 * window */
	bool stubs_first;	/* fold only if stubs do not suffice */
};

/* The settings, from the configuration and the session's `config` records. */
struct settings {
	struct budget_keys budget;
	bool every_call;
	bool memory;		/* stubs name the items of hamr-mem */
	const struct strategy *strategy;
};

struct epoch {
	long number;		/* 0: none yet */
	size_t rule;		/* the stage, when number > 0 */
	size_t fold, tail, slim;	/* nodes: folded, the tail's first
					 * one, and shown slim */
	size_t summary_cap;
	long before, after;	/* tokens */
	long base;		/* the size the next trigger rests on */
	size_t messages_in;
	bool recorded;		/* it was read as a record */
	bool written;		/* read, or written by us */
};

/* What a server counted for one of our requests. */
struct anchor {
	bool set;
	bool open;		/* the reply has not been read yet */
	long tokens, completion;
	uint64_t sum;		/* the estimate of what the tokens count */
};

/* What is known of a path that was read, edited or written, or of a command. */
struct subject {
	const char *name;	/* of its first call */
	size_t touched;		/* by which call, from 1 */
	size_t edited, written;	/* likewise; 0: never */
	long reads;
};

/* All paths, or all commands; their numbers begin with 1. */
struct subjects {
	struct map by_key;	/* see compact_path; to the number */
	struct subject *v;
	size_t n, cap;
};

struct compact {
	const struct conf *conf;
	long flag_window;	/* -1: none */
	const char *flag_strategy;	/* NULL: none */
	bool model;		/* the configuration names one */
	enum token_family family;
	struct settings set;
	struct view *view;
	struct summary *summary;
	struct subjects files, commands;
	size_t inspected[INSPECTIONS];	/* see context_line */
	struct budget budget;
	long limit;		/* -1: none */
	struct epoch epoch;
	size_t changed;		/* nodes before it are shown as when an
				 * epoch was last written */
	bool decided;		/* nothing came since the last decision
				 * whether to compact */
	bool fits;		/* its result */
	bool demand;		/* compact now, one stage further */
	bool hashes;		/* set by the caller: hash each result */
	bool foreign;		/* another program made the requests */
	char *session;		/* its name, for ids of memory items; NULL:
				 * not known yet */
	char *cwd;		/* its working directory, or NULL */
	char *tools;		/* the array of the last `tools`, or NULL */
	uint64_t tools_sum;
	char *choice;		/* tool_choice of an unspent constrain */
	int64_t choice_steps;
	struct anchor anchor;
	long ratio;		/* real / estimate, in 1/1024 */
	struct buf folded;	/* the summary as it is shown */
	struct buf seen;	/* our own request or error, just read */
	/* while a message is taken in: its text as it came, cleaned, clipped;
	 * what is made of it, and that quoted */
	struct buf tmp, clean, text, made, quoted;
};

/* strategy: of a flag, or NULL. */
void compact_init(struct compact *c, const struct conf *conf,
    const char *strategy, long flag_window);
void compact_release(struct compact *c);
void compact_record(struct compact *c, const struct rec *r);

/* A path as a file is known by: relative to the session's working directory.
 */
struct slice compact_path(const struct compact *c, struct slice path);

/* Before a request: compact if it is time.  False if what is left does not fit
 * the window.  Calling it again changes nothing. */
bool compact_decide(struct compact *c);

/* The request record, in parts that are valid until the next record. */
enum { REQUEST_PARTS = 3 };
void compact_request(struct compact *c, struct slice part[REQUEST_PARTS]);

/* Tokens of the request as it would be sent now. */
long compact_size(const struct compact *c);
/* The same for a part of it. */
long compact_tokens(const struct compact *c, uint64_t sum);

/* Is the result of a call (args: what its arguments put into a file) folded, or
 * replaced by something shorter? */
bool compact_elides(const struct compact *c, const struct view_call *call,
    bool args);

enum { STRATEGIES = 7, COMPACTING = 5 };	/* those that compact come
						 * first */
extern const struct strategy strategies[STRATEGIES];
/* NULL: no such strategy.  "auto" is the best one. */
const struct strategy *strategy_named(const char *name);

/* ---- stages ---- */

/* Percent of B (chapter 8.2 of the specification). */
enum {
	TAIL_PERCENT = 15,	/* and at most keep_recent_tokens */
	STEPS_PERCENT = 40,	/* for keep_recent_tool_turns */
	SLIM_PERCENT = 8,	/* more is folded, to the half of it */
	SUMMARY_PERCENT = 10,	/* people's words apart that are kept whole */
	CUT_PERCENT = 25,	/* stage 3: the results of the last step */
	STEP_PERCENT = 20	/* least growth between two epochs */
};

/* The stages, mildest first: how much of the tail is kept, how long the
 * summary may be, whether all but the last tool step is shown slim. */
enum { STAGES = 4 };
extern const struct stage_rule {
	const char *stage;
	long tail;		/* percent */
	size_t summary_cap;
	bool slim_tail;
} stage_rules[STAGES];

const char *epoch_stage(const struct compact *c);	/* "0": none yet */
/* The most bytes that the summary may have at this stage. */
size_t summary_cap(const struct compact *c, const struct stage_rule *rule);
/* B; for a strategy without a low mark, what is left of it by the system prompt
 * and the tools, which are never read again. */
long epoch_room(const struct compact *c);
/* What an epoch aims at, in percent of this room except for the stage. */
struct aim {
	size_t stage;		/* the first one to try */
	long low;		/* refill the room up to this ... */
	long oldest;		/* ... with items of at most this age, see
				 * refill.c */
	long steps, slim;	/* STEPS_PERCENT and SLIM_PERCENT, or less */
	long summary;		/* its most: of B */
};

struct aim epoch_aim(const struct compact *c);
long epoch_low(const struct compact *c);	/* its low, in tokens */
/* The size that starts the next epoch. */
long epoch_trigger(const struct compact *c);
void epoch_print(struct compact *c, struct buf *out);
/* How many system messages come first: 0 or 1. */
size_t epoch_system(const struct compact *c);

/* ---- stage 4: nothing fits, and why ---- */

void exhausted_error(const struct compact *c, struct buf *out);
