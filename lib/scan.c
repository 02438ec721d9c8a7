/* scan.c - the JSON scanner: checks bytes against RFC 8259, hands out slices.
 *
 * Reads JSON by hand because reading records strictly and carrying their
 * bytes is what this project is for; both libraries we link disagree with the
 * RFC and with each other on a fifth of JSONTestSuite's refusals.
 */
#include <stdlib.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "mem.h"
#include "num.h"
#include "scan.h"
#include "utf8.h"

/* Objects up to this many keys compare each new key with the ones before;
 * larger ones are sorted once, at their end. */
#define FEW_KEYS 16

struct scan_key {
	const char *p;
	uint32_t n;
	uint32_t escaped;
	uint64_t hash;
};

static bool value(struct scan *s);

static bool
refuse(struct scan *s, const char *at, const char *why)
{
	s->why = why;
	s->at = (size_t)(at - s->start);
	return false;
}

static inline bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static inline void
blanks(struct scan *s)
{
	while (s->p < s->end && (unsigned char)*s->p <= ' ' &&
	    is_blank(*s->p))
		s->p++;
}

#ifdef __SSE2__
/* A bit for each of 16 bytes that is a quote, a backslash, a control byte or
 * not ASCII. */
static inline unsigned
odd_bytes(const char *p)
{
	__m128i x = _mm_loadu_si128((const __m128i *)(const void *)p);
	__m128i odd = _mm_or_si128(_mm_cmpeq_epi8(x, _mm_set1_epi8('"')),
	    _mm_cmpeq_epi8(x, _mm_set1_epi8('\\')));

	odd = _mm_or_si128(odd, _mm_cmpeq_epi8(
	    _mm_min_epu8(x, _mm_set1_epi8(0x1f)), x));
	return (unsigned)_mm_movemask_epi8(_mm_or_si128(odd, x));
}
#endif

/* The first such byte, or end. */
static inline const char *
plain_run(const char *p, const char *end)
{
#ifdef __SSE2__
	while (end - p >= 16) {
		unsigned bits = odd_bytes(p);

		if (bits != 0)
			return p + __builtin_ctz(bits);
		p += 16;
	}
#else
	const uint64_t ones = 0x0101010101010101u, high = ones << 7;

	while (end - p >= 8) {
		uint64_t x, q, b;

		memcpy(&x, p, 8);
		q = x ^ ones * '"';
		b = x ^ ones * '\\';
		if ((((x - ones * 0x20) | (q - ones) | (b - ones) | x) &
		    high) != 0)
			break;
		p += 8;
	}
#endif
	while (p < end && (unsigned char)*p >= 0x20 && *p != '"' &&
	    *p != '\\' && (unsigned char)*p < 0x80)
		p++;
	return p;
}

static int
hex4(const char *p)
{
	int v = 0;

	for (int i = 0; i < 4; i++) {
		char c = p[i];
		int d = c >= '0' && c <= '9' ? c - '0' :
		    c >= 'a' && c <= 'f' ? c - 'a' + 10 :
		    c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;

		if (d < 0)
			return -1;
		v = v * 16 + d;
	}
	return v;
}

/* What may follow a backslash: 1, and 2 for u. */
static const unsigned char escapes[256] = {
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

/* One byte of a string's inside that is not plain, at s->p: left behind it. */
static bool
special(struct scan *s)
{
	if ((unsigned char)*s->p >= 0x80)
		return not_ascii(s);
	if (*s->p != '\\')
		return refuse(s, s->p, "control byte in a string");
	if (s->end - s->p >= 2 && escapes[(unsigned char)s->p[1]] == 1) {
		s->p += 2;
		return true;
	}
	return odd_escape(s);
}

#ifdef __SSE2__
/* A bit for each of 64 bytes that equals c. */
static inline uint64_t
bytes_like(const char *p, char c)
{
	__m128i want = _mm_set1_epi8(c);
	uint64_t bits = 0;

	for (int i = 0; i < 4; i++)
		bits |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(
		    _mm_loadu_si128((const __m128i *)(const void *)
		    (p + 16 * i)), want)) << 16 * i;
	return bits;
}

