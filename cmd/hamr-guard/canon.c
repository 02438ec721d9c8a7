/* canon.c - one spelling for equal JSON: what a signature is made of. */
#include <stdlib.h>
#include <string.h>

#include "bits.h"
#include "mem.h"
#include "scan.h"
#include "canon.h"

#define FEW 16			/* sorted without a call for each */
#define PLAIN_DIGITS 40		/* longer numbers get an exponent */

static int
by_key(const void *a, const void *b)
{
	struct slice x = ((const struct canon_member *)a)->key;
	struct slice y = ((const struct canon_member *)b)->key;
	int d = memcmp(x.p, y.p, x.n < y.n ? x.n : y.n);

	if (d != 0)
		return d;
	return (x.n > y.n) - (x.n < y.n);
}

void
canon_add(struct canon *c, struct slice key, struct slice val)
{
	struct canon_member *m;

	if (scan_kind(val) == SCAN_NULL)
		return;
	c->m = xgrow(c->m, c->n, &c->cap, sizeof *c->m);
	m = &c->m[c->n++];
	*m = (struct canon_member){ key, val, NULL };
	if (memchr(key.p, '\\', key.n) != NULL) {
		m->owned = scan_strdup((struct slice){ key.p - 1, key.n + 2 });
		m->key = slice_of(m->owned);
	}
}

void
canon_object(struct canon *c, struct slice obj)
{
	struct slice key, val;
	struct walk w;

	walk_in(&w, obj);
	while (walk_next(&w, &key, &val))
		canon_add(c, key, val);
}

void
canon_sort(struct canon *c)
{
	if (c->n > FEW)
		qsort(c->m, c->n, sizeof *c->m, by_key);
	for (size_t i = 1; i < c->n && c->n <= FEW; i++) {
		struct canon_member m = c->m[i];
		size_t k = i;

		for (; k > 0 && by_key(&c->m[k - 1], &m) > 0; k--)
			c->m[k] = c->m[k - 1];
		c->m[k] = m;
	}
}

void
canon_empty(struct canon *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->m[i].owned);
	c->n = 0;
}

void
canon_release(struct canon *c)
{
	canon_empty(c);
	free(c->m);
	*c = (struct canon){ .n = 0 };
}

static void
object(struct slice val, struct buf *out)
{
	struct canon c = { .n = 0 };

	canon_object(&c, val);
	canon_sort(&c);
	buf_addc(out, '{');
	for (size_t i = 0; i < c.n; i++) {
		if (i > 0)
			buf_addc(out, ',');
		scan_quote(out, c.m[i].key.p, c.m[i].key.n);
		buf_addc(out, ':');
		canon_value(c.m[i].val, out);
	}
	buf_addc(out, '}');
	canon_release(&c);
}

static void
array(struct slice val, struct buf *out)
{
	struct slice el;
	struct walk w;
	bool first = true;

	buf_addc(out, '[');
	walk_in(&w, val);
	while (walk_next(&w, NULL, &el)) {
		if (!first)
			buf_addc(out, ',');
		first = false;
		canon_value(el, out);
	}
	buf_addc(out, ']');
}

/* Without \u and \/ the escapes are the fewest already. */
static bool
is_shortest(struct slice val)
{
	const char *p = val.p, *end = val.p + val.n - 1;

#ifdef __SSE2__
	for (; end - p > 16; p += 16)
		if ((like16(p, _mm_set1_epi8('\\')) &
		    (like16(p + 1, _mm_set1_epi8('u')) |
		    like16(p + 1, _mm_set1_epi8('/')))) != 0)
			return false;
#endif
	for (; p < end; p++)
		if (p[0] == '\\' && (p[1] == 'u' || p[1] == '/'))
			return false;
	return true;
}

static void
string(struct slice val, struct buf *out)
{
	struct buf text = BUF_INIT(BUF_RECORD_MAX);

	if (is_shortest(val)) {
		buf_slice(out, val);
		return;
	}
	scan_str(val, &text);
	scan_quote(out, text.p, text.len);
	buf_release(&text);
}

void
canon_value(struct slice val, struct buf *out)
{
	switch (scan_kind(val)) {
	case SCAN_OBJECT: object(val, out); break;
	case SCAN_ARRAY: array(val, out); break;
	case SCAN_STRING: string(val, out); break;
	case SCAN_NUMBER: canon_number(val, out); break;
	default: buf_slice(out, val);
	}
}

/* Print digits (n of them, none a leading or trailing zero) with the decimal
 * point behind the first point of them; point may lie outside. */
static void
plain(const char *digits, long n, long point, struct buf *out)
{
	if (point <= 0) {
		buf_adds(out, "0.");
		for (long i = point; i < 0; i++)
			buf_addc(out, '0');
	}
	for (long i = 0; i < n; i++) {
		if (i == point && i > 0)
			buf_addc(out, '.');
		buf_addc(out, digits[i]);
	}
	for (long i = n; i < point; i++)
		buf_addc(out, '0');
}

void
canon_number(struct slice num, struct buf *out)
{
	const char *p = num.p, *end = p + num.n, *e;
	struct buf digits = BUF_INIT(BUF_RECORD_MAX);
	bool minus = *p == '-', frac = false;
	long point = 0, exp = 0, lead = 0;
	size_t n;

	for (e = p += minus; e < end && *e != 'e' && *e != 'E'; e++)
		;
	if (end - e > 10 || e - p > 1000000) {
		buf_slice(out, num);	/* absurd: by its bytes */
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
	n = digits.len;
	while (n > (size_t)lead && digits.p[n - 1] == '0')
		n--;
	n -= (size_t)lead;
	point += exp - lead;
	if (n == 0) {
		buf_addc(out, '0');
	} else {
		if (minus)
			buf_addc(out, '-');
		if (point >= -PLAIN_DIGITS &&
		    (point <= PLAIN_DIGITS || (exp == 0))) {
			plain(digits.p + lead, (long)n, point, out);
		} else {
			buf_add(out, digits.p + lead, n);
			buf_fmt(out, "e%ld", point - (long)n);
		}
	}
	buf_release(&digits);
}
