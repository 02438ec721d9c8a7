/* ahead.h - the records of a long input, read and checked by a second thread
 * while the first one works on those before.
 *
 * Order, line numbers and refusals are those of rec_take.  Records are handed
 * over as soon as the input has no more for now.
 */
#ifndef HAMR_AHEAD_H
#define HAMR_AHEAD_H

#include <stdbool.h>

#include "err.h"
#include "rec.h"

struct ahead;

/* What the second thread does with each record besides reading it, when there
 * is time: what make adds to out goes with the record.  out's length is a
 * multiple of 8 before and after.  Nothing but self and the record may be
 * looked at.
 */
struct ahead_work {
	void (*make)(void *self, const struct rec *r, struct buf *out);
	void *self;
};

/* Go on with in from where it is; it is not used until ahead_stop, and empty
 * then.  NULL: no thread could be had, or there is only one processor for us,
 * and in is as it was.  w may be NULL. */
struct ahead *ahead_start(struct rec_in *in, const struct ahead_work *w);

/* 1: *r is the next record, valid until the next call.  0: the end.  -1: a
 * line was refused (ST_DATA; what follows can be had) or reading failed, which
 * is the end. */
int ahead_next(struct ahead *a, const struct rec **r, struct err *e);

/* What was made of that record, as long as it is valid; p is NULL if there is
 * nothing, if there was no time, or if it was too much to be kept. */
struct slice ahead_made(const struct ahead *a);

/* Will ahead_next not wait? */
bool ahead_ready(struct ahead *a);

/* At any time: what was read and not taken is lost. */
void ahead_stop(struct ahead *a);

#endif
