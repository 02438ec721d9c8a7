/* markdown.h - a streamed answer in Markdown as rows for a terminal.
 *
 * Text comes in pieces of any size and is cleaned first (lib/term), so that it
 * cannot control the terminal.  What can no longer change is returned at once
 * as final rows: lines of code, finished list items, all but the last rows of a
 * paragraph.  A table is final when it is complete.  The final rows do not
 * depend on how the text was cut, and the cost of a piece does not grow with
 * the text before it.
 *
 * Blocks are recognized here line by line, because md4c reads only whole texts;
 * md4c parses their contents (inline.h).  Without it those are shown as is.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/slice.h"

struct markdown;

/* Load md4c and the clusters of lib/term, once, for a terminal.  False: not
 * installed. */
bool markdown_open(void);

/* Make rows of at most `columns`, 1 or more.  Without colour, marks of emphasis
 * and code stay as written, and there is no SGR.  Code blocks are numbered on
 * from *blocks, which is updated; NULL: from 1. */
struct markdown *markdown_new(size_t columns, size_t tail_rows, bool colour,
    size_t *blocks);

/* Use this width from now on. */
void markdown_resize(struct markdown *m, size_t columns, size_t tail_rows);

/* Take text and append the rows that it makes final, each with an LF and its
 * SGR reset.  A word, URL or line of code wider than the terminal is one line:
 * the terminal breaks it. */
void markdown_add(struct markdown *m, struct slice text, struct buf *final);

/* Append the rows that are not final as they look now: the last tail_rows at
 * most, each at most `columns` wide, LF between them. */
void markdown_tail(struct markdown *m, struct buf *rows);

/* The answer is over (or was cut off): append the remaining rows, and free m.
 */
void markdown_end(struct markdown *m, struct buf *final);

/* ---- a whole answer ---- */

/* Append its rows, for /last.  Code blocks are numbered on from *blocks. */
void markdown_rows(struct slice answer, size_t columns, bool colour,
    size_t *blocks, struct buf *out);

/* Append the text of its code block n (from 1; 0: the last) as written, without
 * fences and list indentation, for /copy: the text is not cleaned.  Returns the
 * block's number, or 0 when there is no such block. */
size_t markdown_code(struct slice answer, size_t n, struct buf *out);
