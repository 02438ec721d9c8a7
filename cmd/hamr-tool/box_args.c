/* box_args.c - what bubblewrap is told: the layers of chapter 5.3, in order. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mem.h"

#include "box_in.h"
#include "box_wire.h"

#define MASKS_MAX 256		/* in the root */
#define GUARDED_MAX 500		/* bubblewrap takes a quarter second for these */

struct args {
	struct box *b;
	const struct boxes *bs;
	struct buf *out;
	bool blocked;		/* something in /tmp cannot be put there */
};

static void
put(struct args *a, const char *s)
{
	buf_add(a->out, s, strlen(s) + 1);
}

static void
put2(struct args *a, const char *s, const char *t)
{
	put(a, s);
	put(a, t);
}

static void
bind_on(struct args *a, const char *how, const char *from, const char *to)
{
	put(a, how);
	put(a, from);
	put(a, to);
}

static void
bind_in_tmp(struct args *a, const char *how, const char *from, const char *to)
{
	if (strncmp(to, "/tmp/", 5) == 0 && !tmp_way(a->bs, to))
		a->blocked = true;
	bind_on(a, how, from, to);
}

static bool
is_dir(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Is path dir itself, or in it? */
static bool
is_in(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	if (strcmp(dir, "/") == 0)
		return true;
	return strncmp(path, dir, n) == 0 && (path[n] == '/' ||
	    path[n] == '\0');
}

/* Root may write what the kernel shows of itself, with no capability at all. */
static void
kernel(struct args *a)
{
	static const char *const shown[] = { "/proc/sys",
		"/proc/sysrq-trigger", "/proc/irq", "/proc/bus", "/proc/fs",
		"/proc/acpi", "/proc/scsi", "/proc/mtrr" };

	for (size_t i = 0; i < sizeof shown / sizeof shown[0]; i++)
		if (access(shown[i], F_OK) == 0)
			bind_on(a, "--ro-bind", shown[i], shown[i]);
}

static void
base(struct args *a)
{
	static const char *const flags[] = { "--unshare-all",
		"--unshare-user", "--cap-drop", "ALL", "--disable-userns",
		"--new-session", "--die-with-parent", "--as-pid-1" };
	static const char *const fresh[] = { "/run", "/var/tmp" };

	for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++)
		put(a, flags[i]);
	if (a->b->want.network)
		put(a, "--share-net");
	bind_on(a, "--ro-bind", "/", "/");
	put2(a, "--dev", "/dev");
	put2(a, "--proc", "/proc");
	kernel(a);
	put2(a, "--perms", "1777");
	put2(a, "--tmpfs", "/dev/shm");
	for (size_t i = 0; i < 2; i++)
		if (is_dir(fresh[i])) {
			put2(a, "--perms", i == 0 ? "0755" : "1777");
			put2(a, "--tmpfs", fresh[i]);
		}
	if (is_dir("/tmp"))
		bind_on(a, "--bind", a->bs->tmp, "/tmp");
	/* a resolver's file is often a link into /run */
	if (a->b->want.network) {
		char *real = realpath("/etc/resolv.conf", NULL);

		if (real != NULL && is_in(real, "/run"))
			bind_on(a, "--ro-bind", real, real);
		free(real);
	}
	if (a->bs->cache != NULL)
		bind_in_tmp(a, "--bind", a->bs->cache, a->bs->cache);
}

/* ---- programs in a folder that is its own ---- */

static bool
is_covered(const char *path)
{
	return is_in(path, "/tmp") || is_in(path, "/run") ||
	    is_in(path, "/var/tmp");
}

/* The name beneath /tmp (or kin) that path is in, as a program has its parts
 * beside it; NULL when there is none. */
static char *
shown_of(const char *path)
{
	static const char *const own[] = { "/tmp/", "/run/", "/var/tmp/" };
	char *real = realpath(path, NULL), *found = NULL;

	for (size_t i = 0; i < 3 && real != NULL; i++) {
		size_t n = strlen(own[i]);

		if (strncmp(real, own[i], n) == 0)
			found = xmemdup0(real, n + strcspn(real + n, "/"));
	}
	free(real);
	return found;
}

static void
shown(struct args *a)
{
	for (size_t i = 0; i < a->b->want.nshow; i++) {
		char *path = shown_of(a->b->want.show[i]);

		if (path != NULL)
			bind_in_tmp(a, "--ro-bind", path, path);
		free(path);
	}
}

static bool
is_shown(const struct args *a, const char *path)
{
	bool yes = false;

	for (size_t i = 0; i < a->b->want.nshow && !yes; i++) {
		char *dir = shown_of(a->b->want.show[i]);

		yes = dir != NULL && is_in(path, dir);
		free(dir);
	}
	return yes;
}

/* ---- the root ---- */

static void
scratch(struct args *a)
{
	const char *const *names;
	size_t n;

	names = conf_list(a->bs->conf, "sandbox.scratch", &n);
	for (size_t i = 0; i < n; i++) {
		char *path = xasprintf("%s/%s", a->bs->root.real, names[i]);
		char *real = realpath(path, NULL);

		/* no link out, no "..": its true name is its name */
		if (real != NULL && strcmp(real, path) == 0 && is_dir(path))
			put2(a, "--tmpfs", path);
		free(real);
		free(path);
	}
}