/* Which of 64 bytes a backslash escapes: those behind runs of backslashes of
 * odd length, found by a carry that ripples through each run (simdjson's
 * way).  *carry: the first byte is escaped from before. */
static inline uint64_t
escaped_bits(uint64_t slash, uint64_t *carry)
{
	const uint64_t even = UINT64_C(0x5555555555555555);
	uint64_t behind, odd, ends;

	if (slash == 0) {
		behind = *carry;
		*carry = 0;
		return behind;
	}
	slash &= ~*carry;
	behind = slash << 1 | *carry;
	odd = slash & ~even & ~behind;
	ends = odd + slash;
	*carry = ends < odd;
	return (even ^ ends << 1) & behind;
}

/* A bit for each of 64 bytes that is a control byte or not ASCII. */
static inline uint64_t
strange_bytes(const char *p)
{
	uint64_t bits = 0;

	for (int i = 0; i < 4; i++) {
		__m128i x = _mm_loadu_si128((const __m128i *)(const void *)
		    (p + 16 * i));

		bits |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_or_si128(x,
		    _mm_cmpeq_epi8(_mm_min_epu8(x, _mm_set1_epi8(0x1f)),
		    x))) << 16 * i;
	}
	return bits;
}

/* The first of these bytes that no one-letter escape is made of, or 64. */
static inline unsigned
bad_escape(const char *p, uint64_t bits)
{
	for (; bits != 0; bits &= bits - 1)
		if (escapes[(unsigned char)p[__builtin_ctzll(bits)]] != 1)
			return (unsigned)__builtin_ctzll(bits);
	return 64;
}

/* Walk blocks of 64 bytes from s->p: stops at a closing quote (true), at what
 * special() is for, or near the end. */
static inline bool
large_blocks(struct scan *s, bool *escaped)
{
	const char *p = s->p;
	uint64_t carry = 0;

	for (; s->end - p > 64; p += 64) {
		uint64_t slash = bytes_like(p, '\\'), behind, stop;
		unsigned bad;

		behind = escaped_bits(slash, &carry);
		stop = (bytes_like(p, '"') & ~behind) | strange_bytes(p);
		stop &= -stop;		/* the first one */
		bad = bad_escape(p, stop == 0 ? behind :
		    behind & (stop | (stop - 1)));
		*escaped |= (slash & (stop - 1)) != 0;
		if (bad < 64) {
			s->p = p + bad - 1;
			return false;
		}
		if (stop != 0) {
			s->p = p + __builtin_ctzll(stop);
			return *s->p == '"';
		}
	}
	s->p = p - carry;
	return false;
}
#endif

#ifdef __SSE2__
/* Walk whole blocks of 16 bytes from s->p; simple escapes are stepped over
 * inside their block, which is what makes this fast on text with many \n.
 * Stops at a closing quote (true), at what special() is for, or near the end. */
static inline bool
blocks(struct scan *s, bool *escaped)
{
	const char *p = s->p;

	while (s->end - p > 16) {
		unsigned bits = odd_bytes(p), skip = 0;

		while (bits != 0) {
			unsigned i = (unsigned)__builtin_ctz(bits);

			if (p[i] != '\\' ||
			    escapes[(unsigned char)p[i + 1]] != 1) {
				s->p = p + i;
				return p[i] == '"';
			}
			*escaped = true;
			bits &= ~(3u << i);
			skip = i == 15;
		}
		p += 16 + skip;
	}
	s->p = p;
	return false;
}
#else
static inline bool
blocks(struct scan *s, bool *escaped)
{
	(void)escaped;
	s->p = plain_run(s->p, s->end);
	return s->p < s->end && *s->p == '"';
}
#endif

