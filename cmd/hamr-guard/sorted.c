/* sorted.c - arguments with sorted keys, as other systems compare them. */
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "scan.h"
#include "sorted.h"

struct pair {
	char *key;		/* decoded */
	struct slice val;
};

static int
by_key(const void *a, const void *b)
{
	return strcmp(((const struct pair *)a)->key,
	    ((const struct pair *)b)->key);
}

static struct pair *
pairs_of(struct slice obj, size_t *n)
{
	struct pair *p = NULL;
	struct slice key, val;
	size_t cap = 0;
	struct walk w;

	*n = 0;
	walk_in(&w, obj);
	while (walk_next(&w, &key, &val)) {
		p = xgrow(p, *n, &cap, sizeof *p);
		p[*n].key = scan_strdup((struct slice){ key.p - 1,
		    key.n + 2 });
		p[(*n)++].val = val;
	}
	if (*n > 1)
		qsort(p, *n, sizeof *p, by_key);
	return p;
}

static void
object(struct slice val, struct buf *out)
{
	size_t n;
	struct pair *p = pairs_of(val, &n);

	buf_addc(out, '{');
	for (size_t i = 0; i < n; i++) {
		if (i > 0)
			buf_addc(out, ',');
		scan_quote(out, p[i].key, strlen(p[i].key));
		buf_addc(out, ':');
		sorted_json(p[i].val, out);
		free(p[i].key);
	}
	buf_addc(out, '}');
	free(p);
}

static void
array(struct slice val, struct buf *out)
{
	bool first = true;
	struct slice el;
	struct walk w;

	buf_addc(out, '[');
	walk_in(&w, val);
	while (walk_next(&w, NULL, &el)) {
		if (!first)
			buf_addc(out, ',');
		first = false;
		sorted_json(el, out);
	}
	buf_addc(out, ']');
}

static void
string(struct slice val, struct buf *out)
{
	struct buf text = BUF_INIT(BUF_RECORD_MAX);

	if (scan_plain(val).p != NULL) {
		buf_slice(out, val);
		return;
	}
	scan_str(val, &text);
	scan_quote(out, text.p != NULL ? text.p : "", text.len);
	buf_release(&text);
}

void
sorted_json(struct slice val, struct buf *out)
{
	switch (scan_kind(val)) {
	case SCAN_OBJECT: object(val, out); break;
	case SCAN_ARRAY: array(val, out); break;
	case SCAN_STRING: string(val, out); break;
	default: buf_slice(out, val);
	}
}
