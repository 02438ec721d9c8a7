/* undo.c - hamr-tool undo: what to undo, whether that is safe, and doing it. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "json/scan.h"
#include "term/term.h"

#include "files/replace.h"
#include "internal.h"
#include "journal.h"
#include "undo.h"

#define SYNC_MANY 64		/* for more files, one sync of the whole disk */

/* One file to restore.  A file to remove is renamed aside.  Any other is first
 * made under a temporary name; then the present file is linked aside and
 * replaced by a rename, so that a name never leads to half a file.  At the end,
 * what was set aside is removed, or put back. */
struct step {
	const struct undo_path *to;	/* of the oldest change that is undone:
					 * the state before it */
	bool goes;		/* the file is removed */
	mode_t left;		/* the mode that the newest one left */
	char made[REPLACE_NAME];	/* name of the new file; or "" */
	char aside[REPLACE_NAME];	/* name of the old file; or "" */
	bool done;
	bool other;		/* not as the change left it, but as `now' */
	bool gap;		/* what the oldest change found is not known */
	struct undo_path now;
};

struct undo {
	struct files *f;
	struct snap *snap;
	bool force;		/* also undo what was changed since */
	int lock;		/* of the journal; -1: see why */
	struct err why;
	struct journal j;
	bool *pick;		/* per entry of j: undo it */
	struct step *v;
	size_t n, cap;
	size_t lost;		/* files after the last step, which stay */
	struct map by_path;	/* -> index + 1 in v */
	struct undo_entry all;	/* the folders to restore, by path */
	struct buf text;	/* all old contents */
};

/* ---- one step ---- */

/* By errno; ESTALE: somebody else has changed it. */
#define IN_FOLDER "is in a folder that was replaced by something else; " \
	"nothing was changed, move that away first"
static const struct { int no; const char *words; } refusals[] = {
	{ ENOTEMPTY, "is a folder with other files in it; nothing was "
	    "changed, move them away first" },
	{ ENOTDIR, IN_FOLDER }, { ELOOP, IN_FOLDER },
	{ ESTALE, "is not as hamr left it; nothing was changed, put it right "
	    "by hand or undo what came later first; with --force it is lost" },
};

static int
fail(const char *path, struct err *e)
{
	int no = errno;
	char *name = path_name(path);

	errno = no;
	err_sys(e, no == EACCES || no == EPERM ? ST_POLICY : ST_SYSTEM,
	    "%s cannot be put back", name);
	for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
		if (refusals[i].no == no)
			err_set(e, ST_POLICY, "%s %s", name,
			    refusals[i].words);
	free(name);
	return -1;
}

/* Make the new file or link under a temporary name, and the folders that it
 * needs. */
static int
prepare(struct files *f, struct step *s, bool sync, struct err *e)
{
	const struct root *root = &f->root;
	mode_t mode = s->to->old_mode & 07777;
	struct slice text = s->to->old;
	struct stat old = { .st_ino = 0 };
	struct fault fault = { 0 };
	const char *base;
	int fd = -1, from = -1, r = -1;

	if (replace_folders(root, s->to->path, &fault) < 0)
		return err_set(e, ST_SYSTEM, "%s", fault.err.text);
	int dir = path_open_parent(root, s->to->path, &base);
	if (dir >= 0 && S_ISLNK(s->to->old_mode)) {
		char *target = xmemdup0(text.p, text.n);

		replace_name(s->made);
		r = symlinkat(target, dir, s->made);
		if (r == 0)
			r = replace_chown(root, dir, s->made);
		free(target);
	} else if (dir >= 0) {
		fd = replace_temporary(dir, s->made);
	}
	if (fd >= 0) {
		/* the file that it will replace */
		from = openat(dir, base, O_RDONLY | O_NOFOLLOW | O_NONBLOCK |
		    O_CLOEXEC);
		if (from >= 0 && (fstat(from, &old) < 0 ||
		    !S_ISREG(old.st_mode)))
			old.st_ino = 0;
		/* If nobody changed the mode since, restore the old one; else
		 * only x, the one bit that was compared: someone else set the
		 * others. */
		mode_t now = old.st_mode & 07777;
		if (old.st_ino != 0 && old.st_mode != s->left)
			mode = (mode & 0100) == 0 ? now & ~(mode_t)0111 :
			    (now & 0111) != 0 ? now : now | (now & 0444) >> 2;
		if (file_write_all(fd, text.p, text.n) == 0 &&
		    (old.st_ino == 0 ? replace_chown(root, dir, s->made) == 0 :
		    replace_copy_metadata(from, fd, &old) == NULL))
			r = fchmod(fd, mode);
		if (r == 0 && sync)
			r = fsync(fd);
	}
	if (r < 0)
		fail(s->to->path, e);
	file_close(from);
	file_close(fd);
	file_close(dir);
	return r;
}

