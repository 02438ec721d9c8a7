/* answer.h - one assistant message in the making.
 *
 * Fed with what a server sends, decoded; hands on what is new as deltas, and
 * at the end is a message record, or what there was of it.
 */
#ifndef PROVIDER_ANSWER_H
#define PROVIDER_ANSWER_H

#include <stdbool.h>

#include "buf.h"
#include "dialect.h"
#include "ids.h"
#include "json.h"
#include "prices.h"

struct answer;

/* kind: content, reasoning or tool_call; text is never empty. */
typedef void answer_delta(void *ctx, const char *kind, struct slice text);

/* repeat_limit: how often it may repeat a passage, 0: for ever. */
struct answer *answer_new(enum dialect_kind dialect, long long repeat_limit,
    answer_delta *delta, void *ctx);
void answer_free(struct answer *a);
/* The next answer; tools are borrowed until the one after it. */
void answer_reset(struct answer *a, struct slice tools);

void answer_content(struct answer *a, struct slice text);
void answer_reasoning(struct answer *a, struct slice text);
void answer_call(struct answer *a, struct slice element);	/* JSON */
void answer_finish(struct answer *a, struct slice reason);	/* decoded */
void answer_usage(struct answer *a, struct slice object);	/* JSON */
/* What answer_usage was given last; {"", 0}: nothing. */
struct slice answer_usage_told(const struct answer *a);
/* Something that must go back with the first call (raw JSON). */
void answer_carry(struct answer *a, struct slice json);
/* How many calls there are. */
size_t answer_ncalls(const struct answer *a);
void answer_model(struct answer *a, struct slice name);		/* decoded */
void answer_lossy(struct answer *a);

/* Has anything to look at come?  Has a finish_reason? */
bool answer_started(const struct answer *a);
/* Anything at all, also what is held back until more of it decides? */
bool answer_has_any(const struct answer *a);
bool answer_finished(const struct answer *a);
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
	const char *api, *model;	/* the model asked for, may be NULL */
	long long ms, ttft_ms;		/* ttft_ms -1: unknown */
};

/* The message, after answer_end; the caller prints and frees it. */
struct json *answer_message(struct answer *a, const struct ids *seen,
    const struct answer_facts *facts);

/* The usage record, or NULL.  Its cost is the server's word, else by prices
 * that are known. */
struct json *answer_usage_record(const struct answer *a,
    const struct prices *prices);
/* Tokens read, at most: those of the cache may be counted twice.  -1:
 * unknown. */
long long answer_prompt_tokens(const struct answer *a);

/* {"content":...,"reasoning":...,"tool_calls":[...]} of what there is. */
struct json *answer_partial(struct answer *a);

#endif
