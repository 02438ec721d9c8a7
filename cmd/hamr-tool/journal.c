/* journal.c - what can be taken back: written down, read again. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "file.h"
#include "json.h"
#include "mem.h"
#include "scan.h"
#include "utf8.h"

#include "journal.h"
#include "snap_in.h"

#define NAME "hamr-undo"
#define COUNTER "hamr-next"
#define JOURNAL_MAX ((size_t)16 << 20)
#define LOCK_MS 10000

int
snap_lock(struct snap *s, struct err *e)
{
	int fd = snap_file(s, "hamr-lock", O_RDWR);

	if (fd < 0)
		return err_sys(e, ST_SYSTEM, "%s/hamr-lock", s->dir);
	if (file_lock(fd, LOCK_MS) < 0) {
		close(fd);
		return err_set(e, ST_TEMP, "%s is in use by another hamr-tool",
		    s->dir);
	}
	return fd;
}

/* ---- entries ---- */

struct trace *
entry_trace(struct undo_entry *c, const char *path)
{
	c->v = xgrow(c->v, c->n, &c->cap, sizeof *c->v);
	c->v[c->n] = (struct trace){ .path = xstrdup(path) };
	return &c->v[c->n++];
}

void
entry_release(struct undo_entry *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->v[i].path);
	free(c->v);
	free(c->id);
	free(c->at);
	free(c->tool);
	free(c->call);
	free(c->checkpoint);
	*c = (struct undo_entry){ 0 };
}

void
journal_release(struct journal *j)
{
	for (size_t i = 0; i < j->n; i++)
		entry_release(&j->v[i]);
	free(j->v);
	*j = (struct journal){ 0 };
}

/* ---- writing ---- */

static char *
now(void)
{
	time_t t = time(NULL);
	char at[32];
	struct tm tm;

	gmtime_r(&t, &tm);
	strftime(at, sizeof at, "%Y-%m-%dT%H:%M:%SZ", &tm);
	return xstrdup(at);
}

char *
journal_id(struct snap *s, const char *prefix, struct err *e)
{
	struct buf b = BUF_INIT(64);
	int lock = snap_lock(s, e), fd;
	long long n;
	char *id = NULL;

	if (lock < 0)
		return NULL;
	fd = snap_file(s, COUNTER, O_RDWR);
	if (fd >= 0 && file_read_fd(fd, COUNTER, &b, NULL) == 0) {
		n = b.len > 0 ? strtoll(b.p, NULL, 10) + 1 : 1;
		buf_reset(&b);
		buf_fmt(&b, "%lld\n", n);
		if (pwrite(fd, b.p, b.len, 0) == (ssize_t)b.len)
			id = xasprintf("%s%lld", prefix, n);
	}
	if (id == NULL)
		err_sys(e, ST_SYSTEM, "%s/" COUNTER, s->dir);
	if (fd >= 0)
		close(fd);
	close(lock);
	buf_release(&b);
	return id;
}

/* Keep the newer half of a journal that has grown too long. */
static void
trim(struct snap *s)
{
	char *path = xasprintf("%s/" NAME, s->dir);
	struct buf b = BUF_INIT(2 * JOURNAL_MAX);
	struct stat st;
	const char *lf;

	if (fstatat(s->dirfd, NAME, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    st.st_size > (off_t)JOURNAL_MAX &&
	    file_read(path, &b, NULL) == 0) {
		lf = memchr(b.p + b.len / 2, '\n', b.len - b.len / 2);
		if (lf != NULL)
			snap_replace(s, NAME, (struct slice){ lf + 1,
			    (size_t)(b.p + b.len - lf) - 1 });
	}
	buf_release(&b);
	free(path);
}

static bool
ends_open(int fd)
{
	off_t end = lseek(fd, 0, SEEK_END);
	char c;

	return end > 0 && pread(fd, &c, 1, end - 1) == 1 && c != '\n';
}

static int
append(struct snap *s, struct json *o, struct err *e)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);
	int lock = snap_lock(s, e), fd = -1, r = -1;

	if (lock >= 0) {
		trim(s);
		fd = snap_file(s, NAME, O_RDWR | O_APPEND);
		/* a line that a crash cut short ends here */
		if (fd >= 0 && ends_open(fd))
			buf_addc(&b, '\n');
		json_print(o, &b);
		buf_addc(&b, '\n');
		r = fd >= 0 && file_write_all(fd, b.p, b.len) == 0 ? 0 :
		    err_sys(e, ST_SYSTEM, "%s/" NAME, s->dir);
		close(lock);
	}
	if (fd >= 0)
		close(fd);
	json_free(o);
	buf_release(&b);
	return r;
}

