/* profile.c - who judges a transcript, by name. */
#include <stdlib.h>
#include <string.h>

#include "profile.h"

const struct profile_kind profiles[PROFILES] = {
	{ "default", "outcomes, gain and epochs: 3, 5, 8", NULL },
	{ "strict", "as default, halts at 5 whatever comes between", NULL },
	{ "hamr", "5 equal reads, 4 equal commands, 64 reads, 10 steps",
	    &system_hamr },
	{ "openfang", "totals of name and arguments: 3, 5; breaker at 30",
	    &system_openfang },
	{ "hermes", "a window of 10: runs of 3, A-B-A-B, A-B-C-A-B-C",
	    &system_hermes },
	{ "nanobot", "words only, at the 3rd and the 5th in a row",
	    &system_nanobot },
	{ "kimi", "8 steps without a change or news: one step of text",
	    &system_kimi },
	{ "off", "judges nothing", NULL },
};

size_t
profile_find(const char *name)
{
	size_t i = 0;

	while (i < PROFILES && strcmp(profiles[i].name, name) != 0)
		i++;
	return i;
}

bool
profile_reads(size_t i, const char *key)
{
	static const char *const all[] = { "loop_guard.enabled",
		"loop_guard.profile", "loop_guard.tools",
		/* for hamr-loop */
		"agent.max_tool_calls", NULL };
	static const char *const foreign[] = {
		"loop_guard.global_circuit_breaker",
		"loop_guard.outcome_warn_threshold",
		"loop_guard.outcome_block_threshold",
		"loop_guard.ping_pong_min_repeats", NULL };
	const struct system *system = profiles[i].system;
	const char *name = profiles[i].name;
	struct slice k = slice_of(key);

	if (slice_in(k, all) || strcmp(name, "off") == 0)
		return true;
	if (strcmp(name, "strict") == 0 && strcmp(key,
	    "loop_guard.interleaved_block_threshold") == 0)
		return false;	/* it has no gate */
	if (system == NULL)
		return !slice_in(k, foreign);
	for (const struct limit *l = system->limits; l->key != NULL; l++)
		if (slice_is(k, l->key))
			return true;
	return false;
}

void
profile_init(struct profile *p, size_t i, const struct profile_env *env)
{
	const struct system *system = profiles[i].system;

	*p = (struct profile){ .kind = &profiles[i] };
	policy_read(&p->policy, env->conf,
	    system != NULL ? "default" : p->kind->name);
	p->foreign = system != NULL && !p->policy.off;
	guard_init(&p->guard, p->foreign ? &foreign_rules : &guard_rules,
	    &env->sink, &p->policy);
	if (p->foreign)
		foreign_new(system, &p->guard);
	else
		p->guard.signer.rules = env->rules;
}

void
profile_release(struct profile *p)
{
	guard_release(&p->guard);
	free(p->guard.self);
}
