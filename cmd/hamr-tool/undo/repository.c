/* repository.c - the repository of the snapshots: made, opened, given git. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "conf/state.h"
#include "git/gitindex.h"
#include "git/gitrepo.h"

#include "files/files.h"
#include "internal.h"
#include "root/signals.h"

#define USE_MS 30000		/* a snapshot of much takes that long */
#define ALTERNATES "objects/info/alternates"
#define OBJECTS_DEPTH 3		/* objects/info/commit-graphs */

/* What is in force: no filter, no line ends, no helper, nothing collected. */
static const char config[] =
    "[core]\n\trepositoryFormatVersion = %d\n\tbare = true\n"
    "\tfileMode = true\n\tsymlinks = true\n\tignoreCase = false\n"
    "\tprecomposeUnicode = false\n\tautocrlf = false\n"
    "\tprotectNTFS = false\n\tprotectHFS = false\n\tsplitIndex = false\n"
    "\tuntrackedCache = false\n\tfsmonitor = false\n\tcompression = 1\n"
    "\tlogAllRefUpdates = false\n[gc]\n\tauto = 0\n[index]\n\tsparse = "
    "false\n%s";
#define SHA256 "[extensions]\n\tobjectFormat = sha256\n"
static const char attributes[] = "* -text -crlf -ident -filter !eol "
    "!working-tree-encoding\n";
static const char note[] = "Snapshots of hamr-tool, for hamr-tool undo. "
    "It may be removed; then nothing before that can be undone.\n";

static const char *const folders[] = { "objects", "objects/info",
	"objects/pack", "refs", "refs/heads", "info" };
#define NFOLDERS (sizeof folders / sizeof folders[0])

/* ---- how long it may take ---- */

/* While it hurries, a cancel may come at any moment and gives it so much time
 * from then on. */
bool
snap_stopped(struct snap *s)
{
	bool asked = s->until == 0 && files_stopped(s->f, LLONG_MAX);

	if (s->hurry == 0)
		return asked;
	if (s->until == 0 && (asked || signals_waiting()))
		s->until = file_now_ms() + s->hurry;
	return s->until > 0 && file_now_ms() >= s->until;
}

void
snap_hurry(struct snap *s, int ms)
{
	s->hurry = ms;
	s->until = 0;
}

/* ---- names of objects, and rows of paths ---- */

void
snap_hex(const void *p, size_t n, struct buf *out)
{
	const unsigned char *c = p;

	for (size_t i = 0; i < n; i++) {
		buf_addc(out, "0123456789abcdef"[c[i] >> 4]);
		buf_addc(out, "0123456789abcdef"[c[i] & 15]);
	}
}

void
snap_unhex(const char *hex, struct buf *out)
{
	char two[3] = "";

	for (; hex[0] != '\0' && hex[1] != '\0'; hex += 2) {
		memcpy(two, hex, 2);
		buf_addc(out, (char)strtol(two, NULL, 16));
	}
}

void
snap_add(struct buf *row, const char *text)
{
	buf_add(row, text, strlen(text) + 1);
}

const char *
snap_next(const struct buf *row, size_t *at)
{
	const char *text = row->p + *at;

	if (*at >= row->len)
		return NULL;
	*at += strlen(text) + 1;
	return text;
}

/* ---- files of ours, which belong to the owner of the root ---- */

void
snap_give(const struct snap *s, int fd)
{
	if (geteuid() == 0 && s->owner != 0 && fchown(fd, s->owner,
	    (gid_t)-1) < 0)
		return;		/* git will say it */
}

int
snap_file(const struct snap *s, const char *name, int flags)
{
	int fd = openat(s->dirfd, name, flags | O_CREAT | O_NOFOLLOW |
	    O_NONBLOCK | O_CLOEXEC, 0600);

	if (fd >= 0)
		snap_give(s, fd);
	return fd;
}

static int
get_file(const struct snap *s, const char *name, struct buf *out)
{
	int fd = file_open_regular(s->dirfd, name, NULL);
	int r = fd >= 0 ? file_read_fd(fd, name, out, NULL) : -1;

	file_close(fd);
	return r;
}

/* Write it, unless it holds the text already. */
static int
put_file(const struct snap *s, const char *name, const char *text)
{
	struct buf is = BUF_INIT(1 << 20);
	int fd, r = 0;

	if (get_file(s, name, &is) < 0 || !slice_is(buf_view(&is), text)) {
		fd = snap_file(s, name, O_WRONLY | O_TRUNC);
		r = fd < 0 ? -1 : file_write_all(fd, text, strlen(text));
		if (fd >= 0 && close(fd) < 0)
			r = -1;
	}
	buf_release(&is);
	return r;
}

/* ---- what git may look at ---- */

