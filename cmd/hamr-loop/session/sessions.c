/* sessions.c - list, find and fork the sessions of a repository. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "record/msg.h"
#include "origin.h"
#include "sessions.h"
#include "conf/state.h"
#include "term/term.h"
#include "base/utf8.h"

#define ENDING ".ndjson"
#define TASK_SHOWN 60		/* columns of a task in the table */

struct summary {
	char *id, *task, *status, *created;
	long steps;
	time_t touched;
};

char *
sessions_dir(const char *root, bool create, struct err *e)
{
	char *dir = state_folder(root, "sessions", create, e);

	if (dir == NULL && e->status == ST_NOINPUT)
		err_set(e, ST_NOINPUT, "no session in %s yet; start one with "
		    "a task", root);
	return dir;
}

/* ---- reading one session ---- */

/* Of a damaged session, the part before the damage counts. */
static void
read_summary(struct summary *s, const char *dir)
{
	char *path = xasprintf("%s/%s" ENDING, dir, s->id);
	struct rec_in in;
	const struct rec *r;
	struct buf b = BUF_INIT(BUF_RECORD_MAX);
	int fd = file_open_regular(AT_FDCWD, path, NULL), got = -1;
	bool shut = fd < 0 && errno == EACCES;	/* another user's */

	rec_in_init(&in, fd, path, REC_MAX);
	in.drop_end = true;	/* as --resume does */
	while (fd >= 0 && (got = rec_next(&in, &r, NULL)) > 0) {
		if (r->kind == R_HAMR && s->created == NULL)
			s->created = rec_strdup(r, "created");
		if (r->kind == R_USER && s->task == NULL && msg_is_person(r)) {
			msg_text(rec_get(r, "content"), &b);
			s->task = xmemdup0(buf_view(&b).p, utf8_cut(
			    buf_view(&b).p, b.len, 4 * TASK_SHOWN));
			for (char *p = s->task; *p != '\0'; p++)
				if (*p == '\n' || *p == '\t' || *p == '\r')
					*p = ' ';
		}
		if (r->kind == R_ASSISTANT)
			s->steps++;
		if (r->kind == R_END)
			xset(&s->status, rec_strdup(r, "status"));
		else if (rec_is_message(r->kind) && !msg_by(r, "shell"))
			xset(&s->status, NULL);
	}
	rec_in_release(&in);
	buf_release(&b);
	file_close(fd);
	free(path);
	/* is its lock held? */
	path = xasprintf("%s/%s.lock", dir, s->id);
	fd = file_open_regular(AT_FDCWD, path, NULL);
	bool held = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) < 0 &&
	    errno == EWOULDBLOCK;
	if (got < 0 || s->status == NULL || held)
		xset(&s->status, xstrdup(held ? "running" : shut ?
		    "unreadable" : got < 0 ? "damaged" : "unfinished"));
	file_close(fd);
	free(path);
}

/* ---- all of them ---- */

static int
newest_first(const void *a, const void *b)
{
	const struct aged *x = a, *y = b;

	if (x->touched.tv_sec != y->touched.tv_sec)
		return x->touched.tv_sec < y->touched.tv_sec ? 1 : -1;
	if (x->touched.tv_nsec != y->touched.tv_nsec)
		return x->touched.tv_nsec < y->touched.tv_nsec ? 1 : -1;
	return -strcmp(x->id, y->id);
}

void
by_age_release(struct by_age *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->v[i].id);
	free(l->v);
}

