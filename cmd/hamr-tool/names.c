/* names.c - which names in the root are secrets, and which are protected. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "gitignore.h"
#include "mem.h"
#include "protected.h"

#include "names.h"

#define DIRS_MAX 100000
#define RACY_NS 20000000LL	/* a clock tick of the slowest kernels, twice */

struct names_dir {
	char *rel;		/* "" is the root */
	struct timespec ctime;
	dev_t dev;
	ino_t ino;
	bool settled;		/* ctime was old when it was read */
	bool gone;
};

void
names_init(struct names *n, int rootfd, const struct lists *hide,
    const struct lists *show)
{
	*n = (struct names){ .rootfd = rootfd, .hide = hide, .show = show };
}

void
names_release(struct names *n)
{
	for (size_t i = 0; i < n->n; i++)
		free(n->v[i].rel);
	for (size_t i = 0; i < n->ndirs; i++)
		free(n->dirs[i].rel);
	free(n->v);
	free(n->dirs);
	map_release(&n->known);
	n->v = NULL;
	n->dirs = NULL;
	n->n = n->ndirs = n->cap = n->capdirs = 0;
}

/* ---- what a name is ---- */

static enum name_kind
kind_of(const struct names *n, const char *rel, const char *base)
{
	if (base == rel && (strcasecmp(rel, ".git") == 0 ||
	    strcasecmp(rel, ".hamr") == 0))
		return NAME_NONE;
	if (protected_base(base))
		return protected_allowed(n->hide, rel) ? NAME_NONE :
		    NAME_GUARDED;
	/* that of a project within is one secret, not thousands */
	if (strcasecmp(base, ".hamr") != 0 &&
	    (!lists_secret(n->hide, rel) || lists_matches(n->show, rel)))
		return NAME_NONE;
	return NAME_SECRET;
}