/* Are all files in this folder, and in those so deep in it, regular ones?  git
 * would wait for a FIFO. */
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

/* The user's objects and an LF, as ALTERNATES has them; false where they are
 * not to be used.  Where they lean on others yet we do without. */
static bool
find_objects(const struct snap *s, struct gitrepo *g, struct buf *objects)
{
	struct stat st;
	struct err e;
	char *more;
	bool good;

	if (gitrepo_open(g, s->f->root.real, &e) <= 0) {
		gitrepo_release(g);
		*g = (struct gitrepo){ NULL, NULL };
		return false;
	}
	buf_fmt(objects, "%s/objects", g->common);
	more = xasprintf("%s/info/alternates", objects->p);
	good = lstat(more, &st) < 0 && strchr(objects->p, '\n') == NULL &&
	    objects->p[0] != '#' && objects->p[0] != '"' &&
	    holds_only_files(AT_FDCWD, objects->p, OBJECTS_DEPTH);
	buf_addc(objects, '\n');
	free(more);
	return good;
}

/* Are the objects of the user's that ours lean on (if any) in the one place
 * where they may be, and nothing but files? */
static bool
alternates_are_good(const struct snap *s)
{
	char *path = xasprintf("%s/" ALTERNATES, s->dir);
	struct buf is = BUF_INIT(65536), objects = BUF_INIT(65536);
	struct gitrepo g = { NULL, NULL };
	struct err e;
	bool good;

	if (gitrepo_read(path, 65535, &is, &e) < 0)
		good = e.status == ST_NOINPUT;
	else
		good = find_objects(s, &g, &objects) &&
		    slice_eq(buf_view(&is), buf_view(&objects));
	gitrepo_release(&g);
	bufs_release(BUFS(&objects, &is));
	free(path);
	return good;
}

/* Is the .gitattributes of the folder, the first n bytes of rel, a file or not
 * there?  git follows no link in place of it. */
static bool
is_plain_at(const struct snap *s, const char *rel, size_t n)
{
	char *path = xasprintf("%.*s%s.gitattributes", (int)n, rel,
	    n > 0 ? "/" : "");
	int fd = path_open(&s->f->root, path, O_PATH | O_NOFOLLOW);
	struct stat st;
	bool plain = fd < 0 || (fstat(fd, &st) == 0 &&
	    (S_ISREG(st.st_mode) || S_ISLNK(st.st_mode) ||
	    S_ISDIR(st.st_mode)));

	file_close(fd);
	free(path);
	return plain;
}

/* May git look up the attributes of this row of paths?  Not if a
 * .gitattributes beside or above one is a FIFO or the like: git would wait for
 * it. */
static bool
attributes_are_plain(const struct snap *s, const struct buf *paths)
{
	struct map asked = { 0 };
	bool good = paths->len == 0 || is_plain_at(s, "", 0);
	const char *rel;

	for (size_t at = 0; good && (rel = snap_next(paths, &at)) != NULL; )
		for (size_t n = 1; good && rel[n - 1] != '\0' &&
		    rel[n] != '\0'; n++) {
			bool fresh = false;

			if (rel[n] == '/')
				map_put(&asked, (struct slice){ rel, n },
				    &fresh);
			good = !fresh || is_plain_at(s, rel, n);
		}
	map_release(&asked);
	return good;
}

/* ---- our index from the user's, so that little need be hashed ---- */

/* Paths with a blob (their names are in oids) of another size than the file: it
 * was transformed, or changed since; in doubt it is hashed. */
static bool
find_other_sizes(struct snap *s, const struct buf *paths,
    const struct buf *oids, struct buf *bad)
{
	static const char *const args[] = { "cat-file",
		"--batch-check=%(objectsize)", NULL };
	struct buf sizes = BUF_INIT(GIT_OUT_MAX);
	bool good = oids->len == 0 ||
	    snap_git(s, args, buf_view(oids), &sizes) == 0;
	struct slice rest = buf_view(&sizes), size;
	const char *rel;

	for (size_t at = 0; good && (rel = snap_next(paths, &at)) != NULL &&
	    slice_line(&rest, &size); ) {
		int fd = path_open(&s->f->root, rel, O_PATH | O_NOFOLLOW);
		struct stat st;

		if (fd < 0 || fstat(fd, &st) < 0 ||
		    strtoll(size.p, NULL, 10) != st.st_size)
			snap_add(bad, rel);
		file_close(fd);
	}
	buf_release(&sizes);
	return good;
}

/* Take out of the copied index what does not name the bytes of a file, or is
 * more than a plain file, or what git was told not to look at. */
