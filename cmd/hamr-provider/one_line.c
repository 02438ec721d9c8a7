/* one_line.c - JSON of others, as it can stand in a record. */
#include <string.h>

#include "one_line.h"

/* Behind the string that begins at p. */
static const char *
string_end(const char *p, const char *end)
{
	for (p++; p < end && *p != '"'; p++)
		p += *p == '\\';
	return p < end ? p + 1 : end;
}

void
one_line(struct slice json, struct buf *out)
{
	const char *p = json.p, *end = json.p + json.n;

	if (json.n == 0 || (memchr(p, '\n', json.n) == NULL &&
	    memchr(p, '\r', json.n) == NULL)) {
		buf_slice(out, json);
		return;
	}
	while (p < end) {
		const char *next = p + 1;

		if (*p == '"')
			next = string_end(p, end);
		if (strchr(" \t\r\n", *p) == NULL)
			buf_add(out, p, (size_t)(next - p));
		p = next;
	}
}
