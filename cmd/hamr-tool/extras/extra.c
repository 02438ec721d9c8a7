/* extra.c - tools from plug-ins (hamr-tool-NAME) and MCP servers: find them,
 * and check what the mode allows them. */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "conf/place.h"
#include "json/scan.h"
#include "run/prog.h"
#include "run/command.h"

#include "extra.h"
#include "mcp.h"
#include "json_schema.h"

#define DESCRIBE_MS 2000
#define CALL_S 120
#define GRACE_MS 2000

/* ---- the mode ---- */

const char *const mode_names[] = { [MODE_READ_ONLY] = "read-only",
	[MODE_PATCH] = "patch", [MODE_VERIFY] = "verify",
	[MODE_DOCS] = "docs" };

int
mode_named(const char *name)
{
	for (int i = 0; i < 4; i++)
		if (strcmp(mode_names[i], name) == 0)
			return i;
	return -1;
}

unsigned
tool_on(const struct tool *t)
{
	const char *box = conf_str(t->conf, "sandbox.mode");
	bool open = strcmp(box, "off") == 0;

	return (conf_bool(t->conf, "tools.bash.enabled") ? SCHEMA_BASH : 0) |
	    (open || conf_bool(t->conf, "sandbox.network") ? SCHEMA_NETWORK :
	    0) |
	    (open || conf_bool(t->conf, "sandbox.git_write") ? SCHEMA_GIT : 0) |
	    (conf_bool(t->conf, "memory.enabled") ? SCHEMA_MEMORY : 0) |
	    (t->mode == MODE_PATCH || t->mode == MODE_DOCS ? SCHEMA_CHANGE :
	    0);
}

bool
mode_has_approver(const struct tool *t)
{
	size_t n;

	conf_list(t->conf, "tools.approve", &n);
	return n > 0;
}

bool
mode_has_consent(const struct tool *t)
{
	return t->yes || mode_has_approver(t) ||
	    (t->stage->mode == STAGE_RESIDENT && !t->no_ask);
}

enum box_kind
tool_kind(const struct tool *t, bool approved)
{
	if (t->mode == MODE_VERIFY)
		return BOX_PRIVATE;
	return t->mode == MODE_PATCH && approved ? BOX_WRITE : BOX_READ;
}

struct box_spec
mode_box_spec(const struct tool *t, bool writes)
{
	enum box_kind kind = writes ? BOX_WRITE : BOX_READ;

	/* Without a sandbox, believe a tool that says it changes nothing, as
	 * long as a change would be allowed anyway. */
	if (kind == BOX_READ && t->mode == MODE_PATCH &&
	    sandboxes_why_not(t->sandboxes, BOX_READ) != NULL &&
	    strcmp(conf_str(t->conf, "sandbox.mode"), "auto") == 0)
		kind = BOX_WRITE;
	return sandboxes_spec(t->sandboxes, kind);
}

bool
mode_may_write(const struct tool *t)
{
	return t->mode == MODE_PATCH && mode_has_consent(t);
}

/* ---- the list ---- */

void
extra_free(struct extra *x)
{
	plugin_release(&x->plugin);
	FREE(x->template, x->remote, x);
}

static struct extra *
find(const struct extras *x, const char *name)
{
	for (size_t i = 0; i < x->n; i++)
		if (strcmp(x->v[i]->schema.name, name) == 0)
			return x->v[i];
	return NULL;
}

bool
extras_add(struct extras *x, struct extra *new)
{
	struct buf b = BUF_INIT(4096);
	const char *name = new->plugin.name;

	if (schema_find(name) != NULL || find(x, name) != NULL)
		return false;
	json_schema_template(slice_of(new->plugin.parameters), &b);
	free(new->template);
	new->template = buf_detach(&b);
	new->schema.name = name;
	new->schema.what = new->plugin.what;
	new->schema.template = new->template;
	x->v = xgrow(x->v, x->n, &x->cap, sizeof(struct extra *));
	x->v[x->n++] = new;
	return true;
}

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
	FREE(x->v, x);
}

void
tool_names(const struct tool *t, struct buf *out)
{
	schema_names(tool_on(t), out);
	for (size_t i = 0; i < t->extras->n; i++)
		buf_fmt(out, ", %s", t->extras->v[i]->schema.name);
}

