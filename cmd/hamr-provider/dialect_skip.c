/* dialect_skip.c - what the readers of whole blocks share: calls made, text
 * stepped over. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "dialect_region.h"
#include "mem.h"

struct block_call *
region_add(struct region_calls *calls)
{
	struct block_call *c;

	calls->v = xgrow(calls->v, calls->n, &calls->cap, sizeof *calls->v);
	c = &calls->v[calls->n++];
	buf_init(&c->name, BUF_RECORD_MAX);
	buf_init(&c->args, BUF_RECORD_MAX);
	return c;
}

void
region_drop(struct region_calls *calls)
{
	calls->n--;
	buf_release(&calls->v[calls->n].name);
	buf_release(&calls->v[calls->n].args);
}

void
region_calls_release(struct region_calls *calls)
{
	while (calls->n > 0)
		region_drop(calls);
	free(calls->v);
	*calls = (struct region_calls){ NULL, 0, 0 };
}

size_t
skip_white(struct slice s, size_t at)
{
	while (at < s.n && is_white(s.p[at]))
		at++;
	return at;
}

bool
begins(struct slice s, size_t at, const char *tag)
{
	return at < s.n && tag_match(slice_from(s, at), tag) == 1;
}

size_t
find(struct slice s, size_t at, const char *tag)
{
	const char *p = at < s.n ? memmem(s.p + at, s.n - at, tag,
	    strlen(tag)) : NULL;

	return p != NULL ? (size_t)(p - s.p) : s.n;
}

size_t
skip_name(struct slice s, size_t at)
{
	while (at < s.n && (isalnum((unsigned char)s.p[at]) ||
	    (s.p[at] != '\0' && strchr("_-.:", s.p[at]) != NULL)))
		at++;
	return at;
}

/* It must be found before it can be checked; the scanner does that. */
size_t
skip_json(struct slice s, size_t at)
{
	bool in_string = false, escaped = false;
	size_t depth = 0;

	for (; at < s.n; at++) {
		char c = s.p[at];

		if (escaped)
			escaped = false;
		else if (in_string && c == '\\')
			escaped = true;
		else if (c == '"')
			in_string = !in_string;
		else if (in_string)
			continue;
		else if (c == '{' || c == '[')
			depth++;
		else if ((c == '}' || c == ']') && --depth == 0)
			return at + 1;
	}
	return 0;
}
