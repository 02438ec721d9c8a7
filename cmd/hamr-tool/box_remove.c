/* box_remove.c - folders with all that is in them: looked through, removed. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "box_in.h"

#define DEPTH_MAX 4096

static void
remove_in(int dirfd, const char *name, int depth)
{
	struct dirent *e;
	DIR *d;
	int fd;

	if (unlinkat(dirfd, name, 0) == 0 || depth > DEPTH_MAX)
		return;
	if (unlinkat(dirfd, name, AT_REMOVEDIR) == 0)
		return;
	fd = openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
	    O_CLOEXEC);
	if (fd < 0 && errno == EACCES &&
	    fchmodat(dirfd, name, 0700, 0) == 0)
		fd = openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
		    O_CLOEXEC);
	if (fd < 0)
		return;
	if (fchmod(fd, 0700) < 0)
		errno = 0;	/* not ours; then it stays, at worst */
	d = fdopendir(fd);
	while (d != NULL && (e = readdir(d)) != NULL)
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			remove_in(fd, e->d_name, depth + 1);
	if (d != NULL)
		closedir(d);
	else
		close(fd);
	unlinkat(dirfd, name, AT_REMOVEDIR);
}

void
place_remove_in(int dirfd, const char *name)
{
	remove_in(dirfd, name, 0);
}

void
place_remove(const char *path)
{
	remove_in(AT_FDCWD, path, 0);
}

static bool
holds_files(int dirfd, const char *name, int depth)
{
	int fd = openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
	    O_CLOEXEC);
	DIR *d = fd >= 0 && depth < DEPTH_MAX ? fdopendir(fd) : NULL;
	struct dirent *e;
	bool found = d == NULL;

	while (!found && (e = readdir(d)) != NULL)
		found = strcmp(e->d_name, ".") != 0 &&
		    strcmp(e->d_name, "..") != 0 &&
		    holds_files(fd, e->d_name, depth + 1);
	if (d != NULL)
		closedir(d);
	else if (fd >= 0)
		close(fd);
	return found;
}

bool
place_holds_files(int dirfd, const char *name)
{
	return holds_files(dirfd, name, 0);
}
