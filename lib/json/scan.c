/* scan.c - the JSON scanner: checks bytes against RFC 8259, hands out slices.
 *
 * Reads JSON by hand because reading records strictly and keeping their bytes
 * is what this project is for; libjq and cJSON disagree with the RFC and
 * with each other on a fifth of the texts JSONTestSuite wants refused.
 */
#include <stdlib.h>

#include "base/num.h"
#include "base/utf8.h"
#include "internal.h"

static bool value(struct scan *s);

static bool
refuse(struct scan *s, const char *at, const char *why)
{
	s->why = why;
	s->at = (size_t)(at - s->start);
	return false;
}

/* ---- strings ---- */

/* What may follow a backslash: 1, and 2 for u. */
static const unsigned char escapes[256] = {
	['"'] = 1, ['\\'] = 1, ['/'] = 1, ['b'] = 1, ['f'] = 1, ['n'] = 1,
	['r'] = 1, ['t'] = 1, ['u'] = 2
};

/* s->p is at a byte of a string that is not plain: move past it. */
static bool
special(struct scan *s)
{
	const char *p = s->p;
	size_t left = (size_t)(s->end - p), k = 1;

	if ((unsigned char)*p >= 0x80) {
		for (; s->p < s->end && (unsigned char)*s->p >= 0x80;
		    s->p += k) {
			k = utf8_len((const unsigned char *)s->p,
			    (size_t)(s->end - s->p));
			if (k == 0)
				return refuse(s, s->p, "not UTF-8");
		}
		return true;
	}
	if (*p != '\\')
		return refuse(s, p, "control byte in a string");
	if (left < 2)
		return refuse(s, s->end, "unterminated string");
	if (escapes[(unsigned char)p[1]] == 1) {
		s->p += 2;
		return true;
	}
	if (p[1] != 'u')
		return refuse(s, p, "bad escape in a string");
	int cp = left >= 6 ? num_hex4(p + 2) : -1;
	if (cp <= 0)
		return refuse(s, p, cp < 0 ? "bad \\u escape" :
		    "\\u0000 in a string");
	s->p += 6;
	return true;
}

#ifdef __SSE2__
/* The bytes of x that most often follow a backslash. */
static inline __m128i
common(__m128i x)
{
	return _mm_or_si128(_mm_cmpeq_epi8(x, _mm_set1_epi8('n')),
	    _mm_or_si128(_mm_cmpeq_epi8(x, _mm_set1_epi8('"')),
	    _mm_cmpeq_epi8(x, _mm_set1_epi8('t'))));
}

/* Check the characters whose first bytes are not ASCII: the place of the first
 * invalid one, or 64.  *over: how many bytes of the last one are past the
 * block. */
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

/* Walk blocks of 64 bytes from s->p: stops at a closing quote (true), at a
 * byte that is neither plain nor part of a one-letter escape, or near the
 * end. */
