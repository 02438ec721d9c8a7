/* err.c - what every program says when it stops, and with which status. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ctrl.h"
#include "err.h"

static const char *program = "hamr";

void
err_program(const char *name)
{
	program = name;
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) < 0)
			_exit(ST_SYSTEM);
}

const char *
err_name(void)
{
	return program;
}

/* A text cut by vsnprintf may end inside a character: drop the piece. */
static void
trim_tail(char *s, size_t n)
{
	size_t lead = n;

	while (lead > 0 && ((unsigned char)s[lead - 1] & 0xc0) == 0x80)
		lead--;
	if (lead > 0 && (unsigned char)s[lead - 1] >= 0xc0)
		s[lead - 1] = '\0';
}

static void
fill(struct err *e, enum status st, const char *why, const char *fmt,
    va_list ap)
{
	size_t used;
	int n;

	e->status = st;
	n = vsnprintf(e->text, sizeof e->text, fmt, ap);
	used = n < 0 ? 0 : (size_t)n;
	if (used >= sizeof e->text) {
		trim_tail(e->text, sizeof e->text - 1);
		used = strlen(e->text);
	}
	if (why != NULL)
		snprintf(e->text + used, sizeof e->text - used, ": %s", why);
}

int
err_set(struct err *e, enum status st, const char *fmt, ...)
{
	va_list ap;

	if (e == NULL)
		return -1;
	va_start(ap, fmt);
	fill(e, st, NULL, fmt, ap);
	va_end(ap);
	return -1;
}

int
err_sys(struct err *e, enum status st, const char *fmt, ...)
{
	const char *why = strerror(errno);
	va_list ap;

	if (e == NULL)
		return -1;
	va_start(ap, fmt);
	fill(e, st, why, fmt, ap);
	va_end(ap);
	return -1;
}

static void
make_harmless(char *s)
{
	char *to = s;

	while (*s != '\0') {
		size_t n = ctrl_len((unsigned char *)s);

		if (n == 0) {
			*to++ = *s++;
			continue;
		}
		*to++ = *s == '\n' ? ' ' : '?';
		while (n-- > 0 && *s != '\0')
			s++;
	}
	*to = '\0';
}

/* One write, so that lines of several processes do not mix. */
static void
line(const char *fmt, va_list ap)
{
	char s[1400];
	int n, m;

	n = snprintf(s, sizeof s, "%s: ", program);
	m = vsnprintf(s + n, sizeof s - (size_t)n - 1, fmt, ap);
	if (m < 0)
		m = 0;
	if (m > (int)sizeof s - n - 2)
		m = (int)sizeof s - n - 2;
	s[n + m] = '\0';
	make_harmless(s);
	n = (int)strlen(s);
	s[n] = '\n';
	if (write(STDERR_FILENO, s, (size_t)n + 1) < 0)
		return;		/* nobody left to tell */
}

void
err_say(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	line(fmt, ap);
	va_end(ap);
}

int
err_report(const struct err *e)
{
	err_say("%s", e->text);
	return (int)e->status;
}

void
err_die(enum status st, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	line(fmt, ap);
	va_end(ap);
	exit((int)st);
}
