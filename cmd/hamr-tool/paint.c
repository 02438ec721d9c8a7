/* paint.c - text for a person's terminal. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "utf8.h"

#include "paint.h"

#define NORMAL "\033[0m"

bool
paint_is_terminal(void)
{
	return isatty(STDOUT_FILENO) == 1;
}

bool
paint_has_colour(void)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	return paint_is_terminal() && (no == NULL || *no == '\0') &&
	    (term == NULL || strcmp(term, "dumb") != 0);
}

/* The code point of a whole character (utf8_len has passed it). */
static uint32_t
code_point(const unsigned char *p, size_t n)
{
	uint32_t c = n == 1 ? p[0] : p[0] & (0xff >> (n + 1));

	for (size_t i = 1; i < n; i++)
		c = c << 6 | (p[i] & 0x3f);
	return c;
}

static bool
is_unsafe(uint32_t c)
{
	return (c < 0x20 && c != '\n' && c != '\t') ||
	    (c >= 0x7f && c < 0xa0) || (c >= 0x202a && c <= 0x202e) ||
	    (c >= 0x2066 && c <= 0x2069) || (c >= 0xe0000 && c <= 0xe007f);
}

void
paint_text(struct slice text, struct buf *out)
{
	const unsigned char *p = (const unsigned char *)text.p;

	for (size_t at = 0, n; at < text.n; at += n) {
		uint32_t c;

		n = utf8_len(p + at, text.n - at);
		c = n != 0 ? code_point(p + at, n) : p[at];
		if (n != 0 && !is_unsafe(c))
			buf_add(out, text.p + at, n);
		else
			buf_fmt(out, c < 0x100 ? "<%02X>" : "<U+%04X>", c);
		n += n == 0;
	}
}

static const char *
colour_of(struct slice line)
{
	static const struct { const char *start, *colour; } table[] = {
		{ "--- ", "\033[1m" }, { "+++ ", "\033[1m" },
		{ "@@", "\033[36m" }, { "+", "\033[32m" },
		{ "-", "\033[31m" },
	};

	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
		if (slice_starts(line, table[i].start))
			return table[i].colour;
	return NULL;
}

void
paint_diff(struct slice text, bool colour, struct buf *out)
{
	bool diff = false;

	for (size_t at = 0; at < text.n; ) {
		const char *lf = memchr(text.p + at, '\n', text.n - at);
		struct slice line = { text.p + at, lf != NULL ?
		    (size_t)(lf - text.p) - at : text.n - at };
		const char *c;

		diff |= slice_starts(line, "--- ");
		c = diff && colour ? colour_of(line) : NULL;
		if (c != NULL)
			buf_adds(out, c);
		paint_text(line, out);
		if (c != NULL)
			buf_adds(out, NORMAL);
		if (lf != NULL)
			buf_addc(out, '\n');
		at += line.n + 1;
	}
}
