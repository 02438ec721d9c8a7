/* profile.h - how other systems judge the same transcript (chapter 3.3).
 *
 * A room, profile_NAME.c, holds one system's counters and says, call by call,
 * what that system would say.  profile.c does what they have in common: it
 * pairs results with calls, knows turns and steps, holds warnings until the
 * step has its results, keeps a halt in force, and writes the records.
 */
#ifndef HAMR_GUARD_PROFILE_H
#define HAMR_GUARD_PROFILE_H

#include "book.h"
#include "firing.h"
#include "msg.h"
#include "policy.h"
#include "profile_words.h"
#include "sig.h"
#include "stage.h"

#define REMARKS 3		/* on one call: refused, or warned of */

/* What a room says of a call. */
struct remark {
	enum action action;	/* ACT_WARN, ACT_BLOCK, ACT_HALT */
	enum rule rule;
	unsigned long count;
	unsigned long level;	/* 0: a note, no warning */
	unsigned long warn, block, halt;	/* limits in force, 0: none */
	unsigned long period, laps;
	bool poll;
	enum pword word;
	unsigned long wait;	/* seconds, for the words */
	const struct page *page;	/* its calls are the evidence, or... */
	char *const *id;		/* ... these are */
	const size_t *line;
	size_t nid;
	const char *history;	/* for the words; NULL: none */
};

/* A call, as a room sees it. */
struct pcall {
	char *id, *name;	/* JSON texts */
	char *tool;		/* decoded name, after [loop_guard] tools */
	char sorted[SHA_HEX];	/* of tool|arguments with sorted keys */
	char sig[SHA_HEX];	/* our own, for rooms that compare path and
				 * range, or fold blanks */
	struct about about;
	struct slice args;	/* JSON, keys sorted; while it is judged */
	struct slice given;	/* the object as it came, else empty; ditto */
	bool background;	/* it is to run in the background */
	size_t line;
	unsigned long turn;
	/* private */
	bool refused;
	size_t nremarks;
	struct held *held[REMARKS];
};

/* What came of it. */
struct presult {
	struct slice text;	/* decoded */
	bool failed;
	const struct rec *r;
	bool mutated;		/* it changed files, as far as can be told */
};

struct profile;

struct profile_ops {
	const char *name, *about;	/* one line, for --compare */
	const char *const *keys;	/* of ours that it obeys, NULL behind */
	size_t size;		/* of the room's state, zeroed at the start */
	/* A turn begins, or the transcript: forget all.  Also the release. */
	void (*turn)(struct profile *p);
	/* A message's n calls came; before they are judged one by one. */
	void (*message)(struct profile *p, struct pcall *c, size_t n);
	/* May it run? */
	void (*call)(struct profile *p, struct pcall *c);
	/* The result of a call that ran. */
	void (*result)(struct profile *p, struct pcall *c,
	    const struct presult *res);
	/* All results of the step have come; last is its last call. */
	void (*step)(struct profile *p, struct pcall *last);
};

extern const struct profile_ops profile_hamr, profile_openfang,
    profile_hermes, profile_nanobot, profile_kimi;

/* Say something about c: a refusal at once, a warning when the step is over.
 * A call has one refusal; what comes after it is not said. */
void profile_say(struct profile *p, struct pcall *c, const struct remark *r);
/* The next message is to be text only. */
void profile_text_only(struct profile *p, enum rule rule);
void *profile_self(const struct profile *p);
/* A key that the system documents: as it is set, else as the system has it. */
unsigned long profile_key(const struct profile *p, const char *key,
    unsigned long theirs);
/* Is the tool in [loop_guard] exempt_tools, or, if that is not set, this one? */
bool profile_is_exempt(const struct profile *p, const char *tool,
    const char *theirs);
bool profile_is_patch(const struct profile *p);	/* agent.mode, if known */

struct profile_env {
	struct stage *stage;	/* records go there */
	const struct watch *watch;	/* NULL: nobody */
	bool allow;		/* -a */
	bool status;		/* -e */
	const struct policy *policy;	/* other names of tools */
};

struct profile *profile_new(const struct profile_ops *ops,
    const struct profile_env *env);
void profile_record(struct profile *p, const struct rec *r);
void profile_reset(struct profile *p);	/* a new transcript */
void profile_free(struct profile *p);

#endif
