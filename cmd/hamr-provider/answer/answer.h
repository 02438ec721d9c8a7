/* answer.h - one assistant message under construction.
 *
 * Fed with what a server sends, decoded, it emits what is new as deltas and
 * finally a message record, or a partial one.
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

/* Tokens; -1: not reported.  prompt includes the tokens read from the cache
 * and written to it. */
struct usage {
	long long prompt, completion, cached, written;
};

/* Callers may read: native.n, started, fed, usage. */
struct answer {
	answer_delta *delta;
	void *ctx;
	struct reasoning *splitter;
	enum dialect_kind kind;
	struct dialect *dialect;
	struct harmony harmony;	/* its tags are looked for if kind is auto */
	bool forbidden;		/* no tool may be called */
	bool again;		/* reasoning is read once more, into raw */
	struct slice tools;	/* borrowed */
	struct buf fresh;	/* scratch: the new part of a call */
	struct buf raw;		/* content as reasoning.h passed it on */
	struct buf content, reasoning;
	struct calls native, lifted;
	struct buf malformed;
	struct buf model;
	struct usage usage;
	struct buf cost;	/* as the server's number, or empty */
	struct buf carry;	/* elements for the next call's "carry" */
	struct repetition said, thought;	/* of content, of reasoning */
	unsigned dropped;
	enum finish finish;
	bool fed;		/* text or a call arrived, shown or not */
	bool started;		/* something visible arrived */
	bool lossy;		/* some of the server's bytes were repaired */
};

/* tools are borrowed; forbidden: none of them may be called.  repeat_limit: how
 * often the model may repeat a passage, 0: no limit.  The caller frees it with
 * answer_free. */
struct answer *answer_new(enum dialect_kind kind, struct slice tools,
    bool forbidden, long long repeat_limit, answer_delta *delta, void *ctx);
void answer_free(struct answer *a);

void answer_content(struct answer *a, struct slice text);
void answer_reasoning(struct answer *a, struct slice text);
void answer_call(struct answer *a, const struct call_delta *d);
/* The same for a list of tool_calls (JSON), or a single element in its place;
 * anything else is ignored.  whole: each element is a call of its own, not a
 * delta. */
void answer_calls(struct answer *a, struct slice list, bool whole);
/* The server's finish_reason; ignored when empty. */
void answer_finish(struct answer *a, struct slice reason);	/* decoded */
/* The number of tokens under this key of an object; -1: none. */
long long answer_number(struct slice o, const char *key);
/* The usage in tokens; -1: not given, the old value stays. */
void answer_count(struct answer *a, const struct usage *u);
/* The same as chat completions, responses and adapters have it, with a cost;
 * ignored unless it is an object. */
void answer_usage(struct answer *a, struct slice object);	/* JSON */
/* Something that must be sent back with the next call, or the last one if none
 * follows (raw JSON). */
void answer_carry(struct answer *a, struct slice json);
void answer_model(struct answer *a, struct slice name);		/* decoded */

/* Did a finish_reason arrive, or did we cut the answer? */
bool answer_finished(const struct answer *a);
/* How often it repeated a passage before we cut it for that; 0: it did not.
 * Later input is ignored. */
long long answer_repeats(const struct answer *a);

/* End the answer, once, complete or broken off.  Returns the text of a call
 * block that cannot be parsed, borrowed; empty when there is none. */
struct slice answer_end(struct answer *a, bool broken);

/* Does the usage show that it was cut by length before its first token, for
 * lack of room? */
bool answer_lacked_room(const struct answer *a);

/* What else its record says. */
struct answer_facts {
	const char *api, *model;	/* the model asked for, or "" */
	long long ms, ttft_ms;		/* ttft_ms -1: unknown */
};

/* Append the message, after answer_end. */
void answer_message(const struct answer *a, const struct map *seen,
    const struct answer_facts *facts, struct buf *out);

/* Append the usage record; false: there is none.  The cost is the server's, or
 * else computed from known prices. */
bool answer_usage_record(const struct answer *a, const struct prices *prices,
    struct buf *out);

/* Append {"content":...,"reasoning":...,"tool_calls":[...]}, as far as they
 * arrived. */
void answer_partial(const struct answer *a, struct buf *out);
