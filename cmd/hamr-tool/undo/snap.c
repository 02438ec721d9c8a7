/* snap.c - snapshots of the root: taking, comparing and reading them. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/num.h"
#include "git/gitignore.h"

#include "files/files.h"
#include "files/replace.h"
#include "internal.h"
#include "journal.h"

#define RACY_NS 20000000LL	/* two clock ticks of the slowest kernels */
#define TICK_MS 12		/* more than one such tick, in steps of 1 ms */
#define ASK_FILES 64		/* files between checks of the clock */
#define SLOW_MS 1000		/* a slower snapshot has hashed a lot */
#define ASK_BYTES 65536		/* with more, asking is faster than reading */
#define SETTLE_FILES 32		/* read by one git process */
#define SETTLE_MAX (SETTLE_FILES * ((size_t)SNAP_FILE_MAX + 128))

/* ---- files that others have open for writing ---- */

/* Does a process of our login session (we, the loop, the shell's jobs; our
 * commands have sessions of their own) have this file open for writing?  The
 * first call scans all processes for w, which is empty. */
static bool
writers_have(struct map *w, const struct stat *st)
{
	DIR *d = w->n > 0 ? NULL : file_opendir(AT_FDCWD, "/proc");
	pid_t session = getsid(0);
	struct dirent *e, *fd;
	struct stat is;

	map_put(w, SLICE(""), NULL);	/* it is not empty now */
	while (d != NULL && (e = file_readdir(d)) != NULL) {
		pid_t pid = (pid_t)strtol(e->d_name, NULL, 10);
		char name[32];

		if (pid <= 0 || getsid(pid) != session)
			continue;
		snprintf(name, sizeof name, "%d/fd", pid);
		DIR *fds = file_opendir(dirfd(d), name);
		/* the mode of the link says how the file was opened */
		while ((fd = file_readdir(fds)) != NULL)
			if (fstatat(dirfd(fds), fd->d_name, &is,
			    AT_SYMLINK_NOFOLLOW) == 0 &&
			    (is.st_mode & S_IWUSR) != 0 &&
			    fstatat(dirfd(fds), fd->d_name, &is, 0) == 0 &&
			    S_ISREG(is.st_mode))
				map_put(w, FILE_KEY(&is), NULL);
		file_closedir(fds);
	}
	file_closedir(d);
	return map_get(w, FILE_KEY(st)) != NULL;
}

/* ---- one snapshot ---- */

struct take {
	struct snap *s;
	struct gitignore *rules;
	struct timespec written;	/* when our index was */
	bool *seen, *gone;	/* per entry of our index */
	struct gitindex_entry *new;
	size_t nnew, cap;
	struct arena names;	/* of new */
	struct map writers;		/* writers_have */
	struct map left;	/* what it left out, if we look at everything */
	const struct map *others;	/* what it left out, in any case */
	struct map inodes;	/* of our index, filled on first use */
	struct buf text;
	long long deadline;
	size_t asked;
	bool changed;		/* an entry is new or gone */
	bool noted;		/* or has other times for the same content */
	bool failed;		/* something could not be looked at */
	bool stopped;
};

/* Does this file belong in a snapshot? */
static bool
is_covered(struct take *t, const char *rel, const struct stat *st)
{
	struct snap *s = t->s;
	bool readable;

	if (!S_ISREG(st->st_mode))
		return S_ISLNK(st->st_mode);
	if (st->st_size > SNAP_FILE_MAX) {
		s->left.large++;
		return false;
	}
	/* by git, as the user it runs as */
	if (s->me == 0)
		readable = s->owner == 0 || (st->st_uid == s->owner ?
		    (st->st_mode & 0400) : (st->st_mode & 0044)) != 0;
	else
		readable = (st->st_uid == s->me && (st->st_mode & 0400) != 0) ||
		    faccessat(s->f->root.fd, rel, R_OK,
		    AT_SYMLINK_NOFOLLOW) == 0;
	s->left.unreadable += !readable;
	return readable;
}

/* Is somebody other than a command of ours writing this file now? */
static bool
is_written(struct take *t, const char *rel, const struct stat *st)
{
	struct stat is;

	if (!S_ISREG(st->st_mode))
		return false;
	/* Can we take a lease on the file?  Not while any process has it open
	 * for writing (fcntl(2)).  A process that opens it for writing
	 * meanwhile waits until we close it; the kernel then sends us SIGURG,
	 * which, unlike SIGIO, is ignored by default. */
	int fd = path_open(&t->s->f->root, rel, O_RDONLY | O_NOFOLLOW);
	bool free = fd >= 0 && fstat(fd, &is) == 0 &&
	    is_same_file(&is, st) &&
	    fcntl(fd, F_SETSIG, SIGURG) == 0 &&
	    fcntl(fd, F_SETLEASE, F_RDLCK) == 0;
	file_close(fd);
	return !free && writers_have(&t->writers, st);
}

/* ---- is a file as our index has it? ---- */

/* Is then so long before when that a later change must have another time? */
static bool
is_settled(const struct timespec *when, const struct timespec *then)
{
	return time_ns(*when) - time_ns(*then) > RACY_NS;
}

