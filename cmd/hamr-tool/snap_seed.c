/* snap_seed.c - our index from the user's, so that little need be hashed. */
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file.h"
#include "gitindex.h"
#include "gitrepo.h"
#include "mem.h"

#include "files_in.h"
#include "snap_in.h"

#define INDEX_MAX ((size_t)512 << 20)

#define ALTERNATES "objects/info/alternates"

/* ---- what git may look at ---- */

bool
snap_files_are_plain(int dirfd, const char *name, int depth)
{
	int fd = openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
	    O_CLOEXEC);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *e;
	bool good = d != NULL;

	if (d == NULL && fd >= 0)
		close(fd);
	while (good && (e = readdir(d)) != NULL) {
		unsigned char type = e->d_type;
		struct stat st;

		if (strcmp(e->d_name, ".") == 0 ||
		    strcmp(e->d_name, "..") == 0)
			continue;
		if (type == DT_UNKNOWN && fstatat(fd, e->d_name, &st,
		    AT_SYMLINK_NOFOLLOW) == 0)
			type = S_ISREG(st.st_mode) ? DT_REG :
			    S_ISDIR(st.st_mode) ? DT_DIR : DT_UNKNOWN;
		good = type == DT_REG || (type == DT_DIR && depth > 1 &&
		    snap_files_are_plain(fd, e->d_name, depth - 1));
	}
	if (d != NULL)
		closedir(d);
	return good;
}

/* The user's objects; false where they are not to be used.  Where they lean on
 * others yet we do without. */
static bool
find_objects(const struct snap *s, struct gitrepo *g, struct buf *objects)
{
	struct stat st;
	struct err e;
	char *more;
	bool good = gitrepo_open(g, s->f->root.real, &e) > 0;

	if (!good)
		return false;
	buf_fmt(objects, "%s/objects", g->common);
	more = xasprintf("%s/info/alternates", objects->p);
	good = lstat(more, &st) < 0 && strchr(objects->p, '\n') == NULL &&
	    objects->p[0] != '#' && objects->p[0] != '"' &&
	    snap_files_are_plain(AT_FDCWD, objects->p, SNAP_DEPTH);
	free(more);
	return good;
}

bool
snap_objects_are_plain(const struct snap *s)
{
	char *path = xasprintf("%s/" ALTERNATES, s->dir);
	struct buf is = BUF_INIT(65536), objects = BUF_INIT(65536);
	struct gitrepo g = { NULL, NULL };
	struct err e;
	bool good = true;

	if (gitrepo_read(path, 65535, &is, &e) < 0) {
		good = e.status == ST_NOINPUT;
	} else {
		good = find_objects(s, &g, &objects) &&
		    buf_addc(&objects, '\n') == 0 && is.len == objects.len &&
		    memcmp(is.p, objects.p, is.len) == 0;
	}
	gitrepo_release(&g);
	buf_release(&objects);
	buf_release(&is);
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

	if (fd >= 0)
		close(fd);
	free(path);
	return plain;
}

bool
snap_attributes_are_plain(const struct snap *s, const struct buf *paths)
{
	struct map asked = { 0 };
	bool good = paths->len == 0 || is_plain_at(s, "", 0);

	for (size_t at = 0; at < paths->len && good;
	    at += strlen(paths->p + at) + 1) {
		const char *rel = paths->p + at, *slash = rel;

		while (good && (slash = strchr(slash + (slash > rel), '/')) !=
		    NULL) {
			bool fresh;

			map_put(&asked, (struct slice){ rel,
			    (size_t)(slash - rel) }, &fresh);
			if (fresh)
				good = is_plain_at(s, rel,
				    (size_t)(slash - rel));
			if (slash == rel)
				break;
		}
	}
	map_release(&asked);
	return good;
}

/* ---- the index ---- */

bool
snap_seed_is_sha256(const struct snap *s)
{
	struct gitrepo g;
	struct gitindex ix = { .n = 0 };
	struct err e;
	bool yes = gitrepo_open(&g, s->f->root.real, &e) > 0 &&
	    gitindex_read(&ix, g.dir, &e) == 0 && ix.oid_len == 32;

	gitindex_release(&ix);
	gitrepo_release(&g);
	return yes;
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

		snap_give(s, to);
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

/* An entry that is more than a plain file, or that git was told not to look at,
 * is bad. */
static void
sort_entry(struct snap *s, const struct gitindex *ix, size_t i,
    struct buf *paths, struct buf *oids, struct buf *bad)
{
	const struct gitindex_entry *e = &ix->v[i];
	bool plain = e->plain && (S_ISREG(e->mode) || S_ISLNK(e->mode)) &&
	    !files_hidden(s->f, e->path);

	buf_add(plain ? paths : bad, e->path, strlen(e->path) + 1);
	for (size_t k = 0; k < ix->oid_len && plain; k++)
		buf_fmt(oids, "%02x%s", e->oid[k], k + 1 < ix->oid_len ? "" :
		    "\n");
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
clean_index(struct snap *s, const struct gitindex *ix)
{
	static const char *const drop[] = { "update-index", "-z",
		"--force-remove", "--stdin", NULL };
	struct buf paths = BUF_INIT(GIT_OUT_MAX), oids = BUF_INIT(GIT_OUT_MAX);
	struct buf bad = BUF_INIT(GIT_OUT_MAX), size = BUF_INIT(GIT_OUT_MAX);
	bool good;

	for (size_t i = 0; i < ix->n; i++)
		sort_entry(s, ix, i, &paths, &oids, &bad);
	good = snap_attributes_are_plain(s, &paths) &&
	    sizes(s, &oids, &size) && filtered(s, &paths, &bad);
	if (size.len > 0)
		size.p[size.len] = '\0';
	compare_sizes(s, &paths, &size, &bad);
	if (good && bad.len > 0)
		good = snap_git(s, drop, buf_view(&bad), NULL) == 0;
	buf_release(&paths);
	buf_release(&oids);
	buf_release(&bad);
	buf_release(&size);
	return good;
}

/* One that is in two files, or leaves folders out, is more than we copy. */
static bool
is_simple(const struct gitindex *ix)
{
	for (size_t i = 0; i < ix->n; i++)
		if (S_ISDIR(ix->v[i].mode))
			return false;
	return ix->base.len == 0;
}

void
snap_unseed(struct snap *s)
{
	unlinkat(s->dirfd, "index", 0);
	unlinkat(s->dirfd, "index.lock", 0);
	unlinkat(s->dirfd, ALTERNATES, 0);
}

void
snap_seed(struct snap *s)
{
	struct buf objects = BUF_INIT(65536);
	struct gitrepo g = { NULL, NULL };
	struct gitindex ix = { .n = 0 };
	char *path = NULL;
	bool good = find_objects(s, &g, &objects) &&
	    gitindex_read(&ix, g.dir, NULL) == 0 && is_simple(&ix);

	if (good) {
		struct stat st;

		path = xasprintf("%s/info/attributes", g.common);
		good = stat(path, &st) < 0 || st.st_size == 0;
		free(path);
		buf_addc(&objects, '\n');
		path = xasprintf("%s/index", g.dir);
		good = good && snap_put_file(s, ALTERNATES, objects.p) == 0 &&
		    copy_index(s, path) && clean_index(s, &ix);
		free(path);
	}
	if (!good)
		snap_unseed(s);
	gitindex_release(&ix);
	gitrepo_release(&g);
	buf_release(&objects);
}
