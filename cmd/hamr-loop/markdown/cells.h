/* cells.h - a table in Markdown, fitted to the terminal.
 *
 * Columns are as wide as they need to be, or as fits; cells are wrapped.  A
 * table whose longest words do not fit side by side is shown row by row, each
 * cell on a line after its column's name.
 */
#pragma once

#include <stddef.h>

#include "base/buf.h"
#include "inline.h"

#define TABLE_COLUMNS 64	/* a table with more is text */

/* Split a line into at most `most` cells, without the blanks around them; the
 * last of `most` gets all that is left.  A bar inside code or after a backslash
 * is text.  Returns how many cells the line has, which may be more. */
size_t table_cells(struct slice line, size_t most, struct slice *cells);

/* The number of columns in a delimiter line, as |---|:-:|; 0: not one. */
size_t table_delimiter(struct slice line);

/* Append the rows of a table: source is its header line, its delimiter line,
 * and the others. */
void table_rows(struct slice source, const struct rows_style *how,
    struct buf *out);