/* Equal, as git's index stores times? */
static bool
is_time(const struct timespec *a, const struct timespec *b)
{
	return (uint32_t)a->tv_sec == (uint32_t)b->tv_sec &&
	    a->tv_nsec == b->tv_nsec;
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

	if (good && S_ISLNK(kind)) {
		good = buf_reserve(text, PATH_TEXT_MAX + 1) == 0;
		ssize_t n = good ? readlinkat(fd, "", text->p, PATH_TEXT_MAX) :
		    -1;
		good = n >= 0;
		text->len = good ? (size_t)n : 0;
	} else if (good) {
		good = S_ISREG(kind) &&
		    file_read_fd(fd, rel, text, NULL) == 0;
	}
	file_close(fd);
	return good;
}

/* Does stat alone show that the file is as e says?  An entry with a size had
 * settled when it was read. */
static bool
looks_clean(const struct take *t, const struct gitindex_entry *e,
    const struct stat *st)
{
	return (e->mode & S_IFMT) == (st->st_mode & S_IFMT) &&
	    is_time(&e->mtime, &st->st_mtim) &&
	    is_time(&e->ctime, &st->st_ctim) &&
	    e->ino == (uint32_t)st->st_ino && e->uid == st->st_uid &&
	    e->gid == st->st_gid && e->size == (uint32_t)st->st_size &&
	    (e->size > 0 || is_settled(&t->written, &e->mtime));
}

static bool
is_lack(int error)
{
	return error == EMFILE || error == ENFILE || error == ENOMEM ||
	    error == EIO;
}

/* A key of maps: an inode's number, as git's index stores it. */
#define INODE_KEY(ino) \
	((struct slice){ (const char *)&(uint32_t){ (uint32_t)(ino) }, \
	    sizeof(uint32_t) })

/* The file has no entry of its own; known: its path has.  If it existed when
 * the last snapshot was taken, but was ignored, too large or unreadable then,
 * note the time of its birth (if unknown, of its last change).  A file that was
 * moved has the inode of an entry.  A left-out file that another replaced under
 * its name, as sed -i does, counts as the same file. */
static void
note_older(struct take *t, const char *rel, const struct stat *st, bool known)
{
	struct snap *s = t->s;
	int fd = path_open(&s->f->root, rel, O_PATH | O_NOFOLLOW);
	int64_t born = fd >= 0 ? file_birth_time(fd, "") : 0;

	file_close(fd);
	if (born == 0)
		born = time_ns(st->st_ctim);
	if (born >= s->looked) {
		/* was this path, or a folder above it, left out then? */
		const char *end = known ? NULL : rel + strlen(rel);
		while (end != NULL && map_get(t->others,
		    (struct slice){ rel, (size_t)(end - rel) }) == NULL)
			end = memrchr(rel, '/', (size_t)(end - rel));
		if (end == NULL)
			return;
		born = 1;	/* for all we know, long ago */
	}
	if (t->inodes.n == 0)
		for (size_t i = 0; i < s->now.n; i++)
			map_put(&t->inodes, INODE_KEY(s->now.v[i].ino), NULL);
	if (map_get(&t->inodes, INODE_KEY(st->st_ino)) == NULL)
		*map_put(&s->older, slice_of(rel), NULL) = (uint64_t)born;
}

/* A hash of a file's inode, size and times; not 0.  It may be kept for another
 * process: map_hash has a seed. */
static uint64_t
stat_mark(const struct stat *st)
{
	const int64_t is[] = { (int64_t)st->st_ino, st->st_size,
		time_ns(st->st_mtim), time_ns(st->st_ctim) };

	return hash_bytes(is, sizeof is) | 1;
}

/* The mark that a file which is too large has in m; 0: it is not in it. */
static uint64_t
mark_in(const struct map *m, const char *rel)
{
	const uint64_t *mark = map_get(m, slice_of(rel));

	return mark != NULL ? *mark : 0;
}

/* A file had this mark.  If it has another one now, or is only now too large,
 * note it, unless another program is writing it. */
static void
note_large(struct take *t, const char *rel, uint64_t was)
{
	struct snap *s = t->s;
	const struct root *root = &s->f->root;
	struct stat st;

	if (s->taken == 1 || mark_in(&s->others, rel) == was ||
	    files_hidden(s->f, rel))
		return;
	bool is = fstatat(root->fd, rel, &st, AT_SYMLINK_NOFOLLOW) == 0;
	if (is && (stat_mark(&st) == was || is_written(t, rel, &st)))
		return;
	if (is && was == 0)
		note_older(t, rel, &st, false);
	*map_put(&s->large, slice_of(rel), NULL) = is && was == 0 &&
	    map_get(&s->older, slice_of(rel)) == NULL;
}

/* Drop entry e, if any. */
static void
drop(struct take *t, const struct gitindex_entry *e)
{
	if (e == NULL)
		return;
	t->gone[e - t->s->now.v] = true;
	t->changed = true;
}

