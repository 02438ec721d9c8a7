/* proof.c - which lines of which content the model has been shown. */
#include <stdlib.h>
#include <string.h>

#include "mem.h"

#include "proof.h"

struct proof *
proofs_of(struct proofs *ps, const char *rel)
{
	bool fresh;
	uint64_t *at = map_put(&ps->by_path, slice_of(rel), &fresh);

	if (fresh) {
		ps->v = xgrow(ps->v, ps->n, &ps->cap, sizeof *ps->v);
		ps->v[ps->n] = (struct proof){ 0 };
		*at = ++ps->n;
	}
	return &ps->v[*at - 1];
}

void
proofs_reset(struct proofs *ps)
{
	for (size_t i = 0; i < ps->n; i++)
		free(ps->v[i].v);
	free(ps->v);
	map_release(&ps->by_path);
	*ps = (struct proofs){ 0 };
}

void
proof_read(struct proof *p, const char *hash)
{
	if (strcmp(p->hash, hash) == 0)
		return;
	p->n = 0;
	memcpy(p->hash, hash, SHA_HEX);
}

/* One past a line, where there is one. */
static long
past(long n)
{
	return n == PROOF_END ? n : n + 1;
}

static void
insert(struct proof *p, size_t at, struct range r)
{
	p->v = xgrow(p->v, p->n, &p->cap, sizeof *p->v);
	memmove(p->v + at + 1, p->v + at, (p->n - at) * sizeof *p->v);
	p->v[at] = r;
	p->n++;
}

static void
delete(struct proof *p, size_t at, size_t count)
{
	memmove(p->v + at, p->v + at + count,
	    (p->n - at - count) * sizeof *p->v);
	p->n -= count;
}

void
proof_add(struct proof *p, long first, long last)
{
	size_t i = 0, end;

	if (first > last)
		return;
	while (i < p->n && past(p->v[i].last) < first)
		i++;
	for (end = i; end < p->n && p->v[end].first <= past(last); end++) {
		if (p->v[end].first < first)
			first = p->v[end].first;
		if (p->v[end].last > last)
			last = p->v[end].last;
	}
	if (end > i)
		delete(p, i, end - i);
	insert(p, i, (struct range){ first, last });
}

void
proof_drop(struct proof *p, long first, long last)
{
	for (size_t i = 0; i < p->n; ) {
		struct range r = p->v[i];

		if (r.last < first || r.first > last) {
			i++;
			continue;
		}
		delete(p, i, 1);
		if (r.first < first)
			insert(p, i++, (struct range){ r.first, first - 1 });
		if (r.last > last)
			insert(p, i++, (struct range){ last + 1, r.last });
	}
}

bool
proof_has(const struct proof *p, long first, long last)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->v[i].first <= first && last <= p->v[i].last)
			return true;
	return false;
}

/* Add to p what old had between two lines, shifted. */
static void
carry(struct proof *p, const struct proof *old, long first, long last,
    long shift)
{
	for (size_t i = 0; i < old->n; i++) {
		long a = old->v[i].first > first ? old->v[i].first : first;
		long b = old->v[i].last < last ? old->v[i].last : last;

		if (a <= b)
			proof_add(p, a + shift,
			    b == PROOF_END ? b : b + shift);
	}
}

void
proof_move(struct proof *p, const char *hash, const struct patch *v, size_t n)
{
	struct proof moved = { 0 };
	long from = 1, shift = 0;

	memcpy(moved.hash, hash, SHA_HEX);
	for (size_t i = 0; i < n; i++) {
		carry(&moved, p, from, v[i].a, shift);
		proof_add(&moved, v[i].b + 1, v[i].b + v[i].bn);
		from = v[i].a + v[i].an + 1;
		shift = v[i].b + v[i].bn - (v[i].a + v[i].an);
	}
	carry(&moved, p, from, PROOF_END, shift);
	free(p->v);
	*p = moved;
}
