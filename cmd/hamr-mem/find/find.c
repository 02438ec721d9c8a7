/* find.c - finding items of one or more memories.
 *
 * A cascade: the query as a phrase, all of its words, any of them, words that
 * hold one of them.  What an earlier tier found stands before what a later one
 * does; within a tier bm25 decides, with a preference for facts and, mildly,
 * for what is new.  Phrase and all words are one query: relevance() tells them
 * apart.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "find.h"
#include "base/map.h"
#include "base/mem.h"
#include "query.h"
#include "store/words.h"

#define DAY_MS (24.0 * 3600 * 1000)
#define SEARCH_MS 120		/* all of a search, but its last step */
#define ROWS_MAX 50000		/* of one tier that are ranked, the newest */
#define COMMON 4		/* a word in one of so many rows is */
#define ANY_ROWS 5000		/* that match any of the words, about */
#define SAMPLE 300		/* rows that tell how common a word is */
#define FEW 32			/* of a word that holds one */
#define PART_ITEMS 262144	/* looked at in one go */
#define LOOK_EVERY 256		/* rows between two looks at the clock */
#define EXPR_MAX ((size_t)1 << 20)

/* One search, over all memories and tiers. */
struct search {
	struct map seen;	/* ids */
	int64_t newest;		/* time */
	int64_t from[MEMORIES];	/* rows before are not looked at */
	long long until;
	bool partial;
};

static void
hit_release(struct hit *h)
{
	free(h->session);
	free(h->role);
	free(h->name);
	free(h->snippet);
	free(h->expr);
}

