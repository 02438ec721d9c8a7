/* walk.c - walks checked JSON, and decodes and writes its strings. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/utf8.h"
#include "internal.h"

/* Just past the string that opens at p. */
static const char *
over_string(const char *p, const char *end)
{
	p++;
#ifdef __SSE2__
	uint64_t carry = 0;

	/* most are short */
	for (int i = 0; i < 2 && end - p >= 16; i++, p += 16) {
		unsigned odd = odd_bytes(p);

		if (odd != 0 && p[__builtin_ctz(odd)] == '"')
			return p + __builtin_ctz(odd) + 1;
		if (odd != 0)
			break;
	}
	/* by blocks: in checked bytes only quotes and backslashes matter */
	for (; end - p >= 64; p += 64) {
		uint64_t quotes = bytes_like(p, '"');

		quotes &= ~escaped_bits(bytes_like(p, '\\'), &carry);
		if (quotes != 0)
			return p + __builtin_ctzll(quotes) + 1;
	}
	p += carry;
	while (end - p >= 16 && odd_bytes(p) == 0)
		p += 16;
#endif
	while (p < end && *p != '"')
		p += *p == '\\' ? 2 : 1;
	return p < end ? p + 1 : end;
}

struct walk
walk_of(struct slice c)
{
	enum scan_kind k = scan_kind(c);

	return k == SCAN_OBJECT || k == SCAN_ARRAY ?
	    (struct walk){ c.p + 1, c.p + c.n, k } :
	    (struct walk){ NULL, NULL, SCAN_NONE };
}

struct walk
walk_elements(struct slice list)
{
	return walk_of(scan_only(SCAN_ARRAY, list));
}

bool
walk_key(struct walk *w, struct slice *key)
{
	const char *p = w->p;

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
	const char *q = over_string(p, w->end);
	if (key != NULL)
		*key = (struct slice){ p + 1, (size_t)(q - p) - 2 };
	p = over_blanks(q, w->end);
	w->p = over_blanks(p + 1, w->end);
	return true;
}

struct slice
walk_value(struct walk *w)
{
	const char *from = w->p, *p = from, *end = w->end;
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
				while (p < end && *p != ',' && *p != ']' &&
				    *p != '}' && !is_whitespace(*p))
					p++;
			break;
		}
	} while (depth > 0 && p < end);
	w->p = p;
	return (struct slice){ from, (size_t)(p - from) };
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
scan_find(const struct member *m, size_t n, struct slice key)
{
	for (size_t i = 0; i < n; i++)
		if (scan_key_eq(m[i].key, key))
			return m[i].val;
	return (struct slice){ NULL, 0 };
}

struct slice
scan_get(struct slice obj, const char *key)
{
	struct slice k;

	if (scan_kind(obj) != SCAN_OBJECT)
		return (struct slice){ NULL, 0 };
	for (struct walk w = walk_of(obj); walk_key(&w, &k); ) {
		struct slice v = walk_value(&w);
		if (scan_key_is(k, key))
			return v;
	}
	return (struct slice){ NULL, 0 };
}

/* ---- text ---- */

/* What a letter after a backslash means; 0 for u.  A table, as branches would
 * be mispredicted too often. */
static const char stands_for[256] = { ['"'] = '"', ['\\'] = '\\',
	['/'] = '/', ['b'] = '\b', ['f'] = '\f', ['n'] = '\n', ['r'] = '\r',
	['t'] = '\t' };

#define BLOCK 64	/* bytes copied at once, however few are wanted */

#ifdef __SSE2__
/* Decode blocks of 64 bytes from *from on, up to the first \u or near the end;
 * last: to the end, behind which 128 bytes can be read.  Return the end of the
 * output.  All escapes of a block are found before any is decoded, so that no
 * branch has to be predicted. */
