/* growth.h - a text that comes in pieces, or again and again longer.
 *
 * Most servers send what is new; some send all there is so far each time.
 * What is certainly new is returned at once.  A second piece that begins with
 * the whole first one is held until the third decides.
 */
#ifndef PROVIDER_GROWTH_H
#define PROVIDER_GROWTH_H

#include "buf.h"

enum growth_state { GROWTH_EMPTY, GROWTH_ONE, GROWTH_TWO, GROWTH_PIECES,
	GROWTH_WHOLE };

struct growth {
	enum growth_state state;
	struct buf all;		/* what was returned so far */
	struct buf held;	/* GROWTH_TWO: the second piece */
};

void growth_init(struct growth *g, size_t max);
void growth_reset(struct growth *g);
void growth_release(struct growth *g);

/* Append to out what is new. */
void growth_feed(struct growth *g, struct slice piece, struct buf *out);
void growth_end(struct growth *g, struct buf *out);

#endif
