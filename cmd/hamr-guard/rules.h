/* rules.h - the user's own rules of what makes two calls equal: jq filters
 * over the arguments ([loop_guard] normalize). */
#ifndef HAMR_GUARD_RULES_H
#define HAMR_GUARD_RULES_H

#include <stddef.h>

#include "buf.h"
#include "err.h"

struct rules;

/* One after the other, each n-th of list; NULL with e when they do not
 * compile. */
struct rules *rules_new(const char *const *list, size_t n, struct err *e);

/* The arguments of a call of this tool, a checked JSON object, under our names
 * and as the filters leave them; as they came when the filters fail on them
 * or make no object of them.  Valid until the next call. */
struct slice rules_apply(struct rules *r, struct slice tool,
    struct slice args);

void rules_free(struct rules *r);

#endif
