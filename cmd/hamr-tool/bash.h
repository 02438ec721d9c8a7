/* bash.h - the bash tool: one command, its status, its output, its end.
 *
 * Nothing the command starts outlives the call.  While it runs SIGPIPE is
 * ignored and SIGTERM and SIGINT wait: first its processes are ended.
 */
#ifndef HAMR_TOOL_BASH_H
#define HAMR_TOOL_BASH_H

#include "box.h"
#include "result.h"
#include "stage.h"

struct bash_opts {
	struct boxes *boxes;
	enum box_kind kind;	/* the sandbox it gets */
	const char *root;	/* absolute; what is shown as cwd */
	int rootfd;
	size_t cap;		/* per-result cap, bytes */
	const char *id;		/* tool_call_id of the `output` records, NULL:
				 * none are put */
	int *exit;		/* NULL, or where the exit status is left, -1
				 * when there is none */
};

/* args has passed the schema.  r is filled whatever happens. */
void bash_run(struct stage *s, const struct bash_opts *o, struct slice args,
    struct result *r);

#endif
