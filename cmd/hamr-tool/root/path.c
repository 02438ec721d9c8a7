/* path.c - names beneath the root: resolve and open them. */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "conf/state.h"
#include "json/scan.h"

#include "path.h"

#define LINKS_MAX 40		/* the kernel's limit, too */

/* ---- names ---- */

/* Take the next part of *rest; false if there is none. */
static bool
next_part(const char **rest, struct slice *part)
{
	const char *p = *rest + strspn(*rest, "/");

	part->p = p;
	part->n = strcspn(p, "/");
	*rest = p + part->n;
	return part->n > 0;
}

static void
pop_part(struct buf *b)
{
	while (b->len > 0 && b->p[b->len - 1] != '/')
		b->len--;
	if (b->len > 0)
		b->len--;
	if (b->p != NULL)
		b->p[b->len] = '\0';
}

/* The part of an absolute path after the root, or after another name of it,
 * such as a link to it; NULL if it is outside.  /proc's links do not count. */
static const char *
inside(const struct root *r, const char *text)
{
	const char *end = text;
	struct stat st, is;

	while (fstat(r->fd, &st) == 0) {
		char *name = end == text ? xstrdup("/") :
		    xmemdup0(text, (size_t)(end - text));
		bool same = stat(name, &is) == 0 && is_same_file(&is, &st);

		free(name);
		if (same)
			return end;
		if (*end == '\0' || is_beneath(text, "/proc"))
			break;
		end += 1 + strcspn(end + 1, "/");
	}
	return NULL;
}

/* ---- opening ---- */

int
path_open(const struct root *r, const char *rel, int flags)
{
	struct open_how how = {
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS |
		    RESOLVE_NO_SYMLINKS,
	};
	struct slice part;
	long got;

	flags |= O_CLOEXEC;
	if (!(flags & O_PATH))
		flags |= O_NONBLOCK | O_NOCTTY;
	how.flags = (unsigned)flags;
	do
		got = syscall(SYS_openat2, r->fd, *rel != '\0' ? rel : ".",
		    &how, sizeof how);
	while (got < 0 && errno == EINTR);
	if (got >= 0 || (errno != ENOSYS && errno != EPERM))
		return (int)got;
	/* a kernel without openat2: part by part, no link followed */
	int fd = r->fd;
	if (!next_part(&rel, &part))
		return openat(fd, ".", flags);
	for (bool more = true; more && fd >= 0; ) {
		char *name = xmemdup0(part.p, part.n);
		more = next_part(&rel, &part);
		int next = openat(fd, name, more ? O_PATH | O_NOFOLLOW |
		    O_DIRECTORY | O_CLOEXEC : flags | O_NOFOLLOW);
		int no = errno;

		free(name);
		if (fd != r->fd)
			close(fd);
		errno = no;
		fd = next;
	}
	return fd;
}

int
path_open_parent(const struct root *r, const char *rel, const char **base)
{
	char *dir = file_folder(rel);
	int fd = path_open(r, dir, O_RDONLY | O_DIRECTORY);

	*base = file_base(rel);
	free(dir);
	return fd;
}

int
path_chmod(const struct root *r, const char *rel, mode_t mode)
{
	const char *base;
	int dir = path_open_parent(r, rel, &base);
	int got = fchmodat(dir, base, mode & 07777, AT_SYMLINK_NOFOLLOW);

	file_close(dir);
	return got;
}

/* ---- finding ---- */

struct finder {
	const struct root *root;
	struct buf done;	/* the path so far, without links */
	char *rest;		/* the part not walked yet */
	int links;		/* followed so far */
	bool missing;		/* done does not exist */
	struct path *p;
	struct fault *f;
	const char *text;	/* as given, for messages */
};

static int
outside(struct finder *w)
{
	return fault_set(w->f, "denied", "%s is outside the root; only "
	    "paths beneath it can be used", w->text);
}

/* done is a link, open at fd: put its target before after.  1, or -1. */
static int
follow(struct finder *w, int fd, const char *after)
{
	char target[PATH_TEXT_MAX + 1];
	ssize_t n = readlinkat(fd, "", target, sizeof target - 1);
	const char *more = target;

	if (n < 0)
		return fault_sys(w->f, "cannot read the link", w->done.p);
	target[n] = '\0';
	texts_add(&w->p->links, xstrdup(w->done.p));
	if (++w->links > LINKS_MAX)
		return fault_set(w->f, "not_found",
		    "%s: too many links, one leads back to itself", w->text);
	if (target[0] == '/') {
		more = inside(w->root, target);
		if (more == NULL)
			return outside(w);
		buf_reset(&w->done);
	} else {
		pop_part(&w->done);
	}
	char *all = xasprintf("%s%s", more, after);
	free(w->rest);
	w->rest = all;
	return 1;
}

