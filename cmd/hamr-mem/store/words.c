/* words.c - the distinct words of a memory as they were written. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"

#include "text.h"
#include "words.h"

#define WORD_MIN 4		/* a shorter one holds no fragment */
#define WORD_MAX 64
#define LOOK_MAX 20000		/* words that are compared with a fragment */
#define ROWS_MAX 1000		/* looked at for a word that may be gone */

/* ---- sets ---- */

static void
wordset_add(struct wordset *set, struct slice w)
{
	bool fresh;

	map_put(&set->has, w, &fresh);
	if (!fresh)
		return;
	set->v = xgrow(set->v, set->n, &set->cap, sizeof *set->v);
	set->v[set->n++] = xmemdup0(w.p, w.n);
}

static void
wordset_reset(struct wordset *set)
{
	for (size_t i = 0; i < set->n; i++)
		free(set->v[i]);
	free(set->v);
	map_release(&set->has);
	*set = (struct wordset){ .n = 0 };
}

/* The words of a text that are kept, in small letters. */
static void
add_words(struct wordset *set, struct slice text)
{
	struct slice w;
	size_t at = 0;

	while (text_word(text, &at, &w)) {
		char small[WORD_MAX];
		size_t digits = 0;

		if (w.n < WORD_MIN || w.n > WORD_MAX)
			continue;
		for (size_t i = 0; i < w.n; i++) {
			digits += isdigit((unsigned char)w.p[i]) != 0;
			small[i] = (char)tolower((unsigned char)w.p[i]);
		}
		if (digits * 3 <= w.n)
			wordset_add(set, (struct slice){ small, w.n });
	}
}

void
words_add(struct store *st, struct slice text)
{
	add_words(&st->come, text);
}

void
words_leave(struct store *st, struct slice text)
{
	add_words(&st->go, text);
}

/* ---- the end of a transaction ---- */

static bool
has_word(struct slice text, const char *want, size_t n)
{
	struct slice word;
	size_t at = 0;

	while (text_word(text, &at, &word))
		if (word.n == n && strncasecmp(word.p, want, n) == 0)
			return true;
	return false;
}

/* Does a text still hold it? */
static int
is_held(struct store *st, const char *w, struct err *e)
{
	char quoted[WORD_MAX + 3];
	size_t n = strlen(w);
	struct st *s;
	int got;

	snprintf(quoted, sizeof quoted, "\"%s\"", w);
	s = db_query(st->db, e, "SELECT s.text, s.path, s.name FROM "
	    "words JOIN source s ON s.id = words.rowid "
	    "WHERE words MATCH ?1 LIMIT ?2", "ti", quoted, (int64_t)ROWS_MAX);
	while ((got = st_step(s, e)) > 0)
		if (has_word(st_col(s, 0), w, n) ||
		    has_word(st_col(s, 1), w, n) ||
		    has_word(st_col(s, 2), w, n))
			break;
	st_done(s);
	return got;
}

static int
put_in(struct store *st, const char *w, struct err *e)
{
	if (db_run(st->db, e, "INSERT OR IGNORE INTO word(w) VALUES(?1)", "t",
	    w) < 0)
		return -1;
	return db_changes(st->db) == 0 ? 0 : db_run(st->db, e,
	    "INSERT INTO grams(rowid, w) VALUES(?1, ?2)", "it",
	    db_last_id(st->db), w);
}

static int
take_out(struct store *st, const char *w, struct err *e)
{
	return db_run(st->db, e, "INSERT INTO grams(grams, rowid, w) "
	    "SELECT 'delete', id, w FROM word WHERE w = ?1", "t", w) < 0 ?
	    -1 : db_run(st->db, e, "DELETE FROM word WHERE w = ?1", "t", w);
}

static int
by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int
words_settle(struct store *st, struct err *e)
{
	struct wordset *come = &st->come, *go = &st->go;
	int r = 0;

	if (come->n > 0)	/* quicker in the order of the table */
		qsort(come->v, come->n, sizeof *come->v, by_text);
	for (size_t i = 0; i < come->n && r == 0; i++)
		r = put_in(st, come->v[i], e);
	for (size_t i = 0; i < go->n && r == 0; i++) {
		int held = is_held(st, go->v[i], e);

		r = held == 0 ? take_out(st, go->v[i], e) :
		    held < 0 ? -1 : 0;
	}
	words_stay(st);
	return r;
}