static bool
blocks(struct scan *s, bool *escaped)
{
	const char *p = s->p;
	uint64_t carry = 0;
	unsigned over = 0;

	for (; s->end - p > 64; p += 64) {
		uint64_t slash = bytes_like(p, '\\');
		unsigned odd = 64, bad = 64;
		uint64_t behind = escaped_bits(slash, &carry);

		/* an escaped control byte is a bad escape, found below */
		uint64_t stop = BITS64(p, closing) & ~behind;
		stop &= -stop;		/* the first one */
		behind &= stop | (stop - 1);
		/* is any not a valid one-letter escape?  The common ones are
		 * known without looking at each */
		if (behind != 0)
			behind &= ~(slash | BITS64(p, common));
		for (; behind != 0 && bad == 64; behind &= behind - 1)
			if (escapes[(unsigned char)p[__builtin_ctzll(
			    behind)]] != 1)
				bad = (unsigned)__builtin_ctzll(behind);
		*escaped |= (slash & (stop - 1)) != 0;
		uint64_t high = bytes_with(p, 7) >> over << over & (stop - 1);
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
	while (s->end - s->p >= 16) {
		unsigned odd = odd_bytes(s->p);

		s->p += odd != 0 ? __builtin_ctz(odd) : 16;
		if (odd != 0)
			break;
	}
	return false;
}
#else
/* The same by words of 8 bytes, up to anything that is not plain. */
static bool
blocks(struct scan *s, bool *escaped)
{
	const uint64_t ones = 0x0101010101010101u, high = ones << 7;

	(void)escaped;
	for (; s->end - s->p >= 8; s->p += 8) {
		uint64_t x, q, b;

		memcpy(&x, s->p, 8);
		q = x ^ ones * '"';
		b = x ^ ones * '\\';
		if ((((x - ones * 0x20) | (q - ones) | (b - ones) | x) &
		    high) != 0)
			break;
	}
	return false;
}
#endif

/* The same as string, whose opening quote is just before s->p. */
static __attribute__((noinline)) bool
long_string(struct scan *s, bool *escaped)
{
	const char *open = s->p - 1;

	*escaped = false;
	while (!blocks(s, escaped)) {
		while (s->p < s->end && (unsigned char)*s->p >= 0x20 &&
		    *s->p != '"' && *s->p != '\\' &&
		    (unsigned char)*s->p < 0x80)
			s->p++;
		if (s->p >= s->end)
			return refuse(s, open, "unterminated string");
		if (*s->p == '"')
			break;
		*escaped |= *s->p == '\\';
		if (!special(s))
			return false;
	}
	s->p++;
	return true;
}

/* s->p is at the opening quote; move past the closing one. */
static inline bool
string(struct scan *s, bool *escaped)
{
	s->p++;
#ifdef __SSE2__
	if (s->end - s->p > 16) {	/* most end at once */
		unsigned bits = odd_bytes(s->p);

		if (bits != 0 && s->p[__builtin_ctz(bits)] == '"') {
			*escaped = false;
			s->p += __builtin_ctz(bits) + 1;
			return true;
		}
	}
#endif
	return long_string(s, escaped);
}

/* ---- no key twice in one object ---- */

/* Objects up to this many keys compare each new key with the ones before;
 * larger ones are sorted once, at their end. */
#define FEW_KEYS 16

struct scan_key {
	struct slice text;	/* decoded */
	const char *at;
};

static int
by_text(const void *x, const void *y)
{
	const struct scan_key *a = x, *b = y;
	int order = slice_order(a->text, b->text);

	return order != 0 ? order : a->at < b->at ? -1 : a->at > b->at;
}

static bool
many_keys_differ(struct scan *s, size_t first)
{
	struct scan_key *k = s->keys + first;

	qsort(k, s->nkeys - first, sizeof *k, by_text);
	for (size_t i = first + 1; i < s->nkeys; i++, k++)
		if (slice_eq(k[0].text, k[1].text))
			return refuse(s, k[1].at, "duplicate key");
	return true;
}

/* Note a key of the object whose keys begin at first.  bloom has a bit for
 * each key of the object: a key whose bit is not set is new without looking.
 * False: a duplicate (found here only in objects with few keys). */
static bool
add_key(struct scan *s, size_t first, uint64_t *bloom, struct slice key,
    bool escaped)
{
	const char *at = key.p;

	if (escaped) {
		struct buf text = BUF_INIT(BUF_RECORD_MAX);

		scan_decode(&text, key.p, key.n, true);
		key.n = text.len;
		key.p = arena_dup(&s->decoded, text.p, text.len);
		buf_release(&text);
	}
	/* an empty key is followed by at least a quote or NUL */
	uint64_t bit = UINT64_C(1) << (((unsigned)key.n + (unsigned)key.p[0] * 5
	    + (unsigned)key.p[key.n / 2] * 3) & 63);
	if ((*bloom & bit) != 0 && s->nkeys - first <= FEW_KEYS)
		for (size_t i = first; i < s->nkeys; i++)
			if (slice_eq(s->keys[i].text, key))
				return refuse(s, at, "duplicate key");
	*bloom |= bit;
	GROW(s->keys, s->nkeys, s->capkeys);
	s->keys[s->nkeys++] = (struct scan_key){ key, at };
	return true;
}

/* ---- the start that this text shares with the last one ----
 *
 * A conversation's request is sent again at each step, and all but its last
 * messages are those of the previous step.  The bytes of its first long array
 * are kept up to the end of an element; in a text that has the same bytes
 * there, checking resumes after them, as the scanner's state depends on
 * nothing else.
 */

/* The first array with at least this much text left is worth remembering. */
#define PREFIX_MIN 4096
#define PREFIX_MAX ((size_t)16 << 20)	/* a larger one is checked again */
#define STRIDE ((size_t)4096)	/* memcmp looks at this much at a time */

/* s->p is at the array's first element: move it to the first one that differs
 * from the last text's. */
static void
prefix_open(struct scan *s)
{
	struct scan_prefix *prefix = &s->prefix;
	size_t open = (size_t)(s->p - s->start), same = 0;
	size_t n = (size_t)(s->end - s->start);

	if (n > prefix->bytes.len)
		n = prefix->bytes.len;
	if (open == prefix->open) {
		while (n - same >= STRIDE && memcmp(prefix->bytes.p + same,
		    s->start + same, STRIDE) == 0)
			same += STRIDE;
		while (same < n && prefix->bytes.p[same] == s->start[same])
			same++;
	}
	prefix->on = true;
	prefix->open = open;
	while (prefix->n > 0 && prefix->ends[prefix->n - 1] > same)
		prefix->n--;
	prefix->bytes.len = prefix->n > 0 ? prefix->ends[prefix->n - 1] : 0;
	if (prefix->n > 0)
		s->p = s->start + prefix->bytes.len;
}

/* ---- values ---- */

static const char *
digits(const char *p, const char *end)
{
	while (p < end && *p >= '0' && *p <= '9')
		p++;
	return p;
}

static bool
literal(struct scan *s, const char *word, size_t n)
{
	if ((size_t)(s->end - s->p) < n || memcmp(s->p, word, n) != 0)
		return refuse(s, s->p, "not a JSON value");
	s->p += n;
	return true;
}

/* Enter a container that ends with the byte close.  1: it has contents; 0: it
 * is empty and has been passed; -1: it is nested too deep. */
static int
enter(struct scan *s, char close)
{
	if (++s->depth > SCAN_DEPTH) {
		refuse(s, s->p, "nested deeper than 512");
		return -1;
	}
	s->p = over_blanks(s->p + 1, s->end);
	if (s->p >= s->end || *s->p != close)
		return 1;
	s->p++;
	s->depth--;
	return 0;
}

static bool
array(struct scan *s)
{
	struct scan_prefix *prefix = &s->prefix;
	int has = enter(s, ']');
	bool first = s->depth == 2 && !prefix->on &&
	    s->end - s->p > PREFIX_MIN;

	if (has <= 0)
		return has == 0;
	if (first)
		prefix_open(s);
	for (;;) {
		s->p = over_blanks(s->p, s->end);
		if (!value(s))
			return false;
		s->p = over_blanks(s->p, s->end);
		if (s->p >= s->end)
			return refuse(s, s->p, "unterminated array");
		if (*s->p == ']')
			break;
		if (*s->p != ',')
			return refuse(s, s->p, "expected ',' or ']'");
		s->p++;
		if (first) {
			GROW(prefix->ends, prefix->n, prefix->cap);
			prefix->ends[prefix->n++] = (size_t)(s->p - s->start);
		}
	}
	if (first && prefix->n > 0) {
		size_t have = prefix->bytes.len;

		/* it is whole: keep it */
		prefix->bytes.max = PREFIX_MAX;
		buf_add(&prefix->bytes, s->start + have,
		    prefix->ends[prefix->n - 1] - have);
		if (prefix->bytes.over) {
			buf_release(&prefix->bytes);
			prefix->n = 0;
		}
	}
	s->p++;
	s->depth--;
	return true;
}

static bool
object(struct scan *s)
{
	size_t first = s->nkeys;
	uint64_t bloom = 0;
	int has = enter(s, '}');

	if (has <= 0)
		return has == 0;
	for (;;) {
		bool escaped;

		s->p = over_blanks(s->p, s->end);
		if (s->p >= s->end || *s->p != '"')
			return refuse(s, s->p, "expected a key");
		struct member m = { .key.p = s->p + 1 };
		if (!string(s, &escaped))
			return false;
		m.key.n = (size_t)(s->p - 1 - m.key.p);
		if (!add_key(s, first, &bloom, m.key, escaped))
			return false;
		const char *p = over_blanks(s->p, s->end);
		if (p >= s->end || *p != ':')
			return refuse(s, p, "expected ':'");
		m.val.p = s->p = over_blanks(p + 1, s->end);
		/* most are strings */
		if (s->p < s->end && *s->p == '"' ? !string(s, &escaped) :
		    !value(s))
			return false;
		m.val.n = (size_t)(s->p - m.val.p);
		if (s->depth == 1) {
			GROW(s->m, s->n, s->cap);
			s->m[s->n++] = m;
		}
		s->p = over_blanks(s->p, s->end);
		if (s->p >= s->end)
			return refuse(s, s->p, "unterminated object");
		if (*s->p == '}')
			break;
		if (*s->p != ',')
			return refuse(s, s->p, "expected ',' or '}'");
		s->p++;
	}
	if (s->nkeys - first > FEW_KEYS && !many_keys_differ(s, first))
		return false;
	s->nkeys = first;
	s->p++;
	s->depth--;
	return true;
}

static bool
value(struct scan *s)
{
	const char *p = s->p, *end = s->end;
	bool escaped;

	if (p >= end)
		return refuse(s, p, "expected a value");
	switch (*p) {
	case '{': return object(s);
	case '[': return array(s);
	case '"': return string(s, &escaped);
	case 't': return literal(s, "true", 4);
	case 'f': return literal(s, "false", 5);
	case 'n': return literal(s, "null", 4);
	default: break;
	}
	/* a number */
	p += *p == '-';
	const char *q = digits(p, end);
	if (q == p)
		return refuse(s, s->p, "not a JSON value");
	if (*p == '0' && q - p > 1)
		return refuse(s, s->p, "number with a leading zero");
	p = q;
	if (p < end && *p == '.') {
		q = digits(p + 1, end);
		if (q == p + 1)
			return refuse(s, s->p, "no digit after the decimal "
			    "point");
		p = q;
	}
	if (p < end && (*p == 'e' || *p == 'E')) {
		p++;
		if (p < end && (*p == '+' || *p == '-'))
			p++;
		q = digits(p, end);
		if (q == p)
			return refuse(s, s->p, "no digit in the exponent");
		p = q;
	}
	s->p = p;
	return true;
}

int
scan_value(struct scan *s, const char *p, size_t n)
{
	s->start = p;
	s->end = p + n;
	s->p = over_blanks(p, s->end);
	s->n = s->nkeys = 0;
	s->depth = 0;
	s->why = NULL;
	s->at = 0;
	s->prefix.on = false;
	arena_release(&s->decoded);
	if (!value(s))
		return -1;
	s->p = over_blanks(s->p, s->end);
	if (s->p == s->end)
		return 0;
	refuse(s, s->p, "bytes after the value");
	return -1;
}

int
scan_record(struct scan *s, const char *p, size_t n)
{
	const char *at = over_blanks(p, p + n);
	size_t left = n - (size_t)(at - p);
	const char *why;

	if (left > 0 && *at == '{')
		return scan_value(s, p, n);
	if (left == 0)
		why = "blank line";
	else if (left >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0)
		why = "byte order mark";
	else if (utf8_check(p, n) < n)
		why = "not UTF-8";
	else
		why = "not a JSON object";
	s->n = 0;
	s->start = p;
	refuse(s, at, why);
	return -1;
}

size_t
scan_end(struct scan_end *e, struct slice s)
{
	for (; e->at < s.n; e->at++) {
		char c = s.p[e->at];

		if (e->escaped) {
			e->escaped = false;
		} else if (e->quoted) {
			e->escaped = c == '\\';
			e->quoted = c != '"';
			if (!e->quoted && e->depth == 0)
				return e->at + 1;
		} else if (c == '"') {
			e->quoted = true;
		} else if (c == '{' || c == '[') {
			e->depth++;
		} else if (c == '}' || c == ']') {
			if (e->depth == 0)
				return e->at;
			if (--e->depth == 0)
				return e->at + 1;
		} else if (e->depth == 0 && (c == ',' || is_whitespace(c))) {
			return e->at;
		}
	}
	return 0;
}

/* The value of the escape \uXXXX that s begins with, or -1. */
static int
escape_of(struct slice s)
{
	return slice_starts(s, "\\u") && s.n >= 6 ? num_hex4(s.p + 2) : -1;
}

bool
scan_repair(struct slice text, struct buf *out)
{
	static const char *const words[] = { "NaN", "Infinity", "-Infinity" };
	struct buf clean = BUF_INIT(out->max);
	bool quoted = false, lossy = utf8_clean(&clean, text.p, text.n);
	size_t n;

	for (struct slice s = buf_view(&clean); s.n > 0;
	    s = slice_from(s, n)) {
		n = 1;
		if (quoted && *s.p == '\\') {
			int cp = escape_of(s);
			bool bad = cp == 0 || (cp >= 0xd800 && cp <= 0xdfff);

			n = cp >= 0 ? 6 : num_min(2, s.n);
			if (bad && cp > 0 && cp < 0xdc00 &&
			    (escape_of(slice_from(s, 6)) & ~0x3ff) == 0xdc00) {
				n = 12;		/* a pair */
				bad = false;
			}
			buf_slice(out, bad ? SLICE("\\ufffd") :
			    slice_part(s, 0, n));
			lossy |= bad;
			continue;
		}
		quoted ^= *s.p == '"';
		for (size_t i = 0; i < 3 && !quoted && n == 1; i++)
			if (slice_starts(s, words[i]))
				n = strlen(words[i]);
		if (n > 1)
			buf_adds(out, "null");
		else if (quoted && (unsigned char)*s.p < 0x20)
			buf_fmt(out, "\\u%04x", *s.p);
		else
			buf_addc(out, *s.p);
	}
	buf_release(&clean);
	return lossy;
}

static inline bool
block_has_escape(const char *p, char c, char d)
{
	return (bytes_like(p, '\\') &
	    (bytes_like(p + 1, c) | bytes_like(p + 1, d))) != 0;
}

/* By blocks, as most texts have backslashes; the last two overlap. */
bool
scan_has_escape(struct slice checked, char c, char d)
{
	const char *p = checked.p, *end = p + checked.n;

	if (checked.n > 64) {
		for (; end - p > 64; p += 64)
			if (block_has_escape(p, c, d))
				return true;
		return block_has_escape(end - 65, c, d);
	}
	while ((p = memchr(p, '\\', (size_t)(end - p))) != NULL &&
	    p[1] != c && p[1] != d)
		p++;
	return p != NULL;
}

const char *
scan_lone_surrogate(struct slice checked)
{
	const char *p = checked.p, *end = p + checked.n;

	if (checked.n == 0 || !scan_has_escape(checked, 'u', 'u'))
		return NULL;
	while ((p = memchr(p, '\\', (size_t)(end - p))) != NULL) {
		const char *at = p;
		int n = p[1] == 'u' ? num_hex4(p + 2) : 0;

		p += p[1] == 'u' ? 6 : 2;
		if (n < 0xd800 || n > 0xdfff)
			continue;
		if (n > 0xdbff || p[0] != '\\' || p[1] != 'u' ||
		    (num_hex4(p + 2) & 0xfc00) != 0xdc00)
			return at;
		p += 6;
	}
	return NULL;
}

bool
scan_is_json(struct slice text)
{
	struct scan s = { 0 };
	bool good = text.n > 0 && scan_value(&s, text.p, text.n) == 0;

	scan_release(&s);
	return good;
}

void
scan_release(struct scan *s)
{
	FREE(s->m, s->keys, s->prefix.ends);
	arena_release(&s->decoded);
	buf_release(&s->prefix.bytes);
	*s = (struct scan){ 0 };
}
