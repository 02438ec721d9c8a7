/* search_look.c - one file searched: its lines found and shown. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file.h"
#include "mem.h"
#include "utf8.h"

#include "search_in.h"

#define LINE_TEXT_MIN 60	/* of it for the text, however long the path */
#define REGEX_LINE_MAX 65536	/* bytes of a line that a regex sees */
#define ASK_FILES 32		/* files between two looks at the clock */

/* One file while it is searched. */
struct target {
	const char *name;	/* as shown */
	struct slice text;
	size_t *at;		/* lines; NULL until one matches */
	long n;
	long printed;		/* lines before it are printed or passed */
	long until;		/* context lines due before it */
	bool began;		/* something of this file was printed */
};

static bool
over(struct search *s)
{
	s->stopped = s->stopped || files_stopped(s->f, s->deadline);
	return s->stopped || s->found->matches >= MATCHES_MAX;
}

/* The same between two files: asking costs as much as looking at a small
 * one. */
static bool
enough(struct search *s)
{
	s->files++;
	return s->files % ASK_FILES == 0 ? over(s) : s->stopped ||
	    s->found->matches >= MATCHES_MAX;
}

/* All of a file that was n bytes long, in one read if it still is. */
static bool
read_all(struct search *s, int fd, size_t n)
{
	ssize_t got;

	buf_reset(&s->text);
	if (buf_reserve(&s->text, n + 2) < 0)
		return false;
	got = read(fd, s->text.p, n + 1);
	if (got < 0)
		return false;
	s->text.len = (size_t)got;
	s->text.p[got] = '\0';	/* regexec of some libraries looks for it */
	return (size_t)got <= n || file_read_fd(fd, "", &s->text, NULL) == 0;
}

/* ---- showing ---- */

static void
put_line(struct search *s, struct target *t, long i, char mark)
{
	struct found *o = s->found;
	struct buf b = BUF_INIT(TEXT_MAX);
	size_t n = t->at[i + 1] - t->at[i], room;
	const char *p = t->text.p + t->at[i];

	while (n > 0 && (p[n - 1] == '\n' || p[n - 1] == '\r'))
		n--;
	if (o->shown > 0 && (!t->began || i > t->printed))
		buf_adds(&b, s->context > 0 ? "--\n" : "");
	size_t head = b.len;
	buf_fmt(&b, "%s%c%ld%c", t->name, mark, i + 1, mark);
	head = b.len - head;
	room = head + LINE_TEXT_MIN > LINE_BYTES ? LINE_TEXT_MIN :
	    LINE_BYTES - head;
	o->cut |= n > room;
	o->lossy |= utf8_clean(&b, p, n > room ? utf8_cut(p, n, room) : n);
	buf_addc(&b, '\n');
	t->began = true;
	t->printed = i + 1;
	if (o->shown >= LINES_MAX || o->len + b.len > s->room) {
		o->more = true;
		o->shown = LINES_MAX;
	} else {
		memcpy(o->text + o->len, b.p, b.len);
		o->shown++;
		o->len += b.len;
	}
	buf_release(&b);
}

static void
put_context(struct search *s, struct target *t, long end)
{
	if (end > t->n)
		end = t->n;
	for (long i = t->printed; i < end; i++)
		put_line(s, t, i, '-');
}

/* Lines first to last (from 0) match. */
static void
match(struct search *s, struct target *t, long first, long last)
{
	long from = first - s->context;

	s->found->matches++;
	if (s->found->shown >= LINES_MAX) {
		s->found->more = true;
		return;
	}
	put_context(s, t, t->until < first ? t->until : first);
	if (from < t->printed)
		from = t->printed;
	for (long i = from; i < first; i++)
		put_line(s, t, i, '-');
	for (long i = first > t->printed ? first : t->printed; i <= last; i++)
		put_line(s, t, i, ':');
	t->until = last + 1 + s->context;
}

/* ---- finding ---- */

/* The line that holds the byte, searched from line i on. */
static long
line_of(const struct target *t, size_t byte, long i)
{
	while (i + 1 < t->n && t->at[i + 1] <= byte)
		i++;
	return i;
}

static void
find_literal(struct search *s, struct target *t)
{
	size_t pos = 0;
	long i = 0;

	while (pos < t->text.n && s->found->matches < MATCHES_MAX) {
		const char *hit = memmem(t->text.p + pos, t->text.n - pos,
		    s->query.p, s->query.n);
		long last;

		if (hit == NULL)
			break;
		if (t->at == NULL)
			t->at = lines_index(t->text, &t->n);
		i = line_of(t, (size_t)(hit - t->text.p), i);
		last = line_of(t, (size_t)(hit - t->text.p) + s->query.n - 1,
		    i);
		match(s, t, i, last);
		pos = t->at[last + 1];
		i = last;
	}
}

static void
find_regex(struct search *s, struct target *t)
{
	t->at = lines_index(t->text, &t->n);
	for (long i = 0; i < t->n; i++) {
		const char *p = t->text.p + t->at[i];
		size_t n = t->at[i + 1] - t->at[i];
		regmatch_t m = { 0 };

		while (n > 0 && (p[n - 1] == '\n' || p[n - 1] == '\r'))
			n--;
		m.rm_eo = (regoff_t)(n < REGEX_LINE_MAX ? n : REGEX_LINE_MAX);
		if (regexec(&s->re, p, 1, &m, REG_STARTEND) == 0)
			match(s, t, i, i);
		if (i % 256 == 255 && over(s))
			break;
	}
}

bool
search_file(void *arg, const struct seen *seen)
{
	struct search *s = arg;
	const char *rel = seen->rel;
	struct target t = { 0 };
	struct stat st;
	char *name;
	int fd;

	if (seen->st == NULL)
		s->found->unread++;
	if (seen->st == NULL || !S_ISREG(seen->st->st_mode))
		return enough(s);
	if (seen->st->st_size > SEARCH_FILE_MAX) {
		s->found->skipped++;
		return enough(s);
	}
	fd = seen->dir < 0 ? path_open(&s->f->root, rel, O_RDONLY) :
	    openat(seen->dir, seen->base, O_RDONLY | O_NOFOLLOW | O_NONBLOCK |
	    O_NOCTTY | O_CLOEXEC);
	if (fd < 0) {
		s->found->unread += errno != ENOENT;
		return enough(s);
	}
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		;		/* another thing has taken its place */
	} else if (files_foreign(s->f, rel, &st) ||
	    !read_all(s, fd, (size_t)st.st_size)) {
		s->found->unread++;
	} else if (!is_binary(buf_view(&s->text))) {
		t.name = name = path_name(rel);
		t.text = buf_view(&s->text);
		if (s->regex)
			find_regex(s, &t);
		else
			find_literal(s, &t);
		if (t.began && s->found->shown < LINES_MAX)
			put_context(s, &t, t.until);
		free(t.at);
		free(name);
	}
	close(fd);
	return enough(s);
}
