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

/* The cells of a line, without the blanks around them; a bar inside of code or
 * behind a backslash is text.  0 when there is no bar, or too many. */
size_t table_cells(struct slice line, struct slice cells[TABLE_COLUMNS]);

/* The columns that such a line tells of: |---|:-:|; 0: it is none. */
size_t table_delimiter(struct slice line);

/* Append the table: a line of names, the delimiter line, the others. */
void table_rows(struct slice source, const struct rows_style *how,
    struct buf *out);