/* s->p is at the opening quote; left behind the closing one. */
static inline bool
string(struct scan *s, bool *escaped)
{
	const char *open = s->p++;

	*escaped = false;
#ifdef __SSE2__
	if (s->end - s->p > 64) {
		unsigned bits = odd_bytes(s->p);

		if (bits != 0 && s->p[__builtin_ctz(bits)] == '"') {
			s->p += __builtin_ctz(bits) + 1;
			return true;
		}
		if (large_blocks(s, escaped)) {
			s->p++;
			return true;
		}
	}
#endif
	while (!blocks(s, escaped)) {
		s->p = plain_run(s->p, s->end);
		if (s->p >= s->end)
			return refuse(s, open, "string without an end");
		if (*s->p == '"')
			break;
		*escaped |= *s->p == '\\';
		if (!special(s))
			return false;
	}
	s->p++;
	return true;
}

static const char *
digits(const char *p, const char *end)
{
	while (p < end && *p >= '0' && *p <= '9')
		p++;
	return p;
}

static bool
number(struct scan *s)
{
	const char *p = s->p, *end = s->end, *q;

	if (p < end && *p == '-')
		p++;
	q = digits(p, end);
	if (q == p)
		return refuse(s, s->p, "not a JSON value");
	if (*p == '0' && q - p > 1)
		return refuse(s, s->p, "number with a leading zero");
	p = q;
	if (p < end && *p == '.') {
		q = digits(p + 1, end);
		if (q == p + 1)
			return refuse(s, s->p, "number without decimals");
		p = q;
	}
	if (p < end && (*p == 'e' || *p == 'E')) {
		p++;
		if (p < end && (*p == '+' || *p == '-'))
			p++;
		q = digits(p, end);
		if (q == p)
			return refuse(s, s->p, "number without exponent");
		p = q;
	}
	s->p = p;
	return true;
}

static bool
literal(struct scan *s, const char *word, size_t n)
{
	if ((size_t)(s->end - s->p) < n || memcmp(s->p, word, n) != 0)
		return refuse(s, s->p, "not a JSON value");
	s->p += n;
	return true;
}

static bool
array(struct scan *s)
{
	if (++s->depth > SCAN_DEPTH)
		return refuse(s, s->p, "nested deeper than 512");
	s->p++;
	blanks(s);
	if (s->p < s->end && *s->p == ']')
		goto done;
	for (;;) {
		blanks(s);
		if (!value(s))
			return false;
		blanks(s);
		if (s->p >= s->end)
			return refuse(s, s->p, "array without an end");
		if (*s->p == ']')
			break;
		if (*s->p != ',')
			return refuse(s, s->p, "',' or ']' wanted");
		s->p++;
	}
done:
	s->p++;
	s->depth--;
	return true;
}

/* Not for security: equal hashes are always compared by their bytes. */
static inline uint64_t
hash_bytes(const char *p, size_t n, const char *end)
{
	uint64_t h = n * 0x9e3779b97f4a7c15u, x;

	while (n > 8) {
		memcpy(&x, p, 8);
		h = (h ^ x) * 0xff51afd7ed558ccdu;
		h ^= h >> 32;
		p += 8;
		n -= 8;
	}
	x = 0;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	if (end - p >= 8) {	/* the rest of the line is readable */
		memcpy(&x, p, 8);
		x &= n == 8 ? ~(uint64_t)0 : ((uint64_t)1 << 8 * n) - 1;
		n = 0;
	}
#endif
	for (unsigned i = 0; i < n; i++)
		x |= (uint64_t)(unsigned char)p[i] << 8 * i;
	h = (h ^ x) * 0xff51afd7ed558ccdu;
	return h ^ h >> 29;
}

/* Copy up to the first backslash; how many.  Pieces of 16 are copied before
 * they are looked at: o has room for all of p. */
static inline size_t
copy_plain(char *o, const char *p, const char *end)
{
	const char *start = p, *q;

#ifdef __SSE2__
	for (; end - p >= 16; p += 16, o += 16) {
		__m128i x = _mm_loadu_si128((const __m128i *)(const void *)p);
		unsigned bits = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(x,
		    _mm_set1_epi8('\\')));

		_mm_storeu_si128((__m128i *)(void *)o, x);
		if (bits != 0)
			return (size_t)(p - start) +
			    (size_t)__builtin_ctz(bits);
	}
