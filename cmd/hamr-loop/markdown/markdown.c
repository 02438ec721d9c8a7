/* markdown.c - a streamed answer in Markdown as rows for a terminal.
 *
 * Every decision is made at a place that depends on the text alone (the end of
 * a line, or a blank in a long one), never at the end of a piece: so the pieces
 * make no difference.  Of a paragraph the text from its first row that may
 * still change is kept, of a table all, and nothing else.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "block.h"
#include "highlight.h"
#include "inline.h"
#include "markdown.h"
#include "cells.h"
#include "term/term.h"

#define TEXT_MAX ((size_t)1 << 30)
#define BLOCK_MARKS "#>-+*_~`=0123456789"	/* may begin a block */
#define OPEN_ROWS 4		/* rows of a paragraph that may still change */
#define HELD_ROWS 12		/* at most this many, if a link, code or bold
				 * text begins there */
#define LINE_LONG 4096		/* a longer undecided line is text */
#define ROW_LONG 16384		/* the same in a table */
#define PIECE 4096		/* bytes handled at once */
#define LOOK_EVERY 80		/* bytes between two looks at an open line */
#define RULE_COLUMNS 40

enum shown { NOTHING, PARAGRAPH, HEADING, CODE, TABLE, RULE, ITEM };

struct markdown {
	size_t columns, tail_rows;
	bool colour, cut;
	struct buf raw;		/* not cleaned yet: what follows the last
				 * ASCII character */
	struct buf line;	/* the open line, except what went to the
				 * paragraph */
	size_t look;		/* where to check it next */
	bool in_text;		/* its beginning went to the paragraph */
	struct place at;
	struct container sibling[BLOCK_DEPTH];	/* the item before, or none */
	struct buf text;	/* of the paragraph, or the table's lines */
	size_t last;		/* where its last line begins */
	bool in_pieces;		/* that line came in parts, so it cannot be a
				 * table's header */
	bool began;		/* rows of this paragraph are final */
	struct highlight highlight;
	size_t blank_lines;	/* in indented code, not written yet */
	bool gap;		/* a blank line was read */
	enum shown shown;	/* what was shown last */
	size_t *blocks, counted;	/* number of code blocks */
	struct rows rows;
	struct buf first, next;	/* the prefixes of rows */
	struct buf *out;
	struct buf *code;	/* markdown_code: its text, and nothing else */
	size_t wanted;
};

bool
markdown_open(void)
{
	bool clusters = term_open_clusters();

	return inline_open() && clusters;
}

void
markdown_resize(struct markdown *m, size_t columns, size_t tail_rows)
{
	m->columns = columns;
	m->tail_rows = tail_rows;
}

struct markdown *
markdown_new(size_t columns, size_t tail_rows, bool colour, size_t *blocks)
{
	struct markdown *m = xmalloc(sizeof *m);

	*m = (struct markdown){ .colour = colour };
	bufs_init(BUFS(&m->raw, &m->line, &m->text, &m->first, &m->next),
	    TEXT_MAX);
	rows_init(&m->rows);
	m->blocks = blocks != NULL ? blocks : &m->counted;
	markdown_resize(m, columns, tail_rows);
	m->look = LOOK_EVERY;
	return m;
}

static void
release(struct markdown *m)
{
	bufs_release(BUFS(&m->raw, &m->line, &m->text, &m->first, &m->next));
	rows_release(&m->rows);
}

/* ---- prefixes, and rows between blocks ---- */

/* The style of rows at this place. */
static struct rows_style
style(struct markdown *m, unsigned look)
{
	size_t indent = block_prefix(&m->at, m->columns, m->colour, &m->first,
	    &m->next);

	return (struct rows_style){ .first = buf_view(&m->first),
		.next = buf_view(&m->next), .indent = indent,
		.columns = m->columns, .look = look, .colour = m->colour,
		.cut = m->cut };
}

