/* size.c - how large the request is, in tokens: estimated, and hung on what a
 * server counted.
 */
#include "compact.h"

#define RATIO_ONE 1024
#define RATIO_START 1126	/* 1.10, before any usage */
#define RATIO_LEAST 717		/* 0.7 */
#define RATIO_MOST 2048		/* 2 */
#define LEARN_FROM (200 * 64)	/* smaller requests teach little */

long
compact_tokens(const struct compact *c, uint64_t sum)
{
	return (long)(sum * (uint64_t)c->ratio / (64 * RATIO_ONE));
}

static uint64_t
whole_sum(const struct compact *c)
{
	return view_sum(c->view) + c->tools_sum;
}

long
compact_size(const struct compact *c)
{
	uint64_t sum = whole_sum(c);

	if (!c->anchor.set)
		return compact_tokens(c, sum);
	if (sum < c->anchor.sum)	/* a shorter list of tools */
		return c->anchor.tokens;
	return c->anchor.tokens + compact_tokens(c, sum - c->anchor.sum);
}

void
size_start(struct compact *c)
{
	c->anchor.set = c->anchor.open = false;
	c->ratio = RATIO_START;
}

/* The size hangs on the count, and the estimate learns by how much it errs. */
void
size_usage(struct compact *c, const struct rec *r)
{
	uint64_t sum = whole_sum(c);
	int64_t prompt, completion, ratio;

	if (c->foreign || (c->epoch.number > 0 && !c->epoch.recorded))
		return;		/* it was not our request that was counted */
	if (!rec_int(r, "prompt_tokens", &prompt) || prompt <= 0 ||
	    prompt > INT32_MAX)
		return;		/* many relays send zeros */
	if (!rec_int(r, "completion_tokens", &completion) || completion < 0 ||
	    completion > INT32_MAX)
		completion = 0;
	if (sum >= LEARN_FROM) {
		ratio = prompt * 64 * RATIO_ONE / (int64_t)sum;
		c->ratio = ratio < RATIO_LEAST ? RATIO_LEAST :
		    ratio > RATIO_MOST ? RATIO_MOST : (long)ratio;
	}
	c->anchor.set = c->anchor.open = true;
	c->anchor.tokens = (long)prompt;
	c->anchor.completion = (long)completion;
	c->anchor.sum = sum;
}

/* The message that was counted as completion is part of the view now. */
void
size_answer(struct compact *c)
{
	if (c->anchor.open && c->anchor.completion > 0) {
		c->anchor.tokens += c->anchor.completion;
		c->anchor.sum = whole_sum(c);
	}
	c->anchor.open = false;
}
