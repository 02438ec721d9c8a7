/* find.c - find items in one or more memories.
 *
 * A cascade of tiers: the query as a phrase, all of its words, any of them,
 * words that contain one of them.  The hits of an earlier tier come first;
 * within a tier bm25 decides, with a preference for facts and a mild one for
 * new items.  Phrase and all words are one query: relevance() tells them apart.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "find.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/utf8.h"
#include "query.h"
#include "store/text.h"
#include "store/words.h"

#define DAY_MS (24.0 * 3600 * 1000)
#define SEARCH_MS 120		/* for a whole search, but not its snippets */
#define ROWS_MAX 50000		/* a tier ranks only this many rows, the newest
				 * that match */
#define COMMON 4		/* a word is common if at least one in this many
				 * rows has it */
#define ANY_ROWS 5000		/* about as many rows may match any word */
#define SAMPLE 300		/* of a word's rows, to estimate how many more
				 * there are */
#define PART_BYTES 60		/* shown before a matching part of a word, and
				 * twice as much after it */
#define FRAGMENTS 16		/* the most words of a query that are looked for
				 * within longer words */
#define WITHIN 50		/* the most words asked for that contain them */
#define ALL_ROWS 10		/* when the rarest words leave about this few
				 * rows, look for the others in their text, not
				 * in the index */
#define ASCEND_ROWS 1000000	/* the words' rows, added up; FTS5 walks fewer
				 * than that from the oldest a third faster */
#define RANGES 8		/* the most, of a session's items */
#define GAP 10000		/* least number of items between two ranges */
#define TERMS 256		/* of an expression whose rows are estimated */

struct search {
	struct map seen;	/* ids of the hits so far */
	int64_t newest;		/* time of the newest item: "now" */
	long long until;	/* file_now_ms */
	bool partial;		/* some matches were not ranked */
	struct memory {
		struct store *st;
		int64_t newest;		/* id of the newest message */
		struct range {		/* search only these ids: from <= id
					 * < to */
			int64_t from, to;
		} range[RANGES];
		size_t ranges;
		struct map rows;	/* from a word to its estimated rows */
	} memory[MEMORIES];
};

struct ask {
	int tier;
	struct buf expr;
	double rows[TERMS];	/* estimated rows of each term */
	size_t n;
	bool ascending;		/* the oldest row first, as all are ranked */
	enum {			/* which of the query's words are in expr */
		ASKED_ALL,
		ASKED_MANY,	/* all but common ones, which do not matter: a
				 * row that matches expr is a hit */
		ASKED_FEW	/* the rarest: a row that matches expr is a hit
				 * if its text has the other words */
	} asked;
};

static void
hit_release(struct hit *h)
{
	FREE(h->session, h->role, h->name, h->snippet, h->expr);
}

void
hits_release(struct hits *h)
{
	for (size_t i = 0; i < h->n; i++)
		hit_release(&h->h[i]);
	free(h->h);
	*h = (struct hits){ .n = 0 };
}

/* Map bm25's open range into [tier, tier + 1). */
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

/* ---- one tier of one memory ---- */

/* The best items of a tier so far: by rank, then the newest. */
struct best {
	struct candidate {
		int64_t row, passage;
		double rank;
	} *v;
	size_t n, max;
};

static bool
is_worse(const struct candidate *a, const struct candidate *b)
{
	return a->rank != b->rank ? a->rank < b->rank : a->row < b->row;
}

/* Read an item; the caller calls st_done.  *got is st_step's answer: 0 when the
 * filters exclude the item. */
static struct st *
item_of(struct store *st, const struct find *f, int64_t row, int *got,
    struct err *e)
{
	struct st *s = db_query(st->db, e, "SELECT key, kind, session, line, "
	    "role, coalesce(name, slot), time, hash FROM item WHERE id = ?1 "
	    "AND (?2 IS NULL OR session = ?2) AND (?3 IS NULL OR time >= ?3)",
	    "iti", row, f->session, f->since);

	*got = st_step(s, e);
	return s;
}

/* Insert c into the best, if it belongs there.  When they are full, tell
 * relevance() what the next row must reach. */
