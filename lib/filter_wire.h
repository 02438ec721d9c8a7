/* filter_wire.h - the frames between a served program and who gave it.
 *
 * Spoken on FILTER_FD by the child (filter.h says what frames there are).
 * When the other side is gone the process ends.
 */
#ifndef HAMR_FILTER_WIRE_H
#define HAMR_FILTER_WIRE_H

#include "buf.h"

struct filter_wire {
	struct buf in, out;
	size_t at;		/* what of in has been taken */
};

void filter_wire_init(struct filter_wire *w);

/* Queue a frame; what is queued goes out at once, or when it is much. */
void filter_put(struct filter_wire *w, char tag, struct slice payload);
void filter_flush(struct filter_wire *w);

/* The next frame's tag, its payload valid until the next call; asks for one
 * when none waits. */
char filter_take(struct filter_wire *w, struct slice *payload);

#endif
