/* answer.h - one assistant message in the making.
 *
 * Fed with what a server sends, decoded; hands on what is new as deltas, and
 * at the end is a message record, or what there was of it.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "dialect/dialect.h"
#include "calls.h"
#include "harmony.h"
#include "prices.h"
#include "reasoning.h"
#include "repetition.h"

/* kind: content, reasoning or tool_call; text is never empty. */
typedef void answer_delta(void *ctx, const char *kind, struct slice text);

enum finish {
	FINISH_NONE, FINISH_STOP, FINISH_LENGTH, FINISH_FILTER, FINISH_ERROR
};

/* Tokens; -1: not told.  prompt includes what was read from the cache and what
 * was written to it. */
struct usage {
	long long prompt, completion, cached, written;
};

/* A text whose pieces may each repeat all that came before. */
struct growing {
	struct buf text;	/* so far; where that is not asked for, the
				 * last piece ... */
	long pieces;		/* ... of so many that did; -1: one did not */
};

/* For others to read: native.n, started, fed, usage. */
struct answer {
	answer_delta *delta;
	void *ctx;
	struct reasoning *splitter;
	struct dialect *dialect;
	struct harmony harmony;
	bool has_harmony;	/* it is looked for */
	bool forbidden;		/* no tool may be called */
	bool again;		/* reasoning is read once more, into raw */
	bool cumulative;	/* what a piece repeats is left out; yours */
	struct growing said_all, thought_all;
	struct slice tools;	/* borrowed */
	struct buf fresh;	/* scratch: what is new of a call */
	struct buf raw;		/* content as reasoning.h passed it on */
	struct buf content, reasoning;
	struct calls native, lifted;
	struct buf malformed;
	struct buf model;
	struct usage usage;
	struct buf cost;	/* as the server's number, or empty */
	struct buf carry;	/* elements for the first call's "carry" */
	struct repetition said, thought;	/* of content, of reasoning */
	unsigned dropped;
	enum finish finish;
	bool fed;		/* text came, shown or still held back */
	bool started;		/* something to look at came */
	bool lossy;		/* bytes of the server's were repaired */
	bool ended;
};

/* repeat_limit: how often it may repeat a passage, 0: for ever. */
struct answer *answer_new(enum dialect_kind dialect, long long repeat_limit,
    answer_delta *delta, void *ctx);
void answer_free(struct answer *a);
/* The next answer; tools are borrowed until the one after it.  forbidden: none
 * may be called. */
void answer_reset(struct answer *a, struct slice tools, bool forbidden);

void answer_content(struct answer *a, struct slice text);
void answer_reasoning(struct answer *a, struct slice text);
void answer_call(struct answer *a, const struct call_delta *d);
/* The same of an element of tool_calls (JSON), and of all of them; what has
 * another form is nothing. */
void answer_call_element(struct answer *a, struct slice element);
void answer_calls(struct answer *a, struct slice list);
/* Why it ends, in a server's word; nothing when that is empty. */
void answer_finish(struct answer *a, struct slice reason);	/* decoded */
/* The usage as the chat completions API has it; nothing when it is no
 * object. */
void answer_usage(struct answer *a, struct slice object);	/* JSON */
/* Something that must go back with the first call (raw JSON). */
void answer_carry(struct answer *a, struct slice json);
void answer_model(struct answer *a, struct slice name);		/* decoded */

/* Has a finish_reason come, or was it cut by us? */
bool answer_finished(const struct answer *a);
/* Does each piece of its text seem to repeat all before it, unasked? */
bool answer_grows(const struct answer *a);
/* How often it repeated a passage until it was cut for that; 0: it did not.
 * What comes then is not read any more. */
long long answer_repeats(const struct answer *a);

/* It is complete, or broken off for good.  The text of a block that cannot be
 * lifted; empty when there is none. */
struct slice answer_end(struct answer *a, bool broken);

/* Cut by length before its first token, says the usage: there was no room. */
bool answer_starved(const struct answer *a);

/* What is said of it besides. */
struct answer_facts {
	const char *api, *model;	/* the model asked for, or "" */
	long long ms, ttft_ms;		/* ttft_ms -1: unknown */
};

/* Append the message, after answer_end. */
void answer_message(const struct answer *a, const struct map *seen,
    const struct answer_facts *facts, struct buf *out);

/* Append the usage record; false: there is none.  Its cost is the server's
 * word, else by prices that are known. */
bool answer_usage_record(const struct answer *a, const struct prices *prices,
    struct buf *out);

/* Append {"content":...,"reasoning":...,"tool_calls":[...]} of what there
 * is. */
void answer_partial(const struct answer *a, struct buf *out);
