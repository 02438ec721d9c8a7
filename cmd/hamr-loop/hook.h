/* hook.h - [hooks] on_end: the user's own programs, told of the end record.
 *
 * before_tool and after_tool are hamr-tool's, which judges calls and knows
 * what a result proves.
 */
#ifndef HAMR_LOOP_HOOK_H
#define HAMR_LOOP_HOOK_H

#include "conf.h"
#include "hub.h"

/* Give the record (one line) to each on stdin, with 5 s.  A failure is one
 * line on stderr and changes nothing. */
void hook_end(const struct conf *c, struct hub *h, const char *record);

#endif
