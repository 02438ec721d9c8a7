/* prune.c - snapshots that are old, or too many, are forgotten. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "journal.h"
#include "prune.h"
#include "snap_in.h"
#include "store.h"

#define STAMP "hamr-pruned"
#define DAY_S (24 * 60 * 60)
#define SWEEP_MS 50		/* the end of a process shall not be slow */

/* Its time is when it was done; the first time only that is noted. */
static bool
is_due(const struct snap *s)
{
	struct stat st;
	int fd;

	if (fstatat(s->dirfd, STAMP, &st, AT_SYMLINK_NOFOLLOW) == 0)
		return llabs(time(NULL) - st.st_mtime) >= DAY_S;
	fd = snap_file(s, STAMP, O_RDWR);
	if (fd >= 0)
		close(fd);
	return false;
}

static void
note_done(const struct snap *s)
{
	int fd = snap_file(s, STAMP, O_RDWR);

	if (fd < 0)
		return;
	futimens(fd, NULL);
	close(fd);
}

/* Nobody but we?  A lock of one's own is given back first: two that changed
 * theirs into one for all would wait for each other. */
static bool
take_alone(struct snap *s)
{
	if (s->use < 0)
		return false;
	close(s->use);
	s->use = snap_file(s, SNAP_USE, O_RDWR);
	return s->use >= 0 && flock(s->use, LOCK_EX | LOCK_NB) == 0;
}

/* Lines of "MODE WORD OID ..." or "MODE OID ...": the names are kept. */
static void
keep_named(const struct snap *s, struct store *st, const struct buf *out)
{
	size_t digits = s->sha256 ? 64 : 40;
	char oid[SNAP_OID];

	for (size_t at = 0; at < out->len; at += strlen(out->p + at) + 1) {
		const char *p = out->p + at;
		size_t n;

		while (*p != '\0' && (n = strcspn(p, " \t")) != digits)
			p += n + (p[n] != '\0');
		if (*p == '\0')
			continue;
		memcpy(oid, p, digits);
		oid[digits] = '\0';
		store_keep(st, oid);
	}
}

/* What the index names, and its trees, stay: the next snapshot is compared
 * with them. */
static int
index_names(struct snap *s, struct buf *out)
{
	static const char *const files[] = { "ls-files", "-z", "-s", NULL };
	static const char *const write[] = { "write-tree", NULL };
	char tree[SNAP_OID] = "";
	const char *trees[] = { "ls-tree", "-z", "-r", "-t", "-d", tree, NULL };
	struct buf top = BUF_INIT(GIT_OUT_MAX);
	int r = snap_git(s, files, SLICE(""), out);

	if (r == 0)
		r = snap_git(s, write, SLICE(""), &top);
	if (r == 0 && !snap_oid(&top, tree))
		r = -1;
	if (r == 0)
		r = snap_git(s, trees, SLICE(""), out);
	if (r == 0)
		buf_add(out, tree, strlen(tree) + 1);
	buf_release(&top);
	return r;
}

static void
cutoff(long long days, char at[32])
{
	time_t t = time(NULL) - (time_t)(days * DAY_S);
	struct tm tm;

	at[0] = '\0';
	if (days > 0 && gmtime_r(&t, &tm) != NULL)
		strftime(at, 32, "%Y-%m-%dT%H:%M:%SZ", &tm);
}

static long long
cost(const struct store *st, const struct undo_entry *c)
{
	long long n = 0;

	for (size_t i = 0; i < c->n; i++)
		n += store_size(st, c->v[i].oid);
	return n;
}

static void
keep_entry(struct store *st, const struct undo_entry *c)
{
	for (size_t i = 0; i < c->n && !c->undone; i++)
		store_keep(st, c->v[i].oid);
}

/* The first entry that stays; what it needs, and those behind it, is kept. */
static size_t
keep_journal(struct store *st, const struct journal *j,
    const struct prune_limits *limits)
{
	long long total = 0;
	size_t i = j->n, changes = 0;
	char at[32];

	cutoff(limits->days, at);
	for (; i > 0; i--) {
		const struct undo_entry *c = &j->v[i - 1];

		if (changes >= PRUNE_NEWEST && strcmp(c->at, at) < 0)
			break;
		if (c->is_checkpoint || c->undone)
			continue;
		total += cost(st, c);
		if (limits->bytes > 0 && total > limits->bytes && changes > 0)
			break;
		keep_entry(st, c);
		changes++;
	}
	/* a checkpoint means all that comes behind it */
	while (i > 0 && i < j->n && !j->v[i].is_checkpoint &&
	    j->v[i - 1].is_checkpoint)
		i--;
	return i;
}

static bool
prune(struct snap *s, const struct prune_limits *limits, struct journal *j,
    struct store *st)
{
	struct buf names = BUF_INIT(GIT_OUT_MAX);
	struct err e;
	size_t first;
	bool good;

	/* the trees may have to be made, so they come before the store */
	good = journal_read(s, j, &e) == 0 && index_names(s, &names) == 0 &&
	    store_read(s, st) == 0;
	if (good)
		keep_named(s, st, &names);
	buf_release(&names);
	if (!good)
		return false;
	first = keep_journal(st, j, limits);
	if (first > 0 && first < j->n && journal_forget(s, &j->v[first]) < 0)
		for (size_t i = 0; i < first; i++)	/* a full disk */
			keep_entry(st, &j->v[i]);
	return store_sweep(s, st, SWEEP_MS);
}

/* What somebody who was killed has left. */
static void
sweep_own(const struct snap *s)
{
	int fd = openat(s->dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *e;

	unlinkat(s->dirfd, "index.lock", 0);
	while (d != NULL && (e = readdir(d)) != NULL)
		if (strncmp(e->d_name, "hamr-undo.", 10) == 0)
			unlinkat(s->dirfd, e->d_name, 0);
	if (d != NULL)
		closedir(d);
}

void
snap_prune(struct snap *s, const struct prune_limits *limits)
{
	struct journal j = { 0 };
	struct store st = { 0 };

	if (!is_due(s) || !take_alone(s))
		return;
	sweep_own(s);
	if (prune(s, limits, &j, &st))
		note_done(s);
	store_release(&st);
	journal_release(&j);
}
