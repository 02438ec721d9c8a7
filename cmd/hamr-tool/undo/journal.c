/* journal.c - the journal of changes: written, read, pruned. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/utc.h"
#include "base/utf8.h"
#include "git/gitindex.h"
#include "json/scan.h"

#include "files/files.h"
#include "files/replace.h"
#include "internal.h"
#include "journal.h"
#include "sandbox/names.h"

#define NAME "hamr-undo"
#define COUNTER "hamr-next"	/* number of the newest line; the lock */
#define BEGUN "hamr-begun.%d"	/* the call in progress; empty: none.  Each
				 * process locks one */
#define SLOTS 1000		/* processes at the same time */
#define ALIVE_NS 2000000000LL	/* a call may run on after a sign of life */
#define ID_MAX ((long long)1 << 53)
#define JOURNAL_MAX ((size_t)16 << 20)
#define DAY_S ((int64_t)24 * 60 * 60)
#define NEWEST 20		/* changes kept whatever their age */
#define PRUNE_MS 3000		/* others may wait for us */

int
snap_lock(struct snap *s, struct err *e)
{
	int fd = snap_file(s, COUNTER, O_RDWR);

	if (fd < 0)
		return err_sys(e, ST_SYSTEM, "%s/" COUNTER, s->dir);
	if (snap_wait_lock(s, fd, LOCK_EX, e) == 0)
		return fd;
	close(fd);
	return -1;
}

struct undo_path *
undo_entry_add(struct undo_entry *c, const char *path)
{
	GROW(c->v, c->n, c->cap);
	c->v[c->n] = (struct undo_path){ .path = xstrdup(path) };
	return &c->v[c->n++];
}

struct undo_path *
undo_entry_add_folder(struct undo_entry *c, const char *path)
{
	GROW(c->folders, c->nfolders, c->capfolders);
	c->folders[c->nfolders] = (struct undo_path){ .path = xstrdup(path) };
	return &c->folders[c->nfolders++];
}

static int
by_path(const void *a, const void *b)
{
	const struct undo_path *x = a, *y = b;

	return strcmp(x->path, y->path);
}

struct undo_path *
undo_path_find(struct undo_path *v, size_t n, const char *path)
{
	const struct undo_path key = { .path = (char *)path };

	return n > 0 ? bsearch(&key, v, n, sizeof *v, by_path) : NULL;
}

void
undo_entry_sort(struct undo_entry *c)
{
	if (c->n > 0)
		qsort(c->v, c->n, sizeof *c->v, by_path);
	if (c->nfolders > 0)
		qsort(c->folders, c->nfolders, sizeof *c->folders, by_path);
}

void
undo_note_above(struct map *m, const char *path)
{
	const char *end = path + strlen(path);

	while ((end = memrchr(path, '/', (size_t)(end - path))) != NULL)
		*map_put(m, (struct slice){ path, (size_t)(end - path) },
		    NULL) = UNDO_ABOVE;
}

bool
undo_only_folders(int dir, const char *name, bool drop)
{
	DIR *d = file_opendir(dir, name);
	bool good = d != NULL;
	struct dirent *e;

	while (good && (e = file_readdir(d)) != NULL)
		if (!replace_is_temporary(e->d_name))
			good = undo_only_folders(dirfd(d), e->d_name, drop);
		else if (drop && unlinkat(dirfd(d), e->d_name, 0) < 0)
			undo_only_folders(dirfd(d), e->d_name, drop);
	file_closedir(d);
	if (good && drop)
		unlinkat(dir, name, AT_REMOVEDIR);
	return good;
}

void
undo_entry_release(struct undo_entry *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->v[i].path);
	for (size_t i = 0; i < c->nfolders; i++)
		free(c->folders[i].path);
	FREE(c->v, c->folders, c->id, c->at, c->tool, c->call, c->checkpoint);
	*c = (struct undo_entry){ 0 };
}

