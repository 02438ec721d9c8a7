/* names.c - which names in the root are secrets, and which are protected. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "git/gitignore.h"
#include "base/file.h"
#include "base/mem.h"
#include "json/sha.h"
#include "root/path.h"
#include "root/secret.h"

#include "internal.h"

#define DIRS_MAX 1000000
#define SECRET_MAX ((size_t)16 << 20)
#define DEEP 3000	/* bytes of a path; bubblewrap needs some more */
#define RACY_NS 20000000LL	/* two clock ticks of the slowest kernels */

struct names_dir {
	char *rel;		/* "" is the root */
	struct timespec ctime;
	dev_t dev;
	ino_t ino;
	bool settled;		/* ctime was old enough when it was read */
	bool gone;
};

void
names_release(struct names *n)
{
	for (size_t i = 0; i < n->n; i++)
		free(n->v[i].rel);
	for (size_t i = 0; i < n->ndirs; i++)
		free(n->dirs[i].rel);
	FREE(n->v, n->dirs);
	map_release(&n->known);
	map_release(&n->guarded);
}

/* Add a name, or update it; takes rel.  True if it is new or was replaced. */
static bool
add(struct names *n, char *rel, enum name_kind kind, const struct stat *st)
{
	struct name new = { rel, kind, S_ISDIR(st->st_mode),
		S_ISLNK(st->st_mode), false, n->look, st->st_ino, { 0, 0 } };
	size_t at = 0, hi = n->n;

	if (new.is_link)
		new.ctime = st->st_ctim;
	while (at < hi) {
		size_t mid = at + (hi - at) / 2;

		if (strcmp(n->v[mid].rel, rel) < 0)
			at = mid + 1;
		else
			hi = mid;
	}
	if (at < n->n && strcmp(n->v[at].rel, rel) == 0) {
		bool same = n->v[at].ino == new.ino &&
		    n->v[at].is_dir == new.is_dir &&
		    n->v[at].is_link == new.is_link &&
		    time_ns(n->v[at].ctime) == time_ns(new.ctime);

		/* the folder of the old one may have been moved away */
		if (same)
			new.since = n->v[at].since;
		new.shown = n->v[at].shown;
		free(n->v[at].rel);
		n->v[at] = new;
		return !same;
	}
	GROW(n->v, n->n, n->cap);
	memmove(n->v + at + 1, n->v + at, (n->n - at) * sizeof *n->v);
	n->v[at] = new;
	n->n++;
	return true;
}

/* ---- folders ---- */

/* Add a folder unless it is known; takes rel.  True: it was not. */
static bool
add_dir(struct names *n, char *rel)
{
	uint64_t *at = map_put(&n->known, slice_of(rel), NULL);

	if (*at != 0 || n->ndirs >= DIRS_MAX) {
		n->partial |= *at == 0;
		free(rel);
		return false;
	}
	*at = 1;
	GROW(n->dirs, n->ndirs, n->capdirs);
	n->dirs[n->ndirs++] = (struct names_dir){ .rel = rel };
	return true;
}

/* Any other error of a path does not tell. */
static bool
is_gone(int error)
{
	return error == ENOENT || error == ENOTDIR;
}

/* Drop the names directly in dir that are gone, or all; true if any were. */
static bool
drop_lost(struct names *n, const char *dir, bool all)
{
	size_t to = 0, len = strlen(dir), before = n->n;

	for (size_t i = 0; i < n->n; i++) {
		const char *rel = n->v[i].rel;
		bool in = (len == 0 || (strncmp(rel, dir, len) == 0 &&
		    rel[len] == '/')) &&
		    strchr(rel + len + (len > 0), '/') == NULL;
		/* the folder is no longer shut */
		bool open = n->v[i].kind == NAME_SHUT && strcmp(rel, dir) == 0;
		struct stat st;

		if (open || (in && (all || (fstatat(n->rootfd, rel, &st,
		    AT_SYMLINK_NOFOLLOW) < 0 && is_gone(errno)))))
			free(n->v[i].rel);
		else
			n->v[to++] = n->v[i];
	}
	n->n = to;
	return to != before;
}

