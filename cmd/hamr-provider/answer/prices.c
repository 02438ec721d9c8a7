/* prices.c - what an answer cost, where prices are configured. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "prices.h"

#define PRICES_MAX 4

/* Two to four numbers, none negative. */
static bool
row(const char *const *texts, size_t n, struct prices *p)
{
	double v[PRICES_MAX];

	if (n < 2 || n > PRICES_MAX)
		return false;
	for (size_t i = 0; i < n; i++)
		if (!num_double(texts[i], strlen(texts[i]), &v[i]) || v[i] < 0)
			return false;
	*p = (struct prices){ true, v[0], v[1], n > 2 ? v[2] : v[0],
	    n > 3 ? v[3] : v[0] };
	return true;
}

int
prices_find(const struct conf *c, const char *own_key, const char *model,
    struct prices *p, struct err *e)
{
	const char *const *v;
	struct prices one;
	size_t n;

	*p = (struct prices){ .known = false };
	v = conf_list(c, own_key, &n);
	if (n > 0 && !row(v, n, p))
		return err_set(e, ST_CONFIG, "%s: %s: expected 2 to %d prices: "
		    "input, output, cached input, cache write",
		    conf_origin(c, own_key), own_key, PRICES_MAX);
	v = conf_list(c, "budget.prices", &n);
	if (row(v, n, &one)) {
		if (!p->known)
			*p = one;
		return 0;
	}
	for (size_t i = 0; i < n; i++) {
		const char *words[1 + PRICES_MAX + 1];	/* one too many */
		char *copy = xstrdup(v[i]), *rest;
		size_t k = 0;

		for (char *w = strtok_r(copy, " ", &rest); w != NULL &&
		    k < 1 + PRICES_MAX + 1; w = strtok_r(NULL, " ", &rest))
			words[k++] = w;
		bool good = k > 0 && row(words + 1, k - 1, &one);
		if (good && !p->known && strcmp(words[0], model) == 0)
			*p = one;
		free(copy);
		if (!good)
			return err_set(e, ST_CONFIG, "%s: budget.prices: entry "
			    "%zu must be written as \"MODEL INPUT OUTPUT "
			    "[CACHED [WRITE]]\"", conf_origin(c,
			    "budget.prices"), i + 1);
	}
	return 0;
}

static double
part(long long n, double price)
{
	return n > 0 ? (double)n * price / 1e6 : 0;
}

double
prices_cost(const struct prices *p, long long prompt, long long completion,
    long long cached, long long written)
{
	if (cached > prompt)
		cached = prompt;
	if (cached > 0)
		prompt -= cached;
	if (written > prompt)
		written = prompt;
	if (written > 0)
		prompt -= written;
	return part(prompt, p->in) + part(cached, p->cached) +
	    part(written, p->written) + part(completion, p->out);
}
