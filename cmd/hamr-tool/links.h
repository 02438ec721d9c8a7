/* links.h - hard links: do all names of a file lie beneath the root? */
#ifndef HAMR_TOOL_LINKS_H
#define HAMR_TOOL_LINKS_H

#include <stdbool.h>
#include <sys/stat.h>

#include "path.h"

/* Are there as many names of this file beneath the root as it has links?  All
 * folders are looked through, links not followed; false after a second. */
bool links_inside(const struct root *r, const struct stat *st);

#endif
