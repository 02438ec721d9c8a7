/* fence.c - is this point of an answer inside code? */
#include <string.h>

#include "fence.h"

#define CODE_INDENT 4

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* Is this line indented code, not part of a list's item? */
static bool
is_code(const struct fence *f)
{
	return f->apart && f->column >= CODE_INDENT && !f->list;
}

static void
feed(struct fence *f, char c)
{
	bool bare = f->line == FENCE_RUN || f->line == FENCE_CLOSE;

	if (c == '\n') {
		if (bare && f->open == 0 && f->run >= 3)
			f->open = f->run;
		else if (bare && f->open > 0 && f->run >= f->open)
			f->open = 0;
		f->apart = f->text && (f->line == FENCE_INDENT || is_code(f));
		f->line = FENCE_INDENT;
		f->run = f->column = 0;
		f->ticks = 0;
		f->quoted = false;
		return;
	}
	switch (f->line) {
	case FENCE_INDENT:
		if (is_blank(c)) {
			f->column += c == '\t' ? CODE_INDENT : c == ' ';
			break;
		}
		f->line = FENCE_TEXT;
		f->text = true;
		f->quoted = c == '>';
		if (f->column < CODE_INDENT)
			f->list = c != '\0' && strchr("-*+0123456789", c);
		if (f->open > 0 ? c == f->mark : c == '`' || c == '~') {
			f->mark = c;
			f->run = 1;
			f->line = FENCE_RUN;
		}
		break;
	case FENCE_RUN:
		if (c == f->mark) {
			f->run++;
			break;
		}
		f->line = FENCE_TEXT;
		if (f->open == 0 && f->run >= 3) {
			f->open = f->run;
			f->line = FENCE_INFO;
		} else if (f->open > 0 && f->run >= f->open && is_blank(c))
			f->line = FENCE_CLOSE;
		break;
	case FENCE_INFO:
		/* ```code``` on one line is not a fence */
		if (f->mark == '`' && c == '`') {
			f->open = 0;
			f->line = FENCE_TEXT;
		}
		break;
	case FENCE_CLOSE:
		if (!is_blank(c))
			f->line = FENCE_TEXT;
		break;
	case FENCE_TEXT:
		break;
	}
}

void
fence_feed(struct fence *f, const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		feed(f, p[i]);
		if (p[i] == '`' && f->last != '`')
			f->ticks++;
		f->last = p[i];
	}
}

bool
fence_in(const struct fence *f)
{
	return f->open > 0 || (f->line == FENCE_RUN && f->run >= 3);
}

bool
fence_inline(const struct fence *f)
{
	return f->ticks % 2 == 1;
}

bool
fence_example(const struct fence *f)
{
	return f->quoted || is_code(f);
}
