/* words.c - the distinct words of a memory as they were written. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#include "text.h"
#include "words.h"

#define WORD_MIN 4		/* a shorter one holds no fragment */
#define WORD_MAX 64
#define FRAGMENT_MIN 3		/* bytes; shorter ones are in too many */
#define RUN_MAX ((size_t)4 << 20)	/* two runs become one up to this */
#define ROWS_MAX 1000		/* looked at for a word that may be gone */

/* ---- sets ---- */

static void
wordset_add(struct wordset *set, struct slice w)
{
	bool fresh;

	map_put(&set->has, w, &fresh);
	if (!fresh)
		return;
	if (set->words.max == 0)
		buf_init(&set->words, SIZE_MAX);
	buf_slice(&set->words, w);
	buf_addc(&set->words, '\n');
}

static void
wordset_reset(struct wordset *set)
{
	buf_release(&set->words);
	map_release(&set->has);
}

static void
add_word(struct wordset *set, struct slice w)
{
	char small[WORD_MAX];
	size_t digits = 0;

	if (w.n < WORD_MIN || w.n > WORD_MAX)
		return;
	for (size_t i = 0; i < w.n; i++) {
		digits += w.p[i] >= '0' && w.p[i] <= '9';
		small[i] = w.p[i] >= 'A' && w.p[i] <= 'Z' ?
		    (char)(w.p[i] | 0x20) : w.p[i];
	}
	if (digits * 3 <= w.n)
		wordset_add(set, (struct slice){ small, w.n });
}

/* The words of a text that are kept, in small letters, and those that an
 * underscore joins also as one. */
