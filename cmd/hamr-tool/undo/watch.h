/* watch.h - what has changed in these folders since we looked?
 *
 * Uses inotify, and only where the kernel reports every change.  A write by
 * another process through a mapping that it keeps is noticed with the next
 * change (our own commands have ended by then, and closing a file that was open
 * for writing is reported).  So is a write through another name of a file, if a
 * command made that name where nothing is watched, in an ignored folder.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/mem.h"

struct watch {
	int fd;			/* -1: nothing is watched */
	bool untimed;		/* writes through a mapping do not change the
				 * file's times: a tmpfs */
	size_t n;		/* folders, since watch_begin */
	bool whole;		/* all that was asked for is watched; the user
				 * clears it if something may change unseen */
	char **rel;		/* of each folder, by inotify's number; NULL */
	size_t nrel;
};

/* For the tree open as root.  Nothing is watched on a file system that does not
 * report all changes. */
void watch_init(struct watch *w, int root);
void watch_release(struct watch *w);

/* Forget all changes so far; watch_folder calls follow. */
void watch_begin(struct watch *w);
/* Watch the folder name in dir and its entries, but not those below; rel is its
 * path beneath the root, or NULL.  Call it before reading the folder. */
void watch_folder(struct watch *w, int dir, const char *name,
    const char *rel);

/* Add the paths of the files created, removed or changed since watch_begin and
 * the last call; there may be duplicates.  False: there may be more, or
 * folders. */
bool watch_take(struct watch *w, struct texts *paths);
