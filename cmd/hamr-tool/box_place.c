/* box_place.c - whose box it is and where: root, owner, folders, lists. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file.h"
#include "mem.h"
#include "sha.h"

#include "box_in.h"

#define TEMP_PREFIX "hamr-box-"
#define DEPTH_MAX 4096

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

/* ---- removing ---- */

static void
remove_in(int dirfd, const char *name, int depth)
{
	struct dirent *e;
	DIR *d;
	int fd;

	if (unlinkat(dirfd, name, 0) == 0 || depth > DEPTH_MAX)
		return;
	if (unlinkat(dirfd, name, AT_REMOVEDIR) == 0)
		return;
	fd = openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
	    O_CLOEXEC);
	if (fd < 0 && errno == EACCES &&
	    fchmodat(dirfd, name, 0700, 0) == 0)
		fd = openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
		    O_CLOEXEC);
	if (fd < 0)
		return;
	if (fchmod(fd, 0700) < 0)
		errno = 0;	/* not ours; then it stays, at worst */
	d = fdopendir(fd);
	while (d != NULL && (e = readdir(d)) != NULL)
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			remove_in(fd, e->d_name, depth + 1);
	if (d != NULL)
		closedir(d);
	else
		close(fd);
	unlinkat(dirfd, name, AT_REMOVEDIR);
}

void
place_remove(const char *path)
{
	remove_in(AT_FDCWD, path, 0);
}

/* ---- our folder for temporary things ---- */

static bool
own(const struct boxes *bs, const char *path)
{
	return !bs->switched || chown(path, bs->uid, bs->gid) == 0;
}

char *
place_folder(struct boxes *bs, const char *name)
{
	char *path = xasprintf("%s/%s", bs->temp, name);

	if ((mkdir(path, 0700) < 0 && errno != EEXIST) || !own(bs, path)) {
		free(path);
		return NULL;
	}
	return path;
}

/* A folder of ours that nobody holds the lock of was left by a kill. */
static void
sweep(const char *base)
{
	DIR *d = opendir(base);
	struct dirent *e;

	while (d != NULL && (e = readdir(d)) != NULL) {
		struct stat st;
		int fd;

		if (strncmp(e->d_name, TEMP_PREFIX, strlen(TEMP_PREFIX)) != 0)
			continue;
		fd = openat(dirfd(d), e->d_name, O_RDONLY | O_DIRECTORY |
		    O_NOFOLLOW | O_CLOEXEC);
		if (fd < 0)
			continue;
		if (fstat(fd, &st) == 0 && st.st_uid == geteuid() &&
		    (st.st_mode & 077) == (geteuid() == 0 ? st.st_mode & 011 :
		    0) && flock(fd, LOCK_EX | LOCK_NB) == 0)
			remove_in(dirfd(d), e->d_name, 0);
		close(fd);
	}
	if (d != NULL)
		closedir(d);
}

/* What is bound over a thing that is hidden: nobody can read it. */
static bool
make_nothing(const struct boxes *bs)
{
	char *file = xasprintf("%s/none", bs->temp);
	char *dir = xasprintf("%s/none.d", bs->temp);
	int fd = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0);
	bool good = fd >= 0 && mkdir(dir, 0) == 0;

	if (fd >= 0)
		close(fd);
	free(file);
	free(dir);
	return good;
}

static void
make_temp(struct boxes *bs)
{
	const char *t = getenv("TMPDIR");
	const char *base = t != NULL && t[0] == '/' ? t : "/tmp";
	char *path;

	sweep(base);
	path = xasprintf("%s/" TEMP_PREFIX "XXXXXX", base);
	if (mkdtemp(path) == NULL) {
		free(path);
		return;
	}
	bs->temp = path;
	bs->lock = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (bs->lock >= 0)
		flock(bs->lock, LOCK_SH | LOCK_NB);
	/* who we work for must get through, not look in */
	if (bs->switched && chmod(path, 0711) < 0)
		errno = 0;
	bs->tmp = place_folder(bs, "tmp");
	if (bs->tmp == NULL || !make_nothing(bs)) {
		place_remove(path);
		free(bs->tmp);
		free(path);
		bs->tmp = bs->temp = NULL;
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

void
place_open(struct boxes *bs)
{
	if (bs->opened)
		return;
	bs->opened = true;
	find_owner(bs);
	make_temp(bs);
	find_cache(bs);
	find_lists(bs);
	find_hidden(bs);
	stub_sweep(bs);
}

void
place_close(struct boxes *bs)
{
	if (bs->temp != NULL)
		place_remove(bs->temp);
	if (bs->lock >= 0)
		close(bs->lock);
	if (bs->opened)
		names_release(&bs->names);
	texts_release(&bs->hidden);
	free(bs->hide_list);
	free(bs->show_list);
	free(bs->home);
	free(bs->user);
	free(bs->temp);
	free(bs->tmp);
	free(bs->cache);
}