#endif
	q = memchr(p, '\\', (size_t)(end - p));
	if (q == NULL)
		q = end;
	memcpy(o, p, (size_t)(q - p));
	return (size_t)(q - start);
}

/* Decode the inside of a string.  An unpaired surrogate becomes U+FFFD, or
 * with wtf its own three bytes, so that two different ones stay two different
 * keys. */
static void
decode(struct buf *out, const char *p, size_t n, bool wtf)
{
	const char *end = p + n;
	char *o;

	/* decoded text is never longer: \uXXXX is at most three bytes; but it
	 * may be shorter, and fit a ceiling that n does not */
	if (out->len > out->max || n > out->max - out->len) {
		struct buf all = BUF_INIT(n);

		decode(&all, p, n, wtf);
		buf_slice(out, buf_view(&all));
		buf_release(&all);
		return;
	}
	if (buf_reserve(out, n) < 0)
		return;
	o = out->p + out->len;
	while (p < end) {
		int cp;

		if (*p != '\\') {
			size_t k = copy_plain(o, p, end);

			o += k;
			p += k;
			continue;
		}
		p += 2;
		switch (p[-1]) {
		case 'b': *o++ = '\b'; continue;
		case 'f': *o++ = '\f'; continue;
		case 'n': *o++ = '\n'; continue;
		case 'r': *o++ = '\r'; continue;
		case 't': *o++ = '\t'; continue;
		case 'u': break;
		default: *o++ = p[-1]; continue;
		}
		cp = hex4(p);
		p += 4;
		if (cp >= 0xd800 && cp < 0xdc00 && end - p >= 6 &&
		    p[0] == '\\' && p[1] == 'u') {
			int lo = hex4(p + 2);

			if (lo >= 0xdc00 && lo < 0xe000) {
				cp = 0x10000 + ((cp - 0xd800) << 10) +
				    (lo - 0xdc00);
				p += 6;
			}
		}
		if (!wtf && cp >= 0xd800 && cp < 0xe000)
			cp = 0xfffd;
		if (cp < 0x80) {
			*o++ = (char)cp;
			continue;
		}
		if (cp < 0x800) {
			*o++ = (char)(0xc0 | cp >> 6);
		} else if (cp < 0x10000) {
			*o++ = (char)(0xe0 | cp >> 12);
			*o++ = (char)(0x80 | (cp >> 6 & 0x3f));
		} else {
			*o++ = (char)(0xf0 | cp >> 18);
			*o++ = (char)(0x80 | (cp >> 12 & 0x3f));
			*o++ = (char)(0x80 | (cp >> 6 & 0x3f));
		}
		*o++ = (char)(0x80 | (cp & 0x3f));
	}
	*o = '\0';
	out->len = (size_t)(o - out->p);
}

static struct slice
key_bytes(struct scan *s, const struct scan_key *k, int which)
{
	struct buf *b = &s->scratch[which];

	if (k->escaped == 0)
		return (struct slice){ k->p, k->n };
	b->max = BUF_RECORD_MAX;
	buf_reset(b);
	decode(b, k->p, k->n, true);
	return buf_view(b);
}

static bool
same_key(struct scan *s, const struct scan_key *a, const struct scan_key *b)
{
	if (a->hash != b->hash)
		return false;
	return slice_eq(key_bytes(s, a, 0), key_bytes(s, b, 1));
}

static int
by_hash(const void *x, const void *y)
{
	const struct scan_key *a = x, *b = y;

	if (a->hash != b->hash)
		return a->hash < b->hash ? -1 : 1;
	return a->p < b->p ? -1 : a->p > b->p;
}

/* All keys of one large object at once: equal keys have equal hashes and so
 * stand in one run.  A run of different keys with one hash needs luck or
 * malice; it is compared pair by pair up to a bound, then refused. */
static bool
many_keys_differ(struct scan *s, size_t first)
{
	struct scan_key *k = s->keys + first;
	size_t n = s->nkeys - first;

	qsort(k, n, sizeof *k, by_hash);
	for (size_t i = 0; i < n; i++)
		for (size_t j = i + 1; j < n && k[j].hash == k[i].hash; j++) {
			if (same_key(s, &k[i], &k[j]))
				return refuse(s, k[j].p, "duplicate key");
			if (j - i > 64)
				return refuse(s, k[j].p,
				    "too many colliding keys");
		}
	return true;
}

