/* doctor_say.c - a line of the doctor's. */
#include <stdarg.h>

#include "doctor_in.h"
#include "term.h"

void
dr_say(struct doctor *d, enum state s, const char *what,
    const char *fmt, ...)
{
	static const char *const words[] = { "ok", "note", "MISSING" };
	struct buf b = BUF_INIT(1 << 20);
	va_list ap;

	buf_fmt(&d->out, "%-8s %-14s ", words[s], what);
	va_start(ap, fmt);
	buf_vfmt(&b, fmt, ap);
	va_end(ap);
	term_escape(&d->out, buf_view(&b));
	buf_release(&b);
	buf_addc(&d->out, '\n');
	d->bad |= s == MISSING;
}
