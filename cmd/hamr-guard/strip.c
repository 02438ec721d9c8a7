/* strip.c - a transcript at a glance: its steps from left to right. */
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "strip.h"

#define CELLS 72
#define EDGE 4			/* blanks and brackets about it */

/* What weighs more is shown where several steps share a cell. */
static const struct {
	char letter;
	enum paint paint;
} scale[] = { { '.', PAINT_DIM }, { '-', PAINT_GREEN },
	{ 's', PAINT_CYAN }, { 'w', PAINT_YELLOW }, { 'b', PAINT_RED },
	{ 'H', PAINT_STOP } };
#define GRADES (sizeof scale / sizeof scale[0])

static size_t
grade_of(char letter)
{
	size_t i = 0;

	while (i + 1 < GRADES && scale[i].letter != letter)
		i++;
	return i;
}

void
strip_step(struct strip *s, bool saved)
{
	s->step = xgrow(s->step, s->n, &s->cap, 1);
	s->step[s->n++] = saved ? '.' : '-';
}

void
strip_mark(struct strip *s, size_t n, enum action a)
{
	char letter = a == ACT_HALT ? 'H' : a == ACT_BLOCK ? 'b' :
	    a == ACT_SHARE ? 's' : 'w';

	if (n > 0 && n <= s->n &&
	    grade_of(letter) > grade_of(s->step[n - 1]))
		s->step[n - 1] = letter;
}

void
strip_print(const struct strip *s, const struct sheet *o)
{
	size_t cells = CELLS, from = 0;
	struct buf b = BUF_INIT(BUF_RECORD_MAX);

	if (o->columns > EDGE && o->columns < CELLS + EDGE)
		cells = o->columns - EDGE;
	if (cells > s->n)
		cells = s->n;
	buf_adds(&b, "  [");
	for (size_t i = 0; i < cells; i++) {
		size_t to = (i + 1) * s->n / cells, best = 0;

		for (; from < to; from++)
			if (grade_of(s->step[from]) > best)
				best = grade_of(s->step[from]);
		sheet_paint(o, &b, scale[best].paint,
		    (struct slice){ &scale[best].letter, 1 });
	}
	buf_addc(&b, ']');
	rec_put(o->out, buf_view(&b));
	buf_release(&b);
}

void
strip_clear(struct strip *s)
{
	free(s->step);
	*s = (struct strip){ .n = 0 };
}
