/* fold.c - a bash command with its blanks folded, for its signature.
 *
 * The format is bash's quoting: '...', "..." and $'...' with backslashes,
 * a backslash alone, # comments.  No library on our list reads it.  What is
 * misread is only folded less, never more, than bash would allow.
 */
#include <string.h>

#include "shell.h"

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Behind the quoted string that opens at p; its end when it does not close. */
static const char *
over_quotes(const char *p, const char *end, bool escapes)
{
	char q = *p++;

	while (p < end && *p != q)
		p += escapes && *p == '\\' && p + 1 < end ? 2 : 1;
	return p < end ? p + 1 : end;
}

/* Up to what piece() treats apart, or a blank. */
static const char *
over_plain(const char *p, const char *end)
{
	static const bool apart[256] = { [' '] = true, ['\t'] = true,
		['\''] = true, ['"'] = true, ['\\'] = true, ['#'] = true };

	while (p < end && !apart[(unsigned char)*p])
		p++;
	return p;
}

/* Behind the next piece that is to be copied as it stands. */
static const char *
piece(const char *start, const char *p, const char *end)
{
	bool word = p == start || strchr(" \t\n;&|(", p[-1]) != NULL;
	const char *nl;

	switch (*p) {
	case '\'':
		return over_quotes(p, end, p > start && p[-1] == '$');
	case '"':
		return over_quotes(p, end, true);
	case '\\':
		return p + 1 < end ? p + 2 : end;
	case '#':
		nl = word ? memchr(p, '\n', (size_t)(end - p)) : p + 1;
		return nl != NULL ? nl : end;
	default:
		return over_plain(p + 1, end);
	}
}

void
shell_fold(struct slice cmd, struct buf *out)
{
	const char *start = cmd.p, *p = cmd.p, *end = cmd.p + cmd.n;

	if (memmem(cmd.p, cmd.n, "<<", 2) != NULL) {
		buf_slice(out, cmd);	/* blanks of a here-document count */
		return;
	}
	while (p < end) {
		const char *q = p;

		while (q < end && is_blank(*q))
			q++;
		if (q > p) {
			if (p > start && q < end)
				buf_addc(out, ' ');
			p = q;
			continue;
		}
		q = piece(start, p, end);
		buf_add(out, p, (size_t)(q - p));
		p = q;
	}
}
