/* markdown.h - a streamed answer in Markdown as rows for a terminal.
 *
 * Text comes in pieces of any size and is cleaned first (lib/term): nothing in
 * it steers a terminal.  What will not change any more is handed out at once as
 * final rows: lines of code, finished list items, all but the last rows of a
 * paragraph.  A table is final when it is complete.  Whatever the pieces, the
 * final rows are the same, and a piece costs the same after any amount of text.
 *
 * Blocks are told apart here line by line, as md4c reads whole texts only; what
 * is inside of them (inline.h) is md4c's.  Without md4c it is shown as it is.
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

/* Rows of at most `columns` (0: never broken).  Without colour the marks of
 * emphasis and code stay as they were written, and there is no SGR.  Its code
 * blocks are counted on in *blocks, as their rows say; NULL: from 1. */
struct markdown *markdown_new(size_t columns, size_t tail_rows, bool colour,
    size_t *blocks);
void markdown_free(struct markdown *m);

/* From here on rows are as wide as this. */
void markdown_resize(struct markdown *m, size_t columns, size_t tail_rows);

/* Take text; append the rows that are final by it, each with its LF and SGR
 * set back at its end.  A word, a URL or a line of code that is wider than the
 * terminal is one line: the terminal breaks it. */
void markdown_add(struct markdown *m, struct slice text, struct buf *final);

/* Append what is open as it would look now: the last tail_rows rows at most,
 * each at most `columns` wide, LF between them. */
void markdown_tail(struct markdown *m, struct buf *rows);

/* The answer is over (or was cut off): append all the rest; nothing is added
 * behind it. */
void markdown_end(struct markdown *m, struct buf *final);

/* ---- a whole answer ---- */

/* Append its rows: for /last.  Its code blocks are counted on in *blocks. */
void markdown_rows(struct slice answer, size_t columns, bool colour,
    size_t *blocks, struct buf *out);

/* Append the text of its code block n, from 1, as it was written, without
 * fences and without the indentation of a list it is in; 0 is the last one.
 * They are those that rows of so many columns have: what is wider may be text
 * instead of a table.  Returns n, or 0 when there is no such block.  For /copy:
 * the text is not cleaned. */
size_t markdown_code(struct slice answer, size_t columns, size_t n,
    struct buf *out);
