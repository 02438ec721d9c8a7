/* layout.c - what stdout can show. */
#include <langinfo.h>
#include <locale.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "term/term.h"

#include "layout.h"

#define LEAST 40
#define MOST 240
#define USUAL 80

struct screen
screen_of_stdout(void)
{
	struct term t = term_of(STDOUT_FILENO);
	size_t w = t.columns == 0 ? USUAL : t.columns;
	struct screen s = { .tty = t.tty, .colour = t.colour };

	s.width = (int)(w < LEAST ? LEAST : w > MOST ? MOST : w);
	setlocale(LC_CTYPE, "");
	s.utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
	term_init();
	return s;
}

size_t
screen_room(const struct screen *s, int taken)
{
	if (!s->tty)
		return SIZE_MAX;
	return s->width > taken + 10 ? (size_t)(s->width - taken) : 10;
}

void
screen_text(const struct screen *s, struct slice text, size_t columns,
    struct buf *out)
{
	if (s->utf8) {
		term_put(out, text, columns);
		return;
	}
	/* only ASCII can be shown */
	for (size_t i = 0; i < text.n; i++) {
		unsigned char c = (unsigned char)text.p[i];

		if ((c & 0xc0) == 0x80)
			continue;	/* a later byte of a character */
		if (columns <= 3 && text.n - i > 3) {
			buf_adds(out, "...");
			return;
		}
		buf_addc(out, c == '\n' || c == '\t' ? ' ' : c < ' ' ||
		    c >= 0x7f ? '?' : (char)c);
		columns--;
	}
}
