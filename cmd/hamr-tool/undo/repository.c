/* repository.c - the snapshot repository: creating it, opening it, running git.
 *
 * git obeys a repository's configuration, so our git processes never see any
 * repository but our own (5.3): GIT_DIR names .hamr/snap.git, the user's and
 * the system's configuration is not read, no protocol is allowed, git's own
 * variables are not passed on.  As root, in a folder of another owner, git runs
 * as that owner.  It is killed at its deadline, and when we end, however that
 * happens.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/num.h"
#include "conf/state.h"
#include "git/gitindex.h"
#include "git/gitrepo.h"
#include "libc/so.h"

#include "files/files.h"
#include "files/replace.h"
#include "internal.h"
#include "journal.h"

#define USE_MS 30000		/* a large snapshot takes that long */
#define ALTERNATES "objects/info/alternates"
#define OBJECTS_DEPTH 3		/* objects/info/commit-graphs */
#define OWN_DEPTH 4		/* of our whole repository */
#define STOP_MS 50		/* how often snap_stopped is asked */

/* git only reads this repository; we write its objects. */
static const char config[] = "[core]\n\trepositoryFormatVersion = 0\n"
    "\tbare = true\n[gc]\n\tauto = 0\n";
static const char note[] = "Snapshots of hamr-tool, for hamr-tool undo. "
    "It may be removed; then nothing before that can be undone.\n";

static const char *const folders[] = { "objects", "objects/info",
	"objects/pack", "refs", "refs/heads" };
#define NFOLDERS (sizeof folders / sizeof folders[0])

/* ---- how long it may take ---- */

/* A cancel leaves s->grace_ms from the moment it comes. */
bool
snap_stopped(struct snap *s)
{
	bool asked = s->until == 0 && files_stopped(s->f, LLONG_MAX);

	if (s->grace_ms == 0)
		return asked;
	if (asked)
		s->until = file_now_ms() + s->grace_ms;
	return s->until > 0 && file_now_ms() >= s->until;
}

void
snap_set_grace(struct snap *s, int ms)
{
	s->grace_ms = ms;
	s->until = 0;
}

/* ---- files of ours, which belong to the owner of the root ---- */

int
snap_file(const struct snap *s, const char *name, int flags)
{
	return file_create(s->dirfd, name, flags | O_NONBLOCK, 0600);
}

int
snap_read_file(const struct snap *s, const char *name, struct buf *out)
{
	int fd = file_open_regular(s->dirfd, name, NULL);
	int r = fd >= 0 ? file_read_fd(fd, name, out, NULL) : -1;

	file_close(fd);
	return r;
}

int
snap_write_file(const struct snap *s, const char *name, struct slice text)
{
	int fd = snap_file(s, name, O_WRONLY);
	int r = fd < 0 || file_write_all(fd, text.p, text.n) < 0 ||
	    ftruncate(fd, (off_t)text.n) < 0 ? -1 : 0;

	if (fd >= 0 && close(fd) < 0)
		r = -1;
	return r;
}

/* ---- a content as one of git's objects, in a file of its own ----
 *
 * git hash-object does the same, but needs a process. */

/* Print the bytes of a loose object's file. */
static int
compress_blob(struct slice content, struct buf *out)
{
	/* libz's function; NULL: not loaded, or not installed */
	static __typeof__(compress2) *compress;
	void *lib = compress == NULL ? SO_OPEN("libz.so.1") : NULL;
	struct buf whole = BUF_INIT(content.n + 64);
	int r = -1;

	if (lib != NULL)
		SO_FIND(compress, lib, compress2);
	errno = ELIBACC;
	buf_fmt(&whole, "blob %zu", content.n);
	buf_addc(&whole, '\0');
	buf_slice(&whole, content);
	/* more than zlib's compressBound */
	uLongf n = whole.len + whole.len / 1024 + 64;
	if (compress != NULL && buf_reserve(out, n) == 0 &&
	    compress((Bytef *)out->p, &n, (const Bytef *)whole.p, whole.len,
	    1) == Z_OK) {
		out->len = n;
		r = 0;
	}
	buf_release(&whole);
	return r;
}

