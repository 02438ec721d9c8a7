/* ui_note.c - lines of progress for a person. */
#include <stdarg.h>

#include "term.h"
#include "ui_in.h"

static bool
silent(const struct ui *u)
{
	return u->quiet || u->json;
}

/* Harmless, and on a terminal in lines that end between words. */
static void
add_text(const struct ui *u, struct buf *b, const char *p, size_t n)
{
	struct ui_fold f = { .at = 0 };
	struct buf safe = BUF_INIT(4 * BUF_RECORD_MAX);

	if (!u->live) {
		term_escape(b, (struct slice){ p, n });
		return;
	}
	term_escape(&safe, (struct slice){ p, n });
	ui_fold(&f, buf_view(&safe).p, safe.len, b);
	buf_release(&f.word);
	buf_release(&safe);
}

void
ui_note(struct ui *u, const char *fmt, ...)
{
	struct buf raw = BUF_INIT(BUF_RECORD_MAX);
	struct buf b = BUF_INIT(4 * BUF_RECORD_MAX);
	va_list ap;

	if (silent(u))
		return;
	va_start(ap, fmt);
	buf_vfmt(&raw, fmt, ap);
	va_end(ap);
	if (u->color)
		buf_adds(&b, "\033[2m");
	add_text(u, &b, buf_view(&raw).p, raw.len);
	buf_adds(&b, u->color ? "\033[0m\n" : "\n");
	ui_break(u);
	ui_emit(u, b.p, b.len);
	buf_release(&raw);
	buf_release(&b);
}

/* A terminal is given only what cannot steer it; a file all of it. */
void
ui_overheard(struct ui *u, const char *p, size_t n)
{
	struct buf b = BUF_INIT((size_t)1 << 20);

	if (u->tty_err)
		term_escape(&b, (struct slice){ p, n });
	else
		buf_add(&b, p, n);
	buf_addc(&b, '\n');
	ui_break(u);
	ui_emit(u, b.p, b.len);
	buf_release(&b);
}
