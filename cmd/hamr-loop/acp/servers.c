/* servers.c - MCP servers that an editor passes on, as settings. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "internal.h"

/* The name as [mcp.NAME] can have it. */
static void
put_name(struct buf *b, struct slice value)
{
	char *name = scan_strdup(value);

	for (char *p = name; p != NULL && *p != '\0'; p++)
		buf_addc(b, (*p >= 'a' && *p <= 'z') || (*p >= 'A' &&
		    *p <= 'Z') || (*p >= '0' && *p <= '9') || *p == '-' ?
		    *p : '_');
	free(name);
}

static void
add_setting(struct worker *s, const struct buf *name, const char *key,
    const struct buf *value)
{
	s->servers = xgrow(s->servers, s->nservers, &s->capservers,
	    sizeof *s->servers);
	s->servers[s->nservers++] = xasprintf("mcp.%s.%s=%s", name->p, key,
	    value->p);
}

/* "NAME=value", or with another text between. */
static bool
add_variable(struct buf *v, struct slice el, const char *between)
{
	char *key = scan_strdup(scan_get(el, "name"));
	char *value = scan_strdup(scan_get(el, "value")), *both;
	bool good = key != NULL && value != NULL;

	if (good) {
		both = xasprintf("%s%s%s", key, between, value);
		buf_addc(v, v->len == 0 ? '[' : ',');
		scan_quote(v, both, strlen(both));
		free(both);
	}
	free(key);
	free(value);
	return good;
}

/* What is wrong with it, or NULL. */
static const char *
add_http(struct worker *s, const struct buf *name, struct slice server)
{
	struct slice url = scan_get(server, "url"), el;
	struct slice headers = scan_get(server, "headers");
	struct buf v = BUF_INIT(1 << 20);
	const char *why = NULL;
	struct walk w;

	if (scan_kind(url) != SCAN_STRING || scan_kind(headers) != SCAN_ARRAY)
		return "an MCP server over HTTP needs a name, a url and "
		    "headers";
	buf_slice(&v, url);
	add_setting(s, name, "url", &v);
	buf_reset(&v);
	walk_list(&w, headers);
	while (walk_next(&w, NULL, &el))
		if (!add_variable(&v, el, ": "))
			why = "an MCP server's headers are not a list of names "
			    "and values";
	buf_adds(&v, v.len > 0 ? "]" : "[]");
	add_setting(s, name, "headers", &v);
	buf_release(&v);
	return why;
}

/* What is wrong with it, or NULL. */
static const char *
add_server(struct worker *s, struct slice server)
{
	struct slice type = scan_get(server, "type"), el;
	struct slice command = scan_get(server, "command");
	struct buf name = BUF_INIT(1 << 12), v = BUF_INIT(1 << 20);
	const char *why = NULL;
	struct walk w;

	put_name(&name, scan_get(server, "name"));
	if (scan_str_is(type, "http") && name.len > 0)
		why = add_http(s, &name, server);
	else if (type.p != NULL && !scan_str_is(type, "stdio"))
		why = "only MCP servers over stdio and HTTP are supported";
	else if (name.len == 0 || scan_kind(command) != SCAN_STRING ||
	    scan_kind(scan_get(server, "args")) != SCAN_ARRAY ||
	    scan_kind(scan_get(server, "env")) != SCAN_ARRAY)
		why = "an MCP server needs a name, a command, args and env";
	if (why != NULL || scan_str_is(type, "http"))
		goto out;
	buf_addc(&v, '[');
	buf_slice(&v, command);
	walk_list(&w, scan_get(server, "args"));
	while (walk_next(&w, NULL, &el)) {
		if (scan_kind(el) != SCAN_STRING)
			why = "an MCP server's args are not all strings";
		scan_put(&v, ",$", el);
	}
	buf_addc(&v, ']');
	add_setting(s, &name, "command", &v);
	buf_reset(&v);
	walk_list(&w, scan_get(server, "env"));
	while (walk_next(&w, NULL, &el))
		if (!add_variable(&v, el, "="))
			why = "an MCP server's env is not a list of names and "
			    "values";
	buf_adds(&v, v.len > 0 ? "]" : "[]");
	add_setting(s, &name, "env", &v);
out:
	buf_release(&name);
	buf_release(&v);
	return why;
}

bool
servers_take(struct worker *s, const struct rpc_msg *m, bool must)
{
	struct slice list = scan_get(m->params, "mcpServers"), el;
	const char *why = NULL;
	struct walk w;

	if (scan_kind(list) != SCAN_ARRAY && (must || (list.p != NULL &&
	    scan_kind(list) != SCAN_NULL)))
		why = "mcpServers is missing, or is not an array";
	for (size_t i = 0; i < s->nservers; i++)
		free(s->servers[i]);
	s->nservers = 0;
	walk_list(&w, list);
	while (why == NULL && walk_next(&w, NULL, &el))
		why = add_server(s, el);
	if (why != NULL)
		acp_error(s->acp, m->id, RPC_NO_PARAMS, why);
	return why == NULL;
}