long long
object_size(const struct snap *s, const char *oid)
{
	char *path = xasprintf("objects/%.2s/%s", oid, oid[0] != '\0' ?
	    oid + 2 : "");
	struct stat st;
	bool there = fstatat(s->dirfd, path, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    S_ISREG(st.st_mode);

	free(path);
	return there ? st.st_size : 0;
}

int
object_put(const struct snap *s, struct slice content,
    const unsigned char oid[SHA_BYTES])
{
	struct buf bytes = BUF_INIT(GIT_OUT_MAX);
	char hex[SNAP_OID], folder[3], tmp[REPLACE_NAME];
	int dir = -1, fd = -1, r = -1;

	num_print_hex(oid, OID_BYTES, hex);
	snprintf(folder, sizeof folder, "%.2s", hex);
	int objects = root_open_folder(s->dirfd, "objects");
	if (objects >= 0)
		dir = root_folder(objects, folder);
	if (dir >= 0 && faccessat(dir, hex + 2, F_OK, 0) == 0) {
		r = 0;
	} else if (dir >= 0 && compress_blob(content, &bytes) == 0) {
		fd = replace_temporary(dir, tmp);
	}
	/* the whole file or nothing; snap_prune removes what is left */
	if (fd >= 0) {
		file_give_owner(dir, fd);
		r = file_write_all(fd, bytes.p, bytes.len);
		if (close(fd) < 0)
			r = -1;
		if (r == 0)
			r = renameat(dir, tmp, dir, hex + 2);
		if (r < 0)
			unlinkat(dir, tmp, 0);
	}
	file_close(dir);
	file_close(objects);
	buf_release(&bytes);
	return r;
}

/* ---- git as a child ---- */

/* Runs in the child, after fork: do not allocate memory. */
static _Noreturn void
child(int root, pid_t parent, const char *git, const char *const *argv,
    const char *const *env, int in, int out)
{
	const struct rlimit most = { GIT_OUT_MAX, GIT_OUT_MAX };
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	struct stat st = { .st_uid = 0 };
	sigset_t none;

	setpgid(0, 0);
	for (int i = 1; i < NSIG; i++)
		signal(i, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setrlimit(RLIMIT_FSIZE, &most);	/* what it prints is kept in memory */
	if (dup2(in, 0) == 0 && dup2(out, 1) == 1 && dup2(null, 2) == 2 &&
	    close_range(3, ~0U, CLOSE_RANGE_CLOEXEC) == 0 &&
	    fchdir(root) == 0 && fstat(root, &st) == 0 &&
	    /* become the owner of the working directory, if we may */
	    (geteuid() != 0 || st.st_uid == 0 || (setgroups(0, NULL) == 0 &&
	    setresgid(st.st_gid, st.st_gid, st.st_gid) == 0 &&
	    setresuid(st.st_uid, st.st_uid, st.st_uid) == 0)) &&
	    /* only now: changing the user clears it */
	    prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == parent)
		execve(git, (char *const *)(void *)argv,
		    (char *const *)(void *)env);
	_exit(126);
}

int
snap_git(struct snap *s, const char *const *argv, struct slice in,
    struct buf *out)
{
	char *git = which_program("git", s->f->root.real);
	const char *path = getenv("PATH");
	char *path_entry = xasprintf("PATH=%s", path != NULL ? path :
	    "/usr/local/bin:/usr/bin:/bin");
	char *dir_entry = xasprintf("GIT_DIR=%s", s->dir);
	const char *const env[] = { path_entry, dir_entry, "LC_ALL=C",
		"GIT_WORK_TREE=.",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_CONFIG_SYSTEM=/dev/null", "GIT_ATTR_NOSYSTEM=1",
		"GIT_ALLOW_PROTOCOL=", "GIT_NO_LAZY_FETCH=1",
		"GIT_NO_REPLACE_OBJECTS=1", "GIT_OPTIONAL_LOCKS=0",
		"GIT_TERMINAL_PROMPT=0", "GIT_EDITOR=false",
		"GIT_ASKPASS=false", "HOME=/nonexistent", NULL };
	/* files, so that neither process waits for the other */
	int from = file_memory(in.p, in.n), to = file_memory("", 0);
	long long deadline = file_now_ms() + SNAP_MS;
	int status = -1;
	pid_t self = getpid(), pid = git != NULL && from >= 0 && to >= 0 ?
	    fork() : -1;

	if (pid == 0)
		child(s->f->root.fd, self, git, argv, env, from, to);
	struct pollfd p = { pid < 0 ? -1 : (int)syscall(SYS_pidfd_open, pid,
	    0), POLLIN, 0 };
	/* old kernels have no pidfd: this only waits, then */
	while (pid > 0 && poll(&p, 1, STOP_MS) <= 0 &&
	    waitpid(pid, &status, WNOHANG) == 0)
		if (file_now_ms() >= deadline || snap_stopped(s)) {
			kill(pid, SIGKILL);
			break;
		}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	bool good = WIFEXITED(status) && (out == NULL ||
	    (lseek(to, 0, SEEK_SET) == 0 &&
	    file_read_fd(to, "git", out, NULL) == 0));
	s->why = git == NULL ? "git is not installed; install the package git" :
	    good ? "git failed" : "git did not finish";
	file_close(p.fd);
	file_close(from);
	file_close(to);
	FREE(path_entry, dir_entry, git);
	return good ? WEXITSTATUS(status) : -1;
}

/* ---- what git may look at ---- */

/* Does this folder, up to depth levels deep, hold nothing but regular files and
 * folders?  git would wait for a FIFO. */
static bool
holds_only_files(int at, const char *name, int depth)
{
	DIR *d = file_opendir(at, name);
	bool good = d != NULL;
	struct dirent *e;

	while (good && (e = file_readdir(d)) != NULL) {
		unsigned char type = e->d_type;
		struct stat st;

		if (type == DT_UNKNOWN && fstatat(dirfd(d), e->d_name, &st,
		    AT_SYMLINK_NOFOLLOW) == 0)
			type = S_ISREG(st.st_mode) ? DT_REG :
			    S_ISDIR(st.st_mode) ? DT_DIR : DT_UNKNOWN;
		good = type == DT_REG || (type == DT_DIR && depth > 1 &&
		    holds_only_files(dirfd(d), e->d_name, depth - 1));
	}
	file_closedir(d);
	return good;
}

/* Set objects to the user's objects folder and an LF, as ALTERNATES lists it.
 * False: do not use it; we also do without if it has alternates of its own. */
static bool
find_objects(const struct snap *s, struct gitrepo *g, struct buf *objects)
{
	struct stat st;
	struct err e;

	if (gitrepo_open(g, s->f->root.real, &e) <= 0)
		return false;
	buf_fmt(objects, "%s/objects", g->common);
	char *more = xasprintf("%s/info/alternates", objects->p);
	bool good = lstat(more, &st) < 0 && strchr(objects->p, '\n') == NULL &&
	    objects->p[0] != '#' && objects->p[0] != '"' &&
	    holds_only_files(AT_FDCWD, objects->p, OBJECTS_DEPTH);
	buf_addc(objects, '\n');
	free(more);
	return good;
}

void
snap_drop_index(struct snap *s)
{
	unlinkat(s->dirfd, "index", 0);
	unlinkat(s->dirfd, ALTERNATES, 0);
}

/* ---- creating and opening ---- */

/* Write our settings, unless they are there already. */
static int
put_settings(const struct snap *s)
{
	struct buf is = BUF_INIT(1 << 20);
	int r = 0;

	if (snap_read_file(s, "config", &is) < 0 ||
	    !slice_is(buf_view(&is), config))
		r = snap_write_file(s, "config", slice_of(config));
	buf_release(&is);
	return r;
}

static int
make(struct snap *s, struct err *e)
{
	struct gitrepo g = { NULL, NULL };
	struct gitindex ix = { .n = 0 };
	struct buf objects = BUF_INIT(65536), out = BUF_INIT(GITINDEX_MAX);
	bool seedable = find_objects(s, &g, &objects) &&
	    gitindex_read(&ix, g.dir, NULL) == 0 && ix.n > 0 &&
	    ix.oid_len == OID_BYTES;
	size_t n = 0;
	int r = 0;

	for (size_t i = 0; r == 0 && i < NFOLDERS; i++) {
		int fd = root_folder(s->dirfd, folders[i]);

		r = fd >= 0 ? close(fd) : -1;
	}
	if (r == 0 && (snap_write_file(s, "description", slice_of(note)) < 0 ||
	    snap_write_file(s, "HEAD", SLICE("ref: refs/heads/none\n")) < 0))
		r = -1;
	/* Take the plain files from the user's index, and use the user's
	 * objects; doing without costs only space.  Attributes may have
	 * transformed the bytes of those blobs, so each file is still hashed
	 * once. */
	if (r == 0 && seedable) {
		struct gitindex_entry *v = xcalloc(ix.n, sizeof *v), *is;

		for (is = ix.v; is < ix.v + ix.n; is++)
			if (is->plain && (S_ISREG(is->mode) ||
			    S_ISLNK(is->mode)) && !files_hidden(s->f, is->path))
				v[n++] = (struct gitindex_entry){
					.path = is->path, .oid = is->oid,
					.mode = is->mode };
		snap_print(v, n, &out);
		free(v);
		if (snap_write_file(s, ALTERNATES, buf_view(&objects)) < 0 ||
		    snap_write_file(s, "index", buf_view(&out)) < 0)
			snap_drop_index(s);
	}
	/* last: a config means that the repository is complete */
	if (r == 0)
		r = put_settings(s);
	if (r < 0)
		err_sys(e, ST_SYSTEM, "%s", s->dir);
	gitindex_release(&ix);
	gitrepo_release(&g);
	bufs_release(BUFS(&objects, &out));
	return r;
}

int
snap_wait_lock(struct snap *s, int fd, int how, struct err *e)
{
	long long until = file_now_ms() + USE_MS;
	struct timespec nap = { .tv_nsec = 5000000 };

	while (fd >= 0 && flock(fd, how | LOCK_NB) < 0 &&
	    (errno == EWOULDBLOCK || errno == EINTR)) {
		if (file_now_ms() > until || snap_stopped(s))
			return err_set(e, ST_TEMP, "%s is in use by another "
			    "hamr-tool", s->dir);
		nanosleep(&nap, NULL);
	}
	return 0;
}

/* Create the repository, or check the one that exists; one process at a
 * time. */
static int
set_up(struct snap *s, bool create, struct err *e)
{
	struct buf is = BUF_INIT(65536), objects = BUF_INIT(65536);
	struct gitrepo g = { NULL, NULL };
	struct dirent *entry;
	struct stat st;
	int r = snap_wait_lock(s, s->dirfd, LOCK_EX, e);

	if (r < 0)
		return -1;
	if (faccessat(s->dirfd, "config", F_OK, AT_SYMLINK_NOFOLLOW) < 0) {
		r = create ? make(s, e) : err_set(e, ST_NOINPUT,
		    "%s holds no snapshot", s->dir);
	} else {
		/* The repository may have come with the folder, from someone
		 * else: does nothing in it lead git elsewhere?  Its settings
		 * are replaced by ours in any case. */
		bool plain = holds_only_files(s->dirfd, ".", OWN_DEPTH);
		for (size_t i = 0; plain && i < NFOLDERS; i++)
			plain = fstatat(s->dirfd, folders[i], &st,
			    AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode);
		DIR *d = file_opendir(s->dirfd, ".");
		while (plain && (entry = file_readdir(d)) != NULL)
			/* a file that we write has no other name */
			plain = fstatat(s->dirfd, entry->d_name, &st,
			    AT_SYMLINK_NOFOLLOW) < 0 ||
			    S_ISDIR(st.st_mode) || st.st_nlink == 1;
		file_closedir(d);
		if (!plain || faccessat(s->dirfd, "commondir", F_OK,
		    AT_SYMLINK_NOFOLLOW) == 0 || put_settings(s) < 0)
			r = err_set(e, ST_POLICY, "%s is not as hamr-tool "
			    "made it; move it away", s->dir);
	}
	flock(s->dirfd, LOCK_UN);
	if (r == 0) {
		s->use = snap_file(s, SNAP_USE, O_RDWR);
		r = snap_wait_lock(s, s->use, LOCK_SH, e);
	}
	/* If our objects depend on the user's: are those in the one place
	 * where they may be, and nothing but files? */
	if (r == 0 && faccessat(s->dirfd, ALTERNATES, F_OK,
	    AT_SYMLINK_NOFOLLOW) == 0 &&
	    (snap_read_file(s, ALTERNATES, &is) < 0 ||
	    !find_objects(s, &g, &objects) ||
	    !slice_eq(buf_view(&is), buf_view(&objects))))
		snap_drop_index(s);
	gitrepo_release(&g);
	bufs_release(BUFS(&objects, &is));
	return r;
}

struct snap *
snap_open(struct files *f, bool create, struct err *e)
{
	struct snap *s = xcalloc(1, sizeof *s);
	struct stat st;
	int r = -1;

	s->f = f;
	s->dirfd = s->use = s->begun = s->lock = -1;
	watch_init(&s->watch, f->root.fd);
	s->me = geteuid();
	if (fstat(f->root.fd, &st) == 0) {
		s->owner = st.st_uid;
		s->dev = st.st_dev;
	}
	s->dir = state_folder(f->root.real, "snap.git", create, e);
	if (s->dir != NULL) {
		s->dirfd = root_open_folder(AT_FDCWD, s->dir);
		if (s->dirfd < 0)
			err_sys(e, ST_SYSTEM, "%s", s->dir);
	}
	if (s->dirfd >= 0) {
		file_give_owner(f->root.fd, s->dirfd);
		r = set_up(s, create, e);
	}
	if (r == 0) {
		journal_recover(s);
		return s;
	}
	snap_free(s);
	return NULL;
}

void
snap_free(struct snap *s)
{
	if (s == NULL)
		return;
	snap_finish(s);
	map_release(&s->folders);
	map_release(&s->old_folders);
	map_release(&s->shut);
	map_release(&s->made);
	map_release(&s->older);
	map_release(&s->others);
	map_release(&s->large);
	gitindex_release(&s->now);
	gitindex_release(&s->before);
	journal_release(&s->killed);
	undo_entry_release(&s->old);
	watch_release(&s->watch);
	file_close(s->use);
	file_close(s->begun);
	file_close(s->dirfd);
	free(s->dir);
	free(s);
}

