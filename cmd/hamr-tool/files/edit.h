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
	/* set by edits_make: so many places, from the first's start to the
	 * last's end */
	size_t places, at, end;
};

/* Take old, new, all, or edits, from arguments that have passed the schema.  0,
 * or -1 with f (bad_arguments): old is empty, or the same as new. */
int edits_parse(struct edits *e, struct slice args, struct fault *f);
void edits_release(struct edits *e);

/* Find every edit in text as it is, and append the text with all made.  0, or
 * -1 with f: no_match (all edits are looked at for it first), then ambiguous,
 * then bad_arguments for edits that overlap.  name is for the words. */
int edits_make(struct edits *e, struct slice text, const char *name,
    struct buf *out, struct fault *f);

/* Go through the places that edits_make found: the next one's edit, and where
 * it is; NULL at the end, and then from the start again.  There may be
 * millions, so they are not stored. */
const struct edit *edits_next(struct edits *e, struct slice text, size_t *at);

/* Make each LF CRLF. */
void text_to_crlf(struct buf *b);

/* The line (from 1) that holds byte at. */
long text_line(struct slice text, size_t at);

/* Append the text nearest to old, which ends with a NUL, and where it first
 * differs: the words of a no_match. */
void edit_nearest(struct slice text, struct slice old, struct buf *out);
