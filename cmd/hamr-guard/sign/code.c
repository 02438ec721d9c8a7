/* code.c - a text of a program without what does not run.
 *
 * The format is what most languages share: a comment is a line that begins
 * with two slashes, a star or <!--, or with # or -- and a blank; or what begins
 * so behind code.  What is misread makes two edits alike that are not, and of
 * those the first two are believed in any case.
 */
#include <ctype.h>
#include <string.h>

#include "base/hash.h"
#include "code.h"

static bool
begins(struct slice s, const char *with)
{
	size_t n = strlen(with);

	return s.n >= n && memcmp(s.p, with, n) == 0;
}

static bool
is_comment(struct slice s)
{
	static const char *const marks[] = { "//", "/*", "*/", "* ", "<!--",
		"# ", "## ", "-- ", NULL };

	for (size_t i = 0; marks[i] != NULL; i++)
		if (begins(s, marks[i]))
			return true;
	return s.n == 1 && (*s.p == '#' || *s.p == '*');
}

/* The line up to a comment behind its code. */
static struct slice
without_tail(struct slice s)
{
	for (size_t i = 1; i + 2 < s.n; i++) {
		struct slice rest = { s.p + i, s.n - i };

		if (isspace((unsigned char)s.p[i - 1]) && (begins(rest, "//") ||
		    begins(rest, "/*") || begins(rest, "# ")))
			return slice_trim((struct slice){ s.p, i });
	}
	return s;
}

/* All numbers alike. */
static void
mask(struct slice s, struct buf *out)
{
	buf_reset(out);
	buf_adds(out, "");
	for (size_t i = 0; i < s.n; i++)
		if (!isdigit((unsigned char)s.p[i]))
			buf_addc(out, s.p[i]);
		else if (i == 0 || !isdigit((unsigned char)s.p[i - 1]))
			buf_addc(out, '\2');
}

struct code
code_of(struct slice text, struct buf *scratch)
{
	struct code c = { 1, 1 };
	struct slice line;

	while (slice_line(&text, &line)) {
		line = slice_trim(line);
		if (line.n == 0 || is_comment(line))
			continue;
		line = without_tail(line);
		c.exact = hash_both(c.exact, hash_bytes(line.p, line.n));
		mask(line, scratch);
		c.shape = hash_both(c.shape, hash_bytes(scratch->p,
		    scratch->len));
	}
	return c;
}
