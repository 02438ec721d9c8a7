/* list.c - folders: walking beneath one, and showing one. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file.h"
#include "mem.h"
#include "replace.h"

#include "files_in.h"

#define LIST_MAX 300		/* entries shown */
#define COUNT_MAX 100000	/* entries counted */
#define DEPTH_DEFAULT 2
#define DEPTH_MAX 8
#define HELD_MAX 100		/* levels whose folders are held open */
#define LIST_TAIL 64		/* room kept for "[n more]" */

/* ---- walking ---- */

struct names {
	char **v;
	size_t n, cap;
};

static int
by_bytes(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* 0, or -1 when the folder could not be read to its end. */
static int
names_read(struct names *names, int dir)
{
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *e;
	int r;

	if (d == NULL) {
		if (fd >= 0)
			close(fd);
		return -1;
	}
	while (errno = 0, (e = readdir(d)) != NULL) {
		if (strcmp(e->d_name, ".") == 0 ||
		    strcmp(e->d_name, "..") == 0 ||
		    strncmp(e->d_name, REPLACE_PREFIX,
		    sizeof REPLACE_PREFIX - 1) == 0)
			continue;
		names->v = xgrow(names->v, names->n, &names->cap,
		    sizeof *names->v);
		names->v[names->n++] = xstrdup(e->d_name);
	}
	r = errno != 0 ? -1 : 0;
	closedir(d);
	if (names->n > 0)
		qsort(names->v, names->n, sizeof *names->v, by_bytes);
	return r;
}

static int
look_at(struct files *f, const struct seen *s, struct stat *st)
{
	int fd, r;

	if (s->dir >= 0)
		return fstatat(s->dir, s->base, st, AT_SYMLINK_NOFOLLOW);
	fd = path_open(&f->root, s->rel, O_PATH | O_NOFOLLOW);
	if (fd < 0)
		return -1;
	r = fstat(fd, st);
	close(fd);
	return r;
}

static bool
walk_one(struct files *f, struct ignored *ig, struct seen *s,
    int depth, tree_see *see, void *arg)
{
	struct stat st;
	bool stop;

	s->st = NULL;
	if (look_at(f, s, &st) < 0)	/* gone, or closed to us */
		return errno != ENOENT && see(arg, s);
	if (ignored_has(ig, s->rel, S_ISDIR(st.st_mode)))
		return false;
	s->st = &st;
	stop = see(arg, s);
	s->st = NULL;
	if (!stop && S_ISDIR(st.st_mode) && depth > 1)
		stop = tree_walk(f, ig, s->rel, depth - 1, see, arg);
	return stop;
}

/* Folders are held open while what is in them is walked, but not one for
 * every level: fds are few. */
static bool
is_deep(const char *rel)
{
	int n = 0;

	for (; *rel != '\0'; rel++)
		n += *rel == '/';
	return n > HELD_MAX;
}

bool
tree_walk(struct files *f, struct ignored *ig, const char *rel,
    int depth, tree_see *see, void *arg)
{
	struct names names = { 0 };
	int fd = path_open(&f->root, rel, O_RDONLY | O_DIRECTORY);
	bool stop = false;

	if (fd < 0)
		return errno != ENOENT && see(arg, &(struct seen){ .rel = rel,
		    .dir = -1 });
	if (names_read(&names, fd) < 0)
		stop = see(arg, &(struct seen){ .rel = rel, .dir = -1 });
	ignored_enter(ig, dup(fd), rel);
	if (is_deep(rel)) {
		close(fd);
		fd = -1;
	}
	for (size_t i = 0; i < names.n; i++) {
		char *name = *rel != '\0' ? xasprintf("%s/%s", rel,
		    names.v[i]) : xstrdup(names.v[i]);
		struct seen s = { .rel = name, .dir = fd,
			.base = names.v[i] };

		if (!stop && !files_hidden(f, name))
			stop = walk_one(f, ig, &s, depth, see, arg);
		free(name);
		free(names.v[i]);
	}
	ignored_leave(ig);
	if (fd >= 0)
		close(fd);
	free(names.v);
	return stop;
}

/* ---- showing ---- */

struct entry {
	char *line;		/* as shown, with its LF */
	int depth;		/* 1: in the folder itself */
};

struct listing {
	struct files *f;
	size_t skip;		/* bytes of a true name before the part that
				 * is relative to the argument */
	long long deadline;
	struct entry *v;
	size_t n, cap, unread;
	size_t at_depth[DEPTH_MAX + 1];
};

static void
put_target(const struct listing *l, const char *rel, struct buf *out)
{
	char target[PATH_TEXT_MAX + 1];
	int fd = path_open(&l->f->root, rel, O_PATH | O_NOFOLLOW);
	ssize_t n = fd >= 0 ? readlinkat(fd, "", target, sizeof target - 1) :
	    -1;

	if (fd >= 0)
		close(fd);
	target[n > 0 ? n : 0] = '\0';
	buf_adds(out, " -> ");
	path_show(out, n > 0 ? target : "?");
}

static void
put_entry(const struct listing *l, const char *rel, const struct stat *st,
    struct buf *out)
{
	path_show(out, rel + l->skip);
	if (S_ISDIR(st->st_mode))
		buf_addc(out, '/');
	else if (S_ISLNK(st->st_mode))
		put_target(l, rel, out);
	else if (S_ISREG(st->st_mode))
		buf_fmt(out, "\t%lld", (long long)st->st_size);
	else
		buf_fmt(out, "\t%s", S_ISFIFO(st->st_mode) ? "FIFO" :
		    S_ISSOCK(st->st_mode) ? "socket" : "device");
	buf_addc(out, '\n');
}

static bool
see_entry(void *arg, const struct seen *s)
{
	struct listing *l = arg;
	const char *rel = s->rel;
	struct buf line = BUF_INIT(BUF_RECORD_MAX);
	int depth = 1;

	if (s->st == NULL) {
		l->unread++;
		return false;
	}
	for (const char *p = rel + l->skip; *p != '\0'; p++)
		depth += *p == '/';
	put_entry(l, rel, s->st, &line);
	l->v = xgrow(l->v, l->n, &l->cap, sizeof *l->v);
	l->v[l->n++] = (struct entry){ buf_detach(&line), depth };
	l->at_depth[depth]++;
	return l->n >= COUNT_MAX || files_stopped(l->f, l->deadline);
}

/* Show the upper levels whole before anything of a lower one, so that one
 * large folder does not hide its neighbours; the order stays that of paths. */
static size_t
put_entries(const struct listing *l, size_t room, struct buf *out)
{
	size_t left = LIST_MAX, shown = 0;
	int whole = 0;

	while (whole < DEPTH_MAX && l->at_depth[whole + 1] <= left)
		left -= l->at_depth[++whole];
	for (size_t i = 0; i < l->n; i++) {
		const struct entry *e = &l->v[i];
		size_t n = strlen(e->line);

		if (e->depth > whole + 1 || (e->depth > whole && left == 0))
			continue;
		if (out->len + n > room)
			break;
		left -= e->depth > whole;
		buf_add(out, e->line, n);
		shown++;
	}
	return shown;
}

void
list_run(struct files *f, const struct path *p, struct slice args,
    struct result *r)
{
	int64_t depth = arg_int(args, "depth", DEPTH_DEFAULT);
	struct ignored *ig = ignored_load(f, p->rel);
	size_t room = files_room(f), shown;
	struct listing l = { .f = f, .skip = strlen(p->rel),
		.deadline = file_now_ms() + WALK_MS };
	bool cut;

	l.skip += l.skip > 0;
	depth = depth < 1 ? 1 : depth > DEPTH_MAX ? DEPTH_MAX : depth;
	cut = tree_walk(f, ig, p->rel, (int)depth, see_entry, &l);
	shown = put_entries(&l, room > LIST_TAIL ? room - LIST_TAIL : 0,
	    &r->content);
	if (l.n == 0 && l.unread == 0)
		buf_adds(&r->content, "[nothing to show]\n");
	if (l.unread > 0)
		buf_fmt(&r->content, "[%zu not readable]\n", l.unread);
	if (shown < l.n || cut) {
		buf_fmt(&r->content, "[%zu%s more]\n", l.n - shown,
		    cut ? " or" : "");
		r->truncated = true;
		r->bytes = 0;
		for (size_t i = 0; i < l.n; i++)
			r->bytes += (long long)strlen(l.v[i].line);
	}
	json_str(r->meta, "op", "list");
	for (size_t i = 0; i < l.n; i++)
		free(l.v[i].line);
	free(l.v);
	ignored_free(ig);
}
