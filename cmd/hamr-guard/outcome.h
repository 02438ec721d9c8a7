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
	bool mute;		/* printed nothing, or its exit status only */
	bool brief;		/* less text than what counts as news */
	bool past_end;		/* a read behind the end of its file */
	bool shown;		/* a read of lines that were shown */
	enum { SAME_FILES, NEW_STATE, OLD_STATE } files;
	bool reached;		/* and files.last is that state */
	bool back;		/* OLD_STATE, for the second time */
	bool matters;		/* such a change makes checks stale */
	bool novel_edit;	/* an edit that was not made before */
};

/* Of a path or a file's hash, a JSON value, as struct files wants them. */
uint64_t outcome_hash(struct slice json);

/* Read the result of c; the sets of g take in what it shows. */
void outcome_read(struct guard *g, const struct open_call *c,
    const struct rec *r, struct outcome *o);

/* Outcomes of the last calls by their ids, for results that only name the
 * call they repeat.  Direct-mapped: a newer id may push out an older one. */
#define MEMORY 1024
struct memory {
	struct {
		uint64_t id, hash, norm, mask, sketch;
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
