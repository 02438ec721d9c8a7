/* snap_seed.c - our index from the user's, so that little need be hashed. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file.h"
#include "mem.h"

#include "files_in.h"
#include "snap_in.h"

#define INDEX_MAX ((size_t)512 << 20)

bool
snap_ask_users(struct snap *s, struct users *u)
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

void
snap_seed(struct snap *s, const struct users *u)
{
	char *line = xasprintf("%s\n", u->objects);
	struct stat st;

	if (u->prefix[0] != '\0' || snap_put_file(s, "objects/info/alternates",
	    line) < 0 || (stat(u->attributes, &st) == 0 && st.st_size > 0) ||
	    !copy_index(s, u->index) || !clean_index(s))
		snap_unseed(s);
	free(line);
}