static void
marks_drawn(struct markdown *m)
{
	for (size_t i = 0; i < m->at.depth; i++)
		m->at.in[i].drawn = true;
}

/* Put a blank row before the next block where the text has one, and around
 * blocks that must be set off. */
static void
begin_block(struct markdown *m, enum shown what)
{
	bool apart = m->gap || what == HEADING || what == CODE ||
	    what == TABLE || what == RULE || m->shown == CODE ||
	    m->shown == TABLE || m->shown == RULE;
	size_t depth = m->at.depth;

	if (apart && m->shown != NOTHING) {
		while (m->at.depth > 0 && !m->at.in[m->at.depth - 1].drawn)
			m->at.depth--;
		buf_slice(m->out, slice_trim_end(style(m, 0).next, " "));
		buf_addc(m->out, '\n');
		m->at.depth = depth;
	}
	m->gap = false;
	m->shown = what;
}

/* Put the marks of items that have no text before the next block. */
static void
put_marks(struct markdown *m)
{
	bool any = false;

	for (size_t i = 0; i < m->at.depth; i++)
		any |= !m->at.in[i].quote && !m->at.in[i].drawn;
	if (!any)
		return;
	begin_block(m, ITEM);
	buf_slice(m->out, slice_trim_end(style(m, 0).first, " "));
	buf_addc(m->out, '\n');
	marks_drawn(m);
}

/* ---- paragraphs ---- */

/* Where the last line begins if it could be a table's header, or else where the
 * text ends. */
static size_t
header_at(const struct markdown *m)
{
	struct slice t = slice_from(buf_view(&m->text), m->last);

	return t.n > 0 && t.n <= LINE_LONG && !m->in_pieces &&
	    memchr(t.p, '|', t.n) != NULL ? m->last : m->text.len;
}

/* Write the final rows of the paragraph, or all of them if it is over. */
static void
put_paragraph(struct markdown *m, bool over)
{
	struct rows *r = &m->rows;

	if (m->text.len == 0)
		return;
	struct rows_style how = style(m, 0);
	rows_of(r, buf_view(&m->text), &how);
	size_t n = r->n;
	if (!over) {
		/* Rows that can no longer change are final.  Parsing restarts
		 * with the next row, so that must not begin within a link,
		 * code or bold text. */
		size_t header = header_at(m), mark = rows_open_mark(r);

		n = r->n > OPEN_ROWS ? r->n - OPEN_ROWS : 0;
		while (n > 0 && (r->row[n].source == NO_SOURCE ||
		    r->row[n].source > header || (r->n <= HELD_ROWS &&
		    (r->row[n].inside || r->row[n].source > mark))))
			n--;
	}
	if (n > 0) {
		size_t source = n < r->n ? r->row[n].source : m->text.len;
		if (!m->began)
			begin_block(m, PARAGRAPH);
		m->began = true;
		buf_add(m->out, r->text.p, n < r->n ? r->row[n].at :
		    r->text.len);
		marks_drawn(m);
		buf_drop(&m->text, source);
		m->last = m->last > source ? m->last - source : 0;
	}
}

static void
add_text(struct markdown *m, struct slice text)
{
	struct slice t = slice_trim_start(text, " \t");
	size_t indent = text.n - t.n;
	bool far = indent >= CODE_INDENT || (indent > 0 &&
	    memchr(text.p, '\t', indent) != NULL);

	if (m->at.leaf != LEAF_PARAGRAPH) {
		m->at.leaf = LEAF_PARAGRAPH;
		m->began = false;
		buf_reset(&m->text);
		m->last = 0;
		text = t;
	} else {
		/* this far right a mark is text and stays */
		if (m->at.depth > 0 && !(far && t.n > 0 &&
		    strchr(BLOCK_MARKS, *t.p) != NULL))
			text = t;
		if (m->text.len > 0) {
			buf_addc(&m->text, '\n');
			m->last = m->text.len;
		}
	}
	buf_slice(&m->text, text);
	m->in_pieces = false;
	m->at.may_head = !m->began && m->last == 0;
}

