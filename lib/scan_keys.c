/* scan_keys.c - no key twice in one object. */
#include <stdlib.h>

#include "mem.h"
#include "scan_in.h"

/* Objects up to this many keys compare each new key with the ones before;
 * larger ones are sorted once, at their end. */
#define FEW_KEYS 16

struct scan_key {
	const char *p;
	uint32_t n;
	uint32_t escaped;
	uint64_t hash;
};

/* Not for security: equal hashes are always compared by their bytes. */
static inline uint64_t
hash_bytes(const char *p, size_t n, const char *end)
{
	uint64_t h = n * 0x9e3779b97f4a7c15u, x;

	while (n > 16) {
		memcpy(&x, p, 8);
		h = (h ^ x) * 0xff51afd7ed558ccdu;
		h ^= h >> 32;
		p += 8;
		n -= 8;
	}
	if (n > 8) {
		uint64_t last;

		memcpy(&x, p, 8);
		memcpy(&last, p + n - 8, 8);
		h = (h ^ x) * 0xff51afd7ed558ccdu ^ last;
		h = (h ^ h >> 32) * 0xff51afd7ed558ccdu;
		return h ^ h >> 29;
	}
	x = 0;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	if (end - p >= 8) {	/* the rest of the line is readable */
		memcpy(&x, p, 8);
		x &= n == 8 ? ~(uint64_t)0 : ((uint64_t)1 << 8 * n) - 1;
		n = 0;
	}
#endif
	for (unsigned i = 0; i < n; i++)
		x |= (uint64_t)(unsigned char)p[i] << 8 * i;
	h = (h ^ x) * 0xff51afd7ed558ccdu;
	return h ^ h >> 29;
}

static struct slice
key_bytes(struct scan *s, const struct scan_key *k, int which)
{
	struct buf *b = &s->scratch[which];

	if (k->escaped == 0)
		return (struct slice){ k->p, k->n };
	b->max = BUF_RECORD_MAX;
	buf_reset(b);
	scan_decode(b, k->p, k->n, true);
	return buf_view(b);
}

static bool
same_key(struct scan *s, const struct scan_key *a, const struct scan_key *b)
{
	if (a->hash != b->hash)
		return false;
	return slice_eq(key_bytes(s, a, 0), key_bytes(s, b, 1));
}

static int
by_hash(const void *x, const void *y)
{
	const struct scan_key *a = x, *b = y;

	if (a->hash != b->hash)
		return a->hash < b->hash ? -1 : 1;
	return a->p < b->p ? -1 : a->p > b->p;
}

/* All keys of one large object at once: equal keys have equal hashes and so
 * stand in one run.  A run of different keys with one hash needs luck or
 * malice; it is compared pair by pair up to a bound, then refused. */
static bool
many_keys_differ(struct scan *s, size_t first)
{
	struct scan_key *k = s->keys + first;
	size_t n = s->nkeys - first;

	qsort(k, n, sizeof *k, by_hash);
	for (size_t i = 0; i < n; i++)
		for (size_t j = i + 1; j < n && k[j].hash == k[i].hash; j++) {
			if (same_key(s, &k[i], &k[j]))
				return refuse(s, k[j].p, "duplicate key");
			if (j - i > 64)
				return refuse(s, k[j].p,
				    "too many colliding keys");
		}
	return true;
}

static uint64_t
hash_of(struct scan *s, const struct scan_key *k)
{
	struct slice b = key_bytes(s, k, 0);

	return hash_bytes(b.p, b.n, b.p + b.n);
}

/* Is the key behind the last one among those of its object? */
static bool
is_there(struct scan *s, size_t first)
{
	if (s->nkeys - first <= FEW_KEYS)
		for (size_t i = first; i < s->nkeys; i++)
			if (same_key(s, &s->keys[i], &s->keys[s->nkeys]))
				return true;
	return false;
}

/* A key whose bit is not in bloom is new without looking. */
bool
scan_keys_add(struct scan *s, size_t first, uint64_t *bloom, const char *p,
    size_t n, bool escaped)
{
	struct scan_key *k;
	uint64_t bit;

	if (s->nkeys == s->capkeys)
		s->keys = xgrow(s->keys, s->nkeys, &s->capkeys,
		    sizeof *s->keys);
	k = &s->keys[s->nkeys];
	k->p = p;
	k->n = (uint32_t)n;
	k->escaped = escaped;
	k->hash = escaped ? hash_of(s, k) : hash_bytes(p, n, s->end);
	bit = (uint64_t)1 << (k->hash >> 58);
	if ((*bloom & bit) != 0 && is_there(s, first))
		return refuse(s, p, "duplicate key");
	*bloom |= bit;
	s->nkeys++;
	return true;
}

bool
scan_keys_end(struct scan *s, size_t first)
{
	return s->nkeys - first <= FEW_KEYS || many_keys_differ(s, first);
}
