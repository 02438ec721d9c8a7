/* snap.c - snapshots of the root, taken. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "file.h"
#include "gitignore.h"
#include "mem.h"
#include "sha.h"

#include "files_in.h"
#include "journal.h"
#include "snap_in.h"
#include "writers.h"

#define RACY_NS 20000000LL	/* a clock tick of the slowest kernels, twice */
#define ASK_FILES 64		/* files between two looks at the clock */
#define SLOW_MS 1000		/* so long, and git must have hashed a lot */

bool
snap_oid(const struct buf *out, char oid[SNAP_OID])
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
is_stream(const struct snap *s, const struct stat *st)
{
	for (size_t i = 0; i < sizeof s->streams / sizeof *s->streams; i++)
		if (s->streams[i].st_ino == st->st_ino &&
		    s->streams[i].st_dev == st->st_dev)
			return true;
	return false;
}

/* Does this file belong in a snapshot? */
static bool
is_covered(struct take *t, const char *rel, const struct stat *st)
{
	if (is_stream(t->s, st))
		return false;
	if (S_ISREG(st->st_mode) && st->st_size > SNAP_FILE_MAX)
		t->left.large++;
	else if (S_ISREG(st->st_mode) && !is_readable(t->s, rel, st))
		t->left.unreadable++;
	else
		return S_ISREG(st->st_mode) || S_ISLNK(st->st_mode);
	return false;
}

/* ---- is it as our index has it? ---- */

static bool
is_time(const struct timespec *a, const struct timespec *b)
{
	return (uint32_t)a->tv_sec == (uint32_t)b->tv_sec &&
	    a->tv_nsec == b->tv_nsec;
}

/* So long before when that a later change must have another time? */
static bool
is_settled(const struct timespec *when, const struct timespec *then)
{
	return (when->tv_sec - then->tv_sec) * 1000000000LL + when->tv_nsec -
	    then->tv_nsec > RACY_NS;
}

static uint32_t
git_mode(const struct stat *st)
{
	return S_ISLNK(st->st_mode) ? S_IFLNK :
	    S_IFREG | ((st->st_mode & S_IXUSR) != 0 ? 0755 : 0644);
}

