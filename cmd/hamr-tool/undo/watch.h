/* watch.h - what has changed in these folders since we looked?
 *
 * By inotify, and only where the kernel tells of all.  What another process
 * writes through a mapping that it keeps (not a command of ours: all of those
 * have ended, and a file open for writing tells when it is closed) is noticed
 * with the next change.  So is what one command writes through another name of
 * a file that it made where nothing is watched, in an ignored folder.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

struct watch {
	int fd;			/* -1: nothing is watched */
	bool untimed;		/* what is written through a mapping changes no
				 * time of its file: a tmpfs */
	size_t n;		/* folders, since watch_begin */
	bool whole;		/* all that was asked for is watched */
	char **rel;		/* of each folder, by inotify's number; NULL */
	size_t nrel;
};

/* For the tree open as root; on a file system that does not tell of all changes
 * nothing is watched. */
void watch_init(struct watch *w, int root);
void watch_release(struct watch *w);

/* What has happened so far does not count; the folders follow. */
void watch_begin(struct watch *w);
/* This folder, and what is in it but not beneath: name, in the folder open as
 * dir; rel beneath the root, or NULL.  To be called before it is read. */
void watch_folder(struct watch *w, int dir, const char *name,
    const char *rel);
/* Something will change unseen. */
void watch_doubt(struct watch *w);

/* Append the paths, each ended by NUL, of the files that came, went or changed
 * since watch_begin and the last call; some may be the same.  False: there may
 * be more, or folders. */
bool watch_take(struct watch *w, struct buf *paths);
