/* inspect.h - what is shown of sessions without running one: --sessions,
 * --inspect, --export. */
#ifndef HAMR_LOOP_INSPECT_H
#define HAMR_LOOP_INSPECT_H

#include "conf/conf.h"
#include "opts.h"

/* Write to stdout what the options ask for; the status, or -1 with e. */
int views_show(const struct opts *o, const char *root, struct err *e);

#endif