/* ---- plug-ins ---- */

static int
shadows(const char *name, struct err *e)
{
	return err_set(e, ST_CONFIG, "tools.plugins: \"%s\" is a tool of "
	    "hamr's own; give the plug-in another name", name);
}

/* The tool name in an entry of tools.plugins, or NULL. */
static const char *
name_in(const char *entry)
{
	struct slice base = slice_of(file_base(entry));

	if (slice_starts(base, "hamr-tool-"))
		return base.p + strlen("hamr-tool-");
	return entry[0] == '/' ? NULL : entry;
}

int
extras_check(const struct tool *t, struct err *e)
{
	size_t n;
	const char *const *list = conf_list(t->conf, "tools.plugins", &n);

	for (size_t i = 0; i < n; i++) {
		const char *name = name_in(list[i]);

		if (name != NULL && schema_find(name) != NULL)
			return shadows(name, e);
		char *path = plugin_find("tool", list[i], e);
		if (path == NULL)
			return -1;
		free(path);
	}
	return mcp_check(t->extras, e);
}

/* Run a plug-in's --describe, unless its description is cached. */
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
	const char *broken = NULL;
	struct err why;

	if (!known) {
		p.spec = mode_box_spec(t, false);
		p.spec.show = argv;
		p.spec.nshow = 1;
		prog_run(&p, t->stage);
		buf_adds(&how, "--describe: ");
		prog_outcome(&p, &how);
		if (!prog_is_good(&p))
			broken = how.p;
		prog_release(&p);
	}
	if (broken == NULL &&
	    plugin_parse(&x->plugin, buf_view(&says), &why) < 0)
		broken = why.text;
	if (broken != NULL)
		err_set(e, ST_PEER, "plug-in %s: %s; fix it, or remove it "
		    "from tools.plugins", file_base(path), broken);
	else if (kept && !known)
		plugin_remember(cache, path, buf_view(&says));
	bufs_release(BUFS(&says, &how));
	free(cache);
	return broken != NULL ? -1 : 0;
}

static int
plugs_load(struct tool *t, struct err *e)
{
	struct extras *all = t->extras;
	size_t n;
	const char *const *list = conf_list(t->conf, "tools.plugins", &n);

	for (size_t i = 0; i < n && !all->plugins; i++) {
		struct extra *x = xcalloc(1, sizeof *x);
		const char *name = name_in(list[i]);
		struct plugin *p = &x->plugin;
		bool good = false;

		p->path = plugin_find("tool", list[i], e);
		if (p->path == NULL || describe(t, x, e) < 0)
			;
		else if (schema_find(p->name) != NULL)
			shadows(p->name, e);
		else if (list[i][0] != '/' && strcmp(name, p->name) != 0)
			err_set(e, ST_PEER, "plug-in hamr-tool-%s: --describe "
			    "gives the name \"%s\"; fix it, or remove it from "
			    "tools.plugins", name, p->name);
		else
			good = true;
		x->schema.id = TOOL_PLUGIN;
		x->mutates = p->mutates;
		if (good && extras_add(all, x)) {
			all->nplugins++;
			continue;
		}
		if (good)
			err_set(e, ST_CONFIG, "tools.plugins: two plug-ins "
			    "have the name \"%s\"; take one out", p->name);
		/* all or none, so that the caller can try again; servers are
		 * asked after plug-ins */
		extra_free(x);
		for (size_t k = 0; k < all->nplugins; k++)
			extra_free(all->v[k]);
		all->n = all->nplugins = 0;
		return -1;
	}
	all->plugins = true;
	return 0;
}

int
extras_load(struct tool *t, struct err *e)
{
	struct extras *x = t->extras;

	if (plugs_load(t, e) < 0)
		return -1;
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
	struct err e;

	if (s != NULL)
		return s;
	if (plugs_load((struct tool *)t, &e) < 0) {
		stage_fail(t->stage, &e);
		return NULL;
	}
	struct extra *found = find(x, name);
	if (found == NULL) {	/* its server may be down, or not up yet */
		mcp_load((struct tool *)t, name);
		found = find(x, name);
	}
	return found != NULL ? &found->schema : NULL;
}

