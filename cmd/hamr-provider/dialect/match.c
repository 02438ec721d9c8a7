/* match.c - find marks in text that may be cut anywhere. */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "match.h"

int
tag_match(struct slice s, const char *tag)
{
	/* most tags are told apart by their second byte */
	if (s.n > 1 && tag[0] != '\0' && tag[1] != '\0' && s.p[1] != tag[1])
		return 0;
	size_t n = strlen(tag), m = s.n < n ? s.n : n;

	if (m > 0 && memcmp(s.p, tag, m) != 0)
		return 0;
	return m == n ? 1 : -1;
}

bool
begins(struct slice s, size_t at, const char *tag)
{
	return at < s.n && tag_match(slice_from(s, at), tag) == 1;
}

bool
is_word(struct slice s, const char *word)
{
	return s.n == strlen(word) && strncasecmp(s.p, word, s.n) == 0;
}

size_t
skip_white(struct slice s, size_t at)
{
	while (at < s.n && is_whitespace(s.p[at]))
		at++;
	return at;
}

size_t
skip_name(struct slice s, size_t at)
{
	while (at < s.n && (isalnum((unsigned char)s.p[at]) ||
	    (s.p[at] != '\0' && strchr("_-.:", s.p[at]) != NULL)))
		at++;
	return at;
}

struct slice
tool_name(struct slice said)
{
	static const char *const prefixes[] = { "functions.", "default_api." };
	/* gpt-oss's, where the server leaves them: read<|channel|>json */
	size_t mark = slice_find(said, 0, "<|");

	if (mark > 0)
		said = slice_trim(slice_part(said, 0, mark));
	for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
		size_t n = strlen(prefixes[i]);

		if (said.n > n && slice_starts(said, prefixes[i]))
			return slice_from(said, n);
	}
	return said;
}
