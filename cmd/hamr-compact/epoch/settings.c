/* settings.c - what the configuration says about compaction, and `config`
 * records of the session.
 */
#include <stdlib.h>
#include <string.h>

#include "conf/conf_keys.h"

#include "internal.h"

/* Chapter 8.2 of the specification.  "late" is the best at every window from
 * 8k to 200k by bench/judge-compact. */
#define AUTO "late"

static const struct strategy strategies[] = {
	{ "aggressive", 45, 20, false },
	{ "moderate", 60, 30, false },
	{ "balanced", 75, 30, false },
	{ "light", 90, 35, true },
	{ "late", 100, 0, false },
	{ "none", 0, 0, false },
	{ "off", 0, 0, false },
};

const struct strategy *
strategy_named(const char *name)
{
	if (strcmp(name, "auto") == 0)
		name = AUTO;
	for (size_t i = 0; i < sizeof strategies / sizeof *strategies; i++)
		if (strcmp(name, strategies[i].name) == 0)
			return &strategies[i];
	return NULL;
}

const struct strategy *
strategy_at(size_t i)
{
	return i < sizeof strategies / sizeof *strategies &&
	    strategies[i].high > 0 ? &strategies[i] : NULL;
}

void
settings_load(struct compact *c)
{
	const struct conf *conf = c->conf;

	c->set = (struct settings){
		.budget = budget_keys(conf),
		.keep_tokens = (long)conf_int(conf,
		    "context.keep_recent_tokens"),
		.keep_steps = (long)conf_int(conf,
		    "context.keep_recent_tool_turns"),
		.every_call = conf_bool(conf, "context.every_call"),
		.memory = conf_bool(conf, "memory.enabled"),
		.strategy = strategy_named(c->flag_strategy != NULL ?
		    c->flag_strategy : conf_str(conf, "context.strategy")),
	};
}

/* Ignore a value that does not fit its key, as in a file. */
static void
set_one(struct compact *c, const struct conf_key *k, struct slice val)
{
	struct settings *s = &c->set;
	const struct { const char *key; long *at; } numbers[] = {
		{ "context.context_budget_tokens", &s->budget.tokens },
		{ "context.window", &s->budget.window },
		{ "context.reserved_output_tokens", &s->budget.reserved },
		{ "context.max_single_read_result_tokens",
		    &s->budget.single.asked },
		{ "context.max_total_read_result_tokens_per_turn",
		    &s->budget.turn.asked },
		{ "context.keep_recent_tokens", &s->keep_tokens },
		{ "context.keep_recent_tool_turns", &s->keep_steps } };
	char *word = scan_strdup(val);
	int64_t v;

	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		if (strcmp(k->key, numbers[i].key) == 0 &&
		    scan_int(val, &v) && v >= k->min && v <= k->max)
			*numbers[i].at = (long)v;
	if (strcmp(k->key, "context.every_call") == 0 &&
	    (scan_kind(val) == SCAN_TRUE || scan_kind(val) == SCAN_FALSE))
		s->every_call = scan_true(val);
	if (word != NULL && strcmp(k->key, "context.strategy") == 0 &&
	    c->flag_strategy == NULL && strategy_named(word) != NULL)
		s->strategy = strategy_named(word);
	if (word != NULL && strcmp(k->key, "provider.model") == 0) {
		c->family = token_family(word);
		c->view->family = c->family;
	}
	free(word);
}

void
settings_record(struct compact *c, const struct rec *r)
{
	struct slice key, val;

	for (struct walk w = walk_of(rec_get(r, "set"));
	    walk_next(&w, &key, &val); ) {
		struct buf name = BUF_INIT(256);
		const struct conf_key *k;

		buf_slice(&name, key);
		k = name.len > 0 ? conf_key_find(name.p) : NULL;
		if (k != NULL)
			set_one(c, k, val);
		buf_release(&name);
	}
	c->budget = budget_of(&c->set.budget, c->flag_window, c->limit);
}
