/* inspect.h - what hamr-compact says about a session, for --inspect. */
#ifndef HAMR_LOOP_INSPECT_H
#define HAMR_LOOP_INSPECT_H

#include "conf.h"
#include "opts.h"

/* what: "budget", "ledger" or "context", of the session at path (NULL: of
 * none, for the budget).  Writes to stdout; returns the status. */
int inspect(const struct opts *o, const char *what, const char *path,
    struct err *e);

#endif
