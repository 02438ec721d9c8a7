/* message.c - a text being edited. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/ctrl.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "message.h"
#include "term/term.h"

#define FOLD '\x1a'
#define UNDO_MAX ((size_t)64 << 20)	/* bytes of removed text */
#define TAB_COLUMNS 8
#define BACK_MAX ((size_t)1 << 10)	/* bytes; a longer unit is split */
#define FIRST_WIDTH 77		/* before the first draw */

void
message_init(struct message *m)
{
	*m = (struct message){ .text = BUF_INIT(MESSAGE_MAX),
		.width = FIRST_WIDTH };
	buf_add(&m->text, "", 0);
}

static void
forget_changes(struct message *m)
{
	while (m->nundo > 0)
		free(m->undo[--m->nundo].taken);
	m->undo_bytes = 0;
}

static void
drop_paste(struct message_paste *f)
{
	FREE(f->p, f->label);
	*f = (struct message_paste){ NULL, 0, NULL };
}

void
message_release(struct message *m)
{
	forget_changes(m);
	for (size_t i = 0; i < m->npastes; i++)
		drop_paste(&m->pastes[i]);
	FREE(m->pastes, m->undo, m->rows);
	buf_release(&m->text);
}

/* ---- folds ---- */

static struct slice
fold_name(char out[MESSAGE_FOLD + 1], size_t i)
{
	out[0] = FOLD;
	for (size_t k = 0; k < 3; k++)
		out[1 + k] = (char)('0' + (i >> 6 * k & 0x3f));
	out[MESSAGE_FOLD] = '\0';
	return (struct slice){ out, MESSAGE_FOLD };
}

/* The paste that is folded at p, or NULL. */
static const struct message_paste *
fold_at(const struct message *m, struct slice raw, size_t at)
{
	const char *p = raw.p + at;
	size_t i = 0;

	if (at + MESSAGE_FOLD > raw.n || *p != FOLD)
		return NULL;
	for (size_t k = 0; k < 3; k++)
		i |= (size_t)(p[1 + k] - '0') << 6 * k;
	return i < m->npastes && m->pastes[i].p != NULL ? &m->pastes[i] : NULL;
}

void
message_unfold(const struct message *m, struct slice raw, struct buf *out)
{
	const char *p;

	while (raw.n > 0 && (p = memchr(raw.p, FOLD, raw.n)) != NULL) {
		size_t n = (size_t)(p - raw.p);
		const struct message_paste *f = fold_at(m, raw, n);

		buf_add(out, raw.p, n);
		if (f != NULL)
			buf_add(out, f->p, f->n);
		n += f != NULL ? MESSAGE_FOLD : 1;
		raw = slice_from(raw, n);
	}
	buf_slice(out, raw);
}

/* ---- units ---- */

size_t
message_unit(const struct message *m, size_t at, size_t column,
    size_t *columns, struct buf *out)
{
	struct slice raw = buf_view(&m->text);
	size_t w = 1, n = 1, had = out != NULL ? out->len : 0;

	if (at >= raw.n)
		return 0;
	struct slice rest = slice_from(raw, at);
	const struct message_paste *f = fold_at(m, raw, at);
	if (f != NULL) {
		w = strlen(f->label);
		n = MESSAGE_FOLD;
		if (out != NULL)
			buf_adds(out, f->label);
	} else if (*rest.p == '\n') {
		w = 0;
	} else if (*rest.p == '\t') {
		w = TAB_COLUMNS - column % TAB_COLUMNS;
		if (out != NULL)
			term_pad(out, w);
	} else {
		n = term_cluster(rest, &w);
		if (out != NULL)
			term_escape(out, (struct slice){ rest.p, n });
		/* A unit whose escaped form has other bytes (a joiner that
		 * joins no emoji) is shown as its first character. */
		if (out != NULL && out->len - had != n) {
			const unsigned char *c = (const unsigned char *)rest.p;

			out->len = had;
			if (ctrl_len(c) > 0)
				buf_addc(out, '?');
			else
				buf_add(out, c, utf8_len(c, n));
		}
	}
	if (columns != NULL)
		*columns = w;
	return n;
}

size_t
message_next(const struct message *m, size_t at)
{
	return at + message_unit(m, at, 0, NULL, NULL);
}

