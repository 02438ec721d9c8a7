/* scan_blocks.c - strings: long ones by 64 bytes, and what is not plain. */
#include "scan_in.h"
#include "utf8.h"

/* What may follow a backslash: 1, and 2 for u. */
const unsigned char scan_escapes[256] = {
	['"'] = 1, ['\\'] = 1, ['/'] = 1, ['b'] = 1, ['f'] = 1, ['n'] = 1,
	['r'] = 1, ['t'] = 1, ['u'] = 2
};

/* s->p is at a backslash that no one-letter escape follows. */
static bool
odd_escape(struct scan *s)
{
	const char *p = s->p + 1;
	int cp;

	if (p >= s->end)
		return refuse(s, p, "string without an end");
	if (*p != 'u')
		return refuse(s, s->p, "bad escape in a string");
	if (s->end - p < 5)
		return refuse(s, s->p, "bad \\u escape");
	cp = hex4(p + 1);
	if (cp < 0)
		return refuse(s, s->p, "bad \\u escape");
	if (cp == 0)
		return refuse(s, s->p, "\\u0000 in a string");
	s->p += 6;
	return true;
}

static bool
not_ascii(struct scan *s)
{
	const char *p = s->p;

	while (p < s->end && (unsigned char)*p >= 0x80) {
		size_t k = utf8_len((const unsigned char *)p,
		    (size_t)(s->end - p));

		if (k == 0)
			return refuse(s, p, "not UTF-8");
		p += k;
	}
	s->p = p;
	return true;
}

bool
scan_special(struct scan *s)
{
	if ((unsigned char)*s->p >= 0x80)
		return not_ascii(s);
	if (*s->p != '\\')
		return refuse(s, s->p, "control byte in a string");
	if (s->end - s->p >= 2 && scan_escapes[(unsigned char)s->p[1]] == 1) {
		s->p += 2;
		return true;
	}
	return odd_escape(s);
}

#ifdef __SSE2__
/* The first of these bytes that no one-letter escape is made of, or 64.  The
 * common ones (slash: backslashes) are known without looking at each. */
static inline unsigned
bad_escape(const char *p, uint64_t bits, uint64_t slash)
{
	if (bits != 0)
		bits &= ~(slash | bytes_like(p, 'n') |
		    bytes_like(p, '"') | bytes_like(p, 't'));
	for (; bits != 0; bits &= bits - 1)
		if (scan_escapes[(unsigned char)p[__builtin_ctzll(bits)]] != 1)
			return (unsigned)__builtin_ctzll(bits);
	return 64;
}

/* The characters whose first bytes are not ASCII: the first one that is none,
 * or 64.  *over: bytes of the last one that stand behind the block. */
static unsigned
bad_character(const struct scan *s, const char *p, uint64_t high,
    unsigned *over)
{
	while (high != 0) {
		unsigned i = (unsigned)__builtin_ctzll(high);
		size_t k = utf8_len((const unsigned char *)p + i,
		    (size_t)(s->end - p) - i);

		if (k == 0)
			return i;
		if (i + k > 64) {
			*over = i + (unsigned)k - 64;
			break;
		}
		high &= ~(((UINT64_C(1) << k) - 1) << i);
	}
	return 64;
}

bool
scan_blocks(struct scan *s, bool *escaped)
{
	const char *p = s->p;
	uint64_t carry = 0;
	unsigned over = 0;

	for (; s->end - p > 64; p += 64) {
		uint64_t slash = bytes_like(p, '\\');
		uint64_t behind, stop, high;
		unsigned bad, odd = 64;

		behind = escaped_bits(slash, &carry);
		/* what else is escaped and no quote is a bad escape */
		stop = (bytes_within(p, 0, 0x1f) |
		    bytes_like(p, '"')) & ~behind;
		stop &= -stop;		/* the first one */
		bad = bad_escape(p, stop == 0 ? behind :
		    behind & (stop | (stop - 1)), slash);
		*escaped |= (slash & (stop - 1)) != 0;
		high = bytes_with(p, 7) >> over << over & (stop - 1);
		over = 0;
		if (high != 0)
			odd = bad_character(s, p, high, &over);
		if (bad < 64 || odd < 64) {
			s->p = odd < bad ? p + odd : p + bad - 1;
			return false;
		}
		if (stop != 0) {
			s->p = p + __builtin_ctzll(stop);
			return *s->p == '"';
		}
	}
	s->p = p - carry + over;
	return false;
}
#endif