/* Put the entry new in the place of e, or of none. */
static void
enter(struct take *t, const char *rel, const struct gitindex_entry *e,
    struct gitindex_entry new)
{
	drop(t, e);
	new.path = arena_dup(&t->names, rel, strlen(rel));
	new.oid = (unsigned char *)arena_dup(&t->names, (char *)new.oid,
	    OID_BYTES);
	GROW(t->new, t->nnew, t->cap);
	t->new[t->nnew++] = new;
	t->changed = true;
}

/* A file that is not covered (st NULL: that does not exist); e is its entry, or
 * NULL. */
static void
see_other(struct take *t, const char *rel, const struct stat *st,
    const struct gitindex_entry *e)
{
	struct gitindex_entry new;

	if (st == NULL) {
		drop(t, e);
		return;
	}
	bool file = S_ISREG(st->st_mode);
	/* it cannot be read: has only its mode changed since it was? */
	bool shut = file && e != NULL && S_ISREG(e->mode) &&
	    (st->st_mode & 0400) == 0 && st->st_size <= SNAP_FILE_MAX &&
	    e->ino == (uint32_t)st->st_ino &&
	    is_time(&e->mtime, &st->st_mtim) &&
	    (e->size == 0 || e->size == (uint32_t)st->st_size);

	if (shut && e->mode != st->st_mode) {
		new = *e;
		new.mode = st->st_mode;
		enter(t, rel, e, new);
	} else if (!shut) {
		drop(t, e);
		if (file)
			*map_put(&t->s->others, slice_of(rel), NULL) =
			    st->st_size > SNAP_FILE_MAX ? stat_mark(st) : 0;
	}
}

/* A file; e is its entry, or NULL. */
static void
see_file(struct take *t, const char *rel, struct stat st,
    struct gitindex_entry *e)
{
	struct snap *s = t->s;
	unsigned char oid[SHA_BYTES];
	struct timespec clock;

	if (!is_covered(t, rel, &st)) {
		see_other(t, rel, &st, e);
		return;
	}
	/* it may have another name where nothing is watched */
	if (S_ISREG(st.st_mode) && st.st_nlink > 1)
		s->watch.whole = false;
	if (e != NULL && looks_clean(t, e, &st))
		return;
	/* do not read our own output, which may be long, at every call */
	if (st.st_size > ASK_BYTES && is_written(t, rel, &st))
		return;
	clock_gettime(CLOCK_REALTIME, &clock);
	buf_reset(&t->text);
	errno = 0;
	if (!snap_read(&s->f->root, rel, &st, &t->text) ||
	    !is_covered(t, rel, &st)) {
		t->failed = t->failed || is_lack(errno);
		/* EAGAIN: another process's lease keeps us out */
		drop(t, errno == EAGAIN ? NULL : e);
		return;
	}
	sha_git(false, "blob", t->text.p, t->text.len, oid);
	/* it may change again without a new time: store no size, so that the
	 * next snapshot reads it again */
	bool settled = !s->watch.untimed && is_settled(&clock, &st.st_ctim) &&
	    is_settled(&clock, &st.st_mtim);
	struct gitindex_entry new = { .mtime = st.st_mtim,
		.ctime = st.st_ctim, .ino = (uint32_t)st.st_ino,
		.mode = S_ISLNK(st.st_mode) ? S_IFLNK : st.st_mode,
		.uid = st.st_uid, .gid = st.st_gid, .oid = oid,
		.size = settled ? (uint32_t)st.st_size : 0, .plain = true };
	bool same = e != NULL && memcmp(e->oid, oid, OID_BYTES) == 0;
	if (same && e->mode == new.mode) {
		/* an entry from the user's index has no stat data yet */
		t->changed = t->changed || e->ino == 0;
		new.path = e->path;
		new.oid = e->oid;
		*e = new;
		t->noted = t->noted || settled;
		return;
	}
	/* keep the entry of a file that someone else is writing now */
	if (is_written(t, rel, &st))
		return;
	if (!same && object_put(s, buf_view(&t->text), oid) < 0) {
		s->why = strerror(errno);
		t->failed = true;
		return;
	}
	if (e == NULL || e->ino != (uint32_t)st.st_ino)
		note_older(t, rel, &st, e != NULL);
	enter(t, rel, e, new);
}

/* ---- looking at the tree ---- */

/* May we, who own it, not look through a folder with this mode? */
static bool
is_shut(const struct snap *s, mode_t mode)
{
	return s->me != 0 && S_ISDIR(mode) && (mode & 0500) != 0500;
}

/* Let us into a folder that a command may have shut, to see what it changed
 * there before.  was: what the last snapshot noted of it, or NULL. */
static void
open_shut(struct snap *s, const struct gitignore_seen *g, const uint64_t *was)
{
	mode_t mode = g->st->st_mode;

	if (!is_shut(s, mode) || g->st->st_uid != s->me ||
	    !(gitindex_has(&s->now, g->rel) || (was == NULL ? s->taken > 1 :
	    !is_shut(s, folder_mode(*was)) || map_get(&s->shut,
	    slice_of(g->rel)) != NULL)) || fchmodat(g->dirfd, g->base,
	    (mode & 07777) | 0700, AT_SYMLINK_NOFOLLOW) < 0)
		return;
	undo_entry_add_folder(&s->opened, g->rel)->old_mode = mode;
	map_put(&s->shut, slice_of(g->rel), NULL);
}

