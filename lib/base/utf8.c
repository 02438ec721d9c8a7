/* utf8.c - UTF-8: checking, cleaning, cutting between characters. */
#include <stdint.h>
#include <string.h>

#include "utf8.h"

static bool
is_tail(unsigned char c)
{
	return (c & 0xc0) == 0x80;
}

size_t
utf8_len(const unsigned char *p, size_t n)
{
	if (n == 0)
		return 0;
	if (p[0] < 0x80)
		return 1;
	if (p[0] < 0xc2)
		return 0;
	if (p[0] < 0xe0)
		return n >= 2 && is_tail(p[1]) ? 2 : 0;
	if (p[0] < 0xf0) {
		if (n < 3 || !is_tail(p[1]) || !is_tail(p[2]))
			return 0;
		if (p[0] == 0xe0 && p[1] < 0xa0)
			return 0;
		return p[0] == 0xed && p[1] >= 0xa0 ? 0 : 3;
	}
	if (p[0] > 0xf4 || n < 4)
		return 0;
	if (!is_tail(p[1]) || !is_tail(p[2]) || !is_tail(p[3]))
		return 0;
	if (p[0] == 0xf0 && p[1] < 0x90)
		return 0;
	return p[0] == 0xf4 && p[1] >= 0x90 ? 0 : 4;
}

bool
utf8_begins(const unsigned char *p, size_t n)
{
	static const unsigned char fill[] = { 0x80, 0xbf };
	unsigned char s[4];

	for (size_t i = 0; i < sizeof fill && n < sizeof s; i++) {
		memset(s, fill[i], sizeof s);
		memcpy(s, p, n);
		if (utf8_len(s, sizeof s) > n)
			return true;
	}
	return false;
}

size_t
utf8_check(const char *p, size_t n)
{
	size_t i = 0;

	while (i < n) {
		size_t k = utf8_len((const unsigned char *)p + i, n - i);

		if (k == 0)
			return i;
		i += k;
	}
	return n;
}

bool
utf8_clean(struct buf *out, const char *p, size_t n)
{
	bool lossy = false;

	while (n > 0) {
		size_t good = utf8_check(p, n);
		const char *nul = memchr(p, '\0', good);

		if (nul != NULL)
			good = (size_t)(nul - p);
		buf_add(out, p, good);
		p += good;
		n -= good;
		if (n == 0)
			break;
		buf_add(out, "\xef\xbf\xbd", 3);
		lossy = true;
		p++;
		n--;
	}
	return lossy;
}

/* Eight bytes at a time: count those that do not continue a character. */
size_t
utf8_count(const char *p, size_t n)
{
	const uint64_t ones = 0x0101010101010101u;
	size_t more = 0, i = 0;

	for (; i + 8 <= n; i += 8) {
		uint64_t x;

		memcpy(&x, p + i, 8);
		more += (size_t)((x >> 7 & ~x >> 6 & ones) * ones >> 56);
	}
	for (; i < n; i++)
		more += is_tail((unsigned char)p[i]);
	return n - more;
}

size_t
utf8_cut(const char *p, size_t n, size_t max)
{
	if (n <= max)
		return n;
	while (max > 0 && is_tail((unsigned char)p[max]))
		max--;
	return max;
}

struct slice
utf8_last(struct slice text, size_t most)
{
	if (text.n <= most)
		return text;
	text = slice_from(text, text.n - most);
	while (text.n > 0 && is_tail((unsigned char)*text.p))
		text = slice_from(text, 1);
	return text;
}

size_t
utf8_encode(char *o, unsigned long cp)
{
	if (cp < 0x80) {
		o[0] = (char)cp;
		return 1;
	}
	if (cp < 0x800) {
		o[0] = (char)(0xc0 | cp >> 6);
		o[1] = (char)(0x80 | (cp & 0x3f));
		return 2;
	}
	if (cp < 0x10000) {
		o[0] = (char)(0xe0 | cp >> 12);
		o[1] = (char)(0x80 | (cp >> 6 & 0x3f));
		o[2] = (char)(0x80 | (cp & 0x3f));
		return 3;
	}
	o[0] = (char)(0xf0 | cp >> 18);
	o[1] = (char)(0x80 | (cp >> 12 & 0x3f));
	o[2] = (char)(0x80 | (cp >> 6 & 0x3f));
	o[3] = (char)(0x80 | (cp & 0x3f));
	return 4;
}

void
utf8_put(struct buf *out, unsigned long cp)
{
	char s[4];

	if (cp > 0x10ffff || (cp >= 0xd800 && cp <= 0xdfff))
		cp = 0xfffd;
	buf_add(out, s, utf8_encode(s, cp));
}
