/* snap.c - snapshots of the root: taken, compared, and what they hold. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "git/gitignore.h"
#include "json/sha.h"

#include "files/files.h"
#include "internal.h"
#include "journal.h"

#define RACY_NS 20000000LL	/* a clock tick of the slowest kernels, twice */
#define ASK_FILES 64		/* files between two looks at the clock */
#define SLOW_MS 1000		/* so long, and git must have hashed a lot */

/* ---- files that others have open for writing ---- */

struct writers {
	struct { dev_t dev; ino_t ino; } *v;
	size_t n, cap;
	bool looked;
};

/* The line "flags:\t0100002" of fdinfo, in octal. */
static bool
is_for_writing(int dir, const char *fd)
{
	char name[64], text[512];
	const char *flags;
	ssize_t n;
	int in;

	snprintf(name, sizeof name, "fdinfo/%.20s", fd);
	in = openat(dir, name, O_RDONLY | O_CLOEXEC);
	n = in >= 0 ? read(in, text, sizeof text - 1) : -1;
	if (in >= 0)
		close(in);
	if (n <= 0)
		return false;
	text[n] = '\0';
	flags = strstr(text, "flags:");
	return flags != NULL && (strtol(flags + 6, NULL, 8) & O_ACCMODE) !=
	    O_RDONLY;
}

/* Has a process of our login session (the shell's jobs; not what we started,
 * which has sessions of its own) this file open for writing?  All are looked at
 * when the first file is asked for. */
static bool
writers_have(struct writers *w, const struct stat *st)
{
	DIR *d = w->looked ? NULL : file_opendir(AT_FDCWD, "/proc");
	pid_t session = getsid(0);
	struct dirent *e, *fd;
	struct stat is;

	w->looked = true;
	while (d != NULL && (e = file_readdir(d)) != NULL) {
		pid_t pid = (pid_t)strtol(e->d_name, NULL, 10);
		DIR *one, *fds;

		if (pid <= 0 || pid == getpid() || getsid(pid) != session)
			continue;
		one = file_opendir(dirfd(d), e->d_name);
		fds = one != NULL ? file_opendir(dirfd(one), "fd") : NULL;
		while (fds != NULL && (fd = file_readdir(fds)) != NULL) {
			if (fstatat(dirfd(fds), fd->d_name, &is, 0) < 0 ||
			    !S_ISREG(is.st_mode) ||
			    !is_for_writing(dirfd(one), fd->d_name))
				continue;
			w->v = xgrow(w->v, w->n, &w->cap, sizeof *w->v);
			w->v[w->n].dev = is.st_dev;
			w->v[w->n++].ino = is.st_ino;
		}
		file_closedir(fds);
		file_closedir(one);
	}
	file_closedir(d);
	for (size_t i = 0; i < w->n; i++)
		if (w->v[i].ino == st->st_ino && w->v[i].dev == st->st_dev)
			return true;
	return false;
}

/* ---- one snapshot ---- */

struct take {
	struct snap *s;
	struct gitignore *rules;
	struct gitindex own;	/* our index, and when it was written */
	struct timespec written;
	bool *seen;		/* of each of its entries */
	struct writers others;
	struct buf put, drop;	/* paths to be added or looked at; removed */
	struct snap_left left;
	struct buf text;
	long long deadline;
	size_t asked;
	bool failed;		/* something could not be looked at */
	bool stopped;
};

/* Does this file belong in a snapshot? */
static bool
is_covered(struct take *t, const char *rel, const struct stat *st)
{
	const struct snap *s = t->s;
	uid_t me = geteuid();
	bool readable;

	for (size_t i = 0; i < sizeof s->streams / sizeof *s->streams; i++)
		if (s->streams[i].st_ino == st->st_ino &&
		    s->streams[i].st_dev == st->st_dev)
			return false;
	if (!S_ISREG(st->st_mode))
		return S_ISLNK(st->st_mode);
	if (st->st_size > SNAP_FILE_MAX) {
		t->left.large++;
		return false;
	}
	/* by git, as whoever it runs */
	if (me == 0)
		readable = s->owner == 0 || (st->st_uid == s->owner ?
		    (st->st_mode & 0400) : (st->st_mode & 0044)) != 0;
	else
		readable = (st->st_uid == me && (st->st_mode & 0400) != 0) ||
		    faccessat(s->f->root.fd, rel, R_OK,
		    AT_SYMLINK_NOFOLLOW) == 0;
	t->left.unreadable += !readable;
	return readable;
}

