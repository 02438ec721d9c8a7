/* diff_rows.c - a unified diff for a person. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "term/term.h"
#include "diff_rows.h"

#define GUTTER "%6zu %c"	/* a tab wide, to keep alignment */
#define CONTEXT "\033[2m"
#define REMOVED "\033[31m"
#define ADDED "\033[32m"

/* Read "-5,7 ": the first line and how many; ",1" may be left out. */
static bool
read_side(const char **p, char mark, size_t *first, size_t *lines)
{
	char *end;

	*lines = 1;
	if (**p != mark)
		return false;
	*first = strtoul(*p + 1, &end, 10);
	if (*end == ',')
		*lines = strtoul(end + 1, &end, 10);
	*p = end + 1;
	return *end == ' ';
}

bool
diff_line(struct diff *d, struct slice line, struct buf *row)
{
	char sign = line.n > 0 ? line.p[0] : ' ';
	size_t old = sign == '-' || sign == ' ';
	size_t new = sign == '+' || sign == ' ';
	bool hunk = false, shown = true;
	struct buf safe = BUF_INIT((size_t)1 << 40);

	buf_reset(row);
	term_escape(&safe, line);
	d->look = CONTEXT;
	if (d->olds + d->news == 0 && slice_starts(line, "@@ ")) {
		/* @@ -5,7 +5,10 @@ */
		char *text = xmemdup0(line.p, line.n < 80 ? line.n : 80);
		const char *p = text + 3;

		hunk = read_side(&p, '-', &d->old, &d->olds) &&
		    read_side(&p, '+', &d->new, &d->news) && *p == '@';
		free(text);
	}
	if (hunk) {
		buf_adds(row, "       ...");
		shown = d->any;
		d->any = true;
	} else if (old + new > 0 && old <= d->olds && new <= d->news) {
		buf_fmt(row, GUTTER, new > 0 ? d->new : d->old, sign);
		d->look = sign == '-' ? REMOVED : sign == '+' ? ADDED :
		    CONTEXT;
		d->old += old;
		d->olds -= old;
		d->new += new;
		d->changed += old != new;
		d->news -= new;
		if (line.n > 0)
			term_tabs(row, slice_from(buf_view(&safe), 1));
	} else {
		shown = d->names || !(slice_starts(line, "--- ") ||
		    slice_starts(line, "+++ "));
		d->any = d->any && sign == '\\';
		d->olds = d->news = 0;
		term_tabs(row, buf_view(&safe));
	}
	buf_release(&safe);
	return shown;
}

bool
diff_add(struct diff *d, struct slice line, bool colour, struct buf *out)
{
	struct buf row = BUF_INIT((size_t)1 << 40);
	bool shown = diff_line(d, line, &row);

	if (shown) {
		buf_adds(out, colour ? d->look : "");
		buf_slice(out, buf_view(&row));
		buf_adds(out, colour ? "\033[0m\n" : "\n");
	}
	buf_release(&row);
	return shown;
}
