/* limits.c - the budgets of a turn (chapter 7.1). */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "internal.h"

#define REPAIR_CALLS 8		/* at least so many in a repair turn */

int64_t
limits_calls_left(const struct turn *t)
{
	const struct track *k = t->hub->track;
	int64_t max = conf_int(t->conf, "agent.max_tool_calls");
	int64_t left;

	if (max == 0)
		return -1;
	if (k->repairs > 0)
		max = max / 2 > REPAIR_CALLS ? max / 2 : REPAIR_CALLS;
	left = max - (k->started - k->started_before);
	return left > 0 ? left : 0;
}

const char *
limits_reached(const struct turn *t)
{
	const struct track *k = t->hub->track;
	const struct conf *c = t->conf;
	int64_t wall = conf_int(c, "budget.max_wall_seconds");
	int64_t tokens = conf_int(c, "budget.max_tokens");
	double cost = conf_num(c, "budget.max_cost");
	int64_t steps = conf_int(c, "agent.max_model_steps");

	if (steps > 0 && k->steps - k->steps_before >= steps)
		return "max_model_steps";
	if (limits_calls_left(t) == 0)
		return "max_tool_calls";
	if (wall > 0 && file_now_ms() - t->begun >= wall * 1000)
		return "max_wall_seconds";
	if (tokens > 0 && k->usage.prompt + k->usage.completion >= tokens)
		return "max_tokens";
	if (cost > 0 && k->usage.has_cost && k->usage.cost >= cost)
		return "max_cost";
	return NULL;
}

long long
limits_wall_end(const struct turn *t)
{
	int64_t wall = conf_int(t->conf, "budget.max_wall_seconds");

	return wall > 0 ? t->begun + wall * 1000 : 0;
}

/* ---- before the first turn ---- */

int
turn_check_limits(const struct conf *c, const char *provider,
    const char *model, struct err *e)
{
	size_t n, named, nrows, len;
	const char *const *names = conf_names(c, "provider", &named);
	const char *const *rows = conf_list(c, "budget.prices", &nrows);

	if (conf_num(c, "budget.max_cost") == 0)
		return 0;
	/* those of [provider.NAME], or of [provider] itself */
	conf_list(c, "provider.prices", &n);
	for (size_t i = 0; provider != NULL && n == 0 && i < named; i++) {
		char *key = xasprintf("provider.%s.prices", names[i]);

		if (strcmp(names[i], provider) == 0)
			conf_list(c, key, &n);
		free(key);
	}
	if (n > 0)
		return 0;
	/* budget.prices may be one row of numbers, for any model; a model that
	 * nobody has named yet is in it */
	model = model != NULL ? model : conf_str(c, "provider.model");
	len = strlen(model);
	for (size_t i = 0; i < nrows; i++)
		if (len == 0 || strchr(rows[i], ' ') == NULL ||
		    (strncmp(rows[i], model, len) == 0 &&
		    rows[i][len] == ' '))
			return 0;
	return err_set(e, ST_CONFIG, "budget.max_cost is set, but no prices "
	    "are; set prices = [IN, OUT] under [provider], per million tokens, "
	    "or drop the limit");
}
