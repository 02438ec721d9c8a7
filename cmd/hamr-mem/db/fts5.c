/* fts5.c - what we add to FTS5: relevance(words, WANTED), which is bm25 with
 * bounded work, and words folded as its tokenizer folds them.
 *
 * FTS5's own bm25() first walks all matching rows, once for each phrase, to
 * learn how rare it is: a second for a common word in a million rows.  This one
 * is given the number of rows, or counts up to COUNTED.  Otherwise it is bm25
 * with its usual constants and positive, with two changes: if a word is in
 * several columns, only the best one counts, and if that is a label, the row's
 * length is ignored, as "File a.c updated" is not more about a.c than its text.
 */
#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"

#include "internal.h"

#define COUNTED 2000		/* rows with a phrase; more count as 2000 */
#define K1 1.2
#define B 0.75
#define PHRASES 64
#define PLACES 500		/* of words in a row, to find the phrase */
#define LENGTHS 1000		/* rows whose length we look up: this many with
				 * the phrase, and as many without it */
#define LOOK_EVERY 250		/* rows between checks of the clock */

struct rarity {
	double average;		/* words in a row */
	int n;
	double idf[];
};

/* How often a word is in a row's best column for it, weighted. */
struct often {
	double n;
	bool label;
};

/* The score of a row of `size` words. */
static double
sum(const struct rarity *r, const struct often *often, int size)
{
	double sum = 0, length = K1 * (1 - B) + K1 * B * (double)size /
	    r->average;

	for (int i = 0; i < r->n && i < PHRASES; i++)
		sum += r->idf[i] * often[i].n * (K1 + 1) / (often[i].n +
		    (often[i].label ? K1 : length));
	return sum;
}

static int
count_row(const Fts5ExtensionApi *api, Fts5Context *f, void *arg)
{
	double *n = arg;

	(void)api;
	(void)f;
	return ++*n < COUNTED ? SQLITE_OK : SQLITE_DONE;
}

struct place {
	int word, column, at;
};

/* Are the words in sequence anywhere in the row? */
static bool
is_phrase(const Fts5ExtensionApi *api, Fts5Context *f,
    const struct db_relevance *want, const struct place *p, int n)
{
	int first = 0;

	while (first < want->n && want->order[first] < 0)
		first++;
	for (int i = 0; i < n && first < want->n; i++) {
		struct place next = p[i];
		int k = first + 1, at = 0;

		if (next.word != want->order[first])
			continue;
		for (; k < want->n; k++) {
			next.at += want->order[k - 1] < 0 ? 1 :
			    api->xPhraseSize(f, want->order[k - 1]);
			next.word = want->order[k];
			for (at = 0; next.word >= 0 && at < n; at++)
				if (memcmp(&p[at], &next, sizeof next) == 0)
					break;
			if (at == n)
				break;
		}
		if (k == want->n)
			return true;
	}
	return false;
}

/* Set a row's score.  To look up its length is the most expensive step, so we
 * first assume the minimum that the places of its words imply, and look it up
 * only if the score then reaches least.  After LENGTHS look-ups, we assume at
 * least the average length instead. */
static int
score(const Fts5ExtensionApi *api, Fts5Context *f, const struct rarity *r,
    struct db_relevance *want)
{
	struct often often[PHRASES];
	double bonus = 0;
	struct place place[PLACES];
	int end[DB_COLUMNS] = { 0 };
	int n = 0, size = 0, rc = SQLITE_OK;

	for (int i = 0; i < r->n && i < PHRASES && rc == SQLITE_OK; i++) {
		struct place p = { .word = i };
		double in[DB_COLUMNS] = { 0 };
		Fts5PhraseIter it;

		often[i] = (struct often){ 0, false };
		rc = api->xPhraseFirst(f, i, &it, &p.column, &p.at);
		for (; rc == SQLITE_OK && p.column >= 0;
		    api->xPhraseNext(f, &it, &p.column, &p.at)) {
			if (p.column >= DB_COLUMNS)
				break;
			in[p.column] += want->weight[p.column];
			if (often[i].n < in[p.column])
				often[i] = (struct often){ in[p.column],
					p.column >= DB_LABELS };
			if (end[p.column] <= p.at)
				end[p.column] = p.at + 1;
			if (want->n > 0 && n < PLACES)
				place[n++] = p;
		}
	}
	if (rc == SQLITE_OK && is_phrase(api, f, want, place, n))
		bonus = DB_PHRASE;
	for (int i = 0; i < DB_COLUMNS; i++)
		size += end[i];
	int *lengths = &want->lengths[bonus > 0];
	if (*lengths >= LENGTHS && size < r->average)
		size = (int)r->average;
	want->score = bonus + sum(r, often, size);
	if (rc != SQLITE_OK || want->score < want->least || *lengths >= LENGTHS)
		return rc;
	++*lengths;
	rc = api->xColumnSize(f, -1, &size);
	want->score = bonus + sum(r, often, size);
	return rc;
}

