/* landlock.h - which files may be touched, by the kernel's Landlock. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct landlock {
	const char *const *writable;	/* folders, and files of /dev */
	size_t nwritable;
	const char *const *hidden;	/* files and folders; not readable */
	size_t nhidden;
	bool network, unix_sockets;
};

/* The first version in which files can be renamed and linked into other
 * folders. */
#define LANDLOCK_REFER 2

/* The version of the kernel's Landlock, 0: none. */
int landlock_version(void);

/* What version v cannot do that bubblewrap does, as text; never "". */
const char *landlock_lacks(int v);

/* For this process and all it starts; no_new_privs must be set.  Reading is
 * allowed but for what is hidden (and for what is made later in a folder that
 * holds something hidden), writing only as listed.  What is listed and not
 * there is passed over.  0, or -1 with errno. */
int landlock_apply(const struct landlock *l);
