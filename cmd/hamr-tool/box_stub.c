/* box_stub.c - what is not there and must not be made: we make it, empty. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "file.h"
#include "keep.h"
#include "mem.h"

#include "box_in.h"

#define JOURNAL "stubs"
#define STUB ".git"
#define SHARE_MS 1000

int
stub_hamr(const struct boxes *bs)
{
	int fd;

	/* in somebody's folder it is his */
	if (bs->switched && mkdirat(bs->root.fd, ".hamr", 0755) == 0 &&
	    fchownat(bs->root.fd, ".hamr", bs->uid, bs->gid,
	    AT_SYMLINK_NOFOLLOW) < 0)
		return -1;
	fd = keep_hamr(bs->root.fd);
	return fd;
}

/* The journal is there as long as the stub, and locked by all who need it: the
 * last one takes the stub away, or the next run does after a kill. */
static int
journal(int hamr, int flags)
{
	return openat(hamr, JOURNAL, O_RDWR | O_NOFOLLOW | O_CLOEXEC |
	    O_NONBLOCK | flags, 0600);
}

/* The journal, locked, and still the one at its name: who takes the stub away
 * has it locked for a moment, and takes the journal with it.  -1: there is
 * none. */
static int
journal_shared(int hamr)
{
	long long until = file_now_ms() + SHARE_MS;
	const struct timespec nap = { .tv_nsec = 1000000 };

	do {
		int fd = journal(hamr, O_CREAT);
		struct stat st;

		if (fd < 0)
			return -1;
		if (flock(fd, LOCK_SH | LOCK_NB) == 0 && fstat(fd, &st) == 0 &&
		    st.st_nlink > 0)
			return fd;
		close(fd);
		nanosleep(&nap, NULL);
	} while (file_now_ms() < until);
	return -1;
}

static void
dot_git(struct box *b, int hamr)
{
	b->journal = journal_shared(hamr);
	if (b->journal < 0)
		return;
	if (file_write_all(b->journal, STUB "\n", strlen(STUB) + 1) < 0 ||
	    (mkdirat(b->bs->root.fd, STUB, 0555) < 0 && errno != EEXIST)) {
		close(b->journal);
		b->journal = -1;
	}
}

/* Is there no .git, or only the stub of another run, which may be gone the next
 * moment? */
static bool
wants_stub(const struct boxes *bs, int hamr)
{
	struct stat st;

	if (fstatat(bs->root.fd, STUB, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return true;
	return S_ISDIR(st.st_mode) && (st.st_mode & 0777) == 0555 &&
	    fstatat(hamr, JOURNAL, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

/* git_write: what git would obey must be there to be protected.  Not
 * commondir: git dies of an empty one; it is looked for afterwards. */
static void
in_git(struct box *b, const char *dir)
{
	static const char *const names[] = { "hooks", "info", "modules",
		"config.worktree" };
	struct stat st;

	if (lstat(dir, &st) < 0 || !S_ISDIR(st.st_mode))
		return;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		char *path = xasprintf("%s/%s", dir, names[i]);
		int fd = -1;
		bool made;

		if (i < 3) {
			made = mkdir(path, 0755) == 0;
		} else {
			fd = open(path, O_WRONLY | O_CREAT | O_EXCL |
			    O_NOFOLLOW | O_CLOEXEC, 0644);
			made = fd >= 0;
		}
		if (made && b->bs->switched &&
		    lchown(path, b->bs->uid, b->bs->gid) < 0)
			made = false;
		if (fd >= 0)
			close(fd);
		if (made)
			texts_add(&b->stubs, path);
		else
			free(path);
	}
}

void
stub_begin(struct box *b, const struct box_git *g)
{
	bool git_write = conf_bool(b->bs->conf, "sandbox.git_write");
	int hamr;

	if (b->want.kind != BOX_WRITE || b->locked)
		return;
	hamr = stub_hamr(b->bs);
	if (hamr < 0)
		return;
	if (!git_write && b->layer == LAYER_BWRAP && wants_stub(b->bs, hamr))
		dot_git(b, hamr);
	for (size_t i = 0; git_write && i < g->dirs.n; i++)
		in_git(b, g->dirs.v[i]);
	close(hamr);
}

static void
take_away(const struct boxes *bs, int fd)
{
	int hamr;

	if (flock(fd, LOCK_EX | LOCK_NB) < 0)
		return;		/* somebody else needs it */
	unlinkat(bs->root.fd, STUB, AT_REMOVEDIR);
	hamr = openat(bs->root.fd, ".hamr", O_RDONLY | O_DIRECTORY |
	    O_NOFOLLOW | O_CLOEXEC);
	if (hamr < 0)
		return;
	unlinkat(hamr, JOURNAL, 0);
	close(hamr);
}

void
stub_end(struct box *b)
{
	if (b->journal >= 0) {
		take_away(b->bs, b->journal);
		close(b->journal);
		b->journal = -1;
	}
	for (size_t i = b->stubs.n; i > 0; i--) {
		struct stat st;

		/* only if nobody has put anything in meanwhile */
		if (rmdir(b->stubs.v[i - 1]) < 0 && errno == ENOTDIR &&
		    lstat(b->stubs.v[i - 1], &st) == 0 && st.st_size == 0)
			unlink(b->stubs.v[i - 1]);
	}
	texts_release(&b->stubs);
}

void
stub_sweep(struct boxes *bs)
{
	int hamr = openat(bs->root.fd, ".hamr", O_RDONLY | O_DIRECTORY |
	    O_NOFOLLOW | O_CLOEXEC), fd;

	if (hamr < 0)
		return;
	fd = journal(hamr, 0);
	if (fd >= 0) {
		take_away(bs, fd);
		close(fd);
	}
	close(hamr);
}
