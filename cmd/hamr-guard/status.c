/* status.c - answers that are none: a status and nothing else (3.4).
 *
 * The whole text is at most two short lines, each compared without case,
 * without marks of Markdown, and without what is neither letter nor digit at
 * its ends (punctuation, emoji).
 */
#include <string.h>

#include "utf8.h"
#include "status.h"

#define LINE_MAX_BYTES 200	/* a longer line says more than a status */

static const char *const words[] = { "completed", "done", "ok", "finished",
	"success", "all done", "task complete", "task completed", NULL };
static const char *const values[] = { "done", "ok", "success", "complete",
	"completed", "failed", "running", "pending", "skipped", NULL };

/* A mark without meaning at the end of a line: not a letter of any script.
 * Beyond ASCII these are general punctuation, arrows, symbols, dingbats,
 * variation selectors and the pictographs. */
static bool
is_mark(const char *p, size_t n)
{
	const unsigned char *u = (const unsigned char *)p;
	unsigned long cp;

	if (n == 1)
		return !((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') ||
		    (*p >= '0' && *p <= '9'));
	if (n == 2)
		return u[0] == 0xc2;		/* Latin-1 signs */
	/* utf8_len has looked at all n bytes: NOLINTBEGIN(clang-analyzer-*) */
	cp = n == 3 ? (u[0] & 15ul) << 12 | (u[1] & 63ul) << 6 | (u[2] & 63ul) :
	    (u[0] & 7ul) << 18 | (u[1] & 63ul) << 12 | (u[2] & 63ul) << 6 |
	    (u[3] & 63ul);
	/* NOLINTEND(clang-analyzer-*) */
	return (cp >= 0x2000 && cp <= 0x2bff) || cp == 0x3002 ||
	    cp == 0xff01 || cp == 0xff0e || (cp >= 0xfe00 && cp <= 0xfe0f) ||
	    (cp >= 0x1f000 && cp <= 0x1faff) ||
	    (cp >= 0xe0020 && cp <= 0xe007f);
}

/* s without marks at its ends; the front keeps what is no emoji or Markdown
 * so that "-1" and "(done" stay what they are. */
static struct slice
trim(struct slice s)
{
	while (s.n > 0) {
		size_t k = utf8_len((const unsigned char *)s.p, s.n);

		if (k == 0 || (k == 1 && strchr(" \t\r*_`#>-", *s.p) == NULL) ||
		    !is_mark(s.p, k))
			break;
		s = (struct slice){ s.p + k, s.n - k };
	}
	while (s.n > 0) {
		size_t k = 1;

		while (k < s.n && k < 4 && (s.p[s.n - k] & 0xc0) == 0x80)
			k++;
		if (!is_mark(s.p + s.n - k, k))
			break;
		s.n -= k;
	}
	return s;
}

/* Lower case, Markdown's marks away, blanks single. */
static struct slice
simplify(struct slice s, char out[LINE_MAX_BYTES])
{
	size_t n = 0;

	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];

		if (c == '*' || c == '_' || c == '`')
			continue;
		if (c == '\t' || c == '\r')
			c = ' ';
		if (c == ' ' && n > 0 && out[n - 1] == ' ')
			continue;
		out[n++] = c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
	}
	return (struct slice){ out, n };
}

static bool
is_status(struct slice line)
{
	char room[LINE_MAX_BYTES];
	struct slice s = trim(simplify(line, room));

	if (slice_in(s, words) || slice_starts(s, "working tree:"))
		return true;
	if (slice_starts(s, "status:") || slice_starts(s, "status :")) {
		const char *colon = memchr(s.p, ':', s.n);

		return slice_in(trim((struct slice){ colon + 1,
		    (size_t)(s.p + s.n - colon - 1) }), values);
	}
	return false;
}

/* The first two letters of all these words; a line that begins with others
 * is none of them, which is told without a look at the rest. */
static bool
may_be_status(struct slice line)
{
	static const char starts[] = "al co do fi ok st su ta wo ";
	char a = line.n > 1 ? (char)(line.p[0] | 0x20) : '\0';
	char b = line.n > 1 ? (char)(line.p[1] | 0x20) : '\0';

	if (a < 'a' || a > 'z' || b < 'a' || b > 'z')
		return true;
	for (const char *p = starts; *p != '\0'; p += 3)
		if (p[0] == a && p[1] == b)
			return line.n <= LINE_MAX_BYTES;
	return false;
}

bool
status_only(struct slice text)
{
	const char *p = text.p, *end = p + text.n;
	size_t lines = 0;

	while (p < end) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		struct slice line = { p, (size_t)((nl ? nl : end) - p) };

		p = nl != NULL ? nl + 1 : end;
		if (!may_be_status(line))
			return false;
		if (trim(line).n == 0)
			continue;
		if (++lines > 2 || line.n > LINE_MAX_BYTES ||
		    !is_status(line))
			return false;
	}
	return lines > 0;
}
