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

/* Go on with in from where it is; it is not used until ahead_stop, and empty
 * then.  NULL: no thread could be had, in is as it was. */
struct ahead *ahead_start(struct rec_in *in);

/* 1: *r is the next record, valid until the next call.  0: the end.  -1: a
 * line was refused (ST_DATA; what follows can be had) or reading failed, which
 * is the end. */
int ahead_next(struct ahead *a, const struct rec **r, struct err *e);

/* Will ahead_next not wait? */
bool ahead_ready(struct ahead *a);

/* At any time: what was read and not taken is lost. */
void ahead_stop(struct ahead *a);

#endif