void
snap_finish(struct snap *s)
{
	for (size_t i = s->opened.nfolders; i-- > 0; )
		path_chmod(&s->f->root, s->opened.folders[i].path,
		    s->opened.folders[i].old_mode);
	undo_entry_release(&s->opened);
	file_close(s->lock);
	s->lock = -1;
}

static enum gitignore_next
see(void *arg, const struct gitignore_seen *g)
{
	struct take *t = arg;
	struct snap *s = t->s;

	if (t->asked++ % ASK_FILES == 0 && (snap_stopped(s) ||
	    file_now_ms() > t->deadline))
		t->stopped = true;
	if (t->stopped || t->failed)
		return GITIGNORE_STOP;
	if (g->st == NULL) {
		t->failed = t->failed || is_lack(g->error);
		s->left.unreadable++;
		return GITIGNORE_PASS;
	}
	if (!S_ISDIR(g->st->st_mode)) {
		struct gitindex_entry *e = gitindex_find(&s->now, g->rel);

		if (replace_is_temporary(g->base))
			return GITIGNORE_PASS;
		if (e != NULL)
			t->seen[e - s->now.v] = true;
		/* what is in our index was checked when it was added */
		if (e != NULL || !files_hidden(s->f, g->rel))
			see_file(t, g->rel, *g->st, e);
		else
			see_other(t, g->rel, g->st, e);
		return GITIGNORE_PASS;
	}
	if (strcasecmp(g->base, ".hamr") == 0)
		return GITIGNORE_PASS;
	const uint64_t *was = map_get(&s->old_folders, slice_of(g->rel));
	*map_put(&s->folders, slice_of(g->rel), NULL) = folder_mark(g->st);
	if (was == NULL) {
		int64_t born = file_birth_time(g->dirfd, g->base);

		*map_put(&s->made, slice_of(g->rel), NULL) = born != 0 &&
		    born < s->looked;
	}
	/* a mounted file system may be of any type */
	if (g->st->st_dev != s->dev)
		s->watch.whole = false;
	open_shut(s, g, was);
	bool nested = gitignore_is_nested(g->dirfd, g->base);
	watch_folder(&s->watch, g->dirfd, g->base, nested ? NULL : g->rel);
	if (nested != gitignore_is_nested(g->dirfd, g->base))
		s->watch.whole = false;
	if (!nested)
		return GITIGNORE_ENTER;
	s->left.nested += !files_hidden(s->f, g->rel);
	map_put(&s->others, slice_of(g->rel), NULL);
	return GITIGNORE_PASS;
}

/* Look at one path; e is its entry, or NULL, which is kept if it is in a folder
 * that may not be entered.  If we cannot find out whether it exists, the
 * snapshot fails.  True: it exists. */
static bool
see_one(struct take *t, const char *rel, struct gitindex_entry *e)
{
	int fd = path_open(&t->s->f->root, rel, O_PATH | O_NOFOLLOW);
	struct stat st = { .st_mode = 0 };

	if (fd < 0 && is_lack(errno))
		t->failed = true;
	else if (fd < 0 && errno == EACCES)
		t->s->left.unreadable++;
	else if (fd >= 0 && fstat(fd, &st) == 0)
		see_file(t, rel, st, e);
	else
		see_other(t, rel, NULL, e);
	file_close(fd);
	return fd >= 0;
}

/* Look only at the files reported as changed. */
static void
look_at(struct take *t, const struct texts *paths)
{
	struct snap *s = t->s;
	struct snap_left left = s->left;
	struct map seen = { 0 };

	for (size_t i = 0; i < paths->n && !t->failed; i++) {
		const char *rel = paths->v[i];
		struct gitindex_entry *e = gitindex_find(&s->now, rel);
		bool fresh;

		map_put(&seen, slice_of(rel), &fresh);
		if (!fresh || replace_is_temporary(file_base(rel)) ||
		    (e == NULL && files_hidden(s->f, rel)))
			continue;
		if (e == NULL && t->rules == NULL)
			t->rules = files_rules(s->f);
		if (e == NULL &&
		    gitignore_path(t->rules, s->f->root.fd, rel)) {
			map_put(&s->others, slice_of(rel), NULL);
			continue;
		}
		uint64_t was = mark_in(&s->others, rel);
		if (was != 0)
			*map_put(&s->others, slice_of(rel), NULL) = 0;
		see_one(t, rel, e);
		note_large(t, rel, was);
	}
	s->left = left;
	map_release(&seen);
}

