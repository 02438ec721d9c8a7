/* width.c - how many columns a text takes on a terminal. */
#include <locale.h>
#include <string.h>
#include <wchar.h>

#include "err.h"
#include "utf8.h"
#include "width.h"

#define MORE "\xe2\x80\xa6"	/* … */

void
width_init(void)
{
	locale_t l = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);

	if (l != (locale_t)0)
		uselocale(l);
}

/* The character at p: its bytes, and what is shown in its place (or itself).
 * p is followed by n - 1 further bytes; a copy of it ends in a NUL. */
struct sign_at {
	size_t n;
	size_t columns;
	const char *instead;	/* NULL: itself */
};

static struct sign_at
sign_at(const char *p, size_t n)
{
	struct sign_at s = { utf8_len((const unsigned char *)p, n), 1, NULL };
	unsigned char copy[5] = { 0 };
	wchar_t c;
	int w;

	if (*p == '\n' || *p == '\t' || *p == '\r')
		return (struct sign_at){ 1, 1, " " };
	if (s.n == 0)
		return (struct sign_at){ 1, 1, "?" };
	memcpy(copy, p, s.n);
	if (err_steers(copy) > 0)
		s.instead = "?";
	else if (s.n > 1) {
		c = s.n == 2 ? copy[0] & 0x1f : s.n == 3 ? copy[0] & 0x0f :
		    copy[0] & 0x07;
		for (size_t i = 1; i < s.n; i++)
			c = c << 6 | (copy[i] & 0x3f);
		w = wcwidth(c);
		s.columns = w < 0 ? 1 : (size_t)w;
	}
	return s;
}

size_t
width_of(struct slice text)
{
	size_t w = 0, i = 0;

	while (i < text.n) {
		struct sign_at s = sign_at(text.p + i, text.n - i);

		w += s.columns;
		i += s.n;
	}
	return w;
}

size_t
width_put(struct buf *out, struct slice text, size_t max)
{
	bool cut = width_of(text) > max;
	size_t room = cut && max > 0 ? max - 1 : max, w = 0, i = 0;

	while (i < text.n) {
		struct sign_at s = sign_at(text.p + i, text.n - i);

		if (w + s.columns > room)
			break;
		if (s.instead != NULL)
			buf_adds(out, s.instead);
		else
			buf_add(out, text.p + i, s.n);
		w += s.columns;
		i += s.n;
	}
	if (cut && max > 0) {
		buf_adds(out, MORE);
		w++;
	}
	return w;
}

size_t
width_put_end(struct buf *out, struct slice text, size_t max)
{
	size_t w = width_of(text);

	if (w <= max || max == 0)
		return width_put(out, text, max);
	while (w > max - 1) {
		struct sign_at s = sign_at(text.p, text.n);

		w -= s.columns;
		text = (struct slice){ text.p + s.n, text.n - s.n };
	}
	buf_adds(out, MORE);
	return 1 + width_put(out, text, w);
}

void
width_pad(struct buf *out, size_t n)
{
	while (n-- > 0)
		buf_addc(out, ' ');
}

void
width_wrap(struct buf *out, struct slice text, size_t at, size_t indent,
    size_t columns)
{
	const char *p = text.p, *end = text.p + text.n;
	bool first = true;	/* of its line */

	while (p < end) {
		const char *q = p;
		struct slice word;
		size_t w;

		while (q < end && *q != ' ' && *q != '\n')
			q++;
		word = (struct slice){ p, (size_t)(q - p) };
		p = q + 1;
		w = width_of(word);
		if (w == 0)
			continue;
		if (!first && at + 1 + w > columns) {
			buf_addc(out, '\n');
			first = true;
			at = 0;
		}
		if (!first)
			width_pad(out, 1);
		else if (at < indent)
			width_pad(out, indent - at);
		at = (first ? at < indent ? indent : at : at + 1) + w;
		first = false;
		width_put(out, word, w);
	}
	buf_addc(out, '\n');
}
