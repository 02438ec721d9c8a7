/* reason.h - why something was said of a call, in words for people.
 *
 * Lines of a label and a text, at most REASON_COLUMNS wide.
 */
#ifndef HAMR_GUARD_REASON_H
#define HAMR_GUARD_REASON_H

#include "people.h"

#define REASON_COLUMNS 72
#define REASON_LABEL 11

struct reason {
	const struct sheet *sheet;
	const struct umpire *umpire;
};

void reason_label(const struct reason *p, struct buf *b, const char *name);
/* Verdict, rule, limits, counters, evidence and words of a firing. */
void reason_put(const struct reason *p, struct buf *b,
    const struct firing *f);

#endif
