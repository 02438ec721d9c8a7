/* internal.h - what the files of this folder share. */
#pragma once

#include "compact.h"

#define SUMMARY_LEAST 1000	/* bytes of a summary that cuts also the task
				 * and the newest message, if they are long */
#define SUMMARY_IMAGES (SUMMARY_LEAST + 1)	/* of one that keeps their
						 * images then */

/* ---- ingest.c: messages ---- */

/* Set the callbacks of the new view. */
void ingest_begin(struct compact *c);
/* These files ({"path": ...} each) had another text by the time of this call
 * (from 1): what calls before it showed of them is out of date. */
void ingest_changes(struct compact *c, struct slice files, size_t call);

/* ---- epoch.c: when, and what is folded, slim, in full ---- */

long epoch_window(const struct compact *c);	/* B, also without a limit */
/* What an epoch leaves at most. */
long epoch_ceiling(const struct compact *c);
/* The node at which the newest `steps` tool steps begin, but not before
 * `stop`. */
size_t epoch_steps_from(const struct compact *c, size_t steps, size_t stop);
/* Show the view like this, with a new summary. */
void epoch_show(struct compact *c, size_t fold, size_t slim, size_t cap);

/* ---- refill.c: what is shown in full before the tail, and what is cut in
 * the tail ---- */

/* Fill the room that the window's aim leaves with the most valuable calls. */
void epoch_refill(struct compact *c);
/* Show none in full any more; false if none was. */
bool epoch_drop_kept(struct compact *c);
/* Cut the results from node `from` on, and the notes folded into them, to this
 * percentage of B in total; to more if a file's text is longer and the window
 * allows. */
void epoch_cut(struct compact *c, size_t from, long share);
void epoch_cut_one(struct compact *c, size_t i, long tokens);

/* Lines of files that are in view, by read. */
struct shown {
	struct lines {
		size_t file;
		long first, last;
	} *v;
	size_t n, cap;
};

/* Nothing if the call is not a read of a file, or is cut. */
void shown_add(struct shown *s, const struct view_call *call);
/* Does one of them show all lines that a call concerns? */
bool shown_has_lines(const struct shown *s, const struct fact *f);

/* ---- compaction.c: the record ---- */

void epoch_read(struct compact *c, const struct rec *r);

/* ---- summary.c: what is left of the oldest turns: one text, made of records
 *
 * Nodes are folded in order, each once; the text is always made from all of
 * them, never from an earlier summary. ---- */

struct summary *summary_new(void);
void summary_free(struct summary *s);

/* Make s cover the nodes before `fold`; starts over if it covers more. */
void summary_fold(struct summary *s, struct view *v, size_t fold);

/* Append it, a content value (JSON) of at most cap bytes, roughly, not counting
 * the context and people's words that are kept whole. */
void summary_print(const struct compact *c, size_t cap, struct buf *out);