void
journal_release(struct journal *j)
{
	for (size_t i = 0; i < j->n; i++)
		undo_entry_release(&j->v[i]);
	free(j->v);
	*j = (struct journal){ 0 };
}

bool
undo_path_look(const struct files *f, struct undo_path *t, char *oid)
{
	struct buf text = BUF_INIT(FILE_MAX);
	struct stat st;
	int fd = path_open(&f->root, t->path, O_PATH | O_NOFOLLOW);

	if (fd < 0)
		return errno == ENOENT || errno == ENOTDIR || errno == ELOOP;
	bool good = fstat(fd, &st) < 0 || S_ISDIR(st.st_mode);
	close(fd);
	if (good)
		return true;
	/* a FIFO or the like has no content, an unreadable file no hash */
	bool file = S_ISREG(st.st_mode) || S_ISLNK(st.st_mode);
	bool large = S_ISREG(st.st_mode) && st.st_size > (off_t)FILE_MAX;
	errno = 0;
	bool read = file && !large && snap_read(&f->root, t->path, &st, &text);
	good = read || large || !file || errno == EACCES;
	if (good)
		t->new_mode = st.st_mode;
	if (read && oid != NULL) {
		unsigned char name[SHA_BYTES];

		sha_git(false, "blob", text.p, text.len, name);
		num_print_hex(name, OID_BYTES, oid);
	}
	if (read)
		sha256_hex(text.p, text.len, t->sha);
	else if (large)
		snprintf(t->sha, SHA_HEX, "%ju:%jd:%jd", (uintmax_t)st.st_ino,
		    (intmax_t)st.st_size, (intmax_t)time_ns(st.st_mtim));
	buf_release(&text);
	return good;
}

/* ---- writing ---- */

/* Drop what is before offset at (-1: before the newer half).  The caller makes
 * sure that nobody else writes.  Atomic: a crash leaves the old file or the new
 * one.  0, or -1. */
static int
journal_forget(struct snap *s, long long at)
{
	char *path = xasprintf("%s/" NAME, s->dir);
	struct buf b = BUF_INIT(4 * JOURNAL_MAX);
	int r = file_read(path, &b, NULL);

	if (r == 0 && at < 0) {
		const char *lf = memchr(b.p + b.len / 2, '\n', b.len - b.len /
		    2);
		at = lf != NULL ? lf + 1 - b.p : 0;
	}
	if (r == 0 && (size_t)at < b.len) {
		r = file_replace(path, b.p + at, b.len - (size_t)at, 0600,
		    NULL);
		/* give the new file to the root's owner, too */
		if (r == 0)
			file_close(snap_file(s, NAME, O_RDONLY));
	}
	buf_release(&b);
	free(path);
	return r;
}

/* Append o as one line.  The caller holds the lock. */
static int
append(struct snap *s, struct slice o, struct err *e)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);
	struct stat st;
	char last;

	if (fstatat(s->dirfd, NAME, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    st.st_size > (off_t)JOURNAL_MAX)
		journal_forget(s, -1);
	int fd = snap_file(s, NAME, O_RDWR | O_APPEND);
	/* end a line that a crash cut short */
	if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size > 0 &&
	    pread(fd, &last, 1, st.st_size - 1) == 1 && last != '\n')
		buf_addc(&b, '\n');
	buf_slice(&b, o);
	buf_addc(&b, '\n');
	int r = fd >= 0 && file_write_all(fd, b.p, b.len) == 0 ? 0 :
	    err_sys(e, ST_SYSTEM, "%s/" NAME, s->dir);
	file_close(fd);
	buf_release(&b);
	return r;
}

