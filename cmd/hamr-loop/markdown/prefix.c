/* prefix.c - the marks of quotes and items before the rows of a block. */
#include <stdio.h>

#include "prefix.h"
#include "rows.h"
#include "term/term.h"

#define PREFIX_MAX 4096

/* "• ", "[x] ", "12. " or "12. [x] ". */
static void
mark_of(const struct container *c, char mark[24])
{
	const char *task = !c->task ? "" : c->done ? "[x] " : "[ ] ";

	if (c->mark == '.' || c->mark == ')')
		snprintf(mark, 24, "%lu%c %s", c->number, c->mark, task);
	else
		snprintf(mark, 24, "%s", c->task ? task : "• ");
}

static size_t
mark_columns(const struct container *c)
{
	char mark[24];

	if (c->quote)
		return 2;
	mark_of(c, mark);
	return term_width(slice_of(mark));
}

static void
add_quote(struct buf *out, bool colour)
{
	rows_dim(out, colour ? "│" : ">", colour);
	buf_addc(out, ' ');
}

void
prefix_of(const struct place *at, size_t columns, bool colour,
    struct prefix *p)
{
	size_t i = at->depth, all = 0;

	*p = (struct prefix){ BUF_INIT(PREFIX_MAX), BUF_INIT(PREFIX_MAX), 0 };
	while (i > 0 && (all += mark_columns(&at->in[i - 1])) <= columns / 2)
		i--;
	for (; i < at->depth; i++) {
		const struct container *c = &at->in[i];
		size_t n = mark_columns(c);
		char mark[24];

		p->columns += n;
		if (c->quote) {
			add_quote(&p->first, colour);
			add_quote(&p->next, colour);
			continue;
		}
		mark_of(c, mark);
		if (c->drawn)
			term_pad(&p->first, n);
		else
			buf_adds(&p->first, mark);
		term_pad(&p->next, n);
	}
}

void
prefix_release(struct prefix *p)
{
	bufs_release(BUFS(&p->first, &p->next));
}