/* Do a step that is prepared.  sync: sync its folder, too. */
static int
do_step(struct files *f, struct step *s, bool sync, struct err *e)
{
	const char *base;
	int dir = path_open_parent(&f->root, s->to->path, &base), r = -1;
	struct stat st;

	if (dir < 0)
		/* what we were to remove may be beneath what is now a file */
		return s->goes && (errno == ENOENT || errno == ENOTDIR ||
		    errno == ELOOP) ? 0 : fail(s->to->path, e);
	/* Set aside what is there, if anything: a file by a link if another
	 * takes its name at once, else by a rename.  A folder with someone's
	 * files in it stays. */
	if (fstatat(dir, base, &st, AT_SYMLINK_NOFOLLOW) < 0) {
		r = errno == ENOENT ? 0 : -1;
	} else if (S_ISDIR(st.st_mode) &&
	    !undo_only_folders(dir, base, false)) {
		errno = ENOTEMPTY;
	} else {
		replace_name(s->aside);
		r = s->goes || S_ISDIR(st.st_mode) ?
		    renameat(dir, base, dir, s->aside) :
		    linkat(dir, base, dir, s->aside, 0);
	}
	if (r == 0 && !s->goes)
		r = renameat(dir, s->made, dir, base);
	s->done = r == 0;
	if (r < 0)
		fail(s->to->path, e);
	else if (sync)
		fsync(dir);
	close(dir);
	return r;
}

/* ---- all steps ---- */

/* Remove what was set aside. */
static void
clear_away(struct files *f, struct step *s)
{
	const char *base;
	int dir = path_open_parent(&f->root, s->to->path, &base);

	if (dir >= 0 && s->aside[0] != '\0' &&
	    unlinkat(dir, s->aside, 0) < 0 && errno == EISDIR)
		undo_only_folders(dir, s->aside, true);
	file_close(dir);
}

/* Gather the folders of all that is undone: the oldest state of each, and the
 * newest. */
static void
plan_folders(struct undo *u)
{
	struct map seen = { 0 };
	bool fresh;

	for (size_t i = u->j.n; i-- > 0; )
		for (size_t k = 0; u->pick[i] && k < u->j.v[i].nfolders; k++) {
			const struct undo_path *t = &u->j.v[i].folders[k];
			uint64_t *at = map_put(&seen, slice_of(t->path),
			    &fresh);

			if (files_hidden(u->f, t->path) ||
			    (t->old_mode != 0 && !S_ISDIR(t->old_mode)))
				continue;
			if (fresh) {
				undo_entry_add_folder(&u->all, t->path)->
				    new_mode = t->new_mode;
				*at = u->all.nfolders;
			}
			u->all.folders[*at - 1].old_mode = t->old_mode;
		}
	map_release(&seen);
	undo_entry_sort(&u->all);
}