static void
root(struct args *a)
{
	const char *real = a->bs->root.real;
	char *merged;

	if (a->b->overlay != NULL) {
		merged = xasprintf("%s/m", a->b->overlay);
		bind_in_tmp(a, "--bind", merged, real);
		free(merged);
		return;
	}
	bind_in_tmp(a, a->b->want.kind == BOX_WRITE && !a->b->locked ?
	    "--bind" : "--ro-bind", real, real);
	if (a->b->scratch)
		scratch(a);
}

/* ---- git ---- */

/* What git would run, or find its way by, stays as it is. */
static void
git_writable(struct args *a, const char *dir)
{
	static const char *const kept[] = { "hooks", "config",
		"config.worktree", "info", "modules", "commondir" };

	if (is_in(dir, a->bs->root.real))
		bind_on(a, "--bind", dir, dir);
	else
		bind_in_tmp(a, "--bind", dir, dir);
	for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
		char *path = xasprintf("%s/%s", dir, kept[i]);

		if (access(path, F_OK) == 0)
			bind_on(a, "--ro-bind", path, path);
		free(path);
	}
}

/* .hamr: what a person may have put there, and outputs; what we lock is not to
 * be found. */
static void
own_folder(struct args *a, const char *hamr)
{
	static const char *const shown[] = { "out", "skills", "commands",
		"config.toml", ".gitignore" };

	put2(a, "--perms", "0755");
	put2(a, "--tmpfs", hamr);
	for (size_t i = 0; i < sizeof shown / sizeof shown[0]; i++) {
		char *path = xasprintf("%s/%s", hamr, shown[i]);
		struct stat st;

		if (lstat(path, &st) == 0 && (S_ISDIR(st.st_mode) ||
		    S_ISREG(st.st_mode)))
			bind_on(a, "--ro-bind", path, path);
		free(path);
	}
	put2(a, "--remount-ro", hamr);
}

static void
git(struct args *a, const struct box_git *g)
{
	bool write = a->b->want.kind == BOX_WRITE && !a->b->locked &&
	    conf_bool(a->bs->conf, "sandbox.git_write");
	char *hamr = xasprintf("%s/.hamr", a->bs->root.real);

	for (size_t i = 0; i < g->dirs.n; i++) {
		const char *dir = g->dirs.v[i];

		if (write && is_dir(dir))
			git_writable(a, dir);
		else if (is_in(dir, a->bs->root.real)) {
			/* where all is read-only it is, too; and it may be
			 * another run's stub, which goes any moment */
			if (a->b->want.kind != BOX_READ)
				bind_on(a, a->b->want.kind == BOX_WRITE ?
				    "--ro-bind" : "--ro-bind-try", dir, dir);
		}
		else if (is_covered(dir))
			bind_in_tmp(a, "--ro-bind", dir, dir);
	}
	if (is_dir(hamr))
		own_folder(a, hamr);
	free(hamr);
}

/* ---- what is hidden ---- */

static void
mask(struct args *a, const char *path)
{
	char *none = xasprintf("%s/%s", a->bs->temp, is_dir(path) ?
	    "none.d" : "none");

	bind_on(a, "--ro-bind", none, path);
	free(none);
}

static void
secret(struct args *a, const char *path, bool is_link)
{
	const char *root = a->bs->root.real;
	char *real = is_link ? realpath(path, NULL) : NULL;

	if (!is_link)
		mask(a, path);
	/* never more than a thing beneath the root */
	else if (real != NULL && is_in(real, root) && strcmp(real, root) != 0)
		mask(a, real);
	free(real);
}

static void
names(struct args *a)
{
	const struct names *n = &a->bs->names;

	for (size_t i = 0; i < n->n; i++) {
		const struct name *v = &n->v[i];
		char *path = xasprintf("%s/%s", a->bs->root.real, v->rel);

		if (v->kind == NAME_SECRET && !v->shown)
			secret(a, path, v->is_link);
		else if (v->kind == NAME_GUARDED && !v->is_link)
			bind_on(a, "--ro-bind", path, path);
		free(path);
	}
}

const char *
args_refuse(struct boxes *bs)
{
	size_t shown, masked, guarded = 0;

	names_note_tracked(&bs->names, bs->root.real);
	masked = names_masked(&bs->names, &shown);
	for (size_t i = 0; i < bs->names.n; i++)
		guarded += bs->names.v[i].kind == NAME_GUARDED;
	if (masked > MASKS_MAX)
		return "more than 256 secret files would have to be masked in "
		    "the root; take names out of the list with [sandbox] mask "
		    "in your own configuration (\"!NAME\")";
	if (guarded > GUARDED_MAX)
		return "there are more than 500 protected names (.git, .envrc, "
		    ".vscode and the like) in the root; remove some";
	return NULL;
}

/* The root may be in a folder that is hidden: then that stays. */
static void
hidden(struct args *a)
{
	for (size_t i = 0; i < a->bs->hidden.n; i++) {
		const char *path = a->bs->hidden.v[i];

		bool there = !is_covered(path) || is_shown(a, path);

		if ((!is_in(a->bs->root.real, path) && there) ||
		    (is_in(path, a->bs->root.real) &&
		    strcmp(path, a->bs->root.real) != 0))
			mask(a, path);
	}
}

bool
args_make(struct box *b, const struct box_git *g, struct buf *out)
{
	struct args a = { .b = b, .bs = b->bs, .out = out };

	base(&a);
	shown(&a);
	root(&a);
	git(&a, g);
	hidden(&a);	/* the home's first: these are never too many */
	names(&a);
	put2(&a, "--chdir", "/");
	return !a.blocked;
}
