/* settings_api.h - which API is spoken: ours, an adapter, a replay. */
#ifndef PROVIDER_SETTINGS_API_H
#define PROVIDER_SETTINGS_API_H

#include "lookup.h"
#include "settings.h"

/* Fill api, adapter or program, and what is said of a replay.  0, or -1 with
 * e. */
int settings_load_api(struct settings *s, struct lookup *l,
    const struct flags *f, struct err *e);

#endif