/* ---- is it as our index has it? ---- */

/* So long before when that a later change must have another time? */
static bool
is_settled(const struct timespec *when, const struct timespec *then)
{
	return (when->tv_sec - then->tv_sec) * 1000000000LL + when->tv_nsec -
	    then->tv_nsec > RACY_NS;
}

/* As git's index has times. */
static bool
is_time(const struct timespec *a, const struct timespec *b)
{
	return (uint32_t)a->tv_sec == (uint32_t)b->tv_sec &&
	    a->tv_nsec == b->tv_nsec;
}

/* What a file looks like, in one number; never 0. */
static uint64_t
stamp(const struct stat *st)
{
	const uint64_t v[] = { st->st_dev, st->st_ino, st->st_mode,
		(uint64_t)st->st_size, (uint64_t)st->st_mtim.tv_sec,
		(uint64_t)st->st_mtim.tv_nsec, (uint64_t)st->st_ctim.tv_sec,
		(uint64_t)st->st_ctim.tv_nsec };
	uint64_t h = 0xcbf29ce484222325;

	for (size_t i = 0; i < sizeof v / sizeof v[0]; i++)
		h = (h ^ v[i]) * 0x100000001b3 + (h >> 29);
	return h | 1;
}

bool
snap_read(const struct root *root, const char *rel, struct stat *st,
    struct buf *text)
{
	mode_t kind = st->st_mode & S_IFMT;
	int fd = path_open(root, rel, S_ISLNK(kind) ? O_PATH | O_NOFOLLOW :
	    O_RDONLY | O_NOFOLLOW);
	bool good = fd >= 0 && fstat(fd, st) == 0 &&
	    (st->st_mode & S_IFMT) == kind;
	ssize_t n;

	if (good && S_ISLNK(kind)) {
		good = buf_reserve(text, PATH_TEXT_MAX + 1) == 0;
		n = good ? readlinkat(fd, "", text->p, PATH_TEXT_MAX) : -1;
		good = n >= 0;
		text->len = good ? (size_t)n : 0;
	} else if (good) {
		good = S_ISREG(kind) &&
		    file_read_fd(fd, rel, text, NULL) == 0;
	}
	if (fd >= 0)
		close(fd);
	return good;
}

static bool
is_clean(struct take *t, const struct gitindex_entry *e, const char *rel,
    const struct stat *st)
{
	uint64_t now = stamp(st);
	uint64_t *was = map_get(&t->s->clean, slice_of(rel));
	uint32_t mode = S_ISLNK(st->st_mode) ? S_IFLNK :
	    S_IFREG | ((st->st_mode & S_IXUSR) != 0 ? 0755 : 0644);
	char is[SHA_HEX];
	struct timespec clock;
	struct stat read = *st;

	if (was != NULL && *was == now)
		return true;
	if (e->mode != mode)
		return false;
	if (is_time(&e->mtime, &st->st_mtim) &&
	    is_time(&e->ctime, &st->st_ctim) &&
	    e->ino == (uint32_t)st->st_ino && e->uid == st->st_uid &&
	    e->gid == st->st_gid && e->size == (uint32_t)st->st_size &&
	    is_settled(&t->written, &e->mtime))
		return true;
	clock_gettime(CLOCK_REALTIME, &clock);
	buf_reset(&t->text);
	/* git notes a size of 0 for what it must look at again */
	if ((e->size != 0 && e->size != (uint32_t)st->st_size) ||
	    !snap_read(&t->s->f->root, rel, &read, &t->text) ||
	    read.st_ino != st->st_ino || read.st_mode != st->st_mode)
		return false;
	sha_blob(t->own.oid_len == 32, t->text.p != NULL ? t->text.p : "",
	    t->text.len, is);
	buf_reset(&t->text);
	snap_hex(e->oid, t->own.oid_len, &t->text);
	if (!slice_is(buf_view(&t->text), is))
		return false;
	if (is_settled(&clock, &st->st_ctim) &&
	    is_settled(&clock, &st->st_mtim))
		*map_put(&t->s->clean, slice_of(rel), NULL) = now;
	return true;
}

