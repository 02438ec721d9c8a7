/* inspect.h - what hamr-compact says about a session, for --inspect. */
#ifndef HAMR_LOOP_INSPECT_H
#define HAMR_LOOP_INSPECT_H

#include "conf/conf.h"
#include "opts.h"

/* what: "budget", "ledger" or "context", of the session at path (NULL: of
 * none, for the budget).  Writes to stdout; returns the status. */
int inspect(const struct opts *o, const char *what, const char *path,
    struct err *e);

/* Write to stdout what the options ask for; the status, or -1 with e. */
int views_show(const struct opts *o, const char *root, struct err *e);

#endif
