/* text.c - a text as the full-text index sees it: passages, words, parts. */
#include <ctype.h>
#include <string.h>

#include "text.h"
#include "base/num.h"
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

/* What people type for a letter that the index does not fold as it folds
 * diacritics, or NULL: those of Latin that do not decompose, the Russian yo,
 * Greek vowels with an accent or two dots. */
static const char *
typed_for(unsigned long cp)
{
	switch (cp) {
	case 0xdf: case 0x1e9e: return "ss";
	case 0xc6: case 0xe6: return "ae";
	case 0x152: case 0x153: return "oe";
	case 0xd8: case 0xf8: return "o";
	case 0x110: case 0x111: return "d";
	case 0x131: return "i";
	case 0x141: case 0x142: return "l";
	case 0x401: case 0x451: return "е";
	case 0x386: case 0x3ac: return "α";
	case 0x388: case 0x3ad: return "ε";
	case 0x389: case 0x3ae: return "η";
	case 0x38a: case 0x390: case 0x3aa: case 0x3af: case 0x3ca: return "ι";
	case 0x38c: case 0x3cc: return "ο";
	case 0x38e: case 0x3ab: case 0x3b0: case 0x3cb: case 0x3cd: return "υ";
	case 0x38f: case 0x3ce: return "ω";
	default: return NULL;
	}
}

/* For a word that is not ASCII.  Append each pair of letters of scripts written
 * without blanks, where the index takes a whole sentence for one word: Thai,
 * Lao (U+0E00 on), kana, Han, Hangul (U+3040 on).  Append a word also as it is
 * typed without its special letters.  Append symbols, which the index skips. */
static void
add_other(struct slice w, struct buf *out)
{
	struct slice last = { NULL, 0 };
	struct utf8_char ch;
	char symbol[24] = " symbol";
	bool special = false;

	for (size_t i = 0; (ch = utf8_at(w, i)).n > 0; i += ch.n) {
		struct slice c = slice_part(w, i, i + ch.n);
		unsigned long cp = ch.cp;

		special |= typed_for(cp) != NULL;
		/* a currency sign, an arrow, a mathematical sign, an emoji (not
		 * a block, of which bars are made): a word of its bytes, once,
		 * as some tools put an arrow in each line */
		if ((cp >= 0x20a0 && cp <= 0x20cf) ||
		    (cp >= 0x2190 && cp <= 0x23ff) ||
		    (cp >= 0x25a0 && cp <= 0x27bf) ||
		    (cp >= 0x2b00 && cp <= 0x2bff) ||
		    (cp >= 0x1f000 && cp <= 0x1ffff)) {
			num_print_hex(c.p, c.n, symbol + strlen(" symbol"));
			if (!slice_has(buf_view(out), symbol))
				buf_adds(out, symbol);
		}
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
	if (special)
		buf_addc(out, ' ');
	for (size_t i = 0; special && i < w.n; i += ch.n) {
		ch = utf8_at(w, i);
		const char *typed = typed_for(ch.cp);
		buf_slice(out, typed != NULL ? slice_of(typed) :
		    slice_part(w, i, i + ch.n));
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