static void
look(struct take *t)
{
	struct snap *s = t->s;
	const char *path;
	uint64_t mark;

	t->rules = files_rules(s->f);
	const struct texts *folders = gitignore_folders(t->rules);
	watch_begin(&s->watch);
	watch_folder(&s->watch, s->f->root.fd, ".", "");
	for (size_t i = 0; i < folders->n; i++)
		watch_folder(&s->watch, AT_FDCWD, folders->v[i], NULL);
	map_release(&s->old_folders);
	s->old_folders = s->folders;
	s->folders = (struct map){ 0 };
	t->left = s->others;
	t->others = &t->left;
	s->others = (struct map){ 0 };
	gitignore_note(t->rules, &s->others);
	s->left = (struct snap_left){ 0 };
	gitignore_walk(t->rules, s->f->root.fd, see, t);
	for (size_t i = 0; i < s->now.n && !t->stopped && !t->failed; i++)
		/* removed, or ignored only now: its folder is not watched */
		if (!t->seen[i] && see_one(t, s->now.v[i].path, &s->now.v[i]))
			s->watch.whole = false;
	for (size_t at = 0; (path = map_next(&t->left, &at, &mark).p) != NULL; )
		if (mark != 0)
			note_large(t, path, mark);
	for (size_t at = 0; (path = map_next(&s->others, &at, &mark).p) !=
	    NULL; )
		if (mark != 0 && mark_in(&t->left, path) == 0)
			note_large(t, path, 0);
}

/* ---- our index ---- */

/* The mark of the index file; 0: there is none. */
static uint64_t
index_stamp(const struct snap *s)
{
	struct stat st;

	return fstatat(s->dirfd, "index", &st, AT_SYMLINK_NOFOLLOW) < 0 ? 0 :
	    stat_mark(&st);
}

/* Make fresh the index; is: its stamp, 0 if it is unusable. */
static void
set_index(struct snap *s, const struct gitindex *fresh, uint64_t is)
{
	/* keep the index of the last snapshot, once */
	if (s->same)
		s->before = s->now;
	else
		gitindex_release(&s->now);
	s->same = false;
	s->now = *fresh;
	s->stamp = is;
}

/* Read an index of ours: 0, or -1 if there is none or it is unusable, and then
 * ix is empty. */
static int
read_index(const struct snap *s, const char *name, struct gitindex *ix)
{
	struct buf bytes = BUF_INIT(GITINDEX_MAX);
	unsigned char sum[SHA_BYTES];

	*ix = (struct gitindex){ .n = 0 };
	if (snap_read_file(s, name, &bytes) == 0 &&
	    gitindex_parse(ix, &bytes) == 0 &&
	    ix->oid_len == OID_BYTES) {
		size_t n = ix->bytes.len - OID_BYTES;

		/* it ends with the hash of what comes before that */
		sha_git(false, NULL, ix->bytes.p, n, sum);
		if (memcmp(ix->bytes.p + n, sum, OID_BYTES) == 0)
			return 0;
	}
	buf_release(&bytes);
	gitindex_release(ix);
	return -1;
}

/* Read the index again if its file changed.  -1: it is unusable. */
static int
refresh(struct snap *s)
{
	uint64_t is = index_stamp(s);
	struct gitindex fresh;

	if (is != 0 && is == s->stamp)
		return 0;
	int r = read_index(s, "index", &fresh);
	set_index(s, &fresh, r == 0 ? is : 0);
	return is == 0 ? 0 : r;
}

#define BEFORE "hamr-before.%d"	/* the index that snap_save keeps */

static void
put_mark(struct buf *b, uint64_t mark, struct slice rel)
{
	buf_add(b, &mark, sizeof mark);
	buf_add(b, rel.p, rel.n + 1);
}

bool
snap_save(struct snap *s, int slot, struct buf *out)
{
	struct slice rel;
	uint64_t mark;
	char name[32];

	snprintf(name, sizeof name, BEFORE, slot);
	if (s->kept == 0 || s->kept != s->stamp) {
		s->kept = 0;
		if (snap_write_file(s, name, buf_view(&s->now.bytes)) < 0)
			return false;
		s->kept = s->stamp;
	}
	/* the mark, path and NUL of each folder and, after one without a path,
	 * of each file that is too large */
	for (size_t at = 0; (rel = map_next(&s->folders, &at, &mark)).p !=
	    NULL; )
		put_mark(out, mark, rel);
	put_mark(out, 0, SLICE(""));
	for (size_t at = 0; (rel = map_next(&s->others, &at, &mark)).p !=
	    NULL; )
		if (mark != 0)
			put_mark(out, mark, rel);
	return !out->over;
}

bool
snap_load(struct snap *s, int slot, struct slice kept)
{
	struct map *to = &s->folders;
	char name[32];
	uint64_t mark;

	map_release(&s->folders);
	map_release(&s->others);
	while (kept.n > sizeof mark) {
		memcpy(&mark, kept.p, sizeof mark);
		kept = slice_from(kept, sizeof mark);
		size_t n = strnlen(kept.p, kept.n - 1);
		if (n > 0)
			*map_put(to, slice_part(kept, 0, n), NULL) = mark;
		else
			to = &s->others;
		kept = slice_from(kept, n + 1);
	}
	snprintf(name, sizeof name, BEFORE, slot);
	gitindex_release(&s->now);
	s->stamp = 0;
	s->taken = 1;
	return read_index(s, name, &s->now) == 0;
}

void
snap_print(struct gitindex_entry *v, size_t n, struct buf *out)
{
	unsigned char sum[SHA_BYTES];

	gitindex_print(v, n, OID_BYTES, out);
	sha_git(false, NULL, out->p, out->len, sum);
	buf_add(out, sum, OID_BYTES);
}