/* done does not exist, but may be the name of an entry that is not UTF-8 as it
 * is shown, with U+FFFD in it.  True: done is its name now; there is just one
 * shown like that. */
static bool
find_shown(struct finder *w)
{
	const char *base = file_base(w->done.p);
	char *found = NULL, *dir = file_folder(w->done.p);
	size_t at = w->done.len - strlen(base), same = 0;
	int fd = strstr(base, "\xef\xbf\xbd") != NULL ?
	    path_open(w->root, dir, O_RDONLY | O_DIRECTORY) : -1;
	DIR *d = fd >= 0 ? file_opendir(fd, ".") : NULL;
	struct dirent *e;

	while ((e = file_readdir(d)) != NULL) {
		struct buf shown = BUF_INIT(PATH_TEXT_MAX);

		utf8_clean(&shown, e->d_name, strlen(e->d_name));
		if (slice_is(buf_view(&shown), base) && same++ == 0)
			found = xstrdup(e->d_name);
		buf_release(&shown);
	}
	if (same == 1) {
		w->done.len = at;
		buf_adds(&w->done, found);
	}
	file_closedir(d);
	file_close(fd);
	FREE(found, dir);
	return same == 1;
}

/* Walk all of rest; a link is replaced by the parts of its target. */
static int
walk(struct finder *w)
{
	const char *at = w->rest;
	struct slice part;

	while (next_part(&at, &part)) {
		int r = 0;

		if (slice_is(part, "."))
			continue;
		if (slice_is(part, "..")) {
			if (w->done.len == 0)
				return outside(w);
			pop_part(&w->done);
			continue;
		}
		if (w->done.len > 0)
			buf_addc(&w->done, '/');
		buf_slice(&w->done, part);
		if (w->missing)
			continue;
		int fd = path_open(w->root, w->done.p, O_PATH | O_NOFOLLOW);
		if (fd < 0 && errno == ENOENT) {
			w->missing = !find_shown(w);
			if (w->missing)
				continue;
			fd = path_open(w->root, w->done.p, O_PATH |
			    O_NOFOLLOW);
		}
		if (fd < 0)
			return fault_sys(w->f, "cannot be opened", w->done.p);
		if (fstat(fd, &w->p->st) < 0)
			r = fault_sys(w->f, "cannot be examined", w->done.p);
		else if (S_ISLNK(w->p->st.st_mode))
			r = follow(w, fd, at);
		else if (*at == '/' && !S_ISDIR(w->p->st.st_mode) &&
		    !slice_starts(slice_of(at + strspn(at, "/")), "..")) {
			char *name = path_name(w->done.p);

			r = fault_set(w->f, "not_found", "%s is not a folder%s",
			    name, at[strspn(at, "/.")] == '\0' ?
			    "; drop the / after it" : "");
			free(name);
		}
		close(fd);
		if (r < 0)
			return -1;
		if (r > 0)
			at = w->rest;
	}
	return 0;
}

int
path_find(const struct root *root, struct slice text, struct path *p,
    struct fault *f)
{
	struct finder w = { .root = root, .p = p, .f = f,
		.done = BUF_INIT(BUF_RECORD_MAX) };
	char *name = NULL;
	int r = -1;

	*p = (struct path){ 0 };
	if (text.n > PATH_TEXT_MAX)
		return fault_set(f, "bad_arguments", "the path is longer "
		    "than %d bytes", PATH_TEXT_MAX);
	if (text.n == 0 || memchr(text.p, '\0', text.n) != NULL)
		return fault_set(f, "bad_arguments", text.n == 0 ?
		    "the path is empty" : "the path holds a NUL byte");
	char *given = xmemdup0(text.p, text.n);
	w.text = name = path_name(given);
	buf_adds(&w.done, "");
	const char *rest = given[0] == '/' ? inside(root, given) : given;
	if (rest != NULL)
		w.rest = xstrdup(rest);
	if (rest == NULL) {
		outside(&w);
	} else if (walk(&w) == 0) {
		/* the path without links is known: look at the file */
		p->rel = buf_detach(&w.done);
		p->name = path_name(p->rel);
		int fd = path_open(root, p->rel, O_PATH | O_NOFOLLOW);
		p->exists = fd >= 0 && fstat(fd, &p->st) == 0 &&
		    !S_ISLNK(p->st.st_mode);
		if (fd < 0 && errno != ENOENT)
			fault_sys(f, "cannot be opened", p->rel);
		else
			r = 0;
		file_close(fd);
	}
	if (r < 0)
		texts_release(&p->links);
	buf_release(&w.done);
	FREE(w.rest, given, name);
	return r;
}

void
path_release(struct path *p)
{
	FREE(p->rel, p->name);
	texts_release(&p->links);
	*p = (struct path){ 0 };
}

