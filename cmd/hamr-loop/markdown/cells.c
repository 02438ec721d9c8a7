/* cells.c - a table in Markdown, fitted to the terminal. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cells.h"
#include "term/term.h"

#define BETWEEN 3		/* columns of " │ " */

enum align { LEFT, CENTER, RIGHT };

/* The place after the code that begins at `at`, or after its backticks if
 * nothing closes it. */
static size_t
skip_code(struct slice t, size_t at)
{
	size_t n = 0, run;

	while (at + n < t.n && t.p[at + n] == '`')
		n++;
	for (size_t i = at + n; i < t.n; i += run) {
		for (run = 0; i + run < t.n && t.p[i + run] == '`'; )
			run++;
		if (run == n)
			return i + n;
		run += run == 0;
	}
	return at + n;
}

size_t
table_cells(struct slice line, size_t most, struct slice *cells)
{
	struct slice t = slice_trim(line);
	size_t n = 0, from = slice_starts(t, "|");

	for (size_t i = from; i <= t.n; i++) {
		if (i + 1 < t.n && t.p[i] == '\\')
			i++;
		else if (i < t.n && t.p[i] == '`')
			i = skip_code(t, i) - 1;
		else if (i == t.n || t.p[i] == '|') {
			if (i == t.n && i == from && n > 0)
				break;		/* it ended in a bar */
			struct slice cell = slice_trim(slice_part(t, from, i));

			if (n < most)
				cells[n] = cell;
			else if (cell.n > 0)
				cells[most - 1].n = (size_t)(cell.p + cell.n -
				    cells[most - 1].p);
			n++;
			from = i + 1;
		}
	}
	return n;
}

static bool
read_align(struct slice cell, enum align *align)
{
	bool left = cell.n > 0 && cell.p[0] == ':';
	bool right = cell.n > 1 && cell.p[cell.n - 1] == ':';

	*align = right ? left ? CENTER : RIGHT : LEFT;
	return cell.n > (size_t)left + right && slice_trim_start(
	    slice_part(cell, left, cell.n - right), "-").n == 0;
}

size_t
table_delimiter(struct slice line)
{
	struct slice cells[TABLE_COLUMNS];
	size_t n = table_cells(line, TABLE_COLUMNS, cells);
	enum align align;

	if (n > TABLE_COLUMNS || memchr(line.p, '|', line.n) == NULL)
		return 0;
	for (size_t i = 0; i < n; i++)
		if (!read_align(cells[i], &align))
			return 0;
	return n;
}

/* ---- drawn ---- */

struct table {
	const struct rows_style *how;
	struct buf *out;
	size_t n;		/* columns */
	struct slice name[TABLE_COLUMNS];
	enum align align[TABLE_COLUMNS];
	size_t width[TABLE_COLUMNS], least[TABLE_COLUMNS];
	struct rows rows[TABLE_COLUMNS];
};

/* A backslash before a bar belongs to the table, even in code. */
static void
add_cell(struct buf *out, struct slice cell)
{
	for (size_t i = 0; i < cell.n; i++)
		if (cell.p[i] != '\\' || i + 1 == cell.n ||
		    cell.p[i + 1] != '|')
			buf_addc(out, cell.p[i]);
}

/* Wrap a cell into rows of this many columns. */
static void
wrap_cell(struct table *t, struct slice cell, size_t columns, unsigned look,
    struct rows *rows)
{
	struct rows_style how = { .columns = columns, .look = look,
		.colour = t->how->colour, .cut = t->how->cut };
	struct buf b = BUF_INIT((size_t)1 << 24);

	add_cell(&b, cell);
	rows_of(rows, buf_view(&b), &how);
	buf_release(&b);
}

/* The widest row of a cell wrapped at this many columns; may exceed them. */
static size_t
widest(struct table *t, struct slice cell, size_t columns)
{
	const struct rows *rows = &t->rows[0];
	size_t most = 0;

	wrap_cell(t, cell, columns, 0, &t->rows[0]);
	for (size_t i = 0; i < rows->n; i++)
		if (rows->row[i].columns > most)
			most = rows->row[i].columns;
	return most;
}

static void
measure(struct table *t, const struct slice *cells, size_t n)
{
	for (size_t i = 0; i < n && i < t->n; i++) {
		size_t w = widest(t, cells[i], (size_t)-1 / 2);

		if (w > t->width[i])
			t->width[i] = w;
		if (w > t->least[i])
			w = widest(t, cells[i], 1);
		if (w > t->least[i])
			t->least[i] = w;
	}
}

static size_t
width_at(const struct table *t, size_t i, size_t limit)
{
	size_t w = t->width[i] < limit ? t->width[i] : limit;

	return w > t->least[i] ? w : t->least[i];
}

/* Give each column what it needs, or an equal share to those that need more.
 * False: there is no room for the longest words. */
static bool
fit(struct table *t)
{
	size_t used = t->how->indent + BETWEEN * (t->n - 1);
	size_t limit = 0, most = 0, sum = 0;

	if (used >= t->how->columns)
		return false;
	size_t room = t->how->columns - used;
	for (size_t i = 0; i < t->n; i++)
		most = t->width[i] > most ? t->width[i] : most;
	do {
		sum = 0;
		limit++;
		for (size_t i = 0; i < t->n; i++)
			sum += width_at(t, i, limit);
	} while (sum <= room && limit < most);
	limit -= sum > room;
	if (limit == 0)
		return false;
	for (size_t i = 0; i < t->n; i++)
		t->width[i] = width_at(t, i, limit);
	return true;
}

