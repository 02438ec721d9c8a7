/* finder.c - searches one text for many others at once. */
#include <stdlib.h>

#include "base/mem.h"
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
	if (text.n < FINDER_HEAD) {
		f->shorter[text.n] = true;
		return f->n - 1;
	}
	head = map_put(&f->heads, slice_part(text, 0, FINDER_HEAD), NULL);
	for (size_t k = *head; k > 0; k = f->v[k - 1].next)
		if (f->v[k - 1].n == text.n)
			return f->n - 1;	/* has this head and length */
	new->next = *head;
	*head = f->n;
	return f->n - 1;
}

/* Note the n bytes at `here` if they are one of the texts. */
static void
look_at(const struct finder *f, struct slice in, size_t here, size_t n,
    size_t *at)
{
	if (n > in.n - here)
		return;
	const uint64_t *no = map_get(&f->by_text, slice_part(in, here, here +
	    n));
	if (no != NULL && at[*no - 1] == 0)
		at[*no - 1] = here + 1;
}

void
finder_look(const struct finder *f, struct slice in, size_t from, size_t *at)
{
	size_t shorter[FINDER_HEAD], nshorter = 0;

	for (size_t n = 1; n < FINDER_HEAD; n++)
		if (f->shorter[n])
			shorter[nshorter++] = n;
	/* no text begins at the last byte, an LF */
	for (size_t here = from; here + 1 < in.n; here++) {
		const uint64_t *head = NULL;
		unsigned pair = (unsigned char)in.p[here] |
		    (unsigned char)in.p[here + 1] << 8;

		/* skip the maps if no text begins with these two bytes */
		if (!(f->begins[pair / 8] >> pair % 8 & 1))
			continue;
		if (in.n - here >= FINDER_HEAD)
			head = map_get(&f->heads, slice_part(in, here,
			    here + FINDER_HEAD));
		for (size_t i = head != NULL ? *head : 0; i > 0;
		    i = f->v[i - 1].next)
			look_at(f, in, here, f->v[i - 1].n, at);
		for (size_t i = 0; i < nshorter; i++)
			look_at(f, in, here, shorter[i], at);
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
