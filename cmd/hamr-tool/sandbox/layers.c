/* layers.c - bubblewrap's arguments: chapter 5.3, layer by layer. */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"

#include "internal.h"

#define MASKS_MAX 256		/* in the root */
#define GUARDED_MAX 500		/* bubblewrap takes 0.25 s for these */

/* Append words, up to the first NULL. */
#define PUT(out, ...) put(out, (const char *const[]){ __VA_ARGS__, NULL })

static void
put(struct buf *out, const char *const *words)
{
	for (; *words != NULL; words++)
		buf_add(out, *words, strlen(*words) + 1);
}

/* Is path in a folder, other than the root, that commands may write? */
static bool
is_given(const struct box *b, const char *path)
{
	for (size_t i = 0; i < b->spec.nwrite; i++)
		if (is_beneath(path, b->spec.write[i]))
			return true;
	return false;
}

/* Mount from (or, without it, what how makes) at to.  Commands may change the
 * source until then if they can write there: note what the supervisor must
 * find mounted. */
static void
place(struct box *b, struct buf *out, const char *how, const char *from,
    const char *to)
{
	struct texts *t = &b->mounts;
	struct stat st = { .st_ino = 0 };
	size_t n = t->n;

	PUT(out, how, from != NULL ? from : to, from != NULL ? to : NULL);
	/* mounts that it covers are no longer visible */
	t->n = 0;
	for (size_t i = 0; i < n; i++)
		if (is_beneath(strchr(t->v[i], '/'), to))
			free(t->v[i]);
		else
			t->v[t->n++] = t->v[i];
	if (!is_beneath(to, b->bs->root.real) && !is_given(b, to))
		return;
	/* a new tmpfs has no inode number yet; the root, which may be an
	 * overlay, cannot be replaced */
	if (from != NULL && strcmp(to, b->bs->root.real) != 0 &&
	    lstat(from, &st) < 0)
		st.st_ino = 0;
	texts_add(t, xasprintf("%ju %ju %s", (uintmax_t)st.st_dev,
	    (uintmax_t)st.st_ino, to));
}

/* place() for a target that may be in /tmp. */
static void
bind_at(struct box *b, struct buf *out, const char *how, const char *from,
    const char *to)
{
	if (strncmp(to, "/tmp/", 5) == 0 && !folders_make_path(b->bs, to))
		out->over = true;
	place(b, out, how, from, to);
}