static void
add_words(struct wordset *set, struct slice text)
{
	struct slice w;
	const char *from = NULL;	/* of joined words */
	size_t at = 0;

	while (text_word(text, &at, &w)) {
		add_word(set, w);
		if (at < text.n && text.p[at] == '_' && from == NULL)
			from = w.p;
		if (from != NULL && (at + 1 >= text.n || text.p[at] != '_' ||
		    !text_is_word(text.p[at + 1]))) {
			if (from != w.p)
				add_word(set, (struct slice){ from,
				    (size_t)(w.p + w.n - from) });
			from = NULL;
		}
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

/* ---- runs: words in order, none twice, an LF behind each ---- */

static int
compare(struct slice a, struct slice b)
{
	int c = memcmp(a.p, b.p, a.n < b.n ? a.n : b.n);

	return c != 0 ? c : (a.n > b.n) - (a.n < b.n);
}

static int
by_text(const void *a, const void *b)
{
	return compare(*(const struct slice *)a, *(const struct slice *)b);
}

static void
sort_words(struct slice words, struct buf *run)
{
	size_t n = 0, max = slice_newlines(words);
	struct slice *v = xcalloc(max + 1, sizeof *v);

	while (slice_line(&words, &v[n]))
		n++;
	qsort(v, n, sizeof *v, by_text);
	for (size_t i = 0; i < n; i++) {
		buf_slice(run, v[i]);
		buf_addc(run, '\n');
	}
	free(v);
}

/* The words of a, and with both those of b too, else without them. */
static void
merge(struct slice a, struct slice b, bool both, struct buf *out)
{
	struct slice x, y;
	bool is_x = slice_line(&a, &x), is_y = slice_line(&b, &y);

	while (is_x || (both && is_y)) {
		int c = !is_x ? 1 : !is_y ? -1 : compare(x, y);

		if (both || c < 0) {
			buf_slice(out, c <= 0 ? x : y);
			buf_addc(out, '\n');
		}
		if (c <= 0)
			is_x = slice_line(&a, &x);
		if (c >= 0)
			is_y = slice_line(&b, &y);
	}
}

/* ---- the end of a transaction ---- */

static bool
has_word(struct slice text, struct slice want)
{
	struct slice word;
	size_t at = 0;

	while (text_word(text, &at, &word)) {
		size_t from = (size_t)(word.p - text.p), end = from + want.n;

		if (end <= text.n && strncasecmp(word.p, want.p, want.n) == 0 &&
		    (end == text.n || !text_is_word(text.p[end])))
			return true;
	}
	return false;
}

/* Does a text still hold it? */
static int
is_held(struct store *st, struct slice w, struct err *e)
{
	char quoted[WORD_MAX + 3];
	struct st *s;
	int got;

	snprintf(quoted, sizeof quoted, "\"%.*s\"", (int)w.n, w.p);
	s = db_query(st->db, e, "SELECT s.text, s.path, s.name FROM "
	    "words JOIN source s ON s.id = words.rowid "
	    "WHERE words MATCH ?1 LIMIT ?2", "ti", quoted, (int64_t)ROWS_MAX);
	while ((got = st_step(s, e)) > 0)
		if (has_word(st_col(s, 0), w) || has_word(st_col(s, 1), w) ||
		    has_word(st_col(s, 2), w))
			break;
	st_done(s);
	return got;
}

/* The last run and this one become one, unless it is much longer: so there are
 * few, and a word is written few times. */
static int
join_last(struct store *st, struct buf *run, struct err *e)
{
	struct buf both = BUF_INIT(SIZE_MAX);
	int64_t id, size = 0;
	struct st *s;
	int got = db_int(st->db, e, &size, "SELECT bytes FROM run "
	    "ORDER BY id DESC LIMIT 1", "");

	if (got <= 0 || (size_t)size > 2 * run->len ||
	    (size_t)size + run->len > RUN_MAX)
		return got < 0 ? -1 : 0;
	s = db_query(st->db, e, "SELECT id, words FROM run "
	    "ORDER BY id DESC LIMIT 1", "");
	got = st_step(s, e);
	if (got > 0) {
		id = st_col_int(s, 0);
		merge(buf_view(run), st_col(s, 1), true, &both);
		st_done(s);
		buf_release(run);
		*run = both;
		got = db_run(st->db, e, "DELETE FROM run WHERE id = ?1", "i",
		    id) < 0 ? -1 : 1;
	}
	return got;
}

static int
put_in(struct store *st, const struct wordset *set, struct err *e)
{
	struct buf run = BUF_INIT(SIZE_MAX);
	int got = 0;

	sort_words(buf_view(&set->words), &run);
	while (run.len > 0 && (got = join_last(st, &run, e)) > 0)
		continue;
	if (got == 0 && run.len > 0)
		got = db_run(st->db, e, "INSERT INTO run(bytes, words) "
		    "VALUES(?1, ?2)", "is", (int64_t)run.len, buf_view(&run));
	buf_release(&run);
	return got;
}

/* Which of these words no text holds any more, in order. */
static int
find_gone(struct store *st, const struct wordset *set, struct buf *gone,
    struct err *e)
{
	struct slice words, w;
	struct buf run = BUF_INIT(SIZE_MAX);
	int held = 0;

	sort_words(buf_view(&set->words), &run);
	words = buf_view(&run);
	while (held >= 0 && slice_line(&words, &w)) {
		held = is_held(st, w, e);
		if (held == 0) {
			buf_slice(gone, w);
			buf_addc(gone, '\n');
		}
	}
	buf_release(&run);
	return held < 0 ? -1 : 0;
}

static int
take_out(struct store *st, const struct wordset *set, struct err *e)
{
	struct buf gone = BUF_INIT(SIZE_MAX), left = BUF_INIT(SIZE_MAX);
	struct st *s;
	int r = find_gone(st, set, &gone, e), got = 0;

	s = gone.len > 0 ? db_query(st->db, e, "SELECT id, words FROM run",
	    "") : NULL;
	while (r == 0 && gone.len > 0 && (got = st_step(s, e)) > 0) {
		buf_reset(&left);
		merge(st_col(s, 1), buf_view(&gone), false, &left);
		if (left.len < st_col(s, 1).n)
			r = db_run(st->db, e, "UPDATE run SET bytes = ?2, "
			    "words = ?3 WHERE id = ?1", "iis",
			    st_col_int(s, 0), (int64_t)left.len,
			    left.len > 0 ? buf_view(&left) : SLICE(""));
	}
	st_done(s);
	buf_release(&gone);
	buf_release(&left);
	return r < 0 || got < 0 ? -1 : 0;
}

int
words_settle(struct store *st, struct err *e)
{
	int r = put_in(st, &st->come, e);

	if (r == 0)
		r = take_out(st, &st->go, e);
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

static bool
is_joined(struct slice w)
{
	return memchr(w.p, '_', w.n) != NULL;
}

static bool
is_within(struct slice part, struct slice w)
{
	return part.n < w.n && memmem(w.p, w.n, part.p, part.n) != NULL;
}

/* Is there a piece of a joined fragment among them?  It is found with that. */
static bool
has_piece(struct slice all, struct slice joined)
{
	struct slice w;

	while (slice_line(&all, &w))
		if (!is_joined(w) && is_within(w, joined))
			return true;
	return false;
}

/* Joined words are looked at for joined fragments only: what else they hold
 * stands in one of their pieces, which is a word of its own, found sooner. */
static bool
is_found(struct slice all, struct slice w, struct slice word)
{
	struct slice j;

	if (is_joined(w) || !is_joined(word))
		return w.n < word.n;
	while (slice_line(&all, &j))
		if (is_joined(j) && is_within(w, j) && is_within(j, word))
			return true;
	return false;
}

/* The words that hold w, which is one of all. */
static void
look(struct slice run, struct slice all, struct slice w, struct found *f)
{
	const char *p = run.p, *end = run.p + run.n, *at;

	while ((at = memmem(p, (size_t)(end - p), w.p, w.n)) != NULL) {
		const char *lf = memrchr(p, '\n', (size_t)(at - p));
		struct slice word = { lf != NULL ? lf + 1 : p, 0 };

		p = (const char *)memchr(at, '\n', (size_t)(end - at)) + 1;
		word.n = (size_t)(p - word.p) - 1;
		if (is_found(all, w, word))
			take(f, word);
	}
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
add_term(struct buf *terms, struct slice w, const char *end)
{
	buf_addc(terms, '"');
	buf_slice(terms, w);
	buf_adds(terms, end);
}

int
words_holding(struct store *st, const struct slice *fragment, size_t n,
    struct buf *terms, struct err *e)
{
	struct buf small = BUF_INIT(SIZE_MAX);
	struct found f = { .n = 0 };
	struct st *s = NULL;
	int got = 0;

	for (size_t i = 0; i < n; i++) {
		struct slice w = fragment[i];

		if (w.n < FRAGMENT_MIN || w.n > WORD_MAX)
			continue;
		if (w.n >= WORD_MIN && has_digit(w))
			add_term(terms, w, "\"*\n");
		for (size_t k = 0; k < w.n; k++)
			buf_addc(&small, (char)tolower((unsigned char)w.p[k]));
		buf_addc(&small, '\n');
	}
	if (small.len > 0)
		s = db_query(st->db, e, "SELECT words FROM run", "");
	while (small.len > 0 && (got = st_step(s, e)) > 0) {
		struct slice all = buf_view(&small), w;

		while (slice_line(&all, &w))
			if (!is_joined(w) || !has_piece(buf_view(&small), w))
				look(st_col(s, 0), buf_view(&small), w, &f);
	}
	for (size_t i = 0; i < f.n; i++) {
		add_term(terms, slice_of(f.v[i]), "\"\n");
		free(f.v[i]);
	}
	buf_release(&small);
	return got;
}
