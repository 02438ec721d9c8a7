/* slice.h - borrowed bytes: a pointer and a length. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Borrowed bytes, not NUL-terminated.  p == NULL means "not there". */
struct slice {
	const char *p;
	size_t n;
};

#define SLICE(lit) ((struct slice){ "" lit, sizeof(lit) - 1 })

/* Inline, as most texts differ in their first byte. */
static inline bool
slice_is(struct slice s, const char *text)
{
	size_t i = 0;

	if (s.p == NULL)
		return false;
	while (i < s.n && text[i] != '\0' && s.p[i] == text[i])
		i++;
	return i == s.n && text[i] == '\0';
}

/* s from byte at on; s from byte `from` up to byte `to`. */
static inline struct slice
slice_from(struct slice s, size_t at)
{
	return (struct slice){ s.p + at, s.n - at };
}

static inline struct slice
slice_part(struct slice s, size_t from, size_t to)
{
	return (struct slice){ s.p + from, to - from };
}

bool slice_eq(struct slice a, struct slice b);
bool slice_starts(struct slice s, const char *prefix);
bool slice_ends(struct slice s, const char *suffix);

/* The place of text in s, from byte at on; s.n: not found. */
size_t slice_find(struct slice s, size_t at, const char *text);
bool slice_has(struct slice s, const char *text);

/* White space as in JSON. */
static inline bool
is_whitespace(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Less than, equal to or greater than 0: the order of a and b by their bytes; a
 * prefix comes first. */
int slice_order(struct slice a, struct slice b);

/* Is s one of these words?  NULL ends the row. */
bool slice_in(struct slice s, const char *const *row);
struct slice slice_of(const char *text);	/* of a C string, or NULL */

/* For qsort of an array of char *: by their bytes. */
int text_order(const void *a, const void *b);

/* s without white space at both ends; without the bytes in set at one end. */
struct slice slice_trim(struct slice s);
struct slice slice_trim_start(struct slice s, const char *set);
struct slice slice_trim_end(struct slice s, const char *set);

/* Take the first line off *rest; *line is without its LF.  False at the end.  A
 * last line without an LF is a line too:
 *
 *	while (slice_line(&text, &line))
 */
bool slice_line(struct slice *rest, struct slice *line);

/* The last lines of a text, at most this many. */
struct slice slice_last_lines(struct slice s, size_t most);

size_t slice_newlines(struct slice s);	/* how many LFs */
size_t slice_lines(struct slice s);	/* and a last line without one */
