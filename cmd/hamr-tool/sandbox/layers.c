/* layers.c - the arguments of bubblewrap: chapter 5.3 layer by layer. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"

#include "internal.h"

#define MASKS_MAX 256		/* in the root */
#define GUARDED_MAX 500		/* bubblewrap takes 0.25 s for these */

/* Up to three words, to the first NULL. */
static void
put(struct buf *out, const char *s, const char *t, const char *u)
{
	const char *const words[] = { s, t, u };

	for (size_t i = 0; i < 3 && words[i] != NULL; i++)
		buf_add(out, words[i], strlen(words[i]) + 1);
}

/* from where to is, which may be in /tmp. */
static void
bind_at(const struct box *b, struct buf *out, const char *how,
    const char *from, const char *to)
{
	if (strncmp(to, "/tmp/", 5) == 0 && !folders_way(b->bs, to))
		out->over = true;
	put(out, how, from, to);
}

static bool
is_dir(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static void
put_base(const struct box *b, struct buf *out)
{
	static const char *const flags[] = { "--unshare-all",
		"--unshare-user", "--cap-drop", "ALL", "--disable-userns",
		"--new-session", "--die-with-parent", "--as-pid-1" };
	/* root may write what the kernel shows of itself, with no capability
	 * at all */
	static const char *const kernel[] = { "/proc/sys",
		"/proc/sysrq-trigger", "/proc/irq", "/proc/bus", "/proc/fs",
		"/proc/acpi", "/proc/scsi", "/proc/mtrr" };

	for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++)
		put(out, flags[i], NULL, NULL);
	if (b->want.network)
		put(out, "--share-net", NULL, NULL);
	put(out, "--ro-bind", "/", "/");
	put(out, "--dev", "/dev", NULL);
	put(out, "--proc", "/proc", NULL);
	for (size_t i = 0; i < sizeof kernel / sizeof kernel[0]; i++)
		if (access(kernel[i], F_OK) == 0)
			put(out, "--ro-bind", kernel[i], kernel[i]);
	put(out, "--perms", "1777", NULL);
	put(out, "--tmpfs", "/dev/shm", NULL);
	if (is_dir("/run")) {
		put(out, "--perms", "0755", NULL);
		put(out, "--tmpfs", "/run", NULL);
	}
	if (is_dir("/var/tmp")) {
		put(out, "--perms", "1777", NULL);
		put(out, "--tmpfs", "/var/tmp", NULL);
	}
	if (is_dir("/tmp"))
		put(out, "--bind", b->bs->tmp, "/tmp");
	/* a resolver's file is often a link into /run */
	if (b->want.network) {
		char *real = realpath("/etc/resolv.conf", NULL);

		if (real != NULL && is_beneath(real, "/run"))
			put(out, "--ro-bind", real, real);
		free(real);
	}
	if (b->bs->cache != NULL)
		bind_at(b, out, "--bind", b->bs->cache, b->bs->cache);
}

/* ---- programs in a folder that is its own ---- */

static const char *const own[] = { "/tmp", "/run", "/var/tmp" };

static bool
is_covered(const char *path)
{
	return is_beneath(path, own[0]) || is_beneath(path, own[1]) ||
	    is_beneath(path, own[2]);
}

/* The name beneath /tmp (or the others) that path is in, as a program has its
 * parts beside it; NULL when there is none. */
static char *
shown_of(const char *path)
{
	char *real = realpath(path, NULL), *found = NULL;

	for (size_t i = 0; i < 3 && real != NULL; i++) {
		size_t n = strlen(own[i]);

		if (strncmp(real, own[i], n) == 0 && real[n] == '/')
			found = xmemdup0(real, n + 1 + strcspn(real + n + 1,
			    "/"));
	}
	free(real);
	return found;
}

/* ---- the root ---- */

static void
put_root(const struct box *b, struct buf *out)
{
	const char *real = b->bs->root.real, *const *scratch;
	size_t n;

	if (b->overlay != NULL) {
		char *merged = xasprintf("%s/m", b->overlay);

		bind_at(b, out, "--bind", merged, real);
		free(merged);
		return;
	}
	bind_at(b, out, b->want.kind == BOX_WRITE && !b->locked ?
	    "--bind" : "--ro-bind", real, real);
	scratch = conf_list(b->bs->conf, "sandbox.scratch", &n);
	for (size_t i = 0; i < n && b->scratch; i++) {
		char *path = xasprintf("%s/%s", real, scratch[i]);
		char *there = realpath(path, NULL);

		/* no link out, no "..": its true name is its name */
		if (there != NULL && strcmp(there, path) == 0 && is_dir(path))
			put(out, "--tmpfs", path, NULL);
		free(there);
		free(path);
	}
}

/* Of other work trees, too, which find their configuration by what is here;
 * nor can all of it be moved away. */
static void
put_worktrees(struct buf *out, const char *dir)
{
	char *top = xasprintf("%s/worktrees", dir);
	DIR *d = file_opendir(AT_FDCWD, top);
	struct dirent *e;

	if (d != NULL)
		put(out, "--bind", top, top);
	while ((e = file_readdir(d)) != NULL) {
		char *path = xasprintf("%s/%s", top, e->d_name);

		put(out, "--ro-bind", path, path);
		free(path);
	}
	file_closedir(d);
	free(top);
}

