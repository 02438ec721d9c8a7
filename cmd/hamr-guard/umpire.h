/* umpire.h - whoever judges a transcript, by name: the rules of chapter 3.2
 * with one setting or another, or what another system would say.
 */
#ifndef HAMR_GUARD_UMPIRE_H
#define HAMR_GUARD_UMPIRE_H

#include "guard.h"
#include "profile.h"

struct umpire {
	const char *name, *about;
	struct policy policy;
	struct guard guard;
	struct profile *profile;	/* NULL: guard judges */
};

#define UMPIRES 8
/* Their names, in the order of --compare. */
const char *umpire_name(size_t i);
bool umpire_is_known(const char *name);
bool umpire_is_foreign(const char *name);	/* another system's rules */
/* Does its judge read this key of [loop_guard] or [loop_control]? */
bool umpire_reads(const char *name, const char *key);

/* Where umpires sit. */
struct bench {
	struct stage *stage;
	const struct conf *conf;
	struct rules *rules;	/* [loop_guard] normalize, or NULL */
	bool allow;		/* -a */
	bool status;		/* -e */
};

/* name is known.  What is borrowed must outlive u. */
void umpire_init(struct umpire *u, const char *name, const struct bench *b,
    const struct watch *w);
void umpire_record(struct umpire *u, const struct rec *r);
void umpire_reset(struct umpire *u);
void umpire_release(struct umpire *u);

#endif
