/* words.c - the distinct words of a memory, unstemmed. */
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"

#include "text.h"
#include "words.h"

#define WORD_MIN 4		/* a shorter one has no fragments */
#define WORD_MAX 64
#define FRAGMENT_MIN 3		/* bytes; shorter ones are in too many */
#define RUN_MAX ((size_t)4 << 20)	/* runs are merged up to this size */
#define BLOCK_BYTES ((size_t)16 << 10)
#define BLOCK_BITS 20		/* low bits of an id: the block in its run */
#define MASK_BITS 14		/* a mask has 2^MASK_BITS bits */
#define MASK_BYTES (1 << MASK_BITS >> 3)

/* ---- the words of a transaction: those to store have the value 1 ---- */

static void
put_word(struct buf *words, struct slice w)
{
	buf_slice(words, w);
	buf_addc(words, '\n');
}

/* Convert a word of at most WORD_MAX bytes to lower case.  Returns whether that
 * folds it as the index does: whether it is ASCII. */
static bool
lower(struct slice w, char out[WORD_MAX], size_t *digits)
{
	bool ascii = true;

	*digits = 0;
	for (size_t i = 0; i < w.n; i++) {
		*digits += w.p[i] >= '0' && w.p[i] <= '9';
		ascii &= (signed char)w.p[i] >= 0;
		out[i] = w.p[i] >= 'A' && w.p[i] <= 'Z' ?
		    (char)(w.p[i] | 0x20) : w.p[i];
	}
	return ascii;
}

/* Fold a word that is not ASCII.  Returns its length, 0: it became too long. */
static size_t
fold(struct store *st, struct slice w, char out[WORD_MAX])
{
	struct buf folded = BUF_INIT(WORD_MAX);

	db_fold(st->db, w, &folded);
	size_t n = folded.over ? 0 : folded.len;
	memcpy(out, buf_view(&folded).p, n);
	buf_release(&folded);
	return n;
}

static void
add_word(struct store *st, struct slice w)
{
	char letters[WORD_MAX];
	struct slice small = { letters, w.n };
	size_t digits;
	bool fresh;

	if (w.n < WORD_MIN || w.n > WORD_MAX)
		return;
	bool ascii = lower(w, letters, &digits);
	if (digits * 3 > w.n)
		return;
	/* note it as written, too: folding takes longer than looking it up */
	if (!ascii) {
		map_put(&st->words, w, &fresh);
		if (!fresh)
			return;
		small.n = fold(st, w, letters);
	}
	if (small.n > 0)
		*map_put(&st->words, small, NULL) = 1;
}

/* Words are stored as the index folds them; words joined by underscores also as
 * one. */
void
words_add(struct store *st, struct slice text)
{
	struct slice w;
	const char *from = NULL;	/* of joined words */
	size_t at = 0;

	while (text_word(text, &at, &w)) {
		add_word(st, w);
		if (at < text.n && text.p[at] == '_' && from == NULL)
			from = w.p;
		if (from != NULL && (at + 1 >= text.n || text.p[at] != '_' ||
		    !text_is_word(text.p[at + 1]))) {
			if (from != w.p)
				add_word(st, (struct slice){ from,
				    (size_t)(w.p + w.n - from) });
			from = NULL;
		}
	}
}

/* ---- blocks: which sequences of three and of six bytes are in them ---- */

/* The bit of the n bytes at p; -1 if they contain an LF. */
static int
gram_bit(const char *p, size_t n)
{
	uint64_t v = 0;

	if (memchr(p, '\n', n) != NULL)
		return -1;
	memcpy(&v, p, n);
	return (int)(htole64(v) * 0x9e3779b97f4a7c15u >> (64 - MASK_BITS));
}

/* May a word of this block contain w?  Only false is certain. */
static bool
mask_has(struct slice mask, struct slice w)
{
	size_t n = w.n < 6 ? 3 : 6;

	if (mask.n != MASK_BYTES)
		return true;
	for (size_t i = 0; i + n <= w.n; i++) {
		int bit = gram_bit(w.p + i, n);

		if ((mask.p[bit / 8] >> bit % 8 & 1) == 0)
			return false;
	}
	return true;
}