void
by_age_read(struct by_age *l, DIR *d, const char *ending)
{
	size_t end = strlen(ending);
	struct dirent *de;
	struct stat st;

	*l = (struct by_age){ .n = 0 };
	while (d != NULL && (de = file_readdir(d)) != NULL) {
		size_t len = strlen(de->d_name);

		if (de->d_name[0] == '.' || len <= end ||
		    strcmp(de->d_name + len - end, ending) != 0 ||
		    fstatat(dirfd(d), de->d_name, &st,
		    AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(st.st_mode))
			continue;
		GROW(l->v, l->n, l->cap);
		l->v[l->n++] = (struct aged){ xmemdup0(de->d_name, len - end),
			st.st_mtim };
	}
	file_closedir(d);
	if (l->n > 0)
		qsort(l->v, l->n, sizeof *l->v, newest_first);
}

static int
find_all(const char *dir, struct by_age *l, struct err *e)
{
	DIR *d = opendir(dir);
	int r = d != NULL ? 0 : err_sys(e, ST_NOINPUT, "%s", dir);

	by_age_read(l, d, ENDING);
	return r;
}

static void
put_cell(struct buf *out, const char *text, size_t columns, size_t max)
{
	struct buf safe = BUF_INIT((size_t)1 << 20);

	term_escape(&safe, slice_of(text));
	size_t w = term_put(out, buf_view(&safe), max);
	term_pad(out, w < columns ? columns - w : 0);
	buf_release(&safe);
}

/* Append a row of a table or, with columns 0, an object. */
static void
put_session(const struct summary *s, size_t columns, struct buf *out)
{
	static const struct { time_t s; const char *unit; } units[] = {
		{ 86400, "d" }, { 3600, "h" }, { 60, "min" }, { 1, "s" } };
	struct buf row = BUF_INIT((size_t)16 << 20);
	time_t age = time(NULL) - s->touched;
	size_t u = 0;

	if (columns == 0) {
		scan_put(out, "{'session':@,'task':@,'status':@,'steps':$",
		    slice_of(s->id), slice_of(s->task), slice_of(s->status),
		    SCAN_INT(s->steps));
		if (s->created != NULL)
			scan_put(out, ",'created':@", slice_of(s->created));
		scan_put(out, ",'age_s':$}\n", SCAN_INT(age));
		return;
	}
	while (u < 3 && age < units[u].s)
		u++;
	put_cell(&row, s->id, 22, SIZE_MAX);
	buf_addc(&row, ' ');
	put_cell(&row, s->status, 16, SIZE_MAX);
	char *ago = xasprintf("%lld %s", age > 0 ?
	    (long long)(age / units[u].s) : 0, units[u].unit);
	buf_fmt(&row, " %5ld %7s  ", s->steps, ago);
	free(ago);
	put_cell(&row, s->task, 0, TASK_SHOWN);
	term_put(out, buf_view(&row), columns);
	buf_addc(out, '\n');
	buf_release(&row);
}

int
sessions_list(const char *dir, size_t columns, const char *after,
    size_t most, struct buf *out, struct err *e)
{
	struct buf row = BUF_INIT((size_t)16 << 20);
	struct by_age l;
	size_t from = 0;

	if (find_all(dir, &l, e) < 0)
		return -1;
	while (after != NULL && from < l.n &&
	    strcmp(l.v[from].id, after) != 0)
		from++;
	from += after != NULL;
	if (columns > 0) {
		buf_fmt(&row, "%-22s %-16s %5s %7s  TASK", "SESSION", "STATUS",
		    "STEPS", "AGE");
		term_put(out, buf_view(&row), columns);
		buf_addc(out, '\n');
	}
	for (size_t i = from; i < l.n && i - from < most; i++) {
		struct summary s = { .id = l.v[i].id,
			.touched = l.v[i].touched.tv_sec };

		read_summary(&s, dir);
		put_session(&s, columns, out);
		FREE(s.task, s.status, s.created);
	}
	int rc = from <= l.n ? 0 : err_set(e, ST_USAGE, "there is no such "
	    "cursor");
	by_age_release(&l);
	buf_release(&row);
	return rc;
}

/* The session with this id, or else the only one with this prefix. */
static char *
by_name(const struct by_age *l, const char *dir, const char *id, struct err *e)
{
	const char *found = NULL, *other = NULL;

	for (size_t i = 0; i < l->n; i++) {
		const char *name = l->v[i].id;

		if (strcmp(name, id) == 0)
			return xstrdup(name);
		if (id[0] == '\0' || strncmp(name, id, strlen(id)) != 0)
			continue;
		if (found == NULL)
			found = name;
		else if (other == NULL)
			other = name;
	}
	if (other != NULL)
		err_set(e, ST_USAGE, "several sessions begin with %s, as %s "
		    "and %s; give more characters", id, found, other);
	else if (strchr(id, '/') != NULL || id[0] == '.' || id[0] == '\0')
		err_set(e, ST_USAGE, "\"%s\" is not a session id", id);
	else if (found == NULL)
		err_set(e, ST_NOINPUT, "no session %s in %s; hamr-loop "
		    "--sessions (/sessions in a chat) lists them", id, dir);
	return other == NULL && found != NULL ? xstrdup(found) : NULL;
}

char *
sessions_find(const char *dir, const char *root, const char *id,
    struct err *e)
{
	char *found = NULL;
	struct by_age l;

	if (find_all(dir, &l, e) < 0)
		return NULL;
	if (id != NULL)
		found = by_name(&l, dir, id, e);
	/* else the newest that was written here, or (root is NULL) anywhere */
	for (size_t i = 0; i < l.n && id == NULL && found == NULL; i++) {
		char *path = xasprintf("%s/%s" ENDING, dir, l.v[i].id);
		int fd = file_open_regular(AT_FDCWD, path, NULL);

		if (fd >= 0 && (root == NULL ||
		    origin_is_here(fd, l.v[i].id, root)))
			found = xstrdup(l.v[i].id);
		file_close(fd);
		free(path);
	}
	if (id == NULL && l.n == 0)
		err_set(e, ST_NOINPUT, "no session in %s yet; start one with "
		    "a task", dir);
	else if (id == NULL && found == NULL)
		err_set(e, ST_NOINPUT, "no session in %s was written here by "
		    "you; hamr-loop --sessions lists what is there, "
		    "--resume=ID resumes one anyway", dir);
	by_age_release(&l);
	return found;
}

/* ---- fork ---- */

/* Begin a header: r (NULL: nothing of it counts) with a new id and time, and
 * the session it was forked from. */
static void
own_header(const struct rec *r, const struct session *s, const char *root,
    const char *id, struct buf *out)
{
	static const char *const own[] = { "type", "v", "session", "cwd",
		"created", "mark", "fork_of", "fork_at", NULL };
	char *mark = origin_begin(out, s->id, root);

	for (size_t i = 0; r != NULL && i < r->n; i++) {
		size_t k = 0;

		while (own[k] != NULL && !scan_key_is(r->m[i].key, own[k]))
			k++;
		if (own[k] == NULL)
			scan_put(out, ",'$':$", r->m[i].key, r->m[i].val);
	}
	if (mark != NULL)
		scan_put(out, ",'mark':@", slice_of(mark));
	free(mark);
	scan_put(out, ",'fork_of':@", slice_of(id));
}

int
sessions_fork(struct session *s, const char *dir, const char *root,
    const char *begun, long at, bool *here, struct err *e)
{
	char *id = sessions_find(dir, root, begun, e);
	struct buf header = BUF_INIT((size_t)1 << 40), lines = header;
	long n = 0, copied = 1;		/* the header */
	const struct rec *r;
	struct rec_in in;
	int got = 0;

	if (id == NULL)
		return -1;
	char *path = xasprintf("%s/%s" ENDING, dir, id);
	int fd = file_open_regular(AT_FDCWD, path, NULL);
	int rc = fd < 0 ? err_sys(e, ST_SYSTEM, "%s", path) :
	    session_create(s, dir, e);
	if (rc == 0) {
		*here = origin_is_here(fd, id, root);
		lseek(fd, 0, SEEK_SET);
		rec_in_init(&in, fd, path, REC_MAX);
		in.drop_end = true;
		for (; (at == 0 || n < at) && (got = rec_next(&in, &r, e)) > 0;
		    n++) {
			bool first = n == 0 && r->kind == R_HAMR;

			if (n == 0)
				own_header(first && *here ? r : NULL, s, root,
				    id, &header);
			/* The copy is ours, so what was not written here must
			 * not set a mode or model in it. */
			if (first || rec_is_passing(r->kind) || (!*here &&
			    (r->kind == R_HAMR || r->kind == R_CONFIG)))
				continue;
			copied++;
			buf_slice(&lines, r->line);
			buf_addc(&lines, '\n');
		}
		if (n > 0)
			scan_put(&header, ",'fork_at':$}\n",
			    SCAN_INT(copied));
		if (got >= 0 && n < at)
			got = err_set(e, ST_USAGE, "session %s has %ld lines, "
			    "not %ld", id, n, at);
		/* in one write: a header alone would have a fork_at for lines
		 * that are not there, and new ones would be taken for those */
		buf_slice(&header, buf_view(&lines));
		rc = got < 0 ? -1 : session_append(s, buf_view(&header), e);
		if (rc < 0)
			s->size = 0;	/* no part of a copy stays */
		rec_in_release(&in);
	}
	file_close(fd);
	bufs_release(BUFS(&header, &lines));
	FREE(path, id);
	return rc;
}
