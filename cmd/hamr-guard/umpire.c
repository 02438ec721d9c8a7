/* umpire.c - whoever judges a transcript, by name. */
#include <string.h>

#include "umpire.h"

static const struct {
	const char *name, *about;
	const struct profile_ops *ops;
} table[UMPIRES] = {
	{ "default", "outcomes, gain and epochs: 3, 5, 8", NULL },
	{ "strict", "as default, halts at 5 whatever comes between", NULL },
	{ "hamr", NULL, &profile_hamr },
	{ "openfang", NULL, &profile_openfang },
	{ "hermes", NULL, &profile_hermes },
	{ "nanobot", NULL, &profile_nanobot },
	{ "kimi", NULL, &profile_kimi },
	{ "off", "judges nothing", NULL },
};

const char *
umpire_name(size_t i)
{
	return table[i].name;
}

static size_t
find(const char *name)
{
	size_t i = 0;

	while (i < UMPIRES && strcmp(table[i].name, name) != 0)
		i++;
	return i;
}

bool
umpire_is_known(const char *name)
{
	return find(name) < UMPIRES;
}

bool
umpire_is_foreign(const char *name)
{
	size_t i = find(name);

	return i < UMPIRES && table[i].ops != NULL;
}

bool
umpire_reads(const char *name, const char *key)
{
	static const char *const all[] = { "loop_guard.enabled",
		"loop_guard.profile", "loop_guard.tools",
		/* the loop's own */
		"agent.max_tool_calls", NULL };
	static const char *const foreign[] = {
		"loop_guard.global_circuit_breaker",
		"loop_guard.outcome_warn_threshold",
		"loop_guard.outcome_block_threshold",
		"loop_guard.ping_pong_min_repeats", NULL };
	const struct profile_ops *ops = table[find(name)].ops;
	struct slice k = slice_of(key);

	if (slice_in(k, all) || strcmp(name, "off") == 0)
		return true;
	if (strcmp(name, "strict") == 0 && strcmp(key,
	    "loop_guard.interleaved_block_threshold") == 0)
		return false;	/* it has no gate */
	if (ops == NULL)
		return !slice_in(k, foreign);
	return ops->keys != NULL && slice_in(k, ops->keys);
}

void
umpire_init(struct umpire *u, const char *name, const struct bench *b,
    const struct watch *w)
{
	size_t i = find(name);
	const struct profile_ops *ops = table[i].ops;
	struct profile_env env = { .stage = b->stage, .watch = w,
		.allow = b->allow, .status = b->status,
		.policy = &u->policy };

	memset(u, 0, sizeof *u);
	u->name = table[i].name;
	u->about = ops != NULL ? ops->about : table[i].about;
	policy_read(&u->policy, b->conf, ops != NULL ? "default" : name);
	u->policy.allow = b->allow;
	u->policy.status = b->status;
	if (ops != NULL && !u->policy.off)
		u->profile = profile_new(ops, &env);
	else {
		guard_init(&u->guard, b->stage, &u->policy, w);
		u->guard.sign.rules = b->rules;
	}
}

void
umpire_record(struct umpire *u, const struct rec *r)
{
	if (u->profile == NULL)
		guard_record(&u->guard, r);
	else if (!guard_is_own(r))
		profile_record(u->profile, r);
}

void
umpire_reset(struct umpire *u)
{
	if (u->profile == NULL)
		guard_reset(&u->guard);
	else
		profile_reset(u->profile);
}

void
umpire_release(struct umpire *u)
{
	if (u->profile == NULL)
		guard_release(&u->guard);
	else
		profile_free(u->profile);
	u->profile = NULL;
}