enum folder_step {
	FOLDER_OPEN,		/* let us in, if the mode is as we left it */
	FOLDER_MAKE,		/* make it, if there is none */
	FOLDER_END,		/* set its old mode, or remove it if empty */
	FOLDER_BACK		/* as it was: the undo failed */
};

enum folder_state {
	FOLDER_OTHERS,		/* somebody else has changed it: it stays */
	FOLDER_OURS, FOLDER_MADE, FOLDER_REMOVED
};

/* One step for all folders; those beneath one come after it, or before it. */
static void
do_folders(struct undo *u, enum folder_step step)
{
	const struct root *root = &u->f->root;
	size_t n = u->all.nfolders;
	struct fault fault = { 0 };
	const char *base;
	struct stat st;

	for (size_t i = 0; i < n; i++) {
		bool ends = step >= FOLDER_END;
		struct undo_path *t = &u->all.folders[ends ? n - 1 - i : i];
		bool made = t->old_mode == 0;

		if (step == FOLDER_MAKE && t->state == FOLDER_OTHERS && !made)
			replace_folders(root, t->path, &fault);
		int up = path_open_parent(root, t->path, &base);
		bool is = up >= 0 && fstatat(up, base, &st,
		    AT_SYMLINK_NOFOLLOW) == 0;
		/* as the change, or an undo that was killed, left it? */
		if (step == FOLDER_OPEN && is) {
			if (made || t->new_mode == S_IFDIR ?
			    S_ISDIR(st.st_mode) : st.st_mode == t->new_mode ||
			    st.st_mode == (t->old_mode | 0700))
				t->state = FOLDER_OURS;
			t->new_mode = st.st_mode;	/* for the way back */
		}
		if (step == FOLDER_MAKE && up >= 0 && !is && !made &&
		    mkdirat(up, base, 0700) == 0)
			t->state = replace_chown(root, up, base) == 0 ?
			    FOLDER_MADE : FOLDER_OTHERS;
		if (step == (made ? FOLDER_END : FOLDER_BACK) &&
		    t->state == (made ? FOLDER_OURS : FOLDER_MADE) && (!is ||
		    !S_ISDIR(st.st_mode) ||
		    unlinkat(up, base, AT_REMOVEDIR) == 0))
			t->state = FOLDER_REMOVED;
		else if ((t->state == FOLDER_OURS || t->state ==
		    FOLDER_MADE) && (!is || S_ISDIR(st.st_mode)))
			/* not what a file that is put back took */
			(void)!fchmodat(up, base, ((made || step ==
			    FOLDER_BACK ? t->new_mode : t->old_mode) &
			    07777) | (ends ? 0 : 0700), AT_SYMLINK_NOFOLLOW);
		file_close(up);
	}
}

/* Is the file of step i in another folder than that of the step before it? */
static bool
is_first(const struct undo *u, size_t i)
{
	if (i == 0 || i == u->n)
		return true;
	const char *path = u->v[i].to->path, *before = u->v[i - 1].to->path;
	size_t n = (size_t)(file_base(path) - path);
	return strncmp(path, before, n) != 0 || strchr(before + n, '/') != NULL;
}

