/* shown.h - which lines of which files the model has in its context, as far as
 * results tell ranges.
 */
#ifndef HAMR_GUARD_SHOWN_H
#define HAMR_GUARD_SHOWN_H

#include <stdbool.h>
#include <stdint.h>

#define SHOWN_FILES 256		/* files told apart; more share places */
#define SPANS_MAX 32		/* of a file; the oldest is forgotten */

struct shown {
	struct shown_file {
		uint64_t path, state;
		struct span {
			int64_t first, last;
		} span[SPANS_MAX];
		unsigned n;
	} *file;		/* NULL while empty */
};

/* Lines first to last of the file, whose content has the hash `state`, are
 * shown: true if all of them were shown before. */
bool shown_add(struct shown *s, uint64_t path, uint64_t state, int64_t first,
    int64_t last);

void shown_clear(struct shown *s);

#endif
