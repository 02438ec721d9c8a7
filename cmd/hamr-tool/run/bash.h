/* bash.h - the bash tool: one command, its status, its output, its end.
 *
 * Nothing the command starts outlives the call.  While it runs SIGPIPE is
 * ignored, and SIGTERM and SIGINT wait until its processes have been ended.
 */
#pragma once

#include "report.h"

/* Run the command of args, which have passed the schema.  rep has where it
 * runs, its cap, and of its program id and alive; after the call also how it
 * ended.  r is always filled. */
void bash_run(struct stage *s, struct report *rep, struct slice args,
    struct result *r);
