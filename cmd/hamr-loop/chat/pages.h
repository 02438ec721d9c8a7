/* pages.h - what a session holds, on a page each. */
#pragma once

#include "base/map.h"
#include "internal.h"

/* A change of a file that a call made. */
struct change {
	char *call;
	char *command, *diff;	/* of bash; of edit and write; or NULL */
	char *mutated;		/* JSON: its paths */
	bool undone;
};

/* All that was read in the session's file. */
struct seen {
	long turn, turns;	/* wanted; so far */
	long line, at;		/* so far; of the wanted one's end */
	long requests;
	struct usage usage;
	struct buf read, changed;	/* paths, LF behind each */
	struct map ours;	/* ids of its checkpoints and calls */
	struct change *v;
	size_t n, cap;
	char *answer;		/* the last one that says something, or NULL */
	struct buf said;	/* it and those before it in its turn, NUL
				 * behind each */
	bool broken;		/* it broke off */
	bool silent;		/* the turns since have none */
	char *compaction;	/* the last record, or NULL */
	char *checkpoint;	/* the last one's id, or NULL */
	long compactions;
	uint64_t context;	/* tokens of AGENTS.md and the like */
};

/* All records of the session's file. */
void see_records(struct chat *c, void (*see)(void *arg, const struct rec *r),
    void *arg);

/* turn: its number, from 1; -1: none is wanted. */
void see_session(struct chat *c, struct seen *s, long turn);
void seen_release(struct seen *s);

/* ---- a page ---- */

void page_show(struct chat *c, struct buf *page);	/* releases it */

/* "s" or "". */
const char *plural(long n);

/* ---- commands ---- */

void page_status(struct chat *c, const char *arg);
void page_cost(struct chat *c, const char *arg);
void page_context(struct chat *c, const char *arg);
void page_budget(struct chat *c, const char *arg);
void page_diff(struct chat *c, const char *arg);
