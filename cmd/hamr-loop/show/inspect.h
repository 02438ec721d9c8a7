/* inspect.h - show sessions without running one: --sessions, --inspect,
 * --export. */
#pragma once

#include "child/child.h"
#include "conf/conf.h"
#include "opts.h"

/* Append what hamr-compact prints within ms with this flag for the session at
 * path (NULL: an empty one).  Returns its exit status, or -1 with e. */
int inspect_ask(const struct opts *o, const char *flag, const char *path,
    int ms, enum child_err err, struct buf *out, struct err *e);

/* Write what the options ask for to stdout.  Returns the exit status, or -1
 * with e. */
int views_show(const struct opts *o, const char *root, struct err *e);
