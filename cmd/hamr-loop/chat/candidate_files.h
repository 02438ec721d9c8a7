/* candidate_files.h - the project's files, for what completes after an @.
 *
 * Those of a large project are listed by a process of our own, so that a key is
 * shown at once meanwhile. */
#pragma once

#include <sys/types.h>

#include "screen/complete.h"

struct file_list {		/* zeroed: nobody lists them */
	pid_t pid;
	int fd;			/* what it writes: names, a NUL after each */
	long long begun;
};

/* Add the files of the working directory that git tracks or does not ignore:
 * as many as are found in 2 s.  Quick: now, or out->later is set. */
void file_list_add(struct file_list *l, struct candidates *out);

/* They are not wanted any more. */
void file_list_release(struct file_list *l);
