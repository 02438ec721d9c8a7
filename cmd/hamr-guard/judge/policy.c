/* policy.c - what the configuration and the flags say. */
#include <string.h>

#include "policy.h"

#define WEAK_TIMES 2		/* repeat-weak: 6 where repeat has 3 */

static unsigned long
count_of(const struct conf *c, const char *key)
{
	return (unsigned long)conf_int(c, key);
}

void
policy_read(struct policy *p, const struct conf *c, const char *profile)
{
	static const char contract[] = "agent.contract";
	size_t n;

	*p = (struct policy){ .conf = c };
	p->warn = count_of(c, "loop_guard.warn_threshold");
	p->block = count_of(c, "loop_guard.block_threshold");
	p->halt = count_of(c, "loop_guard.halt_threshold");
	p->spaced_block = count_of(c,
	    "loop_guard.interleaved_block_threshold");
	p->poll = count_of(c, "loop_guard.poll_multiplier");
	p->weak_warn = WEAK_TIMES * p->warn;
	p->same_warn = count_of(c, "loop_guard.same_error_warn");
	p->same_block = count_of(c, "loop_guard.same_error_block");
	p->answer_warn = count_of(c, "loop_guard.same_answer_warn");
	p->futile_warn = count_of(c, "loop_guard.futile_edit_warn");
	p->retries = count_of(c, "loop_guard.max_retries");
	p->soft_calls = count_of(c, "loop_guard.soft_max_tool_calls");
	p->stuck = count_of(c, "loop_guard.stuck_at_cap");
	p->explore = count_of(c, "loop_guard.explore_nudge_after");
	p->warn_reads = count_of(c, "loop_guard.warn_reads");
	p->max_reads = count_of(c, "loop_guard.max_reads");
	p->reads_set = conf_is_set(c, "loop_guard.warn_reads") ||
	    conf_is_set(c, "loop_guard.max_reads");
	p->window = count_of(c, "loop_guard.window_size");
	p->stall_warn = count_of(c, "loop_guard.stall_warn_threshold");
	p->stall_limit = count_of(c, "loop_control.progress_stall_threshold");
	p->min_gain = count_of(c,
	    "loop_control.progress_min_info_gain_length");
	p->poll_tools = conf_list(c, "loop_guard.poll_tools", &n);
	p->exempt = conf_list(c, "loop_guard.exempt_tools", &n);
	p->tools = conf_list(c, "loop_guard.tools", &p->ntools);
	p->check = conf_str(c, "verification.defaultCommand");
	p->contract = strcmp(conf_str(c, contract), "change") == 0;
	p->contract_flag = conf_is_set(c, contract) &&
	    strcmp(conf_origin(c, contract), "-o") == 0;
	p->off = strcmp(profile, "off") == 0 ||
	    !conf_bool(c, "loop_guard.enabled");
	if (strcmp(profile, "strict") == 0) {
		/* for unattended runs on small models: no gate */
		if (p->halt > p->block)
			p->halt = p->block;
		p->spaced_block = p->block;
	}
}

/* A row is "NAME=TOOL": NAME is another name of TOOL. */
struct slice
policy_tool(const struct policy *p, struct slice name)
{
	for (size_t i = 0; i < p->ntools; i++) {
		const char *eq = strchr(p->tools[i], '=');

		if (eq != NULL && (size_t)(eq - p->tools[i]) == name.n &&
		    memcmp(p->tools[i], name.p, name.n) == 0)
			return slice_of(eq + 1);
	}
	return name;
}
