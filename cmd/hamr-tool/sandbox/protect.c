/* protect.c - keep commands from creating what other programs obey: find git's
 * folders, put an empty stub where one is missing, and move what appeared
 * anyway to where nothing obeys it. */
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "git/gitrepo.h"

#include "internal.h"

#define STUB ".git"
#define CONFIG_MAX ((size_t)1 << 16)
#define SHARE_MS 1000
#define NAP_NS 1000000L
#define MOVED "moved-secrets"	/* pairs of inode and birth */
#define MOVED_MAX 10000
#define FOLDER "quarantine"
#define TRIES 1000000
#define SAID_MAX 5
#define SAID_PART 100		/* bytes of each end of a long name */

/* ---- where git keeps things, found without asking git ---- */

/* A repository names its git directory; believe it only if that looks like one
 * and contains neither the root nor the home. */
static bool
is_git_dir(const struct sandboxes *bs, const char *dir)
{
	if (strlen(dir) <= 1 || is_beneath(bs->root.real, dir) ||
	    (bs->home != NULL && is_beneath(bs->home, dir)))
		return false;
	int fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	bool yes = faccessat(fd, "HEAD", F_OK, 0) == 0 &&
	    (faccessat(fd, "commondir", F_OK, 0) == 0 ||
	    (faccessat(fd, "objects", F_OK, 0) == 0 &&
	    faccessat(fd, "refs", F_OK, 0) == 0));
	file_close(fd);
	return yes;
}

static void
git_find(const struct sandboxes *bs, struct box_git *g)
{
	char *dot = xasprintf("%s/" STUB, bs->root.real);
	char *dir = NULL;
	struct stat st;

	bool there = lstat(dot, &st) == 0;
	*g = (struct box_git){ .linked = there && S_ISLNK(st.st_mode),
		.write = conf_bool(bs->conf, "sandbox.git_write") };
	/* not a stub, which another run needs */
	if (there && git_is_missing(bs->root.fd))
		g->write = false;
	if (there && !S_ISDIR(st.st_mode))
		dir = gitrepo_dir(bs->root.real);
	if (there && !g->linked)
		texts_add(&g->dirs, dot);
	else
		free(dot);
	if (dir != NULL && is_git_dir(bs, dir)) {
		g->write = g->write && (is_beneath(dir, bs->root.real) ||
		    gitrepo_is_of(dir, bs->root.real));
		char *common = gitrepo_common(dir);
		if (common != NULL && is_git_dir(bs, common))
			texts_add(&g->dirs, common);
		else
			free(common);
		texts_add(&g->dirs, dir);
	} else {
		free(dir);
	}
}

/* ---- stubs ---- */

/* Does this folder, if there is one, hold only such names? */
static bool
holds_only(int dir, const char *name, const char *pattern)
{
	DIR *d = file_opendir(dir, name);
	bool good = d != NULL || errno == ENOENT;
	struct dirent *e;

	while (good && (e = file_readdir(d)) != NULL)
		good = fnmatch(pattern, e->d_name, 0) == 0;
	file_closedir(d);
	return good;
}

/* The stub of .git is a folder that nobody may write, and stays empty.  It is
 * sticky: after a kill, too, it is known by that. */
static bool
is_stub(int fd)
{
	struct stat st;

	return fd >= 0 && fstat(fd, &st) == 0 &&
	    (st.st_mode & (S_ISVTX | 0222)) == S_ISVTX &&
	    holds_only(fd, ".", "");
}

bool
git_is_missing(int root)
{
	int fd = root_open_folder(root, STUB);
	bool missing = fd < 0 ? errno == ENOENT : is_stub(fd);

	file_close(fd);
	return missing;
}

/* Open a folder and share its lock: every box with stubs there holds it, and
 * the last one removes them.  stub: the folder is that of .git itself, made if
 * needed.  -1: there is a .git, or none can be made. */
static int
share(int at, const char *name, bool stub)
{
	long long until = file_now_ms() + SHARE_MS;
	const struct timespec nap = { .tv_nsec = NAP_NS };

	for (;;) {
		/* what we made is ours, even if its mode was not kept */
		bool made = stub && mkdirat(at, name, S_ISVTX | 0555) == 0;

		if (stub && !made && errno != EEXIST)
			break;
		int fd = root_open_folder(at, name);
		struct stat st, is;
		bool ours = fd >= 0 ? !stub || made || is_stub(fd) :
		    stub && errno == ENOENT;

		if (ours && fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) == 0 &&
		    fstat(fd, &st) == 0 &&
		    fstatat(at, name, &is, AT_SYMLINK_NOFOLLOW) == 0 &&
		    is_same_file(&is, &st))
			return fd;
		/* its last user is about to remove it, or has */
		file_close(fd);
		if (!ours || file_now_ms() > until)
			break;
		nanosleep(&nap, NULL);
	}
	return -1;
}

