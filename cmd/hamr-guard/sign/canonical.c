/* canonical.c - one spelling for equal JSON, to make signatures from. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "json/scan.h"
#include "canonical.h"

#define PLAIN_DIGITS 40		/* longer numbers get an exponent */

/* ---- members ---- */

static int
by_key(const void *a, const void *b)
{
	return slice_order(((const struct named_value *)a)->key,
	    ((const struct named_value *)b)->key);
}

void
members_add(struct members *c, struct slice key, struct slice val)
{
	GROW(c->m, c->n, c->cap);
	struct named_value *m = &c->m[c->n++];
	*m = (struct named_value){ key, val, NULL };
	if (memchr(key.p, '\\', key.n) != NULL) {
		m->owned = scan_strdup((struct slice){ key.p - 1, key.n + 2 });
		m->key = slice_of(m->owned);
	}
}

void
members_add_all(struct members *c, struct slice obj, bool nulls)
{
	struct slice key, val;

	for (struct walk w = walk_of(obj); walk_next(&w, &key, &val); )
		if (nulls || scan_kind(val) != SCAN_NULL)
			members_add(c, key, val);
}

void
members_sort(struct members *c)
{
	if (c->n > 1)
		qsort(c->m, c->n, sizeof *c->m, by_key);
}

void
members_empty(struct members *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->m[i].owned);
	c->n = 0;
}

void
members_release(struct members *c)
{
	members_empty(c);
	free(c->m);
	*c = (struct members){ .n = 0 };
}

/* ---- numbers ---- */

static void
put_number(struct slice num, struct buf *out)
{
	const char *p = num.p, *end = p + num.n, *e;
	struct buf digits = BUF_INIT(BUF_RECORD_MAX);
	bool minus = *p == '-', frac = false;
	long point = 0, exp = 0, lead = 0;

	for (e = p += minus; e < end && *e != 'e' && *e != 'E'; e++)
		;
	if (end - e > 10 || e - p > 1000000) {
		buf_slice(out, num);	/* absurd: keep its bytes */
		return;
	}
	for (; p < e; p++) {
		if (*p == '.') {
			frac = true;
			continue;
		}
		buf_addc(&digits, *p);
		point += !frac;
	}
	if (e < end)
		exp = strtol(e + 1, NULL, 10);
	while ((size_t)lead < digits.len && digits.p[lead] == '0')
		lead++;
	size_t n = digits.len;
	while (n > (size_t)lead && digits.p[n - 1] == '0')
		n--;
	n -= (size_t)lead;
	point += exp - lead;
	if (minus && n > 0)
		buf_addc(out, '-');
	if (n == 0) {
		buf_addc(out, '0');
	} else if (point >= -PLAIN_DIGITS &&
	    (point <= PLAIN_DIGITS || exp == 0)) {
		if (point <= 0)
			buf_adds(out, "0.");
		for (long i = point; i < 0; i++)
			buf_addc(out, '0');
		for (long i = 0; i < (long)n || i < point; i++) {
			if (i == point && i > 0)
				buf_addc(out, '.');
			buf_addc(out, i < (long)n ? digits.p[lead + i] : '0');
		}
	} else {
		buf_add(out, digits.p + lead, n);
		buf_fmt(out, "e%ld", point - (long)n);
	}
	buf_release(&digits);
}

/* ---- values ---- */

void
canonical_value(struct slice val, bool sorted, struct buf *out)
{
	struct members c = { .n = 0 };
	struct buf text = BUF_INIT(BUF_RECORD_MAX);
	struct slice one;
	bool first = true;

	switch (scan_kind(val)) {
	case SCAN_OBJECT:
		members_add_all(&c, val, sorted);
		members_sort(&c);
		buf_addc(out, '{');
		for (size_t i = 0; i < c.n; i++) {
			if (i > 0)
				buf_addc(out, ',');
			scan_quote(out, c.m[i].key.p, c.m[i].key.n);
			buf_addc(out, ':');
			canonical_value(c.m[i].val, sorted, out);
		}
		buf_addc(out, '}');
		members_release(&c);
		break;
	case SCAN_ARRAY:
		buf_addc(out, '[');
		for (struct walk w = walk_of(val);
		    walk_next(&w, NULL, &one); ) {
			if (!first)
				buf_addc(out, ',');
			first = false;
			canonical_value(one, sorted, out);
		}
		buf_addc(out, ']');
		break;
	case SCAN_STRING:
		/* without \u and \/ it has the shortest spelling already */
		if (!scan_has_escape(val, 'u', '/')) {
			buf_slice(out, val);
			break;
		}
		scan_str(val, &text);
		scan_quote(out, text.p != NULL ? text.p : "", text.len);
		buf_release(&text);
		break;
	case SCAN_NUMBER:
		if (!sorted) {
			put_number(val, out);
			break;
		}
		/* fallthrough */
	default:
		buf_slice(out, val);
	}
}
