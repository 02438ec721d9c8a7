/* text.c - a text as the full-text index sees it: passages, words, parts. */
#include <ctype.h>
#include <string.h>

#include "text.h"
#include "base/ctrl.h"
#include "base/utf8.h"
#include "term/term.h"

bool
text_passage(struct slice text, size_t *at, struct slice *passage)
{
	size_t from = *at;

	if (from > text.n || (from == text.n && from > 0))
		return false;
	size_t n = utf8_cut(text.p + from, text.n - from, PASSAGE_BYTES);
	*passage = (struct slice){ text.p + from, n };
	if (from + n >= text.n)
		*at = text.n + 1;
	else
		*at = from + utf8_cut(text.p + from, n, n - PASSAGE_OVERLAP);
	return true;
}

bool
text_is_word(char byte)
{
	unsigned char c = (unsigned char)byte;

	return c >= 0x80 || (unsigned char)((c | 0x20) - 'a') < 26 ||
	    (unsigned char)(c - '0') < 10;
}

bool
text_word(struct slice text, size_t *at, struct slice *word)
{
	size_t i = *at;

	while (i < text.n && !text_is_word(text.p[i]))
		i++;
	size_t from = i;
	while (i < text.n && text_is_word(text.p[i]))
		i++;
	*at = i;
	*word = (struct slice){ text.p + from, i - from };
	return i > from;
}

static struct slice
character(struct slice w, size_t at)
{
	size_t n = utf8_len((const unsigned char *)w.p + at, w.n - at);

	return slice_part(w, at, at + (n > 0 ? n : 1));
}

static unsigned long
code(struct slice c)
{
	return ctrl_code((const unsigned char *)c.p, c.n);
}

static bool
is_sharp(unsigned long cp)
{
	return cp == 0xdf || cp == 0x1e9e;
}

/* Is it a currency sign, an arrow, a mathematical sign, or an emoji?  (Not a
 * block, of which bars are made.) */
static bool
is_symbol(unsigned long cp)
{
	return (cp >= 0x20a0 && cp <= 0x20cf) ||
	    (cp >= 0x2190 && cp <= 0x23ff) || (cp >= 0x25a0 && cp <= 0x27bf) ||
	    (cp >= 0x2b00 && cp <= 0x2bff) || (cp >= 0x1f000 && cp <= 0x1ffff);
}

/* Append a symbol as a word of its bytes, once: some tools put an arrow in each
 * line. */
static void
add_symbol(struct slice c, struct buf *out)
{
	static const char hex[] = "0123456789abcdef";
	char word[24] = " symbol";
	size_t n = strlen(word);

	for (size_t i = 0; i < c.n; i++) {
		word[n++] = hex[(unsigned char)c.p[i] >> 4];
		word[n++] = hex[c.p[i] & 0xf];
	}
	if (!slice_has(buf_view(out), word))
		buf_add(out, word, n);
}

/* For a word that is not ASCII.  Append each pair of letters of scripts written
 * without blanks, where the index takes a whole sentence for one word: Thai,
 * Lao (U+0E00 on), kana, Han, Hangul (U+3040 on).  Append a word with a sharp
 * s also with ss: the index folds diacritics, but a sharp s is a letter.
 * Append symbols, which the index skips. */
static void
add_other(struct slice w, struct buf *out)
{
	struct slice last = { NULL, 0 }, c;
	bool sharp = false;

	for (size_t i = 0; i < w.n; i += c.n) {
		c = character(w, i);
		unsigned long cp = code(c);

		sharp |= is_sharp(cp);
		if (is_symbol(cp))
			add_symbol(c, out);
		if (cp < 0xe00 || cp >= 0xe000 ||
		    (cp >= 0x1000 && cp < 0x3040)) {
			last.n = 0;
			continue;
		}
		if (term_width(c) == 0)		/* a mark */
			continue;
		if (last.n > 0) {
			if (out->len > 0)
				buf_addc(out, ' ');
			buf_slice(out, last);
			buf_slice(out, c);
		}
		last = c;
	}
	if (sharp)
		buf_addc(out, ' ');
	for (size_t i = 0; sharp && i < w.n; i += c.n) {
		c = character(w, i);
		if (is_sharp(code(c)))
			buf_adds(out, "ss");
		else
			buf_slice(out, c);
	}
}

void
text_parts(struct slice text, struct buf *out)
{
	struct slice w;
	size_t at = 0;

	while (text_word(text, &at, &w)) {
		size_t from = 0;
		bool ascii = true;

		for (size_t i = 1; i < w.n; i++) {
			unsigned char a = (unsigned char)w.p[i - 1];
			unsigned char b = (unsigned char)w.p[i];

			ascii &= b < 0x80;
			/* parseHTTPHeader2: parse HTTP Header2 */
			if (!isupper(b) || (!islower(a) && !isdigit(a) &&
			    (!isupper(a) || i + 1 == w.n ||
			    !islower((unsigned char)w.p[i + 1]))))
				continue;
			if (out->len > 0)
				buf_addc(out, ' ');
			buf_add(out, w.p + from, i - from);
			from = i;
		}
		if (from > 0) {
			buf_addc(out, ' ');
			buf_add(out, w.p + from, w.n - from);
		}
		if (!ascii)
			add_other(w, out);
	}
}
