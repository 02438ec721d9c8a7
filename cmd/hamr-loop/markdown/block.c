/* block.c - classify a line of Markdown. */
#include <stdio.h>
#include <string.h>

#include "block.h"
#include "cells.h"
#include "inline.h"
#include "term/term.h"

#define TAB 4			/* columns, as CommonMark has it */

/* The rest of a line; of a partly consumed tab the remaining columns are left.
 */
struct cursor {
	struct slice left;
	size_t column, spare;
};

/* The columns of blanks at the cursor. */
static size_t
blanks(const struct cursor *c)
{
	size_t n = c->spare;

	for (const char *p = c->left.p; p < c->left.p + c->left.n &&
	    (*p == ' ' || *p == '\t'); p++)
		n += *p == '\t' ? TAB - (c->column + n) % TAB : 1;
	return n;
}

/* Skip at most n columns of blanks. */
static void
skip(struct cursor *c, size_t n)
{
	while (n > 0) {
		if (c->spare == 0) {
			char b = c->left.n > 0 ? *c->left.p : '\0';

			if (b != ' ' && b != '\t')
				return;
			c->spare = b == '\t' ? TAB - c->column % TAB : 1;
			c->left = slice_from(c->left, 1);
		}
		c->spare--;
		c->column++;
		n--;
	}
}

static void
take(struct cursor *c, size_t n)
{
	c->left = slice_from(c->left, n);
	c->column += n;
}

static bool
at_end(const struct cursor *c)
{
	return slice_trim_start(c->left, " \t").n == 0;
}

/* How many ch there are at the cursor. */
static size_t
run(const struct cursor *c, char ch)
{
	size_t n = 0;

	while (n < c->left.n && c->left.p[n] == ch)
		n++;
	return n;
}

/* ---- containers ---- */

static bool
take_quote(struct cursor *c)
{
	struct cursor ahead = *c;

	skip(&ahead, CODE_INDENT);
	if (blanks(c) >= CODE_INDENT || run(&ahead, '>') == 0)
		return false;
	*c = ahead;
	take(c, 1);
	skip(c, 1);
	return true;
}

/* A list can interrupt a paragraph only with an item that has text and, if
 * numbered, the number 1. */
static bool
take_item(struct cursor *c, bool interrupts, struct container *item)
{
	size_t before = blanks(c), n = 0;
	struct cursor ahead = *c;

	if (before >= CODE_INDENT)
		return false;
	skip(&ahead, before);
	struct slice t = ahead.left;
	*item = (struct container){ .number = 0 };
	for (; n < t.n && t.p[n] >= '0' && t.p[n] <= '9' && n < 9; n++)
		item->number = item->number * 10 +
		    (unsigned long)(t.p[n] - '0');
	if (n == t.n || strchr(n > 0 ? ".)" : "-+*", t.p[n]) == NULL ||
	    t.p[n] == '\0')
		return false;
	item->mark = t.p[n++];
	if (n < t.n && t.p[n] != ' ' && t.p[n] != '\t')
		return false;
	take(&ahead, n);
	if (interrupts && (at_end(&ahead) ||
	    (strchr(".)", item->mark) != NULL && item->number != 1)))
		return false;
	size_t after = blanks(&ahead);
	if (after > CODE_INDENT || at_end(&ahead))
		after = 1;
	skip(&ahead, after);
	item->indent = before + n + after;
	*c = ahead;
	t = c->left;
	if (t.n >= 4 && t.p[0] == '[' && t.p[2] == ']' && t.p[3] == ' ' &&
	    strchr(" xX", t.p[1]) != NULL) {
		item->task = true;
		item->done = t.p[1] != ' ';
		take(c, 4);
	}
	return true;
}

/* ---- leaves ---- */

/* Three or more of one mark, with nothing but blanks. */
static bool
is_rule(const struct cursor *c)
{
	struct slice t = slice_trim_start(c->left, " \t");
	size_t n = 0;

	if (blanks(c) >= CODE_INDENT || t.n == 0 ||
	    strchr("*-_", *t.p) == NULL || *t.p == '\0')
		return false;
	for (size_t i = 0; i < t.n; i++)
		if (t.p[i] == *t.p)
			n++;
		else if (t.p[i] != ' ' && t.p[i] != '\t')
			return false;
	return n >= 3;
}

static bool
is_heading(const struct cursor *c, struct line *out)
{
	size_t n = run(c, '#');
	struct slice t = slice_from(c->left, n);

	if (n == 0 || n > 6 || (t.n > 0 && *t.p != ' ' && *t.p != '\t'))
		return false;
	t = slice_trim(t);
	struct slice without = slice_trim_end(t, "#");
	if (without.n == 0 || is_whitespace(without.p[without.n - 1]))
		t = slice_trim(without);
	out->text = t;
	out->level = n;
	return true;
}

static void
code_line(struct cursor *c, size_t indent, struct line *out)
{
	skip(c, indent);
	out->spare = c->spare;
	out->text = c->left;
}

