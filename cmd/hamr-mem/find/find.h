/* find.h - find items in one or more memories. */
#pragma once

#include "store/store.h"

struct hit {
	char id[MEMID_SIZE];
	enum kind kind;
	struct store *from;
	char *session, *role, *name;	/* NULL: none */
	int64_t line, time;		/* 0, WHEN_NONE: none */
	double score;			/* positive, higher is better */
	char *snippet;
	/* private */
	char hash[17];
	char *expr;
	int64_t row, passage;
	int tier;
};

struct hits {
	struct hit *h;
	size_t n, cap;
	bool partial;			/* some matches were not ranked */
};

#define MEMORIES 3			/* most memories read at once */

struct find {
	struct slice query;
	size_t max;
	int kind;			/* 0: both */
	const char *session;		/* NULL: all */
	int64_t since;			/* WHEN_NONE: all */
	bool raw;			/* query is FTS5's own language */
};

/* Find the best hits of all stores, best first; hits_release frees them.
 * 0, or -1 with e. */
int find_hits(struct store *st, size_t n, const struct find *f,
    struct hits *out, struct err *e);
void hits_release(struct hits *h);
