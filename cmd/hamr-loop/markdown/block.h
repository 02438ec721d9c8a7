/* block.h - what a line of Markdown is, after the lines before it: the
 * containers it is in (quotes, items of lists), those that it opens, and what
 * its rest is; and what stands before the rows of that.  The rules are
 * CommonMark's and GitHub's (tables, tasks); they are followed here because
 * md4c reads whole texts only.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

#define BLOCK_DEPTH 32		/* deeper marks are text, */
#define CODE_INDENT 4		/* and those behind so many blanks */

/* A quote, or an item of a list. */
struct container {
	bool quote;
	char mark;		/* of an item: - + * . ) */
	bool task, done;
	unsigned long number;
	size_t indent;		/* columns that lines of the item begin with */
	bool drawn;		/* its mark was shown */
};

enum leaf {
	LEAF_NONE, LEAF_PARAGRAPH, LEAF_FENCE, LEAF_INDENTED, LEAF_TABLE
};

struct fence {
	char mark;
	size_t n, indent;	/* how many, and the blanks before them */
};

/* Where the lines before have led. */
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
	size_t matched;		/* containers that go on */
	struct container opened[BLOCK_DEPTH];
	size_t nopened;
	struct slice text;	/* of code: behind `spare` blanks */
	size_t spare;
	size_t level;		/* of a heading */
	struct fence fence;
};

/* What this line, without its LF, is. */
void block_line(const struct place *at, struct slice line, struct line *out);

/* The marks of all containers here, for rows of so many columns: before the
 * first row, and before others, as an item's mark is drawn once.  The outermost
 * are left out where they would take more than half of the row.  Returns how
 * wide both are. */
size_t block_prefix(const struct place *at, size_t columns, bool colour,
    struct buf *first, struct buf *next);
