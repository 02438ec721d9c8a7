/* prices.h - what an answer cost, where prices are configured. */
#ifndef PROVIDER_PRICES_H
#define PROVIDER_PRICES_H

#include <stdbool.h>

#include "conf.h"

/* Prices per million tokens. */
struct prices {
	bool known;
	double in, out, cached;
};

/* Those of the provider's own key ([in, out] or [in, out, cached]) when they
 * are set, else those of the model in budget.prices ("MODEL IN OUT [CACHED]").
 * Cached tokens cost what others do unless it is said. */
struct prices prices_find(const struct conf *c, const char *own_key,
    const char *model);

/* In the currency of the prices; negative counts are 0. */
double prices_cost(const struct prices *p, long long prompt,
    long long completion, long long cached);

#endif
