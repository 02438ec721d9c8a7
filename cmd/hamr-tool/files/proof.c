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
		line_set_release(&ps->v[i].lines);
	free(ps->v);
	map_release(&ps->by_path);
	*ps = (struct proofs){ 0 };
}

void
proof_read(struct proof *p, const char *hash)
{
	if (strcmp(p->hash, hash) == 0)
		return;
	line_set_release(&p->lines);
	memcpy(p->hash, hash, SHA_HEX);
}

void
proof_move(struct proof *p, const char *hash, const struct patch *v, size_t n)
{
	memcpy(p->hash, hash, SHA_HEX);
	/* those before a patch have moved by now: it starts where it ends up */
	for (size_t i = 0; i < n; i++) {
		line_set_drop(&p->lines, v[i].b + 1,
		    v[i].b + v[i].an, v[i].bn - v[i].an);
		line_set_add(&p->lines, v[i].b + 1, v[i].b + v[i].bn);
	}
}
