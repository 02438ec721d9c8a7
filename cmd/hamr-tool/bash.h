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

struct bash_end {
	int exit;		/* -1: it did not end by itself */
	const char *sandbox;	/* it ran in; NULL: it did not run */
};

struct bash_opts {
	struct boxes *boxes;
	enum box_kind kind;	/* the sandbox it gets */
	bool offline;		/* without network, whatever is configured */
	const char *root;	/* absolute; what is shown as cwd */
	int rootfd;
	size_t cap;		/* per-result cap, bytes */
	const char *id;		/* tool_call_id of the `output` records, NULL:
				 * none are put */
	struct bash_end *end;	/* NULL, or where this is left */
};

/* Nobody reads what we write, which was learnt while a command ran: end by
 * SIGPIPE, as if it had not been ignored then.  For when the call is written
 * down. */
void bash_end_by_pipe(const struct stage *s);

/* args has passed the schema.  r is filled whatever happens. */
void bash_run(struct stage *s, const struct bash_opts *o, struct slice args,
    struct result *r);

#endif