/* Units are found forwards; two ASCII characters are always two of them. */
size_t
message_back(const struct message *m, size_t at)
{
	const char *p = m->text.p;
	size_t least = at > BACK_MAX ? at - BACK_MAX : 0;

	while (at > 0 && --at > least) {
		size_t n = at < MESSAGE_FOLD ? at : MESSAGE_FOLD - 1;

		if ((signed char)p[at] >= 0 && (signed char)p[at - 1] >= 0 &&
		    memchr(p + at - n, FOLD, n) == NULL)
			return at;
	}
	while (at > 0 && (p[at] & 0xc0) == 0x80)
		at--;
	for (size_t k = 1; k < MESSAGE_FOLD && k <= at; k++)
		if (p[at - k] == FOLD)
			return at - k;
	return at;
}

size_t
message_prev(const struct message *m, size_t at)
{
	size_t from = message_back(m, at), next;

	while (at > 0 && (next = message_next(m, from)) < at)
		from = next;
	return from;
}

/* ---- changes ---- */

static void
splice(struct message *m, size_t from, size_t n, struct slice in)
{
	struct buf *b = &m->text;
	size_t behind = b->len - from - n;

	if (in.n > n && buf_reserve(b, in.n - n) < 0)
		return;
	memmove(b->p + from + in.n, b->p + from + n, behind);
	if (in.n > 0)
		memcpy(b->p + from, in.p, in.n);
	b->len = from + in.n + behind;
	b->p[b->len] = '\0';
	/* the rows up to the previous one are still valid */
	while (m->nrows > 0 && m->rows[m->nrows - 1] >= from)
		m->nrows--;
	m->nrows -= m->nrows > 0;
	m->all_rows = false;
}

bool
message_replace(struct message *m, size_t from, size_t n, struct slice in)
{
	if (m->text.len - n + in.n > MESSAGE_MAX || (n == 0 && in.n == 0))
		return false;
	if (m->undo_bytes + n > UNDO_MAX)
		forget_changes(m);
	m->undo_bytes += n;
	GROW(m->undo, m->nundo, m->capundo);
	m->undo[m->nundo++] = (struct message_change){ .at = from,
		.added = in.n, .cursor = m->at,
		.taken = xmemdup0(m->text.p + from, n) };
	splice(m, from, n, in);
	m->at = from + in.n;
	return true;
}

/* Typed text is undone word by word. */
void
message_type(struct message *m, struct slice in)
{
	struct message_change *c = m->nundo > 0 ? &m->undo[m->nundo - 1] :
		NULL;
	bool goes_on = c != NULL && c->typed && c->at + c->added == m->at &&
	    c->added > 0 && in.n > 0 && (*in.p == ' ' ||
	    m->text.p[m->at - 1] != ' ') && m->text.len + in.n <= MESSAGE_MAX;

	if (goes_on) {
		c->added += in.n;
		splice(m, m->at, 0, in);
		m->at += in.n;
		return;
	}
	if (message_replace(m, m->at, 0, in))
		m->undo[m->nundo - 1].typed = true;
}

void
message_undo(struct message *m)
{
	if (m->nundo == 0)
		return;
	struct message_change c = m->undo[--m->nundo];
	splice(m, c.at, c.added, slice_of(c.taken));
	m->at = c.cursor;
	free(c.taken);
}

static size_t
add_paste(struct message *m, struct slice in)
{
	size_t i = 0, lines = slice_lines(in);

	while (i < m->npastes && m->pastes[i].p != NULL)
		i++;
	if (i == m->npastes) {
		GROW(m->pastes, m->npastes, m->cappastes);
		m->npastes++;
	}
	m->pastes[i] = (struct message_paste){ xmemdup0(in.p, in.n), in.n,
		lines > 1 ? xasprintf("[pasted %zu lines]", lines) :
		xasprintf("[pasted %zu characters]",
		    utf8_count(in.p, in.n)) };
	return i;
}

void
message_fold(struct message *m, struct slice text, bool whole, struct buf *raw)
{
	size_t had = raw->len;
	char name[MESSAGE_FOLD + 1];

	while (text.n > 0) {
		const char *first = NULL;
		size_t which = 0;

		for (size_t i = 0; i < m->npastes; i++) {
			const struct message_paste *f = &m->pastes[i];
			const char *p = f->p == NULL ? NULL : memmem(text.p,
			    text.n, f->p, f->n);

			if (p != NULL && (first == NULL || p < first)) {
				first = p;
				which = i;
			}
		}
		if (first == NULL)
			break;
		size_t n = (size_t)(first - text.p);
		buf_add(raw, text.p, n);
		buf_slice(raw, fold_name(name, which));
		n += m->pastes[which].n;
		text = slice_from(text, n);
	}
	if (whole && raw->len == had && text.n >= MESSAGE_FOLD_BYTES)
		text = fold_name(name, add_paste(m, text));
	buf_slice(raw, text);
}

