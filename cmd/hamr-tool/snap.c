/* snap.c - snapshots of the root, taken and compared. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file.h"
#include "mem.h"

#include "files_in.h"
#include "journal.h"
#include "snap_in.h"

#define TAKE_MS 60000

/* ---- git ---- */

int
snap_git(struct snap *s, const char *const *args, struct slice in,
    struct buf *out)
{
	struct git g = { .rootfd = s->f->root.fd,
		.root = s->f->root.real, .dir = s->dir,
		.ms = TAKE_MS, .stop = s->f->stop, .stop_arg = s->f->stop_arg };

	return git_run(&g, args, in, out);
}

int
snap_ask(struct snap *s, const char *const *args, struct buf *out)
{
	struct git g = { .rootfd = s->f->root.fd,
		.root = s->f->root.real, .ms = TAKE_MS,
		.stop = s->f->stop, .stop_arg = s->f->stop_arg };

	return git_run(&g, args, SLICE(""), out);
}

/* A name that git printed, alone on its line. */
static bool
take_oid(const struct buf *out, char oid[SNAP_OID])
{
	size_t n = out->len > 0 ? strcspn(out->p, "\n") : 0;

	if (n == 0 || n >= SNAP_OID)
		return false;
	memcpy(oid, out->p, n);
	oid[n] = '\0';
	return true;
}

/* ---- one snapshot ---- */

struct take {
	struct snap *s;
	struct map known;	/* paths in our index */
	struct buf put, drop;	/* paths to be added or looked at; removed */
	struct snap_left left;
};

static void
add_path(struct buf *b, const char *rel)
{
	buf_add(b, rel, strlen(rel) + 1);
}