static void
put_heading(struct markdown *m, struct slice text, size_t level)
{
	struct buf b = BUF_INIT(TEXT_MAX);

	if (!m->colour)
		buf_fmt(&b, "%.*s ", (int)level, "######");
	buf_slice(&b, text);
	begin_block(m, HEADING);
	struct rows_style how = style(m, LOOK_STRONG | (level == 1 ?
	    LOOK_UNDERLINE : 0));
	rows_of(&m->rows, buf_view(&b), &how);
	buf_slice(m->out, buf_view(&m->rows.text));
	marks_drawn(m);
	buf_release(&b);
}

static void
put_rule(struct markdown *m)
{
	struct buf rule = BUF_INIT(TEXT_MAX);

	begin_block(m, RULE);
	struct rows_style how = style(m, 0);
	buf_slice(m->out, how.first);
	for (size_t i = how.indent; i < m->columns && i < RULE_COLUMNS; i++)
		buf_adds(&rule, "─");
	rows_dim(m->out, buf_view(&rule).p, m->colour);
	buf_addc(m->out, '\n');
	marks_drawn(m);
	buf_release(&rule);
}

/* ---- code ---- */

/* Put a row that shows the language and how to copy the block. */
static void
begin_code(struct markdown *m, struct slice info)
{
	struct buf b = BUF_INIT(TEXT_MAX), row = BUF_INIT(TEXT_MAX);

	++*m->blocks;
	m->blank_lines = 0;
	if (m->code != NULL) {
		if (m->wanted == 0 || m->wanted == *m->blocks)
			buf_reset(m->code);
		return;
	}
	put_marks(m);
	begin_block(m, CODE);
	m->highlight = highlight_begin(m->colour ? info : SLICE(""));
	buf_fmt(&b, "%.*s%s/copy %zu", (int)(info.n < 60 ? info.n :
	    utf8_cut(info.p, info.n, 60)), info.p, info.n > 0 ? "  " : "",
	    *m->blocks);
	term_put(&row, slice_trim(buf_view(&b)), m->columns);
	rows_dim(m->out, buf_view(&row).p, m->colour);
	buf_addc(m->out, '\n');
	bufs_release(BUFS(&b, &row));
}

/* In the tail, break a line that is too wide, and turn tabs into blanks. */
static void
put_cut_line(struct markdown *m, struct slice line)
{
	struct buf flat = BUF_INIT(TEXT_MAX);
	size_t n, w;

	term_tabs(&flat, line);
	for (struct slice t = buf_view(&flat); t.n > 0; t = slice_from(t, n)) {
		n = term_fits(t, m->columns);
		if (n > 0) {
			buf_add(m->out, t.p, n);
			buf_addc(m->out, '\n');
		} else {	/* it is wider than the terminal */
			n = term_cluster(t, &w);
		}
	}
	if (flat.len == 0)
		buf_addc(m->out, '\n');
	buf_release(&flat);
}

static void
put_code(struct markdown *m, struct slice text, size_t spare)
{
	struct buf line = BUF_INIT(TEXT_MAX);
	struct buf *out = m->code != NULL ? m->code : m->out;

	if (m->code != NULL && m->wanted != 0 && m->wanted != *m->blocks)
		return;
	for (; m->blank_lines > 0; m->blank_lines--)
		buf_addc(out, '\n');
	term_pad(&line, spare);
	buf_slice(&line, text);
	if (m->cut)
		put_cut_line(m, buf_view(&line));
	else {
		if (m->code != NULL || !m->colour)
			buf_slice(out, buf_view(&line));
		else
			highlight_line(&m->highlight, buf_view(&line), out);
		buf_addc(out, '\n');
	}
	buf_release(&line);
}

/* ---- tables ---- */

static void
put_table(struct markdown *m)
{
	begin_block(m, TABLE);
	struct rows_style how = style(m, 0);
	table_rows(buf_view(&m->text), &how, m->out);
	marks_drawn(m);
	buf_reset(&m->text);
}

