/* runlog.c - the file of a run's log: bounded, private, best effort. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "mem.h"
#include "runlog_in.h"
#include "term.h"
#include "ui.h"
#include "utf8.h"

#define ENDING ".log"
#define FILE_MAX ((off_t)1 << 20)
#define KEEP_FIRST ((size_t)128 << 10)	/* of a file that is full */
#define KEEP_LAST ((size_t)512 << 10)
#define FILES_MAX 50
#define LINE_MAX_KEPT ((size_t)4096)
#define SECRET_MIN 6		/* shorter ones are no keys */

/* ---- the folder ---- */

/* "runs" beside the folder of the session file dir. */
static int
open_folder(char *dir)
{
	char *slash = NULL;
	int up, fd = -1;

	/* dir is cut to what holds both */
	for (int i = 0; i < 2; i++) {
		slash = strrchr(dir, '/');
		if (slash == NULL)
			break;
		*slash = '\0';
	}
	up = slash == NULL ? -1 : open(dir, O_RDONLY | O_DIRECTORY |
	    O_CLOEXEC);
	if (up >= 0) {
		mkdirat(up, "runs", 0700);	/* or it is there */
		fd = openat(up, "runs", O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
		    O_CLOEXEC);
		close(up);
	}
	return fd;
}

static bool
is_log(const char *name)
{
	size_t n = strlen(name), end = sizeof ENDING - 1;

	return n > end && strcmp(name + n - end, ENDING) == 0;
}