/* Do all steps; if one fails, roll back the others. */
static int
do_all(struct undo *u, struct err *e)
{
	const struct root *root = &u->f->root;
	int disk = u->n <= SYNC_MANY ? -1 : path_open(root, "",
	    O_RDONLY | O_DIRECTORY);
	bool many = disk >= 0;
	const char *base;
	size_t i = 0;
	int r = 0;

	/* remove what a killed process set aside, before we set anything
	 * aside; once per folder */
	for (; i < u->n; i++) {
		int dir = is_first(u, i) ? path_open_parent(root,
		    u->v[i].to->path, &base) : -1;
		if (dir >= 0) {
			replace_sweep(dir, true);
			close(dir);
		}
	}
	/* removals make room for what is put back */
	for (i = 0; i < u->n && r == 0 && u->v[i].goes; i++)
		r = do_step(u->f, &u->v[i], !many && is_first(u, i + 1), e);
	if (r == 0)
		do_folders(u, FOLDER_MAKE);
	for (size_t k = i; k < u->n && r == 0; k++)
		r = prepare(u->f, &u->v[k], !many, e);
	if (r == 0 && many && syncfs(disk) < 0)
		r = err_sys(e, ST_SYSTEM, "%s", root->real);
	for (; i < u->n && r == 0; i++)
		r = do_step(u->f, &u->v[i], !many && is_first(u, i + 1), e);
	if (r == 0 && many)
		syncfs(disk);
	for (i = 0; i < u->n && r == 0; i++)
		clear_away(u->f, &u->v[i]);
	/* roll back what was done of each step */
	for (i = u->n; i > 0 && r < 0; i--) {
		const struct step *s = &u->v[i - 1];
		int dir = path_open_parent(root, s->to->path, &base);

		if (dir < 0)
			continue;
		if (!s->done && s->made[0] != '\0')
			unlinkat(dir, s->made, 0);
		if (s->aside[0] != '\0') {
			renameat(dir, s->aside, dir, base);
			/* still there if both were links to one file */
			unlinkat(dir, s->aside, 0);
		} else if (s->done && !s->goes) {
			unlinkat(dir, base, 0);
		}
		close(dir);
	}
	file_close(disk);
	return r;
}

/* ---- what to undo ---- */

static bool
is_open(const struct undo_entry *c)
{
	return !c->is_checkpoint && !c->undone;
}

/* The same file type and, for a regular file, the same x bit of the owner? */
static bool
is_same_kind(mode_t a, mode_t b)
{
	return ((a ^ b) & S_IFMT) == 0 &&
	    (!S_ISREG(a) || ((a ^ b) & 0100) == 0);
}

/* Is the path still as the change left it: the same content ("": no file), the
 * same kind?  What it left unreadable, no snapshot looks at: a later call may
 * have removed it. */
static bool
is_as_left(const struct undo_path *left, const struct undo_path *now)
{
	if (S_ISREG(left->new_mode) && left->sha[0] == '\0' &&
	    now->new_mode == 0)
		return true;
	return strcmp(left->sha, now->sha) == 0 &&
	    is_same_kind(left->new_mode, now->new_mode);
}

/* The state before this change, as undo_path_look finds it then. */
static struct undo_path
before(const struct undo_path *t)
{
	struct undo_path is = { .path = t->path };

	memcpy(is.oid, t->oid, SNAP_OID);
	if (t->oid[0] != '\0') {
		sha256_hex(t->old.p, t->old.n, is.sha);
		is.new_mode = t->old_mode;
	}
	return is;
}

/* Did the change find what is there now? */
static bool
is_as_found(const struct undo_path *found, const struct undo_path *now)
{
	return strcmp(found->oid, now->oid) == 0 &&
	    is_same_kind(found->old_mode, now->new_mode);
}

enum fit {
	FIT_NOT,		/* somebody else has changed it since */
	FIT_LEFT,		/* as c left it, or left it for a while */
	FIT_OLDER		/* as it was before c began */
};

/* Did the two run at the same time? */
static bool
overlap(const struct undo_entry *a, const struct undo_entry *b)
{
	return a != b && !a->is_checkpoint && !b->is_checkpoint &&
	    a->since < b->number && b->since < a->number;
}

/* Is the file as c left it?  Calls of several processes may overlap, and each
 * records what the others changed meanwhile.  If one that began before c found
 * the file as it is now, and was undone after c, nothing is left to undo,
 * unless c took away what one that stays had left; nor if it is as c found it,
 * as one that overlapped may have put it back, unless one that came later did.
 * It is also as c left it if one found it so that began during c, and is
 * undone. */
