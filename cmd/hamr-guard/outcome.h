/* outcome.h - what a result says: its hashes, its gain, what it changed. */
#ifndef HAMR_GUARD_OUTCOME_H
#define HAMR_GUARD_OUTCOME_H

#include <stdbool.h>
#include <stdint.h>

#include "rec.h"
#include "text.h"

struct guard;
struct open_call;

struct outcome {
	struct digest d;	/* gain: also of a new error */
	bool failed, transient;
	bool cached;		/* the hashes are those of the call it repeats,
				 * if that is known */
	bool known_hash;	/* of a cached one: it is */
	bool new_error;		/* failed as nothing did in this turn */
	bool silent;		/* a command that printed nothing */
	bool past_end;		/* a read behind the end of its file */
	enum { SAME_FILES, NEW_STATE, OLD_STATE } files;
	bool reached;		/* and files.last is that state */
	bool back;		/* OLD_STATE, and worth a word */
	bool novel_edit;	/* an edit that was not made before */
};

/* Read the result of c; the sets of g take in what it shows. */
void outcome_read(struct guard *g, const struct open_call *c,
    const struct rec *r, struct outcome *o);

/* Outcomes of the last calls by their ids, for results that only name the
 * call they repeat.  Direct-mapped: a newer id may push out an older one. */
#define MEMORY 1024
struct memory {
	struct {
		uint64_t id, hash, norm;
		unsigned of;	/* the transcript */
		bool failed;
	} *e;			/* NULL while empty */
	unsigned of;
};
void memory_put(struct memory *m, struct slice id, const struct outcome *o);
void memory_get(const struct memory *m, struct slice id, struct outcome *o);
void memory_clear(struct memory *m);	/* costs nothing */
void memory_release(struct memory *m);

#endif
