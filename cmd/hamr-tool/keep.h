/* keep.h - .hamr/out: the whole of an output whose result was cut. */
#ifndef HAMR_TOOL_KEEP_H
#define HAMR_TOOL_KEEP_H

#include "output.h"

/* Write stdout and stderr, as the result shows them, into
 * .hamr/out/HASH12.txt below the root (mode 0600, at most 64 MiB; .hamr and
 * its .gitignore are made).  The path, yours; NULL when it cannot be kept.
 * Before, what nobody has used for 30 days goes, and the oldest while there is
 * more than 1 GiB. */
char *keep_output(int rootfd, const struct output *out,
    const struct output *err);

/* .hamr itself, made with its .gitignore if need be, never through a link: an
 * fd, or -1 with errno. */
int keep_hamr(int rootfd);

#endif