/* Look at an entry of dir, which is open as fd; true if names changed. */
static bool
see(struct names *n, const char *dir, const struct dirent *e, int fd)
{
	const char *base = e->d_name;
	char *rel = dir[0] == '\0' ? xstrdup(base) : xasprintf("%s/%s", dir,
	    base);
	bool hamr = strcasecmp(base, ".hamr") == 0, is_dir = e->d_type ==
	    DT_DIR;
	enum name_kind kind = NAME_NONE;
	struct stat st;

	/* those of the root itself are handled elsewhere */
	if (dir[0] == '\0' && (strcmp(base, ".hamr") == 0 || strcmp(base,
	    ".git") == 0))
		goto none;
	for (size_t i = 0; i < n->also->n; i++)
		/* the folder, or a link on the way to it */
		if (is_beneath(n->also->v[i], rel) && (e->d_type == DT_LNK ||
		    strcmp(rel, n->also->v[i]) == 0))
			kind = NAME_GUARDED;
	if (kind != NAME_NONE)
		;
	else if (protected_base(base))
		kind = protected_allowed(n->hide, rel) ? NAME_NONE :
		    NAME_GUARDED;
	/* .hamr of a nested project is one secret, not thousands */
	else if (hamr || file_is_known(n->hide->known, fd, base, e->d_ino) ||
	    (lists_secret(n->hide, rel) && !lists_matches(n->show, rel)))
		kind = NAME_SECRET;
	if (kind != NAME_NONE || e->d_type == DT_UNKNOWN) {
		if (fstatat(fd, base, &st, AT_SYMLINK_NOFOLLOW) < 0)
			goto none;
		is_dir = S_ISDIR(st.st_mode);
	}
	/* other secrets may be in such a folder */
	if (kind == NAME_GUARDED && is_dir && strcasecmp(base, ".git") != 0)
		add_dir(n, xstrdup(rel));
	if (kind != NAME_NONE)
		return add(n, rel, kind, &st);
	if (!is_dir)
		goto none;
	if (strlen(rel) > DEEP && fstatat(fd, base, &st,
	    AT_SYMLINK_NOFOLLOW) == 0)
		return add(n, rel, NAME_SHUT, &st);
	add_dir(n, rel);
	return false;
none:
	free(rel);
	return false;
}

static bool look_at_all(struct names *n);

/* A child with the rights of root over what is ours looks through a folder that
 * is shut: does it hold, at any depth, such names, or what not even the child
 * can look at? */
static bool
holds_names(const struct names *n, const char *rel)
{
	struct names in = { .rootfd = n->rootfd, .hide = n->hide,
		.show = n->show, .also = n->also, .through = true };
	int how = 1;
	pid_t pid = fork();

	if (pid == 0) {
		bool good = box_namespaces(0, geteuid(), getegid()) == NULL;

		add_dir(&in, xstrdup(rel));
		look_at_all(&in);
		_exit(!good || in.n > 0 || in.partial);
	}
	while (pid > 0 && waitpid(pid, &how, 0) < 0 && errno == EINTR)
		;
	return how != 0;
}

/* Look at folder i.  True if any name was added or removed. */
static bool
look_in(struct names *n, size_t i)
{
	struct names_dir *d = &n->dirs[i];
	const char *rel = d->rel[0] != '\0' ? d->rel : ".";
	const char *slash = strrchr(rel, '/');
	const uint64_t *above = slash == NULL ? NULL : map_get(&n->known,
	    (struct slice){ rel, (size_t)(slash - rel) });
	/* do not follow a link that replaced a folder above */
	bool gone = above != NULL && *above == 0, changed;
	struct timespec now;
	struct dirent *e;
	struct stat st;

	if (!gone && fstatat(n->rootfd, rel, &st, AT_SYMLINK_NOFOLLOW) < 0) {
		/* if one above is shut, it is as it was */
		if (!is_gone(errno))
			return false;
		gone = true;
	}
	if (gone || !S_ISDIR(st.st_mode)) {
		d->gone = true;
		*map_put(&n->known, slice_of(d->rel), NULL) = 0;
		return drop_lost(n, d->rel, true);
	}
	if (d->settled && d->dev == st.st_dev && d->ino == st.st_ino &&
	    time_ns(d->ctime) == time_ns(st.st_ctim))
		return false;
	DIR *list = file_opendir(n->rootfd, rel);
	bool shut = !n->through && geteuid() != 0 && geteuid() == st.st_uid &&
	    (list == NULL || (st.st_mode & 0500) != 0500);
	changed = !shut && d->ino != 0 && drop_lost(n, d->rel, false);
	clock_gettime(CLOCK_REALTIME, &now);
	d->dev = st.st_dev;
	d->ino = st.st_ino;
	d->ctime = st.st_ctim;
	d->settled = time_ns(now) - time_ns(d->ctime) > RACY_NS &&
	    (list != NULL || shut || st.st_uid != geteuid());
	n->partial |= list == NULL && n->through;
	if (shut && holds_names(n, rel))
		changed = add(n, xstrdup(rel), NAME_SHUT, &st);
	while (list != NULL && !shut && (e = file_readdir(list)) != NULL)
		/* see() may reallocate dirs */
		changed |= see(n, n->dirs[i].rel, e, dirfd(list));
	file_closedir(list);
	return changed;
}

