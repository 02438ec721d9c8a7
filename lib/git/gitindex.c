/* gitindex.c - git's index read and written as a file: what is tracked.
 *
 * The format is gitformat-index(5).  No library of the distribution reads it
 * without reading the repository's configuration too.
 */
#include <endian.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "gitindex.h"
#include "gitrepo.h"
#include "base/mem.h"
#include "base/num.h"

#define HEAD_LEN 12
#define OID_AT 40		/* in an entry, after its ten numbers */
#define FLAG_ASSUME_VALID 0x8000
#define FLAG_EXTENDED 0x4000
#define FLAG_STAGE 0x3000
#define FLAG_NAME 0x0fff
#define EXT_SKIP_WORKTREE 0x4000
#define EXT_INTENT_TO_ADD 0x2000
#define NAME_BYTES 4096		/* no longer path can be looked up */
#define NAMES_FACTOR 16		/* most bytes of version 4's names, joined, as
				 * a multiple of the file's size */

/* The bytes of one file, read from the left. */
struct reader {
	const unsigned char *p;
	size_t at, end;		/* end: where the checksum begins */
	size_t oid_len;
	size_t joined;		/* bytes of joined names so far */
	unsigned version;
	struct slice link;	/* the extension of a split index */
};

static uint64_t
be64(const unsigned char *p)
{
	return (uint64_t)num_be32(p) << 32 | num_be32(p + 4);
}

static unsigned
be16(const unsigned char *p)
{
	return (unsigned)p[0] << 8 | p[1];
}

/* ---- entries ---- */

static void
add(struct gitindex *ix, const struct gitindex_entry *e)
{
	GROW(ix->v, ix->n, ix->cap);
	ix->v[ix->n++] = *e;
}

static const char *
read_name(struct reader *r, struct gitindex *ix, size_t start,
    const char *before, size_t *len)
{
	size_t strip = 0;

	/* version 4: how many bytes to drop from the previous name's end */
	for (bool more = r->version == 4, first = true; more; first = false) {
		if (r->at >= r->end || strip > NAME_BYTES)
			return NULL;
		unsigned char c = r->p[r->at++];
		strip = first ? c & 127 : ((strip + 1) << 7) | (c & 127);
		more = c & 128;
	}
	const char *p = (const char *)r->p + r->at;
	const char *nul = memchr(p, '\0', r->end - r->at);
	if (nul == NULL)
		return NULL;
	size_t n = (size_t)(nul - p);
	*len = n;
	if (r->version < 4) {
		/* filled up with NULs to a multiple of eight */
		r->at = start + ((r->at + n - start + 8) & ~(size_t)7);
		return r->at <= r->end ? p : NULL;
	}
	r->at += n + 1;
	if (strip > strlen(before) || n > NAME_BYTES)
		return NULL;
	*len += strlen(before) - strip;
	r->joined += *len + 1;
	if (*len > NAME_BYTES || r->joined / NAMES_FACTOR > r->end)
		return NULL;
	return arena_concat(&ix->names,
	    (struct slice){ before, strlen(before) - strip },
	    (struct slice){ p, n });
}

static bool
read_entry(struct reader *r, struct gitindex *ix)
{
	const unsigned char *p = r->p + r->at;
	size_t start = r->at, head = OID_AT + r->oid_len + 2, len;
	const char *before = ix->n > 0 ? ix->v[ix->n - 1].path : "";
	unsigned more = 0;

	if (r->end - r->at < head + 2)
		return false;
	unsigned flags = be16(p + head - 2);
	if (flags & FLAG_EXTENDED) {
		more = be16(p + head);
		head += 2;
	}
	r->at += head;
	struct gitindex_entry e = { .oid = p + OID_AT,
		.ctime = { num_be32(p), num_be32(p + 4) },
		.mtime = { num_be32(p + 8), num_be32(p + 12) },
		.ino = num_be32(p + 20), .mode = num_be32(p + 24),
		.uid = num_be32(p + 28), .gid = num_be32(p + 32),
		.size = num_be32(p + 36),
		.plain = (flags & (FLAG_ASSUME_VALID | FLAG_STAGE)) == 0 &&
		    (more & (EXT_SKIP_WORKTREE | EXT_INTENT_TO_ADD)) == 0 };
	e.path = read_name(r, ix, start, before, &len);
	if (e.path == NULL ||
	    num_min(len, FLAG_NAME) != (flags & FLAG_NAME))
		return false;
	add(ix, &e);
	return true;
}

/* ---- a file ---- */

