/* find.c - finding items of one or more memories.
 *
 * A cascade: the query as a phrase, all of its words, any of them, words that
 * hold one of them.  What an earlier tier found stands before what a later one
 * does; within a tier bm25 decides, with a preference for facts and, mildly,
 * for what is new.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "find.h"
#include "map.h"
#include "mem.h"
#include "query.h"
#include "terms.h"

#define DAY_MS (24.0 * 3600 * 1000)

static void
hit_release(struct hit *h)
{
	free(h->session);
	free(h->role);
	free(h->name);
	free(h->snippet);
}

void
hits_release(struct hits *h)
{
	for (size_t i = 0; i < h->n; i++)
		hit_release(&h->h[i]);
	free(h->h);
	*h = (struct hits){ .n = 0 };
}

static char *
text_or_null(struct st *s, int i)
{
	struct slice v = st_col(s, i);

	return v.p != NULL ? xmemdup0(v.p, v.n) : NULL;
}

static void
copy_key(char id[MEMID_SIZE], struct slice key)
{
	memcpy(id, "m:", 2);
	memcpy(id + 2, key.p, key.n < MEMID_SIZE - 3 ? key.n :
	    MEMID_SIZE - 3);
}

/* Of bm25's open range into [tier, tier + 1). */
static double
score(const struct hit *h, double rank, int64_t newest)
{
	double base = rank / (rank + 8), age = 1;

	if (h->time != WHEN_NONE)
		age = 1 - exp((double)(h->time - newest) / (180 * DAY_MS));
	if (h->kind != KIND_FACT)
		base *= 0.8;
	return (TIERS - h->tier) + base * (1 - 0.1 * age);
}

static int
newest_time(struct store *st, int64_t *out, struct err *e)
{
	struct st *s = db_st(st->db, "SELECT max(time) FROM item", e);
	int got;

	if (s == NULL)
		return -1;
	got = st_step(s, e);
	if (got > 0 && !st_col_null(s, 0) && st_col_int(s, 0) > *out)
		*out = st_col_int(s, 0);
	st_done(s);
	return got < 0 ? -1 : 0;
}

/* bm25's weights: text 1, parts 1.5, path 3, name 0.5.  The best passage
 * stands for its item (a bare column beside min() is of that row). */
static struct st *
tier_query(struct store *st, const struct find *f, struct slice expr,
    struct err *e)
{
	struct st *s = db_st(st->db,
	    "WITH m AS MATERIALIZED (SELECT rowid AS passage,"
	    "  bm25(words, 1.0, 1.5, 3.0, 0.5) AS r"
	    "  FROM words WHERE words MATCH ?1)"
	    "SELECT i.id, i.key, i.kind, i.session, i.line, i.role,"
	    "  coalesce(i.name, i.slot), i.time, i.hash, m.passage, min(m.r) "
	    "FROM m JOIN item i ON i.id = m.passage >> 20 "
	    "WHERE (?2 IS NULL OR i.kind = ?2)"
	    "  AND (?3 IS NULL OR i.session = ?3)"
	    "  AND (?4 IS NULL OR i.time >= ?4) "
	    "GROUP BY i.id ORDER BY min(m.r), i.id DESC LIMIT ?5", e);

	if (s == NULL)
		return NULL;
	st_slice(s, 1, expr);
	if (f->kind != 0)
		st_int(s, 2, f->kind);
	st_text(s, 3, f->session);
	if (f->since != WHEN_NONE)
		st_int(s, 4, f->since);
	st_int(s, 5, (int64_t)f->max * 4 + 20);
	return s;
}

/* Take the rows of one tier; of an item or a text found before, nothing. */
static int
take_tier(struct store *st, struct st *s, int tier, int64_t newest,
    struct map *seen, struct hits *out, struct err *e)
{
	int got;

	while ((got = st_step(s, e)) > 0) {
		struct slice hash = st_col(s, 8);
		struct hit h = { .store = st->name, .from = st, .tier = tier,
			.kind = (enum kind)st_col_int(s, 2),
			.line = st_col_int(s, 4), .row = st_col_int(s, 0),
			.time = st_col_null(s, 7) ? WHEN_NONE :
			    st_col_int(s, 7), .passage = st_col_int(s, 9) };

		copy_key(h.id, st_col(s, 1));
		if (hash.n < sizeof h.hash)
			memcpy(h.hash, hash.p, hash.n);
		if ((*map_put(seen, slice_of(h.id), NULL))++ > 0)
			continue;
		h.session = text_or_null(s, 3);
		h.role = text_or_null(s, 5);
		h.name = text_or_null(s, 6);
		h.score = score(&h, -st_col_num(s, 10), newest);
		out->h = xgrow(out->h, out->n, &out->cap, sizeof *out->h);
		out->h[out->n++] = h;
	}
	return got;
}

static int
by_score(const void *pa, const void *pb)
{
	const struct hit *a = pa, *b = pb;

	if (a->score != b->score)
		return a->score > b->score ? -1 : 1;
	if (a->row != b->row)
		return a->row > b->row ? -1 : 1;
	return strcmp(a->id, b->id);
}