static void
put_path(const struct undo_path *t, struct buf *list)
{
	struct buf clean = BUF_INIT(BUF_RECORD_MAX);
	size_t n = strlen(t->path);

	scan_put(list, "${", scan_comma(list));
	/* a name that is not UTF-8 is also written in hex */
	if (utf8_clean(&clean, t->path, n)) {
		char *hex = xmalloc(2 * n + 1);

		num_print_hex(t->path, n, hex);
		scan_put(list, "'hex':@,", slice_of(hex));
		free(hex);
	}
	scan_put(list, "'path':@", buf_view(&clean));
	if (t->oid[0] != '\0')
		scan_put(list, ",'oid':@", slice_of(t->oid));
	if (t->old_mode != 0)
		scan_put(list, ",'old_mode':$", SCAN_INT(t->old_mode));
	if (t->sha[0] != '\0')
		scan_put(list, ",'sha256':@", slice_of(t->sha));
	if (t->new_mode != 0)
		scan_put(list, ",'new_mode':$", SCAN_INT(t->new_mode));
	buf_addc(list, '}');
	buf_release(&clean);
}

/* Print the entry as an object without its closing brace. */
static void
print_entry(const struct undo_entry *c, struct buf *o)
{
	char at[UTC_SIZE];

	utc_print_now(at);
	scan_put(o, "{'type':@,'id':@,'at':@", slice_of(c->is_checkpoint ?
	    "checkpoint" : "change"), slice_of(c->id != NULL ? c->id : ""),
	    slice_of(at));
	if (c->is_checkpoint)
		return;
	scan_put(o, ",'tool':@,'tool_call_id':@,'since':$", slice_of(c->tool),
	    slice_of(c->call), SCAN_INT(c->since));
	if (c->checkpoint != NULL)
		scan_put(o, ",'checkpoint':@", slice_of(c->checkpoint));
	scan_put(o, ",'paths':[");
	for (size_t i = 0; i < c->n; i++)
		put_path(&c->v[i], o);
	scan_put(o, "],'folders':[");
	for (size_t i = 0; i < c->nfolders; i++)
		put_path(&c->folders[i], o);
	buf_addc(o, ']');
}

/* The number of the newest line, 0 if there is none, or -1.  Numbers are never
 * used twice, unless a power failure brings back an older file. */
static long long
newest(int fd)
{
	char text[32];
	ssize_t got = pread(fd, text, sizeof text - 1, 0);

	text[got > 0 ? got : 0] = '\0';
	long long n = strtoll(text, NULL, 10);
	return got < 0 ? -1 : n > 0 && n < ID_MAX ? n : 0;
}

long long
journal_newest(const struct snap *s)
{
	int fd = file_open_regular(s->dirfd, COUNTER, NULL);
	long long n = fd >= 0 ? newest(fd) : 0;

	file_close(fd);
	return n;
}

int
journal_add(struct snap *s, struct undo_entry *c, struct err *e)
{
	struct buf o = BUF_INIT(BUF_RECORD_MAX);
	int lock = s->lock >= 0 ? s->lock : snap_lock(s, e), r = -1;

	if (lock < 0)
		return -1;
	/* the id: a prefix and the next number */
	long long n = newest(lock) + 1;
	buf_fmt(&o, "%lld\n", n);
	if (n > 0 && pwrite(lock, o.p, o.len, 0) == (ssize_t)o.len) {
		c->id = xasprintf("%s%lld", c->is_checkpoint ? "cp" : "u", n);
		if (lock == s->lock)
			s->newest = n;
		buf_reset(&o);
		print_entry(c, &o);
		buf_addc(&o, '}');
		r = append(s, buf_view(&o), e);
	} else {
		err_sys(e, ST_SYSTEM, "%s/" COUNTER, s->dir);
	}
	if (lock != s->lock)
		close(lock);
	buf_release(&o);
	return r;
}

int
journal_undone(struct snap *s, bool done, char *const *ids, size_t n,
    struct err *e)
{
	struct buf o = BUF_INIT(BUF_RECORD_MAX);

