/* facts.h - facts, put together from their saves.  Within a transaction. */
#ifndef MEM_FACTS_H
#define MEM_FACTS_H

#include "saves.h"

/* Make the facts what their saves say.  text is that of key, or p NULL; of two
 * texts for one key the smaller one stays.  gone, if not NULL, counts those
 * that are no longer there. */
int facts_settle(struct store *st, const struct keys *keys, const char *key,
    struct slice text, size_t *gone, struct err *e);

/* Forget one. */
int facts_forget(struct store *st, const char *key, int64_t time,
    size_t *gone, struct err *e);

#endif