/* ---- what is there ---- */

/* A file that belongs in it. */
static void
see_file(struct take *t, const char *rel, const struct stat *st,
    const struct gitindex_entry *e)
{
	bool clean = e != NULL && is_clean(t, e, rel, st);
	uint64_t *was;

	/* what somebody else writes to just now stays as it was there */
	if (!clean && S_ISREG(st->st_mode) && writers_have(&t->others, st))
		return;
	*map_put(&t->s->modes, slice_of(rel), NULL) = st->st_mode;
	if (clean)
		return;
	was = map_get(&t->s->clean, slice_of(rel));
	if (was != NULL)
		*was = 0;
	snap_add(&t->put, rel);
}

static bool
is_lack(int error)
{
	return error == EMFILE || error == ENFILE || error == ENOMEM ||
	    error == EIO;
}

static enum gitignore_next
see(void *arg, const struct gitignore_seen *g)
{
	struct take *t = arg;
	const struct gitindex_entry *e;

	if (t->asked++ % ASK_FILES == 0 && (snap_stopped(t->s) ||
	    file_now_ms() > t->deadline)) {
		t->stopped = true;
		return GITIGNORE_STOP;
	}
	if (g->st == NULL) {
		t->failed = t->failed || is_lack(g->error);
		t->left.unreadable++;
		return GITIGNORE_PASS;
	}
	if (S_ISDIR(g->st->st_mode)) {
		if (strcasecmp(g->base, ".hamr") == 0)
			return GITIGNORE_PASS;
		if (!gitignore_is_nested(g->dirfd, g->base))
			return GITIGNORE_ENTER;
		t->left.nested += !files_hidden(t->s->f, g->rel);
		return GITIGNORE_PASS;
	}
	e = gitindex_find(&t->own, g->rel);
	if (e != NULL)
		t->seen[e - t->own.v] = true;
	/* what is in our index was asked about when it came there */
	if ((e != NULL || !files_hidden(t->s->f, g->rel)) &&
	    is_covered(t, g->rel, g->st))
		see_file(t, g->rel, g->st, e);
	else if (e != NULL)
		snap_add(&t->drop, g->rel);
	return GITIGNORE_PASS;
}

/* What our index has and the walk did not come by: it is gone, or was not
 * ignored before.  If that cannot be told there is no snapshot. */
static void
see_rest(struct take *t, const struct gitindex_entry *e)
{
	int fd = path_open(&t->s->f->root, e->path, O_PATH | O_NOFOLLOW);
	struct stat st;

	if (fd < 0 && is_lack(errno))
		t->failed = true;
	else if (fd >= 0 && fstat(fd, &st) == 0 && is_covered(t, e->path, &st))
		see_file(t, e->path, &st, e);
	else
		snap_add(&t->drop, e->path);
	if (fd >= 0)
		close(fd);
}

/* ---- the tree ---- */

