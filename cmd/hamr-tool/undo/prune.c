/* prune.c - snapshots that are old, or too many, are forgotten. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/utc.h"
#include "git/gitindex.h"

#include "internal.h"
#include "journal.h"

#define STAMP "hamr-pruned"	/* its time tells when it was done */
#define DAY_S ((int64_t)24 * 60 * 60)
#define NEWEST 20		/* changes that do not grow too old */
#define PRUNE_MS 3000		/* for one step: others may wait for us */

struct prune {
	struct snap *s;
	struct journal j;
	struct map sizes;	/* on disk, of old contents */
	struct map kept;	/* those that stay, */
	struct buf names;	/* each ended by NUL */
};

static int
read_sizes(struct prune *p)
{
	static const char *const args[] = { "cat-file",
		"--batch-check=%(objectname) %(objectsize:disk)", NULL };
	struct buf in = BUF_INIT(GIT_OUT_MAX), out = BUF_INIT(GIT_OUT_MAX);
	int r = 0;

	for (size_t i = 0; i < p->j.n; i++)
		for (size_t k = 0; k < p->j.v[i].n; k++)
			if (p->j.v[i].v[k].oid[0] != '\0')
				buf_fmt(&in, "%s\n", p->j.v[i].v[k].oid);
	if (in.len > 0)
		r = snap_git(p->s, args, buf_view(&in), &out);
	/* "OID SIZE", or "OID missing" */
	for (size_t at = 0; r == 0 && at < out.len; ) {
		const char *line = out.p + at;
		size_t n = strcspn(line, " ");

		*map_put(&p->sizes, (struct slice){ line, n }, NULL) =
		    strtoull(line + n, NULL, 10);
		at += strcspn(line, "\n") + 1;
	}
	bufs_release(BUFS(&in, &out));
	return r;
}

static void
keep(struct prune *p, const struct undo_entry *c)
{
	for (size_t i = 0; i < c->n && !c->undone; i++) {
		const char *oid = c->v[i].oid;
		bool fresh = false;

		if (oid[0] != '\0')
			map_put(&p->kept, slice_of(oid), &fresh);
		if (fresh)
			snap_add(&p->names, oid);
	}
}

/* The first entry that stays; what it needs, and those behind it, is kept. */
static size_t
choose(struct prune *p, long long days, long long bytes)
{
	const struct journal *j = &p->j;
	unsigned long long total = 0;
	size_t i = j->n, changes = 0;
	char at[UTC_SIZE] = "";

	if (days > 0)
		utc_print((time(NULL) - days * DAY_S) * 1000, at);
	for (; i > 0; i--) {
		const struct undo_entry *c = &j->v[i - 1];

		if (changes >= NEWEST && strcmp(c->at, at) < 0)
			break;
		if (c->is_checkpoint || c->undone)
			continue;
		for (size_t k = 0; k < c->n; k++) {
			struct slice oid = slice_of(c->v[k].oid);
			uint64_t *size = map_get(&p->sizes, oid);

			if (size != NULL && map_get(&p->kept, oid) == NULL)
				total += *size;
		}
		if (bytes > 0 && changes > 0 &&
		    total > (unsigned long long)bytes)
			break;
		keep(p, c);
		changes++;
	}
	/* a checkpoint means all that comes behind it */
	while (i > 0 && i < j->n && !j->v[i].is_checkpoint &&
	    j->v[i - 1].is_checkpoint)
		i--;
	return i;
}

/* ---- removing the others ---- */

/* How many files with this end are in objects/pack, which belong to neither
 * pack?  They are removed if so is asked. */
static size_t
packs(const struct snap *s, const char *end, const char *one, const char *two,
    bool remove)
{
	DIR *d = file_opendir(s->dirfd, "objects/pack");
	struct dirent *e;
	size_t n = 0;

	while ((e = file_readdir(d)) != NULL) {
		const char *dot = strrchr(e->d_name, '.');

		if (dot == NULL || strcmp(dot, end) != 0 ||
		    (*one != '\0' && strstr(e->d_name, one) != NULL) ||
		    (*two != '\0' && strstr(e->d_name, two) != NULL))
			continue;
		n++;
		if (remove)
			unlinkat(dirfd(d), e->d_name, 0);
	}
	file_closedir(d);
	return n;
}

/* All packs become one of what is kept; and one of what the index names and the
 * user's repository holds no more. */
