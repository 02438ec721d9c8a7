/* text.c - what a result says: its hashes, and what in it was not yet seen.
 *
 * The text is read as its JSON string spells it, by blocks of 64 bytes.  With
 * the fewest escapes equal lines are equal bytes, so hardly any line is
 * decoded; one that is spelled otherwise is respelled first.
 */
#include <string.h>

#include "bits.h"
#include "mark.h"
#include "norm.h"
#include "scan.h"
#include "text.h"
#include "text_hash.h"

#define SKETCH 16		/* lines that are masked in any case */

/* What a pass over a text carries along. */
struct pass {
	struct buf *scratch;
	struct hset *seen;	/* lines shown before */
	struct digest *d;
	const char *end;	/* of the text; so far may be read */
	bool masks;		/* d->mask is wanted */
	bool differs;		/* d->norm is not d->hash any more */
	bool differs_more;	/* nor d->mask */
	size_t blank;		/* empty lines since the last other one: they
				 * matter only when something follows */
	enum norm_text kind;
};

/* What may be in a line. */
#define MARKS 1			/* something for norm_line */
#define ESCAPES 2
#define DIGITS 8
#define ODD 4			/* escapes that need not be, or of control
				 * bytes without a letter of their own */

/* A line, or what is left of it. */
struct part {
	const char *p, *end;
	unsigned has;
	size_t over;		/* bytes that are no characters: of escapes,
				 * and of characters all but the first */
};

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
	if ((a->masks || a->d->lines < SKETCH) && norm_mask(text, out))
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
	if ((l->has & MARKS) != 0 || ((l->has & DIGITS) != 0 &&
	    (a->masks || d->lines < SKETCH)))
		normalised(a, l, h, &norm, &mask);
	follow(&d->norm, &a->differs, was, h, norm, a, l, start);
	follow(&d->mask, &a->differs_more, was, h, mask, a, l, start);
	a->blank = 0;
	if (++d->lines == SKETCH)
		d->sketch = a->differs_more ? d->mask : d->hash;
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

static void
end_line(struct pass *a, struct part *l)
{
	if ((l->has & ODD) != 0)
		odd_line(a, l);
	else
		line(a, l);
}

/* ---- a block ---- */

/* Bits of 64 bytes. */
struct found {
	uint64_t feeds;		/* the second bytes of escaped line feeds */
	uint64_t escapes;	/* those of all others */
	uint64_t odd;		/* and of odd ones: \u and \/, which alone are
				 * odd numbers in ASCII */
	uint64_t more;		/* of characters, all bytes but the first */
	uint64_t digits;	/* the first of each run */
	uint64_t slashes;	/* before a t */
	uint64_t colons;	/* in JSON */
};

static inline void
find(const char *p, bool json, uint64_t *carry, struct found *f)
{
	uint64_t behind = escaped_bits(bytes_like(p, '\\'), carry);
	uint64_t digits = bytes_within(p, '0', 9);

	f->feeds = f->odd = 0;
	if (behind != 0) {
		f->feeds = behind & bytes_like(p, 'n');
		f->odd = behind & bytes_with(p, 0);
	}
	f->escapes = behind & ~f->feeds;
	f->more = bytes_with(p, 7);
	if (f->more != 0)
		f->more &= ~bytes_with(p, 6);
	f->digits = digits & ~(digits << 1);
	f->slashes = bytes_like(p, '/');
	if (f->slashes != 0)
		f->slashes &= bytes_like(p, 't') >> 1 | UINT64_C(1) << 63;
	f->colons = json ? bytes_like(p, ':') : 0;
}

/* Does what is marked in a block change by itself? */
static unsigned
marks(struct slice text, const char *p, const struct found *f, uint64_t here)
{
	const char *end = text.p + text.n;
	uint64_t bits;

	for (bits = f->digits & here; bits != 0; bits &= bits - 1)
		if (mark_digits(text.p, p + __builtin_ctzll(bits), end))
			return MARKS;
	for (bits = f->slashes & here; bits != 0; bits &= bits - 1)
		if (mark_slash(p + __builtin_ctzll(bits), end))
			return MARKS;
	for (bits = f->colons & here; bits != 0; bits &= bits - 1)
		if (mark_colon(text.p, p + __builtin_ctzll(bits)))
			return MARKS;
	return 0;
}

