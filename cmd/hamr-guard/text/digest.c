/* digest.c - one pass over a result: its hashes, and what is new in it. */
#include <string.h>

#include "base/hash.h"
#include "digest.h"
#include "json/bits.h"
#include "json/scan.h"
#include "volatile.h"

#define QUOTED_MAX 2048		/* first characters that may quote the call */
#define GIVEN_MAX 8192		/* first characters that may be lines of the
				 * call; first bytes of the call to search */
#define TOLD_MAX 200		/* bytes of a line that is looked for in the
				 * call */

#define STAMPED 16		/* bytes of a line of a log, with its time */
#define QUOTING_MAX 240	/* characters of an answer that may quote it */
#define FRESH 4			/* lines of such an answer */
#define BLANK UINT64_C(0x9e3779b97f4a7c15)	/* odd, for a hash of blanks */

static bool
is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool
is_word(char c)
{
	static const bool word[256] = { ['0' ... '9'] = true, ['_'] = true,
		['A' ... 'Z'] = true, ['a' ... 'z'] = true };

	return word[(unsigned char)c];
}

/* Add a line to the hash of the lines before it.  `around` stands for the
 * blanks that it begins with and the empty lines above it. */
static inline void
mix(uint64_t *all, uint64_t around, uint64_t line)
{
	*all = hash_both(*all + around, line);
}

/* What is the same for all lines of a text. */
struct pass {
	struct hash_set *seen;
	struct buf *scratch;
	const struct digest_of *of;
	struct hash_set call;	/* the words of of->call */
	struct slice fresh[FRESH];	/* the first lines not seen before */
	size_t chars[FRESH], nfresh;
	bool json;
};

/* Does the call itself contain the line, perhaps after a label of the agent
 * that ran it ("Output: ")? */
static bool
is_told(const struct pass *a, struct slice line)
{
	const char *colon = memmem(line.p, line.n, ": ", 2);
	struct buf *quoted = &a->scratch[0];
	struct slice given = a->of->given;

	given.n = given.n < GIVEN_MAX ? given.n : GIVEN_MAX;
	if (line.n > TOLD_MAX || line.n < a->of->given_min)
		return false;
	buf_reset(quoted);
	scan_quote(quoted, line.p, line.n);
	/* without the quotes around it */
	if (memmem(given.p, given.n, quoted->p + 1, quoted->len - 2) != NULL)
		return true;
	return colon != NULL && is_told(a, (struct slice){ colon + 2,
	    (size_t)(line.p + line.n - (colon + 2)) });
}

/* Take the next word off a text. */
static bool
next_word(struct slice *text, struct slice *word)
{
	size_t n = 0;

	while (text->n > 0 && !is_word(*text->p))
		*text = slice_from(*text, 1);
	while (n < text->n && is_word(text->p[n]))
		n++;
	*word = slice_part(*text, 0, n);
	*text = slice_from(*text, n);
	return n > 0;
}

/* Count the bytes of words that the call has, too; hash the other words. */
static size_t
take_words(struct slice line, const struct hash_set *call, uint64_t *others)
{
	struct slice word;
	size_t own = 0;

	while (next_word(&line, &word)) {
		uint64_t h = hash_bytes(word.p, word.n);

		if (hash_set_has(call, h))
			own += word.n;
		else
			mix(others, 0, h);
	}
	return own;
}

/* The hash of a page's line, whatever its ids, and whichever hit of a search it
 * is. */
static uint64_t
hash_page(struct slice line, struct buf *scratch)
{
	if (volatile_mask(line, MASK_IDS, scratch))
		line = buf_view(scratch);
	line = slice_trim_start(line, "0123456789");
	return hash_bytes(line.p, line.n);
}

/* Leave out the scores of a search's hits, which differ with its words. */
static bool
drop_scores(struct pass *a, struct slice *line)
{
	struct buf *out = &a->scratch[1], rest = a->scratch[0];

	if (!volatile_mask(*line, MASK_SCORES, out))
		return false;
	a->scratch[0] = *out;	/* what is left of the line so far */
	*out = rest;
	*line = buf_view(&a->scratch[0]);
	return true;
}

/* Add a line without the words of the call. */
static void
mix_words(struct pass *a, struct slice line, uint64_t norm, struct digest *d)
{
	if (a->of->call.p == NULL || d->chars > QUOTED_MAX) {
		mix(&d->kind, 0, norm);
		mix(&d->fault, 0, norm);
		return;
	}
	bool same = d->kind == d->fault;
	/* the id of a request is not one of the text's words, either */
	bool ids = volatile_mask(line, MASK_IDS, &a->scratch[1]);
	d->own += take_words(ids ? buf_view(&a->scratch[1]) : line, &a->call,
	    &d->kind);
	bool places = volatile_mask(line, MASK_PLACES, &a->scratch[1]);
	if (same && !ids && !places)
		d->fault = d->kind;
	else
		take_words(places ? buf_view(&a->scratch[1]) : line, &a->call,
		    &d->fault);
}

/* more: the UTF-8 continuation bytes in it. */
static void
take_line(struct pass *a, struct slice line, size_t more, uint64_t blank,
    struct digest *d)
{
	uint64_t norm, mask;
	bool stamped = false;	/* it begins with a time */

