/* child.h - start bash: clean environment, no terminal, nothing inherited. */
#ifndef HAMR_TOOL_CHILD_H
#define HAMR_TOOL_CHILD_H

#include <sys/types.h>

#include "conf.h"

struct child {
	pid_t pid;
	int pidfd;
	int out, err;		/* our ends, non-blocking */
};

/* The environment of chapter 5.3: its allow-list and [sandbox] env (names, or
 * NAME=value), PWD as given.  A NULL-terminated array; child_env_free. */
char **child_env(const struct conf *c, const char *pwd);
void child_env_free(char **env);

/* Start argv[0] (found on PATH) in folder dirfd: stdin /dev/null, a session
 * of its own, fds 0 to 2 only, default signals.  0, or -1 with errno. */
int child_start(struct child *c, char *const argv[], char *const env[],
    int dirfd);

/* Close what of c is open. */
void child_close(struct child *c);

#endif
