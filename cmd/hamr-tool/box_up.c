/* box_up.c - one sandbox goes up, in the best layer there is, and down. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "landlock.h"
#include "gitrepo.h"
#include "mem.h"
#include "which.h"

#include "box_in.h"

#define NOTES_MAX 8192

bool
box_mode_is(const struct boxes *bs, const char *word)
{
	return strcmp(conf_str(bs->conf, "sandbox.mode"), word) == 0;
}

/* ---- one goes up ---- */

char *
box_marks(const struct boxes *bs)
{
	struct buf b = BUF_INIT(1 << 20);
	struct box_git g;
	struct stat st;

	git_find(bs, &g);
	if (fstatat(bs->root.fd, ".hamr", &st, AT_SYMLINK_NOFOLLOW) == 0)
		buf_fmt(&b, "%lu %lu\n", st.st_dev, st.st_ino);
	if (fstatat(bs->root.fd, ".hamr/out", &st, AT_SYMLINK_NOFOLLOW) == 0)
		buf_fmt(&b, "%lu %lu\n", st.st_dev, st.st_ino);
	for (size_t i = 0; i < g.dirs.n; i++)
		if (lstat(g.dirs.v[i], &st) == 0)
			buf_fmt(&b, "%s %lu %lu\n", g.dirs.v[i], st.st_dev,
			    st.st_ino);
	git_release(&g);
	if (names_ask_git(&bs->names)) {
		char *dir = gitrepo_dir(bs->root.real);
		char *index = xasprintf("%s/index", dir != NULL ? dir : "");

		if (lstat(index, &st) == 0)
			buf_fmt(&b, "%lu %ld.%ld\n", st.st_ino,
			    st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
		free(index);
		free(dir);
	}
	buf_addc(&b, '.');
	return buf_detach(&b);
}

/* After a start that failed: as if it had not been tried. */
static void
take_down(struct box *b)
{
	if (b->ctl >= 0)
		close(b->ctl);
	b->ctl = -1;
	if (b->said >= 0)
		close(b->said);
	b->said = -1;
	box_await_end(b);
	cgroup_remove(b);
	stub_end(b);
	b->base.len = 0;
}

static void
drop_overlay(struct box *b)
{
	if (b->overlay != NULL)
		place_remove(b->overlay);
	free(b->overlay);
	b->overlay = NULL;
}

void
box_close(struct box *b)
{
	box_end(b, NULL);
	take_down(b);
	drop_overlay(b);
	buf_release(&b->base);
	buf_release(&b->notes);
	free(b->marks);
	free(b);
}

static bool
make_overlay(struct box *b)
{
	static const char *const parts[] = { "u", "w", "m" };
	char *name = xasprintf("o%p", (void *)b), *path;
	bool good;

	b->overlay = place_folder(b->bs, name);
	free(name);
	good = b->overlay != NULL;
	for (size_t i = 0; i < 3 && good; i++) {
		name = xasprintf("%s/%s", b->overlay + strlen(b->bs->temp) + 1,
		    parts[i]);
		path = place_folder(b->bs, name);
		good = path != NULL;
		free(path);
		free(name);
	}
	if (!good)
		drop_overlay(b);
	return good;
}

static int
try_bwrap(struct box *b, struct err *e)
{
	struct boxes *bs = b->bs;

	if (b->said >= 0)	/* it is going up */
		return start_end(b, e);
	if (bs->bwrap == NULL)
		bs->bwrap = which_program("bwrap", bs->root.real);
	if (bs->bwrap == NULL)
		return err_set(e, ST_SYSTEM, "bubblewrap is not installed; "
		    "install the package bubblewrap");
	if (bs->temp == NULL)
		return err_set(e, ST_SYSTEM, "no temporary folder can be "
		    "made; free some room in /tmp");
	if (b->want.kind == BOX_PRIVATE && bs->overlay_why[0] == '\0' &&
	    make_overlay(b)) {
		if (start_supervisor(b, e) == 0)
			return 0;
		take_down(b);
		drop_overlay(b);
		if (e->status == ST_TEMP)
			return -1;
		snprintf(bs->overlay_why, sizeof bs->overlay_why, "%.250s",
		    e->text);
	}
	b->scratch = b->want.kind == BOX_PRIVATE;
	if (b->scratch)
		buf_adds(&b->base, "the root was read-only but for scratch "
		    "folders, as no private copy of it can be made here");
	return start_supervisor(b, e);
}

static int
try_layer(struct box *b, struct err *e)
{
	if (b->layer == LAYER_BWRAP)
		return try_bwrap(b, e);
	if (b->layer == LAYER_LANDLOCK && landlock_version() == 0)
		return err_set(e, ST_SYSTEM, "this kernel has no Landlock");
	if (b->layer == LAYER_LANDLOCK && b->want.kind == BOX_PRIVATE)
		buf_adds(&b->base, "the root was read-only, as no private "
		    "copy of it can be made here");
	return start_supervisor(b, e);
}

/* Said once, in plain words, to who started us. */
static void
say_once(struct boxes *bs)
{
	if (bs->told || bs->layer == LAYER_BWRAP)
		return;
	bs->told = true;
	if (box_mode_is(bs, "off"))
		err_say("commands run without a sandbox, as the "
		    "configuration says (sandbox.mode)");
	else if (bs->layer == LAYER_LANDLOCK)
		err_say("commands run under Landlock, not in bubblewrap "
		    "(%s): %s; see hamr-tool --sandbox-status",
		    bs->why[LAYER_BWRAP].text,
		    landlock_lacks(landlock_version()));
	else
		err_say("commands run without a sandbox and can touch all "
		    "that you can (%s); see hamr-tool --sandbox-status",
		    bs->why[LAYER_BWRAP].text);
}

/* From the best layer down, until one works; the first that did is all that is
 * tried from then on. */
static int
put_up(struct box *b, struct err *e)
{
	struct boxes *bs = b->bs;
	enum box_layer layer = b->want.bare || box_mode_is(bs, "off") ?
	    LAYER_NONE : bs->probed ? bs->layer : LAYER_BWRAP;

	for (;; layer--) {
		int got;

		b->layer = layer;
		got = try_layer(b, e);
		if (got == 0)
			break;
		take_down(b);
		/* no memory or no processes now, too much to be masked: no
		 * reason for a lesser one */
		if (bs->probed || layer == LAYER_NONE ||
		    e->status == ST_TEMP || e->status == ST_POLICY)
			return -1;
		bs->why[layer] = *e;
	}
	if (!b->want.bare && !bs->probed) {
		bs->probed = true;
		bs->layer = layer;
	}
	if (!b->want.bare)
		say_once(bs);
	return 0;
}

const char *
box_refusal(struct boxes *bs, enum box_kind kind)
{
	const char *why = box_mode_is(bs, "off") ? "the configuration "
	    "switched it off (sandbox.mode)" : bs->why[LAYER_BWRAP].text;

	if (bs->layer >= LAYER_LANDLOCK)
		return NULL;
	if (kind == BOX_WRITE && !box_mode_is(bs, "require"))
		return NULL;
	snprintf(bs->refusal, sizeof bs->refusal, "there is no sandbox here "
	    "(%.300s)", why);
	return bs->refusal;
}

static struct box *
new_box(struct boxes *bs, const struct box_want *w)
{
	struct box *b = xcalloc(1, sizeof *b);
	struct box_git g;

	*b = (struct box){ .bs = bs, .want = *w, .pid = -1, .ctl = -1,
		.journal = -1, .said = -1, .base = BUF_INIT(NOTES_MAX),
		.notes = BUF_INIT(NOTES_MAX) };
	git_find(bs, &g);
	/* a link can be replaced, and then git obeys what is there */
	b->locked = g.linked && w->kind == BOX_WRITE && !w->bare &&
	    !box_mode_is(bs, "off");
	b->no_git = g.missing;
	git_release(&g);
	b->look = bs->names.look;
	return b;
}

struct box *
box_up_begin(struct boxes *bs, const struct box_want *w)
{
	struct box *b;
	struct err e;

	if (w->bare || w->kind == BOX_PRIVATE || bs->temp == NULL ||
	    box_mode_is(bs, "off") ||
	    (bs->probed && bs->layer != LAYER_BWRAP))
		return NULL;
	if (bs->bwrap == NULL)
		bs->bwrap = which_program("bwrap", bs->root.real);
	if (bs->bwrap == NULL)
		return NULL;
	b = new_box(bs, w);
	b->layer = LAYER_BWRAP;
	if (start_begin(b, &e) < 0) {
		box_close(b);
		return NULL;
	}
	b->marks = box_marks(bs);
	return b;
}

struct box *
box_up_end(struct box *b, struct err *e)
{
	struct boxes *bs = b->bs;
	const char *no;

	if (put_up(b, e) < 0) {
		box_close(b);
		return NULL;
	}
	no = b->want.bare ? NULL : box_refusal(bs, b->want.kind);
	if (no != NULL) {
		err_set(e, ST_POLICY, "%s", no);
		box_close(b);
		return NULL;
	}
	if (b->locked && b->layer == LAYER_BWRAP)
		buf_adds(&b->base, "the root was read-only, as its .git is a "
		    "link, which cannot be protected");
	free(b->marks);
	b->marks = box_marks(bs);
	return b;
}

struct box *
box_up(struct boxes *bs, const struct box_want *w, struct err *e)
{
	return box_up_end(new_box(bs, w), e);
}