void
message_paste(struct message *m, struct slice in)
{
	struct slice raw = buf_view(&m->text);
	char name[MESSAGE_FOLD + 1];
	size_t found = SIZE_MAX;

	if (slice_lines(in) <= MESSAGE_FOLD_LINES &&
	    in.n < MESSAGE_FOLD_BYTES) {
		message_replace(m, m->at, 0, in);
		return;
	}
	/* already folded in the text?  take the nearest before the cursor */
	for (size_t at = 0; at < raw.n; at++) {
		const struct message_paste *f = raw.p[at] == FOLD ?
		    fold_at(m, raw, at) : NULL;

		if (f != NULL && f->n == in.n && memcmp(f->p, in.p, in.n) == 0
		    && (found == SIZE_MAX || at < m->at))
			found = at;
	}
	if (found != SIZE_MAX)
		message_replace(m, found, MESSAGE_FOLD, in);
	else
		message_replace(m, m->at, 0, fold_name(name, add_paste(m, in)));
}

void
message_reset(struct message *m, const struct texts *keep)
{
	forget_changes(m);
	buf_reset(&m->text);
	buf_add(&m->text, "", 0);
	m->at = m->nrows = 0;
	for (size_t i = 0; i < m->npastes; i++) {
		char name[MESSAGE_FOLD + 1];
		bool named = false;

		fold_name(name, i);
		for (size_t k = 0; k < keep->n && !named; k++)
			named = strstr(keep->v[k], name) != NULL;
		if (!named)
			drop_paste(&m->pastes[i]);
	}
}

/* ---- rows ---- */

size_t
message_rows(struct message *m, size_t width, size_t at, size_t more)
{
	if (width != m->width)
		m->nrows = 0;
	m->width = width;
	GROW(m->rows, m->nrows, m->caprows);
	if (m->nrows == 0) {
		m->rows[m->nrows++] = 0;
		m->all_rows = false;
	}
	/* enough known rows after the one of `at` will do */
	while (!m->all_rows && !(m->nrows > more &&
	    m->rows[m->nrows - 1 - more] > at)) {
		size_t from = m->rows[m->nrows - 1], next = SIZE_MAX;
		size_t column = 0, blank = 0, w, n;

		/* where the next row begins; SIZE_MAX: this is the last */
		for (size_t i = from; next == SIZE_MAX &&
		    (n = message_unit(m, i, column, &w, NULL)) > 0; i += n) {
			char c = m->text.p[i];

			if (c == '\n')
				next = i + 1;
			else if (column + w > width && i > from)
				next = blank > 0 && c != ' ' ? blank : i;
			column += w;
			blank = c == ' ' ? i + n : blank;
		}
		m->all_rows = next == SIZE_MAX;
		GROW(m->rows, m->nrows, m->caprows);
		if (!m->all_rows)
			m->rows[m->nrows++] = next;
	}
	return m->nrows;
}

size_t
message_row_of(const struct message *m, size_t at)
{
	size_t i = 0;

	while (i + 1 < m->nrows && m->rows[i + 1] <= at)
		i++;
	return i;
}

size_t
message_row(const struct message *m, size_t i)
{
	return i < m->nrows ? m->rows[i] : m->text.len;
}

size_t
message_columns(const struct message *m, size_t from, size_t to)
{
	size_t column = 0, w, n;

	for (; from < to && (n = message_unit(m, from, column, &w, NULL)) > 0;
	    from += n)
		column += w;
	return column;
}

size_t
message_at_column(const struct message *m, size_t i, size_t column)
{
	size_t at = message_row(m, i), end = message_row(m, i + 1), used = 0;
	size_t w, n;

	while (at < end && (n = message_unit(m, at, used, &w, NULL)) > 0 &&
	    m->text.p[at] != '\n' && used + w <= column &&
	    (at + n < end || i + 1 >= m->nrows)) {
		used += w;
		at += n;
	}
	return at;
}
