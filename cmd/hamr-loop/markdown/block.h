/* block.h - classify a line of Markdown, given the lines before it: the
 * containers it is in (quotes, list items), those it opens, and what the rest
 * of it is; and the prefix of its rows.  The rules are CommonMark's and
 * GitHub's (tables, tasks).  md4c does not do this because it reads only whole
 * texts.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

#define BLOCK_DEPTH 32		/* deeper marks are text */
#define CODE_INDENT 4		/* marks after this many blanks are text */

/* A quote, or an item of a list. */
struct container {
	bool quote;
	char mark;		/* an item's: - + * . ) */
	bool task, done;
	unsigned long number;
	size_t indent;		/* columns before the item's text */
	bool drawn;		/* its mark was shown */
};

enum leaf {
	LEAF_NONE, LEAF_PARAGRAPH, LEAF_FENCE, LEAF_INDENTED, LEAF_TABLE
};

struct fence {
	char mark;
	size_t n, indent;	/* how many marks, and the blanks before */
};

/* The state after the previous lines. */
struct place {
	struct container in[BLOCK_DEPTH];
	size_t depth;
	enum leaf leaf;
	struct fence fence;	/* of LEAF_FENCE */
	struct slice header;	/* a line that may be a table's first, or
				 * p == NULL */
	bool may_head;		/* the paragraph may become a heading */
};

enum line_kind {
	LINE_BLANK, LINE_TEXT, LINE_HEADING, LINE_RULE, LINE_UNDERLINE,
	LINE_FENCE, LINE_FENCE_END, LINE_CODE, LINE_INDENTED, LINE_DELIMITER,
	LINE_ROW
};

struct line {
	enum line_kind kind;
	size_t matched;		/* containers that continue */
	struct container opened[BLOCK_DEPTH];
	size_t nopened;
	struct slice text;	/* of code: after `spare` blanks */
	size_t spare;
	size_t level;		/* of a heading */
	struct fence fence;
};

/* Classify this line, given without its LF. */
void block_line(const struct place *at, struct slice line, struct line *out);

/* Set first and next to the marks of all containers, for rows of this many
 * columns: next is for later rows, as an item's mark is drawn once.  The
 * outermost are left out where they would take more than half of the row.
 * Returns their width, which is the same for both. */
size_t block_prefix(const struct place *at, size_t columns, bool colour,
    struct buf *first, struct buf *next);