/* A name that is no UTF-8 is written a second time, in hex. */
static void
put_path(struct json *o, const char *path)
{
	struct buf clean = BUF_INIT(BUF_RECORD_MAX);
	struct buf hex = BUF_INIT(BUF_RECORD_MAX);

	if (utf8_clean(&clean, path, strlen(path))) {
		for (const char *p = path; *p != '\0'; p++)
			buf_fmt(&hex, "%02x", (unsigned char)*p);
		json_slice(o, "hex", buf_view(&hex));
	}
	json_slice(o, "path", buf_view(&clean));
	buf_release(&clean);
	buf_release(&hex);
}

static struct json *
trace_json(const struct trace *t)
{
	struct json *o = json_object();

	put_path(o, t->path);
	if (t->oid[0] != '\0') {
		json_str(o, "oid", t->oid);
		json_int(o, "old_mode", t->old_mode);
	}
	if (t->sha[0] != '\0') {
		json_str(o, "sha256", t->sha);
		json_int(o, "new_mode", t->new_mode);
	}
	if (t->folders > 0)
		json_int(o, "folders", t->folders);
	return o;
}

int
journal_add(struct snap *s, struct undo_entry *c, struct err *e)
{
	struct json *o, *list;

	if (c->id == NULL)
		c->id = journal_id(s, c->is_checkpoint ? "cp" : "u", e);
	if (c->id == NULL)
		return -1;
	if (c->at == NULL)
		c->at = now();
	o = json_object();
	json_str(o, "type", c->is_checkpoint ? "checkpoint" : "change");
	json_str(o, "id", c->id);
	json_str(o, "at", c->at);
	if (!c->is_checkpoint) {
		json_str(o, "tool", c->tool);
		json_str(o, "tool_call_id", c->call);
		if (c->checkpoint != NULL)
			json_str(o, "checkpoint", c->checkpoint);
		list = json_array();
		for (size_t i = 0; i < c->n; i++)
			json_add(list, NULL, trace_json(&c->v[i]));
		json_add(o, "paths", list);
	}
	return append(s, o, e);
}

int
journal_undone(struct snap *s, char *const *ids, size_t n, struct err *e)
{
	struct json *o = json_object(), *list = json_array();

	for (size_t i = 0; i < n; i++)
		json_str(list, NULL, ids[i]);
	json_str(o, "type", "undone");
	json_add(o, "ids", list);
	return append(s, o, e);
}

/* ---- reading ---- */

static char *
path_of(struct slice v)
{
	char *hex = scan_strdup(scan_get(v, "hex")), *path;
	size_t n;

	if (hex == NULL)
		return scan_strdup(scan_get(v, "path"));
	n = strlen(hex) / 2;
	path = xcalloc(n + 1, 1);
	for (size_t i = 0; i < n; i++) {
		char two[3] = { hex[2 * i], hex[2 * i + 1], '\0' };

		path[i] = (char)strtol(two, NULL, 16);
	}
	free(hex);
	return path;
}

static void
copy(struct slice v, char *to, size_t size)
{
	struct slice s = scan_plain(v);

	if (s.p != NULL && s.n < size)
		memcpy(to, s.p, s.n);	/* zeroed before */
}

