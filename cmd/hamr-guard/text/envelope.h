/* envelope.h - what other agents write around an output: the id of a chunk, a
 * wall time, a process group, the tokens that a sub-agent took.
 *
 * The call was not made for any of it, and it differs each time.
 */
#pragma once

#include "base/slice.h"

/* The output without what the agent puts around it. */
struct slice envelope_open(struct slice text);
/* And what that puts below it. */
struct slice envelope_foot(struct slice text);
/* The last line of a text that does not end with LF. */
struct slice envelope_last_line(struct slice text);
