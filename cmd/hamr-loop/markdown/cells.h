/* cells.h - a table in Markdown, fitted to the terminal.
 *
 * Columns are as wide as they need or as there is room; cells are wrapped.  A
 * table whose longest words have no room beside each other is shown row by row,
 * a cell on a line behind its column's name.
 */
#pragma once

#include <stddef.h>

#include "base/buf.h"
#include "inline.h"

#define TABLE_COLUMNS 64	/* what has more is text */

/* How many cells a line has, and which, without the blanks around them; the
 * last of `most` is all that is left.  A bar inside of code or behind a
 * backslash is text. */
size_t table_cells(struct slice line, size_t most, struct slice *cells);

/* The columns that such a line tells of: |---|:-:|; 0: it is none. */
size_t table_delimiter(struct slice line);

/* Append the table: a line of names, the delimiter line, the others. */
void table_rows(struct slice source, const struct rows_style *how,
    struct buf *out);