	scan_put(&o, "{'type':@,'ids':[", slice_of(done ? "undone" :
	    "undoing"));
	for (size_t i = 0; i < n; i++)
		scan_put(&o, "$@", scan_comma(&o), slice_of(ids[i]));
	buf_adds(&o, "]}");
	int r = append(s, buf_view(&o), e);
	buf_release(&o);
	return r;
}

/* ---- reading ---- */

/* Copy the digits of a hash; to is zeroed, and has room. */
static void
copy(struct slice v, char *to, size_t room)
{
	struct slice s = scan_plain(v);

	if (s.p != NULL && s.n < room)
		memcpy(to, s.p, s.n);
}

/* Read the paths in o[key], which are folders or files, into c. */
static void
read_paths(struct slice o, const char *key, bool folders, struct undo_entry *c)
{
	struct slice el;

	for (struct walk w = walk_of(scan_get(o, key));
	    walk_next(&w, NULL, &el); ) {
		char *hex = scan_strdup(scan_get(el, "hex"));
		struct buf bytes = BUF_INIT(BUF_RECORD_MAX);

		/* a name that is not UTF-8 is read from its hex digits */
		for (const char *h = hex; h != NULL && h[0] != '\0' &&
		    h[1] != '\0'; h += 2)
			buf_addc(&bytes, (char)(num_hex(h[0]) * 16 +
			    num_hex(h[1])));
		char *path = hex != NULL ? buf_detach(&bytes) :
		    scan_strdup(scan_get(el, "path"));
		free(hex);
		if (path == NULL)
			continue;
		struct undo_path *t = folders ?
		    undo_entry_add_folder(c, path) : undo_entry_add(c, path);
		copy(scan_get(el, "oid"), t->oid, SNAP_OID);
		copy(scan_get(el, "sha256"), t->sha, SHA_HEX);
		t->old_mode = (mode_t)scan_int_or(scan_get(el,
		    "old_mode"), 0);
		t->new_mode = (mode_t)scan_int_or(scan_get(el,
		    "new_mode"), 0);
		free(path);
	}
}

static void
read_change(struct journal *j, struct slice o, size_t at, bool checkpoint)
{
	struct undo_entry c = { .is_checkpoint = checkpoint, .offset = at };

	c.id = scan_strdup(scan_get(o, "id"));
	c.at = scan_strdup(scan_get(o, "at"));
	c.tool = scan_strdup(scan_get(o, "tool"));
	c.call = scan_strdup(scan_get(o, "tool_call_id"));
	c.checkpoint = scan_strdup(scan_get(o, "checkpoint"));
	c.number = c.id == NULL ? 0 : strtoll(c.id + strcspn(c.id,
	    "0123456789"), NULL, 10);
	c.since = scan_int_or(scan_get(o, "since"), c.number);
	c.boxed = scan_true(scan_get(o, "boxed"));
	c.git = scan_true(scan_get(o, "git"));
	read_paths(o, "paths", false, &c);
	read_paths(o, "folders", true, &c);
	undo_entry_sort(&c);	/* another version may have written it */
	if (c.id == NULL || c.at == NULL ||
	    (!checkpoint && (c.tool == NULL || c.call == NULL))) {
		undo_entry_release(&c);
		return;
	}
	GROW(j->v, j->n, j->cap);
	j->v[j->n++] = c;
}

