/* doctor_say.c - a line of the doctor's. */
#include <stdarg.h>

#include "doctor_in.h"

void
dr_say(struct doctor *d, enum state s, const char *what,
    const char *fmt, ...)
{
	static const char *const words[] = { "ok", "note", "MISSING" };
	va_list ap;

	buf_fmt(&d->out, "%-8s %-14s ", words[s], what);
	va_start(ap, fmt);
	buf_vfmt(&d->out, fmt, ap);
	va_end(ap);
	buf_addc(&d->out, '\n');
	d->bad |= s == MISSING;
}
