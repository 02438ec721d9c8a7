/* extra.c - tools that others give: which there are, and may they run. */
#include <stdlib.h>
#include <string.h>

#include "mcp.h"
#include "mem.h"
#include "scan.h"
#include "shape.h"

#include "extra.h"

struct extras *
extras_new(const struct tool *t)
{
	struct extras *x = xcalloc(1, sizeof *x);

	x->servers = mcp_configured(t, &x->nservers);
	return x;
}

void
extra_free(struct extra *x)
{
	plugin_release(&x->plugin);
	free(x->name);
	free(x->what);
	free(x->parameters);
	free(x->template);
	free(x->remote);
	free(x);
}

void
extras_free(struct extras *x)
{
	for (size_t i = 0; i < x->nplugins; i++)
		extra_free(x->v[i]);
	mcp_free(x->servers, x->nservers);	/* and their tools */
	free(x->v);
	free(x);
}

static struct extra *
find(const struct extras *x, const char *name)
{
	for (size_t i = 0; i < x->n; i++)
		if (strcmp(x->v[i]->name, name) == 0)
			return x->v[i];
	return NULL;
}

bool
extras_add(struct extras *x, struct extra *new)
{
	struct buf b = BUF_INIT(4096);

	if (schema_find(new->name) != NULL || find(x, new->name) != NULL)
		return false;
	shape_template(slice_of(new->parameters), &b);
	new->template = buf_detach(&b);
	new->schema.name = new->name;
	new->schema.what = new->what;
	new->schema.template = new->template;
	x->v = xgrow(x->v, x->n, &x->cap, sizeof(struct extra *));
	x->v[x->n++] = new;
	return true;
}

/* ---- asking them ---- */

int
extras_check(const struct tool *t, struct err *e)
{
	return plugs_check(t, e) < 0 || mcp_check(t, e) < 0 ? -1 : 0;
}

int
extras_load(struct tool *t, struct err *e)
{
	struct extras *x = t->extras;

	if (!x->plugins && plugs_load(t, e) < 0)
		return -1;
	x->plugins = true;
	if (!x->mcp)
		mcp_load(t, NULL);
	x->mcp = true;
	return 0;
}

const struct schema *
tool_schema(const struct tool *t, const char *name)
{
	const struct schema *s = schema_find(name);
	struct extras *x = t->extras;
	struct extra *found;
	struct err e;

	if (s != NULL)
		return s;
	if (x == NULL)
		return NULL;
	if (!x->plugins && plugs_load((struct tool *)t, &e) < 0) {
		stage_fail(t->stage, &e);
		return NULL;
	}
	x->plugins = true;
	found = find(x, name);
	if (found == NULL) {	/* its server may be down, or not up yet */
		mcp_load((struct tool *)t, name);
		found = find(x, name);
	}
	return found != NULL ? &found->schema : NULL;
}

bool
extras_changed(struct tool *t)
{
	return mcp_changed(t);
}

/* ---- may it run ---- */

struct box_want
extra_want(const struct tool *t, bool writes)
{
	enum box_kind kind = writes ? BOX_WRITE : BOX_READ;

	/* Where the kernel offers nothing, one that says that it changes
	 * nothing is believed, as long as a change would be allowed. */
	if (kind == BOX_READ && t->mode == MODE_PATCH &&
	    boxes_refuse(t->boxes, BOX_READ) != NULL &&
	    strcmp(conf_str(t->conf, "sandbox.mode"), "auto") == 0)
		kind = BOX_WRITE;
	return boxes_want(t->boxes, kind);
}

bool
extra_writes(const struct tool *t, const struct extra *x)
{
	if (x->schema.id == TOOL_MCP && !mcp_is_bare(x->server))
		return mcp_writes(t, x->server);
	return x->mutates && t->mode == MODE_PATCH;
}

