/* rows.c - inline text broken into rows of a terminal. */
#include <stdlib.h>

#include "base/mem.h"
#include "rows.h"
#include "term/cluster.h"

void
rows_init(struct rows *r)
{
	*r = (struct rows){ .text = BUF_INIT((size_t)1 << 30) };
}

void
rows_release(struct rows *r)
{
	buf_release(&r->text);
	free(r->row);
}

void
rows_look(struct buf *out, unsigned look)
{
	static const struct {
		unsigned look;
		const char *code;
	} codes[] = {
		{ LOOK_STRONG, ";1" }, { LOOK_DIM, ";2" }, { LOOK_EM, ";3" },
		{ LOOK_UNDERLINE | LOOK_URL, ";4" }, { LOOK_STRIKE, ";9" },
		{ LOOK_CODE, ";36" },
	};

	buf_adds(out, "\033[0");
	for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
		if ((look & codes[i].look) != 0)
			buf_adds(out, codes[i].code);
	buf_addc(out, 'm');
}

void
rows_dim(struct buf *out, const char *text, bool colour)
{
	if (colour)
		rows_look(out, LOOK_DIM);
	buf_adds(out, text);
	if (colour)
		rows_look(out, 0);
}

struct layout {
	struct rows *out;
	const struct inlines *in;
	const struct rows_style *how;
	size_t piece;		/* the one that is written */
	size_t used;		/* columns of the open row */
	bool open, has_words;
	unsigned look;		/* that is on */
	size_t gap, word, end;	/* blanks before the word, the word */
	size_t gap_columns, columns;
	bool word_source;	/* take the row's place from the word */
};

static void
set_look(struct layout *l, unsigned look)
{
	if (l->how->colour && look != l->look)
		rows_look(&l->out->text, look);
	l->look = look;
}

static void
begin_row(struct layout *l)
{
	struct rows *r = l->out;
	struct slice before = r->n == 0 ? l->how->first : l->how->next;

	GROW(r->row, r->n, r->cap);
	r->row[r->n++] = (struct row){ .at = r->text.len,
		.source = NO_SOURCE };
	buf_slice(&r->text, before);
	l->open = true;
	l->has_words = false;
	l->used = l->how->indent;
}

static void
end_row(struct layout *l)
{
	struct rows *r = l->out;
	struct row *row;

	if (!l->open)
		begin_row(l);
	set_look(l, 0);
	row = &r->row[r->n - 1];
	while (!l->has_words && r->text.len > row->at &&
	    r->text.p[r->text.len - 1] == ' ')
		r->text.len--;
	row->n = r->text.len - row->at;
	row->columns = l->used;
	buf_addc(&r->text, '\n');
	l->open = false;
}

static const struct piece *
piece_at(struct layout *l, size_t at)
{
	const struct inlines *in = l->in;

	while (l->piece + 1 < in->n && in->piece[l->piece + 1].at <= at)
		l->piece++;
	return &in->piece[l->piece];
}

/* Append [from, to) of the text, each piece in its look.  Behind what terminals
 * do not agree about, the column is set. */
static void
put(struct layout *l, size_t from, size_t to)
{
	struct buf *out = &l->out->text;
	size_t w, n;

	while (from < to) {
		const struct piece *p = piece_at(l, from);
		size_t end = p->at + p->n < to ? p->at + p->n : to;

		set_look(l, p->look | l->how->look);
		for (; from < end; from += n) {
			struct slice t = { l->in->text.p + from, end - from };

			n = term_cluster(t, &w);
			l->used += w;
			if (t.p[0] == '\t')
				buf_addc(out, ' ');
			else
				buf_add(out, t.p, n);
			if (n > 3 && l->how->colour &&
			    l->used <= l->how->columns &&
			    term_cluster_differs((struct slice){ t.p, n }))
				buf_fmt(out, "\033[%zuG",
				    l->how->left + l->used + 1);
		}
	}
}

/* A word that does not fit into a row, in pieces that do. */
static void
put_cut(struct layout *l)
{
	size_t w, n;

	for (size_t at = l->word; at < l->end; at += n) {
		struct slice rest = { l->in->text.p + at, l->end - at };

		n = term_cluster(rest, &w);
		if (l->used + w > l->how->columns && l->has_words) {
			end_row(l);
			begin_row(l);
		}
		l->has_words = true;
		if (l->used + w > l->how->columns)
			continue;	/* there is no row so wide */
		put(l, at, at + n);
	}
}

/* The word that ends here, and the blanks before it, go to a row. */
static void
place(struct layout *l)
{
	size_t columns = l->how->columns;

	if (l->end == l->word)
		return;
	if (l->open && l->has_words &&
	    l->used + l->gap_columns + l->columns > columns)
		end_row(l);
	if (!l->open) {
		bool broken = l->out->n > 0 && !l->word_source;
		size_t at = broken ? l->word : l->gap;
		const struct piece *p = piece_at(l, at);
		struct row *row;

		begin_row(l);
		row = &l->out->row[l->out->n - 1];
		row->inside = p->inside;
		if (p->source != NO_SOURCE)
			row->source = p->source + (at - p->at) -
			    (at == p->at && p->escaped);
		/* not the blanks where it was broken, or too many */
		if (broken || l->gap_columns > columns / 2)
			l->gap = l->word;
	}
	put(l, l->gap, l->word);
	if (l->how->cut && l->used + l->columns > columns)
		put_cut(l);
	else
		put(l, l->word, l->end);
	l->has_words = true;
	l->word_source = false;
	l->gap = l->word = l->end;
	l->gap_columns = l->columns = 0;
}

static void
add_cluster(struct layout *l, size_t at, struct slice rest, size_t *n,
    bool *wide)
{
	/* closing marks, which no row begins with */
	static const char *const marks[] = { "、", "。", "，", "．", "！", "？",
		"）", "」", "』", "】", "：", "；", "》", "〉", "”", "’", NULL };
	size_t w;

	*n = term_cluster(rest, &w);
	if ((w > 1 || *wide) && l->end > l->word &&
	    !slice_in((struct slice){ rest.p, *n }, marks))
		place(l);
	if (l->end == l->word) {
		l->word = at;
		if (l->gap > at || l->gap_columns == 0)
			l->gap = at;
	}
	*wide = w > 1;
	l->end = at + *n;
	l->columns += w;
}

void
rows_wrap(struct rows *r, const struct inlines *in,
    const struct rows_style *how)
{
	struct layout l = { .out = r, .in = in, .how = how,
		.word_source = true };
	struct slice t = buf_view(&in->text);
	size_t n, p = 0;
	bool wide = false;

	buf_reset(&r->text);
	r->n = 0;
	for (size_t at = 0; at < t.n; at += n) {
		bool whole;
		size_t end;

		while (p + 1 < in->n && in->piece[p + 1].at <= at)
			p++;
		whole = (in->piece[p].look & LOOK_WHOLE) != 0;
		end = in->piece[p].at + in->piece[p].n;
		n = 1;
		if (t.p[at] == '\n') {
			place(&l);
			end_row(&l);
			l.word_source = true;
			l.gap_columns = 0;
			l.gap = l.word = l.end = at + 1;
			wide = false;
		} else if ((t.p[at] == ' ' || t.p[at] == '\t') && !whole) {
			place(&l);
			if (l.gap_columns == 0)
				l.gap = at;
			l.gap_columns++;
			l.word = l.end = at + 1;
			wide = false;
		} else
			add_cluster(&l, at, (struct slice){ t.p + at,
			    (end > at ? end : t.n) - at }, &n, &wide);
	}
	place(&l);
	if (l.open)
		end_row(&l);
}