static int
rank(struct store *st, const struct find *f, const struct candidate *c,
    struct db_relevance *told, struct best *b, struct err *e)
{
	int want = 1;

	if (b->n == b->max && !is_worse(&b->v[b->n - 1], c))
		return 0;
	/* the index does not know these filters' columns */
	if (f->session != NULL || f->since != WHEN_NONE)
		st_done(item_of(st, f, c->row, &want, e));
	if (want > 0) {
		size_t i = b->n < b->max ? b->n++ : b->n - 1;

		for (; i > 0 && is_worse(&b->v[i - 1], c); i--)
			b->v[i] = b->v[i - 1];
		b->v[i] = *c;
	}
	if (b->n == b->max)
		told->least = b->v[b->n - 1].rank;
	return want < 0 ? -1 : 0;
}

/* Rank the rows of s.  An item's passages are consecutive, and the best of them
 * stands for the item; with `each`, all count, because their text is yet to be
 * checked.  1: stopped early, with enough rows or out of time. */
static int
rank_rows(struct store *st, const struct find *f, struct st *s, bool each,
    struct search *x, struct db_relevance *told, struct best *best,
    struct err *e)
{
	struct candidate c = { .row = 0 };
	int got;

	if (f->raw)		/* otherwise no step takes long */
		db_deadline(st->db, x->until);
	while ((got = st_step(s, e)) >= 0) {
		int64_t passage = got > 0 ? st_col_int(s, 0) : 0;

		if (each || passage >> PASSAGE_BITS != c.row) {
			if (c.row > 0 && rank(st, f, &c, told, best, e) < 0)
				got = -1;
			c = (struct candidate){ passage >> PASSAGE_BITS,
				passage, told->score };
		} else if (told->score >= c.rank) {
			c.passage = passage;
			c.rank = told->score;
		}
		if (got <= 0)
			break;
		if ((each && best->n == best->max) || told->left == 0)
			break;
	}
	st_done(s);
	if (db_deadline(st->db, 0) && got < 0)
		got = 1;
	return got;
}

/* Add a hit, unless its item was found before. */
static int
take(struct store *st, const struct find *f, const struct candidate *c,
    int tier, struct search *x, struct hits *out, struct err *e)
{
	bool phrase = c->rank >= DB_PHRASE;
	struct hit h = { .from = st, .row = c->row, .passage = c->passage,
		.tier = phrase ? TIER_PHRASE : tier };
	int got;
	struct st *s = item_of(st, f, c->row, &got, e);

	if (got > 0) {
		struct slice key = st_col(s, 0), hash = st_col(s, 7);

		snprintf(h.id, sizeof h.id, "m:%.*s", (int)key.n, key.p);
		h.kind = (enum kind)st_col_int(s, 1);
		h.line = st_col_null(s, 3) ? 0 : st_col_int(s, 3);
		h.time = st_col_int(s, 6);
		if (hash.n < sizeof h.hash)
			memcpy(h.hash, hash.p, hash.n);
		if ((*map_put(&x->seen, slice_of(h.id), NULL))++ == 0) {
			h.session = st_col_dup(s, 2);
			h.role = st_col_dup(s, 4);
			h.name = st_col_dup(s, 5);
			h.score = score(&h, phrase ? c->rank - DB_PHRASE :
			    c->rank, x->newest);
			GROW(out->h, out->n, out->cap);
			out->h[out->n++] = h;
		}
	}
	st_done(s);
	return got < 0 ? -1 : 0;
}

/* A small index of only the passages to show: to mark words with the large one,
 * FTS5 would search its lists for each passage. */
#define SHOWN_SQL "CREATE VIRTUAL TABLE IF NOT EXISTS temp.shown USING fts5(" \
	"text, parts, path, name, " \
	"tokenize='porter unicode61 remove_diacritics 2');" \
	"DELETE FROM temp.shown"

static int
show(struct store *st, int64_t passage, struct err *e)
{
	return db_run(st->db, e, "INSERT INTO temp.shown(rowid, text, parts, "
	    "path, name) SELECT id, text, parts, path, name FROM source "
	    "WHERE id = ?1", "i", passage);
}