/* ---- the root ---- */

int
root_open(struct root *r, const char *dir, struct err *e)
{
	*r = (struct root){ .fd = -1, .real = realpath(dir, NULL) };
	if (r->real != NULL)
		r->fd = open(r->real, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (r->fd >= 0)
		return 0;
	err_sys(e, ST_NOINPUT, "%s", dir);
	root_close(r);
	return -1;
}

void
root_close(struct root *r)
{
	file_close(r->fd);
	free(r->real);
	*r = (struct root){ .fd = -1 };
}

bool
root_is_there(const struct root *r)
{
	struct stat was, now;

	return fstat(r->fd, &was) == 0 && stat(r->real, &now) == 0 &&
	    is_same_file(&was, &now);
}

int
root_open_folder(int dirfd, const char *name)
{
	return openat(dirfd, name,
	    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

int
root_folder(int dirfd, const char *name)
{
	if (file_mkdir(dirfd, name, 0700) < 0 && errno != EEXIST)
		return -1;
	return root_open_folder(dirfd, name);
}

int
root_hamr(int rootfd)
{
	int hamr = root_folder(rootfd, ".hamr");

	if (hamr < 0)
		return -1;
	state_ignore(hamr, ".gitignore");
	/* it must exist before a sandbox starts, to be visible in it */
	file_close(root_folder(hamr, "out"));
	return hamr;
}

/* ---- in words ---- */

int
fault_set(struct fault *f, const char *code, const char *fmt, ...)
{
	const size_t most = sizeof f->err.text - 1;
	struct buf text = BUF_INIT(BUF_RECORD_MAX);
	struct slice end;
	va_list ap;

	if (f == NULL)
		return -1;
	va_start(ap, fmt);
	buf_vfmt(&text, fmt, ap);
	va_end(ap);
	f->code = code;
	/* of a text that is too long, keep the end: what was wrong is there */
	end = utf8_last(buf_view(&text), most / 2);
	if (text.len > most)
		err_set(&f->err, ST_NO, "%.*s...%s",
		    (int)utf8_cut(text.p, text.len, most / 2 - 3), text.p,
		    end.p);
	else
		err_set(&f->err, ST_NO, "%s", text.p);
	buf_release(&text);
	return -1;
}

int
fault_sys(struct fault *f, const char *what, const char *rel)
{
	int no = errno;
	const char *code = "denied";
	char *name = path_name(rel);

	if (no == ENOSPC || no == EDQUOT || no == EFBIG || no == EIO)
		code = "storage_full";
	else if (no == ENOENT || no == ENOTDIR || no == ENAMETOOLONG ||
	    no == ELOOP)
		code = "not_found";
	fault_set(f, code, "%s: %s: %s", name, what, strerror(no));
	free(name);
	return -1;
}

void
path_show(struct buf *out, const char *rel)
{
	size_t n = strlen(rel);
	struct buf clean = BUF_INIT(BUF_RECORD_MAX);

	if (n == 0) {
		buf_addc(out, '.');
		return;
	}
	bool odd = utf8_clean(&clean, rel, n);
	for (size_t i = 0; i < n; i++)
		odd |= (unsigned char)rel[i] < ' ' || rel[i] == 0x7f;
	if (odd)
		scan_quote(out, clean.p, clean.len);
	else
		buf_add(out, rel, n);
	buf_release(&clean);
}

void
path_quote(struct buf *out, const char *rel)
{
	struct buf clean = BUF_INIT(BUF_RECORD_MAX);

	utf8_clean(&clean, rel, strlen(rel));
	scan_put(out, "@", buf_view(&clean));
	buf_release(&clean);
}

char *
path_name(const char *rel)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);

	path_show(&b, rel);
	return buf_detach(&b);
}

int64_t
file_birth_time(int dir, const char *name)
{
	struct statx x = { .stx_mask = 0 };

	return statx(dir, name, AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH,
	    STATX_BTIME, &x) < 0 || (x.stx_mask & STATX_BTIME) == 0 ? 0 :
	    time_ns((struct timespec){ x.stx_btime.tv_sec,
	    x.stx_btime.tv_nsec });
}

static struct slice
inode_key(const ino_t *ino)
{
	return (struct slice){ (const char *)ino, sizeof *ino };
}

void
file_remember(struct map *m, int dir, const char *name)
{
	struct stat st;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH) == 0)
		*map_put(m, inode_key(&st.st_ino), NULL) =
		    (uint64_t)file_birth_time(dir, name);
}

bool
file_is_known(const struct map *m, int dir, const char *name, ino_t ino)
{
	const uint64_t *born = map_get(m, inode_key(&ino));

	return born != NULL && *born != 0 &&
	    *born == (uint64_t)file_birth_time(dir, name);
}
