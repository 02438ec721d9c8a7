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
#define PRUNE_MS 3000		/* others may wait for us */

struct prune {
	struct snap *s;
	struct journal j;
	struct map kept;	/* objects that stay */
};

static void
keep(struct prune *p, const struct undo_entry *c)
{
	for (size_t i = 0; i < c->n && !c->undone; i++)
		if (c->v[i].oid[0] != '\0')
			map_put(&p->kept, slice_of(c->v[i].oid), NULL);
}

/* The first entry that stays; what it needs, and those behind it, is kept. */
static size_t
choose(struct prune *p, long long days, long long bytes)
{
	const struct journal *j = &p->j;
	long long total = 0;
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
		for (size_t k = 0; k < c->n; k++)
			if (map_get(&p->kept, slice_of(c->v[k].oid)) == NULL)
				total += object_size(p->s, c->v[k].oid);
		if (bytes > 0 && changes > 0 && total > bytes)
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

/* What neither the journal nor the index needs goes, and what a killed process
 * has left half written. */
static void
remove_objects(const struct prune *p)
{
	long long until = file_now_ms() + PRUNE_MS;
	DIR *all = file_opendir(p->s->dirfd, "objects");
	struct dirent *e, *f;

	while (all != NULL && (e = file_readdir(all)) != NULL) {
		DIR *d = strlen(e->d_name) == 2 ?
		    file_opendir(dirfd(all), e->d_name) : NULL;

		while (d != NULL && (f = file_readdir(d)) != NULL &&
		    file_now_ms() < until) {
			char *oid = xasprintf("%s%s", e->d_name, f->d_name);

			if (map_get(&p->kept, slice_of(oid)) == NULL)
				unlinkat(dirfd(d), f->d_name, 0);
			free(oid);
		}
		file_closedir(d);
	}
	file_closedir(all);
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
	struct prune p = { .s = s };
	struct gitindex ix = { .n = 0 };
	struct buf oid = BUF_INIT(SNAP_OID);
	DIR *d = file_opendir(s->dirfd, ".");
	struct dirent *e;
	size_t first;

	/* what a killed process left */
	unlinkat(s->dirfd, "index.lock", 0);
	while ((e = file_readdir(d)) != NULL)
		if (strncmp(e->d_name, "hamr-undo.", 10) == 0)
			unlinkat(s->dirfd, e->d_name, 0);
	file_closedir(d);
	if (journal_read(s, &p.j, NULL) == 0 &&
	    gitindex_read(&ix, s->dir, NULL) == 0) {
		first = choose(&p, days, bytes);
		if (first > 0 && first < p.j.n && journal_forget(s,
		    (long long)p.j.v[first].offset) < 0)
			/* the disk is full */
			for (size_t i = 0; i < first; i++)
				keep(&p, &p.j.v[i]);
		for (size_t i = 0; i < ix.n; i++) {
			buf_reset(&oid);
			snap_hex(ix.v[i].oid, ix.oid_len, &oid);
			map_put(&p.kept, buf_view(&oid), NULL);
		}
		remove_objects(&p);
	}
	journal_release(&p.j);
	gitindex_release(&ix);
	map_release(&p.kept);
	buf_release(&oid);
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
