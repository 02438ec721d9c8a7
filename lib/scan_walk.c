/* scan_walk.c - steps through bytes that were checked. */
#include "scan_in.h"

static const char *
over_blanks(const char *p, const char *end)
{
	while (p < end && is_blank(*p))
		p++;
	return p;
}

#ifdef __SSE2__
/* From inside a string by blocks, to its closing quote or near the end.  Only
 * quotes and backslashes matter in bytes that are checked. */
static const char *
over_blocks(const char *p, const char *end)
{
	uint64_t carry = 0, quotes;

	for (; end - p >= 64; p += 64) {
		quotes = bytes_like(p, '"');
		quotes &= ~escaped_bits(bytes_like(p, '\\'), &carry);
		if (quotes != 0)
			return p + __builtin_ctzll(quotes);
	}
	return p + carry;
}
#endif

/* Behind the string that opens at p. */
static const char *
over_string(const char *p, const char *end)
{
	p++;
#ifdef __SSE2__
	/* most are short */
	for (int i = 0; i < 2 && end - p >= 16; i++, p += 16) {
		unsigned odd = odd_bytes(p);

		if (odd != 0 && p[__builtin_ctz(odd)] == '"')
			return p + __builtin_ctz(odd) + 1;
		if (odd != 0)
			break;
	}
	if (end - p >= 64)
		p = over_blocks(p, end);
#endif
	while (p < end && *p != '"') {
#ifdef __SSE2__
		unsigned odd = end - p >= 16 ? odd_bytes(p) : 0;

		if (odd == 0 && end - p >= 16) {
			p += 16;
			continue;
		}
		p += odd != 0 ? __builtin_ctz(odd) : 0;
		if (*p == '"')
			break;
#endif
		p += *p == '\\' ? 2 : 1;
	}
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

