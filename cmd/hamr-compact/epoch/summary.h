/* summary.h - what is left of the oldest turns: one text, made of records.
 *
 * Nodes are folded in in order, each once; the text is made anew from all of
 * them (never from an earlier summary).
 */
#pragma once

#include "base/buf.h"
#include "view/view.h"

struct summary;

struct summary *summary_new(void);
void summary_free(struct summary *s);

/* Make s cover the nodes before `fold`; starts again when it covers more. */
void summary_fold(struct summary *s, const struct view *v, size_t fold);

struct summary_room {
	size_t cap;		/* bytes, about, without the context and what
				 * people wrote that is kept whole */
	long window;		/* tokens */
	bool last;		/* of the last stage, after which nothing is
				 * cut any more */
	long context;		/* tokens of context that are kept */
	enum token_family family;
};

/* Append it, a content value (JSON); v is the view it was made of. */
void summary_print(const struct summary *s, const struct view *v,
    const struct summary_room *room, struct buf *out);
