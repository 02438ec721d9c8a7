/* store.c - the objects of the snapshots: which there are, and away. */
#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file.h"
#include "mem.h"

#include "snap_in.h"
#include "store.h"

#define INDEX_MAX ((size_t)256 << 20)
#define ATLEAST 256		/* removed, however long it takes */
#define SMALL_PACK (4 << 20)	/* these are put together, */
#define SMALL_PACKS 16		/* when there are more than so many */

static DIR *
open_folder(const struct snap *s, const char *name)
{
	int fd = openat(s->dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
	    O_CLOEXEC);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;

	if (d == NULL && fd >= 0)
		close(fd);
	return d;
}

static bool
is_hex(const char *p, size_t n)
{
	return strspn(p, "0123456789abcdef") == n && p[n] == '\0';
}

static size_t
digits(const struct snap *s)
{
	return s->sha256 ? 64 : 40;
}

/* ---- which there are ---- */

static void
add(struct store *st, const char *oid, long long size, size_t pack)
{
	bool fresh;
	uint64_t *at = map_put(&st->by_oid, slice_of(oid), &fresh);

	st->v = xgrow(st->v, st->n, &st->cap, sizeof *st->v);
	st->v[st->n] = (struct object){ .size = size, .pack = pack };
	memcpy(st->v[st->n].oid, oid, strlen(oid) + 1);
	st->n++;
	if (fresh)	/* one that is there twice is kept where it was first */
		*at = st->n;
}

/* objects/ab: a file for each object. */
static void
read_files(const struct snap *s, struct store *st, const char *two)
{
	char folder[] = "objects/..", oid[SNAP_OID];
	struct dirent *e;
	struct stat stat;
	DIR *d;

	memcpy(folder + 8, two, 2);
	d = open_folder(s, folder);
	while (d != NULL && (e = readdir(d)) != NULL) {
		if (!is_hex(e->d_name, digits(s) - 2) || fstatat(dirfd(d),
		    e->d_name, &stat, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		memcpy(oid, two, 2);
		memcpy(oid + 2, e->d_name, digits(s) - 1);
		add(st, oid, stat.st_size, 0);
	}
	if (d != NULL)
		closedir(d);
}

/* The names in a pack's index, version 2: a mark, the version, 256 counts of
 * which the last is of all, the names in order.  git tells them too, but by a
 * process for each pack. */
static int
read_names(const struct snap *s, struct store *st, struct pack *p,
    const struct buf *b)
{
	size_t len = digits(s) / 2, head = 8 + 256 * 4;
	char oid[SNAP_OID];
	uint32_t n;

	if (b->len < head || memcmp(b->p, "\377tOc\0\0\0\2", 8) != 0)
		return -1;
	memcpy(&n, b->p + head - 4, 4);
	p->n = ntohl(n);
	if (p->n > (b->len - head) / len)
		return -1;
	for (size_t i = 0; i < p->n; i++) {
		const char *raw = b->p + head + i * len;

		for (size_t k = 0; k < len; k++)
			snprintf(oid + 2 * k, 3, "%02x",
			    (unsigned char)raw[k]);
		add(st, oid, p->size / (long long)p->n, st->npacks);
	}
	return 0;
}

static int
read_pack(const struct snap *s, struct store *st, int dir, const char *name)
{
	struct buf b = BUF_INIT(INDEX_MAX);
	char *pack = xmemdup0(name, strlen(name) - 4);
	char *file = xasprintf("%s.pack", pack);
	int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC), r = -1;
	struct stat stat = { .st_size = 0 };
	struct pack *p;

	st->packs = xgrow(st->packs, st->npacks, &st->packs_cap,
	    sizeof *st->packs);
	p = &st->packs[st->npacks++];
	*p = (struct pack){ .name = pack };
	if (fstatat(dir, file, &stat, AT_SYMLINK_NOFOLLOW) == 0)
		p->size = stat.st_size;
	if (fd >= 0 && file_read_fd(fd, name, &b, NULL) == 0)
		r = read_names(s, st, p, &b);
	if (fd >= 0)
		close(fd);
	free(file);
	buf_release(&b);
	return r;
}

static bool
ends_in(const char *name, const char *end)
{
	size_t n = strlen(name), m = strlen(end);

	return n > m && strcmp(name + n - m, end) == 0;
}

int
store_read(struct snap *s, struct store *st)
{
	DIR *d = open_folder(s, "objects/pack");
	struct dirent *e;
	int r = d != NULL ? 0 : -1;

	*st = (struct store){ 0 };
	for (int i = 0; i < 256; i++) {
		char two[3];

		snprintf(two, sizeof two, "%02x", i);
		read_files(s, st, two);
	}
	while (r == 0 && (e = readdir(d)) != NULL)
		if (ends_in(e->d_name, ".idx"))
			r = read_pack(s, st, dirfd(d), e->d_name);
	if (d != NULL)
		closedir(d);
	return r;
}

void
store_release(struct store *st)
{
	for (size_t i = 0; i < st->npacks; i++)
		free(st->packs[i].name);
	free(st->packs);
	free(st->v);
	map_release(&st->by_oid);
}

static struct object *
find(const struct store *st, const char *oid)
{
	uint64_t *at = map_get(&st->by_oid, slice_of(oid));

	return at != NULL ? &st->v[*at - 1] : NULL;
}

void
store_keep(struct store *st, const char *oid)
{
	struct object *o = find(st, oid);

	if (o == NULL || o->kept)
		return;
	o->kept = true;
	if (o->pack > 0)
		st->packs[o->pack - 1].kept++;
}

long long
store_size(const struct store *st, const char *oid)
{
	const struct object *o = find(st, oid);

	return o == NULL || o->kept ? 0 : o->size;
}

/* ---- away with them ---- */

static void
drop_pack(int dir, const char *name)
{
	/* without its index git does not look at it */
	static const char *const ends[] = { ".idx", ".rev", ".bitmap",
		".pack" };

	for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
		char *file = xasprintf("%s%s", name, ends[i]);

		unlinkat(dir, file, 0);
		free(file);
	}
}

