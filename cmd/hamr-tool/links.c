/* links.c - hard links: do all names of a file lie beneath the root? */
#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "file.h"

#include "links.h"

#define LOOK_MS 1000
#define DEPTH 512

struct look {
	const struct stat *st;
	nlink_t found;
	long long until;
};

static bool
is_over(const struct look *l)
{
	return l->found >= l->st->st_nlink || file_now_ms() >= l->until;
}

/* All names in the folder open at fd (closed here) and beneath it. */
static void
look_in(struct look *l, int fd, int depth)
{
	DIR *d = fdopendir(fd);
	struct dirent *e;
	struct stat st;

	if (d == NULL) {
		close(fd);
		return;
	}
	while (!is_over(l) && (e = readdir(d)) != NULL) {
		int sub;

		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
			continue;
		if (e->d_ino == l->st->st_ino && fstatat(fd, e->d_name, &st,
		    AT_SYMLINK_NOFOLLOW) == 0 && st.st_ino == l->st->st_ino &&
		    st.st_dev == l->st->st_dev)
			l->found++;
		if (depth == DEPTH || (e->d_type != DT_DIR &&
		    e->d_type != DT_UNKNOWN))
			continue;
		sub = openat(fd, e->d_name, O_RDONLY | O_DIRECTORY |
		    O_NOFOLLOW | O_CLOEXEC);
		if (sub >= 0)
			look_in(l, sub, depth + 1);
	}
	closedir(d);
}

bool
links_inside(const struct root *r, const struct stat *st)
{
	struct look l = { .st = st, .until = file_now_ms() + LOOK_MS };
	int fd = path_open(r, "", O_RDONLY | O_DIRECTORY);

	if (fd >= 0)
		look_in(&l, fd, 0);
	return l.found >= st->st_nlink;
}
