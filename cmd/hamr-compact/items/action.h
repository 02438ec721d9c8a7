/* action.h - what a call does: the kind of tool, its arguments under canonical
 * names, its path or command, and whether it failed.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "record/rec.h"

enum tool_kind { TOOL_OTHER, TOOL_READ, TOOL_EDIT, TOOL_WRITE, TOOL_COMMAND };

/* The kind of a tool, by its name (decoded; other programs' names will do) and
 * the `command` (JSON, or p NULL) that it was called with. */
enum tool_kind tool_kind(const char *name, struct slice command);

struct action {
	enum tool_kind kind;
	struct buf args;	/* a JSON object with canonical names */
	char *object;		/* path or command; "" if it has none */
};

/* Read a call: its name (a JSON string, or nothing) and its arguments (a
 * checked JSON object).  The caller releases a. */
void action_init(struct action *a, struct slice name, struct slice args);
void action_release(struct action *a);

/* Did a result (a record) with this text fail?  object: of its action. */
bool result_failed(const struct rec *r, enum tool_kind kind,
    const char *object, struct slice text);

/* Is there "git status" (what: "status") in a command line? */
bool asks_git(const char *command, const char *what);
