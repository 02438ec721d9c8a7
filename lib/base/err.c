/* err.c - error messages and exit statuses, for every program. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ctrl.h"
#include "err.h"
#include "num.h"
#include "utf8.h"

static const char *program = "hamr";
static void (*writer)(void *arg, const char *line);	/* NULL: stderr */
static void *writer_arg;

void
err_program(const char *name)
{
	program = name;
	signal(SIGXFSZ, SIG_IGN);	/* a limit on files is a full disk */
	/* no file we open may become one of these; writing to a closed stdout
	 * still fails */
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == 1 ?
		    O_RDONLY : O_RDWR) < 0)
			_exit(ST_SYSTEM);
}

void
err_redirect(void (*write)(void *arg, const char *line), void *arg)
{
	writer = write;
	writer_arg = arg;
}

static void
fill(struct err *e, enum status st, const char *why, const char *fmt,
    va_list ap)
{
	char text[sizeof e->text + 1];

	if (e == NULL)
		return;
	e->status = st;
	int n = vsnprintf(text, sizeof text, fmt, ap);
	size_t used = utf8_cut(text, n > 0 ? num_min((size_t)n, sizeof text -
	    1) : 0, sizeof e->text - 1);
	memcpy(e->text, text, used);
	e->text[used] = '\0';
	if (why != NULL)
		snprintf(e->text + used, sizeof e->text - used, ": %s", why);
}

int
err_set(struct err *e, enum status st, const char *fmt, ...)
{
	va_list ap;

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

	va_start(ap, fmt);
	fill(e, st, why, fmt, ap);
	va_end(ap);
	return -1;
}

int
err_open(struct err *e, const char *path)
{
	return err_sys(e, errno == ENOENT || errno == ENOTDIR ? ST_NOINPUT :
	    ST_SYSTEM, "%s", path);
}

int
err_option(struct err *e, int c, char *const *argv)
{
	const char *word = argv[optind - 1];
	int n = (int)strcspn(word, "=");
	char letter[] = { '-', (char)optopt, '\0' };
	bool is_long = strncmp(word, "--", 2) == 0 && (c == ':' ||
	    optopt == 0 || optopt > UCHAR_MAX || word[n] == '=');

	if (!is_long)
		word = letter;
	if (c == ':')
		return err_set(e, ST_USAGE, "%s needs a value; try %s --help",
		    word, program);
	if (is_long && optopt != 0)
		return err_set(e, ST_USAGE, "%.*s takes no value; try %s "
		    "--help", n, word, program);
	return err_set(e, ST_USAGE, "unknown option %s; try %s --help", word,
	    program);
}

/* One write, so that lines of several processes do not mix. */
static void
line(const char *fmt, va_list ap)
{
	char s[1400], *to = s;
	int n = snprintf(s, sizeof s, "%s: ", program);

	int m = vsnprintf(s + n, sizeof s - (size_t)n - 1, fmt, ap);
	if (m < 0)
		m = 0;
	if (m > (int)sizeof s - n - 2)
		m = (int)sizeof s - n - 2;
	s[n + m] = '\0';
	/* control characters are shown, not sent */
	for (const char *p = s; *p != '\0'; ) {
		size_t k = ctrl_len((const unsigned char *)p);

		*to++ = k == 0 ? *p : *p == '\n' ? ' ' : '?';
		p += k != 0 ? k : 1;
	}
	*to = '\0';
	if (writer != NULL) {
		writer(writer_arg, s);
		return;
	}
	*to++ = '\n';
	if (write(STDERR_FILENO, s, (size_t)(to - s)) < 0)
		return;		/* there is nowhere to report it */
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

void
err_print(const char *text)
{
	if (fputs(text, stdout) == EOF || fflush(stdout) == EOF)
		err_die(ST_SYSTEM, "stdout: %s", strerror(errno));
	exit(ST_OK);
}
