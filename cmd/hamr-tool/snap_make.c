/* snap_make.c - the repository of the snapshots: made, opened, seeded. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file.h"
#include "mem.h"
#include "state.h"

#include "files_in.h"
#include "snap_in.h"

#define INDEX_MAX ((size_t)512 << 20)

/* What is in force: no filter, no line ends, no helper, nothing collected. */
static const char config[] =
    "[core]\n\trepositoryFormatVersion = %d\n\tbare = true\n"
    "\tfileMode = true\n\tsymlinks = true\n\tignoreCase = false\n"
    "\tprecomposeUnicode = false\n\tautocrlf = false\n"
    "\tprotectNTFS = false\n\tprotectHFS = false\n\tsplitIndex = false\n"
    "\tuntrackedCache = false\n\tfsmonitor = false\n\tcompression = 1\n"
    "\tlogAllRefUpdates = false\n[gc]\n\tauto = 0\n[index]\n\tsparse = "
    "false\n%s";
static const char attributes[] = "* -text -crlf -ident -filter !eol "
    "!working-tree-encoding\n";
static const char note[] = "Snapshots of hamr-tool, for hamr-tool undo. "
    "It may be removed; then nothing before that can be undone.\n";

/* ---- files of ours, which belong to who owns the root ---- */

static void
give(const struct snap *s, int fd)
{
	if (geteuid() == 0 && s->owner != 0 && fchown(fd, s->owner,
	    (gid_t)-1) < 0)
		return;		/* git will say it */
}

static int
put_file(const struct snap *s, const char *name, const char *text)
{
	int fd = openat(s->dirfd, name, O_WRONLY | O_CREAT | O_TRUNC |
	    O_NOFOLLOW | O_CLOEXEC, 0600), r = -1;

	if (fd < 0)
		return -1;
	give(s, fd);
	if (file_write_all(fd, text, strlen(text)) == 0)
		r = 0;
	return close(fd) < 0 ? -1 : r;
}

static int
put_folder(const struct snap *s, const char *name)
{
	int fd;

	if (mkdirat(s->dirfd, name, 0700) < 0 && errno != EEXIST)
		return -1;
	fd = openat(s->dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
	    O_CLOEXEC);
	if (fd < 0)
		return -1;
	give(s, fd);
	return close(fd);
}

/* ---- seeding ---- */

/* What the user's repository says of itself; NULL where there is none. */
struct users {
	struct buf text;
	const char *format, *objects, *index, *attributes, *prefix;
};

static bool
ask_users(struct snap *s, struct users *u)
{
	static const char *const args[] = { "rev-parse",
		"--path-format=absolute", "--show-object-format", "--git-path",
		"objects", "--git-path", "index", "--git-path",
		"info/attributes", "--show-prefix", NULL };
	const char **const to[] = { &u->format, &u->objects, &u->index,
		&u->attributes, &u->prefix };
	char *p;

	*u = (struct users){ .text = BUF_INIT(GIT_OUT_MAX) };
	if (snap_ask(s, args, &u->text) != 0 || u->text.len == 0)
		return false;
	u->text.p[u->text.len] = '\0';
	p = u->text.p;
	for (size_t i = 0; i < sizeof to / sizeof to[0]; i++) {
		char *lf = strchr(p, '\n');

		if (lf == NULL)
			return false;
		*lf = '\0';
		*to[i] = p;
		p = lf + 1;
	}
	return true;
}

/* The index as it is, its time too: git tells by it which entries to
 * distrust. */
static bool
copy_index(const struct snap *s, const char *path)
{
	int from = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	int to = -1;
	struct buf b = BUF_INIT(INDEX_MAX);
	struct stat st;
	bool good = from >= 0 && fstat(from, &st) == 0 &&
	    S_ISREG(st.st_mode) && file_read_fd(from, path, &b, NULL) == 0 &&
	    b.len > 4 && memcmp(b.p, "DIRC", 4) == 0;

	if (good)
		to = openat(s->dirfd, "index", O_WRONLY | O_CREAT | O_TRUNC |
		    O_NOFOLLOW | O_CLOEXEC, 0600);
	if (to >= 0) {
		struct timespec times[2] = { st.st_atim, st.st_mtim };

		give(s, to);
		good = file_write_all(to, b.p, b.len) == 0 &&
		    futimens(to, times) == 0;
		close(to);
	}
	if (from >= 0)
		close(from);
	buf_release(&b);
	return good && to >= 0;
}

