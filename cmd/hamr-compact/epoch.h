/* epoch.h - what the epoch_*.c share. */
#ifndef COMPACT_EPOCH_H
#define COMPACT_EPOCH_H

#include "compact.h"

/* Percent of B (chapter 8.2 of the specification). */
enum {
	TAIL_PERCENT = 15,	/* and at most keep_recent_tokens */
	STEPS_PERCENT = 40,	/* for keep_recent_tool_turns */
	SLIM_PERCENT = 8,	/* more is folded, to the half of it */
	CUT_PERCENT = 25,	/* stage 3: the results of the last step */
	STEP_PERCENT = 10	/* least growth between two epochs */
};

#define SUMMARY_LEAST 1200	/* bytes of a summary, at the last stage */

/* The stages, mildest first: how much of the tail is kept, how long the
 * summary may be, whether all but the last tool step is shown slim. */
struct row {
	const char *stage;
	long tail;		/* percent */
	size_t summary_cap;
	bool slim_tail;
};

const struct row *epoch_row(size_t k);	/* NULL behind the last */

/* ---- epoch_shape.c: which nodes are folded, slim, in full ---- */

long epoch_part(long whole, long percent);
long epoch_window(const struct compact *c);	/* B, also without a limit */
size_t epoch_system(const struct compact *c);	/* 1: node 0 is one */
/* The first node of the last tool step: stage 3 shows what is before it
 * slim. */
size_t epoch_last_step(const struct compact *c, size_t tail);
size_t epoch_tail(const struct compact *c, const struct row *row);
size_t epoch_steps(const struct compact *c, size_t steps);
size_t epoch_fold(const struct compact *c, size_t tail);

/* Show the view so; the summary is made anew. */
void epoch_show(struct compact *c, size_t fold, size_t thin, size_t cap);
/* The same with the summary that is in c->folded. */
void epoch_show_as(struct compact *c, size_t fold, size_t thin, size_t cap);

/* ---- epoch_keep.c: what is shown in full before the tail, and what is cut
 * in it ---- */

/* Fill the room up to `size` tokens with what is worth most. */
void epoch_refill(struct compact *c, long size);
void epoch_drop_kept(struct compact *c);
/* Call i (in rising order) is in full. */
void epoch_keep(struct compact *c, size_t i);
/* Cut the results from node `from` on, and the notes folded into them, to 25 %
 * of B together. */
void epoch_cut(struct compact *c, size_t from);
void epoch_cut_one(struct compact *c, size_t i, long tokens);
void epoch_cut_notes(struct compact *c, size_t node, size_t n);
void epoch_uncut(struct compact *c, size_t from);	/* of c->cuts */
/* Only those that hold are remembered; the others are not undone any more. */
void epoch_settle_cuts(struct compact *c);

/* ---- epoch_print.c ---- */

/* The epoch is known to who reads our records: list (may be NULL; JSON, commas
 * between) gets what is no longer in view since the last time. */
void epoch_told(struct compact *c, struct buf *list);

/* ---- ranges.c: lines of files that are shown later on ---- */

struct ranges {
	struct map by_file;	/* to index + 1 of the newest */
	struct range *v;
	size_t n, cap;
};

struct range {
	long first, last;
	size_t next;		/* index + 1 */
};

/* The lines that a call has to do with; all when it does not say. */
void ranges_add(struct ranges *s, const struct fact *f);
bool ranges_cover(const struct ranges *s, const struct fact *f);
void ranges_release(struct ranges *s);

#endif