static bool
clean_index(struct snap *s, const struct gitindex *ix)
{
	static const char *const check[] = { "check-attr", "-z", "--stdin",
		"filter", "ident", "working-tree-encoding", NULL };
	static const char *const drop[] = { "update-index", "-z",
		"--force-remove", "--stdin", NULL };
	struct buf paths = BUF_INIT(GIT_OUT_MAX), oids = BUF_INIT(GIT_OUT_MAX);
	struct buf bad = BUF_INIT(GIT_OUT_MAX), out = BUF_INIT(GIT_OUT_MAX);
	const char *path, *value;
	bool good;

	for (size_t i = 0; i < ix->n; i++) {
		const struct gitindex_entry *e = &ix->v[i];
		bool plain = e->plain && (S_ISREG(e->mode) ||
		    S_ISLNK(e->mode)) && !files_hidden(s->f, e->path);

		snap_add(plain ? &paths : &bad, e->path);
		if (plain) {
			snap_hex(e->oid, ix->oid_len, &oids);
			buf_addc(&oids, '\n');
		}
	}
	good = attributes_are_plain(s, &paths) &&
	    find_other_sizes(s, &paths, &oids, &bad) && (paths.len == 0 ||
	    snap_git(s, check, buf_view(&paths), &out) == 0);
	/* those that an attribute may transform in a way that keeps their
	 * size */
	for (size_t at = 0; good &&
	    (path = snap_next(&out, &at)) != NULL; ) {
		snap_next(&out, &at);	/* the attribute */
		value = snap_next(&out, &at);
		if (value != NULL && strcmp(value, "unspecified") != 0 &&
		    strcmp(value, "unset") != 0)
			snap_add(&bad, path);
	}
	if (good && bad.len > 0)
		good = snap_git(s, drop, buf_view(&bad), NULL) == 0;
	bufs_release(BUFS(&paths, &oids, &bad, &out));
	return good;
}

void
snap_unseed(struct snap *s)
{
	unlinkat(s->dirfd, "index", 0);
	unlinkat(s->dirfd, "index.lock", 0);
	unlinkat(s->dirfd, ALTERNATES, 0);
}

/* Take the user's index (written as st tells) and objects, if they fit ours;
 * not taking them is slower, and no more. */
static void
seed(struct snap *s, const struct gitrepo *g, const struct gitindex *ix,
    const struct stat *written, const char *objects)
{
	struct timespec times[2] = { written->st_atim, written->st_mtim };
	char *path = xasprintf("%s/info/attributes", g->common);
	struct stat st;
	/* one that is in two files is more than we copy, */
	bool good = ix->base.len == 0 && (stat(path, &st) < 0 ||
	    st.st_size == 0);
	int fd = -1;

	/* and so is one that leaves folders out */
	for (size_t i = 0; i < ix->n; i++)
		good = good && !S_ISDIR(ix->v[i].mode);
	if (good && put_file(s, ALTERNATES, objects) == 0)
		fd = snap_file(s, "index", O_WRONLY | O_TRUNC);
	/* its time too: git tells by it which entries to distrust */
	if (fd < 0 || file_write_all(fd, ix->bytes.p, ix->bytes.len) < 0 ||
	    futimens(fd, times) < 0 || !clean_index(s, ix))
		snap_unseed(s);
	file_close(fd);
	free(path);
}

/* ---- made and opened ---- */

static int
put_settings(const struct snap *s)
{
	char *text = xasprintf(config, s->sha256, s->sha256 ? SHA256 : "");
	int r = put_file(s, "config", text);

	free(text);
	return r;
}

static int
make(struct snap *s, struct err *e)
{
	struct gitrepo g = { NULL, NULL };
	struct gitindex ix = { .n = 0 };
	struct buf objects = BUF_INIT(65536);
	struct stat written = { .st_size = 0 };
	bool seedable = find_objects(s, &g, &objects);
	char *path = g.dir != NULL ? xasprintf("%s/index", g.dir) : NULL;
	int r = 0;

	/* its time is taken first: the older, the more is distrusted */
	if (path == NULL || lstat(path, &written) < 0 ||
	    gitindex_read(&ix, g.dir, NULL) < 0)
		seedable = false;
	else
		s->sha256 = ix.oid_len == 32;
	for (size_t i = 0; r == 0 && i < NFOLDERS; i++) {
		int fd = root_folder(s->dirfd, folders[i]);

		r = fd >= 0 ? close(fd) : -1;
	}
	if (r == 0 && (put_settings(s) < 0 ||
	    put_file(s, "description", note) < 0 ||
	    put_file(s, "HEAD", "ref: refs/heads/none\n") < 0))
		r = -1;
	if (r == 0 && seedable)
		seed(s, &g, &ix, &written, objects.p);
	/* last, as check-attr must not see it: its presence says "made" */
	if (r == 0)
		r = put_file(s, "info/attributes", attributes);
	if (r < 0)
		err_sys(e, ST_SYSTEM, "%s", s->dir);
	free(path);
	gitindex_release(&ix);
	gitrepo_release(&g);
	buf_release(&objects);
	return r;
}

