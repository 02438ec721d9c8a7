/* servers.c - MCP servers that an editor passes on, as settings. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "internal.h"

/* Null is an empty one. */
static bool
is_list(struct slice val)
{
	return scan_kind(val) == SCAN_ARRAY || scan_kind(val) == SCAN_NULL;
}

/* Add a server that is reached over HTTP or started here.  Returns what is
 * wrong with it, or NULL. */
static const char *
add_server(struct texts *to, const struct buf *name, bool http,
    struct slice server)
{
	struct slice what = scan_get(server, http ? "url" : "command"), el;
	struct slice pairs = scan_get(server, http ? "headers" : "env");
	struct slice args = scan_get(server, "args");
	struct buf command = BUF_INIT(1 << 20), list = command;
	const char *why = NULL;

	if (name->len == 0 || scan_kind(what) != SCAN_STRING ||
	    !is_list(pairs) || (!http && !is_list(args)))
		return http ? "an MCP server over HTTP needs a name, a url and "
		    "headers" : "an MCP server needs a name, a command, args "
		    "and env";
	scan_put(&command, "$", what);
	for (struct walk w = walk_elements(args); !http &&
	    walk_next(&w, NULL, &el); ) {
		if (scan_kind(el) != SCAN_STRING)
			why = "an MCP server's args are not all strings";
		scan_put(&command, ",$", el);
	}
	buf_addc(&list, '[');
	for (struct walk w = walk_elements(pairs); why == NULL &&
	    walk_next(&w, NULL, &el); ) {
		char *key = scan_strdup(scan_get(el, "name"));
		char *value = scan_strdup(scan_get(el, "value"));
		char *both = key == NULL || value == NULL ? NULL :
		    xasprintf(http ? "%s: %s" : "%s=%s", key, value);

		if (both != NULL)
			scan_put(&list, "$@", scan_comma(&list),
			    slice_of(both));
		else
			why = http ? "an MCP server's headers are not a list "
			    "of names and values" : "an MCP server's env is "
			    "not a list of names and values";
		FREE(key, value, both);
	}
	/* the user's configuration may have one of this name */
	texts_add(to, xasprintf("mcp.%s.url=%s", name->p, http ? command.p :
	    ""));
	texts_add(to, xasprintf("mcp.%s.command=[%s]", name->p, http ? "" :
	    command.p));
	texts_add(to, xasprintf("mcp.%s.%s=%s]", name->p, http ? "headers" :
	    "env", list.p));
	bufs_release(BUFS(&command, &list));
	return why;
}

bool
servers_read(struct worker *s, const struct rpc_msg *m, bool must)
{
	struct slice list = scan_get(m->params, "mcpServers"), el;
	struct walk w = walk_elements(list);
	struct texts to = { .n = 0 };
	const char *why = NULL;

	if (list.p == NULL && !must)
		return true;
	if (!is_list(list))
		why = "mcpServers is missing, or is not an array";
	while (why == NULL && walk_next(&w, NULL, &el)) {
		struct slice type = scan_get(el, "type");
		char *given = scan_strdup(scan_get(el, "name"));
		struct buf name = BUF_INIT(1 << 12);

		/* as allowed in [mcp.NAME] */
		for (char *p = given; p != NULL && *p != '\0'; p++)
			buf_addc(&name, (*p >= 'a' && *p <= 'z') ||
			    (*p >= 'A' && *p <= 'Z') ||
			    (*p >= '0' && *p <= '9') || *p == '-' ? *p : '_');
		/* two may differ only in other characters */
		char *key = xasprintf("mcp.%s.", buf_view(&name).p);
		for (size_t i = 0; i < to.n; i++)
			if (slice_starts(slice_of(to.v[i]), key)) {
				buf_fmt(&name, "_%zu", to.n / 3 + 1);
				break;
			}
		free(key);
		why = scan_str_is(type, "http") ? add_server(&to, &name, true,
		    el) : type.p == NULL || scan_str_is(type, "stdio") ?
		    add_server(&to, &name, false, el) :
		    "only MCP servers over stdio and HTTP are supported";
		free(given);
		buf_release(&name);
	}
	if (why != NULL) {
		acp_error(s->acp, m->id, RPC_NO_PARAMS, why);
		texts_release(&to);
		return false;
	}
	/* an open session starts again to have other servers, unless it has no
	 * message yet: its file would be removed */
	bool same = to.n == s->servers.n;
	for (size_t i = 0; same && i < to.n; i++)
		same = strcmp(to.v[i], s->servers.v[i]) == 0;
	if (!same && s->child != NULL && s->title != NULL)
		worker_end(s, WORKER_END_MS);
	texts_release(&s->servers);
	s->servers = to;
	return true;
}