static int
write_index(struct take *t)
{
	struct snap *s = t->s;
	size_t n = 0;
	struct gitindex_entry *v = xcalloc(s->now.n + t->nnew + 1, sizeof *v);
	struct buf out = BUF_INIT(GITINDEX_MAX);
	struct gitindex fresh;

	for (size_t i = 0; i < s->now.n; i++)
		if (!t->gone[i])
			v[n++] = s->now.v[i];
	for (size_t i = 0; i < t->nnew; i++)
		v[n++] = t->new[i];
	snap_print(v, n, &out);
	free(v);
	/* Overwrite the index before this one, then exchange the two.  No
	 * fsync: read_index finds what a power failure damages. */
	int r = out.over ? -1 : snap_write_file(s, SNAP_INDEX, buf_view(&out));
	if (r == 0 && renameat2(s->dirfd, SNAP_INDEX, s->dirfd, "index",
	    RENAME_EXCHANGE) < 0)
		r = renameat(s->dirfd, SNAP_INDEX, s->dirfd, "index");
	if (r < 0) {
		s->why = strerror(errno);
		buf_release(&out);
		return r;
	}
	r = gitindex_parse(&fresh, &out);
	set_index(s, &fresh, r == 0 ? index_stamp(s) : 0);
	return r;
}

/* 0; or with s->why: -1, or > 0 if the index is unusable. */
static int
take(struct snap *s)
{
	static const char *const check[] = { "git", "rev-list", "--objects",
		"--indexed-objects", "--quiet", NULL };
	long long begun = file_now_ms();
	struct take t = { .s = s, .others = &s->others,
		.text = BUF_INIT((size_t)SNAP_FILE_MAX + 65536),
		.deadline = begun + SNAP_MS };
	struct texts paths = { .n = 0 };
	struct stat st;

	s->why = "its index cannot be read";
	if (refresh(s) < 0)
		return 1;
	s->why = NULL;
	bool all = !watch_take(&s->watch, &paths) || s->stamp == 0;
	/* a write through one hard link is reported for that name only; for
	 * note_older, others must be as it was */
	for (size_t i = 0; i < paths.n && !all; i++)
		all = fstatat(s->f->root.fd, paths.v[i], &st,
		    AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode) &&
		    (st.st_nlink > 1 || st.st_size > SNAP_FILE_MAX);
	if (!all && paths.n == 0)
		return 0;
	if (fstatat(s->dirfd, "index", &st, AT_SYMLINK_NOFOLLOW) == 0)
		t.written = st.st_mtim;
	t.seen = xcalloc(s->now.n + 1, sizeof *t.seen);
	t.gone = xcalloc(s->now.n + 1, sizeof *t.gone);
	if (all)
		look(&t);
	else
		look_at(&t, &paths);
	int r = t.stopped || t.failed ? -1 : 0;
	if (s->why == NULL && r < 0)
		s->why = t.failed ? "a folder could not be read" :
		    "it was stopped";
	/* in a copied tree only times and inodes differ: store them, so that
	 * the next snapshot need not hash the files again */
	if (r == 0 && (t.changed || s->stamp == 0 || (t.noted &&
	    file_now_ms() - begun > SLOW_MS)))
		r = write_index(&t);
	/* once: do all objects that the index names exist? */
	if (r == 0 && !s->checked) {
		r = snap_git(s, check, SLICE(""), NULL);
		s->checked = r == 0;
	}
	if (r != 0)
		s->watch.whole = false;
	gitignore_free(t.rules);
	arena_release(&t.names);
	map_release(&t.left);
	map_release(&t.inodes);
	map_release(&t.writers);
	FREE(t.seen, t.gone, t.new);
	texts_release(&paths);
	buf_release(&t.text);
	return r;
}

/* Copy old contents that only the user's objects hold to our repository. */
static void
settle(struct snap *s)
{
	struct buf text = BUF_INIT(SETTLE_MAX);
	struct undo_path *row[SETTLE_FILES];
	size_t left = s->old.n, n;
	char oid[SNAP_OID];
	struct err e;
	int r;

	do {
		for (n = 0; n < SETTLE_FILES && left > 0; )
			if (object_size(s, s->old.v[--left].oid) == 0)
				row[n++] = &s->old.v[left];
		buf_reset(&text);
		r = snap_fetch(s, row, n, &text, &e);
		for (size_t i = 0; i < n && r == 0; i++)
			r = snap_store(s, row[i]->old, oid, &e);
	} while (n > 0 && r == 0 && !snap_stopped(s));
	if (n == 0 && r == 0)
		undo_entry_release(&s->old);
	buf_release(&text);
}

int64_t
snap_time(const struct snap *s)
{
	return s->looked;
}