static char *
decode_blocks(char *o, const char **from, const char *end, bool last)
{
	const char *p = *from;

	for (; last ? p < end : end - p >= 2 * BLOCK; p = *from) {
		const char *block = p;
		uint64_t carry = 0;
		uint64_t letters = escaped_bits(bytes_like(p, '\\'), &carry);

		for (; letters != 0; letters &= letters - 1) {
			const char *at = block + __builtin_ctzll(letters);
			char c = stands_for[(unsigned char)*at];

			memcpy(o, p, BLOCK);
			o += at - 1 - p;
			*from = at - 1;
			if (c == '\0')
				return o;
			*o++ = c;
			p = at + 1;
		}
		*from = end - block < BLOCK ? end : block + BLOCK - carry;
		memcpy(o, p, BLOCK);
		o += *from - p;
	}
	return o;
}

#else
static char *
decode_blocks(char *o, const char **from, const char *end, bool last)
{
	const char *p = *from;

	(void)last;
	for (; p < end && (*p != '\\' ||
	    stands_for[(unsigned char)p[1]] != '\0'); p++)
		*o++ = *p != '\\' ? *p : stands_for[(unsigned char)*++p];
	*from = p;
	return o;
}
#endif

void
scan_decode(struct buf *out, const char *p, size_t n, bool wtf)
{
	const char *end = p + n;
	size_t room = n + BLOCK;
	char tail[3 * BLOCK];
	bool last = false;	/* p and end are in tail */

	/* decoded text is never longer (\uXXXX is at most three bytes), but it
	 * may be shorter and fit a ceiling that n does not */
	if (out->len > out->max || room > out->max - out->len) {
		struct buf all = BUF_INIT(room);

		scan_decode(&all, p, n, wtf);
		buf_slice(out, buf_view(&all));
		buf_release(&all);
		return;
	}
	if (buf_reserve(out, room) < 0)
		return;
	char *o = out->p + out->len;
	while (p < end) {
		if (*p != '\\' || p[1] != 'u') {
			if (!last && end - p < 2 * BLOCK) {
				last = true;
				n = (size_t)(end - p);
				p = memcpy(tail, p, n);
				end = p + n;
				memset(tail + n, 0, BLOCK);
			}
			o = decode_blocks(o, &p, end, last);
			continue;
		}
		p += 2;
		int cp = num_hex4(p);
		p += 4;
		if (cp >= 0xd800 && cp < 0xdc00 && end - p >= 6 &&
		    p[0] == '\\' && p[1] == 'u') {
			int lo = num_hex4(p + 2);

			if (lo >= 0xdc00 && lo < 0xe000) {
				cp = 0x10000 + ((cp - 0xd800) << 10) +
				    (lo - 0xdc00);
				p += 6;
			}
		}
		if (!wtf && cp >= 0xd800 && cp < 0xe000)
			cp = 0xfffd;
		o += utf8_encode(o, (unsigned long)cp);
	}
	*o = '\0';
	out->len = (size_t)(o - out->p);
}

bool
scan_same_key(struct slice key, const char *text)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);

	/* a string with escapes is longer than its text */
	if (memchr(key.p, '\\', key.n) == NULL)
		return slice_is(key, text);
	scan_decode(&b, key.p, key.n, false);
	bool same = slice_is(buf_view(&b), text);
	buf_release(&b);
	return same;
}

struct slice
scan_plain(struct slice val)
{
	if (scan_kind(val) != SCAN_STRING ||
	    memchr(val.p, '\\', val.n) != NULL)
		return (struct slice){ NULL, 0 };
	return slice_part(val, 1, val.n - 1);
}

bool
scan_str(struct slice val, struct buf *out)
{
	if (scan_kind(val) != SCAN_STRING)
		return false;
	scan_decode(out, val.p + 1, val.n - 2, false);
	return true;
}

void
scan_inside(struct slice inside, struct buf *out)
{
	scan_decode(out, inside.p, inside.n, false);
}

