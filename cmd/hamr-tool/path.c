/* path.c - names beneath the root: what a path means, how it is opened. */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "mem.h"

#include "path.h"

#define LINKS_MAX 40		/* as the kernel's own limit */

/* ---- names ---- */

/* Take the next part of *rest; false when there is none. */
static bool
next_part(const char **rest, struct slice *part)
{
	const char *p = *rest != NULL ? *rest : "";

	p += strspn(p, "/");
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

static void
push_part(struct buf *b, struct slice part)
{
	if (b->len > 0)
		buf_addc(b, '/');
	buf_slice(b, part);
}

/* What is left of an absolute text beneath folder; NULL when it is not
 * beneath. */
static const char *
beneath(const char *text, const char *folder)
{
	const char *t = text;
	struct slice want, got;

	while (next_part(&folder, &want)) {
		do {
			if (!next_part(&t, &got))
				return NULL;
		} while (slice_is(got, "."));
		if (!slice_eq(got, want))
			return NULL;
	}
	return t;
}

/* An absolute text without "." and "..", by its letters only. */
static char *
plain(const char *text)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);
	struct slice part;

	buf_adds(&b, "");
	while (next_part(&text, &part)) {
		if (slice_is(part, ".."))
			pop_part(&b);
		else if (!slice_is(part, "."))
			push_part(&b, part);
	}
	return buf_detach(&b);
}

/* As beneath, for both names of the root. */
static char *
inside(const struct root *r, const char *text)
{
	const char *rest = beneath(text, r->real);
	char *letters, *got = NULL;

	if (rest == NULL)
		rest = beneath(text, r->given);
	if (rest != NULL)
		return xstrdup(rest);
	letters = plain(text);
	rest = beneath(letters, r->real);
	if (rest == NULL)
		rest = beneath(letters, r->given);
	if (rest != NULL)
		got = xstrdup(rest);
	free(letters);
	return got;
}

/* ---- opening ---- */

/* For kernels without openat2: part by part, no link followed. */
static int
walk_open(const struct root *r, const char *rel, int flags)
{
	const char *rest = rel;
	struct slice part;
	int fd = r->fd;

	if (!next_part(&rest, &part))
		return openat(fd, ".", flags);
	for (;;) {
		char *name = xmemdup0(part.p, part.n);
		bool more = next_part(&rest, &part);
		int next = openat(fd, name, more ? O_PATH | O_NOFOLLOW |
		    O_DIRECTORY | O_CLOEXEC : flags | O_NOFOLLOW);
		int no = errno;

		free(name);
		if (fd != r->fd)
			close(fd);
		errno = no;
		if (next < 0 || !more)
			return next;
		fd = next;
	}
}

int
path_open(const struct root *r, const char *rel, int flags)
{
	struct open_how how = {
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS |
		    RESOLVE_NO_SYMLINKS,
	};
	long fd;

	flags |= O_CLOEXEC;
	if (!(flags & O_PATH))
		flags |= O_NONBLOCK | O_NOCTTY;
	how.flags = (unsigned)flags;
	do
		fd = syscall(SYS_openat2, r->fd, *rel != '\0' ? rel : ".",
		    &how, sizeof how);
	while (fd < 0 && (errno == EINTR || errno == EAGAIN));
	if (fd < 0 && (errno == ENOSYS || errno == EPERM))
		return walk_open(r, rel, flags);
	return (int)fd;
}

int
path_open_parent(const struct root *r, const char *rel, const char **base)
{
	const char *slash = strrchr(rel, '/');
	char *dir = slash != NULL ? xmemdup0(rel, (size_t)(slash - rel)) :
	    xstrdup("");
	int fd = path_open(r, dir, O_RDONLY | O_DIRECTORY);

	*base = slash != NULL ? slash + 1 : rel;
	free(dir);
	return fd;
}

/* ---- finding ---- */

