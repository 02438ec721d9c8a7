/* terms.c - words that are found within others: the index's distinct terms,
 * looked through one by one.
 */
#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "mem.h"

#include "terms.h"
#include "text.h"

#define TERMS_MAX 50
#define LOOK_MS 60
#define LOOK_EVERY 4096		/* terms between two looks at the clock */

struct terms {
	char *v[TERMS_MAX];	/* the shortest first */
	size_t n;
};

static bool
holds(struct slice term, struct slice words)
{
	struct slice w;
	size_t at = 0;

	while (text_word(words, &at, &w))
		if (term.n > w.n && memmem(term.p, term.n, w.p, w.n) != NULL)
			return true;
	return false;
}

static void
take(struct terms *t, struct slice term)
{
	char *text;
	size_t i = t->n;

	if (i == TERMS_MAX && strlen(t->v[i - 1]) <= term.n)
		return;
	text = xmemdup0(term.p, term.n);
	for (size_t k = 0; k < t->n; k++)
		if (strcmp(t->v[k], text) == 0) {
			free(text);
			return;
		}
	if (i == TERMS_MAX)
		free(t->v[--i]);
	for (; i > 0 && strlen(t->v[i - 1]) > term.n; i--)
		t->v[i] = t->v[i - 1];
	t->v[i] = text;
	if (t->n < TERMS_MAX)
		t->n++;
}

static int
look(struct store *st, struct slice words, long long end, struct terms *t,
    struct err *e)
{
	struct st *s;
	size_t seen = 0;
	int got;

	if (db_exec(st->db, "CREATE VIRTUAL TABLE IF NOT EXISTS temp.terms "
	    "USING fts5vocab(main, words, row)", e) < 0)
		return -1;
	s = db_st(st->db, "SELECT term FROM temp.terms", e);
	if (s == NULL)
		return -1;
	while ((got = st_step(s, e)) > 0) {
		if (holds(st_col(s, 0), words))
			take(t, st_col(s, 0));
		if (++seen % LOOK_EVERY == 0 && file_now_ms() > end)
			break;
	}
	st_done(s);
	return got < 0 ? -1 : 0;
}

int
terms_holding(struct store *st, size_t n, struct slice words,
    struct buf *expr, struct err *e)
{
	long long end = file_now_ms() + LOOK_MS;
	struct terms t = { .n = 0 };
	int r = 0;

	for (size_t i = 0; i < n && r == 0 && words.n > 0; i++)
		r = look(&st[i], words, end, &t, e);
	for (size_t i = 0; i < t.n; i++) {
		buf_fmt(expr, i > 0 ? " OR \"%s\"" : "\"%s\"", t.v[i]);
		free(t.v[i]);
	}
	return r;
}
