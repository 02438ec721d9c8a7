/* diff.h - what changed between two texts, as lines: unified, 3 of context. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

/* A text of up to 4 GiB as lines: their start offsets, and one more for its
 * end. */
struct lines {
	struct slice text;
	uint32_t *at;		/* the caller frees it */
	long n;
};

void lines_of(struct lines *l, struct slice text);
struct slice lines_get(const struct lines *l, long i);

/* A stretch of lines that was replaced: old lines a.. (an of them) by new
 * lines b.. (bn).  Lines count from 0 here. */
struct patch {
	long a, an, b, bn;
};

struct diff {
	struct lines old, new;	/* borrow the texts */
	struct patch *v;	/* in order, never touching */
	size_t n, cap;
	long added, removed;	/* lines */
};

void diff_make(struct diff *d, struct slice old, struct slice new);
/* Read back what diff_print wrote; of a cut one, what there is. */
void diff_parse(struct diff *d, struct slice text);
void diff_release(struct diff *d);

/* Append it unified, with "--- a/NAME" and "+++ b/NAME" (made: the old one is
 * /dev/null), as UTF-8, in at most max bytes: cut at a line, and the last
 * line says so. */
bool diff_print(const struct diff *d, const char *name, bool made, size_t max,
    struct buf *out);

/* A unified diff for a person's terminal: as term_escape does, with colours if
 * those are wanted.  Lines before its "--- " are text. */
void diff_colour(struct slice text, bool colour, struct buf *out);