struct finder {
	const struct root *root;
	struct buf done;	/* the true name so far */
	char *rest;		/* what is still to be walked */
	int links;
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

/* done is a link, open at fd: what it says comes before the rest. */
static int
follow(struct finder *w, int fd, const char *after)
{
	char target[PATH_TEXT_MAX + 1];
	ssize_t n = readlinkat(fd, "", target, sizeof target - 1);
	char *more, *all;

	if (n < 0)
		return fault_sys(w->f, "cannot read the link", w->done.p);
	target[n] = '\0';
	if (++w->links > LINKS_MAX)
		return fault_set(w->f, "not_found",
		    "%s: too many links, one leads back to itself", w->text);
	if (target[0] == '/') {
		more = inside(w->root, target);
		if (more == NULL)
			return outside(w);
		buf_reset(&w->done);
	} else {
		more = xstrdup(target);
		pop_part(&w->done);
	}
	all = xasprintf("%s/%s", more, after);
	free(more);
	free(w->rest);
	w->rest = all;
	return 1;
}

/* Walk one part further.  1: rest was exchanged (a link), 0, or -1. */
static int
step(struct finder *w, struct slice part, const char *after)
{
	int fd, r = 0;

	if (slice_is(part, "."))
		return 0;
	if (slice_is(part, "..")) {
		if (w->done.len == 0)
			return outside(w);
		pop_part(&w->done);
		return 0;
	}
	push_part(&w->done, part);
	if (w->missing)
		return 0;
	fd = path_open(w->root, w->done.p, O_PATH | O_NOFOLLOW);
	if (fd < 0 && errno == ENOENT) {
		w->missing = true;
		return 0;
	}
	if (fd < 0)
		return fault_sys(w->f, "cannot be opened", w->done.p);
	if (fstat(fd, &w->p->st) < 0)
		r = fault_sys(w->f, "cannot be examined", w->done.p);
	else if (S_ISLNK(w->p->st.st_mode))
		r = follow(w, fd, after);
	close(fd);
	return r;
}

static int
walk(struct finder *w)
{
	const char *at = w->rest;
	struct slice part;

	while (next_part(&at, &part)) {
		int r = step(w, part, at);

		if (r < 0)
			return -1;
		if (r > 0)
			at = w->rest;
	}
	return 0;
}

/* The true name is known: look at what it names. */
static int
arrive(struct finder *w, bool folder)
{
	struct path *p = w->p;
	int fd;

	p->rel = buf_detach(&w->done);
	fd = path_open(w->root, p->rel, O_PATH | O_NOFOLLOW);
	if (fd < 0 && errno != ENOENT)
		return fault_sys(w->f, "cannot be opened", p->rel);
	p->exists = fd >= 0 && fstat(fd, &p->st) == 0 &&
	    !S_ISLNK(p->st.st_mode);
	if (fd >= 0)
		close(fd);
	if (folder && p->exists && !S_ISDIR(p->st.st_mode))
		return fault_set(w->f, "not_found", "%s is no folder; "
		    "leave the / at its end out", w->text);
	return 0;
}

int
path_find(const struct root *root, struct slice text, struct path *p,
    struct fault *f)
{
	struct finder w = { .root = root, .p = p, .f = f,
		.done = BUF_INIT(BUF_RECORD_MAX) };
	char *name = NULL, *given;
	int r = -1;

	*p = (struct path){ 0 };
	if (text.n > PATH_TEXT_MAX)
		return fault_set(f, "bad_arguments", "the path is longer "
		    "than %d bytes", PATH_TEXT_MAX);
	if (text.n == 0 || memchr(text.p, '\0', text.n) != NULL)
		return fault_set(f, "bad_arguments", text.n == 0 ?
		    "the path is empty" : "the path holds a NUL byte");
	given = xmemdup0(text.p, text.n);
	w.text = name = path_name(given);
	buf_adds(&w.done, "");
	w.rest = given[0] == '/' ? inside(root, given) : xstrdup(given);
	if (w.rest == NULL)
		outside(&w);
	else if (walk(&w) == 0)
		r = arrive(&w, given[text.n - 1] == '/');
	buf_release(&w.done);
	free(w.rest);
	free(given);
	free(name);
	return r;
}

void
path_release(struct path *p)
{
	free(p->rel);
	*p = (struct path){ 0 };
}

/* ---- the root ---- */

int
root_open(struct root *r, const char *dir, struct err *e)
{
	*r = (struct root){ .fd = -1 };
	r->real = realpath(dir, NULL);
	if (r->real != NULL)
		r->fd = open(r->real, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (r->fd < 0) {
		err_sys(e, ST_NOINPUT, "%s", dir);
		free(r->real);
		*r = (struct root){ .fd = -1 };
		return -1;
	}
	r->given = xstrdup(dir);
	return 0;
}

void
root_close(struct root *r)
{
	if (r->fd >= 0)
		close(r->fd);
	free(r->given);
	free(r->real);
	*r = (struct root){ .fd = -1 };
}