bool
extra_unasked(const struct tool *t, const struct extra *x, struct result *r)
{
	bool bare = x->schema.id == TOOL_MCP ? mcp_is_bare(x->server) :
	    boxes_refuse(t->boxes, BOX_READ) != NULL;

	if (bare)
		result_error(r, "denied", "denied: %s may change things, and "
		    "there is no sandbox around it; with --yes, or an "
		    "approver, it runs", x->name);
	return !bare;
}

/* Is this text a path that the call may touch? */
static bool
judge_path(const struct tool *t, const struct extra *x, struct slice path,
    struct result *r)
{
	struct buf args = BUF_INIT(BUF_RECORD_MAX);
	bool good = true;

	if (scan_kind(path) == SCAN_STRING) {
		buf_adds(&args, "{\"path\":");
		buf_slice(&args, path);
		buf_adds(&args, "}");
		good = files_judge(t->files, x->mutates ? "write" : "read",
		    buf_view(&args), r);
	}
	buf_release(&args);
	return good;
}

static bool
judge_paths(const struct tool *t, const struct extra *x, struct slice args,
    struct result *r)
{
	struct slice el;
	struct walk w;

	for (size_t i = 0; i < x->plugin.npaths; i++) {
		struct slice v = scan_get(args, x->plugin.paths[i]);

		if (!judge_path(t, x, v, r))
			return false;
		if (scan_kind(v) != SCAN_ARRAY)
			continue;
		walk_in(&w, v);
		while (walk_next(&w, NULL, &el))
			if (!judge_path(t, x, el, r))
				return false;
	}
	return true;
}

bool
extra_judge(const struct tool *t, const struct extra *x, struct slice args,
    struct result *r)
{
	if (x->schema.id == TOOL_MCP)
		return mcp_judge(t, x, r);
	if (x->mutates && t->mode != MODE_PATCH) {
		result_error(r, "denied", "denied: %s may change files, and "
		    "in mode %s only %s; use read, or say what you would do",
		    x->name, mode_name(t->mode), t->mode == MODE_DOCS ?
		    "edit and write do, documentation" : "nothing does");
		return false;
	}
	return judge_paths(t, x, args, r);
}

void
extra_run(struct tool *t, const struct extra *x, bool allowed,
    struct slice args, struct result *r)
{
	if (x->schema.id == TOOL_MCP)
		mcp_call(t, x, args, r);
	else
		plug_run(t, x, allowed && extra_writes(t, x), args, r);
}

/* ---- what there is, in words and as a record ---- */

void
tool_names(const struct tool *t, struct buf *out)
{
	schema_names(tool_on(t), out);
	for (size_t i = 0; i < t->extras->n; i++)
		buf_fmt(out, ", %s", t->extras->v[i]->name);
}

struct json *
tool_record_all(const struct tool *t)
{
	struct json *o = json_object(), *list = json_array();

	json_str(o, "type", "tools");
	schema_list(list, tool_on(t));
	for (size_t i = 0; i < t->extras->n; i++) {
		const struct extra *x = t->extras->v[i];
		struct json *fn = schema_entry(list, x->name, x->what);

		json_raw(fn, "parameters", slice_of(x->parameters));
	}
	json_add(o, "tools", list);
	return o;
}

static void
propose(struct tool *t, bool always)
{
	struct buf line = BUF_INIT(BUF_RECORD_MAX);
	struct json *o = tool_record_all(t);

	json_print(o, &line);
	json_free(o);
	if (always || strcmp(t->told, line.p) != 0)
		stage_put(t->stage, R_TOOLS, buf_view(&line));
	free(t->told);
	t->told = buf_detach(&line);
}

void
tool_put(struct tool *t)
{
	struct err e;

	t->acting = true;
	if (extras_load(t, &e) < 0)
		stage_fail(t->stage, &e);
	else
		propose(t, true);
	t->acting = false;
	tool_catch_up(t);
}

void
tool_tell(struct tool *t)
{
	if (t->told != NULL && extras_changed(t))
		propose(t, false);
}
