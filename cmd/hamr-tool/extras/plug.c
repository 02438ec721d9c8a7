/* plug.c - plug-in tools: what hamr-tool-NAME says it is, and its calls. */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "conf/place.h"
#include "mode.h"
#include "run/prog.h"
#include "run/report.h"
#include "json/scan.h"

#include "extra.h"

#define DESCRIBE_MS 2000
#define CALL_S 120
#define GRACE_MS 2000

/* ---- names ---- */

static int
shadows(const char *name, struct err *e)
{
	return err_set(e, ST_CONFIG, "tools.plugins: \"%s\" is a tool of "
	    "hamr's own; give the plug-in another name", name);
}

/* What an entry of tools.plugins says of the name, NULL for nothing. */
static const char *
name_in(const char *entry)
{
	struct slice base = slice_of(file_base(entry));

	if (slice_starts(base, "hamr-tool-"))
		return base.p + strlen("hamr-tool-");
	return entry[0] == '/' ? NULL : entry;
}

int
plugs_check(const struct tool *t, struct err *e)
{
	size_t n;
	const char *const *list = conf_list(t->conf, "tools.plugins", &n);

	for (size_t i = 0; i < n; i++) {
		const char *name = name_in(list[i]);
		char *path;

		if (name != NULL && schema_find(name) != NULL)
			return shadows(name, e);
		path = plugin_find("tool", list[i], e);
		if (path == NULL)
			return -1;
		free(path);
	}
	return 0;
}

/* ---- what it says it is ---- */

static int
broke_its_word(struct err *e, const char *path, const char *why)
{
	return err_set(e, ST_PEER, "plug-in %s: %s; fix it, or remove it "
	    "from tools.plugins", file_base(path), why);
}

/* Ask it, if what it said is not known. */
static int
describe(struct tool *t, struct extra *x, struct err *e)
{
	struct buf says = BUF_INIT(PLUGIN_SAYS_MAX), how = BUF_INIT(4096);
	char *path = x->plugin.path;
	char *argv[] = { path, (char *)"--describe", NULL };
	struct prog p = { .sandboxes = t->sandboxes, .argv = argv,
		.ms = DESCRIBE_MS, .text = &says };
	char *cache = conf_home("XDG_CACHE_HOME", ".cache", "/describe");
	bool kept = cache != NULL && !sandboxes_may_change(t->sandboxes, cache);
	bool known = kept && plugin_recall(cache, path, &says);
	struct err why;
	int r = 0;

	if (!known) {
		p.want = mode_want(t, false);
		p.want.show = argv;
		p.want.nshow = 1;
		prog_run(&p, t->stage);
		buf_adds(&how, "--describe: ");
		prog_how(&p, &how);
		if (!prog_is_good(&p))
			r = broke_its_word(e, path, how.p);
		prog_release(&p);
	}
	if (r == 0 && plugin_parse(&x->plugin, buf_view(&says), &why) < 0)
		r = broke_its_word(e, path, why.text);
	if (r == 0 && kept && !known)
		plugin_remember(cache, path, buf_view(&says));
	bufs_release(BUFS(&says, &how));
	free(cache);
	return r;
}

static int
load(struct tool *t, const char *entry, struct extra *x, struct err *e)
{
	const char *name = name_in(entry);

	x->plugin.path = plugin_find("tool", entry, e);
	if (x->plugin.path == NULL || describe(t, x, e) < 0)
		return -1;
	if (schema_find(x->plugin.name) != NULL)
		return shadows(x->plugin.name, e);
	if (entry[0] != '/' && strcmp(name, x->plugin.name) != 0)
		return err_set(e, ST_PEER, "plug-in hamr-tool-%s: --describe "
		    "gives the name \"%s\"; fix it, or remove it from "
		    "tools.plugins", name, x->plugin.name);
	x->schema.id = TOOL_PLUGIN;
	x->mutates = x->plugin.mutates;
	if (extras_add(t->extras, x)) {
		t->extras->nplugins++;
		return 0;
	}
	return err_set(e, ST_CONFIG, "tools.plugins: two plug-ins have the "
	    "name \"%s\"; take one out", x->plugin.name);
}

int
plugs_load(struct tool *t, struct err *e)
{
	struct extras *all = t->extras;
	size_t n;
	const char *const *list = conf_list(t->conf, "tools.plugins", &n);

	for (size_t i = 0; i < n; i++) {
		struct extra *x = xcalloc(1, sizeof *x);

		if (load(t, list[i], x, e) == 0)
			continue;
		/* all or none, so that it can be tried again; servers are
		 * asked after plug-ins */
		extra_free(x);
		for (size_t k = 0; k < all->nplugins; k++)
			extra_free(all->v[k]);
		all->n = all->nplugins = 0;
		return -1;
	}
	return 0;
}

/* ---- a call ---- */

void
plug_run(struct tool *t, const struct extra *x, bool writes,
    struct slice args, struct result *r)
{
	char *argv[] = { x->plugin.path, NULL };
	struct buf input = BUF_INIT(BUF_RECORD_MAX);
	struct output out, err;
	struct prog p = { .sandboxes = t->sandboxes,
		.want = mode_want(t, writes), .argv = argv,
		.ms = CALL_S * 1000, .grace = GRACE_MS,
		.out = &out, .err = &err };
	struct report rep = { .prog = &p, .root = t->root,
		.rootfd = t->files->root.fd, .cap = t->output_cap };

	p.want.show = argv;
	p.want.nshow = 1;
	buf_slice(&input, args);
	buf_addc(&input, '\n');
	p.input = buf_view(&input);
	output_init(&out, t->output_cap);
	output_init(&err, t->output_cap);
	prog_run(&p, t->stage);
	if (p.end == PROG_FAILED)
		result_error(r, p.e.status == ST_POLICY ? "denied" :
		    "spawn_failed", "%s could not be run: %s", x->plugin.name,
		    p.e.text);
	else
		report_fill(&rep, r);
	prog_release(&p);
	output_release(&out);
	output_release(&err);
	buf_release(&input);
}