static enum fit
fits(const struct undo *u, const struct undo_entry *c,
    const struct undo_path *t, const struct undo_path *now)
{
	enum fit fit = FIT_NOT;
	bool left = is_as_left(t, now), overlaps = false, later = false;
	bool older = false, stays = false;
	size_t n = 0;

	/* nearly always; to search all others for the file takes long */
	while (left && n < u->j.n && !overlap(c, &u->j.v[n]))
		n++;
	if (left && n == u->j.n)
		return FIT_LEFT;
	for (size_t i = 0; i < u->j.n; i++) {
		const struct undo_entry *other = &u->j.v[i];
		const struct undo_path *v = other->is_checkpoint ||
		    other == c ? NULL : undo_path_find(other->v, other->n,
		    t->path);

		if (v == NULL)
			continue;
		overlaps = overlaps || overlap(c, other);
		if (other->undone == 0 && (!u->pick[i] || other < c)) {
			struct undo_path was = before(t);

			later = later || other->since >= c->number;
			stays = stays || (!u->pick[i] &&
			    other->number <= c->since && is_as_left(v, &was));
			continue;
		}
		if (other->undone > 0 && u->j.v + other->undone <= c)
			continue;
		/* has the undo of a later one left it as it was? */
		if (undo_path_is_lost(v))
			fit = other > c && is_as_left(v, now) ? FIT_LEFT : fit;
		else if (!is_as_found(v, now))
			continue;
		else if (other->since < c->since)
			older = true;
		else if (overlap(c, other) && c->since < other->since)
			fit = FIT_LEFT;
	}
	if (older && !(left && (stays || !overlaps)))
		return FIT_OLDER;
	/* it may have changed no more than the mode */
	if (overlaps && !later && is_as_found(t, now) &&
	    (!left || now->new_mode == t->old_mode))
		return FIT_OLDER;
	return left ? FIT_LEFT : fit;
}

static int
plan(struct undo *u, const struct undo_entry *c, const struct undo_path *t,
    struct err *e)
{
	const uint64_t *at = map_get(&u->by_path, slice_of(t->path));
	struct step *s = at != NULL ? &u->v[*at - 1] : NULL;
	struct undo_path now = { .path = t->path };
	bool fresh = s == NULL;

	if (files_hidden(u->f, t->path))
		return err_set(e, ST_POLICY, "%s is protected from reading "
		    "and writing; nothing was changed", t->path);
	/* what a later change found is what this one left */
	bool good = fresh ? undo_path_look(u->f, &now, now.oid) :
	    !undo_path_is_lost(s->to);
	if (!fresh)
		now = before(s->to);
	enum fit fit = u->force || (!fresh && s->gap) ? FIT_LEFT :
	    good ? fits(u, c, t, &now) : FIT_NOT;
	if (fit == FIT_OLDER)
		return 0;
	if (fresh) {
		GROW(u->v, u->n, u->cap);
		s = &u->v[u->n++];
		*s = (struct step){ .left = t->new_mode };
		*map_put(&u->by_path, slice_of(t->path), NULL) = u->n;
	}
	s->gap = undo_path_is_lost(t) && fit == FIT_LEFT;
	if (undo_path_is_lost(t)) {
		/* it stays as it is, or as a later change found it */
		s->to = fresh ? t : s->to;
		return 0;
	}
	if (fit == FIT_NOT) {
		errno = ESTALE;
		if (!good || !fresh || !c->begun)
			return fail(t->path, e);
		s->other = true;
		s->now = now;
	}
	s->to = t;
	s->goes = t->oid[0] == '\0';
	return 0;
}

/* Removals first, in reverse order of paths; then what is put back; then what
 * cannot be. */
static int
by_order(const void *a, const void *b)
{
	const struct step *x = a, *y = b;
	int order = strcmp(x->to->path, y->to->path);
	bool lost = undo_path_is_lost(x->to);

	if (lost != undo_path_is_lost(y->to))
		return lost ? 1 : -1;
	if (x->goes != y->goes)
		return x->goes ? -1 : 1;
	return x->goes ? -order : order;
}

