/* budget.c - what fits: window, effective window, caps (chapter 8.1). */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "conf/conf_keys.h"
#include "json/scan.h"
#include "budget.h"

#define BYTES_PER_TOKEN 3	/* code 3.2, prose 4.3, logs 2.5 */

static long
smaller(long a, long b)
{
	return a < b ? a : b;
}

long
percent_of(long whole, long percent)
{
	long part = whole / 100 * percent + whole % 100 * percent / 100;

	/* 0 would mean no limit */
	return part == 0 && whole > 0 && percent > 0 ? 1 : part;
}

/* The cap that was set, else max(floor, percent of B); at most bound percent of
 * B.  0: no limit. */
static long
cap_of(struct budget_cap k, long b, long percent, long bound)
{
	long share = percent_of(b, percent);
	long cap = k.asked >= 0 ? k.asked : k.floor > share || k.floor == 0 ?
	    k.floor : share;

	return b == 0 || cap == 0 ? cap : smaller(cap, percent_of(b, bound));
}

static struct budget_cap
cap_key(const struct conf *c, const char *key)
{
	long n = (long)conf_int(c, key);

	return (struct budget_cap){ .floor = n,
		.asked = conf_is_set(c, key) ? n : -1 };
}

struct budget_keys
budget_keys(const struct conf *c)
{
	return (struct budget_keys){
		.tokens = (long)conf_int(c, "context.context_budget_tokens"),
		.window = conf_is_set(c, "context.window") ?
		    (long)conf_int(c, "context.window") : -1,
		.reserved = (long)conf_int(c,
		    "context.reserved_output_tokens"),
		.single = cap_key(c, "context.max_single_read_result_tokens"),
		.turn = cap_key(c,
		    "context.max_total_read_result_tokens_per_turn"),
		.keep_tokens = (long)conf_int(c, "context.keep_recent_tokens"),
		.keep_steps = (long)conf_int(c,
		    "context.keep_recent_tool_turns"),
	};
}

void
budget_set(struct budget_keys *k, struct slice set)
{
	const struct { const char *key; long *at; } numbers[] = {
		{ "context.context_budget_tokens", &k->tokens },
		{ "context.window", &k->window },
		{ "context.reserved_output_tokens", &k->reserved },
		{ "context.max_single_read_result_tokens", &k->single.asked },
		{ "context.max_total_read_result_tokens_per_turn",
		    &k->turn.asked },
		{ "context.keep_recent_tokens", &k->keep_tokens },
		{ "context.keep_recent_tool_turns", &k->keep_steps } };
	struct slice key, val;
	int64_t n;

	for (struct walk w = walk_of(set); walk_next(&w, &key, &val); ) {
		char *given = xmemdup0(key.p, key.n);
		const struct conf_key *c = conf_key_find(given);

		for (size_t i = 0; c != NULL && i < sizeof numbers /
		    sizeof *numbers; i++)
			if (strcmp(c->key, numbers[i].key) == 0 &&
			    scan_int(val, &n) && n >= c->min && n <= c->max)
				*numbers[i].at = (long)n;
		free(given);
	}
}

struct budget
budget_of(const struct budget_keys *k, long flag_window, long limit)
{
	struct budget b = { .window = flag_window };

	if (k->window >= 0)
		limit = limit > 0 ? smaller(limit, k->window) : k->window;
	if (flag_window < 0)
		b.window = limit > 0 && (k->tokens == 0 || limit < k->tokens) ?
		    limit : k->tokens;
	if (b.window > 0)
		b.effective = b.window - smaller(k->reserved, b.window / 4);
	b.result_cap = cap_of(k->single, b.effective, 10, 25);
	b.file_cap = k->single.asked < 0 && k->single.floor <= b.effective ?
	    cap_of(k->single, b.effective, 10, 85) : b.result_cap;
	b.turn_cap = cap_of(k->turn, b.effective, 35, 60);
	return b;
}

struct budget
budget_from(const struct conf *c, long limit)
{
	struct budget_keys k = budget_keys(c);

	return budget_of(&k, -1, limit);
}

size_t
budget_bytes(long tokens)
{
	return (size_t)tokens * BYTES_PER_TOKEN;
}

/* ---- cutting ---- */

/* As budget_head, of 1/64 token. */
static size_t
head(struct slice text, uint64_t cap, enum token_family f)
{
	unsigned prev = TOKEN_START;
	uint64_t sum = 0;
	size_t lines = 0, at = 0;

	while (at < text.n) {
		const char *lf = memchr(text.p + at, '\n', text.n - at);
		size_t end = lf != NULL ? (size_t)(lf - text.p) + 1 : text.n;

		/* take long lines in pieces, so that none is counted far past
		 * what fits */
		if (end - at > 256)
			end = at + 256;
		sum += token_at_least(token_sum(f, text.p + at, end - at,
		    &prev), end - at);
		if (sum > cap)
			break;
		at = end;
		if (text.p[at - 1] == '\n')
			lines = at;
	}
	return lines > at / 2 ? lines : utf8_cut(text.p, text.n, at);
}

size_t
budget_head(struct slice text, size_t cap, enum token_family f)
{
	/* no byte is more than four tokens, and all at once is quicker */
	return text.n * 4 <= cap || token_text(f, text.p, text.n) / 64 < cap ?
	    text.n : head(text, (uint64_t)cap * 64, f);
}

/* The same from the end: where the tail begins. */
static size_t
tail(struct slice text, uint64_t cap, enum token_family f)
{
	size_t at = text.n, lines = text.n;
	uint64_t sum = 0;

	while (at > 0) {
		size_t from = at > 256 ? at - 256 : 0;
		unsigned prev = TOKEN_START;
		const char *lf = at - from < 2 ? NULL :
		    memrchr(text.p + from, '\n', at - from - 1);

		if (lf != NULL)
			from = (size_t)(lf - text.p) + 1;
		sum += token_at_least(token_sum(f, text.p + from, at - from,
		    &prev), at - from);
		if (sum > cap)
			break;
		at = from;
		if (lf != NULL || at == 0)
			lines = at;
	}
	if (text.n - lines > (text.n - at) / 2)
		return lines;
	return text.n - utf8_last(text, text.n - at).n;
}

bool
budget_clip(struct buf *out, struct slice text, long cap, enum token_family f)
{
	uint64_t room = cap > 24 ? (uint64_t)(cap - 24) * 64 : 0;

	/* is it more than cap tokens, rounded? */
	if (cap == 0 || token_text(f, text.p, text.n) <
	    (uint64_t)cap * 64 + 32) {
		buf_slice(out, text);
		return false;
	}
	size_t a = head(text, room * 6 / 10, f);
	size_t b = tail(text, room * 4 / 10, f);
	if (b < a)
		b = a;
	buf_add(out, text.p, a);
	if (a > 0 && text.p[a - 1] != '\n')
		buf_addc(out, '\n');
	size_t lines = slice_newlines((struct slice){ text.p + a, b - a });
	buf_adds(out, "[... ");
	if (lines > 0)		/* 0: cut in the middle of one line */
		buf_fmt(out, "%zu line%s, ", lines, lines == 1 ? "" : "s");
	buf_fmt(out, "%zu bytes cut: truncated ...]\n", b - a);
	buf_add(out, text.p + b, text.n - b);
	return true;
}