static int
write_tree(struct take *t, char tree[SNAP_OID])
{
	static const char *const put[] = { "update-index", "-z", "--add",
		"--remove", "--replace", "--stdin", NULL };
	static const char *const tree_args[] = { "write-tree", NULL };
	struct snap *s = t->s;
	struct stat st;
	int r = 0;

	/* nothing to note, and our index is as the last tree left it */
	if (t->drop.len == 0 && t->put.len == 0 && s->tree[0] != '\0' &&
	    fstatat(s->dirfd, "index", &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    stamp(&st) == s->index) {
		memcpy(tree, s->tree, SNAP_OID);
		return 0;
	}
	if (t->drop.len > 0)
		r = snap_drop(s, &t->drop);
	if (r == 0 && t->put.len > 0)
		r = snap_git(s, put, buf_view(&t->put), NULL);
	if (r == 0)
		r = snap_git_oid(s, tree_args, SLICE(""), tree);
	s->tree[0] = '\0';
	if (r == 0 && fstatat(s->dirfd, "index", &st, AT_SYMLINK_NOFOLLOW) ==
	    0) {
		s->index = stamp(&st);
		memcpy(s->tree, tree, SNAP_OID);
	}
	return r;
}

static int
take(struct snap *s, char tree[SNAP_OID], struct snap_left *left)
{
	static const char *const refresh[] = { "update-index", "-q",
		"--refresh", NULL };
	struct take t = { .s = s, .put = BUF_INIT(GIT_OUT_MAX),
		.drop = BUF_INIT(GIT_OUT_MAX),
		.text = BUF_INIT((size_t)SNAP_FILE_MAX + 65536) };
	long long begun = file_now_ms();
	struct stat st;
	int r;

	t.deadline = begun + SNAP_MS;
	t.rules = files_rules(s->f);
	map_release(&s->modes_before);
	s->modes_before = s->modes;
	s->modes = (struct map){ 0 };
	if (fstatat(s->dirfd, "index", &st, AT_SYMLINK_NOFOLLOW) == 0)
		t.written = st.st_mtim;
	r = gitindex_read(&t.own, s->dir, NULL) < 0 ? 1 : 0;
	if (r == 0) {
		t.seen = xcalloc(t.own.n + 1, sizeof *t.seen);
		gitignore_walk(t.rules, s->f->root.fd, see, &t);
		for (size_t i = 0; i < t.own.n && !t.stopped; i++)
			if (!t.seen[i])
				see_rest(&t, &t.own.v[i]);
		r = t.stopped || t.failed ? -1 : 0;
	}
	s->why = t.failed ? "a folder could not be read" : t.stopped ?
	    "it was stopped" : NULL;
	if (r == 0 && !snap_attributes_are_plain(s, &t.put)) {
		s->why = "a .gitattributes is not a regular file";
		r = -1;
	}
	if (r == 0)
		r = write_tree(&t, tree);
	/* files as they were but for their times or inodes, in a tree that was
	 * copied, need not be hashed the next time */
	if (r == 0 && !s->refreshed && file_now_ms() - begun > SLOW_MS) {
		s->refreshed = true;
		snap_git(s, refresh, SLICE(""), NULL);
	}
	*left = t.left;
	gitindex_release(&t.own);
	gitignore_free(t.rules);
	free(t.others.v);
	free(t.seen);
	buf_release(&t.text);
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
	/* who held it when it was killed left this behind */
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
		    "(%s)", s->dir, s->why != NULL ? s->why :
		    snap_git_why(s, r));
	return 0;
}

/* ---- two snapshots ---- */

int
snap_pack(struct snap *s, const struct buf *oids, bool all,
    char name[SNAP_OID])
{
	char *base = xasprintf("%s/objects/pack/pack", s->dir);
	const char *args[] = { "pack-objects", "-q", base,
		all ? NULL : "--local", NULL };
	struct buf in = BUF_INIT(GIT_OUT_MAX), out = BUF_INIT(GIT_OUT_MAX);
	const char *oid;
	int r = 0;

	name[0] = '\0';
	for (size_t at = 0; (oid = snap_next(oids, &at)) != NULL; ) {
		char *own = xasprintf("objects/%.2s/%s", oid, oid + 2);

		if (faccessat(s->dirfd, own, F_OK, 0) < 0)
			buf_fmt(&in, "%s\n", oid);
		free(own);
	}
	if (in.len > 0)
		r = snap_git(s, args, buf_view(&in), &out);
	if (r == 0 && out.len > 0 && out.len <= SNAP_OID)
		snprintf(name, SNAP_OID, "%.*s", (int)out.len - 1, out.p);
	buf_release(&in);
	buf_release(&out);
	free(base);
	return r;
}