/* The loop also visits the folders that it adds. */
static bool
look_at_all(struct names *n)
{
	bool changed = false;

	for (size_t i = 0; i < n->ndirs; i++)
		changed |= look_in(n, i);
	return changed;
}

bool
names_look(struct names *n)
{
	size_t to = 0;

	n->look++;
	if (n->ndirs == 0)
		add_dir(n, xstrdup(""));
	bool changed = look_at_all(n);
	for (size_t i = 0; i < n->ndirs; i++)
		if (n->dirs[i].gone)
			free(n->dirs[i].rel);
		else
			n->dirs[to++] = n->dirs[i];
	n->ndirs = to;
	if (changed)
		n->changed = n->look;
	return changed;
}

/* ---- what git tracks ---- */

/* Is this a secret that is shown if git tracks it?  .env* and what the user
 * has listed are not. */
static bool
may_be_shown(const struct names *n, const struct name *name)
{
	const char *base = file_base(name->rel);

	return name->kind == NAME_SECRET &&
	    strncasecmp(base, ".env", 4) != 0 &&
	    strcasecmp(base, ".hamr") != 0 &&
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

bool
names_note_masked(struct names *n, const char *rel)
{
	int fd = openat(n->rootfd, rel, O_PATH | O_CLOEXEC);
	struct stat st, is;
	bool more = fd >= 0 && fstat(fd, &st) == 0 &&
	    !file_is_known(n->hide->known, fd, "", st.st_ino) &&
	    fstatat(n->rootfd, rel, &is, AT_SYMLINK_NOFOLLOW) == 0 &&
	    (S_ISLNK(is.st_mode) || (S_ISREG(st.st_mode) &&
	    st.st_nlink > 1));

	if (fd >= 0)
		file_remember(n->hide->known, fd, "");
	file_close(fd);
	return more;
}

/* Does git track it?  Commands that write the index can add any name, but not
 * with a content that they cannot read. */
static bool
is_tracked(const struct names *n, const struct gitindex *ix,
    const struct name *v)
{
	const struct gitindex_entry *e = gitindex_find(ix, v->rel);
	struct buf text = BUF_INIT(SECRET_MAX);
	unsigned char oid[SHA_BYTES];

	if (!n->unsure || v->is_dir)
		return gitindex_has(ix, v->rel);
	int fd = e != NULL ? file_open_regular(n->rootfd, v->rel, NULL) : -1;
	bool same = fd >= 0 && file_read_fd(fd, v->rel, &text, NULL) == 0;
	if (same) {
		sha_git(ix->oid_len == SHA_BYTES, "blob", text.p, text.len,
		    oid);
		same = memcmp(e->oid, oid, ix->oid_len) == 0;
	}
	file_close(fd);
	buf_release(&text);
	return same;
}

struct names_count
names_note_tracked(struct names *n, const char *root)
{
	struct names_count c = { 0, 0, 0 };
	struct gitignore *g = names_ask_git(n) ? gitignore_new(root, false,
	    &(struct err){ .status = ST_OK }) : NULL;
	bool more = true, linked;

	while (more) {
		more = linked = false;
		c = (struct names_count){ 0, 0, 0 };
		for (size_t i = 0; i < n->n; i++) {
			struct name *v = &n->v[i];

			/* not if it only took the name of what is tracked */
			v->shown = g != NULL && may_be_shown(n, v) &&
			    is_tracked(n, gitignore_index(g), v) &&
			    !file_is_known(n->hide->known, n->rootfd, v->rel,
			    v->ino);
			c.guarded += v->kind == NAME_GUARDED;
			c.shown += v->shown;
			c.masked += v->kind != NAME_GUARDED && !v->shown;
			if (v->kind == NAME_SECRET && !v->shown)
				linked |= names_note_masked(n, v->rel);
			else if (v->kind == NAME_GUARDED)
				file_remember(&n->guarded, n->rootfd, v->rel);
			/* not all in a folder need be tracked */
			more |= v->shown && v->is_dir && add_dir(n,
			    xstrdup(v->rel));
		}
		for (size_t i = 0; linked && i < n->ndirs; i++)
			n->dirs[i].settled = false;
		more |= linked;
		if (more)
			look_at_all(n);
	}
	gitignore_free(g);
	return c;
}