const char *const git_obeyed[GIT_OBEYED] = { "hooks", "info", "modules",
	"config", "config.worktree", "commondir" };

void
git_fingerprint(const struct sandboxes *bs, struct buf *out)
{
	struct box_git g;
	struct stat st;

	git_find(bs, &g);
	for (size_t i = 0; i < g.dirs.n; i++) {
		const char *dir = g.dirs.v[i];

		if (lstat(dir, &st) == 0)
			buf_fmt(out, "%s %lu %lu\n", dir, st.st_dev,
			    st.st_ino);
		for (size_t k = 0; k < GIT_STUBS && g.write; k++) {
			char *path = xasprintf("%s/%s", dir, git_obeyed[k]);

			if (lstat(path, &st) == 0)
				buf_fmt(out, "%lu %lld\n", st.st_ino,
				    (long long)file_birth_time(AT_FDCWD, path));
			free(path);
		}
	}
	texts_release(&g.dirs);
	buf_adds(out, ".\n");
}

/* Make what is missing in git's folders, sticky and empty.  False: something
 * cannot be made, or is a link, which could be replaced. */
static bool
fill(struct box *b, const struct box_git *g)
{
	bool all = true;
	struct stat st = { .st_mode = 0 };

	for (size_t i = 0; i < g->dirs.n && all; i++) {
		const char *dir = g->dirs.v[i];

		if (lstat(dir, &st) < 0 || !S_ISDIR(st.st_mode))
			continue;
		texts_add(&b->stubs, xstrdup(dir));
		if (b->stubs.n == 1)
			b->stubs_lock = share(AT_FDCWD, dir, false);
		if (b->stubs_lock < 0)
			return false;
		for (size_t k = 0; k < GIT_STUBS; k++) {
			char *path = xasprintf("%s/%s", dir, git_obeyed[k]);
			int fd = k < GIT_FOLDERS ? mkdir(path, S_ISVTX | 0755) :
			    open(path, O_WRONLY | O_CREAT | O_EXCL |
			    O_NOFOLLOW | O_CLOEXEC, S_ISVTX | 0644);

			all &= (fd < 0 || !b->bs->switched ||
			    lchown(path, b->bs->uid, b->bs->gid) == 0) &&
			    lstat(path, &st) == 0 && !S_ISLNK(st.st_mode);
			/* where modes are not kept, any empty one is taken
			 * for ours */
			b->modeless |= fd >= 0 && (st.st_mode & S_ISVTX) == 0;
			if (fd > 0)
				close(fd);
			free(path);
		}
	}
	return all;
}

void
git_protect(struct box *b, struct box_git *g)
{
	struct sandboxes *bs = b->bs;
	struct stat st;

	git_find(bs, g);
	b->locked = NULL;
	if (b->spec.kind != BOX_WRITE)
		return;
	file_close(root_hamr(bs->root.fd));
	if (b->layer < LAYER_BWRAP)
		return;
	if (g->linked) {
		/* it can be replaced, and git would obey the new one */
		b->locked = "its .git is a link, which cannot be protected";
		return;
	}
	/* a command could make one, if only after a chmod of the root */
	bool there = fstatat(bs->root.fd, ".hamr", &st,
	    AT_SYMLINK_NOFOLLOW) == 0;
	if (!there || !S_ISDIR(st.st_mode)) {
		g->write = false;
		b->locked = there ? "its .hamr is not a folder, so it cannot "
		    "be protected; move it away" : "no .hamr can be created "
		    "in it";
		return;
	}
	if (!g->write) {
		if (conf_bool(bs->conf, "sandbox.git_write"))
			buf_adds(&b->base, git_is_missing(bs->root.fd) ?
			    "no .git can be made until another run, without "
			    "sandbox.git_write, has ended" : "git's directory "
			    "is read-only, as it does not name the root as "
			    "its work tree (git config core.worktree)");
		b->stubs_lock = share(bs->root.fd, STUB, true);
		if (b->stubs_lock >= 0) {
			/* it counts as .git now */
			texts_release(&g->dirs);
			git_find(bs, g);
		}
	} else if (!fill(b, g)) {
		g->write = false;
		buf_adds(&b->base, "git's directory is read-only, as not all "
		    "of its hooks and settings can be protected: one is a "
		    "link or cannot be made");
	}
	/* the same for .git */
	if (!g->write && g->dirs.n == 0)
		b->locked = "it has no .git, and hamr cannot create one to "
		    "protect it";
}

