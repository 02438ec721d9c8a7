/* code.c - the text of a program without its comments.
 *
 * The format is what most languages share: a comment is a line that begins
 * with two slashes, a star or <!--, or with # or -- and a blank; after code it
 * begins with a blank and two slashes, a slash and a star, or # and a blank.  A
 * misread line can make different edits look alike, but the first two of them
 * count as different in any case.
 */
#include <ctype.h>
#include <string.h>

#include "base/hash.h"
#include "code.h"
#include "json/bits.h"
#include "text/volatile.h"

/* The next line with code in it, without a comment after the code. */
static bool
next_code(struct slice *text, struct slice *line)
{
	static const char *const marks[] = { "//", "/*", "*/", "* ", "<!--",
		"# ", "## ", "-- ", NULL };
	bool comment;

	do {
		if (!slice_line(text, line))
			return false;
		struct slice s = *line = slice_trim(*line);
		/* a line of a patch */
		if (s.n > 1 && (*s.p == '+' || *s.p == '-') && s.p[1] != *s.p)
			s = slice_trim(slice_from(s, 1));
		comment = slice_is(s, "#") || slice_is(s, "*");
		if (s.n > 0 && strchr("/*<#-", *s.p) != NULL)
			for (size_t i = 0; marks[i] != NULL && !comment; i++)
				comment = slice_starts(s, marks[i]);
	} while (line->n == 0 || comment);
	/* a comment after the code */
	const char *end = line->p + line->n - (line->n < 2 ? line->n : 2);
	for (const char *block = line->p; block < end; block += 64)
		for (uint64_t bits = (bytes_like(block, '/') |
		    bytes_like(block, '#')) & bits_before(block, end);
		    bits != 0; bits &= bits - 1) {
			const char *p = block + __builtin_ctzll(bits);

			if (p == line->p || !isspace((unsigned char)p[-1]) ||
			    (*p == '#' ? p[1] != ' ' :
			    p[1] != '/' && p[1] != '*'))
				continue;
			*line = slice_trim(slice_part(*line, 0,
			    (size_t)(p - line->p)));
			return true;
		}
	return true;
}

static uint64_t
shape_of(struct slice line, struct buf *scratch)
{
	if (volatile_mask(line, MASK_NUMBERS, scratch))
		line = buf_view(scratch);
	return hash_bytes(line.p, line.n);
}

struct code
code_of(struct slice text, struct buf *scratch)
{
	struct code c = { 1, 1 };
	struct slice line;

	while (next_code(&text, &line)) {
		c.exact = hash_both(c.exact, hash_bytes(line.p, line.n));
		if (scratch != NULL)
			c.shape = hash_both(c.shape, shape_of(line, scratch));
	}
	return c;
}

enum code_change
code_compare(struct slice old, struct slice new, struct buf *scratch)
{
	enum code_change change = CODE_SAME;
	struct slice a, b;

	while (next_code(&old, &a)) {
		if (!next_code(&new, &b))
			return CODE_OTHER;
		if (slice_eq(a, b))
			continue;
		if (shape_of(a, scratch) != shape_of(b, scratch))
			return CODE_OTHER;
		change = CODE_NUMBERS;
	}
	return next_code(&new, &b) ? CODE_OTHER : change;
}
