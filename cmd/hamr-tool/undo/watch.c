/* watch.c - has anything changed in these folders since we looked? */
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/mem.h"

#include "watch.h"

/* A user has so many for all programs: 8,192 on older kernels. */
#define FOLDERS_MAX 2000

#define CHANGES (IN_MODIFY | IN_CLOSE_WRITE | IN_ATTRIB | IN_CREATE | \
    IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF)

/* Not what others may change without this kernel: a network, or the layers of
 * an overlay. */
static bool
is_local(int root)
{
	static const long kinds[] = { EXT4_SUPER_MAGIC, XFS_SUPER_MAGIC,
		BTRFS_SUPER_MAGIC, TMPFS_MAGIC, F2FS_SUPER_MAGIC };
	struct statfs st;

	for (size_t i = 0; fstatfs(root, &st) == 0 &&
	    i < sizeof kinds / sizeof *kinds; i++)
		if ((long)st.f_type == kinds[i])
			return true;
	return false;
}

void
watch_init(struct watch *w, int root)
{
	*w = (struct watch){ .fd = is_local(root) ?
	    inotify_init1(IN_NONBLOCK | IN_CLOEXEC) : -1 };
}

void
watch_release(struct watch *w)
{
	if (w->fd >= 0)
		close(w->fd);
	w->fd = -1;
	w->whole = false;
}

void
watch_begin(struct watch *w)
{
	char events[4096];

	w->n = 0;
	w->whole = w->fd >= 0;
	while (w->fd >= 0 && read(w->fd, events, sizeof events) > 0)
		;
}

void
watch_folder(struct watch *w, int dir, const char *name)
{
	char *path = dir == AT_FDCWD ? xstrdup(name) :
	    xasprintf("/proc/self/fd/%d/%s", dir, name);

	if (w->whole && (++w->n > FOLDERS_MAX || inotify_add_watch(w->fd, path,
	    CHANGES | IN_ONLYDIR | IN_DONT_FOLLOW) < 0))
		w->whole = false;
	free(path);
}

void
watch_doubt(struct watch *w)
{
	w->whole = false;
}

bool
watch_quiet(const struct watch *w)
{
	int waiting = 0;

	return w->whole && ioctl(w->fd, FIONREAD, &waiting) == 0 &&
	    waiting == 0;
}
