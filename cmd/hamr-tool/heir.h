/* heir.h - who ends a command when hamr-tool itself is killed.
 *
 * A process of its own waits for the end of a pipe that only hamr-tool holds,
 * and kills the command's process group if that comes before heir_end: kill -9
 * leaves nobody else who could.  Started before kin_adopt, so that it is
 * spared.  SIGPIPE must be ignored.  Without it (no process, no pipe) a call
 * goes on all the same.
 */
#ifndef HAMR_TOOL_HEIR_H
#define HAMR_TOOL_HEIR_H

#include <sys/types.h>

struct heir {
	pid_t pid;
	int fd;
};

void heir_start(struct heir *h);
/* The command runs, as leader of this process group. */
void heir_tell(const struct heir *h, pid_t group);
/* The command has ended. */
void heir_end(struct heir *h);

#endif