int
snap_changes(struct snap *s, const char *before, const char *after,
    struct undo_entry *c, struct err *e)
{
	const char *args[] = { "diff-tree", "-r", "-z", "--raw",
		"--no-renames", "--no-abbrev", before, after, NULL };
	struct buf out = BUF_INIT(GIT_OUT_MAX), old = BUF_INIT(GIT_OUT_MAX);
	const char *head, *path;
	char pack[SNAP_OID];
	int r;

	if (strcmp(before, after) == 0)
		return 0;
	r = snap_git(s, args, SLICE(""), &out);
	/* ":100644 100755 OLD NEW M", and the path */
	for (size_t at = 0; r == 0 && (head = snap_next(&out, &at)) != NULL &&
	    strlen(head) >= 60 && (path = snap_next(&out, &at)) != NULL; ) {
		uint64_t *mode = map_get(&s->modes_before, slice_of(path));
		struct undo_path *t = undo_entry_add(c, path);
		size_t n = strcspn(head + 15, " ");

		t->old_mode = (mode_t)strtoul(head + 1, NULL, 8);
		if (mode != NULL && (*mode & S_IFMT) == (t->old_mode & S_IFMT))
			t->old_mode = (mode_t)*mode;
		if (n >= SNAP_OID || strncmp(head + 1, "000000", 6) == 0)
			continue;
		memcpy(t->oid, head + 15, n);
		/* of what the user's own objects hold, ours shall hold a
		 * copy */
		snap_add(&old, t->oid);
	}
	if (r == 0)
		r = snap_pack(s, &old, true, pack);
	buf_release(&out);
	buf_release(&old);
	return r == 0 ? 0 : err_set(e, ST_SYSTEM, "two snapshots in %s could "
	    "not be compared", s->dir);
}

/* ---- contents ---- */

int
snap_store(struct snap *s, struct slice content, char oid[SNAP_OID],
    struct err *e)
{
	static const char *const args[] = { "hash-object", "-w", "--stdin",
		"--no-filters", NULL };
	int r = snap_git_oid(s, args, content, oid);

	return r == 0 ? 0 : err_set(e, ST_SYSTEM, "the old content could not "
	    "be kept in %s (%s)", s->dir, snap_git_why(s, r));
}

int
snap_fetch(struct snap *s, const char *const *oids, size_t n,
    struct buf *out, struct slice *contents, struct err *e)
{
	static const char *const args[] = { "cat-file", "--batch", NULL };
	struct buf in = BUF_INIT(GIT_OUT_MAX);
	size_t at = 0;
	int r;

	for (size_t i = 0; i < n; i++)
		buf_fmt(&in, "%s\n", oids[i]);
	r = n > 0 ? snap_git(s, args, buf_view(&in), out) : 0;
	/* "OID blob SIZE LF content LF", or "OID missing LF" */
	for (size_t i = 0; i < n && r == 0; i++) {
		struct slice rest = { out->p + at, out->len - at }, head;
		const char *size;
		long long len;
		char *end;

		contents[i] = (struct slice){ NULL, 0 };
		if (!slice_line(&rest, &head))
			continue;
		at = out->len - rest.n;
		size = memmem(head.p, head.n, " blob ", 6);
		len = size != NULL ? strtoll(size + 6, &end, 10) : -1;
		if (len < 0 || end != head.p + head.n ||
		    (size_t)len >= rest.n)
			continue;
		contents[i] = (struct slice){ rest.p, (size_t)len };
		at += (size_t)len + 1;
	}
	buf_release(&in);
	return r == 0 ? 0 : err_set(e, ST_SYSTEM, "the old contents in %s "
	    "cannot be read", s->dir);
}
