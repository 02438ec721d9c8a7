/* inspect.h - what is shown of sessions without running one: --sessions,
 * --inspect, --export. */
#pragma once

#include "child/child.h"
#include "conf/conf.h"
#include "opts.h"

/* Append what hamr-compact prints with this flag of the session at path (NULL:
 * of none) within ms.  Its status, -1 with e. */
int inspect_ask(const struct opts *o, const char *flag, const char *path,
    int ms, enum child_err err, struct buf *out, struct err *e);

/* Write to stdout what the options ask for; the status, or -1 with e. */
int views_show(const struct opts *o, const char *root, struct err *e);
