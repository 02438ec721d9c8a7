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
