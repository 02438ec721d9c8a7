/* find.h - finding items of one or more memories. */
#pragma once

#include "store/store.h"

struct hit {
	char id[MEMID_SIZE];
	enum kind kind;
	const char *store;
	char *session, *role, *name;	/* NULL: none */
	int64_t line, time;		/* 0, WHEN_NONE: none */
	double score;			/* positive, higher is better */
	char *snippet;
	/* private */
	char hash[17];
	char *expr;
	int64_t row, passage;
	int tier;
	struct store *from;
};

struct hits {
	struct hit *h;
	size_t n, cap;
	bool partial;			/* not all that match was ranked */
};

#define MEMORIES 2			/* that are read at once, at most */

struct find {
	struct slice query;
	size_t max;
	int kind;			/* 0: both */
	const char *session;		/* NULL: all */
	int64_t since;			/* WHEN_NONE: all */
	bool raw;			/* query is FTS5's own language */
};

/* The best hits of all stores, best first. */
int find_hits(struct store *st, size_t n, const struct find *f,
    struct hits *out, struct err *e);
void hits_release(struct hits *h);
