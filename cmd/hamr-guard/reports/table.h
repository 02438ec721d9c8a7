/* table.h - lines for people: columns aligned by display width, and colour.
 *
 * Cells are kept until the table is printed, so that every column is as wide
 * as its widest cell.  The one stretching column gives way when a line would
 * pass the terminal's edge.
 */
#pragma once

#include "record/rec.h"

enum paint { PAINT_NONE, PAINT_DIM, PAINT_BOLD, PAINT_GREEN, PAINT_YELLOW,
	PAINT_RED, PAINT_STOP, PAINT_CYAN, PAINT_BLUE };

/* Where lines go, and how. */
struct sheet {
	struct rec_out *out;	/* a line at a time */
	bool colour;
	size_t columns;		/* of the terminal; SIZE_MAX: no edge */
};

/* Print one line (fmt has no LF).  If it would pass the terminal's edge, it
 * continues on the next line, indented like the first. */
void sheet_line(const struct sheet *o, enum paint p, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Append text in colour. */
void sheet_paint(const struct sheet *o, struct buf *b, enum paint p,
    struct slice text);

#define TABLE_COLUMNS 12

struct table {
	size_t columns;
	const char *align;	/* a letter a column: l, r, s (stretches), or
				 * e (the same, but keeps its end) */
	struct cell {
		char *text;
		enum paint paint;
	} *cell;
	size_t n, cap;
};

/* names: the columns' headings, with tabs between. */
void table_init(struct table *t, const char *align, const char *names);
/* The next cell; rows fill from the left. */
void table_add(struct table *t, enum paint p, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void table_text(struct table *t, enum paint p, struct slice text);
void table_number(struct table *t, enum paint p, uint64_t n);	/* 1,234 */
/* Print it, each line after two blanks, and release it. */
void table_print(struct table *t, const struct sheet *o);

/* Append "1 call" or "1,234 calls", after a comma unless b is empty or ends
 * with a blank. */
void count_put(struct buf *b, uint64_t n, const char *one);
