/* conf_near.c - the known key that is spelled most like an unknown one. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "mem.h"
#include "conf_keys.h"

static size_t
min3(size_t a, size_t b, size_t c)
{
	if (b < a)
		a = b;
	return c < a ? c : a;
}

/* Edits from a to b: one letter more, less, other, or two changed about. */
static size_t
distance(struct slice a, struct slice b)
{
	size_t w = b.n + 1, *d = xcalloc((a.n + 1) * w, sizeof *d), r;

	for (size_t i = 0; i <= a.n; i++) {
		for (size_t j = 0; j <= b.n; j++) {
			size_t *at = &d[i * w + j];

			if (i == 0 || j == 0) {
				*at = i + j;
				continue;
			}
			*at = min3(*(at - w) + 1, *(at - 1) + 1,
			    *(at - w - 1) + (a.p[i - 1] != b.p[j - 1]));
			if (i > 1 && j > 1 && a.p[i - 1] == b.p[j - 2] &&
			    a.p[i - 2] == b.p[j - 1] &&
			    *(at - 2 * w - 2) + 1 < *at)
				*at = *(at - 2 * w - 2) + 1;
		}
	}
	r = d[a.n * w + b.n];
	free(d);
	return r;
}

/* How far name is from what was typed; the right key in a wrong table, or in
 * none, is near too. */
static size_t
far(struct slice typed, struct slice name)
{
	size_t whole = distance(typed, name);
	size_t last = 2 + distance(conf_key_last(typed), conf_key_last(name));

	return whole < last ? whole : last;
}

char *
conf_key_nearest(const char *key)
{
	struct slice typed = slice_of(key), best = { NULL, 0 };
	const char *table;
	size_t least = SIZE_MAX, n;
	char *plain = NULL, *r;

	table = conf_key_name(key, &n);
	if (table != NULL) {
		plain = xasprintf("%s%s", *key == 'p' ? "provider" :
		    "mcp.NAME", table + n);
		typed = slice_of(plain);
	}
	if (typed.n > 200)		/* no key is: do not compare it all */
		typed.n = 200;
	for (size_t i = 0; i < conf_nkeys; i++) {
		struct slice s = { NULL, 0 };

		while (conf_key_next(&conf_keys[i], &s)) {
			size_t d = far(typed, s);

			if (d >= least)
				continue;
			least = d;
			best = s;
		}
	}
	if (table != NULL && (slice_starts(best, "provider.") ||
	    slice_starts(best, "mcp.")))
		r = xasprintf("%.*s%.*s", (int)(table + n - key), key,
		    (int)conf_key_last(best).n + 1, conf_key_last(best).p - 1);
	else
		r = xmemdup0(best.p, best.n);
	free(plain);
	return r;
}