static bool
is_small(const struct pack *p)
{
	return p->kept > 0 && p->size < SMALL_PACK;
}

/* What is needed of small packs, in one; its name without the ending, yours,
 * or NULL. */
static char *
put_together(struct snap *s, const struct store *st)
{
	char *base = xasprintf("%s/objects/pack/pack", s->dir);
	const char *args[] = { "pack-objects", "-q", "--window=0", base, NULL };
	struct buf in = BUF_INIT(GIT_OUT_MAX), out = BUF_INIT(GIT_OUT_MAX);
	char oid[SNAP_OID], *name = NULL, *idx;

	for (size_t i = 0; i < st->n; i++)
		if (st->v[i].kept && st->v[i].pack > 0 &&
		    is_small(&st->packs[st->v[i].pack - 1]))
			buf_fmt(&in, "%s\n", st->v[i].oid);
	if (snap_git(s, args, buf_view(&in), &out) == 0 &&
	    snap_oid(&out, oid)) {
		idx = xasprintf("objects/pack/pack-%s.idx", oid);
		if (faccessat(s->dirfd, idx, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
			name = xasprintf("pack-%s", oid);
		free(idx);
	}
	buf_release(&in);
	buf_release(&out);
	free(base);
	return name;
}

/* What a killed git has left there, and packs without an index. */
static void
sweep_leftovers(int dir)
{
	int again = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = again >= 0 ? fdopendir(again) : NULL;
	struct dirent *e;

	while (d != NULL && (e = readdir(d)) != NULL) {
		const char *dot = strrchr(e->d_name, '.');
		char *idx = xasprintf("%.*s.idx", dot != NULL ?
		    (int)(dot - e->d_name) : 0, e->d_name);

		if (strncmp(e->d_name, "tmp_", 4) == 0 ||
		    strncmp(e->d_name, ".tmp-", 5) == 0 || (dot != NULL &&
		    strncmp(e->d_name, "pack-", 5) == 0 &&
		    faccessat(dir, idx, F_OK, AT_SYMLINK_NOFOLLOW) < 0))
			unlinkat(dir, e->d_name, 0);
		free(idx);
	}
	if (d != NULL)
		closedir(d);
}

static bool
sweep_packs(struct snap *s, struct store *st)
{
	int dir = openat(s->dirfd, "objects/pack", O_RDONLY | O_DIRECTORY |
	    O_NOFOLLOW | O_CLOEXEC);
	size_t small = 0;
	char *new = NULL;

	if (dir < 0)
		return false;
	for (size_t i = 0; i < st->npacks; i++)
		small += is_small(&st->packs[i]);
	if (small > SMALL_PACKS)
		new = put_together(s, st);
	for (size_t i = 0; i < st->npacks; i++) {
		const struct pack *p = &st->packs[i];

		if (new != NULL && strcmp(p->name, new) == 0)
			continue;	/* one of them held all */
		if (p->kept == 0 || (new != NULL && is_small(p)))
			drop_pack(dir, p->name);
	}
	sweep_leftovers(dir);
	free(new);
	close(dir);
	return small <= SMALL_PACKS || new != NULL;
}

bool
store_sweep(struct snap *s, struct store *st, int ms)
{
	long long until = file_now_ms() + ms;
	size_t done = 0;
	char *path;

	for (size_t i = 0; i < st->n; i++) {
		if (st->v[i].kept || st->v[i].pack > 0)
			continue;
		if (done++ >= ATLEAST && file_now_ms() >= until)
			return false;
		path = xasprintf("objects/%.2s/%s", st->v[i].oid,
		    st->v[i].oid + 2);
		unlinkat(s->dirfd, path, 0);
		free(path);
	}
	return sweep_packs(s, st);
}
