/* undo.c - hamr-tool undo: what is taken back, and whether it may be. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "json/scan.h"
#include "record/rec.h"

#include "files/replace.h"
#include "internal.h"
#include "journal.h"
#include "undo.h"

#define SYNC_MANY 64		/* of more files the disk is synced as one */

/* One file that is put back.  What shall go is renamed aside; what shall be
 * there otherwise is first made beside, then what is there linked aside and
 * replaced by a rename, so that a name never leads to half a file.  At the end
 * what stands aside is removed, or put back. */
struct step {
	const char *path;	/* true name; of the journal, as is oid */
	const char *oid;	/* "": it shall not be there */
	struct slice text;	/* else its content (a link: its target) */
	mode_t mode;		/* and its mode */
	mode_t left;		/* the one that the change left */
	int folders;		/* that many above go too, if they are empty */
	char made[REPLACE_NAME];	/* what shall be there has it; or "" */
	char aside[REPLACE_NAME];	/* what was there has it; or "" */
	bool done;
	bool other;		/* it is not as the change left it, but so: */
	struct undo_path now;
};

struct undo {
	struct files *f;
	struct snap *snap;
	bool force;		/* also what was changed since */
	int lock;		/* of the journal; -1: none, and why */
	struct err why;
	struct journal j;
	bool *pick;		/* of its entries: to be taken back */
	struct step *v;
	size_t n, cap;
	struct map by_path;	/* -> index + 1 in v */
	struct buf text;	/* all old contents */
};

/* ---- one step ---- */

/* Are there nothing but folders, and files that stand aside, in this folder?
 * With drop they are removed, and it too. */
static bool
only_folders(int dir, const char *name, bool drop)
{
	DIR *d = file_opendir(dir, name);
	bool good = d != NULL;
	struct dirent *e;

	while (good && (e = file_readdir(d)) != NULL)
		if (!replace_is_temporary(e->d_name))
			good = only_folders(dirfd(d), e->d_name, drop);
		else if (drop && unlinkat(dirfd(d), e->d_name, 0) < 0)
			only_folders(dirfd(d), e->d_name, drop);
	file_closedir(d);
	if (good && drop)
		unlinkat(dir, name, AT_REMOVEDIR);
	return good;
}

static int
fail(const char *path, struct err *e)
{
	char *name = path_name(path);

	if (errno == ENOTEMPTY)
		err_set(e, ST_POLICY, "%s is a folder with other files in it; "
		    "nothing was changed, move them away first", name);
	else if (errno == ENOTDIR || errno == ELOOP)
		err_set(e, ST_POLICY, "%s is in a folder that was replaced by "
		    "something else; nothing was changed, move that away "
		    "first", name);
	else
		err_sys(e, errno == EACCES || errno == EPERM ? ST_POLICY :
		    ST_SYSTEM, "%s cannot be put back", name);
	free(name);
	return -1;
}

/* A name beside that is free, in name. */
static int
free_name(int dir, char name[REPLACE_NAME])
{
	int fd = replace_temporary(dir, name);

	if (fd < 0)
		return -1;
	unlinkat(dir, name, 0);
	return close(fd);
}

/* Make the new thing beside base. */
static int
make_new(const struct root *root, struct step *s, int dir, const char *base,
    bool sync)
{
	struct stat old = { .st_ino = 0 };
	mode_t mode = s->mode & 07777;
	int r;

	if (S_ISLNK(s->mode)) {
		char *target = xmemdup0(s->text.p, s->text.n);

		r = free_name(dir, s->made);
		if (r == 0)
			r = symlinkat(target, dir, s->made);
		if (r == 0)
			r = replace_give(root, dir, s->made);
		free(target);
		return r;
	}
	int fd = replace_temporary(dir, s->made);
	if (fd < 0)
		return -1;
	int from = openat(dir, base, O_RDONLY | O_NOFOLLOW | O_NONBLOCK |
	    O_CLOEXEC);
	if (from >= 0 && (fstat(from, &old) < 0 || !S_ISREG(old.st_mode)))
		old.st_ino = 0;
	/* What nobody has changed since gets its old mode.  Else only x, the
	 * one bit that was compared, is taken back; the others are
	 * somebody's. */
	mode_t now = old.st_mode & 07777;
	if (old.st_ino != 0 && old.st_mode != s->left)
		mode = (s->mode & 0100) == 0 ? now & ~(mode_t)0111 :
		    (now & 0111) != 0 ? now : now | (now & 0444) >> 2;
	r = file_write_all(fd, s->text.p, s->text.n);
	if (r == 0)
		r = old.st_ino == 0 ? replace_give(root, dir, s->made) :
		    replace_dress(from, fd, &old) != NULL ? -1 : 0;
	if (r == 0)
		r = fchmod(fd, mode);
	if (r == 0 && sync)
		r = fsync(fd);
	file_close(from);
	close(fd);
	return r;
}

