/* growth.c - a text that comes in pieces, or again and again longer. */
#include <string.h>

#include "growth.h"

void
growth_init(struct growth *g, size_t max)
{
	memset(g, 0, sizeof *g);
	buf_init(&g->all, max);
	buf_init(&g->held, max);
}

void
growth_reset(struct growth *g)
{
	buf_reset(&g->all);
	buf_reset(&g->held);
	g->state = GROWTH_EMPTY;
}

void
growth_release(struct growth *g)
{
	buf_release(&g->all);
	buf_release(&g->held);
}

static void
new_text(struct growth *g, const char *p, size_t n, struct buf *out)
{
	buf_add(&g->all, p, n);
	buf_add(out, p, n);
}

/* Does s begin with all of b, and go on? */
static bool
extends(struct slice s, const struct buf *b)
{
	return s.n > b->len && b->len > 0 && memcmp(s.p, b->p, b->len) == 0;
}

static void
decide(struct growth *g, enum growth_state how, struct buf *out)
{
	size_t skip = how == GROWTH_WHOLE ? g->all.len : 0;

	g->state = how;
	new_text(g, g->held.p + skip, g->held.len - skip, out);
	buf_reset(&g->held);
}

void
growth_feed(struct growth *g, struct slice piece, struct buf *out)
{
	if (piece.n == 0)
		return;
	if (g->state == GROWTH_TWO)
		decide(g, extends(piece, &g->held) ? GROWTH_WHOLE :
		    GROWTH_PIECES, out);
	else if (g->state == GROWTH_ONE && extends(piece, &g->all)) {
		buf_slice(&g->held, piece);
		g->state = GROWTH_TWO;
		return;
	} else if (g->state == GROWTH_ONE)
		g->state = GROWTH_PIECES;
	else if (g->state == GROWTH_EMPTY)
		g->state = GROWTH_ONE;
	if (g->state == GROWTH_WHOLE) {
		if (extends(piece, &g->all))
			new_text(g, piece.p + g->all.len,
			    piece.n - g->all.len, out);
		return;
	}
	new_text(g, piece.p, piece.n, out);
}

/* Two pieces only: a word of four bytes is hardly said twice in a row and
 * then continued without a blank. */
void
growth_end(struct growth *g, struct buf *out)
{
	if (g->state == GROWTH_TWO)
		decide(g, g->all.len >= 4 ? GROWTH_WHOLE : GROWTH_PIECES, out);
}
