/* output.c - one stream of a command's output, in bounded memory. */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "json/sha.h"

#include "output.h"
#include "path.h"

#define COPY_BYTES 65536
#define OLD_S (30L * 24 * 60 * 60)
#define ALL_MAX ((off_t)1 << 30)

void
output_init(struct output *o, size_t cap)
{
	*o = (struct output){ .cap = cap, .head = BUF_INIT(cap),
		.tail = BUF_INIT(cap + cap / 2), .spool = -1 };
}

void
output_release(struct output *o)
{
	bufs_release(BUFS(&o->head, &o->tail));
	file_close(o->spool);
	o->spool = -1;
}

static void
spool(struct output *o, const char *p, size_t n)
{
	if (o->failed || o->spool < 0)
		return;
	if (n > OUTPUT_SPOOL_MAX - o->spooled)
		n = (size_t)(OUTPUT_SPOOL_MAX - o->spooled);
	if (file_write_all(o->spool, p, n) < 0)
		o->failed = true;
	o->spooled += n;
}

void
output_add(struct output *o, const char *p, size_t n, struct buf *text)
{
	size_t room = o->cap - o->head.len;
	struct buf *tail = &o->tail;

	buf_reset(text);
	if (p != NULL)
		clean_add(&o->clean, p, n, text);
	else
		clean_end(&o->clean, text);
	o->raw += n;
	if (text->len == 0)
		return;
	o->total += text->len;
	o->last = text->p[text->len - 1];
	if (o->spool < 0 && !o->failed && text->len > room) {
		o->spool = file_unnamed();
		o->failed = o->spool < 0;
		spool(o, o->head.p, o->head.len);
	}
	spool(o, text->p, text->len);
	if (room > text->len)
		room = text->len;
	buf_add(&o->head, text->p, room);
	p = text->p + room;
	n = text->len - room;
	/* keep the last cap bytes, and some before them */
	if (n > o->cap) {
		p += n - o->cap;
		n = o->cap;
	}
	size_t keep = o->cap - n;
	if (tail->len > keep && tail->len + n > tail->max) {
		memmove(tail->p, tail->p + tail->len - keep, keep);
		tail->len = keep;
	}
	buf_add(tail, p, n);
}

struct slice
output_head(const struct output *o)
{
	return buf_view(&o->head);
}

struct slice
output_tail(const struct output *o)
{
	return slice_from(buf_view(&o->tail), o->tail.len > o->cap ?
	    o->tail.len - o->cap : 0);
}

struct sink {
	struct sha *sha;
	int fd;
	unsigned long long room;
	bool failed;
};

static void
put(struct sink *s, const char *p, size_t n)
{
	if (n > s->room)
		n = (size_t)s->room;
	s->room -= n;
	sha_add(s->sha, p, n);
	if (!s->failed && file_write_all(s->fd, p, n) < 0)
		s->failed = true;
}

static void
put_stream(struct sink *s, const struct output *o)
{
	struct slice head = output_head(o);
	char bytes[COPY_BYTES];
	off_t at = 0;
	ssize_t n;

	/* without a spool it is all in the head */
	if (o->spool < 0)
		put(s, head.p, head.n);
	else
		while ((n = pread(o->spool, bytes, sizeof bytes, at)) > 0) {
			put(s, bytes, (size_t)n);
			at += n;
		}
}

/* Remove the oldest output while it is too old or all are too much. */
static void
prune(int dir)
{
	char name[NAME_MAX + 1];
	time_t when = 0;
	off_t total;

	do {
		DIR *d = file_opendir(dir, ".");
		struct dirent *e;
		struct stat st;

		name[0] = '\0';
		total = 0;
		while ((e = file_readdir(d)) != NULL) {
			if (fstatat(dir, e->d_name, &st,
			    AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(st.st_mode))
				continue;
			total += st.st_size;
			if (name[0] == '\0' || st.st_mtime < when) {
				when = st.st_mtime;
				snprintf(name, sizeof name, "%s", e->d_name);
			}
		}
		file_closedir(d);
	} while (name[0] != '\0' &&
	    (time(NULL) - when > OLD_S || total > ALL_MAX) &&
	    unlinkat(dir, name, 0) == 0);
}

char *
output_save(int rootfd, const struct output *out, const struct output *err)
{
	struct sink s = { .fd = -1, .room = OUTPUT_SPOOL_MAX };
	char part[32], hex[SHA_HEX], *path = NULL;

	if (out->failed || err->failed)
		return NULL;
	int hamr = root_hamr(rootfd);
	int dir = hamr >= 0 ? root_folder(hamr, "out") : -1;
	if (dir >= 0) {
		snprintf(part, sizeof part, ".%d.part", (int)getpid());
		unlinkat(dir, part, 0);
		prune(dir);
		s.fd = file_create(dir, part, O_WRONLY | O_EXCL, 0600);
	}
	/* written beside, then renamed to what its hash says */
	if (s.fd >= 0) {
		s.sha = sha_new();
		put_stream(&s, out);
		if (err->total > 0) {
			if (out->total > 0 && out->last != '\n')
				put(&s, "\n", 1);
			put(&s, "[stderr]\n", 9);
			put_stream(&s, err);
		}
		sha_hex(s.sha, hex);
		sha_free(s.sha);
		path = xasprintf(".hamr/out/%.12s.txt", hex);
		if (close(s.fd) < 0 || s.failed ||
		    renameat(dir, part, dir, file_base(path)) < 0) {
			unlinkat(dir, part, 0);
			free(path);
			path = NULL;
		}
	}
	file_close(dir);
	file_close(hamr);
	return path;
}