/* Take note of what a line has in a block. */
static inline void
note(struct part *l, struct slice text, const char *p, const struct found *f,
    uint64_t here)
{
	if ((l->has & MARKS) == 0 &&
	    ((f->digits | f->slashes | f->colons) & here) != 0)
		l->has |= marks(text, p, f, here);
	if ((f->digits & here) != 0)
		l->has |= DIGITS;
	if ((f->more & here) != 0)
		l->over += (unsigned)__builtin_popcountll(f->more & here);
	if ((f->escapes & here) != 0) {
		l->has |= ESCAPES | ((f->odd & here) != 0) * ODD;
		l->over += (unsigned)__builtin_popcountll(f->escapes & here);
	}
}

/* ---- a text ---- */

static enum norm_text
kind_of(struct slice json, struct buf *scratch)
{
	const char *p = json.p, *end = p + json.n;

	while (p < end && (*p == ' ' || (*p == '\\' && p[1] == 'n')))
		p += *p == ' ' ? 1 : 2;
	if (p < end && *p == '\\') {
		buf_reset(scratch);
		scan_inside(json, scratch);
		return norm_kind(buf_view(scratch));
	}
	return norm_kind((struct slice){ p, (size_t)(end - p) });
}

static inline void
close_line(struct pass *a, struct part *l, const char *end)
{
	l->end = end;
	end_line(a, l);
}

static void
walk(struct pass *a, struct slice json)
{
	const char *p = json.p, *end = p + json.n;
	bool is_json;
	struct part l = { .p = p };
	uint64_t carry = 0;
	struct found f;
	char last[64];

	a->end = end;
	a->kind = kind_of(json, &a->scratch[0]);
	is_json = a->kind == NORM_JSON;
	for (; p < end; p += 64) {
		uint64_t rest = ~UINT64_C(0);

		if (end - p >= 64) {
			find(p, is_json, &carry, &f);
		} else {
			memset(last, 0, sizeof last);
			memcpy(last, p, (size_t)(end - p));
			find(last, is_json, &carry, &f);
		}
		for (; f.feeds != 0; f.feeds &= f.feeds - 1) {
			const char *nl = p + __builtin_ctzll(f.feeds);
			uint64_t here = (f.feeds ^ (f.feeds - 1)) & rest;

			note(&l, json, p, &f, here);
			close_line(a, &l, nl - 1);
			l = (struct part){ .p = nl + 1 };
			rest &= ~here;
		}
		note(&l, json, p, &f, rest);
	}
	if (l.p < end)
		close_line(a, &l, end);
	if (!a->differs)
		a->d->norm = a->d->hash;
	if (!a->differs_more)
		a->d->mask = a->d->norm;
	if (a->d->lines < SKETCH)
		a->d->sketch = a->d->mask;
	else if (a->d->lines > SKETCH && !a->masks)
		a->d->mask = 0;
	a->d->sketch = text_fold(a->d->sketch ^ a->d->lines, K1);
}

/* ---- all of it ---- */

void
text_digest(struct slice json, struct hset *seen, bool masks,
    struct buf scratch[2], struct digest *d)
{
	struct pass a = { .scratch = scratch, .d = d, .seen = seen,
		.masks = masks };

	walk(&a, json);
}

void
text_other(struct slice bytes, struct hset *seen, struct digest *d)
{
	uint64_t h = text_hash(bytes.p, bytes.n, K0);

	d->hash = text_fold(d->hash ^ h, K2);
	d->norm = text_fold(d->norm ^ h, K2);
	d->mask = text_fold(d->mask ^ h, K2);
	d->lines++;
	d->chars += bytes.n;
	if (hset_add(seen, h))
		d->gain += bytes.n;
}