/* Which of the best, sorted by passage, are in temp.shown and match expr? */
static int
find_matches(struct store *st, const struct best *best, const struct buf *expr,
    bool *matches, struct err *e)
{
	struct st *s = db_query(st->db, e, "SELECT rowid FROM temp.shown "
	    "WHERE shown MATCH ?1 ORDER BY rowid", "s", buf_view(expr));
	size_t i = 0;
	int got;

	while ((got = st_step(s, e)) > 0) {
		while (i < best->n && best->v[i].passage < st_col_int(s, 0))
			i++;
		if (i < best->n)
			matches[i] = true;
	}
	return got;
}

static int
by_passage(const void *pa, const void *pb)
{
	const struct candidate *a = pa, *b = pb;

	return (a->passage > b->passage) - (a->passage < b->passage);
}

static int
by_rank(const void *a, const void *b)
{
	return is_worse(a, b) ? 1 : -1;
}

/* Check the best of a query from which words were left out.  With `all`, drop
 * those whose text does not have all of them.  A row was taken for one with the
 * phrase if it has the words that were asked for at the right distances: look
 * whether the words left out are between them. */
static int
check_best(struct store *st, const struct query *q, bool all,
    struct best *best, struct err *e)
{
	bool *has_all = xcalloc(best->n + 1, sizeof *has_all);
	bool *has_phrase = xcalloc(best->n + 1, sizeof *has_phrase);
	size_t n = 0;
	int r = db_exec(st->db, SHOWN_SQL, e);

	if (best->n > 0)	/* out of order, FTS5 would write to disk */
		qsort(best->v, best->n, sizeof *best->v, by_passage);
	for (size_t i = 0; i < best->n && r == 0; i++)
		if (all || best->v[i].rank >= DB_PHRASE)
			r = show(st, best->v[i].passage, e);
	if (r == 0 && all)
		r = find_matches(st, best, &q->all, has_all, e);
	if (r == 0)
		r = find_matches(st, best, &q->phrase, has_phrase, e);
	for (size_t i = 0; i < best->n; i++) {
		struct candidate c = best->v[i];

		if (all && !has_all[i])
			continue;
		if (c.rank >= DB_PHRASE && !has_phrase[i])
			c.rank -= DB_PHRASE;
		best->v[n++] = c;
	}
	best->n = n;
	if (n > 0)
		qsort(best->v, n, sizeof *best->v, by_rank);
	FREE(has_all, has_phrase);
	return r;
}

#define ROWS_SQL "SELECT rowid FROM words WHERE words MATCH ?1 AND " \
	"rowid >= ?2 AND rowid < ?3 AND relevance(words, ?4) ORDER BY rowid"

/* Add the hits of one tier.  1: none were added, because so many rows have the
 * words we asked for that those with all words, or the newest, may not be among
 * the best; ask for more words. */
