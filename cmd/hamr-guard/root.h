/* root.h - which files of a transcript belong to the work: those below its
 * root that are no documentation.
 */
#ifndef HAMR_GUARD_ROOT_H
#define HAMR_GUARD_ROOT_H

#include <stdbool.h>

#include "buf.h"

struct root {
	char *path;		/* the hamr record's cwd; NULL: not known */
};

void root_set(struct root *r, struct slice cwd);	/* a JSON value */

/* Could a change of the file make the last check stale? */
bool root_matters(const struct root *r, struct slice path);

#endif
