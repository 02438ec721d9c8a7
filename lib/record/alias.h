/* alias.h - a tool's arguments under their canonical names (chapter 5.1).
 *
 * hamr-guard signs calls and hamr-tool runs them by the same names, so aliases
 * are resolved only here.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"

/* The canonical name of a key of this tool, or NULL when the key is not an
 * alias.  Both are decoded. */
const char *alias_key(struct slice tool, struct slice key);

/* Append args (a checked JSON object, decoded out of the call) as an object
 * with canonical names; values byte for byte, order kept.  A canonical name
 * wins over its aliases, the first alias over the others.  For read, "limit"
 * becomes last = first + limit - 1 (first defaults to 1) unless last is there;
 * a limit that is not a positive integer stays.  False if args is not an
 * object. */
bool alias_args(struct slice tool, struct slice args, struct buf *out);
