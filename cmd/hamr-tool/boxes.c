/* boxes.c - which sandbox there is, and the ones that stay up. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"

#include "box_in.h"

struct boxes *
boxes_new(const struct conf *c, const char *root)
{
	struct boxes *bs = xcalloc(1, sizeof *bs);
	struct err e;

	bs->conf = c;
	bs->lock = bs->session_fd = -1;
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

static void
close_residents(struct boxes *bs)
{
	for (int i = 0; i < NRESIDENT; i++) {
		if (bs->resident[i] != NULL)
			box_close(bs->resident[i]);
		bs->resident[i] = NULL;
	}
	if (bs->early != NULL)
		box_close(bs->early);
	bs->early = NULL;
}

bool
boxes_session(struct boxes *bs, const char *id)
{
	if (id != NULL && bs->session != NULL && strcmp(id, bs->session) == 0)
		return false;
	close_residents(bs);
	tmp_close(bs);
	free(bs->session);
	bs->session = id != NULL ? xstrdup(id) : NULL;
	bs->ended = false;
	if (bs->opened)
		tmp_open(bs);
	return bs->opened;
}

void
boxes_session_ended(struct boxes *bs, bool ended)
{
	bs->ended = ended;
}

void
boxes_free(struct boxes *bs)
{
	if (bs == NULL)
		return;
	close_residents(bs);
	place_close(bs);
	if (bs->root.fd >= 0)
		root_close(&bs->root);
	free(bs->bwrap);
	free(bs);
}

/* ---- one for whoever asks ---- */

static bool
look(struct boxes *bs)
{
	if (bs->root.fd < 0)
		return false;
	place_open(bs);
	if (!box_mode_is(bs, "off"))
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
	return box_up(bs, w, e);
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
	now = box_marks(b->bs);
	same = strcmp(now, b->marks) == 0;
	free(now);
	return same;
}

void
boxes_prepare(struct boxes *bs, const struct box_want *w)
{
	/* of a call that was stopped: it does not know what came since */
	if (bs->early != NULL)
		box_close(bs->early);
	bs->early = NULL;
	if (w->kind != BOX_PRIVATE && bs->resident[w->kind] == NULL &&
	    look(bs))
		bs->early = box_up_begin(bs, w);
}

static struct box *
keep_up(struct box **slot, struct box *b)
{
	*slot = b;
	if (b != NULL)
		b->is_resident = true;
	return b;
}

struct box *
boxes_resident(struct boxes *bs, const struct box_want *w, struct err *e)
{
	struct box **slot, *early = bs->early;

	if (w->kind == BOX_PRIVATE)
		return box_open(bs, w, e);
	slot = &bs->resident[w->kind];
	if (early != NULL && early->want.kind == w->kind) {
		bs->early = NULL;
		if (*slot == NULL && is_good(early, w))
			return keep_up(slot, box_up_end(early, e));
		box_close(early);
	}
	if (!look(bs)) {
		err_set(e, ST_SYSTEM, "the root cannot be opened");
		return NULL;
	}
	if (*slot != NULL) {
		box_learn(*slot);
		if (is_good(*slot, w))
			return *slot;
		box_close(*slot);
	}
	return keep_up(slot, box_up(bs, w, e));
}

const char *
boxes_refuse(struct boxes *bs, enum box_kind kind)
{
	struct box_want w = boxes_want(bs, BOX_READ);
	struct box *b;
	struct err e;

	if (!bs->probed && !box_mode_is(bs, "off")) {
		b = boxes_resident(bs, &w, &e);
		if (b == NULL && !bs->probed) {
			snprintf(bs->refusal, sizeof bs->refusal, "no sandbox "
			    "could be started (%.400s)", e.text);
			return kind == BOX_WRITE && !box_mode_is(bs,
			    "require") ? NULL : bs->refusal;
		}
	}
	return box_refusal(bs, kind);
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
box_drop(struct box *b)
{
	for (int i = 0; i < NRESIDENT; i++)
		if (b->bs->resident[i] == b)
			b->bs->resident[i] = NULL;
	box_close(b);
}

void
box_done(struct box *b, struct buf *notes)
{
	box_end(b, NULL);
	box_settle(b, notes);
	if (!b->is_resident)
		box_close(b);
}
