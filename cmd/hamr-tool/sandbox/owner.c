/* owner.c - the user that commands run as, their cache, and what they never
 * see of the machine: keys, histories, tokens. */
#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"
#include "json/sha.h"

#include "internal.h"

static const char *const in_home[] = { ".ssh", ".gnupg", ".aws", ".azure",
	".kube", ".docker", ".netrc", ".git-credentials", ".npmrc", ".pypirc",
	".password-store", ".mozilla", ".config/gh", ".config/gcloud",
	".config/hamr", ".config/google-chrome",
	/* hamr's sessions, memories and locks */
	".local/state/hamr", ".local/share/hamr",
	/* histories */
	".bash_history", ".zsh_history", ".zhistory", ".zsh_sessions",
	".ksh_history", ".sh_history", ".ash_history", ".history",
	".histfile", ".local/share/fish/fish_history", ".python_history",
	".node_repl_history", ".psql_history", ".mysql_history",
	".sqlite_history", ".lesshst" };

static const char *const in_etc[] = { "/etc/shadow", "/etc/gshadow",
	"/etc/shadow-", "/etc/gshadow-" };

/* ---- the user ---- */

/* The home of a user, and in *name the name; NULL if the user has none.  The
 * caller frees both. */
static char *
home_of(uid_t uid, char **name)
{
	/* not getpwuid, which may ask other machines */
	FILE *f = fopen("/etc/passwd", "re");
	const struct passwd *pw;
	char *home = NULL;

	while (f != NULL && home == NULL && (pw = fgetpwent(f)) != NULL)
		if (pw->pw_uid == uid && pw->pw_dir[0] == '/') {
			home = xstrdup(pw->pw_dir);
			if (name != NULL)
				*name = xstrdup(pw->pw_name);
		}
	if (f != NULL)
		fclose(f);
	return home;
}

/* The commands' cache, a lasting one for each root.  NULL puts it in their
 * /tmp: if they run as another user, if it cannot be made, or if a command
 * could replace it by a link, so that the next writes where that leads. */
static char *
make_cache(const struct sandboxes *bs)
{
	const char *x = getenv("XDG_CACHE_HOME");
	const char *base = strrchr(bs->root.real, '/');
	char *top = NULL, *cache = NULL, hex[SHA_HEX];
	struct err e;

	if (!bs->switched && x != NULL && x[0] == '/')
		top = xstrdup(x);
	else if (!bs->switched && bs->home != NULL &&
	    access(bs->home, W_OK) == 0)	/* never make a home */
		top = xasprintf("%s/.cache", bs->home);
	if (top == NULL)
		return NULL;
	char *real = file_mkdirs(top, &e) == 0 ? realpath(top, NULL) : NULL;
	sha256_hex(bs->root.real, strlen(bs->root.real), hex);
	if (real != NULL && !sandboxes_may_change(bs, top))
		cache = xasprintf("%s/hamr/%s-%.12s", real, base != NULL &&
		    base[1] != '\0' ? base + 1 : "root", hex);
	FREE(top, real);
	real = cache != NULL && file_mkdirs(cache, &e) == 0 &&
	    access(cache, W_OK) == 0 ? realpath(cache, NULL) : NULL;
	if (real == NULL || strcmp(real, cache) != 0) {
		free(cache);
		cache = NULL;
	}
	free(real);
	return cache;
}

/* ---- what commands may change ---- */

char *
sandboxes_path(const struct sandboxes *bs, const char *text)
{
	const char *home = getenv("HOME");

	if (text[0] == '/')
		return xstrdup(text);
	if (strncmp(text, "~/", 2) == 0 && home != NULL)
		return xasprintf("%s%s", home, text + 1);
	return xasprintf("%s/%s", bs->root.real, text);
}

bool
sandboxes_may_change(const struct sandboxes *bs, const char *path)
{
	char *real = realpath(path, NULL);
	const char *at = real != NULL ? real : path;
	bool yes = is_beneath(path, bs->root.real) ||
	    is_beneath(at, bs->root.real);
	size_t nservers, n;
	const char *const *servers = conf_names(bs->conf, "mcp", &nservers);

	for (size_t i = 0; i < nservers && !yes; i++) {
		char *key = xasprintf("mcp.%s.writable", servers[i]);
		const char *const *v = conf_list(bs->conf, key, &n);

		for (size_t k = 0; k < n && !yes; k++) {
			char *folder = sandboxes_path(bs, v[k]);
			char *is = realpath(folder, NULL);

			yes = is != NULL && is_beneath(at, is);
			FREE(folder, is);
		}
		free(key);
	}
	free(real);
	return yes;
}

