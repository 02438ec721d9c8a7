/* edit.h - literal replacements in a text: found, judged, made.  No files. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "root/path.h"

/* One replacement that was asked for. */
struct edit {
	struct buf old, new;
	bool all;
	size_t first, next;	/* where it matches */
};

struct edits {
	struct edit *v;
	size_t n, cap;
};

/* What edits_find found: so many places, from the first's start to the last's
 * end. */
struct hits {
	size_t n, at, end;
};

/* Take old, new, all, or edits, from arguments that have passed the schema.  0,
 * or -1 with f (bad_arguments): old is empty, or the same as new. */
int edits_parse(struct edits *e, struct slice args, struct fault *f);
void edits_release(struct edits *e);

/* Find every edit in text as it is.  0, or -1 with f: no_match (all edits
 * are looked at for it first), then ambiguous, then bad_arguments for edits
 * that overlap.  name is for the words. */
int edits_find(struct edits *e, struct slice text, const char *name,
    struct hits *h, struct fault *f);

/* Go through the places that edits_find found, from the start: the next one's
 * edit, and where it is; NULL at the end.  There may be millions, so they are
 * not stored. */
void edits_begin(struct edits *e);
const struct edit *edits_next(struct edits *e, struct slice text, size_t *at);

/* Append text with every place replaced. */
void edits_apply(struct edits *e, struct slice text, struct buf *out);

/* Make each LF CRLF. */
void text_to_crlf(struct buf *b);

/* The line (from 1) that holds byte at. */
long text_line(struct slice text, size_t at);

/* Append the text nearest to old, and where it first differs: the words of a
 * no_match. */
void edit_nearest(struct slice text, struct slice old, struct buf *out);
