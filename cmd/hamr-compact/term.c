/* term.c - what the place where a text for people goes can show. */
#include <langinfo.h>
#include <locale.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "num.h"
#include "utf8.h"

#include "term.h"

#define LEAST 40
#define MOST 240

static int
width(void)
{
	const char *columns = getenv("COLUMNS");
	struct winsize w;
	int64_t n = 80;

	if (columns == NULL || !num_i64(columns, strlen(columns), &n) ||
	    n <= 0)
		n = ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0 &&
		    w.ws_col > 0 ? w.ws_col : 80;
	return (int)(n < LEAST ? LEAST : n > MOST ? MOST : n);
}

struct term
term_of_stdout(void)
{
	const char *type = getenv("TERM"), *plain = getenv("NO_COLOR");
	struct term t = { .width = width() };

	setlocale(LC_CTYPE, "");
	t.utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
	t.tty = isatty(STDOUT_FILENO);
	t.colour = t.tty && (plain == NULL ||
	    *plain == '\0') && type != NULL && strcmp(type, "dumb") != 0;
	return t;
}

size_t
term_room(const struct term *t, int taken)
{
	if (!t->tty)
		return SIZE_MAX;
	return t->width > taken + 10 ? (size_t)(t->width - taken) : 10;
}

/* Controls, and what is invisible or turns the direction of text. */
static bool
is_plain(const struct term *t, struct slice c)
{
	const unsigned char *p = (const unsigned char *)c.p;

	if (c.n == 1)
		return p[0] >= ' ' && p[0] != 0x7f;
	if (!t->utf8)
		return false;
	if (c.n == 2)
		return p[0] != 0xc2 || p[1] >= 0xa0;
	if (c.n == 3)
		return !(p[0] == 0xe2 && (p[1] == 0x80 || p[1] == 0x81)) &&
		    !(p[0] == 0xef && ((p[1] == 0xbb && p[2] == 0xbf) ||
		    (p[1] == 0xbf && p[2] >= 0xbe)));
	return !(p[0] == 0xf3 && p[1] >= 0xa0);
}

/* Two columns: CJK, Hangul, kana, most of what is behind U+10000. */
static bool
is_wide(struct slice c)
{
	unsigned char lead = (unsigned char)c.p[0];

	return (c.n == 3 && lead >= 0xe3 && lead <= 0xed) || c.n == 4;
}

void
term_text(const struct term *t, struct slice text, size_t columns,
    struct buf *out)
{
	size_t n = 0;

	for (size_t i = 0; i < text.n; ) {
		size_t len = utf8_len((const unsigned char *)text.p + i,
		    text.n - i);
		struct slice c = { text.p + i, len > 0 ? len : 1 };

		if (columns <= n + 3 && text.n - i > 3) {
			buf_adds(out, "...");
			return;
		}
		if (len > 0 && is_plain(t, c))
			buf_slice(out, c);
		else
			buf_addc(out, *c.p == '\n' || *c.p == '\t' ? ' ' :
			    '?');
		i += c.n;
		n += is_wide(c) ? 2 : 1;
	}
}