int
journal_read(struct snap *s, struct journal *j, struct err *e)
{
	int fd = openat(s->dirfd, NAME, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	struct buf b = BUF_INIT(4 * JOURNAL_MAX);
	struct scan scan = { .n = 0 };
	struct slice o, el;

	*j = (struct journal){ 0 };
	if (fd < 0)
		return errno == ENOENT ? 0 : err_sys(e, ST_SYSTEM, "%s/" NAME,
		    s->dir);
	int r = file_read_fd(fd, NAME, &b, e);
	close(fd);
	struct slice rest = r == 0 ? buf_view(&b) : SLICE("");
	while (slice_line(&rest, &o)) {
		if (scan_record(&scan, o.p, o.n) < 0)
			continue;
		struct slice type = scan_get(o, "type");
		bool done = scan_str_is(type, "undone");
		if (!done && !scan_str_is(type, "undoing")) {
			read_change(j, o, (size_t)(o.p - b.p),
			    scan_str_is(type, "checkpoint"));
			continue;
		}
		for (struct walk w = walk_of(scan_get(o, "ids"));
		    walk_next(&w, NULL, &el); ) {
			size_t i = j->n;

			while (i > 0 && (j->v[i - 1].undone ||
			    !scan_str_is(el, j->v[i - 1].id)))
				i--;
			if (i > 0) {
				j->v[i - 1].undone = done ? j->n : 0;
				j->v[i - 1].begun = true;
			}
		}
	}
	scan_release(&scan);
	buf_release(&b);
	return r;
}

/* ---- the call in progress ---- */

int
journal_begin(struct snap *s, struct undo_entry *c)
{
	struct buf o = BUF_INIT(BUF_RECORD_MAX);
	char name[32];
	struct stat st;

	c->since = c->n == 0 ? s->newest : journal_newest(s);
	/* lock a file for our calls: one that is free, and empty (what a killed
	 * process left there is to be recovered) */
	for (int i = 0; s->begun < 0 && i < SLOTS; i++) {
		snprintf(name, sizeof name, BEGUN, i);
		int fd = snap_file(s, name, O_RDWR);
		bool locked = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0;
		if (locked && fstat(fd, &st) == 0 && st.st_size == 0) {
			s->begun = fd;
			s->slot = i;
			s->kept = 0;
			break;
		}
		file_close(fd);
		if (!locked && errno != EWOULDBLOCK)
			break;
	}
	if (s->begun < 0)
		return -1;
	/* the entry, as a line, and what it is to be compared with */
	print_entry(c, &o);
	scan_put(&o, ",'boxed':$,'git':$}\n", scan_truth(c->boxed),
	    scan_truth(c->git));
	/* half of that, on a full disk, is useless */
	bool whole = (c->n > 0 || snap_save(s, s->slot, &o)) &&
	    pwrite(s->begun, o.p, o.len, 0) == (ssize_t)o.len;
	buf_release(&o);
	if (whole)
		return s->begun;
	journal_end(s);
	return -1;
}

void
journal_end(struct snap *s)
{
	if (s->begun >= 0 && ftruncate(s->begun, 0) < 0) {
		/* leave it to others */
		close(s->begun);
		s->begun = -1;
	}
}

/* Read the call in progress that this file describes into j; rest, in b, is
 * what snap_save kept. */
static bool
read_begun(int fd, struct journal *j, struct buf *b, struct slice *rest)
{
	struct scan scan = { .n = 0 };
	struct slice line;

	*rest = file_read_fd(fd, "", b, NULL) == 0 ? buf_view(b) : SLICE("");
	if (slice_line(rest, &line) && scan_record(&scan, line.p, line.n) == 0)
		read_change(j, line, 0, false);
	scan_release(&scan);
	return j->n > 0;
}

/* Compare c with a call that ran meanwhile: what that one changed, c found. */
static void
meet(struct snap *s, struct undo_entry *c, const struct undo_entry *other)
{
	bool edits = strcmp(other->tool, "edit") == 0 ||
	    strcmp(other->tool, "write") == 0;
	size_t n = c->n;

	for (size_t i = 0; i < other->n; i++) {
		const struct undo_path *theirs = &other->v[i];
		struct undo_path *t = undo_path_find(c->v, n, theirs->path);

		/* if it made the file, that was not moved from elsewhere; an
		 * edit makes it under a temporary name */
		if (t != NULL && (edits || strcmp(t->sha, theirs->sha) == 0))
			t->born = 0;
		else if (t == NULL && !undo_path_is_lost(theirs))
			snap_add_unchanged(s, c, theirs->path);
	}
	if (c->n > n)
		undo_entry_sort(c);
}

void
journal_add_concurrent(struct snap *s, struct undo_entry *c)
{
	struct journal j = { 0 };
	char name[32];
	int fd = -1;

	if (journal_newest(s) > c->since)
		journal_read(s, &j, NULL);
	for (size_t i = 0; i < j.n; i++)
		if (!j.v[i].is_checkpoint && j.v[i].number > c->since)
			meet(s, c, &j.v[i]);
	journal_release(&j);
	/* edits that go on */
	for (int i = 0; i == 0 || fd >= 0; i++) {
		struct buf b = BUF_INIT(BUF_RECORD_MAX);
		struct slice rest;

		snprintf(name, sizeof name, BEGUN, i);
		fd = file_open_regular(s->dirfd, name, NULL);
		if (i != s->slot && fd >= 0 && read_begun(fd, &j, &b, &rest))
			meet(s, c, &j.v[0]);
		file_close(fd);
		journal_release(&j);
		buf_release(&b);
	}
}

/* A call whose process was killed, and when it may have run. */
struct killed {
	struct snap *s;
	int64_t begun, end;
};

/* Was the path changed or removed while the call may have run?  What is in a
 * folder that was moved keeps its times: it has the inode of an entry. */
static bool
is_of_call(const struct killed *k, const char *path)
{
	const struct gitindex *was = &k->s->before;
	int fd = path_open(&k->s->f->root, path, O_PATH | O_NOFOLLOW);
	struct stat st;
	bool is = fd < 0 || fstat(fd, &st) < 0 ||
	    (time_ns(st.st_ctim) >= k->begun &&
	    time_ns(st.st_ctim) <= k->end);

	for (size_t i = 0; !is && i < was->n; i++)
		is = was->v[i].ino == (uint32_t)st.st_ino &&
		    strcmp(was->v[i].path, path) != 0;
	file_close(fd);
	return is;
}

/* Was the folder made while the call may have run, or moved? */
static bool
is_young(const struct killed *k, const char *path)
{
	int fd = path_open(&k->s->f->root, path, O_PATH | O_NOFOLLOW);
	int64_t born = fd >= 0 ? file_birth_time(fd, "") : 0;
	bool is = born >= k->begun && born <= k->end;
	struct stat st;
	uint64_t mark;

	for (size_t at = 0; !is && fd >= 0 && fstat(fd, &st) == 0 &&
	    map_next(&k->s->old_folders, &at, &mark).p != NULL; )
		is = (uint32_t)mark == (uint32_t)st.st_ino;
	file_close(fd);
	return is;
}

/* Did it make this protected name, or move it there? */
static bool
is_left(void *arg, const struct name *name)
{
	const struct killed *k = arg;
	const struct snap *s = k->s;

	if (name->is_dir)
		return map_get(&s->old_folders, slice_of(name->rel)) ==
		    NULL && is_young(k, name->rel);
	return gitindex_find(&s->before, name->rel) == NULL &&
	    is_of_call(k, name->rel);
}

/* Reduce c to what the killed call changed.  If c lists files (an edit), keep
 * those it did write, and remove what it left half written; else compare
 * snapshots. */
static void
find_changes(struct killed *k, struct undo_entry *c, int slot,
    struct slice kept)
{
	struct snap *s = k->s;
	struct undo_path now;
	const char *base;
	size_t n = 0;
	bool one = c->n > 0;

	if (!one && snap_load(s, slot, kept) &&
	    snap_take(s, NULL, NULL) == 0) {
		snap_changes(s, c);
		if (c->boxed)
			names_quarantine(&s->f->root, &s->f->lists, c->git,
			    is_left, k);
	}
	for (size_t i = 0; i < c->n; i++) {
		struct undo_path *t = &c->v[i];
		int dir = one ? path_open_parent(&s->f->root, t->path, &base) :
		    -1;

		if (dir >= 0)
			replace_sweep(dir, false);
		file_close(dir);
		now = (struct undo_path){ .path = t->path };
		bool is = undo_path_look(s->f, &now, NULL) && (one ?
		    strcmp(now.sha, t->sha) == 0 : t->born == 0 &&
		    is_of_call(k, t->path));
		if (is && !one) {
			t->new_mode = now.new_mode;
			memcpy(t->sha, now.sha, SHA_HEX);
			/* made, and gone again: it was moved away */
			is = t->old_mode != 0 || now.new_mode != 0;
		}
		if (is)
			c->v[n++] = *t;
		else
			free(t->path);
	}
	c->n = n;
	n = 0;
	for (size_t i = 0; i < c->nfolders; i++) {
		struct undo_path *t = &c->folders[i];

		if (one && c->n == 0) {
			int up = path_open_parent(&s->f->root, t->path, &base);
			if (up >= 0)
				unlinkat(up, base, AT_REMOVEDIR);
			file_close(up);
		} else if (one || (t->old_mode == 0 ?
		    is_young(k, t->path) :
		    /* to open it is to change it */
		    map_get(&s->shut, slice_of(t->path)) != NULL ||
		    is_of_call(k, t->path))) {
			c->folders[n++] = *t;
			continue;
		}
		free(t->path);
	}
	c->nfolders = n;
}

/* Other processes' calls may have the same id, but not in the same turn. */
static bool
is_same_call(const struct undo_entry *a, const struct undo_entry *b)
{
	return !a->is_checkpoint && strcmp(a->call, b->call) == 0 &&
	    strcmp(a->checkpoint != NULL ? a->checkpoint : "",
	    b->checkpoint != NULL ? b->checkpoint : "") == 0;
}

/* Record what the call in this file changed, if its process was killed. */
static void
recover(struct snap *s, int fd, int slot)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);
	struct journal j = { 0 }, all = { 0 };
	struct slice kept = { NULL, 0 };
	struct stat st;

	if (fstat(fd, &st) == 0 && st.st_size > 0 &&
	    flock(fd, LOCK_EX | LOCK_NB) == 0) {
		if (journal_read(s, &all, NULL) == 0)
			read_begun(fd, &j, &b, &kept);
		/* if the call was recorded before the kill, we are done */
		for (size_t i = 0; i < all.n && j.n > 0; i++)
			if (all.v[i].number > j.v[0].since &&
			    is_same_call(&all.v[i], &j.v[0]))
				journal_release(&j);
		if (j.n > 0) {
			int64_t begun = time_ns(st.st_mtim);
			int64_t seen = time_ns(st.st_atim);
			struct killed k = { s, begun, ALIVE_NS + (seen > begun ?
			    seen : begun) };

			find_changes(&k, &j.v[0], slot, kept);
		}
		if (j.n > 0 && j.v[0].n + j.v[0].nfolders > 0) {
			free(j.v[0].id);
			j.v[0].id = NULL;
			journal_add(s, &j.v[0], NULL);
			GROW(s->killed.v, s->killed.n, s->killed.cap);
			s->killed.v[s->killed.n++] = j.v[--j.n];
		}
		snap_finish(s);
		/* if this fails, the next process finds it recorded */
		(void)!ftruncate(fd, 0);
	}
	journal_release(&j);
	journal_release(&all);
	buf_release(&b);
}