static void
read_trace(struct undo_entry *c, struct slice v)
{
	char *path = path_of(v);
	int64_t old = 0, new = 0, folders = 0;
	struct trace *t;

	if (path == NULL)
		return;
	t = entry_trace(c, path);
	copy(scan_get(v, "oid"), t->oid, sizeof t->oid);
	copy(scan_get(v, "sha256"), t->sha, sizeof t->sha);
	scan_int(scan_get(v, "old_mode"), &old);
	scan_int(scan_get(v, "new_mode"), &new);
	scan_int(scan_get(v, "folders"), &folders);
	t->old_mode = (mode_t)old;
	t->new_mode = (mode_t)new;
	t->folders = (int)folders;
	free(path);
}

static void
read_change(struct journal *j, struct slice o, size_t at, bool checkpoint)
{
	struct undo_entry c = { .is_checkpoint = checkpoint, .offset = at };
	struct slice el;
	struct walk w;

	c.id = scan_strdup(scan_get(o, "id"));
	c.at = scan_strdup(scan_get(o, "at"));
	c.tool = scan_strdup(scan_get(o, "tool"));
	c.call = scan_strdup(scan_get(o, "tool_call_id"));
	c.checkpoint = scan_strdup(scan_get(o, "checkpoint"));
	walk_in(&w, scan_get(o, "paths"));
	while (walk_next(&w, NULL, &el))
		read_trace(&c, el);
	if (c.id == NULL || c.at == NULL ||
	    (!checkpoint && (c.tool == NULL || c.call == NULL))) {
		entry_release(&c);
		return;
	}
	j->v = xgrow(j->v, j->n, &j->cap, sizeof *j->v);
	j->v[j->n++] = c;
}

static void
read_undone(struct journal *j, struct slice o)
{
	struct slice el;
	struct walk w;

	walk_in(&w, scan_get(o, "ids"));
	while (walk_next(&w, NULL, &el))
		for (size_t i = j->n; i-- > 0; )
			if (scan_str_is(el, j->v[i].id)) {
				j->v[i].undone = true;
				break;
			}
}

int
journal_forget(struct snap *s, const struct undo_entry *first)
{
	char *path = xasprintf("%s/" NAME, s->dir);
	struct buf b = BUF_INIT(4 * JOURNAL_MAX);
	int lock = snap_lock(s, NULL), r = -1;

	if (lock >= 0 && file_read(path, &b, NULL) == 0 &&
	    first->offset < b.len)
		r = snap_replace(s, NAME, (struct slice){ b.p + first->offset,
		    b.len - first->offset });
	if (lock >= 0)
		close(lock);
	buf_release(&b);
	free(path);
	return r;
}

int
journal_read(struct snap *s, struct journal *j, struct err *e)
{
	int fd = openat(s->dirfd, NAME, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	struct buf b = BUF_INIT(4 * JOURNAL_MAX);
	struct scan scan = { .n = 0 };
	int r = 0;

	*j = (struct journal){ 0 };
	if (fd < 0)
		return errno == ENOENT ? 0 : err_sys(e, ST_SYSTEM, "%s/" NAME,
		    s->dir);
	r = file_read_fd(fd, NAME, &b, e);
	close(fd);
	for (size_t at = 0; r == 0 && at < b.len; ) {
		const char *line = b.p + at;
		const char *lf = memchr(line, '\n', b.len - at);
		size_t n = lf != NULL ? (size_t)(lf - line) : b.len - at;
		struct slice o = { line, n }, type;
		size_t begin = at;

		at += n + 1;
		if (scan_record(&scan, line, n) < 0)
			continue;
		type = scan_get(o, "type");
		if (scan_str_is(type, "undone"))
			read_undone(j, o);
		else
			read_change(j, o, begin, scan_str_is(type,
			    "checkpoint"));
	}
	scan_release(&scan);
	buf_release(&b);
	return r;
}
