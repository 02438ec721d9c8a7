/* finder.c - searches one text for many others at once. */
#include <stdlib.h>

#include "base/mem.h"
#include "base/num.h"
#include "json/scan.h"

#include "finder.h"

size_t
finder_add(struct finder *f, struct slice text)
{
	uint64_t *no = map_put(&f->by_text, text, NULL), *head;

	if (*no > 0)
		return (size_t)*no - 1;
	GROW(f->v, f->n, f->cap);
	struct finder_text *new = &f->v[f->n];
	*new = (struct finder_text){ .n = text.n };
	*no = ++f->n;
	for (unsigned second = 0; second < 256; second++) {
		unsigned pair = (unsigned char)text.p[0] | second << 8;

		if (text.n == 1 || second == (unsigned char)text.p[1])
			f->begins[pair / 8] |= (uint8_t)(1 << pair % 8);
	}
	size_t n = num_min(text.n, FINDER_HEAD);
	f->heads_of[n] = true;
	head = map_put(&f->heads, slice_part(text, 0, n), NULL);
	for (size_t k = *head; k > 0; k = f->v[k - 1].next)
		if (f->v[k - 1].n == text.n)
			return f->n - 1;	/* has this head and length */
	new->next = *head;
	*head = f->n;
	return f->n - 1;
}

void
finder_search(const struct finder *f, struct slice in, size_t from, size_t *at)
{
	/* no text begins at the last byte, an LF */
	for (size_t here = from; here + 1 < in.n; here++) {
		unsigned pair = (unsigned char)in.p[here] |
		    (unsigned char)in.p[here + 1] << 8;
		size_t left = in.n - here;

		/* skip the maps if no text begins with these two bytes */
		if (!(f->begins[pair / 8] >> pair % 8 & 1))
			continue;
		for (size_t n = 1; n <= FINDER_HEAD && n <= left; n++) {
			const uint64_t *no = f->heads_of[n] ? map_get(
			    &f->heads, slice_part(in, here, here + n)) : NULL;

			for (size_t i = no != NULL ? *no : 0; i > 0;
			    i = f->v[i - 1].next) {
				no = f->v[i - 1].n > left ? NULL : map_get(
				    &f->by_text, slice_part(in, here, here +
				    f->v[i - 1].n));
				if (no != NULL && at[*no - 1] == 0)
					at[*no - 1] = here + 1;
			}
		}
	}
}

/* Every string in a value, at any depth. */
static void
add_strings(struct slice value, struct buf *out)
{
	enum scan_kind kind = scan_kind(value);
	struct slice v;

	if (kind != SCAN_OBJECT && kind != SCAN_ARRAY) {
		if (scan_str(value, out))
			buf_addc(out, '\n');
		return;
	}
	for (struct walk w = walk_of(value); walk_next(&w, NULL, &v); )
		add_strings(v, out);
}

void
finder_args(struct slice args, struct buf *out)
{
	struct buf text = BUF_INIT(BUF_RECORD_MAX);
	struct scan scan = { 0 };

	scan_str(args, &text);
	if (text.len > 0 && scan_value(&scan, text.p, text.len) == 0)
		add_strings(buf_view(&text), out);
	scan_release(&scan);
	buf_release(&text);
}

void
finder_release(struct finder *f)
{
	free(f->v);
	map_release(&f->by_text);
	map_release(&f->heads);
	*f = (struct finder){ .n = 0 };
}
