/* box_status.c - --sandbox-status: each layer, and why it is not there. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "landlock.h"
#include "mem.h"

#include "box_in.h"

static void
line(struct buf *out, const char *what, const char *word, const char *why)
{
	buf_fmt(out, "%-14s%-5s%s\n", what, word, why);
}

/* Put one up in this layer alone, and say how that went. */
static bool
try_one(struct boxes *bs, enum box_layer layer, enum box_kind kind,
    struct err *why, struct buf *notes)
{
	struct box_want w = boxes_want(bs, kind);
	struct box *b;

	bs->probed = true;	/* this layer or none */
	bs->layer = layer;
	bs->told = true;
	b = box_open(bs, &w, why);
	if (b != NULL)
		box_done(b, notes);
	return b != NULL;
}

static void
file_layers(struct boxes *bs, struct buf *out)
{
	bool off = strcmp(conf_str(bs->conf, "sandbox.mode"), "off") == 0;
	bool bwrap, landlock;
	struct err why;
	char text[1200];

	if (off) {
		line(out, "sandbox", "off", "sandbox.mode is \"off\": commands "
		    "run with all your rights");
		return;
	}
	bwrap = try_one(bs, LAYER_BWRAP, BOX_READ, &why, NULL);
	if (bwrap)
		snprintf(text, sizeof text, "%s; namespaces, no capabilities, "
		    "no new privileges; its self-test passed", bs->bwrap);
	line(out, "bubblewrap", bwrap ? "yes" : "no", bwrap ? text : why.text);
	landlock = try_one(bs, LAYER_LANDLOCK, BOX_READ, &why, NULL);
	if (landlock)
		snprintf(text, sizeof text, "version %d; %s%s",
		    landlock_version(), !bwrap ? "used, as bubblewrap does "
		    "not work; " : landlock_version() >= LANDLOCK_REFER ?
		    "inside bubblewrap too" : "not used, as bubblewrap works",
		    bwrap ? "" : landlock_lacks(landlock_version()));
	line(out, "landlock", landlock ? "yes" : "no", landlock ? text :
	    why.text);
	bs->probed = true;
	bs->layer = bwrap ? LAYER_BWRAP : landlock ? LAYER_LANDLOCK :
	    LAYER_SECCOMP;
}

static void
filter_layer(struct boxes *bs, struct buf *out)
{
	enum box_layer layer = bs->layer;
	struct err why;
	bool good = layer > LAYER_SECCOMP;

	if (!good && try_one(bs, LAYER_SECCOMP, BOX_WRITE, &why, NULL))
		good = true;
	else if (!good)
		layer = LAYER_NONE;
	bs->layer = layer;
	line(out, "seccomp", good ? "yes" : "no", good ? "mounts, namespaces, "
	    "keys, modules, bpf, io_uring and kin are refused" : why.text);
}

static void
network(const struct boxes *bs, struct buf *out)
{
	bool net = conf_bool(bs->conf, "sandbox.network");
	bool local = conf_bool(bs->conf, "sandbox.unix_sockets");

	if (bs->layer == LAYER_NONE)
		line(out, "network", "open", "nothing keeps commands from it");
	else
		line(out, "network", net ? "open" : "none", net ?
		    "sandbox.network is set" : local ? "but for AF_UNIX, as "
		    "sandbox.unix_sockets is set" : "AF_UNIX neither");
}

static void
private_copy(struct boxes *bs, struct buf *out)
{
	struct buf notes = BUF_INIT(8192);
	struct err why;

	if (bs->layer == LAYER_BWRAP && try_one(bs, LAYER_BWRAP, BOX_PRIVATE,
	    &why, &notes) && bs->overlay_why[0] == '\0')
		line(out, "overlay", "yes", "mode verify works on a private "
		    "copy");
	else
		line(out, "overlay", "no", bs->overlay_why[0] != '\0' ?
		    bs->overlay_why : "bubblewrap is needed for it; mode "
		    "verify reads only");
	buf_release(&notes);
}

static void
group(const struct boxes *bs, const char *what, const char *key,
    struct buf *out)
{
	long long v = conf_int(bs->conf, key);
	char text[256];

	if (bs->layer == LAYER_NONE)
		snprintf(text, sizeof text, "not limited");
	else if (v == 0)
		snprintf(text, sizeof text, "not limited; set %s", key);
	else if (bs->cgroup_why[0] != '\0')
		snprintf(text, sizeof text, "%s", bs->cgroup_why);
	else
		snprintf(text, sizeof text, "at most %lld, by a control "
		    "group", v);
	line(out, what, v > 0 && bs->layer != LAYER_NONE &&
	    bs->cgroup_why[0] == '\0' ? "yes" : "no", text);
}

static void
masks(struct boxes *bs, struct buf *out)
{
	size_t shown, masked, guarded = 0;
	char text[400];

	names_note_tracked(&bs->names, bs->root.real);
	masked = names_masked(&bs->names, &shown);
	for (size_t i = 0; i < bs->names.n; i++)
		guarded += bs->names.v[i].kind == NAME_GUARDED;
	if (bs->layer == LAYER_BWRAP)
		snprintf(text, sizeof text, "%zu secrets in the root and %zu "
		    "elsewhere; %zu tracked by git can be read; besides .git "
		    "and .hamr %zu names read-only%s", masked, bs->hidden.n,
		    shown, guarded, bs->names.partial ?
		    " (not all folders were looked through)" : "");
	else if (bs->layer == LAYER_LANDLOCK)
		snprintf(text, sizeof text, "%zu secrets outside the root; "
		    "those in it can be read", bs->hidden.n);
	else
		snprintf(text, sizeof text, "nothing is hidden");
	line(out, "hidden", bs->layer >= LAYER_LANDLOCK ? "yes" : "no", text);
}

void
boxes_status(struct boxes *bs, struct buf *out)
{
	char text[256];

	file_layers(bs, out);
	if (bs->names.look == 0) {	/* off */
		bs->layer = LAYER_NONE;
		return;
	}
	filter_layer(bs, out);
	network(bs, out);
	masks(bs, out);
	private_copy(bs, out);
	line(out, "limits", bs->layer > LAYER_NONE ? "yes" : "no",
	    bs->layer > LAYER_NONE ? "files of 2 GiB, 1024 open, no core "
	    "dumps" : "none");
	group(bs, "memory", "sandbox.memory", out);
	group(bs, "processes", "sandbox.pids", out);
	if (bs->switched) {
		snprintf(text, sizeof text, "%s (%u), who owns the root",
		    bs->user != NULL ? bs->user : "user", bs->uid);
		line(out, "user", "yes", text);
	}
}

bool
boxes_enforce(const struct boxes *bs)
{
	return bs->layer >= LAYER_LANDLOCK;
}
