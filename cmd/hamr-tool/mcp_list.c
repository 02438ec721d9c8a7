/* mcp_list.c - which tools the MCP servers have, and what we call them. */
#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "mem.h"
#include "scan.h"
#include "utf8.h"

#include "mcp_in.h"

#define WHAT_MAX 4096
#define NO_SCHEMA "{\"type\":\"object\",\"properties\":{}}"

void
mcp_list(struct mcp *m)
{
	m->state = MCP_LIST;
	m->stale = false;
	m->pages = 0;
	m->until = file_now_ms() + MCP_INIT_MS;
	m->asked = mcp_ask(m, "tools/list", NULL);
}

/* ---- one tool ---- */

static bool
has_listed(const struct mcp *m, const char *remote)
{
	for (size_t i = 0; i < m->nfresh; i++)
		if (strcmp(m->fresh[i]->remote, remote) == 0)
			return true;
	return false;
}

/* Servers of models want to see that it is an object. */
static char *
schema_of(struct slice v)
{
	struct buf b = BUF_INIT(2 * PLUGIN_SCHEMA_MAX);
	struct slice type = scan_get(v, "type");

	if (!plugin_is_schema(v) || (type.p != NULL &&
	    !scan_str_is(type, "object")))
		return xstrdup(NO_SCHEMA);
	if (type.p != NULL)
		return xmemdup0(v.p, v.n);
	buf_adds(&b, "{\"type\":\"object\"");
	if (strspn(v.p + 1, " \t") < v.n - 2)
		buf_addc(&b, ',');
	buf_add(&b, v.p + 1, v.n - 1);
	return buf_detach(&b);
}

static char *
what_of(struct slice tool)
{
	char *what = scan_strdup(scan_get(tool, "description"));

	if (what == NULL)
		what = scan_strdup(scan_get(tool, "title"));
	if (what == NULL)
		return xstrdup("");
	what[utf8_cut(what, strlen(what), WHAT_MAX)] = '\0';
	return what;
}

static void
take_tool(struct mcp *m, struct slice tool)
{
	struct slice hints = scan_get(tool, "annotations");
	char *remote = scan_strdup(scan_get(tool, "name"));
	struct extra *x;

	if (remote == NULL || remote[0] == '\0' || m->nfresh >=
	    MCP_TOOLS_MAX || has_listed(m, remote)) {
		free(remote);
		return;
	}
	x = xcalloc(1, sizeof *x);
	x->schema.id = TOOL_MCP;
	x->server = m;
	x->remote = remote;
	x->what = what_of(tool);
	x->parameters = schema_of(scan_get(tool, "inputSchema"));
	x->read_only = scan_true(scan_get(hints, "readOnlyHint"));
	x->once = scan_true(scan_get(hints, "destructiveHint")) &&
	    !scan_true(scan_get(hints, "idempotentHint"));
	x->mutates = !x->read_only;
	m->fresh = xgrow(m->fresh, m->nfresh, &m->capfresh,
	    sizeof(struct extra *));
	m->fresh[m->nfresh++] = x;
}

static void
finish_list(struct mcp *m)
{
	for (size_t i = 0; i < m->ntools; i++) {
		m->old = xgrow(m->old, m->nold, &m->capold,
		    sizeof(struct extra *));
		m->old[m->nold++] = m->tools[i];
	}
	free(m->tools);
	m->tools = m->fresh;
	m->ntools = m->nfresh;
	m->fresh = NULL;
	m->nfresh = m->capfresh = 0;
	m->state = MCP_UP;
	m->asked = 0;
}

void
mcp_listed(struct mcp *m, struct slice result)
{
	char *cursor = scan_strdup(scan_get(result, "nextCursor"));
	struct slice el;
	struct walk w;

	walk_in(&w, scan_get(result, "tools"));
	while (walk_next(&w, NULL, &el))
		take_tool(m, el);
	if (cursor != NULL && ++m->pages < MCP_PAGES_MAX &&
	    m->nfresh < MCP_TOOLS_MAX) {
		struct json *params = json_object();

		json_str(params, "cursor", cursor);
		m->asked = mcp_ask(m, "tools/list", params);
	} else {
		finish_list(m);
	}
	free(cursor);
}

/* ---- their names among all ---- */

/* NAME__tool in the letters that every server takes, 64 of them. */
static char *
name_of(const struct mcp *m, const char *remote)
{
	char *name = xasprintf("%s__%s", m->prefix, remote);

	for (char *p = name; *p != '\0'; p++)
		if (!plugin_is_name((char[]){ *p, '\0' }))
			*p = '_';
	if (strlen(name) > PLUGIN_NAME_MAX)
		name[PLUGIN_NAME_MAX] = '\0';
	return name;
}

/* Two that came to one name: the later one gets a number at its end. */
static void
publish(struct extras *all, struct mcp *m, struct extra *x)
{
	free(x->name);
	free(x->template);
	x->template = NULL;
	x->name = name_of(m, x->remote);
	for (int i = 2; !extras_add(all, x) && i < 1000; i++) {
		char *end = xasprintf("_%d", i), *plain = name_of(m,
		    x->remote);
		size_t room = PLUGIN_NAME_MAX - strlen(end);

		if (strlen(plain) > room)
			plain[room] = '\0';
		free(x->name);
		x->name = xasprintf("%s%s", plain, end);
		free(plain);
		free(end);
	}
}

void
mcp_publish(struct tool *t)
{
	struct extras *all = t->extras;
	all->n = all->nplugins;
	for (size_t i = 0; i < all->nservers; i++)
		for (size_t k = 0; k < all->servers[i]->ntools; k++)
			publish(all, all->servers[i],
			    all->servers[i]->tools[k]);
}
