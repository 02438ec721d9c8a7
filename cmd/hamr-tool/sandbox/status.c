/* status.c - --sandbox-status: each layer, or why it does not work. */
#include <stdarg.h>
#include <string.h>

#include "internal.h"
#include "supervisor/restrict.h"

__attribute__((format(printf, 4, 5)))
static void
line(struct buf *out, const char *what, const char *word, const char *fmt,
    ...)
{
	va_list ap;

	buf_fmt(out, "%-14s%-5s", what, word);
	va_start(ap, fmt);
	buf_vfmt(out, fmt, ap);
	va_end(ap);
	buf_addc(out, '\n');
}

/* Open a box in this layer only; false with why if that fails. */
static bool
try_one(struct sandboxes *bs, enum box_layer layer, enum box_kind kind,
    struct err *why)
{
	struct box_spec w = sandboxes_spec(bs, kind);

	bs->probed = true;	/* this layer or none */
	bs->layer = layer;
	struct box *b = box_open(bs, &w, why);
	if (b != NULL)
		box_close(b);
	return b != NULL;
}

/* False: commands are refused, whatever else works here. */
static bool
put_layers(struct sandboxes *bs, struct buf *out)
{
	int v = landlock_version();
	struct err why;
	bool bwrap = try_one(bs, LAYER_BWRAP, BOX_READ, &why);

	if (bwrap)
		line(out, "bubblewrap", "yes", "%s; namespaces, no "
		    "capabilities, no new privileges; its self-test passed",
		    bs->bwrap);
	else
		line(out, "bubblewrap", "no", "%s", why.text);
	/* as box_open does: no reason for a lesser layer */
	if (!bwrap && (why.status == ST_TEMP || why.status == ST_POLICY)) {
		line(out, "commands", "no", "refused while that is so, not "
		    "run in a lesser sandbox");
		return false;
	}
	bool landlock = try_one(bs, LAYER_LANDLOCK, BOX_READ, &why);
	if (landlock && bwrap)
		line(out, "landlock", "yes", "version %d; %s", v,
		    v >= LANDLOCK_REFER ? "inside bubblewrap too" :
		    "not used, as bubblewrap works");
	else if (landlock)
		line(out, "landlock", "yes", "version %d; used, as bubblewrap "
		    "does not work; %s", v, landlock_lacks(v));
	else
		line(out, "landlock", "no", "%s", why.text);
	bool filter = bwrap || landlock ||
	    try_one(bs, LAYER_SECCOMP, BOX_WRITE, &why);
	bs->layer = bwrap ? LAYER_BWRAP : landlock ? LAYER_LANDLOCK :
	    filter ? LAYER_SECCOMP : LAYER_NONE;
	line(out, "seccomp", filter ? "yes" : "no", "%s", filter ?
	    "mounts, namespaces, keys, modules, bpf, io_uring, setuid bits "
	    "and the like are refused" : why.text);
	return true;
}

static void
put_group(const struct sandboxes *bs, const char *what, const char *key,
    bool none, struct buf *out)
{
	long long v = conf_int(bs->conf, key);

	if (bs->layer == LAYER_NONE)
		line(out, what, "no", "not limited");
	else if (v == 0)
		line(out, what, "no", "not limited; set %s", key);
	else if (none)
		line(out, what, "no", "%s not limited: no control group can "
		    "be made here", cgroup_words(bs->no_group[0],
		    bs->no_group[1]));
	else
		line(out, what, "yes", "at most %lld, by a control group", v);
}

bool
sandboxes_status(struct sandboxes *bs, struct buf *out)
{
	struct err why;

	if (strcmp(conf_str(bs->conf, "sandbox.mode"), "off") == 0) {
		line(out, "sandbox", "off", "sandbox.mode is \"off\": commands "
		    "run with all your rights");
		return false;
	}
	if (!put_layers(bs, out))
		return false;
	if (bs->layer == LAYER_NONE)
		line(out, "network", "open", "nothing keeps commands from it");
	else if (conf_bool(bs->conf, "sandbox.network"))
		line(out, "network", "open", "sandbox.network is set");
	else
		line(out, "network", "none", conf_bool(bs->conf,
		    "sandbox.unix_sockets") ? "except AF_UNIX: "
		    "sandbox.unix_sockets is set" : "and no AF_UNIX sockets");
	struct names_count c = names_note_tracked(&bs->names, bs->root.real);
	if (bs->layer == LAYER_BWRAP)
		line(out, "hidden", "yes", "%zu secrets in the root and %zu "
		    "elsewhere; %zu tracked by git can be read; %zu names "
		    "are read-only besides .git and .hamr", c.masked,
		    bs->hidden.n, c.shown, c.guarded);
	else if (bs->layer == LAYER_LANDLOCK)
		line(out, "hidden", "yes", "%zu secrets outside the root; "
		    "those in it can be read", bs->hidden.n);
	else
		line(out, "hidden", "no", "nothing is hidden");
	if (bs->layer == LAYER_BWRAP && try_one(bs, LAYER_BWRAP, BOX_PRIVATE,
	    &why) && bs->overlay_why[0] == '\0')
		line(out, "overlay", "yes", "mode verify works on a private "
		    "copy");
	else
		line(out, "overlay", "no", "%s", bs->overlay_why[0] != '\0' ?
		    bs->overlay_why : "it needs bubblewrap; without it mode "
		    "verify is read-only");
	line(out, "limits", bs->layer > LAYER_NONE ? "yes" : "no", "%s",
	    bs->layer > LAYER_NONE ? "files of 2 GiB, 1024 open, no core "
	    "dumps" : "none");
	put_group(bs, "memory", "sandbox.memory", bs->no_group[0], out);
	put_group(bs, "processes", "sandbox.pids", bs->no_group[1], out);
	if (bs->switched)
		line(out, "user", "yes", "%s (%u), who owns the root",
		    bs->user != NULL ? bs->user : "user", bs->uid);
	return bs->layer >= LAYER_LANDLOCK;
}
