/* export.h - a session in the forms of others: openai, atif, html. */
#ifndef HAMR_LOOP_EXPORT_H
#define HAMR_LOOP_EXPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "err.h"

/* The session at path as one self-contained page: a timeline of steps, tokens
 * per step with compactions marked, calls folded, diffs coloured, verdicts
 * highlighted.  No script, nothing fetched; text of models and tools is
 * escaped and cannot become markup. */
int export_html(const char *path, struct buf *out, struct err *e);

/* The same as one JSON document: {"messages","tools"} as the chat completions
 * API has them; a trajectory of ATIF 1.2. */
int export_openai(const char *path, struct buf *out, struct err *e);
int export_atif(const char *path, struct buf *out, struct err *e);

/* Append what a page begins with, up to its title. */
void html_head(struct buf *out);

/* Append text as HTML text. */
void html_text(struct buf *out, const char *p, size_t n);

/* Append a unified diff (a JSON string), its lines coloured; nothing when it
 * is none. */
void html_diff(struct buf *out, struct slice diff);

/* Append the chart: prompt tokens of each step, and at which steps the context
 * was compacted. */
struct chart {
	long long *tokens;	/* of a step; 0: the server did not say */
	bool *compacted;	/* before this step */
	size_t n, captokens, capcompacted;
};
void html_chart(const struct chart *c, struct buf *out);

#endif
