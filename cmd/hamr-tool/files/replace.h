/* replace.h - replace a file atomically: it is old or new, never in between.
 */
#pragma once

#include <stdbool.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "root/path.h"

#define REPLACE_PREFIX ".hamr-tmp-"	/* names of our temporaries */
#define REPLACE_NAME (sizeof REPLACE_PREFIX + 16)

/* Replace the existing file rel, open at fd; was and old are its stat and its
 * content when it was read.  Mode, owner and extended attributes are kept.
 * Refused if it has changed since.  fd -1: make the new file rel, and the
 * folders it needs; refused (exists) if it exists by now.  0, or -1 with f, and
 * then nothing has changed. */
int replace_file(const struct root *root, const char *rel, int fd,
    const struct stat *was, struct slice old, struct slice text,
    struct fault *f);

/* The steps of the above, for callers that replace several files at once: find
 * a name for a temporary; create one in a folder, locked while it is open; copy
 * the owner, mode and extended attributes of the old file (returns what could
 * not be kept, with errno, or NULL); make the folders rel needs, all or none
 * (how many, or -1 with f). */
void replace_name(char name[REPLACE_NAME]);
int replace_temporary(int dir, char name[REPLACE_NAME]);
const char *replace_copy_metadata(int from, int to, const struct stat *was);
int replace_folders(const struct root *root, const char *rel, struct fault *f);

/* Is this the last part of such a name? */
bool replace_is_temporary(const char *base);

/* Give name in dir, which we made, to the owner of the root if we run as root.
 * 0, or -1 with errno. */
int replace_chown(const struct root *root, int dir, const char *name);

/* Remove all temporaries that killed processes left in the folder open at fd,
 * which is read whole; alone: nobody else is undoing anything, so also what is
 * not locked, such as links and what was set aside. */
void replace_sweep(int fd, bool alone);
