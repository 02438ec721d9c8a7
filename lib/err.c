/* err.c - what every program says when it stops, and with which status. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

size_t
err_steers(const unsigned char *p)
{
	if (*p < 0x20 || *p == 0x7f)
		return *p != '\t';
	if (p[0] == 0xc2 && p[1] >= 0x80 && p[1] < 0xa0)
		return 2;		/* C1 */
	if (p[0] == 0xd8 && p[1] == 0x9c)
		return 2;		/* U+061C */
	if (p[0] == 0xe2 && p[1] == 0x80 && (p[2] == 0x8e || p[2] == 0x8f ||
	    (p[2] >= 0xaa && p[2] <= 0xae)))
		return 3;		/* U+200E, U+202A and kin */
	if (p[0] == 0xe2 && p[1] == 0x81 && p[2] >= 0xa6 && p[2] <= 0xa9)
		return 3;		/* U+2066 to U+2069 */
	if (p[0] == 0xf3 && p[1] == 0xa0 && (p[2] == 0x80 || p[2] == 0x81))
		return 4;		/* tags */
	return 0;
}

static void
make_harmless(char *s)
{
	char *to = s;

	while (*s != '\0') {
		size_t n = err_steers((unsigned char *)s);

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