static bool
read_all(struct reader *r, const struct buf *b, struct gitindex *ix)
{
	struct slice body;

	r->p = (const unsigned char *)b->p;
	if (b->len < HEAD_LEN + r->oid_len || memcmp(b->p, "DIRC", 4) != 0)
		return false;
	r->end = b->len - r->oid_len;
	r->version = num_be32(r->p + 4);
	uint32_t n = num_be32(r->p + 8);
	if (r->version < 2 || r->version > 4)
		return false;
	for (r->at = HEAD_LEN; n > 0; n--)
		if (!read_entry(r, ix))
			return false;
	/* extensions: a name in capitals may be passed over; "sdir" says that
	 * there are folders */
	for (; r->at < r->end; r->at += 8 + body.n) {
		const char *name = (const char *)r->p + r->at;

		if (r->end - r->at < 8)
			return false;
		body = (struct slice){ name + 8, num_be32(r->p + r->at + 4) };
		if (body.n > r->end - r->at - 8)
			return false;
		if (memcmp(name, "link", 4) == 0)
			r->link = body;
		else if ((name[0] < 'A' || name[0] > 'Z') &&
		    memcmp(name, "sdir", 4) != 0)
			return false;
	}
	return true;
}

static void
forget(struct gitindex *ix)
{
	ix->n = 0;
	arena_release(&ix->names);
}

/* Only the repository's configuration says how long object names are, so we
 * guess; a wrong guess fails the checks. */
static bool
read_either(struct reader *r, const struct buf *b, struct gitindex *ix)
{
	*r = (struct reader){ .oid_len = 20 };
	if (read_all(r, b, ix))
		return true;
	forget(ix);
	*r = (struct reader){ .oid_len = 32 };
	return read_all(r, b, ix);
}

/* ---- a split index ---- */

/* A compressed bitmap of 64-bit words: a marker word gives a run's bit and
 * length, and how many literal words follow it. */
static bool
read_bits(struct slice *s, unsigned char *bits, size_t nbits)
{
	const unsigned char *p = (const unsigned char *)s->p;
	size_t bit = 0;

	if (s->n < 12)
		return false;
	size_t words = num_be32(p + 4);
	if (words > (s->n - 12) / 8)
		return false;
	p += 8;
	for (size_t i = 0; i < words; ) {
		uint64_t run = be64(p + 8 * i++);
		uint64_t equal = ((run >> 1) & 0xffffffff) * 64;
		size_t plain = (size_t)(run >> 33);

		for (; equal > 0 && bit < nbits; equal--, bit++)
			bits[bit] = run & 1;
		bit = equal > 0 ? nbits : bit;
		if (plain > words - i)
			return false;
		for (; plain > 0; plain--, i++) {
			uint64_t word = be64(p + 8 * i);

			for (int k = 0; k < 64 && bit < nbits; k++, bit++)
				bits[bit] = (word >> k) & 1;
		}
	}
	s->p += 12 + 8 * words;
	s->n -= 12 + 8 * words;
	return true;
}

/* Take the entries of base that are not deleted, with replaced ones as split's
 * first entries (which have no names) say, then the rest of split. */
static bool
merge(struct gitindex *ix, const struct gitindex *base, struct slice link)
{
	unsigned char *gone = xcalloc(base->n + 1, 1);
	unsigned char *changed = xcalloc(base->n + 1, 1);
	struct gitindex_entry *split = ix->v;
	size_t n = ix->n, next = 0;
	bool good = link.n == 0 || (read_bits(&link, gone, base->n) &&
	    read_bits(&link, changed, base->n));

	ix->v = NULL;
	ix->n = ix->cap = 0;
	for (size_t i = 0; i < base->n && good; i++) {
		struct gitindex_entry e = base->v[i];

		if (changed[i]) {
			good = next < n && split[next].path[0] == '\0';
			if (good) {
				e = split[next++];
				e.path = base->v[i].path;
			}
		}
		if (good && !gone[i])
			add(ix, &e);
	}
	for (; next < n && good; next++)
		add(ix, &split[next]);
	FREE(split, changed, gone);
	return good;
}

/* 0; 1: it is inconsistent; -1 with e: its base cannot be read. */
static int
add_base(struct gitindex *ix, const char *dir, struct slice link,
    struct err *e)
{
	struct buf path = BUF_INIT(NAME_BYTES);
	struct gitindex base = { .n = 0 };
	struct slice bits = { link.p + ix->oid_len, link.n - ix->oid_len };
	struct reader r;
	int got = 1;

	buf_fmt(&path, "%s/sharedindex.", dir);
	for (size_t i = 0; i < ix->oid_len; i++)
		buf_fmt(&path, "%02x", (unsigned char)link.p[i]);
	if (gitrepo_read(AT_FDCWD, path.p, &ix->base, e) < 0)
		got = -1;
	else if (read_either(&r, &ix->base, &base) &&
	    r.oid_len == ix->oid_len && r.link.p == NULL &&
	    merge(ix, &base, bits))
		got = 0;
	/* names outlive their index */
	for (size_t i = 0; i < ix->n && base.names.blocks != NULL; i++)
		ix->v[i].path = arena_dup(&ix->names, ix->v[i].path,
		    strlen(ix->v[i].path));
	gitindex_release(&base);
	buf_release(&path);
	return got;
}

/* ---- all ---- */

