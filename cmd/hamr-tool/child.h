/* child.h - start a command: no terminal, nothing inherited but what is given.
 */
#ifndef HAMR_TOOL_CHILD_H
#define HAMR_TOOL_CHILD_H

#include <sys/types.h>

/* What becomes fd 0 to 2; all are above 2. */
struct child_io {
	int in, out, err;
};

/* Start argv[0] (found on our PATH) in folder dir: a session of its own, fds 0
 * to 2 only, default signals.  0 and *pid, or an errno. */
int child_spawn(pid_t *pid, char *const argv[], char *const env[],
    const char *dir, const struct child_io *io);

#endif