static void
add_row(struct markdown *m, struct slice line)
{
	buf_slice(&m->text, line);
	buf_addc(&m->text, '\n');
}

/* The paragraph's last line was the header of a table. */
static void
begin_table(struct markdown *m, struct slice delimiter)
{
	/* as it is: for /copy it may hold NUL bytes */
	struct slice head = slice_from(buf_view(&m->text), m->last);
	char *copy = xmemdup0(head.p, head.n);

	m->text.len = m->last > 0 ? m->last - 1 : 0;
	if (m->text.len > 0)
		put_paragraph(m, true);
	buf_reset(&m->text);
	m->last = 0;
	m->at.leaf = LEAF_TABLE;
	add_row(m, (struct slice){ copy, head.n });
	add_row(m, delimiter);
	free(copy);
}

/* ---- lines ---- */

static void
close_leaf(struct markdown *m)
{
	if (m->at.leaf == LEAF_PARAGRAPH)
		put_paragraph(m, true);
	else if (m->at.leaf == LEAF_TABLE)
		put_table(m);
	m->at.leaf = LEAF_NONE;
}

static void
close_containers(struct markdown *m, size_t depth)
{
	if (m->at.depth > depth)
		put_marks(m);
	while (m->at.depth > depth) {
		m->at.depth--;
		m->sibling[m->at.depth] = m->at.in[m->at.depth];
	}
}

/* Enter the containers of the line. */
static void
go_to(struct markdown *m, const struct line *l)
{
	if (l->matched < m->at.depth || l->nopened > 0 ||
	    m->at.leaf != LEAF_NONE)
		close_leaf(m);
	close_containers(m, l->matched);
	for (size_t i = 0; i < l->nopened; i++) {
		struct container c = l->opened[i];
		const struct container *s = &m->sibling[m->at.depth];

		/* items are numbered on from the first of their list */
		if (!c.quote && !s->quote && s->mark == c.mark &&
		    (c.mark == '.' || c.mark == ')'))
			c.number = s->number + 1;
		m->at.in[m->at.depth++] = c;
		for (size_t k = m->at.depth; k < BLOCK_DEPTH; k++)
			m->sibling[k].mark = '\0';
	}
	if (l->kind != LINE_BLANK || l->nopened > 0)
		for (size_t i = m->at.depth; i < BLOCK_DEPTH; i++)
			m->sibling[i].mark = '\0';
}

static void
take_line(struct markdown *m, const struct line *l)
{
	bool goes_on = m->at.leaf == LEAF_INDENTED && l->nopened == 0 &&
	    l->matched == m->at.depth;

	switch (l->kind) {
	case LINE_BLANK:
		if (goes_on)
			m->blank_lines++;
		else
			go_to(m, l);
		m->gap |= l->nopened == 0;
		break;
	case LINE_TEXT:
		if (m->at.leaf != LEAF_PARAGRAPH || l->nopened > 0)
			go_to(m, l);
		add_text(m, l->text);
		break;
	case LINE_HEADING:
		go_to(m, l);
		put_heading(m, l->text, l->level);
		break;
	case LINE_UNDERLINE:	/* the line above is a heading */
		m->at.leaf = LEAF_NONE;
		put_heading(m, buf_view(&m->text), l->level);
		buf_reset(&m->text);
		break;
	case LINE_RULE:
		go_to(m, l);
		put_rule(m);
		break;
	case LINE_FENCE:
		go_to(m, l);
		m->at.leaf = LEAF_FENCE;
		m->at.fence = l->fence;
		begin_code(m, l->text);
		break;
	case LINE_FENCE_END:
		m->at.leaf = LEAF_NONE;
		break;
	case LINE_INDENTED:
		if (!goes_on) {
			go_to(m, l);
			m->at.leaf = LEAF_INDENTED;
			begin_code(m, SLICE(""));
		}
		/* fallthrough */
	case LINE_CODE:
		put_code(m, l->text, l->spare);
		m->gap = false;
		break;
	case LINE_DELIMITER:
		begin_table(m, l->text);
		break;
	case LINE_ROW:
		add_row(m, l->text);
		break;
	}
}

