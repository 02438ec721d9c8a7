/* policy.h - what the configuration and the flags say. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "conf/conf.h"

struct policy {
	bool off;		/* -p off, or enabled = false */
	bool counts_only;	/* refuse nothing, whatever its count */
	unsigned long warn, block, halt, spaced_block, poll, weak_warn;
	unsigned long same_warn, same_block, answer_warn, futile_warn, retries;
	unsigned long soft_calls, stuck, explore;
	unsigned long stall_warn, stall_limit, min_gain;
	unsigned long warn_reads, max_reads;
	bool reads_set;
	size_t window;
	const char *const *poll_tools, *const *exempt;	/* end with NULL */
	const char *const *tools;
	size_t ntools;
	const char *check;	/* the verification's command, or "" */
	bool contract;		/* agent.contract is "change" */
	bool contract_flag;	/* by -o: wins over the transcript */
	const struct conf *conf;
};

/* For the profile default, strict or off. */
void policy_read(struct policy *p, const struct conf *c, const char *profile);

/* The name that [loop_guard] tools maps this one to, else the name itself. */
struct slice policy_tool(const struct policy *p, struct slice name);
