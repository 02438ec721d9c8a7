/* search.c - read with a query: matching lines and their context. */
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <poll.h>
#include <regex.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/utf8.h"

#include "edit.h"
#include "internal.h"

#define SEARCH_FILE_MAX ((off_t)16 << 20)
#define CONTEXT_DEFAULT 2
#define LINES_MAX 100		/* lines shown, context included */
#define LINE_BYTES 300
#define LINE_TEXT_MIN 60	/* for the text, however long the path */
#define LINE_BEFORE 20		/* bytes shown before a match in a long line */
#define MATCHES_MAX 10000	/* counted */
#define TEXT_MAX ((size_t)1 << 20)	/* LINES_MAX lines, with long paths */
#define NOTES_ROOM 300		/* of the room, for the notes at the end */
#define REGEX_MEMORY ((rlim_t)512 << 20)
#define REGEX_LINE_MAX 65536	/* bytes of a line that a regex sees */
#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define ASK_FILES 32		/* files between checks of the clock */

/* The results, in memory shared with the process that searches, so that they
 * survive when that is killed. */
struct found {
	long matches, shown, skipped, unread;
	bool done;		/* not cut short by time or a cancel */
	bool cut;		/* a line was cut */
	bool more;		/* a line was not shown */
	bool lossy;
	bool binary;		/* a binary file was not searched */
	size_t len;
	char text[TEXT_MAX];
};

struct search {
	struct files *f;
	struct slice query;
	struct buf crlf;	/* the same for a file with CRLF line ends, if
				 * it has an LF */
	bool regex;
	regex_t re, re_utf8;	/* the same, of bytes and of characters */
	long context;
	size_t room;		/* for text */
	long long deadline;
	struct found *found;
	struct links links;
	struct buf text;	/* of the current file */
	unsigned files;		/* number seen so far */
	bool stopped;
};

/* The file being searched. */
struct target {
	const char *name;	/* as shown */
	struct lines l;		/* of its text; l.at may be NULL at first */
	long printed;		/* lines before this are printed or skipped */
	long until;		/* context lines before this are due */
	bool began;		/* something of this file was printed */
};

static bool
is_over(struct search *s, bool ask)
{
	if (ask && !s->stopped)
		s->stopped = files_stopped(s->f, s->deadline);
	return s->stopped || s->found->matches >= MATCHES_MAX;
}

/* ---- showing ---- */

/* Print the lines from..end - 1 that are not printed yet; of a long one the
 * start, or the part around the match, which is at byte at of line from. */
static void
put_lines(struct search *s, struct target *t, long from, long end, char mark,
    size_t at)
{
	struct found *o = s->found;
	struct buf b = BUF_INIT(TEXT_MAX);

	for (long i = from < t->printed ? t->printed : from;
	    i < end && i < t->l.n; i++) {
		struct slice line = slice_trim_end(lines_get(&t->l, i), "\r\n");

		buf_reset(&b);
		if (o->shown > 0 && (!t->began || i > t->printed))
			buf_adds(&b, s->context > 0 ? "--\n" : "");
		size_t head = b.len;
		buf_fmt(&b, "%s%c%ld%c", t->name, mark, i + 1, mark);
		head = b.len - head;
		size_t room = head + LINE_TEXT_MIN > LINE_BYTES ? LINE_TEXT_MIN
		    : LINE_BYTES - head;
		o->cut |= line.n > room;
		if (line.n > room && i == from && at > room / 2) {
			buf_adds(&b, "...");
			room -= strlen("...");
			/* + 3: utf8_cut may go back that far, and the end
			 * of the line must still fit */
			size_t before = num_min(at - LINE_BEFORE,
			    line.n - room + 3);
			line = slice_from(line, utf8_cut(line.p, line.n,
			    before));
		}
		o->lossy |= utf8_clean(&b, line.p, utf8_cut(line.p, line.n,
		    room));
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
	}
	buf_release(&b);
}