/* bloom has a bit for each key the object has: a key whose bit is not there
 * is new without looking. */
static bool
add_key(struct scan *s, size_t first, uint64_t *bloom, const char *p,
    size_t n, bool escaped)
{
	struct scan_key *k;
	uint64_t bit;

	if (s->nkeys == s->capkeys)
		s->keys = xgrow(s->keys, s->nkeys, &s->capkeys,
		    sizeof *s->keys);
	k = &s->keys[s->nkeys];
	*k = (struct scan_key){ p, (uint32_t)n, escaped, 0 };
	if (escaped) {
		struct slice b = key_bytes(s, k, 0);

		k->hash = hash_bytes(b.p, b.n, b.p + b.n);
	} else {
		k->hash = hash_bytes(p, n, s->end);
	}
	bit = (uint64_t)1 << (k->hash >> 58);
	if ((*bloom & bit) != 0 && s->nkeys - first <= FEW_KEYS)
		for (size_t i = first; i < s->nkeys; i++)
			if (same_key(s, &s->keys[i], k))
				return refuse(s, p, "duplicate key");
	*bloom |= bit;
	s->nkeys++;
	return true;
}

/* One "key": value of an object whose keys begin at first. */
static bool
pair(struct scan *s, size_t first, uint64_t *bloom, struct member *m)
{
	const char *at;
	bool escaped;

	blanks(s);
	if (s->p >= s->end || *s->p != '"')
		return refuse(s, s->p, "key wanted");
	at = s->p + 1;
	if (!string(s, &escaped))
		return false;
	m->key = (struct slice){ at, (size_t)(s->p - 1 - at) };
	if (!add_key(s, first, bloom, at, m->key.n, escaped))
		return false;
	blanks(s);
	if (s->p >= s->end || *s->p != ':')
		return refuse(s, s->p, "':' wanted");
	s->p++;
	blanks(s);
	m->val.p = s->p;
	if (!value(s))
		return false;
	m->val.n = (size_t)(s->p - m->val.p);
	return true;
}

static bool
object(struct scan *s)
{
	size_t first = s->nkeys;
	uint64_t bloom = 0;
	struct member m;

	if (++s->depth > SCAN_DEPTH)
		return refuse(s, s->p, "nested deeper than 512");
	s->p++;
	blanks(s);
	if (s->p < s->end && *s->p == '}')
		goto done;
	for (;;) {
		if (!pair(s, first, &bloom, &m))
			return false;
		if (s->depth == 1) {
			if (s->n == s->cap)
				s->m = xgrow(s->m, s->n, &s->cap,
				    sizeof *s->m);
			s->m[s->n++] = m;
		}
		blanks(s);
		if (s->p >= s->end)
			return refuse(s, s->p, "object without an end");
		if (*s->p == '}')
			break;
		if (*s->p != ',')
			return refuse(s, s->p, "',' or '}' wanted");
		s->p++;
	}
	if (s->nkeys - first > FEW_KEYS && !many_keys_differ(s, first))
		return false;
done:
	s->nkeys = first;
	s->p++;
	s->depth--;
	return true;
}

static bool
value(struct scan *s)
{
	bool escaped;

	if (s->p >= s->end)
		return refuse(s, s->p, "value wanted");
	switch (*s->p) {
	case '{': return object(s);
	case '[': return array(s);
	case '"': return string(s, &escaped);
	case 't': return literal(s, "true", 4);
	case 'f': return literal(s, "false", 5);
	case 'n': return literal(s, "null", 4);
	default: return number(s);
	}
}

static void
begin(struct scan *s, const char *p, size_t n)
{
	s->p = s->start = p;
	s->end = p + n;
	s->n = s->nkeys = 0;
	s->depth = 0;
	s->why = NULL;
	s->at = 0;
}