static size_t
place_of(const struct names *n, const char *rel)
{
	size_t lo = 0, hi = n->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (strcmp(n->v[mid].rel, rel) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* What is known beneath dir itself, its own entries only. */
static bool
is_in(const char *rel, const char *dir)
{
	size_t n = strlen(dir);

	if (n > 0 && (strncmp(rel, dir, n) != 0 || rel[n] != '/'))
		return false;
	return strchr(rel + n + (n > 0), '/') == NULL;
}

static bool
add(struct names *n, char *rel, enum name_kind kind, const struct stat *st)
{
	size_t at = place_of(n, rel);
	struct name new = { rel, kind, S_ISDIR(st->st_mode),
		S_ISLNK(st->st_mode), false, n->look, st->st_ino };

	if (at < n->n && strcmp(n->v[at].rel, rel) == 0) {
		/* still there; the same one? */
		bool same = n->v[at].ino == new.ino &&
		    n->v[at].is_dir == new.is_dir &&
		    n->v[at].is_link == new.is_link;

		new.since = n->v[at].since;
		new.shown = n->v[at].shown;
		free(n->v[at].rel);
		n->v[at] = new;
		return !same;
	}
	n->v = xgrow(n->v, n->n, &n->cap, sizeof *n->v);
	memmove(n->v + at + 1, n->v + at, (n->n - at) * sizeof *n->v);
	n->v[at] = new;
	n->n++;
	return true;
}

/* ---- folders ---- */

/* A folder, unless it is known already. */
static void
add_dir(struct names *n, char *rel)
{
	uint64_t *at = map_put(&n->known, slice_of(rel), NULL);

	if (*at != 0 || n->ndirs >= DIRS_MAX) {
		n->partial |= *at == 0;
		free(rel);
		return;
	}
	*at = 1;
	n->dirs = xgrow(n->dirs, n->ndirs, &n->capdirs, sizeof *n->dirs);
	n->dirs[n->ndirs++] = (struct names_dir){ .rel = rel };
}

/* A name that was found before and is no more. */
static bool
drop_lost(struct names *n, const char *dir)
{
	bool changed = false;
	size_t to = 0;

	for (size_t i = 0; i < n->n; i++) {
		struct stat st;

		if (is_in(n->v[i].rel, dir) && fstatat(n->rootfd, n->v[i].rel,
		    &st, AT_SYMLINK_NOFOLLOW) < 0) {
			free(n->v[i].rel);
			changed = true;
		} else {
			n->v[to++] = n->v[i];
		}
	}
	n->n = to;
	return changed;
}

static bool
see(struct names *n, const char *dir, const char *base, int type, int fd)
{
	char *rel = dir[0] != '\0' ? xasprintf("%s/%s", dir, base) :
	    xstrdup(base);
	enum name_kind kind = kind_of(n, rel, rel + strlen(rel) -
	    strlen(base));
	struct stat st = { .st_mode = 0 };

	if (kind != NAME_NONE || type == DT_UNKNOWN) {
		if (fstatat(fd, base, &st, AT_SYMLINK_NOFOLLOW) < 0) {
			free(rel);
			return false;
		}
		type = S_ISDIR(st.st_mode) ? DT_DIR : DT_REG;
	}
	if (kind != NAME_NONE)
		return add(n, rel, kind, &st);
	if (type == DT_DIR && !(dir[0] == '\0' &&
	    (strcasecmp(base, ".git") == 0 || strcasecmp(base, ".hamr") == 0)))
		add_dir(n, rel);
	else
		free(rel);
	return false;
}

static bool
list(struct names *n, size_t at, int fd)
{
	DIR *d = fdopendir(fd);
	bool changed = false;
	struct dirent *e;

	if (d == NULL) {
		close(fd);
		return false;
	}
	while ((e = readdir(d)) != NULL)
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			changed |= see(n, n->dirs[at].rel, e->d_name, e->d_type,
			    fd);
	closedir(d);
	return changed;
}

static bool
is_settled(const struct timespec *ctime)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (now.tv_sec - ctime->tv_sec) * 1000000000LL + now.tv_nsec -
	    ctime->tv_nsec > RACY_NS;
}

/* One folder again: nothing to do, gone, or to be listed. */
static bool
look_at(struct names *n, size_t at)
{
	struct names_dir *d = &n->dirs[at];
	const char *rel = d->rel[0] != '\0' ? d->rel : ".";
	bool first = d->ino == 0, changed;
	struct stat st;
	int fd;

	if (fstatat(n->rootfd, rel, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
	    !S_ISDIR(st.st_mode)) {
		d->gone = true;
		*map_put(&n->known, slice_of(d->rel), NULL) = 0;
		return drop_lost(n, d->rel);
	}
	if (d->settled && d->dev == st.st_dev && d->ino == st.st_ino &&
	    d->ctime.tv_sec == st.st_ctim.tv_sec &&
	    d->ctime.tv_nsec == st.st_ctim.tv_nsec)
		return false;
	d->dev = st.st_dev;
	d->ino = st.st_ino;
	d->ctime = st.st_ctim;
	d->settled = is_settled(&st.st_ctim);
	changed = !first && drop_lost(n, d->rel);
	fd = openat(n->rootfd, rel, O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
	    O_CLOEXEC);
	if (fd >= 0)
		changed |= list(n, at, fd);
	return changed;
}

static void
forget_gone(struct names *n)
{
	size_t to = 0;

	for (size_t i = 0; i < n->ndirs; i++)
		if (n->dirs[i].gone)
			free(n->dirs[i].rel);
		else
			n->dirs[to++] = n->dirs[i];
	n->ndirs = to;
}

bool
names_look(struct names *n)
{
	bool changed = false;

	n->look++;
	if (n->ndirs == 0)
		add_dir(n, xstrdup(""));
	/* those it finds are looked at in the same round */
	for (size_t i = 0; i < n->ndirs; i++)
		changed |= look_at(n, i);
	forget_gone(n);
	if (changed)
		n->changed = n->look;
	return changed;
}

/* ---- which are tracked ---- */

/* What git tracks of these is a secret all the same. */
static bool
is_always(const char *rel)
{
	const char *slash = strrchr(rel, '/');
	const char *base = slash != NULL ? slash + 1 : rel;

	return strncasecmp(base, ".env", 4) == 0 ||
	    strcasecmp(base, ".hamr") == 0;
}

static bool
may_be_shown(const struct names *n, const struct name *name)
{
	return name->kind == NAME_SECRET && !is_always(name->rel) &&
	    !lists_matches(n->hide, name->rel);
}

bool
names_ask_git(const struct names *n)
{
	for (size_t i = 0; i < n->n; i++)
		if (may_be_shown(n, &n->v[i]))
			return true;
	return false;
}

void
names_note_tracked(struct names *n, const char *root)
{
	struct gitignore *g = NULL;
	struct err e;

	for (size_t i = 0; i < n->n; i++) {
		n->v[i].shown = may_be_shown(n, &n->v[i]);
		if (!n->v[i].shown)
			continue;
		if (g == NULL)
			g = gitignore_new(root, false, &e);
		n->v[i].shown = gitindex_has(gitignore_index(g), n->v[i].rel);
	}
	gitignore_free(g);
}

size_t
names_masked(const struct names *n, size_t *shown)
{
	size_t masked = 0;

	*shown = 0;
	for (size_t i = 0; i < n->n; i++) {
		masked += n->v[i].kind == NAME_SECRET && !n->v[i].shown;
		*shown += n->v[i].shown;
	}
	return masked;
}
