/* hook.h - the user's own programs around a call: [hooks] before_tool and
 * after_tool (chapter 7.6), [tools] approve (5.2).
 *
 * They are run without a sandbox, in the root, with hamr-tool's environment.
 */
#ifndef HAMR_TOOL_HOOK_H
#define HAMR_TOOL_HOOK_H

#include "job.h"

/* before_tool: STEP_DONE when it refuses, or cannot be asked. */
enum step hook_before(struct job *j);

/* Is there an approver?  Its say: STEP_NEXT when it allows.  diff may be
 * NULL. */
bool hook_has_approver(const struct tool *t);
enum step hook_approve(struct job *j, const char *diff);

/* after_tool: the tool message (one line) in, the one to write out, appended
 * to out: the same bytes when the hook says nothing, or fails (then an error
 * record tells). */
void hook_after(struct job *j, struct slice message, struct buf *out);

#endif