void
journal_recover(struct snap *s)
{
	char name[32];
	int fd;

	for (int i = 0; i < SLOTS; i++) {
		snprintf(name, sizeof name, BEGUN, i);
		fd = openat(s->dirfd, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
		if (fd < 0)
			break;
		recover(s, fd, i);
		close(fd);
	}
}

const struct undo_entry *
journal_recovered(const struct snap *s, const char *call)
{
	for (size_t i = s->killed.n; i-- > 0; )
		if (strcmp(s->killed.v[i].call, call) == 0)
			return &s->killed.v[i];
	return NULL;
}

/* ---- pruning what is old, or too much ---- */

/* Add the objects that an entry needs to kept. */
static void
keep(struct map *kept, const struct undo_entry *c)
{
	for (size_t i = 0; i < c->n && !c->undone; i++)
		if (c->v[i].oid[0] != '\0')
			map_put(kept, slice_of(c->v[i].oid), NULL);
}

/* Index of the first entry to keep.  Adds the objects that it and the later
 * ones need to kept. */
static size_t
choose(const struct snap *s, const struct journal *j, struct map *kept,
    long long days, long long bytes)
{
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
			if (map_get(kept, slice_of(c->v[k].oid)) == NULL)
				total += object_size(s, c->v[k].oid);
		if (bytes > 0 && changes > 0 && total > bytes)
			break;
		keep(kept, c);
		changes++;
	}
	/* keep a checkpoint with what comes after it */
	while (i > 0 && i < j->n && !j->v[i].is_checkpoint &&
	    j->v[i - 1].is_checkpoint)
		i--;
	return i;
}