int
snap_take(struct snap *s, struct snap_left *left, struct err *e)
{
	const struct timespec ms = { 0, 1000000 };
	int fd = snap_lock(s, e);
	struct stat st;

	if (fd < 0)
		return -1;
	s->taken++;
	map_release(&s->older);
	map_release(&s->old_folders);
	map_release(&s->made);
	map_release(&s->large);
	gitindex_release(&s->before);
	s->same = true;
	settle(s);
	s->why = "old contents could not be copied";
	int r = s->old.n > 0 ? -1 : take(s);
	if (r > 0) {
		/* the index names objects that the user's git has removed:
		 * start over with our own */
		snap_drop_index(s);
		r = take(s);
	}
	/* The time on a file of ours, by the file system's clock, which may be
	 * another machine's.  It advances in ticks, usually of 4 ms: the first
	 * snapshot waits for the next tick, so that what was made just before
	 * we started is older. */
	for (int i = 0; i < TICK_MS; i++) {
		bool known = futimens(fd, NULL) == 0 && fstat(fd, &st) == 0 &&
		    st.st_dev == s->dev;
		int64_t before = s->looked;

		s->looked = known ? time_ns(st.st_mtim) : 0;
		if (s->taken > 1 || !known || (i > 0 && s->looked != before))
			break;
		nanosleep(&ms, NULL);
	}
	s->lock = fd;
	s->newest = journal_newest(s);
	if (r != 0)
		snap_finish(s);
	if (left != NULL)
		*left = s->left;
	if (r == 0)
		return 0;
	return err_set(e, ST_SYSTEM, "no snapshot could be made in %s (%s)",
	    s->dir, s->why);
}

/* ---- two snapshots ---- */

void
snap_copy_old(struct snap *s, int ms)
{
	/* only the time limit stops it, not a cancel */
	s->grace_ms = ms;
	s->until = file_now_ms() + ms;
	settle(s);
	snap_set_grace(s, 0);
}

/* Does the folder hold only folders, apart from those that the snapshot saw
 * first, too? */
static bool
holds_only_folders(const struct snap *s, const char *rel)
{
	const char *base;
	int up = path_open_parent(&s->f->root, rel, &base);
	DIR *d = up >= 0 ? file_opendir(up, base) : NULL;
	bool good = d != NULL;
	struct dirent *e;

	while (good && (e = file_readdir(d)) != NULL) {
		char *path = xasprintf("%s/%s", rel, e->d_name);

		good = map_get(&s->made, slice_of(path)) != NULL ||
		    replace_is_temporary(e->d_name) ||
		    undo_only_folders(dirfd(d), e->d_name, false);
		free(path);
	}
	file_closedir(d);
	file_close(up);
	return good;
}

/* Add the folders that are seen for the first time, if they are new or were
 * moved here.  One that was only out of sight is not the call's (moved: those,
 * by inode).  Nor is one that holds only what is ignored, such as a test's
 * cache, a change that undo could take back.  above: a file in it has
 * changed. */
static void
made_folders(struct snap *s, struct undo_entry *c, const struct map *above,
    struct map *moved)
{
	struct map inodes = { 0 }, filled = { 0 };
	struct texts made = { .n = 0 };
	struct slice rel;
	uint64_t mark;

	for (size_t at = 0; (rel = map_next(&s->made, &at, &mark)).p != NULL; )
		texts_add(&made, xstrdup(rel.p));
	if (made.n == 0)
		return;
	for (size_t at = 0; map_next(&s->old_folders, &at, &mark).p != NULL; )
		map_put(&inodes, INODE_KEY(mark), NULL);
	/* those in a folder come before it */
	qsort(made.v, made.n, sizeof *made.v, text_order);
	for (size_t i = made.n; i-- > 0; ) {
		rel = slice_of(made.v[i]);
		bool old = *map_get(&s->made, rel) != 0;
		bool only = map_get(&filled, rel) == NULL &&
		    holds_only_folders(s, rel.p);
		uint64_t now = *map_get(&s->folders, rel);

		if (!only)
			undo_note_above(&filled, rel.p);
		if ((!old || map_get(&inodes, INODE_KEY(now)) != NULL) &&
		    (only || map_get(above, rel) != NULL))
			undo_entry_add_folder(c, rel.p)->new_mode =
			    folder_mode(now);
		else if (old)
			map_put(moved, INODE_KEY(now), NULL);
	}
	texts_release(&made);
	map_release(&inodes);
	map_release(&filled);
}

/* Add the folders that are new, gone or have another mode; and those that are
 * shut, and must be opened to undo what has changed in them. */
static void
folder_changes(struct snap *s, struct undo_entry *c)
{
	struct map above = { 0 }, moved = { 0 };
	struct undo_path *t;
	struct slice rel;
	uint64_t mark;

	for (size_t i = 0; i < c->n; i++)
		undo_note_above(&above, c->v[i].path);
	made_folders(s, c, &above, &moved);
	for (size_t at = 0; (rel = map_next(&s->old_folders, &at, &mark)).p !=
	    NULL; ) {
		const uint64_t *is = map_get(&s->folders, rel);

		/* moved with what no snapshot has: undo could only make a
		 * new one, without that */
		if (is != NULL ? folder_mode(*is) == folder_mode(mark) :
		    map_get(&above, rel) == NULL &&
		    map_get(&moved, INODE_KEY(mark)) != NULL)
			continue;
		t = undo_entry_add_folder(c, rel.p);
		t->old_mode = folder_mode(mark);
		t->new_mode = is != NULL ? folder_mode(*is) : 0;
	}
	for (size_t i = 0; i < c->nfolders; i++)
		undo_note_above(&above, c->folders[i].path);
	for (size_t i = 0; i < s->opened.nfolders; i++) {
		const struct undo_path *o = &s->opened.folders[i];
		const uint64_t *was = map_get(&s->old_folders,
		    slice_of(o->path));

		if (was == NULL || folder_mode(*was) != o->old_mode ||
		    map_get(&above, slice_of(o->path)) == NULL)
			continue;
		t = undo_entry_add_folder(c, o->path);
		t->old_mode = t->new_mode = o->old_mode;
	}
	map_release(&above);
	map_release(&moved);
	undo_entry_sort(c);
}