/* Lines first to last (from 0) match, starting at byte at of the first. */
static void
match(struct search *s, struct target *t, long first, long last, size_t at)
{
	s->found->matches++;
	if (s->found->shown >= LINES_MAX) {
		s->found->more = true;
		return;
	}
	put_lines(s, t, 0, t->until < first ? t->until : first, '-', 0);
	put_lines(s, t, first - s->context, first, '-', 0);
	put_lines(s, t, first, last + 1, ':', at);
	t->until = last + 1 + s->context;
}

/* ---- finding ---- */

static void
find_literal(struct search *s, struct target *t)
{
	struct slice query = s->crlf.len > 0 && is_crlf(t->l.text) ?
	    buf_view(&s->crlf) : s->query;
	size_t pos = 0;
	long first = 0, last;

	while (pos < t->l.text.n && s->found->matches < MATCHES_MAX) {
		const char *hit = memmem(t->l.text.p + pos, t->l.text.n - pos,
		    query.p, query.n);

		if (hit == NULL)
			break;
		size_t at = (size_t)(hit - t->l.text.p);
		if (t->l.at == NULL)
			lines_of(&t->l, t->l.text);
		while (first + 1 < t->l.n && t->l.at[first + 1] <= at)
			first++;
		for (last = first; last + 1 < t->l.n && t->l.at[last + 1] <=
		    at + query.n - 1; )
			last++;
		match(s, t, first, last, at - t->l.at[first]);
		pos = t->l.at[last + 1];
		first = last;
	}
}

/* Does it have characters of several bytes? */
static bool
is_wide(struct slice text)
{
	return utf8_count(text.p, text.n) < text.n;
}

static void
search_file(struct search *s, const char *rel, int fd)
{
	struct target t = { 0 };
	ssize_t got = -1;
	struct stat st;
	char *name;

	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return;		/* something else took its place */
	/* one read, unless the file has grown */
	buf_reset(&s->text);
	if (!files_foreign(s->f, rel, &st, &s->links) &&
	    buf_reserve(&s->text, (size_t)st.st_size + 2) == 0)
		got = read(fd, s->text.p, (size_t)st.st_size + 1);
	if (got >= 0) {
		s->text.len = (size_t)got;
		s->text.p[got] = '\0';	/* some libraries' regexec looks for
					 * it */
	}
	if (got < 0 || (got > st.st_size &&
	    file_read_fd(fd, "", &s->text, NULL) < 0)) {
		s->found->unread++;
		return;
	}
	if (is_binary(buf_view(&s->text))) {
		s->found->binary = true;
		return;
	}
	t.name = name = path_name(rel);
	t.l.text = buf_view(&s->text);
	if (s->regex)
		lines_of(&t.l, t.l.text);
	else
		find_literal(s, &t);
	for (long i = 0; s->regex && i < t.l.n; i++) {
		struct slice line = slice_trim_end(lines_get(&t.l, i), "\r\n");
		regmatch_t m = { .rm_eo = (regoff_t)num_min(line.n,
		    REGEX_LINE_MAX) };
		const regex_t *re = is_wide(s->query) || is_wide(line) ?
		    &s->re_utf8 : &s->re;

		if (regexec(re, line.p, 1, &m, REG_STARTEND) == 0)
			match(s, &t, i, i, (size_t)m.rm_so);
		if (i % 256 == 255 && is_over(s, true))
			break;
	}
	if (t.began && s->found->shown < LINES_MAX)
		put_lines(s, &t, 0, t.until, '-', 0);
	FREE(t.l.at, name);
}