static int
take_tier(const struct memory *m, const struct find *f, const struct query *q,
    const struct ask *ask, struct search *x, struct hits *out, struct err *e)
{
	bool few = ask->asked == ASKED_FEW;
	struct best best = { .max = f->max * 4 + 20 };
	struct db_relevance want = { .weight = { 1, 1.5, 3, 0.5 },
		.rows = ask->rows, .nrows = ask->n,
		.left = ROWS_MAX + 1,	/* the last one tells of more */
		.until = x->until, .order = q->asked,
		.n = ask->tier == TIER_ALL ? (int)q->words : 0 };
	int r = 0;

	best.v = xcalloc(best.max, sizeof *best.v);
	for (size_t i = m->ranges; i-- > 0 && r == 0;) {
		int64_t from = m->range[i].from, to = m->range[i].to;

		if (f->kind == KIND_FACT)
			from = FACT_FIRST;
		if (f->kind == KIND_MESSAGE && to > FACT_FIRST)
			to = FACT_FIRST;
		r = rank_rows(m->st, f, db_query(m->st->db, e, ask->ascending ?
		    ROWS_SQL : ROWS_SQL " DESC", "siir", buf_view(&ask->expr),
		    from << PASSAGE_BITS, to << PASSAGE_BITS, &want), few, x,
		    &want, &best, e);
	}
	free(want.rarity);
	if (r >= 0 && ((few && best.n == best.max) || (ask->ascending &&
	    want.left == 0 && file_now_ms() <= x->until))) {
		free(best.v);
		return 1;
	}
	if (r > 0)
		x->partial = true;
	if (ask->asked != ASKED_ALL && r >= 0)
		r = check_best(m->st, q, few, &best, e);
	for (size_t i = 0; i < best.n && r >= 0; i++)
		r = take(m->st, f, &best.v[i], ask->tier, x, out, e);
	free(best.v);
	return r < 0 ? -1 : 0;
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

/* Sort the hits, drop duplicate texts, and keep at most max. */
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

static bool
is_alike(const struct hit *a, const struct hit *b)
{
	return a->from == b->from && strcmp(a->expr, b->expr) == 0;
}

/* The first word of text that has this part, other than as it is spelled: a
 * letter that is typed otherwise, a symbol.  p NULL: none. */
static struct slice
word_with_part(struct slice text, struct slice part)
{
	struct buf parts = BUF_INIT(SIZE_MAX);
	struct slice w = { NULL, 0 }, one = w, rest;
	size_t at = 0;

	while (!slice_eq(one, part) && text_word(text, &at, &w)) {
		buf_reset(&parts);
		text_parts(w, &parts);
		rest = buf_view(&parts);
		while (rest.n > 0 && !slice_eq(one, part)) {
			one = slice_part(rest, 0, slice_find(rest, 0, " "));
			rest = slice_from(rest, num_min(one.n + 1, rest.n));
		}
	}
	bool found = slice_eq(one, part);
	buf_release(&parts);
	return found ? w : (struct slice){ NULL, 0 };
}

/* A snippet of text around the first part of a word that is marked in shown;
 * NULL when the text does not have it. */
static char *
part_snippet(struct slice text, struct slice shown)
{
	struct buf out = BUF_INIT(SIZE_MAX);
	size_t from = slice_find(shown, 0, "«") + strlen("«");
	struct slice part = slice_part(shown, from, slice_find(shown, 0, "»"));

	part.n = slice_find(part, 0, " ");
	const char *at = memmem(text.p, text.n, part.p, part.n);
	if (at == NULL) {
		part = word_with_part(text, part);
		at = part.p;
	}
	if (at == NULL)
		return NULL;
	struct slice before = { text.p, (size_t)(at - text.p) };
	struct slice near = utf8_last(before, PART_BYTES);
	struct slice after = slice_from(text, before.n + part.n);
	size_t n = utf8_cut(after.p, after.n, 2 * PART_BYTES);
	buf_adds(&out, near.n < before.n ? "…" : "");
	buf_slice(&out, near);
	buf_adds(&out, "«");
	buf_slice(&out, part);
	buf_adds(&out, "»");
	buf_add(&out, after.p, n);
	buf_adds(&out, n < after.n ? "…" : "");
	return buf_detach(&out);
}

/* Add snippets to this hit and to those after it found by the same words. */
static int
add_snippets(struct hit *h, size_t n, struct err *e)
{
	struct db *db = h->from->db;
	struct st *s;
	int got = db_exec(db, SHOWN_SQL, e);

	for (size_t i = 0; i < n && got >= 0; i++)
		if (is_alike(&h[i], h))
			got = show(h->from, h[i].passage, e);
	s = got < 0 ? NULL : db_query(db, e, "SELECT rowid, snippet(shown, 0, "
	    "'«', '»', '…', 24), snippet(shown, 1, '«', '»', '…', 24), "
	    "(SELECT text FROM passage WHERE id = shown.rowid), "
	    "snippet(shown, -1, '«', '»', '…', 24) "
	    "FROM temp.shown WHERE shown MATCH ?1", "t", h->expr);
	while (got >= 0 && (got = st_step(s, e)) > 0) {
		bool marked = slice_has(st_col(s, 1), "«");
		bool part = !marked && slice_has(st_col(s, 2), "«");

		for (size_t i = 0; i < n; i++)
			if (is_alike(&h[i], h) &&
			    h[i].passage == st_col_int(s, 0)) {
				h[i].snippet = !part ? NULL : part_snippet(
				    st_col(s, 3), st_col(s, 2));
				if (h[i].snippet == NULL)
					h[i].snippet = st_col_dup(s, marked ||
					    part ? 1 : 4); /* 4: path, name */
			}
	}
	if (h->snippet == NULL)		/* forgotten just now */
		h->snippet = xstrdup("");
	return got < 0 ? -1 : 0;
}

/* Estimate how many rows contain a word: count the newest ones, up to SAMPLE,
 * and scale by the part of the memory that they span. */
static int
count_rows(struct memory *m, struct slice word, double *out, struct err *e)
{
	int64_t at = 0;
	uint64_t n = 0;
	bool fresh;
	int got = 0;
	uint64_t *known = map_put(&m->rows, word, &fresh);

	if (!fresh) {
		*out = (double)*known;
		return 0;
	}
	struct st *s = db_query(m->st->db, e, "SELECT rowid FROM words "
	    "WHERE words MATCH ?1 ORDER BY rowid DESC", "s", word);
	while (n < SAMPLE && (got = st_step(s, e)) > 0) {
		at = st_col_int(s, 0) >> PASSAGE_BITS;
		n++;
	}
	st_done(s);
	if (n == SAMPLE && m->newest > at)
		n = (uint64_t)((double)n * (double)m->newest /
		    (double)(m->newest - at + 1));
	*known = n;
	*out = (double)n;
	return got < 0 ? -1 : 0;
}

static int
by_rows(const void *pa, const void *pb)
{
	const struct query_word *a = pa, *b = pb;

	if (a->rows != b->rows)
		return a->rows < b->rows ? -1 : 1;
	return a->no - b->no;
}

/* Estimate the rows of each word, and sort the words, rarest first. */
static int
sort_words(struct memory *m, struct query *q, struct err *e)
{
	for (size_t i = 0; i < q->nword; i++)
		if (!q->word[i].joined && count_rows(m,
		    buf_view(&q->word[i].expr), &q->word[i].rows, e) < 0)
			return -1;
	/* if a piece of a joined word is in no row, neither is the word, but
	 * it may be a fragment of one; otherwise its pieces are enough */
	for (size_t i = 0; i < q->nword; i++) {
		struct slice all = q->word[i].text;

		if (!q->word[i].joined)
			continue;
		q->word[i].rows = HUGE_VAL;
		for (size_t k = 0; k < q->nword; k++) {
			const struct query_word *w = &q->word[k];

			if (!w->joined && !w->part && w->rows == 0 && memmem(
			    all.p, all.n, w->text.p, w->text.n) != NULL)
				q->word[i].rows = 0;
		}
	}
	if (q->nword > 0)
		qsort(q->word, q->nword, sizeof *q->word, by_rows);
	return 0;
}

static void
add_term(struct ask *ask, const char *between, struct slice term, double rows)
{
	if (ask->expr.len > 0)
		buf_adds(&ask->expr, between);
	buf_slice(&ask->expr, term);
	if (ask->n < TERMS)
		ask->rows[ask->n++] = rows;
}

/* Ask for words that contain one of the query's words which is in least to most
 * rows.  Skip containing words that are in too many rows themselves, but if all
 * are, take the first. */
static int
words_within(struct memory *m, const struct query *q, double least,
    double most, struct ask *ask, struct err *e)
{
	struct slice fragment[FRAGMENTS], first = { NULL, 0 }, term, rest;
	struct buf terms = BUF_INIT(EXPR_MAX);
	double rows, all = 0, first_rows = 0;
	size_t n = 0;

	for (size_t i = 0; i < q->nword && n < FRAGMENTS; i++)
		if (!q->word[i].part && q->word[i].rows >= least &&
		    q->word[i].rows <= most)
			fragment[n++] = q->word[i].text;
	int r = words_holding(m->st, fragment, n, &terms, e);
	rest = buf_view(&terms);
	while (r == 0 && slice_line(&rest, &term)) {
		r = count_rows(m, term, &rows, e);
		if (r < 0 || rows == 0)		/* its texts are gone */
			continue;
		if (first.n == 0) {
			first = term;
			first_rows = rows;
		}
		if (all + rows > ANY_ROWS || ask->n == WITHIN)
			continue;
		all += rows;
		add_term(ask, " OR ", term, rows);
	}
	if (r == 0 && ask->n == 0 && first.n > 0)
		add_term(ask, "", first, first_rows);
	buf_release(&terms);
	return r;
}

/* Ask for all words.  In a large memory, omit those (except the two rarest)
 * that are too common to matter; and, unless many, stop when the words so far
 * leave few rows.  Of joined words only the rarest narrows these, as the others
 * are in the same rows. */
static int
all_words(struct memory *m, struct query *q, bool many, struct ask *ask,
    struct err *e)
{
	double rows[QUERY_WORDS] = { 0 }, left = (double)m->newest;
	double walked = 0;
	int no[QUERY_WORDS] = { 0 }, n = 0, words = 0;
	struct slice all = buf_view(&q->all), word;
	bool few = false, told[QUERY_WORDS + 1] = { false };

	for (; slice_line(&all, &word); words++) {
		no[words] = -1;
		if (count_rows(m, word, &rows[words], e) < 0)
			return -1;
	}
	for (; n < words; n++) {
		int rarest = -1;	/* of the remaining words */

		for (int i = 0; i < words; i++)
			if (no[i] < 0 && (rarest < 0 ||
			    rows[i] < rows[rarest]))
				rarest = i;
		few = !many && left < ALL_ROWS;
		if (m->newest > ROWS_MAX && n >= 2 && (few ||
		    rows[rarest] > (double)m->newest / COMMON))
			break;
		no[rarest] = 0;
		if (!told[q->joined[rarest]])
			left *= rows[rarest] / (double)m->newest;
		told[q->joined[rarest]] = true;
	}
	ask->asked = n == words ? ASKED_ALL : few ? ASKED_FEW : ASKED_MANY;
	buf_reset(&ask->expr);
	ask->n = 0;
	all = buf_view(&q->all);
	for (int i = 0; slice_line(&all, &word); i++)
		if (no[i] == 0) {
			no[i] = (int)ask->n;
			add_term(ask, " ", word, rows[i]);
			walked += rows[i];
		}
	ask->ascending = left < ROWS_MAX / 2.0 && walked < ASCEND_ROWS;
	for (size_t i = 0; i < q->words; i++)
		q->asked[i] = no[q->order[i]];
	return 0;
}

static int
search_tier(struct memory *m, const struct find *f, struct query *q, int tier,
    struct search *x, struct hits *out, struct err *e)
{
	struct ask ask = { .tier = tier, .expr = BUF_INIT(EXPR_MAX) };
	struct slice phrase = buf_view(&q->phrase);
	size_t had = out->n;
	double rows = 0;
	int r = 0;

	if (tier == TIER_PHRASE) {	/* several words: see TIER_ALL */
		if (f->raw)
			buf_slice(&ask.expr, phrase);
		else if (q->words == 1) {
			r = count_rows(m, phrase, &rows, e);
			add_term(&ask, "", phrase, rows);
		}
	} else if (tier == TIER_ALL)
		r = all_words(m, q, false, &ask, e);
	else if (tier == TIER_ANY) {
		/* rarest first, until too many rows match: what a common word
		 * adds is expensive noise; for a word in no row, ask for words
		 * that contain it */
		r = sort_words(m, q, e);
		if (r == 0)
			r = words_within(m, q, 0, 0, &ask, e);
		for (size_t i = 0; i < q->nword && r == 0; i++) {
			struct query_word *w = &q->word[i];

			rows += w->rows;
			if (ask.n > 0 && rows > ANY_ROWS)
				break;
			if (w->rows > 0)
				add_term(&ask, " OR ", buf_view(&w->expr),
				    w->rows);
		}
	} else if ((r = sort_words(m, q, e)) == 0)
		r = words_within(m, q, 1, SAMPLE - 1, &ask, e);
	if (r == 0 && ask.expr.len > 0)
		r = take_tier(m, f, q, &ask, x, out, e);
	if (r > 0) {
		r = all_words(m, q, true, &ask, e);
		ask.ascending = false;
		if (r == 0)
			r = take_tier(m, f, q, &ask, x, out, e);
	}
	for (size_t i = had; i < out->n; i++) {
		struct buf *by = out->h[i].tier == TIER_PHRASE ? &q->phrase :
		    ask.asked == ASKED_FEW ? &q->all : &ask.expr;

		out->h[i].expr = xmemdup0(by->p, by->len);
	}
	buf_release(&ask.expr);
	return r;
}

static int
open_memory(struct memory *m, struct store *st, const struct find *f,
    struct query *q, struct search *x, struct err *e)
{
	struct range *last = m->range;
	int64_t time = WHEN_NONE, id = -1;
	int got;

	m->st = st;
	m->range[0].to = INT64_MAX >> PASSAGE_BITS;
	m->ranges = 1;
	if (db_exec(st->db, "SAVEPOINT search", e) < 0 || db_int(st->db, e,
	    &time, "SELECT max(time) FROM item", "") < 0 ||
	    store_newest(st, KIND_MESSAGE, &m->newest, e) < 0)
		return -1;
	if (time > x->newest)
		x->newest = time;
	if (f->kind == KIND_FACT || (f->session == NULL && q->nword == 0))
		return 0;
	if (f->session == NULL) {
		if (sort_words(m, q, e) < 0)
			return -1;
		/* if all words are common, search only the range that has the
		 * newest ROWS_MAX rows of the rarest one */
		if (q->word[0].rows > ROWS_MAX && !q->word[0].joined) {
			last->from = m->newest - (int64_t)((double)m->newest *
			    ROWS_MAX / q->word[0].rows);
			x->partial = true;
		}
		return 0;
	}
	/* find the ranges of items that contain the session's: it may have
	 * been resumed after many others; this takes two look-ups per GAP
	 * items, however many it has */
	m->ranges = 0;
	while ((got = db_int(st->db, e, &id, "SELECT min(id) FROM item "
	    "WHERE session = ?1 AND id > ?2", "ti", f->session, id)) > 0) {
		if (m->ranges == 0 || (m->ranges < RANGES &&
		    id - last->to >= GAP)) {
			last = &m->range[m->ranges++];
			last->from = id;
		}
		if (db_int(st->db, e, &id, "SELECT max(id) FROM item "
		    "WHERE session = ?1 AND id < ?2", "ti", f->session,
		    id + GAP) < 0)
			return -1;
		last->to = id + 1;
	}
	return got;
}

int
find_hits(struct store *st, size_t n, const struct find *f, struct hits *out,
    struct err *e)
{
	static const char *const begins[] = { "fts5:", "no such column:",
		"unterminated string", "unknown special query:" };
	struct search x = { .newest = WHEN_NONE,
		.until = file_now_ms() + SEARCH_MS };
	struct query q;
	int r = 0;

	query_build(&q, f->query, f->raw);
	for (size_t i = 0; i < n && r == 0; i++)
		r = open_memory(&x.memory[i], &st[i], f, &q, &x, e);
	for (int t = 0; t < TIERS && r == 0 && out->n < f->max; t++) {
		for (size_t i = 0; i < n && r == 0; i++)
			r = search_tier(&x.memory[i], f, &q, t, &x, out, e);
		settle(out, f->max);
	}
	for (size_t i = 0; i < out->n && r == 0; i++)
		if (out->h[i].snippet == NULL)
			r = add_snippets(&out->h[i], out->n - i, e);
	/* only --raw puts foreign text into a statement */
	if (r < 0 && f->raw && e->status == ST_BUG) {
		struct err was = *e;
		const char *why = NULL;

		for (size_t i = 0; why == NULL &&
		    i < sizeof begins / sizeof *begins; i++)
			why = strstr(was.text, begins[i]);
		err_set(e, ST_USAGE, "--raw: %s", why != NULL ? why :
		    was.text);
	}
	out->partial = x.partial;
	map_release(&x.seen);
	for (size_t i = 0; i < n; i++) {
		map_release(&x.memory[i].rows);
		db_exec(st[i].db, "RELEASE search", NULL);
	}
	query_release(&q);
	return r;
}
