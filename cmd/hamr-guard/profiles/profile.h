/* profile.h - named judges of a transcript: the rules of chapter 3.2 with one
 * setting or another, or another system's rules.
 */
#pragma once

#include "judge/guard.h"

#define PROFILES 8

struct system;			/* internal.h */

/* In the order of --compare. */
extern const struct profile_kind {
	const char *name;
	const char *about;	/* its limits, for --explain */
	const struct system *system;	/* whose rules they are; NULL: ours */
} profiles[PROFILES];

struct profile {
	const struct profile_kind *kind;
	struct policy policy;
	struct guard guard;
	bool foreign;		/* by another system's rules */
};

/* What they are made with. */
struct profile_env {
	struct sink sink;
	const struct conf *conf;
	struct user_rules *rules;	/* [loop_guard] normalize, or NULL */
};

/* A profile's number; PROFILES: no such name. */
size_t profile_find(const char *name);
/* Does it obey this key of [loop_guard] or [loop_control]? */
bool profile_reads(size_t i, const char *key);

/* What is borrowed must outlive p. */
void profile_init(struct profile *p, size_t i, const struct profile_env *env);
void profile_release(struct profile *p);