/* Sorted, equal texts once, max at most. */
static void
settle(struct hits *hits, size_t max)
{
	struct map seen = { 0 };
	size_t n = 0;

	if (hits->n > 0)
		qsort(hits->h, hits->n, sizeof *hits->h, by_score);
	for (size_t i = 0; i < hits->n; i++) {
		struct hit *h = &hits->h[i];
		bool fresh;

		map_put(&seen, slice_of(h->hash), &fresh);
		if (fresh && n < max)
			hits->h[n++] = *h;
		else
			hit_release(h);
	}
	hits->n = n;
	map_release(&seen);
}

static int
add_snippet(struct hit *h, struct slice expr, struct err *e)
{
	struct st *s = db_st(h->from->db,
	    "SELECT snippet(words, 0, '«', '»', '…', 24),"
	    "  snippet(words, -1, '«', '»', '…', 24) "
	    "FROM words WHERE words MATCH ?1 AND rowid = ?2", e);
	int got;

	if (s == NULL)
		return -1;
	st_slice(s, 1, expr);
	st_int(s, 2, h->passage);
	got = st_step(s, e);
	if (got > 0) {
		h->snippet = text_or_null(s, 0);
		if (h->snippet == NULL || strstr(h->snippet, "«") == NULL) {
			free(h->snippet);	/* found by path or name */
			h->snippet = text_or_null(s, 1);
		}
	}
	st_done(s);
	if (h->snippet == NULL)		/* forgotten in this moment */
		h->snippet = xstrdup("");
	return got < 0 ? -1 : 0;
}

/* The only words in a statement that are not ours are those of --raw. */
static void
blame_query(struct err *e)
{
	struct err was = *e;
	const char *why = strstr(was.text, "fts5:");

	if (why == NULL)
		why = strstr(was.text, "no such column:");
	if (was.status == ST_BUG)
		err_set(e, ST_USAGE, "--raw: %s", why != NULL ? why :
		    was.text);
}

int
find_hits(struct store *st, size_t n, const struct find *f, struct hits *out,
    struct err *e)
{
	int64_t newest = WHEN_NONE;
	struct map seen = { 0 };
	struct query q;
	int r = 0;

	if (f->raw)
		query_raw(&q, f->query);
	else
		query_build(&q, f->query);
	for (size_t i = 0; i < n && r == 0; i++)
		r = newest_time(&st[i], &newest, e);
	for (int t = 0; t < TIERS && r == 0 && out->n < f->max; t++) {
		if (t == TIER_WITHIN)
			r = terms_holding(st, n, buf_view(&q.within),
			    &q.expr[t], e);
		if (q.expr[t].len == 0)
			continue;
		for (size_t i = 0; i < n && r == 0; i++) {
			struct st *s = tier_query(&st[i], f,
			    buf_view(&q.expr[t]), e);

			r = s == NULL ? -1 : take_tier(&st[i], s, t, newest,
			    &seen, out, e);
		}
		settle(out, f->max);
	}
	for (size_t i = 0; i < out->n && r == 0; i++)
		r = add_snippet(&out->h[i],
		    buf_view(&q.expr[out->h[i].tier]), e);
	if (r < 0 && f->raw)
		blame_query(e);
	map_release(&seen);
	query_release(&q);
	return r;
}

int
find_list(struct store *st, int kind, list_fn *fn, void *ctx, struct err *e)
{
	struct st *s = db_st(st->db, "SELECT i.id, i.key, i.kind, i.slot, "
	    "i.tags, i.time, p.text FROM item i LEFT JOIN passage p "
	    "ON p.id = i.id << 20 WHERE ?1 IS NULL OR i.kind = ?1 "
	    "ORDER BY i.id DESC", e);
	int got;

	if (s == NULL)
		return -1;
	if (kind != 0)
		st_int(s, 1, kind);
	while ((got = st_step(s, e)) > 0) {
		struct listed l = { .store = st->name,
			.row = st_col_int(s, 0),
			.kind = (enum kind)st_col_int(s, 2),
			.slot = st_col(s, 3), .tags = st_col(s, 4),
			.time = st_col_null(s, 5) ? WHEN_NONE :
			    st_col_int(s, 5), .text = st_col(s, 6) };

		copy_key(l.id, st_col(s, 1));
		if (!fn(ctx, &l)) {
			got = 0;
			break;
		}
	}
	st_done(s);
	return got;
}

int
find_stats(struct store *st, struct stats *out, struct err *e)
{
	struct st *s = db_st(st->db, "SELECT "
	    "(SELECT count(*) FROM item WHERE kind = 1),"
	    "(SELECT count(*) FROM item WHERE kind = 2),"
	    "(SELECT count(DISTINCT session) FROM item),"
	    "(SELECT count(*) FROM forgotten WHERE key NOT IN "
	    "(SELECT key FROM item)),"
	    "(SELECT coalesce(sum(bytes), 0) FROM item)", e);
	int got;

	if (s == NULL)
		return -1;
	got = st_step(s, e);
	if (got > 0)
		*out = (struct stats){ st_col_int(s, 0), st_col_int(s, 1),
			st_col_int(s, 2), st_col_int(s, 3),
			st_col_int(s, 4) };
	st_done(s);
	return got < 0 ? -1 : 0;
}