/* Write a block of these words, replacing the one with this id. */
static int
put_block(struct store *st, int64_t id, struct slice words, struct err *e)
{
	unsigned char mask[MASK_BYTES] = { 0 };

	for (size_t n = 3; n <= 6; n += 3)
		for (size_t i = 0; i + n <= words.n; i++) {
			int bit = gram_bit(words.p + i, n);

			if (bit >= 0)
				mask[bit / 8] |= (unsigned char)(1 << bit % 8);
		}
	return db_run(st->db, e, "INSERT OR REPLACE INTO block(id, mask, "
	    "words) VALUES(?1, CAST(?2 AS BLOB), ?3)", "iss", id,
	    (struct slice){ (const char *)mask, MASK_BYTES }, words);
}

/* ---- runs: sorted, distinct words, an LF after each ---- */

static int
by_text(const void *a, const void *b)
{
	return slice_order(*(const struct slice *)a, *(const struct slice *)b);
}

/* ---- the end of a transaction ---- */

/* The last run: its first block, and a lower bound of its size in bytes. */
static int
last_run(struct store *st, int64_t *first, size_t *size, struct err *e)
{
	int64_t last;
	int got = db_int(st->db, e, &last, "SELECT max(id) FROM block", "");

	if (got > 0) {
		*first = last >> BLOCK_BITS << BLOCK_BITS;
		*size = (size_t)(last - *first) * (BLOCK_BYTES - WORD_MAX);
	}
	return got;
}

/* Merge the last run into this one, unless it is much longer: so runs are few,
 * and each word is rewritten only a few times.  1: merged. */
static int
join_last(struct store *st, struct buf *run, struct err *e)
{
	struct buf last = BUF_INIT(SIZE_MAX), both = BUF_INIT(SIZE_MAX);
	struct slice a, b, x, y;
	int64_t first;
	size_t size;
	int got = last_run(st, &first, &size, e);

	if (got <= 0 || size > 2 * run->len || size + run->len > RUN_MAX)
		return got < 0 ? -1 : 0;
	struct st *s = db_query(st->db, e, "SELECT words FROM block WHERE "
	    "id >= ?1 ORDER BY id", "i", first);
	while ((got = st_step(s, e)) > 0)
		buf_slice(&last, st_col(s, 0));
	if (got == 0)
		got = db_run(st->db, e, "DELETE FROM block WHERE id >= ?1",
		    "i", first) < 0 ? -1 : 1;
	a = buf_view(run);
	b = buf_view(&last);
	bool is_x = slice_line(&a, &x), is_y = slice_line(&b, &y);
	while (is_x || is_y) {
		int c = !is_x ? 1 : !is_y ? -1 : slice_order(x, y);

		put_word(&both, c <= 0 ? x : y);
		if (c <= 0)
			is_x = slice_line(&a, &x);
		if (c >= 0)
			is_y = slice_line(&b, &y);
	}
	bufs_release(BUFS(&last, run));
	*run = both;
	return got;
}

int
words_settle(struct store *st, struct err *e)
{
	struct slice *v = xcalloc(st->words.n + 1, sizeof *v), left;
	struct buf run = BUF_INIT(SIZE_MAX);
	size_t n = 0, at = 0, size;
	uint64_t stored;
	int64_t id = 0;
	int r;

	while ((v[n] = map_next(&st->words, &at, &stored)).p != NULL)
		n += stored;
	qsort(v, n, sizeof *v, by_text);
	for (size_t i = 0; i < n; i++)
		put_word(&run, v[i]);
	free(v);
	do
		r = run.len > 0 ? join_last(st, &run, e) : 0;
	while (r > 0);
	if (r == 0)
		r = last_run(st, &id, &size, e);
	if (r > 0)
		id += (int64_t)1 << BLOCK_BITS;
	for (left = buf_view(&run); r >= 0 && left.n > 0; id++) {
		n = left.n;
		if (n > BLOCK_BYTES)
			n = (size_t)((const char *)memrchr(left.p, '\n',
			    BLOCK_BYTES) - left.p) + 1;
		r = put_block(st, id, slice_part(left, 0, n), e);
		left = slice_from(left, n);
	}
	buf_release(&run);
	map_release(&st->words);
	return r < 0 ? -1 : 0;
}