/* What git would run, or find its way by, stays as it is. */
static void
put_git_writable(const struct box *b, struct buf *out, const char *dir)
{
	static const char *const kept[] = { "hooks", "config",
		"config.worktree", "info", "modules", "commondir" };

	if (is_beneath(dir, b->bs->root.real))
		put(out, "--bind", dir, dir);
	else
		bind_at(b, out, "--bind", dir, dir);
	for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
		char *path = xasprintf("%s/%s", dir, kept[i]);

		if (access(path, F_OK) == 0)
			put(out, "--ro-bind", path, path);
		free(path);
	}
	put_worktrees(out, dir);
}

/* Is path in a folder that may be written besides the root? */
static bool
is_given(const struct box *b, const char *path)
{
	for (size_t i = 0; i < b->want.nwrite; i++)
		if (is_beneath(path, b->want.write[i]))
			return true;
	return false;
}

static void
put_git(const struct box *b, struct buf *out, const struct box_git *g)
{
	enum box_kind kind = b->want.kind;
	bool write = kind == BOX_WRITE && !b->locked &&
	    conf_bool(b->bs->conf, "sandbox.git_write");

	for (size_t i = 0; i < g->dirs.n; i++) {
		const char *dir = g->dirs.v[i];

		if (write && is_dir(dir))
			put_git_writable(b, out, dir);
		else if (!is_beneath(dir, b->bs->root.real)) {
			if (is_covered(dir) || is_given(b, dir))
				bind_at(b, out, "--ro-bind", dir, dir);
		} else if (kind == BOX_WRITE)
			put(out, "--ro-bind", dir, dir);
		else if (kind == BOX_PRIVATE)
			/* where all is read-only it is, too; and it may be
			 * another run's stub, which goes any moment */
			put(out, "--ro-bind-try", dir, dir);
	}
}

/* .hamr: what a person may have put there, and outputs; what we lock is not to
 * be found. */
static void
put_hamr(const struct box *b, struct buf *out)
{
	static const char *const shown[] = { "out", "skills", "commands",
		"config.toml", ".gitignore" };
	char *hamr = xasprintf("%s/.hamr", b->bs->root.real);

	if (is_dir(hamr)) {
		put(out, "--perms", "0755", NULL);
		put(out, "--tmpfs", hamr, NULL);
		for (size_t i = 0; i < sizeof shown / sizeof shown[0]; i++) {
			char *path = xasprintf("%s/%s", hamr, shown[i]);
			struct stat st;

			if (lstat(path, &st) == 0 && (S_ISDIR(st.st_mode) ||
			    S_ISREG(st.st_mode)))
				put(out, "--ro-bind", path, path);
			free(path);
		}
		put(out, "--remount-ro", hamr, NULL);
	}
	free(hamr);
}

/* ---- what is hidden ---- */

static void
mask(const struct box *b, struct buf *out, const char *path)
{
	char *none = xasprintf("%s/%s", b->bs->temp, is_dir(path) ?
	    "none.d" : "none");

	put(out, "--ro-bind", none, path);
	free(none);
}

/* Outside the root, which may be in a folder that is hidden: then that
 * stays. */
static void
put_hidden(const struct box *b, struct buf *out)
{
	const char *root = b->bs->root.real;

	for (size_t i = 0; i < b->bs->hidden.n; i++) {
		const char *path = b->bs->hidden.v[i];
		bool there = !is_covered(path);

		for (size_t k = 0; k < b->want.nshow && !there; k++) {
			char *dir = shown_of(b->want.show[k]);

			there = dir != NULL && is_beneath(path, dir);
			free(dir);
		}
		if (is_beneath(path, root) ? strcmp(path, root) != 0 :
		    there && !is_beneath(root, path))
			mask(b, out, path);
	}
}

/* Is it, in the root, or what it lies in, hidden already? */
static bool
is_hidden(const struct box *b, const char *path)
{
	const struct texts *hidden = &b->bs->hidden;
	const char *root = b->bs->root.real;

	for (size_t i = 0; i < hidden->n; i++)
		if (is_beneath(path, hidden->v[i]) &&
		    !is_beneath(root, hidden->v[i]))
			return true;
	return false;
}

static void
put_names(const struct box *b, struct buf *out)
{
	const struct names *n = &b->bs->names;
	const char *root = b->bs->root.real;

	for (size_t i = 0; i < n->n; i++) {
		const struct name *v = &n->v[i];
		char *path = xasprintf("%s/%s", root, v->rel);
		char *real = v->is_link ? realpath(path, NULL) : xstrdup(path);

		/* of a link never more than a thing beneath the root */
		if (real == NULL || !is_beneath(real, root) ||
		    strcmp(real, root) == 0 || is_hidden(b, real))
			;
		else if (v->kind == NAME_GUARDED && !v->is_link)
			put(out, "--ro-bind", path, path);
		else if (v->kind == NAME_SECRET && !v->shown)
			mask(b, out, real);
		free(real);
		free(path);
	}
}

/* ---- all ---- */

const char *
layers_refuse(struct sandboxes *bs)
{
	struct names_count c;

	names_note_tracked(&bs->names, bs->root.real);
	names_count(&bs->names, &c);
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
	put_base(b, out);
	for (size_t i = 0; i < b->want.nshow; i++) {
		char *path = shown_of(b->want.show[i]);

		if (path != NULL)
			bind_at(b, out, "--ro-bind", path, path);
		free(path);
	}
	put_root(b, out);
	for (size_t i = 0; i < b->want.nwrite; i++)
		bind_at(b, out, "--bind", b->want.write[i], b->want.write[i]);
	put_git(b, out, g);
	put_hamr(b, out);
	put_hidden(b, out);	/* the home's first: these are never too many */
	put_names(b, out);
	put(out, "--chdir", "/", NULL);
	return !out->over;
}