void
stubs_remove(struct box *b)
{
	bool last = b->stubs_lock >= 0 &&
	    flock(b->stubs_lock, LOCK_EX | LOCK_NB) == 0;

	if (last && b->stubs.n == 0)
		unlinkat(b->bs->root.fd, STUB, AT_REMOVEDIR);
	for (size_t i = 0; last && i < b->stubs.n * GIT_STUBS; i++) {
		char *path = xasprintf("%s/%s", b->stubs.v[i / GIT_STUBS],
		    git_obeyed[i % GIT_STUBS]);
		struct stat st;

		/* only if it is still empty */
		if (lstat(path, &st) == 0 && (b->modeless ||
		    (st.st_mode & S_ISVTX) != 0) && rmdir(path) < 0 &&
		    errno == ENOTDIR && st.st_size == 0)
			unlink(path);
		free(path);
	}
	file_close(b->stubs_lock);
	b->stubs_lock = -1;
	texts_release(&b->stubs);
}

void
stubs_remove_stale(struct sandboxes *bs)
{
	int fd = root_open_folder(bs->root.fd, STUB);

	if (is_stub(fd) && flock(fd, LOCK_EX | LOCK_NB) == 0)
		unlinkat(bs->root.fd, STUB, AT_REMOVEDIR);
	file_close(fd);
}

/* ---- secrets under other names ---- */

/* A command renamed this secret, or a folder above it: later processes must
 * know, too.  kept: those whose new name does not tell. */
static void
keep_moved(const struct sandboxes *bs, const struct name *v,
    struct texts *kept)
{
	uint64_t is[2] = { v->ino,
		(uint64_t)file_birth_time(bs->root.fd, v->rel) };
	char *path = xasprintf("%s/%s", bs->root.real, v->rel);
	bool tells = lists_secret(&bs->hide, v->rel);
	int hamr = root_hamr(bs->root.fd);
	int fd = hamr < 0 ? -1 : file_create(hamr, MOVED, O_WRONLY |
	    O_APPEND | O_NONBLOCK, 0600);

	if (fd >= 0)
		(void)!write(fd, is, sizeof is);
	file_close(fd);
	file_close(hamr);
	/* it may have been there all the time, in a home in the root */
	for (size_t i = 0; i < bs->hidden.n; i++)
		tells |= strcmp(bs->hidden.v[i], path) == 0;
	if (!tells)
		texts_add(kept, xstrdup(v->rel));
	free(path);
}

void
moved_load(struct sandboxes *bs)
{
	int hamr = root_open_folder(bs->root.fd, ".hamr");
	int fd = hamr >= 0 ? file_open_regular(hamr, MOVED, NULL) : -1;
	uint64_t is[2];

	for (int i = 0; fd >= 0 && i < MOVED_MAX &&
	    read(fd, is, sizeof is) == sizeof is; i++)
		*map_put(&bs->known, (struct slice){ (char *)is, sizeof *is },
		    NULL) = is[1];
	file_close(fd);
	file_close(hamr);
}

/* ---- quarantine ---- */

struct moves {
	int to;			/* .hamr/quarantine, -1 until it is needed */
	int last;		/* number tried there */
	struct texts moved, stuck;
	struct texts plain;	/* copied without what is not harmless */
};

/* Move rel to a new name in .hamr/quarantine. */
static void
move(const struct root *root, struct moves *m, const char *rel)
{
	const char *base;
	int from = path_open_parent(root, rel, &base);
	bool moved = false, opened = false;

	if (m->to < 0) {
		int hamr = root_hamr(root->fd);
		m->to = hamr >= 0 ? root_folder(hamr, FOLDER) : -1;
		file_close(hamr);
	}
	while (!moved && from >= 0 && m->to >= 0 && m->last < TRIES) {
		char *name = xasprintf("%d-%s", ++m->last, base);

		moved = renameat2(from, base, m->to, name,
		    RENAME_NOREPLACE) == 0;
		free(name);
		/* a folder's own mode counts, too, as its ".." changes */
		if (!moved && errno == EACCES && !opened)
			opened = path_chmod(root, rel, 0700) == 0;
		else if (!moved && errno != EEXIST && errno != ENOTEMPTY)
			break;
	}
	file_close(from);
	texts_add(moved ? &m->moved : &m->stuck, xstrdup(rel));
}

