/* text_line.c - a line of a text: its hash, and what it adds to the whole.
 *
 * The text is read as its JSON string spells it.  With the fewest escapes
 * equal lines are equal bytes, so hardly any line is decoded; one that is
 * spelled otherwise is respelled first.
 */
#include <string.h>

#include "bits.h"
#include "norm.h"
#include "scan.h"
#include "text_hash.h"
#include "text_in.h"

/* ---- blanks, also spelled with escapes ---- */

#ifdef __SSE2__
/* How many of 16 bytes from p on are like those wanted. */
static inline unsigned
run16(const char *p, __m128i want)
{
	return (unsigned)__builtin_ctz(~(unsigned)like16(p, want));
}
#endif

/* The blanks at p; end is the line's, limit where reading must end. */
static inline const char *
over_spaces(const char *p, const char *end, const char *limit)
{
#ifdef __SSE2__
	if (limit - p >= 16) {
		p += run16(p, _mm_set1_epi8(' '));
		if (p >= end)
			return end;
	}
#else
	(void)limit;
#endif
	while (p < end && *p == ' ')
		p++;
	return p;
}

static bool
is_blank_escape(char c)
{
	return c == 't' || c == 'r' || c == 'f';
}

/* Of a line with escapes: without the blanks it begins with. */
static void
trim_front(struct part *l, const char *limit)
{
	for (;;) {
		size_t n = 2;

		if (l->p < l->end && *l->p == ' ')
			l->p = over_spaces(l->p, l->end, limit);
		if (l->end - l->p < 2 || *l->p != '\\')
			return;
		if (l->end - l->p >= 6 && memcmp(l->p, "\\u000b", 6) == 0)
			n = 6;
		else if (!is_blank_escape(l->p[1]))
			return;
		l->p += n;
		l->over -= n - 1;
	}
}

/* Is the backslash at p the first byte of an escape? */
static bool
is_escape(const char *start, const char *p)
{
	const char *q = p;

	while (q > start && q[-1] == '\\')
		q--;
	return (p - q) % 2 == 0;
}

/* And those it ends with. */
static void
trim_back(struct part *l)
{
	for (;;) {
		size_t n = 2;

		if (l->end - l->p < 2 || (l->end[-2] != '\\' &&
		    l->end[-1] != ' ' && l->end[-1] != 'b'))
			return;		/* most lines */
		while (l->end > l->p && l->end[-1] == ' ')
			l->end--;
		if (l->end - l->p >= 6 && memcmp(l->end - 6, "\\u000b", 6) == 0)
			n = 6;
		else if (l->end - l->p < 2 || l->end[-2] != '\\' ||
		    !is_blank_escape(l->end[-1]))
			return;
		if (!is_escape(l->p, l->end - n))
			return;
		l->end -= n;
		l->over -= n - 1;
	}
}

/* ---- a line ---- */

/* A hash of the lines before and this one: the blanks it begins with and the
 * empty lines above it count. */
static inline uint64_t
mixed(uint64_t before, uint64_t h, size_t blank, const char *start,
    const char *p)
{
	uint64_t all = text_fold(before ^ h, K1) + blank;

	return p > start ? all ^ text_fold(h ^ K2, text_hash_line(start,
	    (size_t)(p - start))) : all;
}

/* The hashes of a line without what changes by itself, and masked; h if that
 * is the line itself.  A mask needs no decoding: equal is equal. */
static void
normalised(struct pass *a, const struct part *l, uint64_t h, uint64_t *norm,
    uint64_t *mask)
{
	const struct slice line = { l->p, (size_t)(l->end - l->p) };
	struct buf *plain = &a->scratch[0], *out = &a->scratch[1];
	struct slice text = line;

	*norm = *mask = h;
	if ((l->has & (MARKS | ESCAPES)) == (MARKS | ESCAPES)) {
		buf_reset(plain);
		scan_inside(text, plain);
		text = buf_view(plain);
	}
	if ((l->has & MARKS) != 0 && norm_line(text, a->kind, out)) {
		*norm = *mask = text_hash(out->p, out->len, K2);
		buf_reset(plain);
		buf_slice(plain, buf_view(out));
		text = buf_view(plain);
	} else {
		text = line;
	}
	if (a->masks && norm_mask(text, out))
		*mask = text_hash_line(out->p, out->len) ^ K1;
}

/* Add a line to a hash that goes with d->hash until a line differs. */
static void
follow(uint64_t *all, bool *differs, uint64_t was, uint64_t h, uint64_t own,
    const struct pass *a, const struct part *l, const char *start)
{
	if (own != h && !*differs) {
		*all = was;
		*differs = true;
	}
	if (*differs)
		*all = mixed(*all, own, a->blank, start, l->p);
}

static void
line(struct pass *a, struct part *l)
{
	struct digest *d = a->d;
	const char *start = l->p;
	uint64_t h, norm, mask, was = d->hash;
	size_t n;

	if ((l->has & ESCAPES) != 0) {
		trim_front(l, a->end);
		trim_back(l);
	} else {
		l->p = over_spaces(l->p, l->end, a->end);
		while (l->end > l->p && l->end[-1] == ' ')
			l->end--;
	}
	if (l->p == l->end) {
		a->blank++;
		return;
	}
	n = (size_t)(l->end - l->p);
	h = norm = mask = text_hash_line(l->p, n);
	d->hash = mixed(was, h, a->blank, start, l->p);
	if ((l->has & MARKS) != 0 || (a->masks && (l->has & DIGITS) != 0))
		normalised(a, l, h, &norm, &mask);
	follow(&d->norm, &a->differs, was, h, norm, a, l, start);
	follow(&d->mask, &a->differs_more, was, h, mask, a, l, start);
	a->blank = 0;
	d->lines++;
	d->chars += n - l->over;
	if (hset_add(a->seen, h))
		d->gain += n - l->over;
}

/* A line as it may be spelled: respelled with the fewest escapes it may be
 * several, as a line feed has two spellings. */
__attribute__((cold, noinline)) static void
odd_line(struct pass *a, const struct part *l)
{
	struct buf plain = BUF_INIT(BUF_RECORD_MAX);
	struct buf json = BUF_INIT(BUF_RECORD_MAX);
	struct part now = { .has = MARKS | DIGITS | ESCAPES };
	const char *q, *end, *limit = a->end;

	scan_inside((struct slice){ l->p, (size_t)(l->end - l->p) }, &plain);
	scan_quote(&json, plain.p, plain.len);
	now.p = q = json.p + 1;
	a->end = json.p + json.len;
	end = json.p + json.len - 1;
	while (q < end) {
		size_t n = *q != '\\' ? 1 : q[1] == 'u' ? 6 : 2;

		if (n == 2 && q[1] == 'n') {
			now.end = q;
			line(a, &now);
			now = (struct part){ .p = q + 2, .has = now.has };
		} else {
			now.over += n - 1 + ((*q & 0xc0) == 0x80);
		}
		q += n;
	}
	now.end = end;
	line(a, &now);
	a->end = limit;
	buf_release(&plain);
	buf_release(&json);
}

void
text_line(struct pass *a, struct part *l)
{
	if ((l->has & ODD) != 0)
		odd_line(a, l);
	else
		line(a, l);
}
