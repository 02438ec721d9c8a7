/* markdown_fix.h - what holds of Markdown rows, whatever the text; for the unit
 * test and the fuzz target. */
#pragma once

#include <string.h>

#include "base/ctrl.h"
#include "base/utf8.h"
#include "markdown/markdown.h"
#include "term/term.h"

#define FIX_ROWS 5

/* Nothing but SGR and the column, of ours, steers the terminal; the widest row, and how many. */
static inline bool
fix_is_calm(struct slice rows, bool code_tabs, size_t *columns, size_t *n)
{
	struct buf plain = BUF_INIT((size_t)1 << 30);
	struct slice rest, line;
	bool calm = true;

	*columns = *n = 0;
	for (size_t i = 0; i < rows.n; ) {
		const unsigned char *p = (const unsigned char *)rows.p + i;
		size_t k = utf8_len(p, rows.n - i);
		unsigned long cp = k > 0 ? ctrl_code(p, k) : 0;

		if (*p == '\033' && rows.n - i > 2 && p[1] == '[') {
			for (k = 2; i + k < rows.n && (p[k] == ';' ||
			    (p[k] >= '0' && p[k] <= '9')); )
				k++;
			calm &= i + k < rows.n && (p[k] == 'm' ||
			    p[k] == 'G');
			i += k + 1;
			continue;
		}
		if (k == 0)
			return buf_release(&plain), false;
		calm &= !ctrl_is(cp) || cp == '\n' || cp == 0x200c ||
		    cp == 0x200d || (cp == '\t' && code_tabs);
		buf_add(&plain, p, k);
		i += k;
	}
	rest = buf_view(&plain);
	while (slice_line(&rest, &line)) {
		size_t w = term_width(line);

		*columns = w > *columns ? w : *columns;
		++*n;
	}
	buf_release(&plain);
	return calm;
}

/* The tail fits. */
static inline bool
fix_tail_fits(struct markdown *m, size_t columns)
{
	struct buf tail = BUF_INIT((size_t)1 << 30);
	size_t w, n;
	bool fits;

	markdown_tail(m, &tail);
	fits = fix_is_calm(buf_view(&tail), false, &w, &n) &&
	    w <= columns && n <= FIX_ROWS;
	buf_release(&tail);
	return fits;
}