void
hits_release(struct hits *h)
{
	for (size_t i = 0; i < h->n; i++)
		hit_release(&h->h[i]);
	free(h->h);
	*h = (struct hits){ .n = 0 };
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

/* ---- one tier of one memory ---- */

/* The best items of a tier so far: by rank, then the newest; a heap with the
 * worst one at its root. */
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

static void
sift(struct best *b, size_t i)
{
	for (;;) {
		size_t least = i;
		struct candidate c;

		for (size_t k = 2 * i + 1; k <= 2 * i + 2 && k < b->n; k++)
			if (is_worse(&b->v[k], &b->v[least]))
				least = k;
		if (least == i)
			return;
		c = b->v[i];
		b->v[i] = b->v[least];
		b->v[least] = c;
		i = least;
	}
}

static void
best_add(struct best *b, const struct candidate *c)
{
	if (b->n == b->max) {
		b->v[0] = *c;
		sift(b, 0);
		return;
	}
	b->v[b->n++] = *c;
	for (size_t i = b->n / 2; b->n == b->max && i-- > 0;)
		sift(b, i);
}

static bool
best_wants(const struct best *b, const struct candidate *c)
{
	return b->n < b->max || is_worse(&b->v[0], c);
}

/* An item's row, to be done with by st_done; without a row when it is not what
 * is looked for. */
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

/* Is there a filter that the row itself does not tell? */
static int
is_wanted(struct store *st, const struct find *f, int64_t row, struct err *e)
{
	int got = 1;

	if (f->session != NULL || f->since != WHEN_NONE)
		st_done(item_of(st, f, row, &got, e));
	return got;
}

/* The passages of an item come one after another; the best one stands for it.
 * 1: there are more rows than may be looked at. */
static int
rank_rows(struct store *st, const struct find *f, struct st *s,
    struct search *x, struct db_relevance *least, struct best *best,
    size_t *seen, struct err *e)
{
	struct candidate c = { .row = 0 };
	int got;

	while ((got = st_step(s, e)) >= 0) {
		int64_t passage = got > 0 ? st_col_int(s, 0) : 0;
		double rank = got > 0 ? st_col_num(s, 1) : 0;

		if (passage >> PASSAGE_BITS != c.row) {
			if (c.row > 0 && best_wants(best, &c)) {
				int want = is_wanted(st, f, c.row, e);

				if (want < 0)
					got = -1;
				else if (want > 0)
					best_add(best, &c);
				if (best->n == best->max)
					least->least = best->v[0].rank;
			}
			c = (struct candidate){ passage >> PASSAGE_BITS,
				passage, rank };
		} else if (rank >= c.rank) {
			c.passage = passage;
			c.rank = rank;
		}
		if (got <= 0)
			break;
		if (++*seen >= ROWS_MAX || (*seen % LOOK_EVERY == 0 &&
		    file_now_ms() > x->until))
			break;
	}
	st_done(s);
	return got;
}

/* Of an item or a text found before, nothing. */
static int
take(struct store *st, const struct find *f, const struct candidate *c,
    int tier, struct search *x, struct hits *out, struct err *e)
{
	bool phrase = c->rank >= DB_PHRASE;
	struct hit h = { .store = st->name, .from = st, .row = c->row,
		.tier = phrase ? TIER_PHRASE : tier, .passage = c->passage };
	struct slice hash;
	struct st *s;
	int got;

	s = item_of(st, f, c->row, &got, e);
	if (got > 0) {
		copy_key(h.id, st_col(s, 0));
		h.kind = (enum kind)st_col_int(s, 1);
		h.line = st_col_null(s, 3) ? 0 : st_col_int(s, 3);
		h.time = st_col_int(s, 6);
		hash = st_col(s, 7);
		if (hash.n < sizeof h.hash)
			memcpy(h.hash, hash.p, hash.n);
		if ((*map_put(&x->seen, slice_of(h.id), NULL))++ == 0) {
			h.session = st_col_dup(s, 2);
			h.role = st_col_dup(s, 4);
			h.name = st_col_dup(s, 5);
			h.score = score(&h, phrase ? c->rank - DB_PHRASE :
			    c->rank, x->newest);
			out->h = xgrow(out->h, out->n, &out->cap,
			    sizeof *out->h);
			out->h[out->n++] = h;
		}
	}
	st_done(s);
	return got < 0 ? -1 : 0;
}

static int
take_tier(struct store *st, const struct find *f, const struct query *q,
    struct slice expr, int tier, int64_t from, struct search *x,
    struct hits *out, struct err *e)
{
	struct best best = { .max = f->max * 4 + 20 };
	struct db_relevance want = { .order = q->asked,
		.n = tier == TIER_ALL ? (int)q->words : 0 };
	int64_t newest, lo, hi = f->kind == KIND_MESSAGE ? FACT_FIRST :
	    INT64_MAX >> PASSAGE_BITS;
	size_t seen = 0;
	int r;

	if (f->kind == KIND_FACT)
		from = FACT_FIRST;
	if (store_newest(st, KIND_MESSAGE, &newest, e) < 0)
		return -1;
	want.newest = newest << PASSAGE_BITS;
	best.v = xcalloc(best.max, sizeof *best.v);
	do {	/* the newest first; between two parts is a look at the clock */
		lo = (hi > newest ? newest : hi) - PART_ITEMS;
		if (lo < from + PART_ITEMS / 4)
			lo = from;
		r = rank_rows(st, f, db_query(st->db, e, "SELECT rowid, "
		    "relevance(words, ?4, 1.0, 1.5, 3.0, 0.5) FROM words "
		    "WHERE words MATCH ?1 AND rowid >= ?2 AND rowid < ?3 "
		    "ORDER BY rowid DESC", "siir", expr, lo << PASSAGE_BITS,
		    hi << PASSAGE_BITS, &want), x, &want, &best, &seen, e);
		hi = lo;
		if (r == 0 && lo > from && file_now_ms() > x->until)
			r = 1;
	} while (r == 0 && lo > from);
	if (r > 0)
		x->partial = true;
	r = r < 0 ? -1 : 0;
	free(want.rarity);
	for (size_t i = 0; i < best.n && r == 0; i++)
		r = take(st, f, &best.v[i], tier, x, out, e);
	free(best.v);
	return r;
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

/* The few passages that are shown are indexed once more, by themselves: to mark
 * the words in the large index, its lists would be searched for each. */
#define SHOWN_SQL "CREATE VIRTUAL TABLE IF NOT EXISTS temp.shown USING fts5(" \
	"text, parts, path, name, " \
	"tokenize='porter unicode61 remove_diacritics 2')"

static int
show(const struct hit *h, struct err *e)
{
	struct db *db = h->from->db;

	if (db_exec(db, SHOWN_SQL, e) < 0 ||
	    db_exec(db, "DELETE FROM temp.shown", e) < 0)
		return -1;
	return db_run(db, e, "INSERT INTO temp.shown(rowid, text, parts, "
	    "path, name) SELECT id, text, parts, path, name FROM source "
	    "WHERE id = ?1", "i", h->passage);
}

static int
add_snippet(struct hit *h, struct err *e)
{
	struct st *s;
	int got;

	if (show(h, e) < 0)
		return -1;
	s = db_query(h->from->db, e, "SELECT snippet(shown, 0, '«', '»', '…', "
	    "24),  snippet(shown, -1, '«', '»', '…', 24) "
	    "FROM temp.shown WHERE shown MATCH ?1", "t", h->expr);
	got = st_step(s, e);
	if (got > 0) {
		h->snippet = st_col_dup(s, 0);
		if (h->snippet == NULL || strstr(h->snippet, "«") == NULL) {
			free(h->snippet);	/* found by path or name */
			h->snippet = st_col_dup(s, 1);
		}
	}
	st_done(s);
	if (h->snippet == NULL)		/* forgotten in this moment */
		h->snippet = xstrdup("");
	return got < 0 ? -1 : 0;
}

/* What has some words of a phrase at their distance may have others between
 * them. */
static int
check_phrase(struct hit *h, struct slice phrase, struct err *e)
{
	int got;

	if (h->tier != TIER_PHRASE)
		return 0;
	if (show(h, e) < 0)
		return -1;
	got = db_int(h->from->db, e, NULL, "SELECT 1 FROM temp.shown "
	    "WHERE shown MATCH ?1", "s", phrase);
	if (got == 0) {
		h->tier = TIER_ALL;
		h->score -= TIER_ALL - TIER_PHRASE;
	}
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

/* About how many rows hold a word: as many of the newest ones as are looked
 * at, scaled by the part of the memory they span. */
static int
count_rows(struct store *st, struct slice word, int64_t newest, int most,
    double *out, struct err *e)
{
	struct st *s = db_query(st->db, e, "SELECT rowid FROM words "
	    "WHERE words MATCH ?1 ORDER BY rowid DESC", "s", word);
	int64_t at = 0;
	int n = 0, got = 0;

	while (n < most && (got = st_step(s, e)) > 0) {
		at = st_col_int(s, 0) >> PASSAGE_BITS;
		n++;
	}
	st_done(s);
	*out = n;
	if (n == most && newest > at)
		*out *= (double)newest / (double)(newest - at);
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

/* Is a piece of it found nowhere?  Then it is itself not, and may be a part of
 * what is.  Otherwise its pieces do. */
static bool
holds_unknown(const struct query *q, struct slice joined)
{
	for (size_t i = 0; i < q->nword; i++) {
		const struct query_word *w = &q->word[i];

		if (!w->joined && !w->part && w->rows == 0 &&
		    memmem(joined.p, joined.n, w->text.p, w->text.n) != NULL)
			return true;
	}
	return false;
}

/* The words, the rarest ones first. */
static int
sort_words(struct store *st, struct query *q, int64_t *newest, struct err *e)
{
	if (store_newest(st, KIND_MESSAGE, newest, e) < 0)
		return -1;
	for (size_t i = 0; i < q->nword; i++)
		if (!q->word[i].joined && count_rows(st,
		    buf_view(&q->word[i].expr), *newest, SAMPLE,
		    &q->word[i].rows, e) < 0)
			return -1;
	for (size_t i = 0; i < q->nword; i++)
		if (q->word[i].joined)
			q->word[i].rows = holds_unknown(q, q->word[i].text) ?
			    0 : HUGE_VAL;
	if (q->nword > 0)
		qsort(q->word, q->nword, sizeof *q->word, by_rows);
	return 0;
}

/* Where all of the words are common, how many rows are looked at goes by the
 * rarest one: of it the newest ROWS_MAX. */
static int
bound(struct store *st, struct query *q, struct search *x, int64_t *from,
    struct err *e)
{
	int64_t newest;

	*from = 0;
	if (q->nword == 0)
		return 0;
	if (sort_words(st, q, &newest, e) < 0)
		return -1;
	if (q->word[0].rows <= ROWS_MAX || q->word[0].joined)
		return 0;
	*from = newest - (int64_t)((double)newest * ROWS_MAX /
	    q->word[0].rows);
	x->partial = true;
	return 0;
}

static void
add_or(struct buf *expr, struct slice term)
{
	if (expr->len > 0)
		buf_adds(expr, " OR ");
	buf_slice(expr, term);
}

/* Of these words those that are not in too many rows; else the first. */
static int
add_rare(struct store *st, struct slice terms, int64_t newest,
    struct buf *expr, struct err *e)
{
	struct slice first = { NULL, 0 }, term;
	double rows, all = 0;

	while (slice_line(&terms, &term)) {
		if (first.n == 0)
			first = term;
		if (count_rows(st, term, newest, FEW, &rows, e) < 0)
			return -1;
		if (all + rows > ANY_ROWS)
			continue;
		all += rows;
		add_or(expr, term);
	}
	if (expr->len == 0)
		buf_slice(expr, first);
	return 0;
}

/* Words that hold one of those that stand in so many rows. */
static int
words_within(struct store *st, const struct query *q, double least,
    double most, struct buf *expr, struct err *e)
{
	struct slice *fragment = xcalloc(q->nword + 1, sizeof *fragment);
	struct buf terms = BUF_INIT(EXPR_MAX);
	int64_t newest;
	size_t n = 0;
	int r;

	for (size_t i = 0; i < q->nword; i++)
		if (!q->word[i].part && q->word[i].rows >= least &&
		    q->word[i].rows <= most)
			fragment[n++] = q->word[i].text;
	r = store_newest(st, KIND_MESSAGE, &newest, e);
	if (r == 0)
		r = words_holding(st, fragment, n, &terms, e);
	if (r == 0)
		r = add_rare(st, buf_view(&terms), newest, expr, e);
	buf_release(&terms);
	free(fragment);
	return r;
}

/* Any of the words, the rarest first, as long as not too many rows match: what
 * a common word adds to these is noise, at a price.  For a word that is nowhere
 * stand those that hold it. */
static int
rare_words(struct store *st, struct query *q, struct buf *expr,
    struct err *e)
{
	int64_t newest;
	double rows = 0;

	if (sort_words(st, q, &newest, e) < 0 ||
	    words_within(st, q, 0, 0, expr, e) < 0)
		return -1;
	for (size_t i = 0; i < q->nword; i++) {
		rows += q->word[i].rows;
		if (expr->len > 0 && rows > ANY_ROWS)
			break;
		if (q->word[i].rows == 0)
			continue;
		add_or(expr, buf_view(&q->word[i].expr));
	}
	return 0;
}

/* All words; of a large memory without those that stand in so many rows that
 * they tell little, unless they are among the two rarest.  A phrase has its
 * words at their distance then. */
static int
all_words(struct store *st, struct query *q, struct buf *expr, struct err *e)
{
	double rows[QUERY_WORDS] = { 0 }, rarest = HUGE_VAL, second = HUGE_VAL;
	int kept[QUERY_WORDS] = { 0 }, n = 0, i = 0;
	struct slice all = buf_view(&q->all), word;
	int64_t newest;

	if (store_newest(st, KIND_MESSAGE, &newest, e) < 0)
		return -1;
	for (; slice_line(&all, &word); i++) {
		if (newest > ROWS_MAX && count_rows(st, word, newest, SAMPLE,
		    &rows[i], e) < 0)
			return -1;
		if (rows[i] < rarest) {
			second = rarest;
			rarest = rows[i];
		} else if (rows[i] < second)
			second = rows[i];
	}
	all = buf_view(&q->all);
	for (i = 0; slice_line(&all, &word); i++) {
		kept[i] = -1;
		if (rows[i] > second && rows[i] > (double)newest / COMMON)
			continue;
		kept[i] = n++;
		buf_adds(expr, expr->len > 0 ? " " : "");
		buf_slice(expr, word);
	}
	for (size_t k = 0; k < q->words; k++)
		q->asked[k] = kept[q->order[k]];
	return n < i;
}

static int
search_tier(struct store *st, const struct find *f, struct query *q, int tier,
    int64_t from, struct search *x, struct hits *out, struct err *e)
{
	struct buf expr = BUF_INIT(EXPR_MAX);
	size_t had = out->n;
	bool fewer = false;
	int r = 0;

	if (tier == TIER_PHRASE) {	/* of several words: with TIER_ALL */
		if (q->all.len == 0)
			buf_slice(&expr, buf_view(&q->phrase));
	} else if (tier == TIER_ALL) {
		r = all_words(st, q, &expr, e);
		fewer = r > 0;
	} else if (tier == TIER_ANY)
		r = rare_words(st, q, &expr, e);
	else
		r = words_within(st, q, 1, SAMPLE - 1, &expr, e);
	if (r >= 0 && expr.len > 0)
		r = take_tier(st, f, q, buf_view(&expr), tier, from, x, out,
		    e);
	for (size_t i = had; i < out->n && fewer && r == 0; i++)
		r = check_phrase(&out->h[i], buf_view(&q->phrase), e);
	for (size_t i = had; i < out->n; i++)
		out->h[i].expr = out->h[i].tier == TIER_PHRASE ?
		    xmemdup0(q->phrase.p, q->phrase.len) :
		    xmemdup0(expr.p, expr.len);
	buf_release(&expr);
	return r;
}

int
find_hits(struct store *st, size_t n, const struct find *f, struct hits *out,
    struct err *e)
{
	struct search x = { .newest = WHEN_NONE,
		.until = file_now_ms() + SEARCH_MS };
	struct query q;
	int r = 0;

	if (f->raw)
		query_raw(&q, f->query);
	else
		query_build(&q, f->query);
	for (size_t i = 0; i < n && r == 0; i++) {
		int64_t time = WHEN_NONE;

		if (db_int(st[i].db, e, &time, "SELECT max(time) FROM item",
		    "") < 0 || (f->kind != KIND_FACT &&
		    bound(&st[i], &q, &x, &x.from[i], e) < 0))
			r = -1;
		if (time > x.newest)
			x.newest = time;
	}
	for (int t = 0; t < TIERS && r == 0 && out->n < f->max; t++) {
		for (size_t i = 0; i < n && r == 0; i++)
			r = search_tier(&st[i], f, &q, t, x.from[i], &x, out,
			    e);
		settle(out, f->max);
	}
	for (size_t i = 0; i < out->n && r == 0; i++)
		r = add_snippet(&out->h[i], e);
	if (r < 0 && f->raw)
		blame_query(e);
	out->partial = x.partial;
	map_release(&x.seen);
	query_release(&q);
	return r;
}

int
find_list(struct store *st, int kind, list_fn *fn, void *ctx, struct err *e)
{
	struct st *s = db_query(st->db, e, "SELECT i.id, i.key, i.kind, "
	    "i.slot, i.tags, i.time, p.text FROM item i LEFT JOIN passage p "
	    "ON p.id = i.id << 20 WHERE i.id >= ?2 AND (?1 IS NULL OR "
	    "i.kind = ?1) ORDER BY i.id DESC", "ii",
	    kind != 0 ? kind : DB_NULL, kind == KIND_FACT ? FACT_FIRST : 0);
	int got;

	while ((got = st_step(s, e)) > 0) {
		struct listed l = { .store = st->name,
			.row = st_col_int(s, 0),
			.kind = (enum kind)st_col_int(s, 2),
			.slot = st_col(s, 3), .tags = st_col(s, 4),
			.time = st_col_int(s, 5), .text = st_col(s, 6) };

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
	struct st *s = db_query(st->db, e, "SELECT "
	    "(SELECT count(*) FROM item WHERE kind = 1),"
	    "(SELECT count(*) FROM item WHERE kind = 2),"
	    "(SELECT count(DISTINCT session) FROM item),"
	    "(SELECT count(*) FROM forgotten WHERE key NOT IN "
	    "(SELECT key FROM item)),"
	    "(SELECT coalesce(sum(bytes), 0) FROM item)", "");
	int got = st_step(s, e);

	if (got > 0)
		*out = (struct stats){ st_col_int(s, 0), st_col_int(s, 1),
			st_col_int(s, 2), st_col_int(s, 3),
			st_col_int(s, 4) };
	st_done(s);
	return got < 0 ? -1 : 0;
}