static int
by_path(const void *a, const void *b)
{
	return strcmp(((const struct gitindex_entry *)a)->path,
	    ((const struct gitindex_entry *)b)->path);
}

/* Usually they are already in order. */
static void
sort(struct gitindex_entry *v, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (by_path(&v[i - 1], &v[i]) > 0) {
			qsort(v, n, sizeof *v, by_path);
			return;
		}
}

/* As add_base; dir NULL: an index that has a base is an error. */
static int
parse(struct gitindex *ix, const char *dir, struct err *e)
{
	struct reader r;
	int got = 0;

	if (!read_either(&r, &ix->bytes, ix))
		got = 1;
	ix->oid_len = r.oid_len;
	if (got == 0 && r.link.p != NULL) {
		static const unsigned char none[32];

		if (r.link.n < r.oid_len || dir == NULL)
			got = 1;
		else if (memcmp(r.link.p, none, r.oid_len) != 0)
			got = add_base(ix, dir, r.link, e);
	}
	for (size_t i = 0; i < ix->n && got == 0; i++)
		got = ix->v[i].path[0] == '\0';
	if (got == 0)
		sort(ix->v, ix->n);
	else
		forget(ix);
	return got;
}

int
gitindex_read(struct gitindex *ix, const char *dir, struct err *e)
{
	char *path = xasprintf("%s/index", dir);
	struct err why;
	int got;

	*ix = (struct gitindex){ .bytes = BUF_INIT(GITINDEX_MAX),
		.base = BUF_INIT(GITINDEX_MAX) };
	if (gitrepo_read(AT_FDCWD, path, &ix->bytes, &why) == 0) {
		got = parse(ix, dir, e);
		if (got > 0)
			got = err_set(e, ST_DATA, "%s is damaged", path);
	} else
		got = why.status == ST_NOINPUT ? 0 :
		    err_set(e, why.status, "%s", why.text);
	free(path);
	return got;
}

int
gitindex_parse(struct gitindex *ix, struct buf *bytes)
{
	*ix = (struct gitindex){ .bytes = *bytes,
		.base = BUF_INIT(GITINDEX_MAX) };
	*bytes = BUF_INIT(GITINDEX_MAX);
	return parse(ix, NULL, NULL) == 0 ? 0 : -1;
}

void
gitindex_print(struct gitindex_entry *v, size_t n, size_t oid_len,
    struct buf *out)
{
	const uint32_t start[] = { htobe32(2), htobe32((uint32_t)n) };

	sort(v, n);
	buf_adds(out, "DIRC");
	buf_add(out, start, sizeof start);
	for (size_t i = 0; i < n; i++) {
		const struct gitindex_entry *e = &v[i];
		const uint64_t head[] = { (uint64_t)e->ctime.tv_sec,
			(uint64_t)e->ctime.tv_nsec, (uint64_t)e->mtime.tv_sec,
			(uint64_t)e->mtime.tv_nsec, 0 /* the device */, e->ino,
			e->mode, e->uid, e->gid, e->size };
		size_t len = strlen(e->path);
		uint16_t flags = htobe16((uint16_t)num_min(len, FLAG_NAME));

		for (size_t k = 0; k < sizeof head / sizeof *head; k++) {
			uint32_t number = htobe32((uint32_t)head[k]);

			buf_add(out, &number, sizeof number);
		}
		buf_add(out, e->oid, oid_len);
		buf_add(out, &flags, sizeof flags);
		/* filled up with NULs to a multiple of eight */
		buf_add(out, e->path, len);
		buf_add(out, "\0\0\0\0\0\0\0\0", 8 - (OID_AT + oid_len + 2 +
		    len) % 8);
	}
}

void
gitindex_release(struct gitindex *ix)
{
	free(ix->v);
	arena_release(&ix->names);
	bufs_release(BUFS(&ix->bytes, &ix->base));
	*ix = (struct gitindex){ .n = 0 };
}

/* The first entry that is not before the n bytes of path. */
static size_t
place_of(const struct gitindex *ix, const char *path, size_t n)
{
	size_t lo = 0, hi = ix->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (strncmp(ix->v[mid].path, path, n) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

struct gitindex_entry *
gitindex_find(const struct gitindex *ix, const char *path)
{
	size_t at = place_of(ix, path, strlen(path) + 1);

	return at < ix->n && strcmp(ix->v[at].path, path) == 0 ? &ix->v[at] :
	    NULL;
}

bool
gitindex_has(const struct gitindex *ix, const char *path)
{
	char *dir = xasprintf("%s/", path);
	size_t at = place_of(ix, dir, strlen(dir) + 1);
	/* a folder of a sparse index stands for all in it */
	struct slice before = slice_of(at > 0 ? ix->v[at - 1].path : "");
	bool has = gitindex_find(ix, path) != NULL ||
	    (at < ix->n && is_beneath(ix->v[at].path, path)) ||
	    (slice_ends(before, "/") && strncmp(before.p, dir, before.n) == 0);

	free(dir);
	return has;
}
