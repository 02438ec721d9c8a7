/* internal.h - the inside of a view; of view.c and view_add.c. */
#pragma once

#include "view.h"

#define EMPTY "\"(empty)\""	/* instead of a message of nothing */

enum piece_kind {
	P_TEXT,			/* the message's own content */
	P_REASONING,
	P_NOTE			/* folded into the last result */
};

struct piece {
	enum piece_kind kind;
	bool person;		/* of a user message: a person wrote it */
	bool context;		/* meta.by is "context" */
	bool calls;		/* the node's calls are in it */
	struct slice json;	/* a string, an array or null */
	uint64_t sum;		/* 1/64 tokens */
};

/* Node i shows this much more (or less: the sums wrap), in full and slim. */
void view_grow(struct view *v, size_t i, uint64_t full, uint64_t thin);

/* Call i has changed: count it again. */
void view_count_call(struct view *v, size_t i);

/* Has the node a piece of this kind that is not empty? */
bool view_has_piece(const struct view *v, const struct view_node *node,
    enum piece_kind kind);

/* The node's bytes are no longer right. */
void view_invalidate(struct view *v, size_t node);
