/* servers.c - MCP servers that an editor passes on, as settings. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "internal.h"

static void
add_setting(struct worker *s, const struct buf *name, const char *key,
    const struct buf *value)
{
	texts_add(&s->servers, xasprintf("mcp.%s.%s=%s", name->p, key,
	    value->p));
}

/* A list of names and values as texts "NAME=value", or with another text
 * between.  False: it is none. */
static bool
add_pairs(struct worker *s, const struct buf *name, const char *key,
    struct slice list, const char *between)
{
	struct walk w = walk_elements(list);
	struct buf v = BUF_INIT(1 << 20);
	bool good = true;
	struct slice el;

	buf_addc(&v, '[');
	while (good && walk_next(&w, NULL, &el)) {
		char *k = scan_strdup(scan_get(el, "name"));
		char *value = scan_strdup(scan_get(el, "value"));
		char *both = k == NULL || value == NULL ? NULL :
		    xasprintf("%s%s%s", k, between, value);

		good = both != NULL;
		if (good)
			scan_put(&v, v.len > 1 ? ",@" : "@", slice_of(both));
		free(both);
		free(value);
		free(k);
	}
	buf_addc(&v, ']');
	if (good)
		add_setting(s, name, key, &v);
	buf_release(&v);
	return good;
}

/* What is wrong with it, or NULL. */
static const char *
add_http(struct worker *s, const struct buf *name, struct slice server)
{
	struct slice url = scan_get(server, "url");
	struct slice headers = scan_get(server, "headers");
	struct buf v = BUF_INIT(1 << 20);

	if (name->len == 0 || scan_kind(url) != SCAN_STRING ||
	    scan_kind(headers) != SCAN_ARRAY)
		return "an MCP server over HTTP needs a name, a url and "
		    "headers";
	buf_slice(&v, url);
	add_setting(s, name, "url", &v);
	buf_release(&v);
	return add_pairs(s, name, "headers", headers, ": ") ? NULL :
	    "an MCP server's headers are not a list of names and values";
}

/* The same of one that is started here. */
static const char *
add_stdio(struct worker *s, const struct buf *name, struct slice server)
{
	struct slice command = scan_get(server, "command"), el;
	struct slice args = scan_get(server, "args");
	struct slice env = scan_get(server, "env");
	struct buf v = BUF_INIT(1 << 20);
	const char *why = NULL;

	if (name->len == 0 || scan_kind(command) != SCAN_STRING ||
	    scan_kind(args) != SCAN_ARRAY || scan_kind(env) != SCAN_ARRAY)
		return "an MCP server needs a name, a command, args and env";
	scan_put(&v, "[$", command);
	for (struct walk w = walk_elements(args); walk_next(&w, NULL, &el); ) {
		if (scan_kind(el) != SCAN_STRING)
			why = "an MCP server's args are not all strings";
		scan_put(&v, ",$", el);
	}
	buf_addc(&v, ']');
	add_setting(s, name, "command", &v);
	buf_release(&v);
	return add_pairs(s, name, "env", env, "=") ? why :
	    "an MCP server's env is not a list of names and values";
}

bool
servers_take(struct worker *s, const struct rpc_msg *m, bool must)
{
	struct slice list = scan_get(m->params, "mcpServers"), el;
	struct walk w = walk_elements(list);
	const char *why = NULL;

	if (scan_kind(list) != SCAN_ARRAY && (must || (list.p != NULL &&
	    scan_kind(list) != SCAN_NULL)))
		why = "mcpServers is missing, or is not an array";
	texts_release(&s->servers);
	while (why == NULL && walk_next(&w, NULL, &el)) {
		struct slice type = scan_get(el, "type");
		char *given = scan_strdup(scan_get(el, "name"));
		struct buf name = BUF_INIT(1 << 12);

		/* as [mcp.NAME] can have it */
		for (char *p = given; p != NULL && *p != '\0'; p++)
			buf_addc(&name, (*p >= 'a' && *p <= 'z') ||
			    (*p >= 'A' && *p <= 'Z') ||
			    (*p >= '0' && *p <= '9') || *p == '-' ? *p : '_');
		if (scan_str_is(type, "http"))
			why = add_http(s, &name, el);
		else if (type.p != NULL && !scan_str_is(type, "stdio"))
			why = "only MCP servers over stdio and HTTP are "
			    "supported";
		else
			why = add_stdio(s, &name, el);
		free(given);
		buf_release(&name);
	}
	if (why != NULL)
		acp_error(s->acp, m->id, RPC_NO_PARAMS, why);
	return why == NULL;
}