/* The entry is t's old state. */
static void
set_old(struct snap *s, struct undo_path *t, const struct gitindex_entry *was)
{
	t->old_mode = was->mode;
	num_print_hex(was->oid, OID_BYTES, t->oid);
	/* if only the user's objects hold it, settle() copies it to ours */
	memcpy(undo_entry_add(&s->old, "")->oid, t->oid, SNAP_OID);
}

void
snap_changes(struct snap *s, struct undo_entry *c)
{
	const struct gitindex *a = &s->before, *b = &s->now;
	struct undo_path *t;
	struct slice rel;
	uint64_t mark;

	for (size_t i = 0, k = 0; !s->same && (i < a->n || k < b->n); ) {
		const struct gitindex_entry *was = a->v + i, *is = b->v + k;
		int order = i == a->n ? 1 : k == b->n ? -1 :
		    strcmp(was->path, is->path);

		i += order <= 0;
		k += order >= 0;
		if (order == 0 && was->mode == is->mode &&
		    memcmp(was->oid, is->oid, OID_BYTES) == 0)
			continue;
		t = undo_entry_add(c, order > 0 ? is->path : was->path);
		if (order <= 0)
			set_old(s, t, was);
		const uint64_t *born = map_get(&s->older, slice_of(t->path));
		t->born = born != NULL ? (int64_t)*born : 0;
	}
	size_t n = c->n;
	for (size_t at = 0; (rel = map_next(&s->large, &at, &mark)).p !=
	    NULL; ) {
		t = undo_path_find(c->v, n, rel.p);
		if (t == NULL)
			t = undo_entry_add(c, rel.p);
		if (t->oid[0] == '\0') {
			t->old_mode = mark != 0 ? 0 : S_IFREG;
			t->born = 0;
		}
	}
	folder_changes(s, c);
}

void
snap_add_unchanged(struct snap *s, struct undo_entry *c, const char *path)
{
	const struct gitindex_entry *was = gitindex_find(s->same ? &s->now :
	    &s->before, path);

	/* was there none, or does no snapshot look there? */
	if (was == NULL && (files_ignored(s->f, path) ||
	    faccessat(s->f->root.fd, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0))
		return;
	struct undo_path *t = undo_entry_add(c, path);
	if (was != NULL)
		set_old(s, t, was);
	undo_path_look(s->f, t, NULL);
}

/* ---- contents ---- */

int
snap_store(struct snap *s, struct slice content, char oid[SNAP_OID],
    struct err *e)
{
	unsigned char name[SHA_BYTES];

	sha_git(false, "blob", content.p, content.n, name);
	if (object_put(s, content, name) < 0)
		return err_sys(e, ST_SYSTEM, "the old content could not be "
		    "kept in %s", s->dir);
	num_print_hex(name, OID_BYTES, oid);
	return 0;
}

int
snap_fetch(struct snap *s, struct undo_path *const *v, size_t n,
    struct buf *out, struct err *e)
{
	static const char *const git[] = { "git", "cat-file", "--batch",
		NULL };
	struct buf in = BUF_INIT(GIT_OUT_MAX);
	size_t at = 0;

	for (size_t i = 0; i < n; i++)
		buf_fmt(&in, "%s\n", v[i]->oid);
	int r = n > 0 ? snap_git(s, git, buf_view(&in), out) : 0;
	if (r != 0)
		err_set(e, ST_SYSTEM, "the old contents in %s cannot be read "
		    "(%s)", s->dir, s->why);
	/* "OID blob SIZE LF content LF", or "OID missing LF" */
	for (size_t i = 0; i < n && r == 0; i++) {
		struct slice rest = { out->p + at, out->len - at }, head;
		const char *size = slice_line(&rest, &head) ?
		    memmem(head.p, head.n, " blob ", 6) : NULL;
		long long len = size != NULL ? strtoll(size + 6, NULL, 10) : -1;

		if (len < 0 || (size_t)len >= rest.n) {
			r = err_set(e, ST_SYSTEM, "the old content %.12s is "
			    "no longer in %s; nothing was changed", v[i]->oid,
			    s->dir);
			break;
		}
		v[i]->old = (struct slice){ rest.p, (size_t)len };
		at = out->len - rest.n + (size_t)len + 1;
	}
	buf_release(&in);
	return r == 0 ? 0 : -1;
}
