/* replace.h - a file's content exchanged at once: old or new, never between.
 */
#pragma once

#include <stdbool.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "root/path.h"

#define REPLACE_PREFIX ".hamr-tmp-"	/* names of our temporaries */
#define REPLACE_NAME (sizeof REPLACE_PREFIX + 16)

/* Replace the existing file rel, which was open at fd as was when its content
 * was taken, old: mode, owner and extended attributes stay; refused when it is
 * no longer what it was.  fd -1: there shall be none.  0, or -1 with f, and
 * then nothing has changed. */
int replace_file(const struct root *root, const char *rel, int fd,
    const struct stat *was, struct slice old, struct slice text,
    struct fault *f);

/* Make the new file rel and the folders it needs; refused (exists) when there
 * is one by now.  0, or -1 with f, and then nothing was made. */
int replace_make(const struct root *root, const char *rel, struct slice text,
    struct fault *f);

/* The steps of the above, for who replaces several files at once: a temporary
 * of ours in a folder, locked as long as it is open; owner, mode and extended
 * attributes of an old file (what could not be kept, with errno; or NULL); the
 * folders rel needs (*made: the length of the first made one's name, 0: none).
 */
int replace_temporary(int dir, char name[REPLACE_NAME]);
const char *replace_dress(int from, int to, const struct stat *was);
int replace_folders(const struct root *root, const char *rel, size_t *made,
    struct fault *f);

/* Is this the last part of such a name? */
bool replace_is_temporary(const char *base);

/* name in dir was made by us: in somebody's root it is theirs, also when root
 * made it.  0, or -1 with errno. */
int replace_give(const struct root *root, int dir, const char *name);

/* Remove all temporaries that killed processes left in the folder open at fd;
 * it is read whole.  What was left of one file, the next change of that file
 * removes without. */
void replace_sweep(int fd);