int
words_collect(struct store *st, struct err *e)
{
	map_release(&st->words);
	int got = db_exec(st->db, "DELETE FROM block", e);
	struct st *s = got < 0 ? NULL : db_query(st->db, e, "SELECT text FROM "
	    "passage UNION ALL SELECT coalesce(path, tags) FROM item "
	    "UNION ALL SELECT coalesce(name, slot) FROM item", "");

	while ((got = st_step(s, e)) > 0)
		words_add(st, st_col(s, 0));
	return got;
}

/* ---- searching ---- */

struct found {
	char *v[WORDS_FOUND];	/* the shortest first */
	size_t n;
};

static bool
is_joined(struct slice w)
{
	return memchr(w.p, '_', w.n) != NULL;
}

/* Find the words that contain w.  Joined words are searched for joined
 * fragments only: any other fragment is in one of their pieces, which are
 * words themselves. */
static void
look(struct slice words, struct slice w, struct found *f)
{
	const char *p = words.p, *end = words.p + words.n, *at;

	while ((at = memmem(p, (size_t)(end - p), w.p, w.n)) != NULL) {
		const char *lf = memrchr(p, '\n', (size_t)(at - p));
		struct slice word = { lf != NULL ? lf + 1 : p, 0 };

		p = (const char *)memchr(at, '\n', (size_t)(end - at)) + 1;
		word.n = (size_t)(p - word.p) - 1;
		if (w.n >= word.n || is_joined(w) != is_joined(word))
			continue;
		size_t i = f->n;
		bool known = i == WORDS_FOUND &&
		    strlen(f->v[i - 1]) <= word.n;	/* or too long */
		for (size_t k = 0; k < f->n && !known; k++)
			known = slice_is(word, f->v[k]);
		if (known)
			continue;
		if (i == WORDS_FOUND)
			free(f->v[--i]);
		for (; i > 0 && strlen(f->v[i - 1]) > word.n; i--)
			f->v[i] = f->v[i - 1];
		f->v[i] = xmemdup0(word.p, word.n);
		if (f->n < WORDS_FOUND)
			f->n++;
	}
}

/* Search all blocks for words that contain one of the fragments, which are
 * one per line. */
static int
look_for(struct store *st, struct slice fragments, struct found *f,
    struct err *e)
{
	struct st *s = db_query(st->db, e, "SELECT id, mask FROM block", "");
	int got = 0;

	while (fragments.n > 0 && (got = st_step(s, e)) > 0) {
		struct slice rest = fragments, w;
		struct st *words = NULL;

		while (got > 0 && slice_line(&rest, &w)) {
			if (!mask_has(st_col(s, 1), w))
				continue;
			if (words == NULL) {
				words = db_query(st->db, e, "SELECT words "
				    "FROM block WHERE id = ?1", "i",
				    st_col_int(s, 0));
				got = st_step(words, e);
			}
			if (got > 0)
				look(st_col(words, 0), w, f);
		}
		st_done(words);
		if (got < 0)
			break;
	}
	st_done(s);
	return got < 0 ? -1 : 0;
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
	struct buf joined = BUF_INIT(SIZE_MAX), plain = joined, left = joined;
	struct found f = { .n = 0 };
	char letters[WORD_MAX];
	struct slice w;

	for (size_t i = 0; i < n; i++) {
		w = fragment[i];
		struct buf *small = is_joined(w) ? &joined : &plain;
		if (w.n < FRAGMENT_MIN || w.n > WORD_MAX)
			continue;
		size_t digits, length = w.n;
		if (!lower(w, letters, &digits))
			length = fold(st, w, letters);
		if (length >= FRAGMENT_MIN)
			put_word(small, (struct slice){ letters, length });
		if (digits > 0 && w.n >= WORD_MIN)
			add_term(terms, w, "\"*\n");
	}
	int r = look_for(st, buf_view(&joined), &f, e);
	/* if a joined fragment is found, do not search for its pieces */
	struct slice rest = buf_view(&plain);
	while (slice_line(&rest, &w))
		if (f.n == 0 || memmem(buf_view(&joined).p, joined.len, w.p,
		    w.n) == NULL)
			put_word(&left, w);
	if (r == 0)
		r = look_for(st, buf_view(&left), &f, e);
	for (size_t i = 0; i < f.n; i++) {
		add_term(terms, slice_of(f.v[i]), "\"\n");
		free(f.v[i]);
	}
	bufs_release(BUFS(&joined, &plain, &left));
	return r;
}
