/* limits.c - the budgets of a turn (chapter 7.1). */
#include "file.h"
#include "turn_in.h"

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