/* May git, as whoever it runs, read it? */
static bool
is_readable(const struct snap *s, const char *rel, const struct stat *st)
{
	uid_t me = geteuid();

	if (me == 0)
		return s->owner == 0 || (st->st_uid == s->owner ?
		    (st->st_mode & 0400) : (st->st_mode & 0044)) != 0;
	return (st->st_uid == me && (st->st_mode & 0400) != 0) ||
	    faccessat(s->f->root.fd, rel, R_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

static bool
look(const struct snap *s, const char *rel, struct stat *st)
{
	int fd = path_open(&s->f->root, rel, O_PATH | O_NOFOLLOW);
	bool good = fd >= 0 && fstat(fd, st) == 0;

	if (fd >= 0)
		close(fd);
	return good;
}

static bool
is_stream(const struct snap *s, const struct stat *st)
{
	for (int i = 0; i < 3; i++)
		if (s->streams[i].st_ino == st->st_ino &&
		    s->streams[i].st_dev == st->st_dev)
			return true;
	return false;
}

/* Does this path belong in a snapshot?  Notes its mode if it does. */
static bool
is_covered(struct take *t, const char *rel)
{
	struct stat st;

	if (files_hidden(t->s->f, rel) || !look(t->s, rel, &st))
		return false;
	if (is_stream(t->s, &st))
		return false;
	if (S_ISDIR(st.st_mode))
		t->left.nested++;
	else if (S_ISREG(st.st_mode) && st.st_size > SNAP_FILE_MAX)
		t->left.large++;
	else if (S_ISREG(st.st_mode) && !is_readable(t->s, rel, &st))
		t->left.unreadable++;
	else if (S_ISREG(st.st_mode) || S_ISLNK(st.st_mode)) {
		*map_put(&t->s->modes, slice_of(rel), NULL) = st.st_mode;
		return true;
	}
	return false;
}

/* What our index says of each path: H it is there, R it is gone, C it has
 * changed. */
static int
take_own(struct take *t)
{
	static const char *const args[] = { "ls-files", "-z", "-t", "-c", "-d",
		"-m", NULL };
	struct buf out = BUF_INIT(GIT_OUT_MAX);
	struct stat st;
	int r = snap_git(t->s, args, SLICE(""), &out);

	for (size_t at = 0; r == 0 && at + 2 < out.len;
	    at += strlen(out.p + at) + 1) {
		const char *rel = out.p + at + 2;

		if (out.p[at] == 'R') {
			add_path(&t->drop, rel);
		} else if (out.p[at] == 'C') {
			add_path(is_covered(t, rel) ? &t->put : &t->drop, rel);
		} else {
			map_put(&t->known, slice_of(rel), NULL);
			if (!look(t->s, rel, &st))
				continue;
			if (is_stream(t->s, &st))
				add_path(&t->drop, rel);
			else
				*map_put(&t->s->modes, slice_of(rel), NULL) =
				    st.st_mode;
		}
	}
	buf_release(&out);
	return r;
}

/* What is there and our index does not know. */
static int
take_new(struct take *t)
{
	static const char *const users[] = { "ls-files", "-z", "-c", "-o",
		"--exclude-standard", NULL };
	static const char *const ours[] = { "ls-files", "-z", "-o",
		"--exclude-standard", NULL };
	struct buf out = BUF_INIT(GIT_OUT_MAX);
	int r = snap_ask(t->s, users, &out);

	if (r != 0) {		/* no repository of the user's */
		buf_reset(&out);
		r = snap_git(t->s, ours, SLICE(""), &out);
	}
	for (size_t at = 0; r == 0 && at < out.len;
	    at += strlen(out.p + at) + 1) {
		char *rel = out.p + at;
		size_t n = strlen(rel);
		bool fresh;

		if (n > 0 && rel[n - 1] == '/') {
			t->left.nested += !files_hidden(t->s->f, rel);
			continue;
		}
		map_put(&t->known, slice_of(rel), &fresh);
		if (fresh && is_covered(t, rel))
			add_path(&t->put, rel);
	}
	buf_release(&out);
	return r;
}

static int
write_tree(struct take *t, char tree[SNAP_OID])
{
	static const char *const drop[] = { "update-index", "-z",
		"--force-remove", "--stdin", NULL };
	static const char *const put[] = { "update-index", "-z", "--add",
		"--remove", "--replace", "--stdin", NULL };
	static const char *const tree_args[] = { "write-tree", NULL };
	struct buf out = BUF_INIT(GIT_OUT_MAX);
	int r = 0;

	if (t->drop.len > 0)
		r = snap_git(t->s, drop, buf_view(&t->drop), NULL);
	if (r == 0 && t->put.len > 0)
		r = snap_git(t->s, put, buf_view(&t->put), NULL);
	if (r == 0)
		r = snap_git(t->s, tree_args, SLICE(""), &out);
	if (r == 0 && !take_oid(&out, tree))
		r = -1;
	buf_release(&out);
	return r;
}

static int
take(struct snap *s, char tree[SNAP_OID], struct snap_left *left)
{
	struct take t = { .s = s, .put = BUF_INIT(GIT_OUT_MAX),
		.drop = BUF_INIT(GIT_OUT_MAX) };
	int r;

	map_release(&s->modes_before);
	s->modes_before = s->modes;
	s->modes = (struct map){ 0 };
	r = take_own(&t);
	if (r == 0)
		r = take_new(&t);
	if (r == 0)
		r = write_tree(&t, tree);
	*left = t.left;
	map_release(&t.known);
	buf_release(&t.put);
	buf_release(&t.drop);
	return r;
}

int
snap_take(struct snap *s, char tree[SNAP_OID], struct snap_left *left,
    struct err *e)
{
	int fd = snap_lock(s, e), r;

	if (fd < 0)
		return -1;
	/* who held it when he was killed left this behind */
	unlinkat(s->dirfd, "index.lock", 0);
	r = take(s, tree, left);
	if (r > 0) {
		/* an index that leans on objects the user's git has dropped:
		 * begin anew, with our own */
		snap_unseed(s);
		r = take(s, tree, left);
	}
	close(fd);
	if (r != 0)
		return err_set(e, ST_SYSTEM, "no snapshot could be made in %s "
		    "(git %s)", s->dir, r < 0 ? "did not run to its end" :
		    "failed");
	return 0;
}

/* ---- two snapshots ---- */

static void
add_change(struct snap *s, struct snap_changes *c, const char *head,
    const char *path)
{
	/* ":100644 100755 OLD NEW M" */
	struct snap_change ch = { .path = xstrdup(path) };
	const char *old = head + 15;
	size_t n = strcspn(old, " ");
	uint64_t *mode = map_get(&s->modes_before, slice_of(path));

	if (n < SNAP_OID && strncmp(head + 1, "000000", 6) != 0)
		memcpy(ch.oid, old, n);
	ch.mode = (mode_t)strtoul(head + 1, NULL, 8);
	if (mode != NULL && (*mode & S_IFMT) == (ch.mode & S_IFMT))
		ch.mode = (mode_t)*mode;
	ch.gone = strncmp(head + 8, "000000", 6) == 0;
	c->v = xgrow(c->v, c->n, &c->cap, sizeof *c->v);
	c->v[c->n++] = ch;
}

/* Of what the user's own objects hold, ours shall hold a copy. */
static int
hold(struct snap *s, const struct snap_changes *c)
{
	char *base = xasprintf("%s/objects/pack/pack", s->dir);
	const char *args[] = { "pack-objects", "-q", base, NULL };
	struct buf in = BUF_INIT(GIT_OUT_MAX);
	int r = 0;

	for (size_t i = 0; i < c->n; i++) {
		char *own = xasprintf("objects/%.2s/%s", c->v[i].oid,
		    c->v[i].oid[0] != '\0' ? c->v[i].oid + 2 : "");

		if (c->v[i].oid[0] != '\0' &&
		    faccessat(s->dirfd, own, F_OK, 0) < 0)
			buf_fmt(&in, "%s\n", c->v[i].oid);
		free(own);
	}
	if (in.len > 0)
		r = snap_git(s, args, buf_view(&in), NULL);
	buf_release(&in);
	free(base);
	return r;
}

int
snap_changes(struct snap *s, const char *before, const char *after,
    struct snap_changes *c, struct err *e)
{
	const char *args[] = { "diff-tree", "-r", "-z", "--raw",
		"--no-renames", "--no-abbrev", before, after, NULL };
	struct buf out = BUF_INIT(GIT_OUT_MAX);
	size_t at = 0;
	int r = 0;

	*c = (struct snap_changes){ 0 };
	if (strcmp(before, after) == 0)
		return 0;
	r = snap_git(s, args, SLICE(""), &out);
	while (r == 0 && at < out.len) {
		const char *head = out.p + at;
		const char *path = head + strlen(head) + 1;

		if (path >= out.p + out.len || strlen(head) < 60)
			break;
		add_change(s, c, head, path);
		at += strlen(head) + 1 + strlen(path) + 1;
	}
	buf_release(&out);
	if (r == 0)
		r = hold(s, c);
	return r == 0 ? 0 : err_set(e, ST_SYSTEM, "two snapshots in %s could "
	    "not be compared", s->dir);
}

void
snap_changes_release(struct snap_changes *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->v[i].path);
	free(c->v);
	*c = (struct snap_changes){ 0 };
}

/* ---- contents ---- */

int
snap_store(struct snap *s, struct slice content, char oid[SNAP_OID],
    struct err *e)
{
	static const char *const args[] = { "hash-object", "-w", "--stdin",
		"--no-filters", NULL };
	struct buf out = BUF_INIT(GIT_OUT_MAX);
	int r = snap_git(s, args, content, &out);

	if (r == 0 && !take_oid(&out, oid))
		r = -1;
	buf_release(&out);
	return r == 0 ? 0 : err_set(e, ST_SYSTEM, "the old content could not "
	    "be kept in %s", s->dir);
}

/* One answer of cat-file --batch, at *at: "OID blob SIZE LF content LF". */
static long long
take_object(const struct buf *in, size_t *at, struct buf *out)
{
	const char *line = in->p + *at;
	const char *lf = memchr(line, '\n', in->len - *at);
	char *end;
	long long n;

	if (lf == NULL)
		return -1;
	*at = (size_t)(lf - in->p) + 1;
	line = memmem(line, (size_t)(lf - line), " blob ", 6);
	if (line == NULL)
		return -1;	/* "OID missing" */
	n = strtoll(line + 6, &end, 10);
	if (end != lf || n < 0 || (size_t)n > in->len - *at)
		return -1;
	buf_add(out, in->p + *at, (size_t)n);
	*at += (size_t)n + 1;
	return n;
}

int
snap_fetch(struct snap *s, const char *const *oids, size_t n,
    struct buf *out, long long *len, struct err *e)
{
	static const char *const args[] = { "cat-file", "--batch", NULL };
	struct buf in = BUF_INIT(GIT_OUT_MAX), got = BUF_INIT(GIT_OUT_MAX);
	size_t at = 0;
	int r;

	for (size_t i = 0; i < n; i++)
		buf_fmt(&in, "%s\n", oids[i]);
	r = n > 0 ? snap_git(s, args, buf_view(&in), &got) : 0;
	buf_add(out, "", 0);
	for (size_t i = 0; i < n && r == 0; i++)
		len[i] = take_object(&got, &at, out);
	buf_release(&in);
	buf_release(&got);
	return r == 0 ? 0 : err_set(e, ST_SYSTEM, "the old contents in %s "
	    "cannot be read", s->dir);
}
