/* box_quarantine.c - names that appeared and that other programs would obey
 * are moved where nobody does. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mem.h"

#include "box_in.h"

#define FOLDER "quarantine"
#define TRIES 1000
#define SAID_MAX 5

/* A name of its own in .hamr/quarantine. */
static bool
move(const struct boxes *bs, int to, const char *rel)
{
	const char *base;
	int from = path_open_parent(&bs->root, rel, &base);
	bool moved = false;

	if (from < 0)
		return false;
	for (int i = 1; i <= TRIES && !moved; i++) {
		char *name = xasprintf("%d-%s", i, base);

		moved = renameat2(from, base, to, name, RENAME_NOREPLACE) ==
		    0;
		free(name);
		if (!moved && errno != EEXIST && errno != ENOTEMPTY)
			break;
	}
	close(from);
	return moved;
}

static int
open_folder(const struct boxes *bs)
{
	int hamr = stub_hamr(bs), fd;

	if (hamr < 0)
		return -1;
	if (mkdirat(hamr, FOLDER, 0700) < 0 && errno != EEXIST) {
		close(hamr);
		return -1;
	}
	fd = openat(hamr, FOLDER, O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
	    O_CLOEXEC);
	close(hamr);
	return fd;
}

struct said {
	struct texts moved, stuck;
};

static void
tell(struct box *b, const struct texts *t, const char *what)
{
	for (size_t i = 0; i < t->n && i < SAID_MAX; i++) {
		char *name = path_name(t->v[i]);

		buf_fmt(&b->notes, "%s%s", i > 0 ? ", " : b->notes.len > 0 ?
		    "; " : "", i == 0 ? what : "");
		buf_adds(&b->notes, name);
		free(name);
	}
	if (t->n > SAID_MAX)
		buf_fmt(&b->notes, ", %zu more", t->n - SAID_MAX);
}

static void
move_one(struct box *b, int *to, const char *rel, struct said *s)
{
	if (*to < 0)
		*to = open_folder(b->bs);
	texts_add(*to >= 0 && move(b->bs, *to, rel) ? &s->moved : &s->stuck,
	    xstrdup(rel));
}

static bool
is_there(const struct box *b, const char *rel, struct stat *st)
{
	return fstatat(b->bs->root.fd, rel, st, AT_SYMLINK_NOFOLLOW) == 0;
}

/* In a git directory that may be written, what would lead git elsewhere; and
 * one that nothing kept from being made. */
static void
look_at_git(struct box *b, int *to, struct said *s)
{
	bool write = conf_bool(b->bs->conf, "sandbox.git_write");
	struct stat st;

	if (!is_there(b, ".git", &st))
		return;
	if (!write && b->no_git && b->layer < LAYER_BWRAP)
		move_one(b, to, ".git", s);
	else if (write && S_ISDIR(st.st_mode) &&
	    is_there(b, ".git/commondir", &st))
		move_one(b, to, ".git/commondir", s);
}

bool
quarantine(struct box *b, unsigned look)
{
	const struct names *n = &b->bs->names;
	struct said s = { .moved = { NULL, 0, 0 } };
	bool any;
	int to = -1;

	for (size_t i = 0; i < n->n; i++)
		if (n->v[i].kind == NAME_GUARDED && n->v[i].since > look)
			move_one(b, &to, n->v[i].rel, &s);
	look_at_git(b, &to, &s);
	tell(b, &s.moved, "moved to .hamr/" FOLDER ": ");
	tell(b, &s.stuck, "made and could not be moved away: ");
	any = s.moved.n > 0;
	texts_release(&s.moved);
	texts_release(&s.stuck);
	if (to >= 0)
		close(to);
	return any;
}
