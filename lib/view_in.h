/* view_in.h - what a view is made of; only for the view_*.c.
 *
 * Lowest first: view_sum.c (estimates), view_print.c (what is written),
 * view_dialect.c (calls written as text), view_call.c (calls), view_take.c
 * (messages taken in), view.c (life, and how parts are shown).
 */
#ifndef HAMR_VIEW_IN_H
#define HAMR_VIEW_IN_H

#include "arena.h"
#include "map.h"
#include "msg.h"
#include "view.h"

#define NO_RESULT "\"(no result)\""
#define NO_NAME "\"unknown\""

enum piece_kind {
	P_TEXT,			/* the message's own content */
	P_REASONING,
	P_NOTE			/* folded into the last result */
};

struct piece {
	enum piece_kind kind;
	bool person;		/* of a user message: a person wrote it */
	bool context;		/* meta.by is "context" */
	bool calls;		/* the node's calls stand in it */
	char *json;		/* a string, an array or null */
	size_t n;
};

struct view {
	enum token_family family;
	struct arena arena;	/* all texts, but the summary's */
	struct view_hooks hooks;
	struct view_node *nodes;
	struct piece *pieces;
	struct view_call *calls;
	size_t n, cap, npieces, cappieces, ncalls, capcalls;
	struct pairing pairing;
	struct map ids;		/* ids in use; how often each was repeated */
	struct scan scan;
	struct buf tmp;
	struct buf body;	/* the messages, commas between */
	size_t clean;		/* nodes whose bytes in body are right */
	size_t fold;		/* nodes before it are the summary */
	size_t aged;		/* nodes before it are */
	struct piece summary;
	uint64_t sum, summary_sum;
	size_t records;
};

/* ---- view_sum.c ---- */

uint64_t view_string_sum(enum token_family f, struct slice json);
uint64_t view_message_sum(void);	/* of an empty message */
/* Is it shown itself, not within the summary? */
bool view_is_shown(const struct view *v, size_t node);
/* The node that begins the message which this one is shown in. */
size_t view_head(const struct view *v, size_t node);
/* Node i shows so much more (or less: the sums wrap), in full and slim. */
void view_grow(struct view *v, size_t i, uint64_t full, uint64_t thin);
/* What stands in c has changed: count it again.  Of these parts only. */
enum { COUNT_FULL = 1, COUNT_THIN = 2 };
void view_count_call(struct view *v, size_t i, unsigned parts);
/* The sums in c have been changed to these. */
void view_account(struct view *v, size_t i, uint64_t full, uint64_t thin);

/* ---- view_print.c ---- */

/* Is there nothing in it? */
bool view_is_empty(const struct piece *p);
bool view_has_piece(const struct view *v, const struct view_node *node,
    enum piece_kind kind);	/* one that is not empty */
/* What stands for so many notes that are left out: a JSON string. */
void view_note_of(size_t skipped, struct buf *out);
/* The node's bytes are no longer right. */
void view_touch(struct view *v, size_t node);

/* ---- view_call.c ---- */

/* A call of the last node: a new element of v->calls. */
void view_add_call(struct view *v, const struct call *c);

#endif