/* The open line ends at `at` (over); or, at a blank, move what precedes it to
 * the paragraph if it is text. */
static void
take_open(struct markdown *m, size_t at, bool over)
{
	struct slice line = { m->line.p, at };
	bool in_table = m->at.leaf == LEAF_TABLE;
	struct line l;

	if (m->in_text)
		buf_slice(&m->text, line);
	else {
		m->at.header = (struct slice){ NULL, 0 };
		if (m->at.leaf == LEAF_PARAGRAPH && header_at(m) < m->text.len)
			m->at.header = slice_from(buf_view(&m->text), m->last);
		block_line(&m->at, line, &l);
		/* A line too long for anything else is text. */
		bool is_long = line.n >= (in_table ? ROW_LONG : LINE_LONG) &&
		    l.kind != LINE_CODE && l.kind != LINE_INDENTED &&
		    l.kind != LINE_FENCE_END && l.kind != LINE_BLANK;
		if (is_long && l.kind != LINE_TEXT) {
			l.kind = LINE_TEXT;
			l.text = slice_trim(line);
		}
		/* So is one that looks like text, whatever follows; but the
		 * first bar of a table row may come late. */
		if (!over && !is_long && (l.kind != LINE_TEXT || in_table ||
		    memchr(l.text.p, '|', l.text.n) != NULL)) {
			m->look = l.kind == LINE_CODE ? TEXT_MAX : at * 2;
			return;
		}
		take_line(m, &l);
	}
	m->in_text = !over;
	m->in_pieces |= !over;
	if (m->at.leaf == LEAF_PARAGRAPH)
		put_paragraph(m, false);
	buf_drop(&m->line, at);
	m->look = LOOK_EVERY;
}

/* ---- the text as it comes ---- */

/* Take clean text. */
static void
take(struct markdown *m, struct slice text)
{
	while (text.n > 0) {
		size_t most = text.n < PIECE ? text.n : PIECE;
		const char *end = memchr(text.p, '\n', most);
		size_t n = end != NULL ? (size_t)(end - text.p) : most;

		buf_add(&m->line, text.p, n);
		while (m->line.len > m->look) {
			m->look = slice_find(buf_view(&m->line), m->look, " ");
			if (m->look < m->line.len)
				take_open(m, m->look, false);
		}
		if (end != NULL)
			take_open(m, m->line.len, true);
		text = slice_from(text, n + (end != NULL));
	}
}

static void
finish(struct markdown *m)
{
	if (m->line.len > 0 || m->in_text)
		take_open(m, m->line.len, true);
	close_leaf(m);
	close_containers(m, 0);
}

/* Keep text until it is cleaned; CR LF is LF. */
static void
add_raw(struct markdown *m, struct slice text)
{
	struct buf *raw = &m->raw;

	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] == '\n' && raw->len > 0 &&
		    raw->p[raw->len - 1] == '\r')
			raw->len--;
		buf_addc(raw, text.p[i]);
	}
}

/* Take the first n raw bytes. */
static void
take_raw(struct markdown *m, size_t n)
{
	struct buf clean = BUF_INIT(TEXT_MAX);

	term_escape(&clean, slice_part(buf_view(&m->raw), 0, n));
	take(m, buf_view(&clean));
	buf_drop(&m->raw, n);
	buf_release(&clean);
}

/* How another character than an ASCII one is cleaned may depend on what
 * follows it. */
void
markdown_add(struct markdown *m, struct slice text, struct buf *final)
{
	size_t had = m->raw.len > 0 ? m->raw.len - 1 : 0, n;

	m->out = final;
	add_raw(m, text);
	n = m->raw.len;
	while (n > had && ((unsigned char)m->raw.p[n - 1] >= 0x80 ||
	    m->raw.p[n - 1] == '\r'))
		n--;
	if (n > had)
		take_raw(m, n);
}

