/* sandboxes.c - which sandbox a command gets: a new one in the best layer that
 * works, or one that stays up. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/file.h"
#include "base/mem.h"
#include "git/gitrepo.h"

#include "internal.h"
#include "supervisor/restrict.h"

#define NOTES_MAX 8192
#define TRIES 12		/* while the root keeps changing, */
#define TRIES_NEW 3		/* if only names changed */
#define NAP_NS 20000000L

static bool
mode_is(const struct sandboxes *bs, const char *word)
{
	return strcmp(conf_str(bs->conf, "sandbox.mode"), word) == 0;
}

/* A text that changes when what must be protected does: the box must then be
 * reopened.  The caller frees it. */
static char *
marks_of(const struct sandboxes *bs, enum box_layer layer)
{
	static const char *const own[] = { ".hamr", ".hamr/out" };
	struct buf b = BUF_INIT(1 << 20);
	struct stat st;

	git_fingerprint(bs, &b);	/* first: box_done compares it alone */
	buf_fmt(&b, "%llx %u\n", (unsigned long long)bs->hidden_as, layer ==
	    LAYER_BWRAP ? bs->names.changed : 0);
	for (size_t i = 0; i < 2; i++)
		if (fstatat(bs->root.fd, own[i], &st, AT_SYMLINK_NOFOLLOW) ==
		    0)
			buf_fmt(&b, "%lu %lu\n", st.st_dev, st.st_ino);
	if (names_ask_git(&bs->names)) {
		char *dir = gitrepo_dir(bs->root.real);
		char *index = xasprintf("%s/index", dir != NULL ? dir : "");

		if (lstat(index, &st) == 0)
			buf_fmt(&b, "%lu %ld.%ld\n", st.st_ino,
			    st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
		FREE(index, dir);
	}
	buf_addc(&b, '.');
	return buf_detach(&b);
}

static int
try_bwrap(struct box *b, struct err *e)
{
	static const char *const parts[] = { "", "/u", "/w", "/m" };
	struct sandboxes *bs = b->bs;
	bool private = b->spec.kind == BOX_PRIVATE;
	bool overlay = private && bs->overlay_why[0] == '\0', good = overlay;

	if (bs->bwrap == NULL)
		bs->bwrap = which_program("bwrap", bs->root.real);
	/* the system's first, as it may have more rights than our own */
	if (bs->bwrap == NULL)
		bs->bwrap = which_beside("bwrap", bs->root.real);
	if (bs->bwrap == NULL)
		return err_set(e, ST_SYSTEM, "bubblewrap is not installed; "
		    "install the package bubblewrap");
	if (bs->temp == NULL)
		return err_set(e, ST_SYSTEM, "cannot create a temporary "
		    "folder; make /tmp writable and free some space there");
	for (size_t i = 0; i < 4 && good; i++) {
		char *name = xasprintf("o%p%s", (void *)b, parts[i]);
		char *path = folders_make(bs, name);

		good = path != NULL;
		free(name);
		if (i == 0)
			b->overlay = path;
		else
			free(path);
	}
	if (good && box_start(b, e) == 0)
		return 0;
	if (overlay)
		box_abort(b);
	if (good && e->status == ST_TEMP)
		return -1;
	if (good)
		snprintf(bs->overlay_why, sizeof bs->overlay_why, "%.250s",
		    e->text);
	b->scratch = private;
	if (b->scratch)
		buf_adds(&b->base, "the root was read-only except for scratch "
		    "folders, as no private copy of it can be made here");
	return box_start(b, e);
}

bool
sandboxes_note_existing(struct sandboxes *bs)
{
	if (bs->root.fd < 0)
		return false;
	if (!bs->opened) {
		bs->opened = true;
		owner_find(bs);
		folders_open(bs);
		stubs_remove_stale(bs);
	}
	if (!mode_is(bs, "off")) {
		unsigned before = bs->names.look;

		owner_refresh(bs);
		names_look(&bs->names);
		if (bs->staying != NULL)
			names_report(bs, before);
		bs->no_git = git_is_missing(bs->root.fd);
	}
	return true;
}

/* Start b in bubblewrap; retry while names in the root change, or while only
 * the root makes it fail, which is no reason for a lesser layer (ST_TEMP). */
static int
insist_on_bwrap(struct box *b, struct err *e)
{
	const struct timespec nap = { .tv_nsec = NAP_NS };
	struct sandboxes *bs = b->bs;

	for (int i = 1;; i++) {
		int got = try_bwrap(b, e);

		if (got == 0 && (i >= TRIES_NEW || !names_look(&bs->names)))
			return 0;
		/* Does bubblewrap work here at all?  If so, something in the
		 * root made it fail, perhaps put there to do that. */
		if (got < 0) {
			struct box probe = { .bs = bs, .layer = LAYER_BWRAP,
				.spec = { .kind = BOX_READ }, .pid = -1,
				.fd = -1, .stubs_lock = -1,
				.base = BUF_INIT(NOTES_MAX),
				.bare_root = true };
			struct err why;
			bool works = e->status == ST_SYSTEM &&
			    bs->bwrap != NULL && bs->temp != NULL &&
			    box_start(&probe, &why) == 0;

			box_abort(&probe);
			if (!works)
				return got;
		}
		if (i == TRIES) {
			struct err why = *e;

			return err_set(e, ST_TEMP, "something in the root "
			    "keeps its sandbox from starting: %s", why.text);
		}
		box_abort(b);
		nanosleep(&nap, NULL);
		sandboxes_note_existing(bs);
	}
}

/* Try the layers from the best down; later boxes use the first that worked. */
static int
put_up(struct box *b, struct err *e)
{
	static const char *const names[] = { [LAYER_NONE] = "none",
		[LAYER_SECCOMP] = "seccomp", [LAYER_LANDLOCK] = "landlock",
		[LAYER_BWRAP] = "bubblewrap" };
	struct sandboxes *bs = b->bs;
	enum box_layer layer = b->spec.bare || mode_is(bs, "off") ?
	    LAYER_NONE : bs->probed ? bs->layer : LAYER_BWRAP;

	for (;; layer--) {
		int got;

		b->layer = layer;
		b->name = names[layer];
		if (layer == LAYER_LANDLOCK && b->spec.kind == BOX_PRIVATE)
			buf_adds(&b->base, "the root was read-only, as no "
			    "private copy of it can be made here");
		if (layer == LAYER_BWRAP)
			got = insist_on_bwrap(b, e);
		else if (layer == LAYER_LANDLOCK && landlock_version() == 0)
			got = err_set(e, ST_SYSTEM, "this kernel has no "
			    "Landlock");
		else
			got = box_start(b, e);
		if (got == 0)
			break;
		box_abort(b);
		/* out of memory or processes, or too much to mask: not a
		 * reason for a lesser layer */
		if (bs->probed || layer == LAYER_NONE ||
		    e->status == ST_TEMP || e->status == ST_POLICY)
			return -1;
		if (layer == LAYER_BWRAP)
			bs->why = *e;
	}
	if (b->spec.bare)
		return 0;
	if (!bs->probed) {
		bs->probed = true;
		bs->layer = layer;
	}
	if (bs->told || bs->layer == LAYER_BWRAP)
		return 0;
	/* tell the caller once */
	bs->told = true;
	if (mode_is(bs, "off"))
		err_say("commands run without a sandbox, as the "
		    "configuration says (sandbox.mode)");
	else if (bs->layer == LAYER_LANDLOCK)
		err_say("commands run under Landlock, not in bubblewrap "
		    "(%s): %s; see hamr-tool --sandbox-status",
		    bs->why.text,
		    landlock_lacks(landlock_version()));
	else
		err_say("commands run without a sandbox and can touch "
		    "everything you can (%s); see hamr-tool --sandbox-status",
		    bs->why.text);
	return 0;
}

struct box *
box_open(struct sandboxes *bs, const struct box_spec *w, struct err *e)
{
	if (!sandboxes_note_existing(bs)) {
		err_set(e, ST_SYSTEM, "the root cannot be opened");
		return NULL;
	}
	for (size_t i = 0; i < w->nwrite && !w->bare; i++)
		if (bs->temp != NULL && is_beneath(bs->temp, w->write[i])) {
			err_set(e, ST_CONFIG, "writable: %s holds the folders "
			    "of all sandboxes; name a folder in it",
			    w->write[i]);
			return NULL;
		}
	struct box *b = xcalloc(1, sizeof *b);
	*b = (struct box){ .bs = bs, .spec = *w, .pid = -1, .fd = -1,
		.stubs_lock = -1, .base = BUF_INIT(NOTES_MAX) };
	if (w->stays) {
		b->next = bs->staying;
		bs->staying = b;
	}
	if (put_up(b, e) < 0) {
		box_close(b);
		return NULL;
	}
	const char *no = w->bare ? NULL : sandboxes_why_not(bs, w->kind);
	if (no != NULL) {
		err_set(e, ST_POLICY, "%s", no);
		box_close(b);
		return NULL;
	}
	if (b->locked != NULL)
		buf_fmt(&b->base, "the root was read-only, as %s", b->locked);
	b->marks = marks_of(bs, b->layer);
	return b;
}

/* ---- those that stay up ---- */

struct box *
sandboxes_resident(struct sandboxes *bs, const struct box_spec *w,
    struct err *e)
{
	if (w->kind == BOX_PRIVATE)
		return box_open(bs, w, e);
	struct box **slot = &bs->resident[w->kind];
	struct box *b = *slot;
	if (b != NULL) {
		sandboxes_note_existing(bs);
		box_update(b);
		char *marks = marks_of(bs, b->layer);
		bool good = !b->lost && b->locked == NULL &&
		    b->spec.network == w->network &&
		    b->spec.unix_sockets == w->unix_sockets &&
		    strcmp(marks, b->marks) == 0;
		free(marks);
		if (good)
			return b;
		box_close(b);
	}
	*slot = box_open(bs, w, e);
	return *slot;
}

const char *
sandboxes_why_not(struct sandboxes *bs, enum box_kind kind)
{
	struct box_spec w = sandboxes_spec(bs, BOX_READ);
	bool off = mode_is(bs, "off");
	struct err e;

	if (!bs->probed && !off && sandboxes_resident(bs, &w, &e) == NULL &&
	    !bs->probed)
		snprintf(bs->refusal, sizeof bs->refusal, "no sandbox could "
		    "be started (%.400s)", e.text);
	else if (bs->layer >= LAYER_LANDLOCK)
		return NULL;
	else
		snprintf(bs->refusal, sizeof bs->refusal, "there is no "
		    "sandbox here (%.300s)", off ? "the configuration "
		    "switched it off (sandbox.mode)" : bs->why.text);
	return kind == BOX_WRITE && !mode_is(bs, "require") ? NULL :
	    bs->refusal;
}

/* ---- all of them ---- */

struct sandboxes *
sandboxes_new(const struct conf *c, const char *root, bool quiet)
{
	struct sandboxes *bs = xcalloc(1, sizeof *bs);
	struct err e;

	bs->conf = c;
	bs->told = quiet;
	bs->lock = bs->session_fd = -1;
	root_open(&bs->root, root, &e);		/* else its fd is -1 */
	moved_load(bs);
	return bs;
}

struct map *
sandboxes_known(struct sandboxes *bs)
{
	return &bs->known;
}

struct box_spec
sandboxes_spec(const struct sandboxes *bs, enum box_kind kind)
{
	return (struct box_spec){ .kind = kind,
		.network = conf_bool(bs->conf, "sandbox.network"),
		.unix_sockets = conf_bool(bs->conf, "sandbox.unix_sockets") };
}

static void
close_residents(struct sandboxes *bs)
{
	for (int kind = 0; kind <= BOX_PRIVATE; kind++)
		if (bs->resident[kind] != NULL)
			box_close(bs->resident[kind]);
}

bool
sandboxes_session(struct sandboxes *bs, const char *id)
{
	if (id != NULL && bs->session != NULL && strcmp(id, bs->session) == 0)
		return false;
	close_residents(bs);
	folders_close(bs);
	free(bs->session);
	bs->session = id != NULL ? xstrdup(id) : NULL;
	bs->ended = false;
	if (bs->opened)
		folders_open(bs);
	return bs->opened;
}

void
sandboxes_session_ended(struct sandboxes *bs, bool ended)
{
	bs->ended = ended;
}

void
sandboxes_free(struct sandboxes *bs)
{
	close_residents(bs);
	folders_close(bs);
	if (bs->opened)
		names_release(&bs->names);
	struct texts *const rows[] = { &bs->places, &bs->shown, &bs->hidden,
		&bs->settings, &bs->hide_list, &bs->show_list };
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		texts_release(rows[i]);
	map_release(&bs->known);
	FREE(bs->home, bs->user, bs->session, bs->base, bs->cache);
	root_close(&bs->root);
	FREE(bs->bwrap, bs);
}
