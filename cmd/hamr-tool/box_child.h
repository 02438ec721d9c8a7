/* box_child.h - the process that becomes a supervisor, between fork and exec. */
#ifndef HAMR_TOOL_BOX_CHILD_H
#define HAMR_TOOL_BOX_CHILD_H

#include "box_in.h"

/* What it is given: fds, -1 for none. */
struct start {
	const struct box *b;
	int ctl, setup, exe, args, err, cgroup[2];
	char **env;
};

/* System calls only; what fails is said on s->err. */
_Noreturn void box_child(const struct start *s, char *const argv[]);

#endif
