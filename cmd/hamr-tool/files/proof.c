/* proof.c - which lines of which content the model has been shown. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#include "proof.h"

struct proof *
proofs_of(struct proofs *ps, const char *rel)
{
	bool fresh;
	uint64_t *at = map_put(&ps->by_path, slice_of(rel), &fresh);

	if (fresh) {
		GROW(ps->v, ps->n, ps->cap);
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

/* Append a range that does not start before the last one. */
static void
push(struct proof *p, long first, long last)
{
	struct range *end = p->n > 0 ? &p->v[p->n - 1] : NULL;

	if (first > last)
		return;
	if (end != NULL && (end->last == PROOF_END ||
	    end->last + 1 >= first)) {
		end->last = last > end->last ? last : end->last;
		return;
	}
	GROW(p->v, p->n, p->cap);
	p->v[p->n++] = (struct range){ first, last };
}

/* Add to p the ranges of old from line first to last, shifted. */
static void
carry(struct proof *p, const struct proof *old, long first, long last,
    long shift)
{
	for (size_t i = 0; i < old->n; i++) {
		long a = old->v[i].first > first ? old->v[i].first : first;
		long b = old->v[i].last < last ? old->v[i].last : last;

		if (a <= b)
			push(p, a + shift, b == PROOF_END ? b : b + shift);
	}
}

/* Make lines first to last one shown range, or not shown. */
static void
set(struct proof *p, long first, long last, bool shown)
{
	struct proof old = *p;

	p->v = NULL;
	p->n = p->cap = 0;
	carry(p, &old, LONG_MIN, first > LONG_MIN ? first - 1 : first, 0);
	if (shown)
		push(p, first, last);
	if (shown || last < PROOF_END)
		carry(p, &old, shown ? first : last + 1, PROOF_END, 0);
	free(old.v);
}

void
proof_add(struct proof *p, long first, long last)
{
	set(p, first, last, true);
}

void
proof_drop(struct proof *p, long first, long last)
{
	set(p, first, last, false);
}

bool
proof_has(const struct proof *p, long first, long last)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->v[i].first <= first && last <= p->v[i].last)
			return true;
	return false;
}

void
proof_move(struct proof *p, const char *hash, const struct patch *v, size_t n)
{
	struct proof moved = { 0 };
	long from = 1, shift = 0;

	memcpy(moved.hash, hash, SHA_HEX);
	for (size_t i = 0; i < n; i++) {
		carry(&moved, p, from, v[i].a, shift);
		push(&moved, v[i].b + 1, v[i].b + v[i].bn);
		from = v[i].a + v[i].an + 1;
		shift = v[i].b + v[i].bn - (v[i].a + v[i].an);
	}
	carry(&moved, p, from, PROOF_END, shift);
	free(p->v);
	*p = moved;
}