static bool
is_same_stat(const struct gitindex_entry *e, const struct stat *st)
{
	return is_time(&e->mtime, &st->st_mtim) &&
	    is_time(&e->ctime, &st->st_ctim) &&
	    e->ino == (uint32_t)st->st_ino && e->uid == st->st_uid &&
	    e->gid == st->st_gid && e->size == (uint32_t)st->st_size;
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

static bool
read_content(struct take *t, const char *rel, const struct stat *st)
{
	int fd = path_open(&t->s->f->root, rel, S_ISLNK(st->st_mode) ?
	    O_PATH | O_NOFOLLOW : O_RDONLY | O_NOFOLLOW);
	struct stat now;
	bool good = fd >= 0 && fstat(fd, &now) == 0 &&
	    now.st_ino == st->st_ino && now.st_mode == st->st_mode;
	ssize_t n;

	buf_reset(&t->text);
	if (good && S_ISLNK(st->st_mode)) {
		good = buf_reserve(&t->text, PATH_TEXT_MAX + 1) == 0;
		n = good ? readlinkat(fd, "", t->text.p, PATH_TEXT_MAX) : -1;
		good = n >= 0;
		t->text.len = good ? (size_t)n : 0;
	} else if (good) {
		good = file_read_fd(fd, rel, &t->text, NULL) == 0;
	}
	if (fd >= 0)
		close(fd);
	return good;
}

static bool
is_same_content(struct take *t, const struct gitindex_entry *e,
    const char *rel, const struct stat *st)
{
	char is[SHA_HEX], had[SHA_HEX];

	/* git notes a size of 0 for what it must look at again */
	if (e->mode != git_mode(st) || !read_content(t, rel, st) ||
	    (e->size != 0 && e->size != (uint32_t)st->st_size) ||
	    !sha_blob(t->own.oid_len == 32, t->text.p != NULL ? t->text.p : "",
	    t->text.len, is))
		return false;
	for (size_t i = 0; i < t->own.oid_len; i++)
		snprintf(had + 2 * i, 3, "%02x", e->oid[i]);
	return strcmp(is, had) == 0;
}

static bool
is_clean(struct take *t, const struct gitindex_entry *e, const char *rel,
    const struct stat *st)
{
	uint64_t now = stamp(st);
	uint64_t *was = map_get(&t->s->clean, slice_of(rel));
	struct timespec clock;

	if (was != NULL && *was == now)
		return true;
	if (e->mode == git_mode(st) && is_same_stat(e, st) &&
	    is_settled(&t->written, &e->mtime))
		return true;
	clock_gettime(CLOCK_REALTIME, &clock);
	if (!is_same_content(t, e, rel, st))
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
	if (!clean && writers_have(&t->others, st))
		return;
	*map_put(&t->s->modes, slice_of(rel), NULL) = st->st_mode;
	if (clean)
		return;
	was = map_get(&t->s->clean, slice_of(rel));
	if (was != NULL)
		*was = 0;
	add_path(&t->put, rel);
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
		add_path(&t->drop, g->rel);
	return GITIGNORE_PASS;
}

/* What our index has and the walk did not come by: it is gone, or was not
 * ignored before.  That cannot be told: then there is no snapshot. */
static void
see_rest(struct take *t, const struct gitindex_entry *e)
{
	int fd = path_open(&t->s->f->root, e->path, O_PATH | O_NOFOLLOW);
	struct stat st;

	if (fd >= 0 && fstat(fd, &st) == 0) {
		if (is_covered(t, e->path, &st))
			see_file(t, e->path, &st, e);
		else
			add_path(&t->drop, e->path);
	} else if (fd < 0 && is_lack(errno)) {
		t->failed = true;
	} else {
		add_path(&t->drop, e->path);
	}
	if (fd >= 0)
		close(fd);
}

static int
see_all(struct take *t)
{
	struct stat st;

	if (fstatat(t->s->dirfd, "index", &st, AT_SYMLINK_NOFOLLOW) == 0)
		t->written = st.st_mtim;
	if (gitindex_read(&t->own, t->s->dir, NULL) < 0)
		return 1;
	t->seen = xcalloc(t->own.n + 1, sizeof *t->seen);
	gitignore_walk(t->rules, t->s->f->root.fd, see, t);
	for (size_t i = 0; i < t->own.n && !t->stopped; i++)
		if (!t->seen[i])
			see_rest(t, &t->own.v[i]);
	return t->stopped || t->failed ? -1 : 0;
}

/* Files as they were but for their times or inodes, in a tree that was copied:
 * they need not be hashed the next time. */
static void
note_times(struct snap *s, long long begun)
{
	static const char *const refresh[] = { "update-index", "-q",
		"--refresh", NULL };

	if (s->refreshed || file_now_ms() - begun <= SLOW_MS)
		return;
	s->refreshed = true;
	snap_git(s, refresh, SLICE(""), NULL);
}

static bool
is_same_file(const struct stat *a, const struct stat *b)
{
	return a->st_ino == b->st_ino && a->st_size == b->st_size &&
	    memcmp(&a->st_mtim, &b->st_mtim, sizeof a->st_mtim) == 0 &&
	    memcmp(&a->st_ctim, &b->st_ctim, sizeof a->st_ctim) == 0;
}

/* Nothing to note, and our index is as the last tree left it? */
static bool
is_as_before(const struct take *t)
{
	struct stat st;

	return t->drop.len == 0 && t->put.len == 0 && t->s->tree[0] != '\0' &&
	    fstatat(t->s->dirfd, "index", &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    is_same_file(&st, &t->s->index);
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

	if (is_as_before(t)) {
		memcpy(tree, t->s->tree, SNAP_OID);
		return 0;
	}
	if (t->drop.len > 0)
		r = snap_git(t->s, drop, buf_view(&t->drop), NULL);
	if (r == 0 && t->put.len > 0)
		r = snap_git(t->s, put, buf_view(&t->put), NULL);
	if (r == 0)
		r = snap_git(t->s, tree_args, SLICE(""), &out);
	if (r == 0 && !snap_oid(&out, tree))
		r = -1;
	t->s->tree[0] = '\0';
	if (r == 0 && fstatat(t->s->dirfd, "index", &t->s->index,
	    AT_SYMLINK_NOFOLLOW) == 0)
		memcpy(t->s->tree, tree, SNAP_OID);
	buf_release(&out);
	return r;
}

static int
take(struct snap *s, char tree[SNAP_OID], struct snap_left *left)
{
	struct take t = { .s = s, .put = BUF_INIT(GIT_OUT_MAX),
		.drop = BUF_INIT(GIT_OUT_MAX),
		.text = BUF_INIT((size_t)SNAP_FILE_MAX + 65536) };
	long long begun = file_now_ms();
	int r;

	t.deadline = begun + SNAP_MS;
	t.rules = files_rules(s->f);
	map_release(&s->modes_before);
	s->modes_before = s->modes;
	s->modes = (struct map){ 0 };
	r = see_all(&t);
	s->why = t.failed ? "a folder could not be read" : t.stopped ?
	    "it was stopped" : NULL;
	if (r == 0 && !snap_attributes_are_plain(s, &t.put)) {
		s->why = "a .gitattributes is not a regular file";
		r = -1;
	}
	if (r == 0)
		r = write_tree(&t, tree);
	if (r == 0)
		note_times(s, begun);
	*left = t.left;
	gitindex_release(&t.own);
	gitignore_free(t.rules);
	writers_release(&t.others);
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
		    "(%s)", s->dir, s->why != NULL ? s->why :
		    snap_git_why(s, r));
	return 0;
}