/* The sizes of blobs, in the order of the names in "in". */
static bool
sizes(struct snap *s, const struct buf *in, struct buf *out)
{
	static const char *const args[] = { "cat-file",
		"--batch-check=%(objectsize)", NULL };

	return in->len == 0 || snap_git(s, args, buf_view(in), out) == 0;
}

/* Paths that an attribute may transform in a way that keeps their size. */
static bool
filtered(struct snap *s, const struct buf *paths, struct buf *bad)
{
	static const char *const args[] = { "check-attr", "-z", "--stdin",
		"filter", "ident", "working-tree-encoding", NULL };
	struct buf out = BUF_INIT(GIT_OUT_MAX);
	bool good = paths->len == 0 ||
	    snap_git(s, args, buf_view(paths), &out) == 0;

	for (size_t at = 0; good && at < out.len; ) {
		const char *path = out.p + at;
		const char *name = path + strlen(path) + 1;
		const char *value = name + strlen(name) + 1;

		if (strcmp(value, "unspecified") != 0 &&
		    strcmp(value, "unset") != 0)
			buf_add(bad, path, strlen(path) + 1);
		at = (size_t)(value + strlen(value) + 1 - out.p);
	}
	buf_release(&out);
	return good;
}

/* One line of ls-files -v -s, "H 100644 OID 0 TAB path".  An entry that is
 * more than a plain file, or that git was told not to look at, is bad. */
static void
sort_entry(struct snap *s, const char *line, struct buf *paths,
    struct buf *oids, struct buf *bad)
{
	const char *tab = strchr(line, '\t'), *oid = line + 9;
	bool plain = tab != NULL && line[0] == 'H' && tab[-1] == '0' &&
	    (strncmp(line + 2, "100", 3) == 0 ||
	    strncmp(line + 2, "120", 3) == 0) && !files_hidden(s->f, tab + 1);

	if (tab == NULL)
		return;
	if (plain) {
		buf_add(paths, tab + 1, strlen(tab + 1) + 1);
		buf_fmt(oids, "%.*s\n", (int)strcspn(oid, " "), oid);
	} else {
		buf_add(bad, tab + 1, strlen(tab + 1) + 1);
	}
}

/* A blob of another size than the file is the file transformed, or changed
 * since: in doubt it is hashed. */
static void
compare_sizes(struct snap *s, const struct buf *paths, const struct buf *sizes,
    struct buf *bad)
{
	const char *size = sizes->p;

	for (size_t at = 0; at < paths->len && size != NULL;
	    at += strlen(paths->p + at) + 1) {
		const char *rel = paths->p + at;
		int fd = path_open(&s->f->root, rel, O_PATH | O_NOFOLLOW);
		struct stat st;

		if (fd < 0 || fstat(fd, &st) < 0 ||
		    strtoll(size, NULL, 10) != st.st_size)
			buf_add(bad, rel, strlen(rel) + 1);
		if (fd >= 0)
			close(fd);
		size = strchr(size, '\n');
		size += size != NULL;
	}
}

/* Take out of the copied index what does not name the bytes of a file. */
static bool
clean_index(struct snap *s)
{
	static const char *const list[] = { "ls-files", "-z", "-v", "-s",
		NULL };
	static const char *const drop[] = { "update-index", "-z",
		"--force-remove", "--stdin", NULL };
	struct buf out = BUF_INIT(GIT_OUT_MAX), paths = BUF_INIT(GIT_OUT_MAX);
	struct buf oids = BUF_INIT(GIT_OUT_MAX), bad = BUF_INIT(GIT_OUT_MAX);
	struct buf size = BUF_INIT(GIT_OUT_MAX);
	bool good = snap_git(s, list, SLICE(""), &out) == 0;

	for (size_t at = 0; at < out.len && good;
	    at += strlen(out.p + at) + 1)
		sort_entry(s, out.p + at, &paths, &oids, &bad);
	good = good && sizes(s, &oids, &size) && filtered(s, &paths, &bad);
	if (size.len > 0)
		size.p[size.len] = '\0';
	compare_sizes(s, &paths, &size, &bad);
	if (good && bad.len > 0)
		good = snap_git(s, drop, buf_view(&bad), NULL) == 0;
	buf_release(&out);
	buf_release(&paths);
	buf_release(&oids);
	buf_release(&bad);
	buf_release(&size);
	return good;
}

