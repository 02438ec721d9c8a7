/* judge.h - may this call run?  Everything that is asked before anybody is.
 *
 * In this order: the tool's name, JSON, schema, policy (the mode, then the names).
 */
#ifndef HAMR_TOOL_JUDGE_H
#define HAMR_TOOL_JUDGE_H

#include "args.h"
#include "tool.h"

enum judged {
	JUDGED_FINE,
	JUDGED_UNKNOWN,		/* no such tool */
	JUDGED_JSON,		/* arguments that are no JSON */
	JUDGED_REFUSED
};

/* Judge a call; canonical arguments are appended to out and *schema is its
 * tool.  Unless fine, r is the error. */
enum judged judge_call(const struct tool *t, const char *name,
    struct slice args, const struct schema **schema, struct buf *out,
    struct result *r);

#endif