int
scan_value(struct scan *s, const char *p, size_t n)
{
	begin(s, p, n);
	blanks(s);
	if (!value(s))
		return -1;
	blanks(s);
	if (s->p < s->end) {
		refuse(s, s->p, "bytes after the value");
		return -1;
	}
	return 0;
}

int
scan_record(struct scan *s, const char *p, size_t n)
{
	begin(s, p, n);
	blanks(s);
	if (s->p == s->end) {
		refuse(s, s->p, "blank line");
		return -1;
	}
	if (s->end - s->p >= 3 && memcmp(s->p, "\xef\xbb\xbf", 3) == 0) {
		refuse(s, s->p, "byte order mark");
		return -1;
	}
	if (*s->p != '{') {
		refuse(s, s->p, utf8_check(p, n) < n ? "not UTF-8" :
		    "not a JSON object");
		return -1;
	}
	return scan_value(s, p, n);
}

void
scan_release(struct scan *s)
{
	free(s->m);
	free(s->keys);
	buf_release(&s->scratch[0]);
	buf_release(&s->scratch[1]);
	*s = (struct scan){ 0 };
}

/* ---- checked bytes only ---- */

enum scan_kind
scan_kind(struct slice val)
{
	if (val.p == NULL || val.n == 0)
		return SCAN_NONE;
	switch (val.p[0]) {
	case '{': return SCAN_OBJECT;
	case '[': return SCAN_ARRAY;
	case '"': return SCAN_STRING;
	case 't': return SCAN_TRUE;
	case 'f': return SCAN_FALSE;
	case 'n': return SCAN_NULL;
	default: return SCAN_NUMBER;
	}
}

bool
scan_key_is(struct slice key, const char *text)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);
	bool same;

	/* most keys differ in their first byte */
	if (key.n > 0 && key.p[0] != text[0] && key.p[0] != '\\')
		return false;
	if (key.p == NULL || memchr(key.p, '\\', key.n) == NULL)
		return slice_is(key, text);
	decode(&b, key.p, key.n, false);
	same = slice_is(buf_view(&b), text);
	buf_release(&b);
	return same;
}

static struct slice
inside(struct slice val)
{
	return (struct slice){ val.p + 1, val.n - 2 };
}

bool
scan_str_is(struct slice val, const char *text)
{
	return scan_kind(val) == SCAN_STRING && scan_key_is(inside(val), text);
}

struct slice
scan_plain(struct slice val)
{
	if (scan_kind(val) != SCAN_STRING ||
	    memchr(val.p, '\\', val.n) != NULL)
		return (struct slice){ NULL, 0 };
	return inside(val);
}

bool
scan_str(struct slice val, struct buf *out)
{
	if (scan_kind(val) != SCAN_STRING)
		return false;
	decode(out, val.p + 1, val.n - 2, false);
	return true;
}

char *
scan_strdup(struct slice val)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);

	return scan_str(val, &b) ? buf_detach(&b) : NULL;
}

bool
scan_int(struct slice val, int64_t *out)
{
	return scan_kind(val) == SCAN_NUMBER && num_i64(val.p, val.n, out);
}

bool
scan_true(struct slice val)
{
	return scan_kind(val) == SCAN_TRUE;
}

static const char *
over_blanks(const char *p, const char *end)
{
	while (p < end && is_blank(*p))
		p++;
	return p;
}

/* Behind the string that opens at p.  Only quotes and backslashes matter in
 * bytes that are checked. */
static const char *
over_string(const char *p, const char *end)
{
#ifdef __SSE2__
	uint64_t carry = 0, quotes;

	for (p++; end - p >= 64; p += 64) {
		quotes = bytes_like(p, '"');
		quotes &= ~escaped_bits(bytes_like(p, '\\'), &carry);
		if (quotes != 0)
			return p + __builtin_ctzll(quotes) + 1;
	}
	p += carry;
#else
	p++;
#endif
	while (p < end && *p != '"')
		p += *p == '\\' ? 2 : 1;
	return p < end ? p + 1 : end;
}

static inline bool
ends_scalar(char c)
{
	return c == ',' || c == ']' || c == '}' || is_blank(c);
}