/* Make what shall be there, and the folders that it needs. */
static int
prepare(struct files *f, struct step *s, bool sync, struct err *e)
{
	struct fault fault = { 0 };
	const char *base;
	size_t made;

	if (replace_folders(&f->root, s->path, &made, &fault) < 0)
		return err_set(e, ST_SYSTEM, "%s", fault.err.text);
	int dir = path_open_parent(&f->root, s->path, &base);
	int r = dir < 0 ? -1 : make_new(&f->root, s, dir, base, sync);
	if (r < 0)
		fail(s->path, e);
	file_close(dir);
	return r;
}

/* Do one that is prepared; sync its folder, too. */
static int
do_step(struct files *f, struct step *s, bool sync, struct err *e)
{
	bool goes = s->oid[0] == '\0';
	char name[REPLACE_NAME];
	const char *base;
	int dir = path_open_parent(&f->root, s->path, &base), r = -1;
	struct stat st;

	if (dir < 0)
		/* what shall go may lie beneath what is a file by now */
		return goes && (errno == ENOENT || errno == ENOTDIR ||
		    errno == ELOOP) ? 0 : fail(s->path, e);
	/* What is there, if anything, goes aside: by a link where something
	 * takes its name at once.  A folder does not that has somebody's files
	 * in it. */
	if (fstatat(dir, base, &st, AT_SYMLINK_NOFOLLOW) < 0) {
		r = errno == ENOENT ? 0 : -1;
	} else if (S_ISDIR(st.st_mode) && !only_folders(dir, base, false)) {
		errno = ENOTEMPTY;
	} else if (free_name(dir, name) == 0) {
		memcpy(s->aside, name, sizeof name);
		r = goes || S_ISDIR(st.st_mode) ?
		    renameat(dir, base, dir, name) :
		    linkat(dir, base, dir, name, 0);
	}
	if (r == 0 && !goes)
		r = renameat(dir, s->made, dir, base);
	s->done = r == 0;
	if (r < 0)
		fail(s->path, e);
	else if (sync)
		fsync(dir);
	close(dir);
	return r;
}

/* ---- all of them ---- */

/* What stood aside goes, and the folders of what is not there any more. */
static void
clear_away(struct files *f, struct step *s)
{
	const char *base;
	int dir = path_open_parent(&f->root, s->path, &base);
	char *above = xstrdup(s->path);

	if (dir >= 0 && s->aside[0] != '\0' &&
	    unlinkat(dir, s->aside, 0) < 0 && errno == EISDIR)
		only_folders(dir, s->aside, true);
	file_close(dir);
	for (int i = 0; i < s->folders && s->oid[0] == '\0'; i++) {
		char *slash = strrchr(above, '/');
		if (slash == NULL)
			break;
		*slash = '\0';
		dir = path_open_parent(&f->root, above, &base);
		if (dir < 0)
			break;
		/* what is in it was made later; other folders are no loss */
		if (unlinkat(dir, base, AT_REMOVEDIR) < 0 &&
		    only_folders(dir, base, false))
			only_folders(dir, base, true);
		close(dir);
	}
	free(above);
}

/* What goes comes first, the deepest first, then what comes. */
static int
by_order(const void *a, const void *b)
{
	const struct step *x = a, *y = b;
	bool goes = x->oid[0] == '\0', too = y->oid[0] == '\0';

	if (goes != too)
		return goes ? -1 : 1;
	return goes ? strcmp(y->path, x->path) : strcmp(x->path, y->path);
}

/* Does step i begin another folder than that of the one before it? */
static bool
is_first(const struct undo *u, size_t i)
{
	if (i == 0 || i == u->n)
		return true;
	const char *path = u->v[i].path, *before = u->v[i - 1].path;
	size_t n = (size_t)(file_base(path) - path);
	return strncmp(path, before, n) != 0 || strchr(before + n, '/') != NULL;
}