/* Undo what was picked, the newest first. */
static int
carry_out(struct undo *u, struct err *e)
{
	char **ids = xcalloc(u->j.n + 1, sizeof *ids);
	struct undo_path **v = NULL;
	size_t nids = 0, n = 0, cap = 0;

	/* now the lock matters: without it, another process may have undone
	 * what we read */
	if (u->lock < 0)
		*e = u->why;
	for (size_t i = 0; i < u->j.n; i++)
		for (size_t k = 0; u->pick[i] && k < u->j.v[i].n; k++) {
			if (u->j.v[i].v[k].oid[0] == '\0')
				continue;
			v = xgrow(v, n, &cap, sizeof(struct undo_path *));
			v[n++] = &u->j.v[i].v[k];
		}
	int r = u->lock < 0 ? -1 : snap_fetch(u->snap, v, n, &u->text, e);
	plan_folders(u);
	do_folders(u, FOLDER_OPEN);
	for (size_t i = u->j.n; i-- > 0; )
		for (size_t k = 0; r == 0 && u->pick[i] && k < u->j.v[i].n; k++)
			r = plan(u, &u->j.v[i], &u->j.v[i].v[k], e);
	if (r == 0 && u->n > 0)
		qsort(u->v, u->n, sizeof *u->v, by_order);
	for (; r == 0 && u->n > 0 &&
	    undo_path_is_lost(u->v[u->n - 1].to); u->lost++)
		u->n--;
	/* a path that differs is right if a killed undo has put it back */
	for (size_t i = 0; r == 0 && i < u->n; i++) {
		const struct step *s = &u->v[i];
		struct undo_path back = before(s->to);

		errno = ESTALE;
		if (s->other && !is_as_left(&back, &s->now))
			r = fail(s->to->path, e);
	}
	for (size_t i = 0; i < u->j.n; i++)
		if (u->pick[i])
			ids[nids++] = u->j.v[i].id;
	/* it may fail, as on a full disk */
	if (r == 0)
		journal_undone(u->snap, false, ids, nids, NULL);
	if (r == 0)
		r = do_all(u, e);
	do_folders(u, r == 0 ? FOLDER_END : FOLDER_BACK);
	if (r == 0)
		r = journal_undone(u->snap, true, ids, nids, e);
	file_close(u->lock);
	u->lock = -1;
	free(v);
	free(ids);
	return r;
}

/* ---- the command ---- */

/* writes: lock the journal, so that nobody else undoes the same meanwhile. */
static int
undo_open(struct undo *u, struct files *f, bool writes, struct err *e)
{
	*u = (struct undo){ .f = f, .lock = -1,
		.text = BUF_INIT((size_t)1 << 30) };
	u->snap = snap_open(f, false, e);
	if (u->snap == NULL && e->status == ST_NOINPUT)
		err_set(e, ST_NO, "nothing to undo");
	if (u->snap != NULL && writes)
		u->lock = snap_lock(u->snap, &u->why);
	return u->snap == NULL || journal_read(u->snap, &u->j, e) < 0 ?
	    (int)e->status : ST_OK;
}

/* Print text if r is ST_OK, and release u and text.  The status. */
static int
undo_close(struct undo *u, struct buf *text, int r, struct err *e)
{
	if (r == ST_OK && term_write(buf_view(text), text->len > 0 &&
	    text->p[0] == '{', e) < 0)
		r = e->status;
	journal_release(&u->j);
	free(u->pick);
	free(u->v);
	map_release(&u->by_path);
	undo_entry_release(&u->all);
	bufs_release(BUFS(&u->text, text));
	file_close(u->lock);
	snap_free(u->snap);
	return r;
}

/* Pick the changes that id means (NULL: the newest one).  ST_OK, or ST_NO with
 * e. */
