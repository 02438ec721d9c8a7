/* text_walk.c - over a text by blocks: where its lines end, what is in them. */
#include <string.h>

#include "bits.h"
#include "mark.h"
#include "scan.h"
#include "text_in.h"

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
	text_line(a, l);
}

void
text_walk(struct pass *a, struct slice json)
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
}
