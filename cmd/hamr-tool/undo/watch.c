/* watch.c - what has changed in these folders since we looked? */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/inotify.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"

#include "watch.h"

/* The kernel limits watches per user, for all programs: 8,192 on older ones. */
#define FOLDERS_MAX 2000
#define PATHS_MAX 1000		/* with more we look at everything */

#define CHANGES (IN_MODIFY | IN_CLOSE_WRITE | IN_ATTRIB | IN_CREATE | \
    IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF)

void
watch_init(struct watch *w, int root)
{
	/* none that change without this kernel's knowledge: a network's, or the
	 * layers of an overlay */
	static const long local[] = { EXT4_SUPER_MAGIC, XFS_SUPER_MAGIC,
		BTRFS_SUPER_MAGIC, TMPFS_MAGIC, F2FS_SUPER_MAGIC };
	struct statfs st;

	*w = (struct watch){ .fd = -1 };
	if (fstatfs(root, &st) < 0)
		return;
	w->untimed = st.f_type == TMPFS_MAGIC;
	for (size_t i = 0; i < sizeof local / sizeof *local; i++)
		if ((long)st.f_type == local[i])
			w->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
}

void
watch_release(struct watch *w)
{
	file_close(w->fd);
	for (size_t i = 0; i < w->nrel; i++)
		free(w->rel[i]);
	free(w->rel);
	*w = (struct watch){ .fd = -1 };
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
watch_folder(struct watch *w, int dir, const char *name, const char *rel)
{
	int no = -1;

	if (!w->whole)
		return;
	char *path = dir == AT_FDCWD ? xstrdup(name) :
	    xasprintf("/proc/self/fd/%d/%s", dir, name);
	if (++w->n <= FOLDERS_MAX)
		no = inotify_add_watch(w->fd, path, CHANGES | IN_ONLYDIR |
		    IN_DONT_FOLLOW);
	free(path);
	if (no < 0) {
		w->whole = false;
		return;
	}
	if ((size_t)no >= w->nrel) {
		size_t n = 2 * (size_t)no + 16;

		w->rel = xrealloc(w->rel, n * sizeof *w->rel);
		memset(w->rel + w->nrel, 0, (n - w->nrel) * sizeof *w->rel);
		w->nrel = n;
	}
	free(w->rel[no]);
	w->rel[no] = rel != NULL ? xstrdup(rel) : NULL;
}

bool
watch_take(struct watch *w, struct texts *paths)
{
	union {
		struct inotify_event align;
		char bytes[16384];
	} u;
	ssize_t n = 1;

	while (w->whole && (n = read(w->fd, &u, sizeof u)) > 0)
		for (ssize_t at = 0; at < n && w->whole; ) {
			const struct inotify_event *e =
			    (const void *)(u.bytes + at);
			const char *rel = e->wd >= 0 &&
			    (size_t)e->wd < w->nrel ? w->rel[e->wd] : NULL;

			at += (ssize_t)(sizeof *e + e->len);
			/* a file that, unlike .gitignore, affects no others? */
			w->whole = rel != NULL && e->len > 0 &&
			    (e->mask & IN_ISDIR) == 0 &&
			    (e->mask & CHANGES) != 0 &&
			    paths->n < PATHS_MAX &&
			    strncasecmp(e->name, ".git", 4) != 0;
			if (w->whole)
				texts_add(paths, xasprintf("%s%s%s", rel,
				    rel[0] != '\0' ? "/" : "", e->name));
		}
	/* EAGAIN: no more events; else some may be lost */
	if (n < 0 && errno != EAGAIN)
		w->whole = false;
	return w->whole;
}