static int
undo_pick(struct undo *u, const char *id, struct err *e)
{
	const struct undo_entry *v = u->j.v;
	size_t i = u->j.n, end = 0;
	bool any = false;

	u->pick = xcalloc(u->j.n + 1, sizeof *u->pick);
	while (i > 0 && (id == NULL ? !is_open(&v[i - 1]) :
	    strcmp(v[i - 1].id, id) != 0))
		i--;
	if (i == 0 && id != NULL)	/* a call's */
		for (i = u->j.n; i > 0 && (!is_open(&v[i - 1]) ||
		    strcmp(v[i - 1].call, id) != 0); )
			i--;
	bool found = i > 0;
	if (found) {
		end = v[i - 1].is_checkpoint ? u->j.n : i;
		i--;
	}
	for (; i < end; i++) {
		u->pick[i] = is_open(&v[i]);
		any = any || u->pick[i];
	}
	if (any)
		return ST_OK;
	if (id == NULL)
		err_set(e, ST_NO, "nothing to undo");
	else if (!found)
		err_set(e, ST_NO, "there is no change %s; hamr-tool undo "
		    "--list names those there are", id);
	else
		err_set(e, ST_NO, "%s has nothing to undo, or it is undone "
		    "already", id);
	return ST_NO;
}

/* Is this folder to be named?  Not if something in it is, or the folder above
 * it, or if it is only opened; they come in order of their paths. */
static bool
is_named(struct map *told, const struct undo_path *t)
{
	const char *path = t->path, *end = strrchr(path, '/');
	const uint64_t *up = end == NULL ? NULL : map_get(told,
	    (struct slice){ path, (size_t)(end - path) });
	bool beneath = up != NULL && *up == UNDO_NAMED, fresh;

	if (t->old_mode == t->new_mode)
		return false;
	uint64_t *is = map_put(told, slice_of(path), &fresh);

	*is = fresh ? UNDO_NAMED : *is;
	return fresh && !beneath;
}

static void
put_line(struct buf *out, const char *what, const char *path, const char *end)
{
	buf_fmt(out, "  %s ", what);
	path_show(out, path);
	buf_fmt(out, "%s\n", end);
}

/* What was done, for a person. */
static void
put_done(const struct undo *u, struct buf *out)
{
	const char *above = NULL;	/* a folder that was left */
	struct map told = { 0 };

	for (size_t i = u->j.n; i-- > 0; )
		if (u->pick[i])
			buf_fmt(out, "undone %s, %s of %s\n", u->j.v[i].id,
			    u->j.v[i].tool, u->j.v[i].at);
	for (size_t i = 0; i < u->n; i++) {
		put_line(out, u->v[i].goes ? "removed" : "restored",
		    u->v[i].to->path, "");
		undo_note_above(&told, u->v[i].to->path);
	}
	for (size_t i = u->n; i < u->n + u->lost; i++)
		put_line(out, "left", u->v[i].to->path,
		    ", which was too large to keep");
	for (size_t i = 0; i < u->all.nfolders; i++) {
		const struct undo_path *t = &u->all.folders[i];
		bool goes = t->old_mode == 0;
		bool left = goes && t->state == FOLDER_OURS;

		/* of those in one another, the outermost */
		if (left ? above != NULL && is_beneath(t->path, above) :
		    t->state == FOLDER_OTHERS || !is_named(&told, t))
			continue;
		above = left ? t->path : above;
		put_line(out, left ? "left" : goes ? "removed" : "restored",
		    t->path, left ? "/, which is not empty" : "/");
	}
	map_release(&told);
}

int
undo_run(struct files *f, const char *id, bool force, bool json,
    struct err *e)
{
	struct buf text = BUF_INIT(BUF_RECORD_MAX);
	struct undo u;
	int r = undo_open(&u, f, true, e);