static bool
is_dir(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static void
put_base(struct box *b, struct buf *out)
{
	static const char *const flags[] = { "--unshare-all",
		"--unshare-user", "--cap-drop", "ALL", "--disable-userns",
		"--new-session", "--die-with-parent", "--as-pid-1",
		"--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc",
		"--perms", "1777", "--tmpfs", "/dev/shm", NULL };
	/* root can write these even without capabilities */
	static const char *const kernel[] = { "/proc/sys",
		"/proc/sysrq-trigger", "/proc/irq", "/proc/bus", "/proc/fs",
		"/proc/acpi", "/proc/scsi", "/proc/mtrr" };

	put(out, flags);
	if (b->spec.network)
		PUT(out, "--share-net");
	for (size_t i = 0; i < sizeof kernel / sizeof kernel[0]; i++)
		if (access(kernel[i], F_OK) == 0)
			PUT(out, "--ro-bind", kernel[i], kernel[i]);
	if (is_dir("/run"))
		PUT(out, "--perms", "0755", "--tmpfs", "/run");
	if (is_dir("/var/tmp"))
		PUT(out, "--perms", "1777", "--tmpfs", "/var/tmp");
	if (is_dir("/tmp"))
		PUT(out, "--bind", b->bs->tmp, "/tmp");
	/* a resolver's file is often a link into /run */
	if (b->spec.network) {
		char *real = realpath("/etc/resolv.conf", NULL);

		if (real != NULL && is_beneath(real, "/run"))
			PUT(out, "--ro-bind", real, real);
		free(real);
	}
	if (b->bs->cache != NULL)
		bind_at(b, out, "--bind", b->bs->cache, b->bs->cache);
}

/* Is path in a folder that the box replaces?  Then that folder, else NULL. */
static const char *
covered_by(const char *path)
{
	static const char *const own[] = { "/tmp", "/run", "/var/tmp" };

	for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
		if (is_beneath(path, own[i]))
			return own[i];
	return NULL;
}

/* ---- the root ---- */

static void
put_root(struct box *b, struct buf *out)
{
	const char *real = b->bs->root.real;
	size_t n;
	const char *const *scratch = conf_list(b->bs->conf, "sandbox.scratch",
	    &n);

	if (b->overlay != NULL) {
		char *merged = xasprintf("%s/m", b->overlay);

		bind_at(b, out, "--bind", merged, real);
		free(merged);
		return;
	}
	bind_at(b, out, b->spec.kind == BOX_WRITE && b->locked == NULL ?
	    "--bind" : "--ro-bind", real, real);
	for (size_t i = 0; i < n && b->scratch; i++) {
		char *path = xasprintf("%s/%s", real, scratch[i]);
		char *there = realpath(path, NULL);

		/* no links and no "..": the path is its real path */
		if (there != NULL && strcmp(there, path) == 0 && is_dir(path))
			place(b, out, "--tmpfs", NULL, path);
		FREE(there, path);
	}
}

static void
put_git(struct box *b, struct buf *out, const struct box_git *g)
{
	enum box_kind kind = b->spec.kind;
	bool write = kind == BOX_WRITE && b->locked == NULL && g->write;
	struct dirent *e;

	for (size_t i = 0; i < g->dirs.n; i++) {
		const char *dir = g->dirs.v[i];
		bool inside = is_beneath(dir, b->bs->root.real);
		bool writes = write && is_dir(dir);
		const char *how = writes ? "--bind" : "--ro-bind";

		if (!inside && (writes || covered_by(dir) != NULL ||
		    is_given(b, dir)))
			bind_at(b, out, how, dir, dir);
		else if (inside && kind == BOX_WRITE)
			place(b, out, how, dir, dir);
		else if (inside && kind == BOX_PRIVATE)
			/* read-only as well; it may be another run's stub,
			 * which can disappear at any moment */
			PUT(out, "--ro-bind-try", dir, dir);
		if (!writes)
			continue;
		/* what git runs, or follows to its files, is read-only */
		for (size_t k = 0; k < GIT_OBEYED; k++) {
			char *path = xasprintf("%s/%s", dir, git_obeyed[k]);

			if (access(path, F_OK) == 0)
				place(b, out, "--ro-bind", path, path);
			free(path);
		}
		/* also in other work trees, which find their configuration
		 * from here; the mount keeps the folder from being moved */
		char *top = xasprintf("%s/worktrees", dir);
		DIR *d = file_opendir(AT_FDCWD, top);
		if (d != NULL)
			place(b, out, "--bind", top, top);
		while ((e = file_readdir(d)) != NULL) {
			char *path = xasprintf("%s/%s", top, e->d_name);

			place(b, out, "--ro-bind", path, path);
			free(path);
		}
		file_closedir(d);
		free(top);
	}
}

/* .hamr: show outputs and what a person may have put there, but not the files
 * that we lock. */
static void
put_hamr(struct box *b, struct buf *out)
{
	static const char *const shown[] = { "out", "skills", "commands",
		"config.toml", ".gitignore" };
	char *hamr = xasprintf("%s/.hamr", b->bs->root.real);

	if (is_dir(hamr)) {
		PUT(out, "--perms", "0755");
		place(b, out, "--tmpfs", NULL, hamr);
		for (size_t i = 0; i < sizeof shown / sizeof shown[0]; i++) {
			char *path = xasprintf("%s/%s", hamr, shown[i]);
			struct stat st;

			if (lstat(path, &st) == 0 && (S_ISDIR(st.st_mode) ||
			    S_ISREG(st.st_mode)))
				place(b, out, "--ro-bind", path, path);
			free(path);
		}
		PUT(out, "--remount-ro", hamr);
	}
	free(hamr);
}

/* ---- what is hidden ---- */

static void
mask(struct box *b, struct buf *out, const char *path)
{
	char *none = xasprintf("%s/%s", b->bs->temp, is_dir(path) ?
	    "none.d" : "none");

	place(b, out, "--ro-bind", none, path);
	free(none);
}

/* Is path, or a folder that contains it, one of the first n hidden ones? */
static bool
is_hidden(const struct box *b, const char *path, size_t n)
{
	const struct texts *hidden = &b->bs->hidden;
	const char *root = b->bs->root.real;

	for (size_t i = 0; i < n; i++)
		if (is_beneath(path, hidden->v[i]) &&
		    !is_beneath(root, hidden->v[i]))
			return true;
	return false;
}

static void
put_names(struct box *b, struct buf *out)
{
	const struct names *n = &b->bs->names;
	const char *root = b->bs->root.real;
	struct texts rows[NAME_GUARDED + 1] = { { .n = 0 } };
	struct texts *secret = &rows[NAME_SECRET], *shut = &rows[NAME_SHUT];
	struct texts *guarded = &rows[NAME_GUARDED];

	for (size_t i = 0; i < n->n; i++) {
		const struct name *v = &n->v[i];
		char *path = xasprintf("%s/%s", root, v->rel);
		char *real = v->is_link ? realpath(path, NULL) : xstrdup(path);
		/* for a link, only a target beneath the root */
		bool covers = real != NULL && is_beneath(real, root) &&
		    strcmp(real, root) != 0 &&
		    !is_hidden(b, real, b->bs->hidden.n);
		const char *rel = covers ? real + strlen(root) : "";

		rel += strspn(rel, "/");
		covers = covers && !is_beneath(rel, ".hamr");
		/* and not inside a folder that is itself masked */
		for (size_t k = 0; k < n->n && covers; k++)
			covers = n->v[k].kind == NAME_GUARDED ||
			    n->v[k].is_link || n->v[k].shown ||
			    !is_beneath(rel, n->v[k].rel) ||
			    strcmp(rel, n->v[k].rel) == 0;
		if (covers && !v->shown &&
		    !(v->kind == NAME_GUARDED && v->is_link))
			texts_add(&rows[v->kind], xstrdup(real));
		FREE(real, path);
	}
	owner_drop_unreachable(b->bs, guarded, shut);
	owner_drop_unreachable(b->bs, secret, shut);
	for (size_t i = 0; i < guarded->n; i++)
		place(b, out, "--ro-bind", guarded->v[i], guarded->v[i]);
	for (size_t i = 0; i < secret->n; i++)
		mask(b, out, secret->v[i]);
	for (size_t i = 0; i < shut->n; i++) {
		mask(b, out, shut->v[i]);
		memmove(shut->v[i], shut->v[i] + strlen(root) + 1,
		    strlen(shut->v[i]) - strlen(root));
	}
	put_list(&b->base, shut, "hidden, as they may hold secrets but are "
	    "closed (chmod u+rwx opens them) or too deep: ");
	for (int kind = 0; kind <= NAME_GUARDED; kind++)
		texts_release(&rows[kind]);
}

const char *
layers_why_not(struct sandboxes *bs)
{
	struct names_count c = names_note_tracked(&bs->names, bs->root.real);

	if (bs->names.partial)
		return "there are too many folders in the root to find all "
		    "the secrets in them; remove some, or work in a smaller "
		    "folder";
	if (c.masked > MASKS_MAX)
		return "more than 256 secret files would have to be masked in "
		    "the root; take names out of the list with [sandbox] mask "
		    "in your own configuration (\"!NAME\")";
	if (c.guarded > GUARDED_MAX)
		return "there are more than 500 protected names (.git, .envrc, "
		    ".vscode and the like) in the root; remove some";
	return NULL;
}

bool
layers_make(struct box *b, const struct box_git *g, struct buf *out)
{
	const char *root = b->bs->root.real;
	struct texts shown = { .n = 0 };

	put_base(b, out);
	for (size_t i = 0; i < b->spec.nshow; i++) {
		char *path = realpath(b->spec.show[i], NULL);
		const char *own = path != NULL ? covered_by(path) : NULL;

		if (own == NULL || path[strlen(own)] == '\0') {
			free(path);
			continue;
		}
		/* all that is there: the parts of a program are next to it */
		path[strcspn(path + strlen(own) + 1, "/") + strlen(own) + 1] =
		    '\0';
		bind_at(b, out, "--ro-bind", path, path);
		texts_add(&shown, path);
	}
	put_root(b, out);
	if (!b->bare_root) {
		for (size_t i = 0; i < b->spec.nwrite; i++)
			bind_at(b, out, "--bind", b->spec.write[i],
			    b->spec.write[i]);
		put_git(b, out, g);
		put_hamr(b, out);
	}
	/* A folder that contains the root stays visible.  There are never too
	 * many of these for bubblewrap. */
	for (size_t i = 0; i < b->bs->hidden.n; i++) {
		const char *path = b->bs->hidden.v[i];
		bool there = covered_by(path) == NULL;

		for (size_t k = 0; k < shown.n && !there; k++)
			there = is_beneath(path, shown.v[k]);
		if ((is_beneath(path, root) ? strcmp(path, root) != 0 :
		    there && !is_beneath(root, path)) &&
		    !is_hidden(b, path, i)) {
			mask(b, out, path);
			if (is_beneath(path, root))
				names_note_masked(&b->bs->names, path +
				    strlen(root) + 1);
		}
	}
	if (!b->bare_root)
		put_names(b, out);
	PUT(out, "--chdir", "/");
	texts_release(&shown);
	return !out->over;
}
