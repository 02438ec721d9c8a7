/* prices.h - what an answer cost, where prices are configured. */
#pragma once

#include <stdbool.h>

#include "conf/conf.h"
#include "base/err.h"

/* Prices per million tokens. */
struct prices {
	bool known;
	double in, out, cached, written;
};

/* The prices of the provider's own key if set, else those of the model in
 * budget.prices: [in, out], optionally a third for tokens read from the cache
 * and a fourth for tokens written to it, which cost the same as others by
 * default; in budget.prices such a list for all models, or one row "MODEL IN
 * OUT [CACHED [WRITTEN]]" per model.  0, or -1 with e: a price is not valid. */
int prices_find(const struct conf *c, const char *own_key, const char *model,
    struct prices *p, struct err *e);

/* The cost in the currency of the prices; negative counts are 0.  cached and
 * written are included in prompt. */
double prices_cost(const struct prices *p, long long prompt,
    long long completion, long long cached, long long written);