	u.force = force;
	if (r == ST_OK)
		r = undo_pick(&u, id, e);
	if (r == ST_OK && carry_out(&u, e) < 0)
		r = e->status;
	if (r == ST_OK && !json)
		put_done(&u, &text);
	if (r == ST_OK && json) {
		/* {"type":"undo"}: the new state of each file */
		size_t k = u.j.n;
		while (id == NULL && k-- > 0)
			if (u.pick[k])
				id = u.j.v[k].id;
		scan_put(&text, "{'type':'undo','of':@,'paths':[",
		    slice_of(id));
		for (size_t i = 0; i < u.n; i++)
			files_put_state(&text, u.v[i].to->path,
			    before(u.v[i].to).sha);
		scan_put(&text, "],'tool_call_ids':[");
		for (k = 0; k < u.j.n; k++)
			if (u.pick[k])
				scan_put(&text, "$@", scan_comma(&text),
				    slice_of(u.j.v[k].call));
		buf_adds(&text, "]}\n");
	}
	return undo_close(&u, &text, r, e);
}

static void
put_name(const char *rel, struct buf *list)
{
	buf_slice(list, scan_comma(list));
	path_quote(list, rel);
}

/* The paths of an entry: its files or, if it has none, its topmost folders. */
static void
put_names(const struct undo_entry *c, struct buf *list)
{
	struct map told = { 0 };

	for (size_t k = 0; k < c->n; k++)
		put_name(c->v[k].path, list);
	for (size_t k = 0; k < c->nfolders && c->n == 0; k++) {
		char *name = xasprintf("%s/", c->folders[k].path);

		if (is_named(&told, &c->folders[k]))
			put_name(name, list);
		free(name);
	}
	map_release(&told);
}

int
undo_list(struct files *f, const char *id, struct err *e)
{
	struct buf text = BUF_INIT(BUF_RECORD_MAX);
	struct undo u;
	int r = undo_open(&u, f, false, e);

	if (r == ST_OK && id != NULL)
		r = undo_pick(&u, id, e);
	for (size_t i = u.j.n; r == ST_OK && i-- > 0; ) {
		const struct undo_entry *c = &u.j.v[i];

		if (id != NULL ? !u.pick[i] : !is_open(c))
			continue;
		scan_put(&text, "{'id':@,'at':@,'tool':@,'paths':[",
		    slice_of(c->id), slice_of(c->at), slice_of(c->tool));
		put_names(c, &text);
		scan_put(&text, id != NULL ? "],'changed':[" : "]");
		/* paths that are not as their newest change left them */
		for (size_t k = 0; k < c->n && id != NULL; k++) {
			struct undo_path now = { .path = c->v[k].path };
			bool fresh;

			map_put(&u.by_path, slice_of(now.path), &fresh);
			fresh &= !undo_path_is_lost(&c->v[k]);
			/* the undo will see into a folder that is shut */
			if (fresh && (undo_path_look(f, &now, now.oid) ?
			    fits(&u, c, &c->v[k], &now) == FIT_NOT :
			    errno != EACCES))
				put_name(now.path, &text);
		}
		buf_adds(&text, id != NULL ? "]" : "");
		/* those that undo leaves as they are */
		size_t begun = text.len;
		for (size_t k = 0; k < c->n; k++) {
			if (!undo_path_is_lost(&c->v[k]))
				continue;
			if (text.len == begun)
				scan_put(&text, ",'not_covered':[");
			put_name(c->v[k].path, &text);
		}
		buf_adds(&text, text.len > begun ? "]" : "");
		if (c->checkpoint != NULL)
			scan_put(&text, ",'checkpoint':@",
			    slice_of(c->checkpoint));
		scan_put(&text, ",'tool_call_id':@}\n", slice_of(c->call));
	}
	/* without a repository the list is empty */
	return undo_close(&u, &text, r == ST_NO && id == NULL ? ST_OK : r, e);
}
