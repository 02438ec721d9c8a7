/* theme.c - colours that read on the terminal's background. */
#include <stdlib.h>
#include <string.h>

#include "internal.h"

/* What is written otherwise, and of the 256 colours those instead. */
static const struct {
	const char *ours, *dark, *light;
} palette[] = {
	{ "\033[2m", "\033[38;5;245m", "\033[38;5;241m" },
	{ "\033[0;2m", "\033[0;38;5;245m", "\033[0;38;5;241m" },
	{ "\033[31m", "\033[38;5;203m", "\033[38;5;124m" },
	{ "\033[32m", "\033[38;5;114m", "\033[38;5;22m" },
	{ "\033[35m", "\033[38;5;176m", "\033[38;5;90m" },
	{ "\033[36m", "\033[38;5;80m", "\033[38;5;24m" },
};

struct slice
ui_themed(const struct ui *u, struct slice text, struct buf *b)
{
	bool light = u->theme == THEME_LIGHT || (u->theme == THEME_AUTO &&
	    u->screen != NULL && screen_is_light(u->screen));
	const char *term = getenv("TERM"), *more = getenv("COLORTERM"), *esc;
	bool has_colours = (term != NULL && strstr(term, "256color") != NULL) ||
	    (more != NULL && more[0] != '\0');

	if (!u->color || (u->theme == THEME_AUTO && !light) || !has_colours)
		return text;
	while (text.n > 0 && (esc = memchr(text.p, '\033', text.n)) != NULL) {
		size_t before = (size_t)(esc - text.p), i = 0, n = 1;

		buf_add(b, text.p, before);
		text = (struct slice){ esc, text.n - before };
		while (i < sizeof palette / sizeof *palette &&
		    !slice_starts(text, palette[i].ours))
			i++;
		if (i < sizeof palette / sizeof *palette) {
			n = strlen(palette[i].ours);
			buf_adds(b, light ? palette[i].light :
			    palette[i].dark);
		} else {
			buf_addc(b, '\033');
		}
		text = slice_from(text, n);
	}
	buf_slice(b, text);
	return buf_view(b);
}