static const char *
over_value(const char *p, const char *end)
{
	unsigned depth = 0;

	do {
		switch (*p) {
		case '"':
			p = over_string(p, end);
			break;
		case '{':
		case '[':
			depth++;
			p++;
			break;
		case '}':
		case ']':
			depth--;
			p++;
			break;
		default:
			p++;
			if (depth == 0)
				while (p < end && !ends_scalar(*p))
					p++;
			break;
		}
	} while (depth > 0 && p < end);
	return p;
}

void
walk_in(struct walk *w, struct slice c)
{
	enum scan_kind k = scan_kind(c);

	if (k != SCAN_OBJECT && k != SCAN_ARRAY) {
		*w = (struct walk){ NULL, NULL, SCAN_NONE };
		return;
	}
	*w = (struct walk){ c.p + 1, c.p + c.n, k };
}

bool
walk_key(struct walk *w, struct slice *key)
{
	const char *p = w->p, *q;

	if (key != NULL)
		*key = (struct slice){ NULL, 0 };
	if (p == NULL)
		return false;
	p = over_blanks(p, w->end);
	if (p < w->end && *p == ',')
		p = over_blanks(p + 1, w->end);
	w->p = p;
	if (p >= w->end || *p == '}' || *p == ']')
		return false;
	if (w->kind != SCAN_OBJECT)
		return true;
	q = over_string(p, w->end);
	if (key != NULL)
		*key = inside((struct slice){ p, (size_t)(q - p) });
	p = over_blanks(q, w->end);
	w->p = over_blanks(p + 1, w->end);
	return true;
}

struct slice
walk_value(struct walk *w)
{
	const char *p = w->p;

	w->p = over_value(p, w->end);
	return (struct slice){ p, (size_t)(w->p - p) };
}

bool
walk_enter(const struct walk *w, struct walk *in)
{
	enum scan_kind k = scan_kind((struct slice){ w->p, 1 });

	*in = (struct walk){ w->p + 1, w->end, k };
	return k == SCAN_OBJECT || k == SCAN_ARRAY;
}

struct slice
walk_leave(struct walk *w, const struct walk *in)
{
	const char *p = w->p;

	w->p = in->p + 1;
	return (struct slice){ p, (size_t)(w->p - p) };
}

bool
walk_next(struct walk *w, struct slice *key, struct slice *val)
{
	if (!walk_key(w, key))
		return false;
	*val = walk_value(w);
	return true;
}

struct slice
scan_get(struct slice obj, const char *key)
{
	struct slice k, v;
	struct walk w;

	if (scan_kind(obj) != SCAN_OBJECT)
		return (struct slice){ NULL, 0 };
	walk_in(&w, obj);
	while (walk_key(&w, &k)) {
		v = walk_value(&w);
		if (scan_key_is(k, key))
			return v;
	}
	return (struct slice){ NULL, 0 };
}

void
scan_quote(struct buf *out, const char *p, size_t n)
{
	static const char hex[] = "0123456789abcdef";
	const char *end = p + n;

	buf_reserve(out, n + 2);
	buf_addc(out, '"');
	while (p < end) {
		const char *q = plain_run(p, end);

		while (q < end && (unsigned char)*q >= 0x80)
			q = plain_run(q + 1, end);
		buf_add(out, p, (size_t)(q - p));
		if (q == end)
			break;
		buf_addc(out, '\\');
		switch (*q) {
		case '"': buf_addc(out, '"'); break;
		case '\\': buf_addc(out, '\\'); break;
		case '\b': buf_addc(out, 'b'); break;
		case '\f': buf_addc(out, 'f'); break;
		case '\n': buf_addc(out, 'n'); break;
		case '\r': buf_addc(out, 'r'); break;
		case '\t': buf_addc(out, 't'); break;
		default:
			buf_adds(out, "u00");
			buf_addc(out, hex[(unsigned char)*q >> 4]);
			buf_addc(out, hex[(unsigned char)*q & 15]);
		}
		p = q + 1;
	}
	buf_addc(out, '"');
}
