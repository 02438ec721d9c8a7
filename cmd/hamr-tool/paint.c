/* paint.c - a diff for a person's terminal. */
#include <string.h>

#include "term.h"

#include "paint.h"

#define NORMAL "\033[0m"

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
		term_escape(out, line);
		if (c != NULL)
			buf_adds(out, NORMAL);
		if (lf != NULL)
			buf_addc(out, '\n');
		at += line.n + 1;
	}
}