/* Do all steps; when one fails the others are undone again. */
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

	if (u->n > 0)
		qsort(u->v, u->n, sizeof *u->v, by_order);
	/* what a killed process left aside, before there is any of ours; once
	 * a folder */
	for (; i < u->n; i++) {
		int dir = is_first(u, i) ? path_open_parent(root, u->v[i].path,
		    &base) : -1;
		if (dir >= 0) {
			replace_sweep(dir);
			close(dir);
		}
	}
	/* what goes makes room for what comes */
	for (i = 0; i < u->n && r == 0 && u->v[i].oid[0] == '\0'; i++)
		r = do_step(u->f, &u->v[i], !many && is_first(u, i + 1), e);
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
	/* whatever was done of each */
	for (i = u->n; i > 0 && r < 0; i--) {
		const struct step *s = &u->v[i - 1];
		int dir = path_open_parent(root, s->path, &base);

		if (dir < 0)
			continue;
		if (!s->done && s->made[0] != '\0')
			unlinkat(dir, s->made, 0);
		if (s->aside[0] != '\0') {
			renameat(dir, s->aside, dir, base);
			/* a link to what is there */
			unlinkat(dir, s->aside, 0);
		} else if (s->done && s->oid[0] != '\0') {
			unlinkat(dir, base, 0);
		}
		close(dir);
	}
	file_close(disk);
	return r;
}

/* ---- what is taken back ---- */

static bool
is_open(const struct undo_entry *c)
{
	return !c->is_checkpoint && !c->undone;
}

/* Is it still as the change left it: this content ("": no file), the same kind
 * of thing and for files the same x bits? */
static bool
is_as_left(const struct undo_path *left, const struct undo_path *now)
{
	mode_t other = now->new_mode ^ left->new_mode;

	return strcmp(left->sha, now->sha) == 0 && (other & S_IFMT) == 0 &&
	    (!S_ISREG(now->new_mode) || (other & 0100) == 0);
}

static int
is_other(const char *path, struct err *e)
{
	char *name = path_name(path);

	err_set(e, ST_POLICY, "%s is not as hamr left it; nothing was "
	    "changed, put it right by hand or undo what came later first",
	    name);
	free(name);
	return -1;
}

/* What is there once this content (oid "": nothing) has been put back. */
static struct undo_path
state_of(const char *oid, struct slice text, mode_t mode)
{
	struct undo_path is = { .path = NULL };

	if (oid[0] != '\0') {
		sha256_hex(text.p, text.n, is.sha);
		is.new_mode = mode;
	}
	return is;
}

static int
plan(struct undo *u, const struct undo_entry *c, const struct undo_path *t,
    struct err *e)
{
	bool fresh, good;
	uint64_t *at = map_put(&u->by_path, slice_of(t->path), &fresh);
	struct undo_path now = { .path = t->path }, back;
	struct step *s;

	if (files_hidden(u->f, t->path))
		return err_set(e, ST_POLICY, "%s is kept from reading and "
		    "writing; nothing was changed", t->path);
	if (fresh) {
		GROW(u->v, u->n, u->cap);
		u->v[u->n++] = (struct step){ .path = t->path,
			.left = t->new_mode };
		*at = u->n;
		good = undo_path_look(u->f, &now);
	} else {
		/* what a later change found is what this one left */
		s = &u->v[*at - 1];
		now = state_of(s->oid, s->text, s->mode);
		good = true;
	}
	s = &u->v[*at - 1];
	back = state_of(t->oid, t->old, t->old_mode);
	bool left = u->force || (good && is_as_left(t, &now));
	bool done = good && is_as_left(&back, &now);
	/* Is there a change that found the same at this path and left the
	 * same, and is taken back, or will be before c?  Calls of several
	 * processes at once find each other's files. */
	for (size_t i = u->j.n; !left && done && i-- > 0; ) {
		const struct undo_entry *other = &u->j.v[i];

		for (size_t k = 0; k < other->n && (other->undone ||
		    (u->pick[i] && other > c)); k++)
			left |= strcmp(other->v[k].path, t->path) == 0 &&
			    strcmp(other->v[k].oid, t->oid) == 0 &&
			    strcmp(other->v[k].sha, t->sha) == 0;
	}
	if (!left) {
		if (!good || !fresh || !c->begun)
			return is_other(t->path, e);
		s->other = true;
		s->now = now;
	}
	s->oid = t->oid;
	s->mode = t->old_mode;
	s->text = t->old;
	if (t->folders > s->folders)
		s->folders = t->folders;
	return 0;
}