static void
repack(struct prune *p)
{
	/* without its index git does not look at a pack */
	static const char *const ends[] = { ".idx", ".rev", ".pack" };
	char one[SNAP_OID], two[SNAP_OID];
	struct buf names = BUF_INIT(GIT_OUT_MAX);
	struct gitindex ix = { .n = 0 };
	bool good = gitindex_read(&ix, p->s->dir, NULL) == 0;

	for (size_t i = 0; i < ix.n; i++) {
		snap_hex(ix.v[i].oid, ix.oid_len, &names);
		buf_add(&names, "", 1);
	}
	if (good && snap_pack(p->s, &p->names, true, one) == 0 &&
	    snap_pack(p->s, &names, false, two) == 0)
		for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
			packs(p->s, ends[i], one, two, true);
	gitindex_release(&ix);
	buf_release(&names);
}

/* Remove objects in files of their own, but for those of a tree that is made of
 * the kept ones; what the index names stays without that.  (mktree would read
 * each of them.) */
static void
prune_objects(struct prune *p)
{
	static const char *const make[] = { "hash-object", "-t", "tree", "-w",
		"--stdin", NULL };
	const char *prune[] = { "prune", NULL, NULL };
	const char **v = xcalloc(p->kept.n + 1, sizeof *v), *oid;
	struct buf in = BUF_INIT(GIT_OUT_MAX), out = BUF_INIT(GIT_OUT_MAX);
	size_t n = 0;

	for (size_t at = 0; (oid = snap_next(&p->names, &at)) != NULL; )
		v[n++] = oid;
	qsort(v, n, sizeof *v, text_order);
	for (size_t i = 0; i < n; i++) {
		buf_adds(&in, "100644 ");
		snap_add(&in, v[i]);
		snap_unhex(v[i], &in);
	}
	if (snap_git(p->s, make, buf_view(&in), &out) == 0 && out.len > 0) {
		out.p[strcspn(out.p, "\n")] = '\0';
		prune[1] = out.p;
		snap_git(p->s, prune, SLICE(""), NULL);
	}
	bufs_release(BUFS(&in, &out));
	free(v);
}

static void
note_time(const struct snap *s)
{
	int fd = snap_file(s, STAMP, O_RDWR);

	if (fd >= 0)
		futimens(fd, NULL);
	file_close(fd);
}

/* Nobody else works here. */
static void
prune(struct snap *s, long long days, long long bytes)
{
	struct prune p = { .s = s, .names = BUF_INIT(GIT_OUT_MAX) };
	DIR *d = file_opendir(s->dirfd, ".");
	struct dirent *e;
	size_t first;

	/* what a killed process left */
	unlinkat(s->dirfd, "index.lock", 0);
	while ((e = file_readdir(d)) != NULL)
		if (strncmp(e->d_name, "hamr-undo.", 10) == 0)
			unlinkat(s->dirfd, e->d_name, 0);
	file_closedir(d);
	s->ms = PRUNE_MS;
	if (journal_read(s, &p.j, NULL) == 0 && read_sizes(&p) == 0) {
		first = choose(&p, days, bytes);
		if (first > 0 && first < p.j.n && journal_forget(s,
		    (long long)p.j.v[first].offset) < 0)
			/* the disk is full */
			for (size_t i = 0; i < first; i++)
				keep(&p, &p.j.v[i]);
		if (packs(s, ".pack", "", "", false) > (first == 0))
			repack(&p);
		prune_objects(&p);
	}
	journal_release(&p.j);
	map_release(&p.sizes);
	map_release(&p.kept);
	buf_release(&p.names);
}

void
snap_prune(struct snap *s, long long days, long long bytes)
{
	struct stat st;

	if (fstatat(s->dirfd, STAMP, &st, AT_SYMLINK_NOFOLLOW) < 0) {
		note_time(s);	/* the first time */
		return;
	}
	if (llabs(time(NULL) - st.st_mtime) < DAY_S || s->use < 0)
		return;
	/* Is nobody else here?  The shared lock is released first: two
	 * processes that upgraded theirs would wait for each other. */
	close(s->use);
	s->use = snap_file(s, SNAP_USE, O_RDWR);
	if (s->use < 0 || flock(s->use, LOCK_EX | LOCK_NB) < 0)
		return;
	prune(s, days, bytes);
	note_time(s);
}
