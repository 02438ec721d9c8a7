/* views.h - what is shown of sessions without running one: --sessions,
 * --inspect, --export.
 */
#ifndef HAMR_LOOP_VIEWS_H
#define HAMR_LOOP_VIEWS_H

#include <stdbool.h>

#include "err.h"
#include "opts.h"

/* Where the sessions of root are; made when create is set.  NULL with
 * ST_NOINPUT when there are none. */
char *views_dir(const char *root, bool create, struct err *e);

/* Write to stdout what the options ask for; the status, or -1 with e. */
int views_show(const struct opts *o, const char *root, struct err *e);

#endif
