/* utf8.h - UTF-8: checking, cleaning, cutting between characters. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "ctrl.h"

/* Length (1 to 4) of the valid character at p, or 0.  Invalid are overlong
 * forms, surrogates, above U+10FFFF, and a piece of a character. */
size_t utf8_len(const unsigned char *p, size_t n);

/* The character at a place of a text: its length in bytes (0 at the end, 1 for
 * a byte that is not part of one) and its code point, or that byte. */
struct utf8_char {
	size_t n;
	bool valid;
	unsigned long cp;
};

/* Inline, as texts are measured character by character. */
static inline struct utf8_char
utf8_at(struct slice text, size_t at)
{
	const unsigned char *p = (const unsigned char *)text.p + at;
	struct utf8_char c = { 0 };

	if (at >= text.n)
		return c;
	c.n = utf8_len(p, text.n - at);
	c.valid = c.n != 0;
	c.n += c.n == 0;
	c.cp = ctrl_code(p, c.n);
	return c;
}

/* Can these bytes be the beginning of an incomplete character? */
bool utf8_begins(const unsigned char *p, size_t n);

/* How many bytes of p are valid from its start; n if all are. */
size_t utf8_check(const char *p, size_t n);

/* Append p to out with every invalid byte and every NUL as U+FFFD.  Returns
 * true if anything was replaced (then set meta.lossy). */
bool utf8_clean(struct buf *out, const char *p, size_t n);

/* How many characters begin in p. */
size_t utf8_count(const char *p, size_t n);

/* The largest cut <= max that does not split a character of p. */
size_t utf8_cut(const char *p, size_t n, size_t max);

/* The end of text, at most this many bytes, from the start of a character. */
struct slice utf8_last(struct slice text, size_t most);

/* Write a code point up to U+10FFFF, even a surrogate; returns its length. */
size_t utf8_encode(char *out, unsigned long cp);

/* Append a code point; a surrogate or one too large becomes U+FFFD. */
void utf8_put(struct buf *out, unsigned long cp);