static enum gitignore_next
see(void *arg, const struct gitignore_seen *seen)
{
	struct search *s = arg;
	int fd = -1;

	if (files_skips(s->f, seen))
		return GITIGNORE_PASS;
	if (seen->st == NULL)
		s->found->unread++;
	else if (S_ISREG(seen->st->st_mode) &&
	    seen->st->st_size > SEARCH_FILE_MAX)
		s->found->skipped++;
	else if (S_ISREG(seen->st->st_mode)) {
		fd = seen->dirfd < 0 ? path_open(&s->f->root, seen->rel,
		    O_RDONLY) : openat(seen->dirfd, seen->base, O_RDONLY |
		    O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
		s->found->unread += fd < 0 && errno != ENOENT;
	}
	if (fd >= 0) {
		search_file(s, seen->rel, fd);
		close(fd);
	}
	/* checking costs as much as searching a small file */
	return is_over(s, ++s->files % ASK_FILES == 0) ? GITIGNORE_STOP :
	    GITIGNORE_ENTER;
}

/* ---- in a process of its own ---- */

static void
search_all(struct search *s, const struct path *p)
{
	bool stopped;

	if (S_ISDIR(p->st.st_mode))
		stopped = files_walk(s->f, p->rel, see, s);
	else
		stopped = see(s, &(struct gitignore_seen){ .rel = p->rel,
		    .dirfd = -1, .st = &p->st }) == GITIGNORE_STOP;
	s->found->done = !stopped || s->found->matches >= MATCHES_MAX;
	links_release(&s->links);
	buf_release(&s->text);
}

/* Append query with escapes such as \d, also inside brackets, translated to
 * POSIX, where a backslash is literal in brackets and \d elsewhere is just d.
 * Returns the letter of an escape that cannot be translated, or NUL. */
static char
put_posix(struct slice query, struct buf *posix)
{
	static const struct {
		char letter;
		const char *set;
	} escapes[] = { { 'd', "0-9" }, { 's', "[:space:]" }, { 't', "\t" },
		{ 'w', "[:alnum:]_" } };
	bool set = false;

	for (size_t i = 0; i < query.n; i++) {
		char c = query.p[i], next = '\0';
		size_t n = 1, k = 0;

		if (i + 1 < query.n)
			next = query.p[i + 1];
		while (k < sizeof escapes / sizeof *escapes &&
		    escapes[k].letter != next)
			k++;
		if (c == '[' && !set) {
			set = true;
			n += next == '^';
			n += i + n < query.n && query.p[i + n] == ']';
		} else if (c == '[' && next == ':') {
			n = num_min(slice_find(query, i, ":]") + 2,
			    query.n) - i;
		} else if (c == ']') {
			set = false;
		} else if (c == '\\' && k < sizeof escapes / sizeof *escapes) {
			buf_fmt(posix, set ? "%s" : "[%s]", escapes[k].set);
			i++;
			continue;
		} else if (c == '\\' && next != '\0') {
			if (strchr(LETTERS, next) != NULL &&
			    (set || strchr("bBSW", next) == NULL))
				return next;
			n += !set;
		}
		buf_slice(posix, slice_part(query, i, i + n));
		i += n - 1;
	}
	return '\0';
}

/* A model's regular expression may take forever, use up all memory or crash the
 * C library's matcher, so it runs in a process of its own, which we can
 * kill. */
static bool
search_regex(struct search *s, const struct path *p, struct result *r)
{
	struct buf posix = BUF_INIT(BUF_RECORD_MAX);
	char foreign = put_posix(s->query, &posix);
	int status = -1, end[2] = { -1, -1 };	/* closes with it */

	if (foreign != '\0') {
		result_error(r, "bad_arguments", "query has \\%c, which a "
		    "POSIX extended regular expression does not know there; "
		    "write a set, such as [^0-9]", foreign);
		buf_release(&posix);
		return false;
	}
	pid_t pid = pipe2(end, O_CLOEXEC) == 0 ? fork() : -1;
	if (pid == 0) {
#ifndef __SANITIZE_ADDRESS__
		setrlimit(RLIMIT_AS, &(struct rlimit){ REGEX_MEMORY,
			REGEX_MEMORY });
#endif
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		/* the parent uses stdin and stdout, and checks for a cancel */
		s->f->stage = NULL;
		int e = regcomp(&s->re, posix.p, REG_EXTENDED);
		/* one of characters is slower: for lines that need it */
		setlocale(LC_CTYPE, "C.UTF-8");
		if (e == 0)
			e = regcomp(&s->re_utf8, posix.p, REG_EXTENDED);
		if (e != 0) {
			regerror(e, &s->re, s->found->text, 256);
			_exit(ST_NO);
		}
		search_all(s, p);
		_exit(ST_OK);
	}
	buf_release(&posix);
	file_close(end[1]);
	struct pollfd over = { end[0], POLLIN, 0 };
	while (pid > 0 && poll(&over, 1, 50) <= 0)
		if (files_stopped(s->f, s->deadline + 200)) {
			kill(pid, SIGKILL);
			break;
		}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	file_close(end[0]);
	/* killed because time was up: the results so far are there */
	if (status == 0 || (WIFSIGNALED(status) && WTERMSIG(status) ==
	    SIGKILL))
		return true;
	if (WIFEXITED(status) && WEXITSTATUS(status) == ST_NO)
		result_error(r, "bad_arguments", "query is not a POSIX "
		    "extended regular expression: %s; leave regex out to "
		    "search for it literally", s->found->text);
	else
		result_error(r, "bad_arguments", "the expression is too "
		    "complex; simplify it, or leave regex out");
	return false;
}

void
search_run(struct files *f, const struct path *p, struct slice args,
    struct result *r)
{
	struct buf query = BUF_INIT(BUF_RECORD_MAX), *out = &r->content;
	struct search s = { .f = f, .regex = scan_true(scan_get(args, "regex")),
		.crlf = BUF_INIT(2 * BUF_RECORD_MAX),
		.context = arg_int(args, "context", CONTEXT_DEFAULT),
		.text = BUF_INIT(SEARCH_FILE_MAX + 4) };
	struct found *o = mmap(NULL, sizeof *o, PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (o == MAP_FAILED)
		mem_exhausted();
	scan_str(scan_get(args, "query"), &query);
	s.query = buf_view(&query);
	if (slice_has(s.query, "\n")) {
		buf_slice(&s.crlf, s.query);
		text_to_crlf(&s.crlf);
	}
	s.deadline = file_now_ms() + WALK_MS;
	size_t room = files_room(f);
	s.room = num_min(room - num_min(room, NOTES_ROOM), TEXT_MAX);
	s.found = o;
	if (!s.regex)
		search_all(&s, p);
	if (!s.regex || search_regex(&s, p, r)) {
		const char *plural = o->unread == 1 ? "" : "s";

		buf_add(out, o->text, o->len);
		if (o->matches == 0) {
			buf_adds(out, "no match in ");
			path_show(out, p->rel);
			buf_adds(out, o->binary && S_ISREG(p->st.st_mode) ?
			    ", a binary file, which is not searched\n" : "\n");
		}
		if (o->more)
			buf_fmt(out, "[more: %ld%s matches in all; narrow "
			    "the query or give a path]\n", o->matches,
			    o->matches >= MATCHES_MAX ? " or more" : "");
		if (o->skipped > 0)
			buf_fmt(out, "[%ld file%s over 16 MiB not searched]\n",
			    o->skipped, o->skipped == 1 ? "" : "s");
		if (o->unread > 0)
			buf_fmt(out, "[%ld file%s or folder%s could not be "
			    "read]\n", o->unread, plural, plural);
		if (!o->done)
			buf_adds(out, "[stopped before everything was "
			    "searched; narrow it with a path]\n");
		r->truncated = o->cut || o->more || !o->done;
		r->lossy = o->lossy;
		scan_put(&r->meta, "'op':'search','query':@,'matches':$,",
		    s.query, SCAN_INT(o->matches));
	}
	munmap(o, sizeof *o);
	bufs_release(BUFS(&query, &s.crlf));
}
