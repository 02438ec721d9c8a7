/* plug.c - plug-in tools: what hamr-tool-NAME says it is, and its calls. */
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "mode.h"
#include "prog.h"
#include "report.h"
#include "scan.h"

#include "extra.h"

#define DESCRIBE_MS 2000
#define CALL_S 120
#define GRACE_MS 2000
#define WORDS_MAX 1024		/* of a plug-in's last words on stderr */

/* ---- names ---- */

static bool
is_ours(const char *name)
{
	static const char *const names[] = { "read", "edit", "write", "bash",
		"view_image", "search_memory", "save_memory" };

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return schema_find(name) != NULL;
}

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
	static const char prefix[] = "hamr-tool-";
	const char *base = strrchr(entry, '/');

	base = base != NULL ? base + 1 : entry;
	if (strncmp(base, prefix, sizeof prefix - 1) == 0)
		return base + sizeof prefix - 1;
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

		if (name != NULL && is_ours(name))
			return shadows(name, e);
		path = plugin_find("tool", list[i], e);
		if (path == NULL)
			return -1;
		free(path);
	}
	return 0;
}

/* ---- what it says it is ---- */

static const char *
base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

static int
broke_its_word(struct err *e, const char *path, const char *why)
{
	return err_set(e, ST_PEER, "plug-in %s: %s; mend it, or take it out "
	    "of tools.plugins", base_of(path), why);
}

static int
ask(struct tool *t, const char *path, struct buf *says, struct err *e)
{
	char *argv[] = { (char *)path, (char *)"--describe", NULL };
	struct buf how = BUF_INIT(4096);
	struct output err;
	struct prog p = { .boxes = t->boxes, .want = mode_want(t, false),
		.argv = argv, .ms = DESCRIBE_MS, .text = says, .err = &err };
	int r = 0;

	p.want.show = argv;
	p.want.nshow = 1;
	output_init(&err, WORDS_MAX);
	buf_adds(&how, "--describe: ");
	prog_run(&p, t->stage);
	if (!prog_is_good(&p)) {
		prog_how(&p, &how);
		r = broke_its_word(e, path, how.p);
	}
	prog_release(&p);
	output_release(&err);
	buf_release(&how);
	return r;
}

static int
describe(struct tool *t, struct extra *x, struct err *e)
{
	struct buf says = BUF_INIT(PLUGIN_SAYS_MAX);
	const char *path = x->plugin.path;
	bool known = plugin_recall(path, &says);
	struct err why;
	int r = 0;

	if (!known)
		r = ask(t, path, &says, e);
	if (r == 0 && plugin_parse(&x->plugin, "tool", says.len > 0 ?
	    buf_view(&says) : SLICE(""), &why) < 0)
		r = broke_its_word(e, path, why.text);
	if (r == 0 && !known)
		plugin_remember(path, buf_view(&says));
	buf_release(&says);
	return r;
}

static int
load(struct tool *t, const char *entry, struct extra *x, struct err *e)
{
	const char *name = name_in(entry);

	x->plugin.path = plugin_find("tool", entry, e);
	if (x->plugin.path == NULL || describe(t, x, e) < 0)
		return -1;
	if (is_ours(x->plugin.name))
		return shadows(x->plugin.name, e);
	if (entry[0] != '/' && strcmp(name, x->plugin.name) != 0)
		return err_set(e, ST_PEER, "plug-in hamr-tool-%s: --describe "
		    "says the name \"%s\"; mend it, or take it out of "
		    "tools.plugins", name, x->plugin.name);
	x->schema.id = TOOL_PLUGIN;
	x->name = xstrdup(x->plugin.name);
	x->what = xstrdup(x->plugin.what);
	x->parameters = xstrdup(x->plugin.parameters);
	x->mutates = x->plugin.mutates;
	if (extras_add(t->extras, x)) {
		t->extras->nplugins++;
		return 0;
	}
	return err_set(e, ST_CONFIG, "tools.plugins: two plug-ins say the "
	    "name \"%s\"; take one out", x->name);
}

/* All or none, so that it can be tried again. */
static void
forget(struct extras *x)
{
	for (size_t i = 0; i < x->nplugins; i++)
		extra_free(x->v[i]);
	x->n = x->nplugins = 0;	/* servers are asked after plug-ins */
}

int
plugs_load(struct tool *t, struct err *e)
{
	size_t n;
	const char *const *list = conf_list(t->conf, "tools.plugins", &n);

	for (size_t i = 0; i < n; i++) {
		struct extra *x = xcalloc(1, sizeof *x);

		if (load(t, list[i], x, e) < 0) {
			extra_free(x);
			forget(t->extras);
			return -1;
		}
	}
	return 0;
}

/* ---- a call ---- */

static void
fill(const struct tool *t, const struct extra *x, const struct prog *p,
    struct result *r)
{
	struct report rep = { .root = t->root, .plain = true,
		.rootfd = files_root_fd(t->files), .cap = t->output_cap,
		.timeout = CALL_S, .out = p->out, .err = p->err,
		.ended = "", .notes = p->notes.len > 0 ? p->notes.p : "",
		.sandbox = p->sandbox, .known = p->end == PROG_ENDED,
		.signalled = p->signalled, .number = p->number };

	if (p->end == PROG_FAILED) {
		result_error(r, p->e.status == ST_POLICY ? "denied" :
		    "spawn_failed", "%s could not be run: %s", x->name,
		    p->e.text);
		return;
	}
	if (p->end == PROG_TIMEOUT)
		rep.cause = CAUSE_TIMEOUT;
	else if (p->end == PROG_CANCEL)
		rep.cause = CAUSE_CANCEL;
	report_fill(&rep, r);
}

void
plug_run(struct tool *t, const struct extra *x, bool writes,
    struct slice args, struct result *r)
{
	char *argv[] = { x->plugin.path, NULL };
	struct buf input = BUF_INIT(BUF_RECORD_MAX);
	struct output out, err;
	struct prog p = { .boxes = t->boxes, .want = mode_want(t, writes),
		.argv = argv, .ms = CALL_S * 1000, .grace = GRACE_MS,
		.out = &out, .err = &err };

	p.want.show = argv;
	p.want.nshow = 1;
	buf_slice(&input, args);
	buf_addc(&input, '\n');
	p.input = buf_view(&input);
	output_init(&out, t->output_cap);
	output_init(&err, t->output_cap);
	prog_run(&p, t->stage);
	fill(t, x, &p, r);
	prog_release(&p);
	output_release(&out);
	output_release(&err);
	buf_release(&input);
}
