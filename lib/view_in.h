/* view_in.h - what a view is made of; only for view.c and view_print.c. */
#ifndef HAMR_VIEW_IN_H
#define HAMR_VIEW_IN_H

#include "map.h"
#include "msg.h"
#include "view.h"

#define NO_RESULT "\"(no result)\""

enum piece_kind {
	P_TEXT,			/* the message's own content */
	P_REASONING,
	P_NOTE			/* folded into the last result */
};

struct piece {
	enum piece_kind kind;
	bool person;		/* of a user message: a person wrote it */
	bool context;		/* meta.by is "context" */
	char *json;		/* a string, an array or null */
	size_t n;
};

struct view {
	enum token_family family;
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
	struct piece summary;
	uint64_t sum, summary_sum;
	size_t records;
};

/* Is there nothing in it? */
bool view_is_empty(const struct piece *p);
bool view_has_piece(const struct view *v, const struct view_node *node,
    enum piece_kind kind);	/* one that is not empty */
/* Is it shown itself, not within the summary? */
bool view_is_shown(const struct view *v, size_t node);

#endif
