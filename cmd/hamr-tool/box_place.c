/* box_place.c - whose box it is and where: root, owner, folders, lists. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "file.h"
#include "mem.h"
#include "sha.h"

#include "box_in.h"

/* ---- whose ---- */

/* Root in somebody's folder works as that somebody. */
static void
find_owner(struct boxes *bs)
{
	const char *home = getenv("HOME");
	struct stat st;

	bs->uid = geteuid();
	bs->gid = getegid();
	if (bs->uid == 0 && fstat(bs->root.fd, &st) == 0 && st.st_uid != 0) {
		bs->switched = true;
		bs->uid = st.st_uid;
		bs->gid = st.st_gid;
		bs->home = hide_home_of(bs->uid, &bs->user);
	} else if (home != NULL && home[0] == '/') {
		bs->home = xstrdup(home);
	}
}

/* ---- caches ---- */

/* One for each root, kept; for others than ourselves in their /tmp. */
static void
find_cache(struct boxes *bs)
{
	const char *x = getenv("XDG_CACHE_HOME");
	const char *base = strrchr(bs->root.real, '/');
	char *top = NULL, hex[SHA_HEX];
	struct err e;

	if (!bs->switched && x != NULL && x[0] == '/')
		top = xstrdup(x);
	else if (!bs->switched && bs->home != NULL &&
	    access(bs->home, W_OK) == 0)	/* no home is made */
		top = xasprintf("%s/.cache", bs->home);
	if (top == NULL)
		return;
	sha256_hex(bs->root.real, strlen(bs->root.real), hex);
	bs->cache = xasprintf("%s/hamr/%s-%.12s", top, base != NULL &&
	    base[1] != '\0' ? base + 1 : "root", hex);
	free(top);
	top = file_mkdirs(bs->cache, 0700, &e) == 0 &&
	    access(bs->cache, W_OK) == 0 ? realpath(bs->cache, NULL) : NULL;
	free(bs->cache);
	bs->cache = top;
}

/* ---- lists ---- */

/* The texts of a list of the configuration that are patterns of names in the
 * root, those with a '!' or those without. */
static const char **
patterns(const char *const *more, size_t nmore, const char *const *mask,
    size_t nmask, bool shown, size_t *n)
{
	const char **v = xcalloc(nmore + nmask + 1, sizeof *v);

	*n = 0;
	for (size_t i = 0; i < nmore; i++)
		v[(*n)++] = more[i];
	for (size_t i = 0; i < nmask; i++) {
		bool show = mask[i][0] == '!';
		const char *p = mask[i] + show;

		if (show == shown && p[0] != '/' && strncmp(p, "~/", 2) != 0)
			v[(*n)++] = p;
	}
	return v;
}

static void
find_lists(struct boxes *bs)
{
	const char *const *secret, *const *mask;
	size_t nsecret, nmask;

	secret = conf_list(bs->conf, "policy.secret", &nsecret);
	mask = conf_list(bs->conf, "sandbox.mask", &nmask);
	bs->hide_list = patterns(secret, nsecret, mask, nmask, false,
	    &bs->hide.nsecret);
	bs->show_list = patterns(NULL, 0, mask, nmask, true,
	    &bs->show.nsecret);
	bs->hide.secret = bs->hide_list;
	bs->show.secret = bs->show_list;
	bs->hide.allow_write = conf_list(bs->conf, "policy.allow_write",
	    &bs->hide.nallow_write);
	names_init(&bs->names, bs->root.fd, &bs->hide, &bs->show);
}

static void
find_hidden(struct boxes *bs)
{
	char *own_home = hide_home_of(bs->uid, NULL);
	const char *homes[3];
	size_t n = 0;

	if (bs->home != NULL)
		homes[n++] = bs->home;
	if (own_home != NULL)
		homes[n++] = own_home;
	if (bs->switched && getenv("HOME") != NULL)
		homes[n++] = getenv("HOME");
	hide_list(bs->conf, homes, n, &bs->hidden);
	free(own_home);
}

/* He cannot read what he has no way to, and bubblewrap, as he, can put nothing
 * over it. */
static void
drop_unreachable(struct boxes *bs)
{
	struct texts *t = &bs->hidden;
	size_t to = 0;
	int p[2];
	pid_t pid;

	if (!bs->switched || pipe2(p, O_CLOEXEC) < 0)
		return;
	pid = fork();
	if (pid == 0) {
		struct stat st;
		bool he = setgroups(1, &bs->gid) == 0 && setresgid(bs->gid,
		    bs->gid, bs->gid) == 0 && setresuid(bs->uid, bs->uid,
		    bs->uid) == 0;

		for (size_t i = 0; he && i < t->n; i++)
			if (write(p[1], lstat(t->v[i], &st) == 0 ? "y" : "n",
			    1) != 1)
				break;
		_exit(0);
	}
	close(p[1]);
	for (size_t i = 0; i < t->n; i++) {
		char c;

		if (read(p[0], &c, 1) == 1 && c == 'n')
			free(t->v[i]);
		else
			t->v[to++] = t->v[i];
	}
	t->n = to;
	close(p[0]);
	if (pid > 0)
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
}

void
place_open(struct boxes *bs)
{
	if (bs->opened)
		return;
	bs->opened = true;
	find_owner(bs);
	tmp_open(bs);
	find_cache(bs);
	find_lists(bs);
	find_hidden(bs);
	drop_unreachable(bs);
	stub_sweep(bs);
}

void
place_close(struct boxes *bs)
{
	tmp_close(bs);
	if (bs->opened)
		names_release(&bs->names);
	texts_release(&bs->hidden);
	free(bs->hide_list);
	free(bs->show_list);
	free(bs->home);
	free(bs->user);
	free(bs->session);
	free(bs->cache);
}