void
markdown_end(struct markdown *m, struct buf *final)
{
	m->out = final;
	take_raw(m, m->raw.len);
	finish(m);
	release(m);
	free(m);
}

/* ---- the tail ---- */

/* The most of a text that can be visible. */
static struct slice
text_tail(const struct markdown *m, struct slice t)
{
	size_t most = 4 * m->columns * (m->tail_rows + 1);

	return t.n > LINE_LONG ? utf8_last(t, most) : t;
}

void
markdown_tail(struct markdown *m, struct buf *rows)
{
	struct markdown t = *m;		/* the same state, own buffers */
	struct buf out = BUF_INIT(TEXT_MAX), open = BUF_INIT(TEXT_MAX);
	struct slice text = buf_view(&m->text), word = buf_view(&m->raw), head;

	/* do not show yet what may join characters, or end the line */
	while (slice_ends(word, "\r") || slice_ends(word, "\u200c") ||
	    slice_ends(word, "\u200d"))
		word.n -= word.p[word.n - 1] == '\r' ? 1 : 3;
	buf_slice(&open, buf_view(&m->line));
	term_escape(&open, word);
	struct slice line = text_tail(m, buf_view(&open));

	t.raw = t.line = t.text = t.first = t.next = BUF_INIT(TEXT_MAX);
	rows_init(&t.rows);
	t.cut = true;
	t.out = &out;
	t.look = TEXT_MAX;
	t.counted = *m->blocks;
	t.blocks = &t.counted;
	if (m->at.leaf == LEAF_TABLE) {
		/* its first lines, and as many last ones as can be visible */
		slice_line(&text, &head);
		slice_line(&text, &head);
		buf_add(&t.text, m->text.p, (size_t)(text.p - m->text.p));
		buf_slice(&t.text, slice_last_lines(text, m->tail_rows + 1));
	} else if (m->at.leaf == LEAF_PARAGRAPH) {
		text = text_tail(m, text);
		buf_slice(&t.text, text);
		t.last -= t.last < m->text.len - text.n ? t.last :
		    m->text.len - text.n;
	}
	if (line.n < open.len && m->at.leaf != LEAF_FENCE)
		put_cut_line(&t, line);
	else {
		/* A line of marks alone may become anything: do not show it
		 * yet. */
		if (m->in_text || line.n >= LINE_LONG || slice_trim_start(line,
		    " \t-=_*#`~+>|:.)[0123456789").n > 0)
			buf_slice(&t.line, line);
		finish(&t);
	}
	buf_slice(rows, slice_last_lines(slice_trim_end(buf_view(&out), "\n"),
	    m->tail_rows));
	bufs_release(BUFS(&out, &open));
	release(&t);
}

/* ---- a whole answer ---- */

void
markdown_rows(struct slice answer, size_t columns, bool colour,
    size_t *blocks, struct buf *out)
{
	struct markdown *m = markdown_new(columns, 0, colour, blocks);

	markdown_add(m, answer, out);
	markdown_end(m, out);
}

size_t
markdown_code(struct slice answer, size_t n, struct buf *out)
{
	struct buf nothing = BUF_INIT(TEXT_MAX), code = BUF_INIT(TEXT_MAX);
	size_t blocks = 0;
	struct markdown *m = markdown_new(1, 0, false, &blocks);

	m->code = &code;
	m->wanted = n;
	m->out = &nothing;
	add_raw(m, answer);
	take(m, buf_view(&m->raw));	/* not cleaned */
	buf_reset(&m->raw);
	markdown_end(m, &nothing);
	if (blocks > 0 && n <= blocks)
		buf_slice(out, buf_view(&code));
	bufs_release(BUFS(&code, &nothing));
	return n > blocks ? 0 : n > 0 ? n : blocks;
}
