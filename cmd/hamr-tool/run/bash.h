/* bash.h - the bash tool: one command, its status, its output, its end.
 *
 * Nothing the command starts outlives the call.  While it runs SIGPIPE is
 * ignored, and SIGTERM and SIGINT wait until its processes have been ended.
 */
#pragma once

#include "prog.h"
#include "root/result.h"

struct bash_opts {
	struct sandboxes *sandboxes;
	struct box_want want;	/* the sandbox it gets */
	const char *root;	/* absolute; what is shown as cwd */
	int rootfd;
	size_t cap;		/* per-result cap, bytes */
	int alive;		/* as of a prog */
	const char *id;		/* tool_call_id of the `output` records, NULL:
				 * none are put */
};

struct bash_end {
	int exit;		/* -1: it did not end by itself */
	const char *sandbox;	/* where it ran; NULL: it did not run */
};

/* Run the command of args, which have passed the schema.  r is always
 * filled. */
struct bash_end bash_run(struct stage *s, const struct bash_opts *o,
    struct slice args, struct result *r);