static bool
is_delimiter(const struct place *at, const struct cursor *c)
{
	struct slice cells[TABLE_COLUMNS];

	if (at->leaf != LEAF_PARAGRAPH || at->header.p == NULL)
		return false;
	size_t n = table_delimiter(c->left);
	return n > 0 && n == table_cells(at->header, TABLE_COLUMNS, cells);
}

/* Classify the rest of a line after its containers. */
static enum line_kind
leaf_line(const struct place *at, struct cursor *c, struct line *out)
{
	bool same = out->nopened == 0 && out->matched == at->depth;
	bool lazy = out->nopened == 0 && at->leaf == LEAF_PARAGRAPH;
	size_t indent = blanks(c);

	if (at_end(c))
		return LINE_BLANK;
	if (indent >= CODE_INDENT && !lazy) {
		code_line(c, CODE_INDENT, out);
		return LINE_INDENTED;
	}
	if (indent < CODE_INDENT) {
		struct cursor text = *c, behind;

		skip(&text, indent);
		out->text = text.left;
		if (same && is_delimiter(at, &text))
			return LINE_DELIMITER;
		size_t equals = run(&text, '='), dashes = run(&text, '-');
		behind = text;
		take(&behind, equals + dashes);
		if (same && at->leaf == LEAF_PARAGRAPH && at->may_head &&
		    equals + dashes > 0 && at_end(&behind)) {
			out->level = equals > 0 ? 1 : 2;
			return LINE_UNDERLINE;
		}
		if (is_rule(&text))
			return LINE_RULE;
		if (is_heading(&text, out))
			return LINE_HEADING;
		char ch = text.left.n > 0 ? *text.left.p : '\0';
		size_t n = ch == '`' || ch == '~' ? run(&text, ch) : 0;
		struct slice info = slice_trim(slice_from(text.left, n));
		if (n >= 3 && (ch == '~' || info.n == 0 ||
		    memchr(info.p, '`', info.n) == NULL)) {
			out->text = info;
			out->fence = (struct fence){ ch, n, indent };
			return LINE_FENCE;
		}
	}
	out->text = c->left;
	return same && at->leaf == LEAF_TABLE &&
	    memchr(out->text.p, '|', out->text.n) != NULL ? LINE_ROW :
	    LINE_TEXT;
}

void
block_line(const struct place *at, struct slice line, struct line *out)
{
	struct cursor c = { .left = line };

	out->matched = out->nopened = out->spare = 0;
	for (; out->matched < at->depth; out->matched++) {
		const struct container *in = &at->in[out->matched];

		if (in->quote ? !take_quote(&c) :
		    !at_end(&c) && blanks(&c) < in->indent)
			break;
		if (!in->quote && !at_end(&c))
			skip(&c, in->indent);
	}
	if (at->leaf == LEAF_FENCE && out->matched == at->depth) {
		struct cursor ahead = c;

		skip(&ahead, CODE_INDENT);
		size_t n = run(&ahead, at->fence.mark);
		take(&ahead, n);
		out->kind = blanks(&c) < CODE_INDENT && n >= at->fence.n &&
		    at_end(&ahead) ? LINE_FENCE_END : LINE_CODE;
		if (out->kind == LINE_CODE)
			code_line(&c, at->fence.indent, out);
		return;
	}
	while (out->matched + out->nopened < BLOCK_DEPTH) {
		struct container *in = &out->opened[out->nopened];
		bool same = out->nopened == 0 && out->matched == at->depth;
		bool within = same && at->leaf == LEAF_PARAGRAPH;

		if (take_quote(&c))
			*in = (struct container){ .quote = true };
		else if (is_rule(&c) || (within && is_delimiter(at, &c)) ||
		    !take_item(&c, within, in))
			break;
		out->nopened++;
	}
	out->kind = leaf_line(at, &c, out);
}

/* ---- the prefix of rows ---- */

/* "• ", "[x] ", "12. " or "12. [x] ". */
static void
mark_of(const struct container *c, char mark[24])
{
	const char *task = !c->task ? "" : c->done ? "[x] " : "[ ] ";

	if (c->quote)
		snprintf(mark, 24, "> ");
	else if (c->mark == '.' || c->mark == ')')
		snprintf(mark, 24, "%lu%c %s", c->number, c->mark, task);
	else
		snprintf(mark, 24, "%s", c->task ? task : "• ");
}

size_t
block_prefix(const struct place *at, size_t columns, bool colour,
    struct buf *first, struct buf *next)
{
	size_t i = at->depth, all = 0, shown = 0;
	char mark[24];

	bufs_reset(BUFS(first, next));
	for (; i > 0; i--) {
		mark_of(&at->in[i - 1], mark);
		all += term_width(slice_of(mark));
		if (all > columns / 2)
			break;
		shown = all;
	}
	for (; i < at->depth; i++) {
		const struct container *c = &at->in[i];

		mark_of(c, mark);
		size_t n = term_width(slice_of(mark));
		if (c->quote) {
			rows_dim(first, colour ? "│" : ">", colour);
			rows_dim(next, colour ? "│" : ">", colour);
			buf_addc(first, ' ');
			buf_addc(next, ' ');
			continue;
		}
		if (c->drawn)
			term_pad(first, n);
		else
			buf_adds(first, mark);
		term_pad(next, n);
	}
	return shown;
}
