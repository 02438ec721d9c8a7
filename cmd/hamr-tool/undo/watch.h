/* watch.h - has anything changed in these folders since we looked?
 *
 * By inotify: no answer but "no" is relied on, and it is given only where the
 * kernel would have told.  What another process writes through a mapping that
 * it keeps (not a command of ours: all of those have ended, and a file open for
 * writing tells when it is closed) is noticed with the next change.
 */
#ifndef HAMR_TOOL_WATCH_H
#define HAMR_TOOL_WATCH_H

#include <stdbool.h>
#include <stddef.h>

struct watch {
	int fd;			/* -1: nothing is watched */
	size_t n;		/* folders, since watch_begin */
	bool whole;		/* all that was asked for is watched */
};

/* For the tree open as root; on a file system that does not tell of all changes
 * nothing is watched. */
void watch_init(struct watch *w, int root);
void watch_release(struct watch *w);

/* What has happened so far does not count; the folders follow. */
void watch_begin(struct watch *w);
/* This folder, and what is in it but not beneath: name, in the folder open as
 * dir.  To be called before it is read. */
void watch_folder(struct watch *w, int dir, const char *name);
/* Something will change unseen. */
void watch_doubt(struct watch *w);

/* True: all that was watched since watch_begin is as it was then. */
bool watch_quiet(const struct watch *w);

#endif