/* How many logs there are but own; the name of the oldest, yours. */
static size_t
count(int dir, const char *own, char **oldest)
{
	struct timespec first = { 0, 0 };
	size_t n = 0;
	struct dirent *de;
	struct stat st;
	DIR *d = fdopendir(openat(dir, ".", O_RDONLY | O_DIRECTORY |
	    O_CLOEXEC));

	*oldest = NULL;
	while (d != NULL && (de = readdir(d)) != NULL) {
		if (!is_log(de->d_name) || strcmp(de->d_name, own) == 0 ||
		    fstatat(dir, de->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		n++;
		if (*oldest != NULL && (st.st_mtim.tv_sec > first.tv_sec ||
		    (st.st_mtim.tv_sec == first.tv_sec &&
		    st.st_mtim.tv_nsec >= first.tv_nsec)))
			continue;
		free(*oldest);
		*oldest = xstrdup(de->d_name);
		first = st.st_mtim;
	}
	if (d != NULL)
		closedir(d);
	return n;
}

static void
make_room(int dir, const char *own)
{
	char *oldest;
	bool gone = true;

	while (gone && count(dir, own, &oldest) >= FILES_MAX) {
		gone = unlinkat(dir, oldest, 0) == 0;
		free(oldest);
		oldest = NULL;
	}
	free(oldest);
}

struct runlog *
runlog_open(const char *path, const char *id)
{
	char *name = xasprintf("%s" ENDING, id), *up = xstrdup(path);
	struct runlog *l = NULL;
	int dir = open_folder(up), fd = -1;
	struct stat st;

	if (dir >= 0) {
		make_room(dir, name);
		fd = openat(dir, name, O_RDWR | O_CREAT | O_NOFOLLOW |
		    O_NONBLOCK | O_CLOEXEC, 0600);
		close(dir);
	}
	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
		l = xcalloc(1, sizeof *l);
		l->fd = fd;
		l->path = xasprintf("%s/runs/%s", up, name);
		l->size = st.st_size;
	} else if (fd >= 0) {
		close(fd);
	}
	free(name);
	free(up);
	return l;
}

const char *
runlog_path(const struct runlog *l)
{
	return l != NULL && l->fd >= 0 ? l->path : NULL;
}

void
runlog_close(struct runlog *l)
{
	if (l == NULL)
		return;
	if (l->fd >= 0)
		close(l->fd);
	for (size_t i = 0; i < l->nhidden; i++)
		free(l->hidden[i]);
	free(l->hidden);
	free(l->path);
	free(l);
}

/* ---- a line ---- */

static bool
put(struct runlog *l, off_t at, const char *p, size_t n)
{
	return pwrite(l->fd, p, n, at) == (ssize_t)n;
}

/* Full: what began it stays, and the newest; the middle goes. */
static void
shrink(struct runlog *l)
{
	size_t n = (size_t)l->size, head, tail;
	char *all = xmalloc(n + 1), *lf, mark[80];
	int k;

	if (pread(l->fd, all, n, 0) != (ssize_t)n || n < KEEP_FIRST +
	    KEEP_LAST) {
		close(l->fd);
		l->fd = -1;
		free(all);
		return;
	}
	lf = memrchr(all, '\n', KEEP_FIRST);
	head = lf == NULL ? 0 : (size_t)(lf - all) + 1;
	lf = memchr(all + n - KEEP_LAST, '\n', KEEP_LAST);
	tail = lf == NULL ? n : (size_t)(lf - all) + 1;
	k = snprintf(mark, sizeof mark, "[%zu bytes are left out here]\n",
	    tail - head);
	if (put(l, (off_t)head, mark, (size_t)k) && put(l, (off_t)head + k,
	    all + tail, n - tail)) {
		l->size = (off_t)(head + (size_t)k + n - tail);
		if (ftruncate(l->fd, l->size) < 0)
			l->size = (off_t)n;
	}
	free(all);
}

void
runlog_hide(struct runlog *l, const char *secret)
{
	if (l == NULL || secret == NULL || strlen(secret) < SECRET_MIN)
		return;
	l->hidden = xgrow(l->hidden, l->nhidden, &l->caphidden,
	    sizeof *l->hidden);
	l->hidden[l->nhidden++] = xstrdup(secret);
}

/* Overwrite what must not be seen; the length stays. */
static void
redact(const struct runlog *l, char *text)
{
	for (size_t i = 0; i < l->nhidden; i++)
		for (char *p = text; (p = strstr(p, l->hidden[i])) != NULL; )
			memset(p, '*', strlen(l->hidden[i]));
}

static void
stamp(struct runlog *l, struct buf *b, const char *who)
{
	struct timespec now;
	struct tm tm;

	clock_gettime(CLOCK_REALTIME, &now);
	if (now.tv_sec != l->second) {
		l->second = now.tv_sec;
		gmtime_r(&now.tv_sec, &tm);
		strftime(l->at, sizeof l->at, "%Y-%m-%dT%H:%M:%S", &tm);
	}
	buf_fmt(b, "%s.%03ldZ %-9s ", l->at, now.tv_nsec / 1000000, who);
}

void
runlog_say(struct runlog *l, const char *who, const char *fmt, ...)
{
	struct buf raw = BUF_INIT(BUF_RECORD_MAX), line =
	    BUF_INIT(8 * LINE_MAX_KEPT);
	va_list ap;
	size_t n;

	if (l == NULL || l->fd < 0)
		return;
	va_start(ap, fmt);
	buf_vfmt(&raw, fmt, ap);
	va_end(ap);
	if (raw.len > 0)
		redact(l, raw.p);
	n = utf8_cut(buf_view(&raw).p, raw.len, LINE_MAX_KEPT);
	for (size_t i = 0; i < n; i++)
		if (raw.p[i] == '\n')
			raw.p[i] = ' ';
	stamp(l, &line, who);
	term_escape(&line, (struct slice){ buf_view(&raw).p, n });
	buf_adds(&line, n < raw.len ? " ...\n" : "\n");
	if (l->size + (off_t)line.len > FILE_MAX)
		shrink(l);
	if (l->fd >= 0 && put(l, l->size, line.p, line.len))
		l->size += (off_t)line.len;
	buf_release(&raw);
	buf_release(&line);
}
