/* extra.c - tools that others give: which there are, and may they run. */
#include <stdlib.h>

#include "mcp.h"
#include "mem.h"
#include "mode.h"
#include "scan.h"

#include "extra.h"

struct extras *
extras_new(const struct tool *t)
{
	struct extras *x = xcalloc(1, sizeof *x);

	x->servers = mcp_configured(t, &x->nservers);
	return x;
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
	found = extras_find(x, name);
	if (found == NULL) {	/* its server may be down, or not up yet */
		mcp_load((struct tool *)t, name);
		found = extras_find(x, name);
	}
	return found != NULL ? &found->schema : NULL;
}

bool
extras_changed(struct tool *t)
{
	return mcp_changed(t);
}

/* ---- may it run ---- */

bool
extra_writes(const struct tool *t, const struct extra *x)
{
	/* what the tools of a server do is not known: any may write */
	if (x->schema.id == TOOL_MCP && !mcp_is_bare(x->server))
		return t->mode == MODE_PATCH;
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
extra_judge_mode(const struct tool *t, const struct extra *x,
    struct result *r)
{
	if (x->schema.id == TOOL_MCP)
		return mcp_judge(t, x, r);
	if (!x->mutates || t->mode == MODE_PATCH)
		return true;
	result_error(r, "denied", "denied: %s may change files, and in mode "
	    "%s only %s; use read, or say what you would do", x->name,
	    mode_name(t->mode), t->mode == MODE_DOCS ?
	    "edit and write do, documentation" : "nothing does");
	return false;
}

bool
extra_judge(const struct tool *t, const struct extra *x, struct slice args,
    struct result *r)
{
	return extra_judge_mode(t, x, r) && (x->schema.id == TOOL_MCP ||
	    judge_paths(t, x, args, r));
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