/* ---- may it run ---- */

bool
extra_writes(const struct tool *t, const struct extra *x)
{
	/* nobody knows what a server's tools do: any may write */
	return t->mode == MODE_PATCH && (x->mutates ||
	    (x->schema.id == TOOL_MCP && !x->bare));
}

bool
extra_unapproved(const struct tool *t, const struct extra *x, struct result *r)
{
	bool bare = x->schema.id == TOOL_MCP ? x->bare :
	    sandboxes_why_not(t->sandboxes, BOX_READ) != NULL;

	if (bare)
		result_error(r, "denied", "denied: %s may change things, and "
		    "runs outside the sandbox; it needs --yes or an approver",
		    x->schema.name);
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
		scan_put(&args, "{'path':$}", path);
		good = files_judge(t->files, x->mutates ? "write" : "read",
		    buf_view(&args), r);
	}
	buf_release(&args);
	return good;
}

/* Does the mode allow any call of this tool?  If not, r is the error. */
static bool
mode_allows(const struct tool *t, const struct extra *x, struct result *r)
{
	bool mcp = x->schema.id == TOOL_MCP;

	if (!x->mutates || t->mode == MODE_PATCH || (mcp && !x->bare))
		return true;
	if (mcp)
		result_error(r, "denied", "denied: the MCP server %s runs "
		    "without a sandbox, and %s does not say that it only "
		    "reads; in mode %s nothing is changed",
		    mcp_name(x->server), x->schema.name, mode_names[t->mode]);
	else
		result_error(r, "denied", "denied: %s may change files, and "
		    "in mode %s %s; use read, or say what you would do",
		    x->schema.name, mode_names[t->mode], t->mode == MODE_DOCS ?
		    "only documentation is changed, with edit and write" :
		    "no file is changed");
	return false;
}

bool
extra_judge(const struct tool *t, const struct extra *x, struct slice args,
    struct result *r)
{
	struct slice el;

	if (!mode_allows(t, x, r))
		return false;
	for (size_t i = 0; i < x->plugin.paths.n; i++) {
		struct slice v = scan_get(args, x->plugin.paths.v[i]);

		if (!judge_path(t, x, v, r))
			return false;
		for (struct walk w = walk_elements(v);
		    walk_next(&w, NULL, &el); )
			if (!judge_path(t, x, el, r))
				return false;
	}
	return true;
}

void
extra_run(struct tool *t, const struct extra *x, const char *id,
    bool writes, struct slice args, struct result *r)
{
	char *argv[] = { x->plugin.path, NULL };
	struct buf input = BUF_INIT(BUF_RECORD_MAX);
	struct command cmd = { .prog = { .sandboxes = t->sandboxes,
		.argv = argv, .ms = CALL_S * 1000, .grace = GRACE_MS },
		.root = &t->files->root, .cap = t->output_cap };
	struct prog *p = &cmd.prog;

	if (x->schema.id == TOOL_MCP) {
		mcp_call(t, x, id, args, r);
		return;
	}
	p->spec = mode_box_spec(t, writes);
	p->spec.show = argv;
	p->spec.nshow = 1;
	buf_slice(&input, args);
	buf_addc(&input, '\n');
	p->input = buf_view(&input);
	if (!command_run(&cmd, t->stage, r))
		result_error(r, p->e.status == ST_POLICY ? "denied" :
		    "spawn_failed", "%s could not be run: %s", x->plugin.name,
		    p->e.text);
	buf_release(&input);
}

void
tool_record_all(const struct tool *t, struct buf *out)
{
	struct result unused;

	buf_adds(out, "{\"type\":\"tools\",\"tools\":[");
	schema_list(tool_on(t), out);
	result_init(&unused);
	for (size_t i = 0; i < t->extras->n; i++) {
		const struct extra *x = t->extras->v[i];

		/* list it unless the mode denies all its calls */
		if (mode_allows(t, x, &unused))
			schema_put(&x->schema,
			    slice_of(x->plugin.parameters), out);
	}
	result_release(&unused);
	buf_adds(out, "]}");
}
