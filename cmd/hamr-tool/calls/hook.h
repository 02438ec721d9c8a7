/* hook.h - the user's own programs around a call: [hooks] before_tool and
 * after_tool (chapter 7.6), [tools] approve (5.2).
 *
 * They are run without a sandbox, in the root, with hamr-tool's environment.
 */
#pragma once

#include "job.h"

/* before_tool: each in turn, up to one that refuses (STEP_DONE).  One that
 * cannot be started or does not end in time is told on stderr; it refuses
 * nothing. */
enum step hook_before(struct job *j);

/* The approver's say: STEP_NEXT when it allows; it must have spoken.  diff may
 * be NULL. */
enum step hook_approve(struct job *j, const char *diff);

/* after_tool: each in turn is given the tool message (one line) as the one
 * before it left it, and may put another in its place.  One that fails leaves
 * it as it was, and is told on stderr and in an error record. */
void hook_after(struct job *j, struct buf *message);
