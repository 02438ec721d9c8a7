/* action.h - what a call does: the kind of tool, and whether it failed.
 */
#pragma once

#include <stdbool.h>

#include "record/rec.h"

enum tool_kind { TOOL_OTHER, TOOL_READ, TOOL_EDIT, TOOL_WRITE, TOOL_COMMAND };

/* The kind of a tool, by its name (decoded; other programs' names will do) and
 * the `command` (JSON, or p NULL) that it was called with. */
enum tool_kind tool_kind(const char *name, struct slice command);

/* Did a result (a record) with this text fail?  object: its path or command. */
bool result_failed(const struct rec *r, enum tool_kind kind,
    const char *object, struct slice text);

/* Is there "git status" (what: "status") in a command line? */
bool asks_git(const char *command, const char *what);