void
snap_unseed(struct snap *s)
{
	unlinkat(s->dirfd, "index", 0);
	unlinkat(s->dirfd, "index.lock", 0);
	unlinkat(s->dirfd, "objects/info/alternates", 0);
}

/* The user's index and objects, if they fit ours.  Not taking them is slower,
 * and no more. */
static void
seed(struct snap *s, const struct users *u)
{
	char *line = xasprintf("%s\n", u->objects);
	struct stat st;

	if (u->prefix[0] != '\0' || put_file(s, "objects/info/alternates",
	    line) < 0 || (stat(u->attributes, &st) == 0 && st.st_size > 0) ||
	    !copy_index(s, u->index) || !clean_index(s))
		snap_unseed(s);
	free(line);
}

/* ---- making it ---- */

static int
make(struct snap *s, struct err *e)
{
	static const char *const folders[] = { "objects", "objects/info",
		"objects/pack", "refs", "refs/heads", "info" };
	struct users u;
	bool has = ask_users(s, &u);
	bool sha256 = has && strcmp(u.format, "sha256") == 0;
	char *text = xasprintf(config, sha256, sha256 ?
	    "[extensions]\n\tobjectFormat = sha256\n" : "");
	int r = 0;

	for (size_t i = 0; r == 0 && i < sizeof folders / sizeof folders[0];
	    i++)
		r = put_folder(s, folders[i]);
	if (r < 0 || put_file(s, "config", text) < 0 ||
	    put_file(s, "description", note) < 0 ||
	    put_file(s, "HEAD.part", "ref: refs/heads/none\n") < 0 ||
	    renameat(s->dirfd, "HEAD.part", s->dirfd, "HEAD") < 0)
		r = err_sys(e, ST_SYSTEM, "%s", s->dir);
	if (r == 0 && has)
		seed(s, &u);
	/* last, as check-attr must not see it: its presence says "made" */
	if (r == 0 && put_file(s, "info/attributes", attributes) < 0)
		r = err_sys(e, ST_SYSTEM, "%s", s->dir);
	buf_release(&u.text);
	free(text);
	return r;
}

struct snap *
snap_open(const struct files *f, bool create, struct err *e)
{
	struct snap *s = xcalloc(1, sizeof *s);
	struct stat st;

	s->f = f;
	s->dirfd = -1;
	if (fstat(f->root.fd, &st) == 0)
		s->owner = st.st_uid;
	for (int i = 0; i < 3; i++)
		if (fstat(i, &s->streams[i]) < 0)
			s->streams[i].st_ino = 0;
	s->dir = state_folder(f->root.real, "snap.git", create, e);
	if (s->dir == NULL)
		goto fail;
	s->dirfd = open(s->dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
	    O_CLOEXEC);
	if (s->dirfd < 0) {
		err_sys(e, ST_SYSTEM, "%s", s->dir);
		goto fail;
	}
	give(s, s->dirfd);
	if (faccessat(s->dirfd, "info/attributes", F_OK, 0) == 0)
		return s;
	if (!create) {
		err_set(e, ST_NOINPUT, "%s holds no snapshot", s->dir);
		goto fail;
	}
	if (make(s, e) == 0)
		return s;
fail:
	snap_free(s);
	return NULL;
}

void
snap_free(struct snap *s)
{
	if (s == NULL)
		return;
	map_release(&s->modes);
	map_release(&s->modes_before);
	if (s->dirfd >= 0)
		close(s->dirfd);
	free(s->dir);
	free(s);
}

const char *
snap_dir(const struct snap *s)
{
	return s->dir;
}
