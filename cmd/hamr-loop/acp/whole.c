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

	file_close(fd);
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

char *
whole_text(const char *text, struct slice diff, bool back)
{
	struct buf b = BUF_INIT(TEXT_MAX);
	struct slice rest = slice_of(text), got;
	char away = back ? '+' : '-', put = back ? '-' : '+', before = '\0';
	size_t at = 0;			/* lines of text taken */
	bool in = false, fits = true;

	while (diff.n > 0 && fits) {
		struct slice line = take_line(&diff);
		struct slice inside = slice_from(line, 1);

		if (slice_starts(line, "[diff cut"))
			fits = false;
		if (slice_starts(line, "@@ ")) {
			size_t to = hunk_at(line, away);

			in = true;
			for (; at < to && rest.n > 0; at++)
				buf_slice(&b, take_line(&rest));
			fits &= at == to;
		} else if (in && (line.p[0] == ' ' || line.p[0] == away)) {
			got = take_line(&rest);
			at++;
			fits &= slice_eq(slice_trim_end(got, "\n"),
			    slice_trim_end(inside, "\n"));
			if (line.p[0] == ' ')
				buf_slice(&b, got);
		} else if (in && line.p[0] == '\\') {
			/* the line before has no LF; where it was put in, its
			 * LF was the diff's */
			if (before == put && b.len > 0)
				b.len--;
		} else if (in) {
			buf_slice(&b, inside);
		}
		before = line.p[0];
	}
	buf_slice(&b, rest);
	buf_add(&b, "", 0);
	if (fits && in && !b.over) {
		b.p[b.len] = '\0';
		return buf_detach(&b);
	}
	buf_release(&b);
	return NULL;
}