/* ---- what is hidden ---- */

/* Append the real paths of those that exist, each once, except those in not. */
static void
add_true_names(const struct texts *paths, const struct texts *not,
    struct texts *out)
{
	for (size_t i = 0; i < paths->n; i++) {
		char *real = realpath(paths->v[i], NULL);
		bool known = real == NULL;

		for (size_t k = 0; k < out->n && !known; k++)
			known = strcmp(out->v[k], real) == 0;
		for (size_t k = 0; k < not->n && !known; k++)
			known = strcmp(not->v[k], real) == 0;
		if (known)
			free(real);
		else
			texts_add(out, real);
	}
}

/* sandbox.mask has paths ("/x" and "~/x") and patterns of names in the root; a
 * '!' before either exempts it from being hidden.  Append the paths, for this
 * home, or the patterns if home is NULL. */
static void
add_masks(const struct conf *c, const char *home, struct texts *hidden,
    struct texts *shown)
{
	size_t n;
	const char *const *list = conf_list(c, "sandbox.mask", &n);

	for (size_t i = 0; i < n; i++) {
		bool exempt = list[i][0] == '!';
		const char *p = list[i] + exempt;
		bool is_path = p[0] == '/' || strncmp(p, "~/", 2) == 0;

		if (is_path == (home != NULL))
			texts_add(exempt ? shown : hidden, is_path &&
			    p[0] == '~' ? xasprintf("%s%s", home, p + 1) :
			    xstrdup(p));
	}
}

/* The user's configuration is folder/hamr.  If that is in the root, guard it
 * under its names there: a command could create or replace it. */
static void
guard_settings(struct sandboxes *bs, const char *folder)
{
	char *real = realpath(folder, NULL);
	const char *const names[] = { folder, real };

	for (size_t i = 0; i < 2; i++) {
		if (names[i] == NULL || names[i][0] != '/' ||
		    !is_beneath(names[i], bs->root.real))
			continue;
		const char *rel = names[i] + strlen(bs->root.real);
		rel += strspn(rel, "/");
		texts_add(&bs->settings, xasprintf("%s%shamr", rel,
		    *rel != '\0' ? "/" : ""));
	}
	free(real);
}

/* Collect all places that may exist, and those that the user exempts. */
static void
find_places(struct sandboxes *bs)
{
	static const char *const ours[] = { "XDG_CONFIG_HOME",
		"XDG_STATE_HOME", "XDG_DATA_HOME" };
	struct texts *out = &bs->places;
	char *own_home = home_of(bs->uid, NULL);
	const char *homes[3];
	size_t n = 0;

	if (bs->home != NULL)
		homes[n++] = bs->home;
	if (own_home != NULL)
		homes[n++] = own_home;
	if (bs->switched && getenv("HOME") != NULL)
		homes[n++] = getenv("HOME");
	for (size_t i = 0; i < sizeof in_etc / sizeof in_etc[0]; i++)
		texts_add(out, xstrdup(in_etc[i]));
	for (size_t h = 0; h < n; h++) {
		char *config = xasprintf("%s/.config", homes[h]);

		for (size_t i = 0; i < sizeof in_home / sizeof in_home[0]; i++)
			texts_add(out, xasprintf("%s/%s", homes[h],
			    in_home[i]));
		guard_settings(bs, config);
		free(config);
		add_masks(bs->conf, homes[h], out, &bs->shown);
	}
	if (getenv("XDG_CONFIG_HOME") != NULL)
		guard_settings(bs, getenv("XDG_CONFIG_HOME"));
	for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++) {
		const char *base = getenv(ours[i]);

		if (base != NULL && base[0] == '/')
			texts_add(out, xasprintf("%s/hamr", base));
	}
	free(own_home);
}

/* The bytes of path, up to the first folder that keeps us out; 0: none does. */
static size_t
barred_at(char *path)
{
	struct stat st;
	size_t n = 0;

	if (lstat(path, &st) == 0 || errno != EACCES)
		return 0;
	while (path[n] != '\0') {
		n += 1 + strcspn(path + n + 1, "/");
		char c = path[n];
		path[n] = '\0';
		bool in = access(path, X_OK) == 0;
		path[n] = c;
		if (!in)
			break;
	}
	return n;
}