void
put_list(struct buf *notes, const struct texts *t, const char *what)
{
	for (size_t i = 0; i < t->n && i < SAID_MAX; i++) {
		char *name = path_name(t->v[i]);
		size_t n = strlen(name);
		struct slice tail = utf8_last(slice_of(name), SAID_PART);

		buf_fmt(notes, "%s%s", i > 0 ? ", " : notes->len > 0 ?
		    "; " : "", i == 0 ? what : "");
		if (n > 3 * SAID_PART)
			buf_fmt(notes, "%.*s...%s", (int)utf8_cut(name, n,
			    SAID_PART), name, tail.p);
		else
			buf_adds(notes, name);
		free(name);
	}
	if (t->n > SAID_MAX)
		buf_fmt(notes, ", %zu more", t->n - SAID_MAX);
}

static void
moves_end(struct moves *m, struct buf *notes)
{
	put_list(notes, &m->moved, "moved to .hamr/" FOLDER ": ");
	put_list(notes, &m->plain, "put back without settings that could run "
	    "programs: ");
	put_list(notes, &m->stuck, "created, and could not be moved away: ");
	texts_release(&m->moved);
	texts_release(&m->plain);
	texts_release(&m->stuck);
	file_close(m->to);
}

/* Move a configuration that could run programs, or that could be written under
 * another name, and put a harmless one in its place. */