char *
scan_strdup(struct slice val)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);
	struct slice plain = scan_plain(val);

	if (plain.p != NULL)
		return xmemdup0(plain.p, plain.n);
	return scan_str(val, &b) ? buf_detach(&b) : NULL;
}

char *
scan_text(struct slice val)
{
	char *s = scan_strdup(val);

	return s != NULL ? s : xstrdup("");
}

bool
scan_int(struct slice val, int64_t *out)
{
	return scan_kind(val) == SCAN_NUMBER && num_i64(val.p, val.n, out);
}

int64_t
scan_int_or(struct slice val, int64_t def)
{
	scan_int(val, &def);
	return def;
}

bool
scan_true(struct slice val)
{
	return scan_kind(val) == SCAN_TRUE;
}

/* Copy up to the first byte that needs an escape; return how many.  Pieces of
 * 16 are copied before they are checked: o has room for all of p. */
static inline size_t
copy_unescaped(char *o, const char *p, const char *end)
{
	const char *start = p;

#ifdef __SSE2__
	for (; end - p >= 16; p += 16, o += 16) {
		__m128i x = load16(p);
		unsigned bits = (unsigned)high16(marked(x));

		_mm_storeu_si128((__m128i *)(void *)o, x);

		if (bits != 0)
			return (size_t)(p - start) +
			    (size_t)__builtin_ctz(bits);
	}
#endif
	while (p < end && (unsigned char)*p >= 0x20 && *p != '"' &&
	    *p != '\\')
		*o++ = *p++;
	return (size_t)(p - start);
}

void
scan_quote(struct buf *out, const char *p, size_t n)
{
	static const char hex[] = "0123456789abcdef";
	static const char one[256] = { ['"'] = '"', ['\\'] = '\\',
		['\b'] = 'b', ['\f'] = 'f', ['\n'] = 'n', ['\r'] = 'r',
		['\t'] = 't' };
	const char *end = p + n;
	size_t room = out->max - out->len, want = n + n / 8 + 8;

	/* usually that is enough, but a ceiling may be near */
	if (buf_reserve(out, want < room ? want : n + 2) < 0)
		return;
	out->p[out->len++] = '"';
	while (p < end) {
		size_t k = copy_unescaped(out->p + out->len, p, end);

		p += k;
		out->len += k;
		if (p == end)
			break;
		if (out->cap - out->len < (size_t)(end - p) + 8 &&
		    buf_reserve(out, (size_t)(end - p) + 8) < 0)
			return;
		char *o = out->p + out->len;
		unsigned char c = (unsigned char)*p++;
		o[0] = '\\';
		o[1] = one[c];
		out->len += 2;
		if (o[1] == '\0') {
			memcpy(o + 1, "u00", 3);
			o[4] = hex[c >> 4];
			o[5] = hex[c & 15];
			out->len += 4;
		}
	}
	out->p[out->len++] = '"';
	out->p[out->len] = '\0';
}

void
scan_put_slices(struct buf *out, const char *form, const struct slice *v)
{
	for (;;) {
		size_t n = strcspn(form, "'$@?");

		buf_add(out, form, n);
		form += n;
		switch (*form++) {
		case '\0':
			return;
		case '\'':
			buf_addc(out, '"');
			break;
		case '$':
			buf_slice(out, *++v);
			break;
		default:
			v++;
			if (form[-1] == '?' && v->p == NULL)
				buf_adds(out, "null");
			else
				scan_quote(out, v->n > 0 ? v->p : "", v->n);
		}
	}
}

struct slice
scan_number(char room[24], long long n)
{
	snprintf(room, 24, "%lld", n);
	return slice_of(room);
}

struct slice
scan_truth(bool yes)
{
	return yes ? SLICE("true") : SLICE("false");
}

struct slice
scan_comma(const struct buf *out)
{
	struct slice s = buf_view(out);

	return slice_ends(s, "[") || slice_ends(s, "{") ? SLICE("") :
	    SLICE(",");
}