/* Do what was picked, the newest first. */
static int
carry_out(struct undo *u, struct err *e)
{
	char **ids = xcalloc(u->j.n + 1, sizeof *ids);
	struct undo_path **v = NULL;
	size_t nids = 0, n = 0, cap = 0;

	/* now it matters: what was read may have been taken back since */
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
	for (size_t i = 0; i < n && r == 0; i++)
		if (v[i]->old.p == NULL)
			r = err_set(e, ST_SYSTEM, "the old content %.12s is "
			    "no longer in %s; nothing was changed", v[i]->oid,
			    u->snap->dir);
	for (size_t i = u->j.n; i-- > 0; )
		for (size_t k = 0; r == 0 && u->pick[i] && k < u->j.v[i].n; k++)
			r = plan(u, &u->j.v[i], &u->j.v[i].v[k], e);
	/* what was put back already, by an undo that was killed, stays so */
	for (size_t i = 0; r == 0 && i < u->n; i++) {
		const struct step *s = &u->v[i];
		struct undo_path back = state_of(s->oid, s->text, s->mode);

		if (s->other && !is_as_left(&back, &s->now))
			r = is_other(s->path, e);
	}
	for (size_t i = 0; i < u->j.n; i++)
		if (u->pick[i])
			ids[nids++] = u->j.v[i].id;
	/* no harm if this fails: a full disk may be why */
	if (r == 0)
		journal_undone(u->snap, false, ids, nids, NULL);
	if (r == 0)
		r = do_all(u, e);
	if (r == 0)
		r = journal_undone(u->snap, true, ids, nids, e);
	file_close(u->lock);
	u->lock = -1;
	free(v);
	free(ids);
	return r;
}

/* ---- the command ---- */

/* writes: nobody else takes back the same meanwhile. */
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

/* Print the text, if all is well; the status. */
static int
undo_close(struct undo *u, struct buf *text, int r, struct err *e)
{
	struct rec_out out;

	rec_out_init(&out);
	if (r == ST_OK && text->len > 0)
		rec_put(&out, (struct slice){ text->p, text->len - 1 });
	if (r == ST_OK && rec_end(&out, e) < 0)
		r = e->status;
	journal_release(&u->j);
	free(u->pick);
	free(u->v);
	map_release(&u->by_path);
	bufs_release(BUFS(&u->text, text));
	file_close(u->lock);
	snap_free(u->snap);
	return r;
}

/* The changes that id means (NULL: the newest one) are picked.  0, or the
 * status, with e. */
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
	if (r == ST_OK && json) {
		/* {"type":"undo"}: what each file is now */
		size_t k = u.j.n;
		while (id == NULL && k-- > 0)
			if (u.pick[k])
				id = u.j.v[k].id;
		scan_put(&text, "{'type':'undo','of':@,'paths':[",
		    slice_of(id));
		for (size_t i = 0; i < u.n; i++)
			files_put_state(&text, u.v[i].path, state_of(
			    u.v[i].oid, u.v[i].text, u.v[i].mode).sha);
		scan_put(&text, "],'tool_call_ids':[");
		for (k = 0; k < u.j.n; k++)
			if (u.pick[k])
				scan_put(&text, "$@", scan_comma(&text),
				    slice_of(u.j.v[k].call));
		buf_adds(&text, "]}\n");
	}
	for (size_t i = u.j.n; r == ST_OK && !json && i-- > 0; )
		if (u.pick[i])
			buf_fmt(&text, "undone %s, %s of %s\n", u.j.v[i].id,
			    u.j.v[i].tool, u.j.v[i].at);
	for (size_t i = 0; r == ST_OK && !json && i < u.n; i++) {
		buf_adds(&text, u.v[i].oid[0] != '\0' ? "  restored " :
		    "  removed ");
		path_show(&text, u.v[i].path);
		buf_addc(&text, '\n');
	}
	return undo_close(&u, &text, r, e);
}

static void
put_name(const char *rel, struct buf *list)
{
	buf_slice(list, scan_comma(list));
	path_quote(list, rel);
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
		for (size_t k = 0; k < c->n; k++)
			put_name(c->v[k].path, &text);
		scan_put(&text, id != NULL ? "],'changed':[" : "]");
		/* paths that are not as the change left them, the newest
		 * changes being asked first */
		for (size_t k = 0; k < c->n && id != NULL; k++) {
			struct undo_path now = { .path = c->v[k].path };
			bool fresh;

			map_put(&u.by_path, slice_of(now.path), &fresh);
			if (fresh && (!undo_path_look(f, &now) ||
			    !is_as_left(&c->v[k], &now)))
				put_name(now.path, &text);
		}
		buf_adds(&text, id != NULL ? "]" : "");
		if (c->checkpoint != NULL)
			scan_put(&text, ",'checkpoint':@",
			    slice_of(c->checkpoint));
		scan_put(&text, ",'tool_call_id':@}\n", slice_of(c->call));
	}
	/* no repository is an empty list */
	return undo_close(&u, &text, r == ST_NO && id == NULL ? ST_OK : r, e);
}
