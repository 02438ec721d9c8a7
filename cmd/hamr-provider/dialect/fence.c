/* fence.c - is this point of an answer inside code? */
#include <string.h>

#include "fence.h"

#define CODE_INDENT 4
#define MARKS 3			/* make a fence */

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

/* Does this line open a fence?  ```code``` on one line does not. */
static bool
opens(const struct fence *f)
{
	return f->open == 0 && f->run >= MARKS &&
	    !(f->mark == '`' && f->tick);
}

static void
end_line(struct fence *f)
{
	if (opens(f))
		f->open = f->run;
	else if (f->open > 0 && f->run >= f->open && !f->rest)
		f->open = 0;
	f->apart = f->text && (!f->begun || is_code(f));
	f->run = f->column = 0;
	f->ticks = 0;
	f->begun = f->rest = f->tick = f->quoted = false;
}

void
fence_feed(struct fence *f, const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char c = p[i];

		if (c == '\n')
			end_line(f);
		else if (!f->begun && is_blank(c))
			f->column += c == '\t' ? CODE_INDENT : c == ' ';
		else if (!f->begun) {
			f->begun = f->text = true;
			f->quoted = c == '>';
			if (f->column < CODE_INDENT)
				f->list = c != '\0' &&
				    strchr("-*+0123456789", c) != NULL;
			f->rest = f->open > 0 ? c != f->mark :
			    c != '`' && c != '~';
			if (!f->rest) {
				f->mark = c;
				f->run = 1;
			}
		} else if (f->run > 0 && !f->rest && c == f->mark &&
		    c == f->last)
			f->run++;
		else {
			f->rest |= !is_blank(c);
			f->tick |= c == '`';
		}
		if (c == '`' && f->last != '`')
			f->ticks++;
		f->last = c;
	}
}

bool
fence_in(const struct fence *f)
{
	return f->open > 0 || opens(f);
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