static void
clear_config(const struct root *root, struct moves *m, int git,
    const char *rel)
{
	struct buf is = BUF_INIT(CONFIG_MAX), plain = BUF_INIT(CONFIG_MAX);
	const char *name = file_base(rel);
	struct err e = { .status = ST_OK };
	struct stat st;

	if (gitrepo_read(git, name, &is, &e) == 0)
		gitrepo_plain(buf_view(&is), &plain);
	if (e.status != ST_NOINPUT && (e.status != ST_OK ||
	    fstatat(git, name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
	    st.st_nlink > 1 || !slice_eq(buf_view(&is), buf_view(&plain)))) {
		move(root, m, rel);
		int fd = file_create(git, name, O_WRONLY | O_EXCL, 0644);
		if (fd >= 0 && file_write_all(fd, plain.p, plain.len) == 0)
			texts_add(&m->plain, xstrdup(rel));
		file_close(fd);
	}
	bufs_release(BUFS(&is, &plain));
}

/* A command has made the root's .git: what it left there must run nothing. */
static void
clear_git(const struct root *root, struct moves *m)
{
	static const char *const rows[][2] = { { STUB "/hooks", "*.sample" },
		{ STUB "/info", "*" }, { STUB "/modules", "" },
		{ STUB "/commondir", "" } };
	struct stat st;

	if (fstatat(root->fd, STUB, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    S_ISDIR(st.st_mode) && (st.st_mode & 0700) != 0700)
		path_chmod(root, STUB, st.st_mode | 0700);
	int git = root_open_folder(root->fd, STUB);
	/* not a repository yet: a later command could finish it */
	if (git < 0 || fstatat(git, "HEAD", &st, AT_SYMLINK_NOFOLLOW) < 0) {
		move(root, m, STUB);
	} else {
		for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
			if (!holds_only(git, file_base(rows[i][0]),
			    rows[i][1]))
				move(root, m, rows[i][0]);
		clear_config(root, m, git, STUB "/config");
		clear_config(root, m, git, STUB "/config.worktree");
	}
	file_close(git);
}

void
names_quarantine(const struct root *root, const struct lists *lists, bool git,
    names_of_call_fn *is_its, void *arg)
{
	static const struct lists none;
	static const struct texts also;
	struct names n = { .rootfd = root->fd, .hide = lists, .show = &none,
		.also = &also };
	char dot[] = STUB;
	struct name top = { .rel = dot };
	struct moves m = { .to = -1 };
	struct buf notes = BUF_INIT(1 << 20);
	struct stat st;

	top.is_dir = fstatat(root->fd, STUB, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    S_ISDIR(st.st_mode);
	if (git && !git_is_missing(root->fd) && is_its(arg, &top))
		clear_git(root, &m);
	names_look(&n);
	for (size_t i = 0; i < n.n; i++)
		if (n.v[i].kind == NAME_GUARDED && is_its(arg, &n.v[i]))
			move(root, &m, n.v[i].rel);
	moves_end(&m, &notes);
	if (notes.len > 0)
		err_say("a killed call left files that other programs obey; "
		    "%s", notes.p);
	buf_release(&notes);
	names_release(&n);
}

/* There is a .git now: end what stays up and can write all of it. */
static bool
end_staying(struct sandboxes *bs)
{
	bool new = bs->no_git && !git_is_missing(bs->root.fd);

	for (struct box *b = bs->staying; b != NULL && new; b = b->next)
		if (b->spec.kind == BOX_WRITE)
			box_end(b, NULL);
	bs->no_git = bs->no_git && !new;
	return new;
}

void
names_report(struct sandboxes *bs, unsigned before)
{
	struct texts found = { .n = 0 };
	struct buf b = BUF_INIT(1 << 20);

	if (end_staying(bs))
		texts_add(&found, xstrdup(STUB));
	for (size_t i = 0; i < bs->names.n; i++)
		if (bs->names.v[i].kind == NAME_GUARDED &&
		    bs->names.v[i].since > before)
			texts_add(&found, xstrdup(bs->names.v[i].rel));
	put_list(&b, &found, "");
	if (found.n > 0)
		err_say("made between calls, by you or by an MCP server that "
		    "may write here: %s; other programs obey %s, so look "
		    "before you enter or open the folder", b.p,
		    found.n > 1 ? "them" : "it");
	texts_release(&found);
	buf_release(&b);
}

/* How many links with a secret's name are as look number `look' found them? */
static size_t
links_same(const struct names *n, unsigned look)
{
	size_t same = 0;

	for (size_t i = 0; i < n->n; i++)
		same += n->v[i].kind == NAME_SECRET && n->v[i].is_link &&
		    n->v[i].since <= look;
	return same;
}

/* Let us into the folders of ours that a command shut since, with such names in
 * them; shut gets their modes, in octal, and names. */
static void
open_shut(struct sandboxes *bs, unsigned before, struct texts *shut)
{
	struct names *n = &bs->names;
	struct stat st;

	for (size_t i = 0; i < n->n; i++) {
		const struct name *v = &n->v[i];

		if (v->kind != NAME_SHUT || v->since <= before ||
		    fstatat(bs->root.fd, v->rel, &st, AT_SYMLINK_NOFOLLOW) <
		    0 || (st.st_mode & 0700) == 0700 ||
		    path_chmod(&bs->root, v->rel, st.st_mode | 0700) < 0)
			continue;
		texts_add(shut, xasprintf("%o %s", st.st_mode, v->rel));
		/* there may be more in it */
		names_look(n);
		i = (size_t)-1;
	}
}

void
sandboxes_quarantine_new(struct sandboxes *bs, struct buf *notes)
{
	bool write = conf_bool(bs->conf, "sandbox.git_write");
	struct names *n = &bs->names;
	struct moves m = { .to = -1 };
	struct texts kept = { .n = 0 }, shut = { .n = 0 };
	unsigned before = n->look;
	struct stat st;

	if (bs->layer < LAYER_LANDLOCK)
		return;
	size_t links = links_same(n, before);
	names_look(n);
	open_shut(bs, before, &shut);
	/* what only a link told to be a secret, and no longer does */
	bool lost = links_same(n, before) < links;
	for (size_t i = 0; i < n->n; i++) {
		const struct name *v = &n->v[i];

		/* not if only a folder above it was renamed */
		if (v->kind == NAME_GUARDED && v->since > before &&
		    !file_is_known(&n->guarded, n->rootfd, v->rel, v->ino))
			move(&bs->root, &m, v->rel);
		else if (v->kind == NAME_SECRET && (v->since > before ||
		    (lost && !lists_secret(&bs->hide, v->rel))) &&
		    file_is_known(&bs->known, bs->root.fd, v->rel, v->ino))
			keep_moved(bs, v, &kept);
	}
	/* a .git that nothing kept a command from making; in a writable one,
	 * a file that would lead git elsewhere */
	if (write && end_staying(bs))
		clear_git(&bs->root, &m);
	else if (fstatat(bs->root.fd, STUB, &st, AT_SYMLINK_NOFOLLOW) == 0) {
		if (!write && bs->no_git && bs->layer < LAYER_BWRAP)
			move(&bs->root, &m, STUB);
		else if (write && S_ISDIR(st.st_mode) && fstatat(bs->root.fd,
		    STUB "/commondir", &st, AT_SYMLINK_NOFOLLOW) == 0)
			move(&bs->root, &m, STUB "/commondir");
	}
	bool again = m.moved.n + shut.n > 0;
	moves_end(&m, notes);
	put_list(notes, &kept, "still hidden, as its name was a secret's: ");
	for (size_t i = shut.n; i-- > 0; ) {
		char *space;
		mode_t mode = (mode_t)strtol(shut.v[i], &space, 8);

		path_chmod(&bs->root, space + 1, mode);
	}
	if (again)
		names_look(n);
	texts_release(&kept);
	texts_release(&shut);
}
