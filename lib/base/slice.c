/* slice.c - borrowed bytes: a pointer and a length. */
#include <stdint.h>
#include <string.h>

#include "slice.h"

bool
slice_eq(struct slice a, struct slice b)
{
	return a.p != NULL && b.p != NULL && a.n == b.n &&
	    memcmp(a.p, b.p, a.n) == 0;
}

bool
slice_starts(struct slice s, const char *prefix)
{
	size_t n = strlen(prefix);

	return s.p != NULL && s.n >= n && memcmp(s.p, prefix, n) == 0;
}

bool
slice_ends(struct slice s, const char *suffix)
{
	size_t n = strlen(suffix);

	return s.n >= n && memcmp(s.p + s.n - n, suffix, n) == 0;
}

size_t
slice_find(struct slice s, size_t at, const char *text)
{
	const char *p = at < s.n ? memmem(s.p + at, s.n - at, text,
	    strlen(text)) : NULL;

	return p != NULL ? (size_t)(p - s.p) : s.n;
}

bool
slice_has(struct slice s, const char *text)
{
	return slice_find(s, 0, text) < s.n;
}

bool
slice_in(struct slice s, const char *const *row)
{
	for (; *row != NULL; row++)
		if ((s.n == 0 || **row == *s.p) && slice_is(s, *row))
			return true;
	return false;
}

int
slice_order(struct slice a, struct slice b)
{
	int order = memcmp(a.p, b.p, a.n < b.n ? a.n : b.n);

	return order != 0 ? order : (a.n > b.n) - (a.n < b.n);
}

struct slice
slice_of(const char *text)
{
	return (struct slice){ text, text != NULL ? strlen(text) : 0 };
}

static bool
is_of(char c, const char *set)
{
	while (*set != '\0' && *set != c)
		set++;
	return *set != '\0';
}

struct slice
slice_trim_start(struct slice s, const char *set)
{
	while (s.n > 0 && is_of(*s.p, set))
		s = slice_from(s, 1);
	return s;
}

struct slice
slice_trim_end(struct slice s, const char *set)
{
	while (s.n > 0 && is_of(s.p[s.n - 1], set))
		s.n--;
	return s;
}

struct slice
slice_trim(struct slice s)
{
	while (s.n > 0 && is_whitespace(*s.p))
		s = slice_from(s, 1);
	while (s.n > 0 && is_whitespace(s.p[s.n - 1]))
		s.n--;
	return s;
}

bool
slice_line(struct slice *rest, struct slice *line)
{
	if (rest->n == 0)
		return false;
	const char *lf = memchr(rest->p, '\n', rest->n);
	*line = (struct slice){ rest->p,
		lf != NULL ? (size_t)(lf - rest->p) : rest->n };
	rest->p += line->n + (lf != NULL);
	rest->n -= line->n + (lf != NULL);
	return true;
}

/* Eight bytes at a time: lines are usually short, and memchr would be called
 * for each.  A zero byte of x was an LF. */
size_t
slice_newlines(struct slice s)
{
	const uint64_t ones = 0x0101010101010101u, low = ones * 0x7f;
	size_t n = 0, i = 0;

	for (; i + 8 <= s.n; i += 8) {
		uint64_t x;

		memcpy(&x, s.p + i, 8);
		x ^= ones * '\n';
		x = ~(((x & low) + low) | x | low);
		n += (size_t)((x >> 7) * ones >> 56);
	}
	for (; i < s.n; i++)
		n += s.p[i] == '\n';
	return n;
}

struct slice
slice_last_lines(struct slice s, size_t most)
{
	size_t at = s.n - (s.n > 0 && s.p[s.n - 1] == '\n');

	if (most == 0)
		return slice_from(s, s.n);
	while (at > 0 && (s.p[at - 1] != '\n' || --most > 0))
		at--;
	return slice_from(s, at);
}

size_t
slice_lines(struct slice s)
{
	return slice_newlines(s) + (s.n > 0 && s.p[s.n - 1] != '\n');
}

int
text_order(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}
