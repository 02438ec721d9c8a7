/* prices.c - what an answer cost, where prices are configured. */
#include <string.h>

#include "num.h"
#include "prices.h"

static bool
numbers(const char *const *texts, size_t n, struct prices *p)
{
	double v[3];

	if (n < 2 || n > 3)
		return false;
	for (size_t i = 0; i < n; i++)
		if (!num_double(texts[i], strlen(texts[i]), &v[i]) || v[i] < 0)
			return false;
	*p = (struct prices){ true, v[0], v[1], n == 3 ? v[2] : v[0] };
	return true;
}

/* "MODEL IN OUT [CACHED]": is it about this model? */
static bool
row(const char *text, const char *model, struct prices *p)
{
	char words[3][64];
	const char *list[3] = { words[0], words[1], words[2] };
	size_t n = strlen(model), k = 0;

	if (n == 0 || strncmp(text, model, n) != 0 || text[n] != ' ')
		return false;
	text += n;
	while (k < 3 && *(text += strspn(text, " ")) != '\0') {
		size_t len = strcspn(text, " ");

		if (len >= sizeof words[k])
			return false;
		memcpy(words[k], text, len);
		words[k++][len] = '\0';
		text += len;
	}
	return numbers(list, k, p);
}

struct prices
prices_find(const struct conf *c, const char *own_key, const char *model)
{
	struct prices p = { .known = false };
	const char *const *v;
	size_t n;

	v = conf_list(c, own_key, &n);
	if (numbers(v, n, &p))
		return p;
	v = conf_list(c, "budget.prices", &n);
	for (size_t i = 0; i < n && !p.known; i++)
		row(v[i], model, &p);
	return p;
}

static double
part(long long n, double price)
{
	return n > 0 ? (double)n * price / 1e6 : 0;
}

double
prices_cost(const struct prices *p, long long prompt, long long completion,
    long long cached)
{
	if (cached > prompt)
		cached = prompt;
	if (cached > 0)
		prompt -= cached;
	return part(prompt, p->in) + part(cached, p->cached) +
	    part(completion, p->out);
}