void
owner_drop_unreachable(const struct sandboxes *bs, struct texts *t,
    struct texts *shut)
{
	const char *root = bs->root.real;
	size_t to = 0;
	struct stat st;

	if (t->n == 0 || geteuid() != 0)
		return;
	/* the child's answers */
	size_t *cut = mmap(NULL, t->n * sizeof *cut, PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (cut == MAP_FAILED)
		return;
	pid_t pid = fork();
	if (pid == 0) {
		struct __user_cap_header_struct head = {
			_LINUX_CAPABILITY_VERSION_3, 0 };
		struct __user_cap_data_struct none[2] = { { 0, 0, 0 },
			{ 0, 0, 0 } };
		/* be the user that commands run as, with no more rights */
		bool they = (!bs->switched || (setgroups(1, &bs->gid) == 0 &&
		    setresgid(bs->gid, bs->gid, bs->gid) == 0 &&
		    setresuid(bs->uid, bs->uid, bs->uid) == 0)) &&
		    syscall(SYS_capset, &head, none) == 0;

		for (size_t i = 0; they && i < t->n; i++)
			cut[i] = barred_at(t->v[i]);
		_exit(0);
	}
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	for (size_t i = 0; i < t->n; i++) {
		if (cut[i] == 0) {
			t->v[to++] = t->v[i];
			continue;
		}
		t->v[i][cut[i]] = '\0';
		bool opens = is_beneath(t->v[i], root) &&
		    strcmp(t->v[i], root) != 0 && lstat(t->v[i], &st) == 0 &&
		    st.st_uid == bs->uid;
		for (size_t k = 0; k < shut->n && opens; k++)
			opens = strcmp(shut->v[k], t->v[i]) != 0;
		if (opens)
			texts_add(shut, t->v[i]);
		else
			free(t->v[i]);
	}
	munmap(cut, t->n * sizeof *cut);
	t->n = to;
}

void
owner_find(struct sandboxes *bs)
{
	const char *home = getenv("HOME");
	struct stat st;
	size_t n;

	bs->uid = geteuid();
	bs->gid = getegid();
	/* root works as the user who owns the folder */
	if (bs->uid == 0 && fstat(bs->root.fd, &st) == 0 && st.st_uid != 0) {
		bs->switched = true;
		bs->uid = st.st_uid;
		bs->gid = st.st_gid;
		bs->home = home_of(bs->uid, &bs->user);
	} else if (home != NULL && home[0] == '/') {
		bs->home = xstrdup(home);
	}
	bs->cache = make_cache(bs);
	const char *const *secret = conf_list(bs->conf, "policy.secret", &n);
	for (size_t i = 0; i < n; i++)
		texts_add(&bs->hide_list, xstrdup(secret[i]));
	add_masks(bs->conf, NULL, &bs->hide_list, &bs->show_list);
	bs->hide.known = &bs->known;
	bs->hide.secret = (const char *const *)bs->hide_list.v;
	bs->hide.nsecret = bs->hide_list.n;
	bs->show.secret = (const char *const *)bs->show_list.v;
	bs->show.nsecret = bs->show_list.n;
	bs->hide.allow_write = conf_list(bs->conf, "policy.allow_write",
	    &bs->hide.nallow_write);
	bs->names = (struct names){ .rootfd = bs->root.fd, .hide = &bs->hide,
		.show = &bs->show, .also = &bs->settings,
		.unsure = conf_bool(bs->conf, "sandbox.git_write") };
	find_places(bs);
}

void
owner_refresh(struct sandboxes *bs)
{
	struct texts shown = { .n = 0 };
	uint64_t now = 1;
	struct stat st;

	for (size_t i = 0; i < bs->places.n; i++) {
		bool there = stat(bs->places.v[i], &st) == 0;

		now = hash_both(now, there ? st.st_ino ^ st.st_dev << 32 : 0);
	}
	if (now == bs->hidden_as)
		return;
	bs->hidden_as = now;
	texts_release(&bs->hidden);
	add_true_names(&bs->shown, &shown, &shown);
	add_true_names(&bs->places, &shown, &bs->hidden);
	texts_release(&shown);
	owner_drop_unreachable(bs, &bs->hidden, &shown);
	texts_release(&shown);
}
