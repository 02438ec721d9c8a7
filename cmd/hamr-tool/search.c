/* search.c - read with a query: the lines that match, with their context. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <regex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "file.h"
#include "mem.h"
#include "utf8.h"

#include "files_in.h"

#define LINES_MAX 100		/* lines shown, context included */
#define LINE_BYTES 300
#define LINE_TEXT_MIN 60	/* of it for the text, however long the path */
#define MATCHES_MAX 10000	/* counted */
#define CONTEXT_DEFAULT 2
#define CONTEXT_MAX 20
#define TEXT_MAX ((size_t)1 << 20)	/* LINES_MAX lines of paths too */
#define NOTES_ROOM 300		/* of the room, for what put_notes says */
#define REGEX_LINE_MAX 65536	/* bytes of a line that a regex sees */
#define REGEX_MEMORY ((rlim_t)512 << 20)
#define ASK_FILES 32		/* files between two looks at the clock */
#define DEPTH 4096		/* folders: as deep as a path can be */

/* What was found.  It lies in memory shared with the process that searches,
 * so that what was found stays when that one is stopped. */
struct found {
	long matches, shown, skipped, unread;
	bool done;		/* nothing was left out for lack of time */
	bool cut;		/* a line was cut */
	bool more;		/* a line was not shown */
	bool lossy;
	size_t len;
	char text[TEXT_MAX];
};

struct search {
	struct files *f;
	struct slice query;
	bool regex;
	regex_t re;
	long context;
	size_t room;		/* for text */
	long long deadline;
	struct found *found;
	struct buf text;	/* of the file at hand */
	unsigned files;		/* looked at so far */
	bool stopped;
};

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

static bool
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
	} else if (!read_all(s, fd, (size_t)st.st_size)) {
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

static void
search_all(struct search *s, const struct path *p)
{
	struct ignored *ig;
	bool stopped;

	if (!S_ISDIR(p->st.st_mode)) {
		struct seen one = { p->rel, &p->st, -1, NULL };

		stopped = search_file(s, &one);
	} else {
		ig = ignored_load(s->f, p->rel);
		stopped = tree_walk(s->f, ig, p->rel, DEPTH, search_file, s);
		ignored_free(ig);
	}
	s->found->done = !stopped || s->found->matches >= MATCHES_MAX;
	buf_release(&s->text);
}

/* The part of search_apart that runs in a process of its own. */
static _Noreturn void
search_child(struct search *s, const struct path *p)
{
#ifndef __SANITIZE_ADDRESS__
	struct rlimit memory = { REGEX_MEMORY, REGEX_MEMORY };

	setrlimit(RLIMIT_AS, &memory);
#endif
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* stdin and stdout are the parent's: it looks for a cancel */
	files_stop(s->f, NULL, NULL);
	int e = regcomp(&s->re, s->query.p, REG_EXTENDED);
	if (e != 0) {
		regerror(e, &s->re, s->found->text, 256);
		_exit(ST_NO);
	}
	search_all(s, p);
	_exit(ST_OK);
}

/* A regular expression of the model's may take for ever, eat all memory, or
 * break the C library's matcher, so a process of its own runs it and can be
 * stopped.  Its wait status; -1 when there is none. */
static int
search_apart(struct search *s, const struct path *p)
{
	pid_t pid = fork();
	int fd, status = -1;

	if (pid == 0)
		search_child(s, p);
	if (pid < 0)
		return -1;
	fd = (int)syscall(SYS_pidfd_open, pid, 0);
	for (;;) {
		struct pollfd w = { fd, POLLIN, 0 };

		if (fd < 0 || poll(&w, 1, 50) > 0)
			break;
		if (files_stopped(s->f, s->deadline + 200)) {
			kill(pid, SIGKILL);
			break;
		}
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (fd >= 0)
		close(fd);
	return status;
}

static bool
search_regex(struct search *s, const struct path *p, struct result *r)
{
	int status = search_apart(s, p);

	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
		return true;	/* out of time: what was found is there */
	if (WIFEXITED(status) && WEXITSTATUS(status) == ST_OK)
		return true;
	if (WIFEXITED(status) && WEXITSTATUS(status) == ST_NO)
		result_error(r, "bad_arguments", "query is no POSIX extended "
		    "expression: %s; without regex it is searched for "
		    "literally", s->found->text);
	else
		result_error(r, "bad_arguments", "the expression is too "
		    "complex; simplify it, or leave regex out");
	return false;
}

/* ---- the call ---- */

static void
put_notes(const struct search *s, const char *where, struct result *r)
{
	const struct found *o = s->found;

	if (o->matches == 0) {
		buf_adds(&r->content, "no match in ");
		path_show(&r->content, where);
		buf_addc(&r->content, '\n');
	}
	if (o->more)
		buf_fmt(&r->content, "[more: %ld%s matches in all; narrow "
		    "the query or give a path]\n", o->matches,
		    o->matches >= MATCHES_MAX ? " or more" : "");
	if (o->skipped > 0)
		buf_fmt(&r->content, "[%ld file%s over 16 MiB not "
		    "searched]\n", o->skipped, o->skipped == 1 ? "" : "s");
	if (o->unread > 0)
		buf_fmt(&r->content, "[%ld file%s or folder%s could not be "
		    "read]\n", o->unread, o->unread == 1 ? "" : "s",
		    o->unread == 1 ? "" : "s");
	if (!o->done)
		buf_adds(&r->content, "[stopped before everything was "
		    "searched; narrow it with a path]\n");
}

void
search_run(struct files *f, const struct path *p, struct slice args,
    struct result *r)
{
	struct buf query = BUF_INIT(BUF_RECORD_MAX);
	struct search s = { .f = f, .regex = arg_bool(args, "regex"),
		.text = BUF_INIT(SEARCH_FILE_MAX + 4) };
	struct found *o = NULL;
	int64_t context = arg_int(args, "context", CONTEXT_DEFAULT);

	arg_str(args, "query", &query);
	s.query = buf_view(&query);
	s.context = context < 0 ? 0 : context > CONTEXT_MAX ? CONTEXT_MAX :
	    (long)context;
	s.deadline = file_now_ms() + WALK_MS;
	s.room = files_room(f);
	s.room -= s.room > NOTES_ROOM ? NOTES_ROOM : s.room;
	s.room = s.room > TEXT_MAX ? TEXT_MAX : s.room;
	o = mmap(NULL, sizeof *o, PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (o == MAP_FAILED) {
		o = NULL;
		result_error(r, "spawn_failed", "no memory for the search");
		goto out;
	}
	s.found = o;
	if (!s.regex)
		search_all(&s, p);
	else if (!search_regex(&s, p, r))
		goto out;
	buf_add(&r->content, o->text, o->len);
	put_notes(&s, p->rel, r);
	r->truncated = o->cut || o->more || !o->done;
	r->lossy = o->lossy;
	json_str(r->meta, "op", "search");
	json_slice(r->meta, "query", s.query);
	json_int(r->meta, "matches", o->matches);
out:
	if (o != NULL)
		munmap(o, sizeof *o);
	buf_release(&query);
}