/* Remove all objects not in kept, and what a killed process left half
 * written. */
static void
remove_objects(const struct snap *s, const struct map *kept)
{
	long long until = file_now_ms() + PRUNE_MS;
	DIR *all = file_opendir(s->dirfd, "objects");
	struct dirent *e, *f;

	while (all != NULL && (e = file_readdir(all)) != NULL) {
		DIR *d = strlen(e->d_name) == 2 ?
		    file_opendir(dirfd(all), e->d_name) : NULL;

		while (d != NULL && (f = file_readdir(d)) != NULL &&
		    file_now_ms() < until) {
			char *oid = xasprintf("%s%s", e->d_name, f->d_name);

			if (map_get(kept, slice_of(oid)) == NULL)
				unlinkat(dirfd(d), f->d_name, 0);
			free(oid);
		}
		file_closedir(d);
	}
	file_closedir(all);
}

void
snap_prune(struct snap *s, long long days, long long bytes)
{
	struct journal j;
	struct map kept = { 0 };
	struct gitindex ix = { .n = 0 };
	char oid[SNAP_OID];
	struct dirent *e;
	struct stat st;

	if (s->use < 0 || fstat(s->use, &st) < 0 ||
	    llabs(time(NULL) - st.st_mtime) < DAY_S)
		return;
	/* Does nobody else use it?  We release our shared lock first: two
	 * processes that upgrade theirs would block each other. */
	close(s->use);
	s->use = snap_file(s, SNAP_USE, O_RDWR);
	if (s->use < 0 || flock(s->use, LOCK_EX | LOCK_NB) < 0)
		return;
	/* what a killed process left */
	DIR *d = file_opendir(s->dirfd, ".");
	while ((e = file_readdir(d)) != NULL)
		if (strncmp(e->d_name, "hamr-undo.", 10) == 0)
			unlinkat(s->dirfd, e->d_name, 0);
	file_closedir(d);
	if (journal_read(s, &j, NULL) == 0 &&
	    gitindex_read(&ix, s->dir, NULL) == 0) {
		size_t first = choose(s, &j, &kept, days, bytes);
		if (first > 0 && first < j.n &&
		    journal_forget(s, (long long)j.v[first].offset) < 0)
			/* the journal kept them: the disk may be full */
			for (size_t i = 0; i < first; i++)
				keep(&kept, &j.v[i]);
		for (size_t i = 0; i < ix.n; i++) {
			num_print_hex(ix.v[i].oid, ix.oid_len, oid);
			map_put(&kept, slice_of(oid), NULL);
		}
		remove_objects(s, &kept);
	}
	journal_release(&j);
	gitindex_release(&ix);
	map_release(&kept);
	futimens(s->use, NULL);
}
