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

/* Are they well formed?  [in, out], or with a third for tokens out of the
 * cache and a fourth for those written to it; in budget.prices, so for all
 * models, or a row "MODEL IN OUT [CACHED [WRITTEN]]" a model.  0, or -1. */
int prices_check(const struct conf *c, const char *own_key, struct err *e);

/* Those of the provider's own key when they are set, else those of the model
 * in budget.prices.  Tokens of the cache cost what others do unless it is
 * said. */
struct prices prices_find(const struct conf *c, const char *own_key,
    const char *model);

/* In the currency of the prices; negative counts are 0.  cached and written
 * are parts of prompt. */
double prices_cost(const struct prices *p, long long prompt,
    long long completion, long long cached, long long written);