	for (; is_blank(*line.p); line = slice_from(line, 1))
		blank = (blank + (uint64_t)*line.p) * BLANK;
	struct slice raw = line;
	uint64_t h = norm = mask = hash_bytes(line.p, line.n);
	size_t chars = line.n - more;
	if (a->of->given.p != NULL && d->chars <= GIVEN_MAX &&
	    is_told(a, line)) {
		mix(&d->hash, blank, h);
		d->chars += chars;
		d->told = true;
		return;
	}
	if ((!a->of->quick || a->json || a->of->pages) &&
	    volatile_drop(line, a->json, &a->scratch[0])) {
		line = buf_view(&a->scratch[0]);
		norm = mask = hash_bytes(line.p, line.n);
		stamped = line.n > STAMPED && (*line.p == '\1' ||
		    (*line.p == '[' && line.p[1] == '\1'));
	}
	bool scored = a->of->asked.p != NULL && drop_scores(a, &line);
	if (scored)
		norm = mask = hash_bytes(line.p, line.n);
	/* an error is the same whatever was written over before it */
	if (a->of->failed && memchr(line.p, '\r', line.n) != NULL)
		norm = mask = 1;
	uint64_t shown = a->of->pages ? hash_page(line, &a->scratch[1]) :
	    a->json || scored ? norm : h;
	/* the same line of a log is nothing new at another time */
	if (a->seen != NULL && hash_set_add(a->seen, shown) &&
	    (!stamped || norm == shown || hash_set_add(a->seen, norm))) {
		d->gain += chars;
		if (a->nfresh < FRESH) {
			a->chars[a->nfresh] = chars;
			a->fresh[a->nfresh++] = raw;
		}
	}
	d->chars += chars;
	mix(&d->hash, blank, h);
	d->lines++;
	if (a->of->quick)
		return;
	if (volatile_mask(line, MASK_NUMBERS, &a->scratch[1])) {
		mask = hash_bytes(a->scratch[1].p, a->scratch[1].len);
		d->sum += a->of->sum ? volatile_sum(line) : 0;
	}
	mix_words(a, line, norm, d);
	mix(&d->norm, blank, norm);
	mix(&d->mask, blank, mask);
}

/* What is new only by the words of the call, as "Found 2 matches for x", is no
 * gain. */
static void
drop_quoted(const struct pass *a, struct digest *d)
{
	struct hash_set words = { .young.n = 0 };
	struct slice call = a->of->asked, word;

	while (next_word(&call, &word))
		hash_set_add(&words, hash_bytes(word.p, word.n));
	for (size_t i = 0; i < a->nfresh; i++) {
		uint64_t others = BLANK;

		if (take_words(a->fresh[i], &words, &others) > 0 &&
		    !hash_set_add(a->seen, others))
			d->gain -= a->chars[i];
	}
	hash_set_release(&words);
}

/* The UTF-8 continuation bytes of a block: characters are the others. */
static inline uint64_t
continuing(const char *block)
{
	uint64_t high = bytes_with(block, 7);

	return high == 0 ? 0 : high & ~bytes_with(block, 6);
}

static size_t
count_bits(uint64_t bits)
{
	return bits == 0 ? 0 : (size_t)__builtin_popcountll(bits);
}

/* A text's lines, by blocks: most are short, and a memchr each would be
 * mispredicted more often. */
struct lines {
	const char *block, *end;
	uint64_t lfs, more;	/* of the block: line ends and continuation
				 * bytes that are left */
};

static inline void
look_at(struct lines *l)
{
	l->lfs = bytes_like(l->block, '\n') & bits_before(l->block, l->end);
	l->more = continuing(l->block) & bits_before(l->block, l->end);
}

/* The next line end, or end.  *more: the continuation bytes before it. */
static inline const char *
next_lf(struct lines *l, size_t *more)
{
	*more = 0;
	while (l->lfs == 0) {
		*more += count_bits(l->more);
		l->block += 64;
		if (l->block >= l->end) {
			l->more = 0;
			return l->end;
		}
		look_at(l);
	}
	uint64_t before = (l->lfs - 1) & ~l->lfs;
	*more += count_bits(l->more & before);
	l->more &= ~before;
	const char *lf = l->block + __builtin_ctzll(l->lfs);
	l->lfs &= l->lfs - 1;
	return lf;
}

void
digest_text(struct buf *text, struct hash_set *seen,
    const struct digest_of *of, struct buf scratch[2], struct digest *d)
{
	struct pass a = { .seen = seen, .scratch = scratch, .of = of };
	struct slice call = of->call, word;
	const char *lf;
	size_t more;
	uint64_t blank = 0;	/* empty lines since the last one with text:
				 * they count only if more text follows */

	buf_reserve(text, VOLATILE_MARGIN);
	struct slice head = slice_trim_start(buf_view(text), " \n");
	a.json = head.n > 0 && (*head.p == '{' || *head.p == '[');
	struct lines all = { .block = text->p, .end = text->p + text->len };
	look_at(&all);
	while (next_word(&call, &word))
		hash_set_add(&a.call, hash_bytes(word.p, word.n));
	for (const char *p = text->p; p < all.end; p = lf + 1) {
		lf = next_lf(&all, &more);
		struct slice line = { p, (size_t)(lf - p) };
		while (line.n > 0 && is_blank(line.p[line.n - 1]))
			line.n--;
		if (line.n == 0) {
			blank++;
			continue;
		}
		take_line(&a, line, more, blank, d);
		blank = 0;
	}
	if (of->asked.p != NULL && d->gain > 0 && d->gain < QUOTING_MAX &&
	    a.nfresh < FRESH)
		drop_quoted(&a, d);
	hash_set_release(&a.call);
}

void
digest_bytes(struct slice bytes, struct hash_set *seen, struct digest *d)
{
	uint64_t h = hash_bytes(bytes.p, bytes.n);

	mix(&d->hash, 0, h);
	mix(&d->norm, 0, h);
	mix(&d->mask, 0, h);
	d->lines++;
	d->chars += bytes.n;
	if (hash_set_add(seen, h))
		d->gain += bytes.n;
}
