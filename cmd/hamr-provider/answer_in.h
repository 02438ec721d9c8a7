/* answer_in.h - the inside of an answer; of answer*.c only. */
#ifndef PROVIDER_ANSWER_IN_H
#define PROVIDER_ANSWER_IN_H

#include "answer.h"
#include "calls.h"
#include "harmony.h"
#include "repetition.h"
#include "think.h"

struct answer {
	answer_delta *delta;
	void *ctx;
	struct think *think;
	struct dialect *dialect;
	struct harmony harmony;
	bool has_harmony;	/* it is looked for */
	struct slice tools;	/* borrowed */
	struct buf fresh;	/* scratch: what is new of a call */
	struct buf raw;		/* content as think.h passed it on */
	struct buf content, reasoning;
	struct calls native, lifted;
	struct buf malformed;
	struct buf finish, usage, model;
	struct buf carry;	/* elements for the first call's "carry" */
	struct repetition said, thought;	/* of content, of reasoning */
	unsigned dropped;
	bool fed;		/* text came, shown or still held back */
	bool started, lossy, ended;
};

/* Is its finish_reason one of list (up to NULL)?  Was it cut by length, by the
 * server or by us? */
bool answer_finish_is(const struct answer *a, const char *const *list);
bool answer_is_cut(const struct answer *a);

#endif
