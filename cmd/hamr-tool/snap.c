/* snap.c - snapshots of the root, taken. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "file.h"

#include "files_in.h"
#include "journal.h"
#include "snap_in.h"

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
	struct map passed;	/* paths that were judged and do not belong */
	struct buf put, drop;	/* paths to be added or looked at; removed */
	struct snap_left left;
	struct buf folder;	/* which one dirfd is; lists are sorted */
	bool failed;		/* something could not be looked at */
	int dirfd;		/* -1: none */
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

/* What is not there is left out of a snapshot; when that cannot be told there
 * is none. */
static bool
look(struct take *t, const char *rel, struct stat *st)
{
	int fd = path_open(&t->s->f->root, rel, O_PATH | O_NOFOLLOW);
	bool good = fd >= 0 && fstat(fd, st) == 0;

	t->failed = t->failed || (!good && (errno == EMFILE ||
	    errno == ENFILE || errno == ENOMEM || errno == EIO));
	if (fd >= 0)
		close(fd);
	return good;
}

/* As look; of the many names in one folder only the first costs a walk. */
static bool
look_near(struct take *t, const char *rel, struct stat *st)
{
	const char *slash = strrchr(rel, '/'), *base;
	size_t n = slash != NULL ? (size_t)(slash - rel) : 0;

	if (t->dirfd < 0 || t->folder.len != n ||
	    (n > 0 && memcmp(t->folder.p, rel, n) != 0)) {
		if (t->dirfd >= 0)
			close(t->dirfd);
		t->dirfd = path_open_parent(&t->s->f->root, rel, &base);
		buf_reset(&t->folder);
		buf_add(&t->folder, rel, n);
	}
	if (t->dirfd < 0)
		return look(t, rel, st);
	return fstatat(t->dirfd, slash != NULL ? slash + 1 : rel, st,
	    AT_SYMLINK_NOFOLLOW) == 0;
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

/* Does this path belong in a snapshot?  Notes its mode if it does. */
static bool
is_covered(struct take *t, const char *rel)
{
	struct stat st;

	if (files_hidden(t->s->f, rel) || !look(t, rel, &st))
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

/* Does a path that our index does not know belong in it? */
static void
see_new(struct take *t, char *rel)
{
	size_t n = strlen(rel);

	if (n > 0 && rel[n - 1] == '/')
		t->left.nested += !files_hidden(t->s->f, rel);
	else if (map_get(&t->s->modes, slice_of(rel)) == NULL &&
	    map_get(&t->passed, slice_of(rel)) == NULL) {
		if (is_covered(t, rel))
			add_path(&t->put, rel);
		else
			map_put(&t->passed, slice_of(rel), NULL);
	}
}

/* A path that is in our index and that nobody has touched. */
static void
see_known(struct take *t, const char *rel)
{
	struct stat st;

	if (!look_near(t, rel, &st))
		return;
	if (is_stream(t->s, &st))
		add_path(&t->drop, rel);
	else
		*map_put(&t->s->modes, slice_of(rel), NULL) = st.st_mode;
}

/* What our index says of each path: H it is in it, and then R it is gone, C it
 * has changed; ? it is not in it, where that was asked. */
static void
see_own(struct take *t, const struct buf *out)
{
	for (size_t at = 0; at + 2 < out->len;
	    at += strlen(out->p + at) + 1) {
		char *rel = out->p + at + 2;

		if (out->p[at] == 'R')
			add_path(&t->drop, rel);
		else if (out->p[at] == 'C')
			add_path(is_covered(t, rel) ? &t->put : &t->drop, rel);
		else if (out->p[at] == 'H')
			see_known(t, rel);
	}
	/* they come first, but a file in place of a folder is a new one and
	 * one that is gone */
	for (size_t at = 0; at + 2 < out->len;
	    at += strlen(out->p + at) + 1)
		if (out->p[at] == '?')
			see_new(t, out->p + at + 2);
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

#define OWN "ls-files", "-z", "-t", "-c", "-d", "-m"
#define OTHERS "-o", "--exclude-standard"

/* What is there, by our index and the user's: both are asked at once.  Where
 * he has no repository ours is asked for all. */
static int
see(struct take *t)
{
	static const char *const own[] = { OWN, NULL };
	static const char *const all[] = { OWN, OTHERS, NULL };
	static const char *const his[] = { "ls-files", "-z", "-c", OTHERS,
		NULL };
	struct git ours = snap_ours(t->s), users = snap_users(t->s);
	bool both = snap_has_users(t->s);
	struct buf out = BUF_INIT(GIT_OUT_MAX), more = BUF_INIT(GIT_OUT_MAX);
	struct git_child a, b = { -1, -1 };
	long long begun = file_now_ms();
	int r, r2 = 0;

	git_begin(&ours, both ? own : all, SLICE(""), &a);
	if (both)
		git_begin(&users, his, SLICE(""), &b);
	r = git_end(&ours, &a, &out);
	if (both)
		r2 = git_end(&users, &b, &more);
	if (r == 0 && r2 > 0) {		/* that was none of his */
		buf_reset(&out);
		buf_reset(&more);
		r = snap_git(t->s, all, SLICE(""), &out);
	}
	if (r == 0 && r2 < 0)
		r = -1;
	if (r == 0)
		note_times(t->s, begun);
	if (r == 0)
		see_own(t, &out);
	for (size_t at = 0; r == 0 && at < more.len;
	    at += strlen(more.p + at) + 1)
		see_new(t, more.p + at);
	buf_release(&out);
	buf_release(&more);
	return r;
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
		.folder = BUF_INIT(BUF_RECORD_MAX), .dirfd = -1 };
	int r;

	map_release(&s->modes_before);
	s->modes_before = s->modes;
	s->modes = (struct map){ 0 };
	r = see(&t);
	if (r == 0)
		r = t.failed ? -1 : write_tree(&t, tree);
	*left = t.left;
	if (t.dirfd >= 0)
		close(t.dirfd);
	map_release(&t.passed);
	buf_release(&t.folder);
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
