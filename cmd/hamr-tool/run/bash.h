/* bash.h - the bash tool: one command, its status, its output, its end.
 *
 * Nothing the command starts outlives the call.
 */
#pragma once

#include "report.h"

#define BASH_SECONDS 120	/* its timeout where none is given */

/* Run rep's command for so many seconds at most.  rep also has where it runs,
 * its cap, and of its program id and alive; after the call how it ended.  r is
 * always filled. */
void bash_run(struct stage *s, struct report *rep, int64_t seconds,
    struct result *r);
