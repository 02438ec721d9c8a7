/* prices.c - what an answer cost, where prices are configured. */
#include <string.h>

#include "base/buf.h"
#include "base/num.h"
#include "prices.h"

#define PRICES_MAX 4

/* Two to four numbers, none negative. */
static bool
row(const char *text, struct prices *p)
{
	double v[PRICES_MAX];
	size_t n = 0, len;

	for (; *(text += strspn(text, " ")) != '\0'; text += len) {
		len = strcspn(text, " ");
		if (n == PRICES_MAX || !num_double(text, len, &v[n]) ||
		    v[n++] < 0)
			return false;
	}
	if (n < 2)
		return false;
	*p = (struct prices){ true, v[0], v[1], n > 2 ? v[2] : v[0],
	    n > 3 ? v[3] : v[0] };
	return true;
}

static bool
numbers(const char *const *texts, size_t n, struct prices *p)
{
	struct buf all = BUF_INIT(1 << 20);
	bool good = n > 0;

	for (size_t i = 0; i < n; i++) {
		/* "1 2" is not two of them, and "" not one less */
		good &= *texts[i] != '\0' && strchr(texts[i], ' ') == NULL;
		buf_fmt(&all, "%s ", texts[i]);
	}
	good = good && row(all.p, p);
	buf_release(&all);
	return good;
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
	if (n > 0 && !numbers(v, n, p))
		return err_set(e, ST_CONFIG, "%s: %s: expected 2 to %d prices: "
		    "input, output, cached input, cache write",
		    conf_origin(c, own_key), own_key, PRICES_MAX);
	v = conf_list(c, "budget.prices", &n);
	if (numbers(v, n, &one)) {
		if (!p->known)
			*p = one;
		return 0;
	}
	for (size_t i = 0; i < n; i++) {
		size_t name = strcspn(v[i], " ");

		if (!row(v[i] + name, &one))
			return err_set(e, ST_CONFIG, "%s: budget.prices: entry "
			    "%zu must be written as \"MODEL INPUT OUTPUT "
			    "[CACHED [WRITE]]\"", conf_origin(c,
			    "budget.prices"), i + 1);
		if (!p->known && name == strlen(model) &&
		    strncmp(v[i], model, name) == 0)
			*p = one;
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
