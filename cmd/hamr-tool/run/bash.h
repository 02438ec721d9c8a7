/* bash.h - the bash tool: one command, its status, its output, its end.
 *
 * Nothing the command starts outlives the call.  While it runs SIGPIPE is
 * ignored and SIGTERM and SIGINT wait: first its processes are ended.
 */
#pragma once

#include "prog.h"
#include "root/result.h"

struct bash_opts {
	struct sandboxes *sandboxes;
	enum box_kind kind;	/* the sandbox it gets */
	bool offline;		/* without network, whatever is configured */
	bool online;		/* with it */
	const char *root;	/* absolute; what is shown as cwd */
	int rootfd;
	size_t cap;		/* per-result cap, bytes */
	int alive;		/* as of a prog */
	const char *id;		/* tool_call_id of the `output` records, NULL:
				 * none are put */
};

struct bash_end {
	int exit;		/* -1: it did not end by itself */
	const char *sandbox;	/* it ran in; NULL: it did not run */
};

/* args has passed the schema.  r is filled whatever happens. */
struct bash_end bash_run(struct stage *s, const struct bash_opts *o,
    struct slice args, struct result *r);