void
words_stay(struct store *st)
{
	wordset_reset(&st->come);
	wordset_reset(&st->go);
}

int
words_fill(struct store *st, struct err *e)
{
	struct st *s = db_query(st->db, e, "SELECT text, path, name "
	    "FROM source", "");
	int got;

	while ((got = st_step(s, e)) > 0)
		for (int i = 0; i < 3; i++)
			words_add(st, st_col(s, i));
	return got;
}

/* ---- looking ---- */

struct found {
	char *v[WORDS_FOUND];	/* the shortest first */
	size_t n;
};

static void
take(struct found *f, struct slice w)
{
	size_t i = f->n;

	if (i == WORDS_FOUND && strlen(f->v[i - 1]) <= w.n)
		return;
	for (size_t k = 0; k < f->n; k++)
		if (strlen(f->v[k]) == w.n && memcmp(f->v[k], w.p, w.n) == 0)
			return;
	if (i == WORDS_FOUND)
		free(f->v[--i]);
	for (; i > 0 && strlen(f->v[i - 1]) > w.n; i--)
		f->v[i] = f->v[i - 1];
	f->v[i] = xmemdup0(w.p, w.n);
	if (f->n < WORDS_FOUND)
		f->n++;
}

/* The trigrams of a fragment, each of which its word has; false: too short to
 * have any. */
static bool
trigrams(struct slice w, struct buf *out)
{
	size_t at[3] = { 0, 0, 0 }, n = 0;

	for (size_t i = 0, len; i < w.n; i += len) {
		len = utf8_len((const unsigned char *)w.p + i, w.n - i);
		if (len == 0)
			return false;
		at[n % 3] = i;
		if (++n < 3)
			continue;
		buf_adds(out, n > 3 ? " AND \"" : "\"");
		buf_add(out, w.p + at[n % 3], i + len - at[n % 3]);
		buf_addc(out, '"');
	}
	return n >= 3;
}

static int
look(struct store *st, struct slice w, struct found *f, struct err *e)
{
	struct buf expr = BUF_INIT(1 << 16);
	struct st *s;
	int got = 0;

	if (trigrams(w, &expr)) {
		s = db_query(st->db, e, "SELECT word.w FROM grams JOIN word "
		    "ON word.id = grams.rowid WHERE grams MATCH ?1 LIMIT ?2",
		    "si", buf_view(&expr), (int64_t)LOOK_MAX);
		while ((got = st_step(s, e)) > 0) {
			struct slice have = st_col(s, 0);

			if (have.n > w.n && memmem(have.p, have.n, w.p,
			    w.n) != NULL)
				take(f, have);
		}
	}
	buf_release(&expr);
	return got;
}

static bool
has_digit(struct slice w)
{
	for (size_t i = 0; i < w.n; i++)
		if (isdigit((unsigned char)w.p[i]))
			return true;
	return false;
}

static void
add_term(struct buf *expr, struct slice w, const char *end)
{
	buf_adds(expr, expr->len > 0 ? " OR \"" : "\"");
	buf_slice(expr, w);
	buf_adds(expr, end);
}

int
words_holding(struct store *st, struct slice fragments, struct buf *expr,
    struct err *e)
{
	struct found f = { .n = 0 };
	struct slice w;
	size_t at = 0;
	int r = 0;

	while (r == 0 && text_word(fragments, &at, &w)) {
		char small[WORD_MAX + 1];

		if (w.n > WORD_MAX)
			continue;
		for (size_t i = 0; i < w.n; i++)
			small[i] = (char)tolower((unsigned char)w.p[i]);
		if (w.n >= WORD_MIN && has_digit(w))
			add_term(expr, w, "\"*");
		r = look(st, (struct slice){ small, w.n }, &f, e);
	}
	for (size_t i = 0; i < f.n; i++) {
		add_term(expr, slice_of(f.v[i]), "\"");
		free(f.v[i]);
	}
	return r;
}
