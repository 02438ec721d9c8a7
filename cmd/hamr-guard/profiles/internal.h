/* internal.h - how other systems judge the same transcript (chapter 3.3).
 *
 * This is what they have in common: a halt that stays in force, warnings held
 * until the step has its results, and what they count.  systems.c has a table
 * and a few functions for each.
 */
#pragma once

#include "judge/advice.h"
#include "judge/guard.h"

#define WARNINGS_MAX 3		/* on one call */
#define COUNTED_MAX 8		/* calls kept as evidence */

/* A call, as such a system sees it. */
struct seen {
	char *args;		/* JSON with sorted keys, or as they came */
	bool parsed;		/* they are JSON */
	struct sig sorted;	/* of tool|args */
	/* what is said of it when the step is over */
	size_t nheld;
	struct held {
		struct verdict v;
		char *message;
		struct call_row evidence;
	} held[WARNINGS_MAX];
};

/* What came of a call. */
struct foreign_result {
	struct slice text;	/* decoded */
	bool failed;
	const struct rec *r;
};

struct foreign;

#define LIMITS 8

struct system {
	/* Our keys that it obeys, and the system's own values; ended by NULL
	 * if there are fewer. */
	struct limit {
		const char *key;
		unsigned long theirs;
	} limits[LIMITS + 1];
	/* A message's calls came; before they are judged one by one. */
	void (*message)(struct foreign *p, struct open_call *c, size_t n);
	/* May it run? */
	void (*call)(struct foreign *p, struct open_call *c);
	/* The result of a call that ran. */
	void (*result)(struct foreign *p, struct open_call *c,
	    const struct foreign_result *res);
	/* All results of the step have come; last is its last call. */
	void (*step)(struct foreign *p, struct open_call *last);
};

/* systems.c */
extern const struct system system_hamr, system_openfang, system_hermes,
    system_nanobot, system_kimi;

/* The state of one: the guard's self. */
struct foreign {
	const struct system *system;
	struct guard *guard;
	unsigned long limit[LIMITS];	/* as set, else theirs */
	bool text_only;		/* to be asked for at the end of the step */
	/* what it remembers of a turn; each uses what it needs */
	struct memory {
		struct streaks calls, results;
		struct call_row row;	/* the last calls, or one a step */
		unsigned long total;	/* calls, or reads */
		unsigned long run;	/* the same in a row */
		unsigned long warnings;	/* while the pattern lasts */
		unsigned long idle;	/* steps */
		bool moved;		/* something, in this step */
		bool stopped;
		struct sig batch;	/* of the last message's calls */
		struct hash_set outputs, paths;	/* of changed files */
	} m;
};

/* ---- for the systems ---- */

/* Emit a verdict on c: a refusal at once, a warning at the end of the step.  A
 * call gets at most one refusal, and nothing after it.  v has action, rule,
 * count, level, limits, period, laps and evidence; f, which may be NULL, has
 * wait and attempts. */
void foreign_put(struct foreign *p, struct open_call *c,
    const struct verdict *v, enum advice a, const struct facts *f);
/* One more call of this kind. */
void foreign_count(struct streak *e, const struct open_call *c);
