/* boxes.c - which sandbox there is, and the ones that stay up. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "landlock.h"
#include "mem.h"
#include "which.h"

#include "box_in.h"

#define NOTES_MAX 8192

static bool
mode_is(const struct boxes *bs, const char *word)
{
	return strcmp(conf_str(bs->conf, "sandbox.mode"), word) == 0;
}

struct boxes *
boxes_new(const struct conf *c, const char *root)
{
	struct boxes *bs = xcalloc(1, sizeof *bs);
	struct err e;

	bs->conf = c;
	bs->lock = -1;
	if (root_open(&bs->root, root, &e) < 0)
		bs->root.fd = -1;
	return bs;
}

struct box_want
boxes_want(const struct boxes *bs, enum box_kind kind)
{
	return (struct box_want){ .kind = kind,
		.network = conf_bool(bs->conf, "sandbox.network"),
		.unix_sockets = conf_bool(bs->conf, "sandbox.unix_sockets") };
}

void
boxes_free(struct boxes *bs)
{
	if (bs == NULL)
		return;
	for (int i = 0; i < NRESIDENT; i++)
		if (bs->resident[i] != NULL)
			box_close(bs->resident[i]);
	place_close(bs);
	if (bs->root.fd >= 0)
		root_close(&bs->root);
	free(bs->bwrap);
	free(bs);
}

/* ---- one goes up ---- */

/* What stands for the protected things as they are: when one is another, the
 * box must be put up anew. */
static char *
marks(const struct boxes *bs)
{
	struct buf b = BUF_INIT(1 << 20);
	struct box_git g;
	struct stat st;

	git_find(bs, &g);
	if (fstatat(bs->root.fd, ".hamr", &st, AT_SYMLINK_NOFOLLOW) == 0)
		buf_fmt(&b, "%lu %lu\n", st.st_dev, st.st_ino);
	for (size_t i = 0; i < g.dirs.n; i++)
		if (lstat(g.dirs.v[i], &st) == 0)
			buf_fmt(&b, "%s %lu %lu\n", g.dirs.v[i], st.st_dev,
			    st.st_ino);
	git_release(&g);
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
	if (mode_is(bs, "off"))
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
	enum box_layer layer = b->want.bare || mode_is(bs, "off") ?
	    LAYER_NONE : bs->probed ? bs->layer : LAYER_BWRAP;

	for (;; layer--) {
		int got;

		b->layer = layer;
		got = try_layer(b, e);
		if (got == 0)
			break;
		take_down(b);
		/* no memory or no processes now: no reason for a lesser one */
		if (bs->probed || layer == LAYER_NONE || e->status == ST_TEMP)
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

static const char *
refusal(struct boxes *bs, enum box_kind kind)
{
	const char *why = mode_is(bs, "off") ? "the configuration switched it "
	    "off (sandbox.mode)" : bs->why[LAYER_BWRAP].text;

	if (bs->layer >= LAYER_LANDLOCK)
		return NULL;
	if (kind == BOX_WRITE && !mode_is(bs, "require"))
		return NULL;
	snprintf(bs->refusal, sizeof bs->refusal, "there is no sandbox here "
	    "(%.300s)", why);
	return bs->refusal;
}

static struct box *
open_box(struct boxes *bs, const struct box_want *w, struct err *e)
{
	struct box *b = xcalloc(1, sizeof *b);
	struct box_git g;
	const char *no;

	*b = (struct box){ .bs = bs, .want = *w, .pid = -1, .ctl = -1,
		.journal = -1, .base = BUF_INIT(NOTES_MAX),
		.notes = BUF_INIT(NOTES_MAX) };
	git_find(bs, &g);
	/* a link can be replaced, and then git obeys what is there */
	b->locked = g.linked && w->kind == BOX_WRITE && !w->bare &&
	    !mode_is(bs, "off");
	b->no_git = g.missing;
	git_release(&g);
	b->look = bs->names.look;
	if (put_up(b, e) < 0) {
		box_close(b);
		return NULL;
	}
	no = w->bare ? NULL : refusal(bs, w->kind);
	if (no != NULL) {
		err_set(e, ST_POLICY, "%s", no);
		box_close(b);
		return NULL;
	}
	if (b->locked && b->layer == LAYER_BWRAP)
		buf_adds(&b->base, "the root was read-only, as its .git is a "
		    "link, which cannot be protected");
	b->marks = marks(bs);
	return b;
}

static bool
look(struct boxes *bs)
{
	if (bs->root.fd < 0)
		return false;
	place_open(bs);
	if (!mode_is(bs, "off"))
		names_look(&bs->names);
	return true;
}

struct box *
box_open(struct boxes *bs, const struct box_want *w, struct err *e)
{
	if (!look(bs)) {
		err_set(e, ST_SYSTEM, "the root cannot be opened");
		return NULL;
	}
	return open_box(bs, w, e);
}

/* ---- those that stay up ---- */

static bool
is_good(const struct box *b, const struct box_want *w)
{
	char *now;
	bool same;

	if (b->lost || b->want.network != w->network ||
	    b->want.unix_sockets != w->unix_sockets ||
	    (b->layer == LAYER_BWRAP && b->look < b->bs->names.changed))
		return false;
	now = marks(b->bs);
	same = strcmp(now, b->marks) == 0;
	free(now);
	return same;
}

struct box *
boxes_resident(struct boxes *bs, const struct box_want *w, struct err *e)
{
	struct box **slot;

	if (w->kind == BOX_PRIVATE)
		return box_open(bs, w, e);
	if (!look(bs)) {
		err_set(e, ST_SYSTEM, "the root cannot be opened");
		return NULL;
	}
	slot = &bs->resident[w->kind];
	if (*slot != NULL) {
		box_learn(*slot);
		if (is_good(*slot, w))
			return *slot;
		box_close(*slot);
	}
	*slot = open_box(bs, w, e);
	if (*slot != NULL)
		(*slot)->is_resident = true;
	return *slot;
}

const char *
boxes_refuse(struct boxes *bs, enum box_kind kind)
{
	struct box_want w = boxes_want(bs, BOX_READ);
	struct box *b;
	struct err e;

	if (!bs->probed && !mode_is(bs, "off")) {
		b = boxes_resident(bs, &w, &e);
		if (b == NULL && !bs->probed) {
			snprintf(bs->refusal, sizeof bs->refusal, "no sandbox "
			    "could be started (%.400s)", e.text);
			return kind == BOX_WRITE && !mode_is(bs, "require") ?
			    NULL : bs->refusal;
		}
	}
	return refusal(bs, kind);
}

/* ---- and down ---- */

void
box_settle(struct box *b, struct buf *notes)
{
	struct boxes *bs = b->bs;
	unsigned before = bs->names.look;

	if (b->want.kind == BOX_WRITE && b->layer >= LAYER_LANDLOCK) {
		names_look(&bs->names);
		if (quarantine(b, before))
			names_look(&bs->names);
	}
	if (notes != NULL && b->base.len > 0)
		buf_fmt(notes, "%s%s", notes->len > 0 ? "; " : "", b->base.p);
	if (notes != NULL && b->notes.len > 0)
		buf_fmt(notes, "%s%s", notes->len > 0 ? "; " : "",
		    b->notes.p);
	buf_reset(&b->notes);
}

void
box_done(struct box *b, struct buf *notes)
{
	box_end(b, NULL);
	box_settle(b, notes);
	if (!b->is_resident)
		box_close(b);
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