/* Nothing that git would follow elsewhere? */
static bool
is_plain(const struct snap *s)
{
	static const char *const files[] = { "HEAD", "config", "index",
		"index.lock", SNAP_INDEX, "hamr-undo", "hamr-next",
		"hamr-lock", SNAP_USE, "hamr-pruned", "info/attributes",
		ALTERNATES };
	struct stat st;

	for (size_t i = 0; i < NFOLDERS; i++)
		if (fstatat(s->dirfd, folders[i], &st, AT_SYMLINK_NOFOLLOW) <
		    0 || !S_ISDIR(st.st_mode))
			return false;
	for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
		if (fstatat(s->dirfd, files[i], &st, AT_SYMLINK_NOFOLLOW) ==
		    0 && (!S_ISREG(st.st_mode) || st.st_nlink != 1))
			return false;
	return faccessat(s->dirfd, "commondir", F_OK, AT_SYMLINK_NOFOLLOW) <
	    0 && holds_only_files(s->dirfd, "objects", OBJECTS_DEPTH);
}

int
snap_wait(struct snap *s, int fd, int how, struct err *e)
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

/* Make it, or take over what is there; one process at a time. */
static int
set_up(struct snap *s, bool create, struct err *e)
{
	struct buf conf = BUF_INIT(1 << 20);
	int r = snap_wait(s, s->dirfd, LOCK_EX, e);

	if (r < 0)
		return -1;
	if (faccessat(s->dirfd, "info/attributes", F_OK,
	    AT_SYMLINK_NOFOLLOW) < 0) {
		r = create ? make(s, e) : err_set(e, ST_NOINPUT,
		    "%s holds no snapshot", s->dir);
	} else {
		/* whoever gave us the folder may have made it: its settings
		 * are ours, whatever they were */
		r = is_plain(s) && get_file(s, "config", &conf) == 0 ? 0 : -1;
		s->sha256 = r == 0 && memmem(conf.p, conf.len, SHA256,
		    strlen(SHA256)) != NULL;
		if (r < 0 || put_settings(s) < 0 ||
		    put_file(s, "info/attributes", attributes) < 0)
			r = err_set(e, ST_POLICY, "%s is not as hamr-tool "
			    "made it; move it away", s->dir);
		buf_release(&conf);
	}
	flock(s->dirfd, LOCK_UN);
	if (r == 0) {
		s->use = snap_file(s, SNAP_USE, O_RDWR);
		r = snap_wait(s, s->use, LOCK_SH, e);
	}
	if (r == 0 && !alternates_are_good(s))
		snap_unseed(s);
	return r;
}

struct snap *
snap_open(struct files *f, bool create, struct err *e)
{
	struct snap *s = xcalloc(1, sizeof *s);
	struct stat st;
	int r = -1;

	s->f = f;
	s->ms = SNAP_MS;
	s->dirfd = s->use = -1;
	s->old = BUF_INIT(GIT_OUT_MAX);
	watch_init(&s->watch, f->root.fd);
	s->me = geteuid();
	if (fstat(f->root.fd, &st) == 0) {
		s->owner = st.st_uid;
		s->dev = st.st_dev;
	}
	/* the loop's answer or records may go to a file in the root, too */
	for (int i = 0; i < 3; i++) {
		char theirs[64];

		snprintf(theirs, sizeof theirs, "/proc/%ld/fd/%d",
		    (long)getppid(), i);
		if (fstat(i, &s->streams[i]) < 0)
			s->streams[i].st_ino = 0;
		if (stat(theirs, &s->streams[3 + i]) < 0)
			s->streams[3 + i].st_ino = 0;
	}
	s->dir = state_folder(f->root.real, "snap.git", create, e);
	if (s->dir != NULL) {
		s->dirfd = open(s->dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
		    O_CLOEXEC);
		if (s->dirfd < 0)
			err_sys(e, ST_SYSTEM, "%s", s->dir);
	}
	if (s->dirfd >= 0) {
		snap_give(s, s->dirfd);
		r = set_up(s, create, e);
	}
	if (r == 0)
		return s;
	snap_free(s);
	return NULL;
}

void
snap_free(struct snap *s)
{
	if (s == NULL)
		return;
	map_release(&s->clean);
	map_release(&s->folders);
	map_release(&s->older);
	gitindex_release(&s->now);
	gitindex_release(&s->before);
	buf_release(&s->old);
	watch_release(&s->watch);
	file_close(s->use);
	file_close(s->dirfd);
	free(s->dir);
	free(s);
}

