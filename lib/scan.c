/* scan.c - the JSON scanner: checks bytes against RFC 8259, hands out slices.
 *
 * Reads JSON by hand because reading records strictly and carrying their
 * bytes is what this project is for; both libraries we link disagree with the
 * RFC and with each other on a fifth of JSONTestSuite's refusals.
 */
#include <stdlib.h>

#include "mem.h"
#include "scan_in.h"
#include "utf8.h"

static bool value(struct scan *s);

static inline const char *
behind_blanks(const char *p, const char *end)
{
	while (p < end && (unsigned char)*p <= ' ' && is_blank(*p))
		p++;
	return p;
}

static inline void
blanks(struct scan *s)
{
	s->p = behind_blanks(s->p, s->end);
}

#ifdef __SSE2__
/* Walk whole blocks of 16 bytes from s->p; simple escapes are stepped over
 * inside their block, which is what makes this fast on text with many \n.
 * Stops at a closing quote (true), at what scan_special is for, or near the
 * end. */
static inline bool
blocks(struct scan *s, bool *escaped)
{
	const char *p = s->p;

	while (s->end - p > 16) {
		unsigned bits = odd_bytes(p), skip = 0;

		while (bits != 0) {
			unsigned i = (unsigned)__builtin_ctz(bits);

			if (p[i] != '\\' ||
			    scan_escapes[(unsigned char)p[i + 1]] != 1) {
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

static inline bool
any_blocks(struct scan *s, bool *escaped)
{
#ifdef __SSE2__
	if (s->end - s->p > 64 && scan_blocks(s, escaped))
		return true;
	if (s->end - s->p > 64)
		return false;	/* at what scan_special is for */
#endif
	return blocks(s, escaped);
}

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
	}
#endif
	while (!any_blocks(s, escaped)) {
		s->p = plain_run(s->p, s->end);
		if (s->p >= s->end)
			return refuse(s, open, "string without an end");
		if (*s->p == '"')
			break;
		*escaped |= *s->p == '\\';
		if (!scan_special(s))
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
	bool past = false;

	if (++s->depth > SCAN_DEPTH)
		return refuse(s, s->p, "nested deeper than 512");
	s->p++;
	blanks(s);
	if (s->p < s->end && *s->p == ']')
		goto done;
	if (s->depth == 2 && !s->past.on && s->end - s->p > SCAN_PAST_MIN) {
		past = true;
		scan_past_open(s);
	}
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
		if (past)
			scan_past_end(s);
	}
	if (past)
		scan_past_close(s);
done:
	s->p++;
	s->depth--;
	return true;
}

/* The same as string, for keys, most of which end at once. */
static inline bool
key_string(struct scan *s, bool *escaped)
{
#ifdef __SSE2__
	if (s->end - s->p > 16) {
		unsigned bits = odd_bytes(s->p + 1);

		if (bits != 0 && s->p[1 + __builtin_ctz(bits)] == '"') {
			s->p += __builtin_ctz(bits) + 2;
			*escaped = false;
			return true;
		}
	}
#endif
	return string(s, escaped);
}

/* One "key": value of an object whose keys begin at first. */
static inline bool
pair(struct scan *s, size_t first, uint64_t *bloom, struct member *m)
{
	const char *at, *p;
	bool escaped;

	s->p = behind_blanks(s->p, s->end);
	if (s->p >= s->end || *s->p != '"')
		return refuse(s, s->p, "key wanted");
	at = s->p + 1;
	if (!key_string(s, &escaped))
		return false;
	m->key = (struct slice){ at, (size_t)(s->p - 1 - at) };
	if (!scan_keys_add(s, first, bloom, at, m->key.n, escaped))
		return false;
	p = behind_blanks(s->p, s->end);
	if (p >= s->end || *p != ':')
		return refuse(s, p, "':' wanted");
	m->val.p = s->p = behind_blanks(p + 1, s->end);
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
	if (!scan_keys_end(s, first))
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
	s->past.on = false;
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
	scan_past_release(s);
	*s = (struct scan){ 0 };
}

