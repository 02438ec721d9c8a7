/* text.c - a text as the full-text index sees it: passages, words, parts. */
#include <ctype.h>

#include "text.h"
#include "base/utf8.h"

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

void
text_parts(struct slice text, struct buf *out)
{
	struct slice w;
	size_t at = 0;

	while (text_word(text, &at, &w)) {
		size_t from = 0;

		for (size_t i = 1; i < w.n; i++) {
			unsigned char a = (unsigned char)w.p[i - 1];
			unsigned char b = (unsigned char)w.p[i];

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
	}
}