/* Append a row of a cell that begins after `left` columns. */
static void
put_cell(struct buf *out, struct slice row, size_t left)
{
	for (size_t at; (at = slice_find(row, 0, "\033")) < row.n; ) {
		char *end;
		unsigned long column = strtoul(row.p + at + 2, &end, 10);

		if (*end == 'G') {
			buf_add(out, row.p, at);
			buf_fmt(out, "\033[%zuG", left + column);
			end++;
		} else {
			buf_add(out, row.p, (size_t)(end - row.p));
		}
		row = slice_from(row, (size_t)(end - row.p));
	}
	buf_slice(out, row);
}

/* Write the cells of a row side by side, without trailing blanks. */
static void
put_row(struct table *t, const struct slice *cells, size_t n, bool head)
{
	size_t lines = 1;

	for (size_t i = 0; i < t->n; i++) {
		wrap_cell(t, i < n ? cells[i] : SLICE(""), t->width[i],
		    head ? LOOK_STRONG : 0, &t->rows[i]);
		if (t->rows[i].n > lines)
			lines = t->rows[i].n;
	}
	for (size_t line = 0; line < lines; line++) {
		size_t owed = 0, left = t->how->indent;

		buf_slice(t->out, head && line == 0 ? t->how->first :
		    t->how->next);
		for (size_t i = 0; i < t->n; i++) {
			const struct rows *r = &t->rows[i];
			const struct row *row = line < r->n ? &r->row[line] :
			    NULL;
			size_t columns = row != NULL ? row->columns : 0;
			size_t blank = columns < t->width[i] ?
			    t->width[i] - columns : 0;
			size_t before = t->align[i] == RIGHT ? blank :
			    t->align[i] == CENTER ? blank / 2 : 0;

			owed += before;
			if (row != NULL && row->n > 0) {
				term_pad(t->out, owed);
				owed = 0;
				put_cell(t->out, (struct slice){ r->text.p +
				    row->at, row->n }, left + before);
			}
			left += t->width[i] + BETWEEN;
			owed += blank - before;
			if (i + 1 < t->n) {
				term_pad(t->out, owed);
				rows_dim(t->out, " │", t->how->colour);
				owed = 1;
			}
		}
		buf_addc(t->out, '\n');
	}
}

/* No room for columns: NAME: CELL, a line each. */
static void
put_record(struct table *t, const struct slice *cells, size_t n, bool first)
{
	struct rows_style how = *t->how;
	struct buf b = BUF_INIT((size_t)1 << 24);

	if (!first) {
		buf_slice(t->out, slice_trim_end(how.next, " "));
		buf_addc(t->out, '\n');
	}
	for (size_t i = 0; i < t->n; i++) {
		buf_reset(&b);
		if (t->name[i].n > 0)
			buf_fmt(&b, how.colour ? "**%.*s:** " : "%.*s: ",
			    (int)t->name[i].n, t->name[i].p);
		if (i < n)
			add_cell(&b, cells[i]);
		if (!first || i > 0)
			how.first = how.next;
		rows_of(&t->rows[0], buf_view(&b), &how);
		buf_slice(t->out, buf_view(&t->rows[0].text));
	}
	buf_release(&b);
}

void
table_rows(struct slice source, const struct rows_style *how, struct buf *out)
{
	struct table *t = xcalloc(1, sizeof *t);
	struct slice rest = source, line, cells[TABLE_COLUMNS];
	struct buf rule = BUF_INIT(1 << 20);

	*t = (struct table){ .how = how, .out = out };
	slice_line(&rest, &line);
	t->n = table_cells(line, TABLE_COLUMNS, t->name);
	for (size_t i = 0; i < TABLE_COLUMNS; i++)
		rows_init(&t->rows[i]);
	measure(t, t->name, t->n);
	slice_line(&rest, &line);
	for (size_t n = table_cells(line, t->n, cells), i = 0; i < n; i++)
		read_align(cells[i], &t->align[i]);
	struct slice body = rest;
	while (slice_line(&rest, &line))
		measure(t, cells, table_cells(line, t->n, cells));
	bool columns = fit(t), first = true;
	if (columns) {
		put_row(t, t->name, t->n, true);
		for (size_t i = 0; i < t->n; i++) {
			buf_adds(&rule, i > 0 ? "─┼─" : "");
			for (size_t k = 0; k < t->width[i]; k++)
				buf_adds(&rule, "─");
		}
		buf_slice(out, how->next);
		rows_dim(out, buf_view(&rule).p, how->colour);
		buf_addc(out, '\n');
	} else if (body.n == 0)
		put_record(t, t->name, 0, true);
	while (slice_line(&body, &line)) {
		size_t n = table_cells(line, t->n, cells);

		if (columns)
			put_row(t, cells, n, false);
		else
			put_record(t, cells, n, first);
		first = false;
	}
	for (size_t i = 0; i < TABLE_COLUMNS; i++)
		rows_release(&t->rows[i]);
	buf_release(&rule);
	free(t);
}
