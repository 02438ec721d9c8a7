/* whole.c - the texts that a diff is between, whole. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/utf8.h"
#include "internal.h"

#define TEXT_MAX ACP_MESSAGE_MAX	/* one that is longer is not shown */

char *
whole_read(const char *path)
{
	struct buf b = BUF_INIT(TEXT_MAX);
	int fd = file_open_regular(AT_FDCWD, path, NULL);
	bool good = fd >= 0 && file_read_fd(fd, path, &b, NULL) == 0 &&
	    memchr(buf_view(&b).p, '\0', b.len) == NULL &&
	    utf8_check(buf_view(&b).p, b.len) == b.len;

	if (fd >= 0)
		close(fd);
	if (good) {
		buf_add(&b, "", 0);
		return buf_detach(&b);
	}
	buf_release(&b);
	return NULL;
}

/* The line number of "@@ -12,3 +12,4 @@" behind mark, from 0. */
static size_t
hunk_at(struct slice line, char mark)
{
	const char *p = memchr(line.p, mark, line.n);
	char *end;
	long at = p != NULL ? strtol(p + 1, &end, 10) : 0;

	/* ",0": no lines, and at is the line before */
	if (at <= 0 || strncmp(end, ",0", 2) == 0)
		return at > 0 ? (size_t)at : 0;
	return (size_t)at - 1;
}

/* The next line of *rest with its LF, if it has one. */
static struct slice
take_line(struct slice *rest)
{
	const char *lf = rest->n > 0 ? memchr(rest->p, '\n', rest->n) : NULL;
	struct slice line = { rest->p, lf != NULL ?
		(size_t)(lf - rest->p) + 1 : rest->n };

	*rest = (struct slice){ rest->p + line.n, rest->n - line.n };
	return line;
}

/* A text in the making. */
struct made {
	struct buf b;
	struct slice rest;	/* of the text it is made from */
	size_t at;		/* lines of that taken */
	bool fits;
};

/* A line of the diff: kept, taken away or put in. */
static void
apply_line(struct made *m, struct slice line, bool back)
{
	char away = back ? '+' : '-';
	struct slice inside = slice_from(line, 1), got;

	if (line.p[0] == ' ' || line.p[0] == away) {
		got = take_line(&m->rest);
		m->at++;
		m->fits &= slice_eq(slice_trim_end(got, "\n"),
		    slice_trim_end(inside, "\n"));
		if (line.p[0] == ' ')
			buf_slice(&m->b, got);
	} else if (line.p[0] == '\\') {
		/* the line before has no LF: of the text that is made, if it
		 * came from the diff */
		return;
	} else {
		buf_slice(&m->b, inside);
	}
}

char *
whole_text(const char *text, struct slice diff, bool back)
{
	struct made m = { .b = BUF_INIT(TEXT_MAX), .rest = slice_of(text),
		.fits = true };
	char put = back ? '-' : '+', before = '\0';
	bool in = false;

	while (diff.n > 0 && m.fits) {
		struct slice line = take_line(&diff);
		size_t to;

		if (slice_starts(line, "[diff cut"))
			m.fits = false;
		if (slice_starts(line, "@@ ")) {
			in = true;
			for (to = hunk_at(line, back ? '+' : '-'); m.at < to &&
			    m.rest.n > 0; m.at++)
				buf_slice(&m.b, take_line(&m.rest));
			m.fits &= m.at == to;
		} else if (in) {
			if (line.p[0] == '\\' && before == put &&
			    m.b.len > 0)
				m.b.len--;	/* its LF was the diff's */
			apply_line(&m, line, back);
		}
		before = line.p[0];
	}
	buf_slice(&m.b, m.rest);
	buf_add(&m.b, "", 0);
	if (m.fits && in && !m.b.over) {
		m.b.p[m.b.len] = '\0';
		return buf_detach(&m.b);
	}
	buf_release(&m.b);
	return NULL;
}
