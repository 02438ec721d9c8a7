/* import_name.h - what other programs call our tools, and their paths. */
#ifndef HAMR_IMPORT_NAME_H
#define HAMR_IMPORT_NAME_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"

/* The user's own names, "THEIRS=ours" each ([loop_guard] tools). */
struct import_names {
	const char *const *own;
	size_t n;
};

/* The canonical name of a tool, or name itself when none is known to mean the
 * same.  args are its arguments, checked JSON: one tool that views, creates
 * and edits is three of ours. */
struct slice import_name(const struct import_names *own, struct slice name,
    struct slice args);

/* The path among the arguments of one of our file tools has another key than
 * "path" (and "path" is not there): append args with that key renamed, all
 * else byte for byte.  False: nothing to do. */
bool import_path(struct slice tool, struct slice args, struct buf *out);

#endif
