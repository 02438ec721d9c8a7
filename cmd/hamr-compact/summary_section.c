/* summary_section.c - a part of a summary, with a title and a ceiling. */
#include <string.h>

#include "summary_in.h"

struct section
section_of(struct buf *out, const char *title, size_t start, size_t cap,
    size_t percent)
{
	size_t used = out->len - start, left = cap > used ? cap - used : 0;

	return (struct section){ out, title, cap * percent / 100 < left ?
		cap * percent / 100 : left, BUF_INIT(BUF_RECORD_MAX) };
}

bool
section_put(struct section *sec)
{
	size_t n = sec->line.len + 1, title = sec->title != NULL ?
	    strlen(sec->title) + 1 : 0;
	bool fits = n + title <= sec->room;

	if (fits) {
		sec->room -= n + title;
		if (title > 0) {
			buf_adds(sec->out, sec->title);
			buf_addc(sec->out, '\n');
		}
		sec->title = NULL;
		buf_slice(sec->out, buf_view(&sec->line));
		buf_addc(sec->out, '\n');
	}
	buf_reset(&sec->line);
	return fits;
}

void
section_end(struct section *sec)
{
	buf_release(&sec->line);
}