/* The SQL function.  The argument after the table is a bound struct
 * db_relevance. */
static void
relevance(const Fts5ExtensionApi *api, Fts5Context *f, sqlite3_context *ctx,
    int n, sqlite3_value **v)
{
	struct db_relevance *want = n > 0 ?
	    sqlite3_value_pointer(v[0], RELEVANCE) : NULL;
	int rc = SQLITE_OK;

	if (want == NULL) {
		sqlite3_result_error(ctx, "relevance: not for SQL", -1);
		return;
	}
	if (want->rarity == NULL) {	/* the first row */
		int words = api->xPhraseCount(f);
		struct rarity *r = xcalloc(1, sizeof *r + (size_t)words *
		    sizeof *r->idf);
		sqlite3_int64 rows = 0, all = 0;

		want->rarity = r;
		r->n = words;
		rc = api->xRowCount(f, &rows);
		if (rc == SQLITE_OK)
			rc = api->xColumnTotalSize(f, -1, &all);
		r->average = rows > 0 && all > 0 ? (double)all /
		    (double)rows : 1;
		for (int i = 0; i < words && rc == SQLITE_OK; i++) {
			double have = 0;

			if (want->nrows == (size_t)words)
				have = want->rows[i];
			else
				rc = api->xQueryPhrase(f, i, &have, count_row);
			r->idf[i] = log(((double)rows - have + 0.5) /
			    (have + 0.5));
			if (!(r->idf[i] > 1e-6))
				r->idf[i] = 1e-6;
		}
	}
	if (rc == SQLITE_OK)
		rc = score(api, f, want->rarity, want);
	if (rc != SQLITE_OK) {
		sqlite3_result_error_code(ctx, rc);
		return;
	}
	/* not at the first row: what is rare is found, however late */
	if (--want->left % LOOK_EVERY == 1 && file_now_ms() > want->until)
		want->left = 0;
	sqlite3_result_int(ctx, want->left == 0 || want->score >= want->least);
}

struct folded {
	const char *text;
	size_t at;		/* how much of it was read */
	struct buf *out;
};

/* What is between two words stays as it is. */
static int
add_word(void *ctx, int flags, const char *word, int n, int from, int to)
{
	struct folded *f = ctx;

	(void)flags;
	buf_add(f->out, f->text + f->at, (size_t)from - f->at);
	buf_add(f->out, word, (size_t)n);
	f->at = (size_t)to;
	return SQLITE_OK;
}

void
db_fold(struct db *db, struct slice text, struct buf *out)
{
	struct folded f = { .text = text.p, .out = out };

	db->fts5.xTokenize(db->tokenizer, &f, FTS5_TOKENIZE_DOCUMENT, text.p,
	    (int)text.n, add_word);
	buf_slice(out, slice_from(text, f.at));
}

int
db_add_fts5(struct db *db, struct err *e)
{
	static const char *options[] = { "remove_diacritics", "2" };
	sqlite3_stmt *s = NULL;
	fts5_api *api = NULL;
	void *context;

	if (sqlite3_prepare_v2(db->h, "SELECT fts5(?1)", -1, &s, NULL) ==
	    SQLITE_OK) {
		sqlite3_bind_pointer(s, 1, &api, "fts5_api_ptr", NULL);
		sqlite3_step(s);
		sqlite3_finalize(s);
	}
	if (api == NULL)
		return err_set(e, ST_SYSTEM, "this SQLite has no FTS5");
	if (api->xFindTokenizer(api, "unicode61", &context, &db->fts5) !=
	    SQLITE_OK || db->fts5.xCreate(context, options, 2,
	    &db->tokenizer) != SQLITE_OK)
		mem_exhausted();
	return api->xCreateFunction(api, "relevance", NULL, relevance,
	    NULL) != SQLITE_OK ? db_fail(db->h, e) : 0;
}
