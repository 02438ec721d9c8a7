/* mcp.h - tools of MCP servers over stdio, resident for the session.
 *
 * [mcp.NAME] says how each is started (in the sandbox, by box.h).  A server is
 * started when its tools are asked for, kept, and started again when it died.
 * What it writes is never trusted: garbage is left out, answers to nothing
 * are forgotten, nothing it does makes us wait longer than a deadline.
 */
#pragma once

#include "root/result.h"
#include "calls/tool.h"

struct mcp;			/* one server */
struct extra;
struct extras;

/* The enabled servers, not started; for mcp_free. */
struct mcp **mcp_configured(const struct tool *t, size_t *n);
void mcp_free(struct mcp **v, size_t n);

/* ST_CONFIG: one has no command. */
int mcp_check(const struct extras *x, struct err *e);

/* Start those that are not up, all at once, and list their tools: every
 * server, or those that name can be a tool of. */
void mcp_load(struct tool *t, const char *name);

/* Look after the servers, without waiting; then, where one said that its
 * tools have changed, list them again.  True when the tools are others. */
bool mcp_changed(struct tool *t);

/* Look after them until fd can be read, or, if changes are wanted, one's tools
 * are others.  False: nobody reads stdout any more. */
bool mcp_idle(struct tool *t, int fd, bool changes);

/* The NAME of [mcp.NAME]. */
const char *mcp_name(const struct mcp *m);

/* Is this the name of a tool of a server that could not be started?  Then r
 * says so. */
bool mcp_is_down(const struct tool *t, const char *name, struct result *r);

/* id: of the call in the transcript. */
void mcp_call(struct tool *t, const struct extra *x, const char *id,
    struct slice args, struct result *r);

/* ---- mcp_result.c ---- */

#define MCP_LINE_MAX ((size_t)16 << 20)	/* of what a server answers */

/* Fill r from the "result" of a tools/call: its texts, within the cap of an
 * output, and the images that a model can be shown. */
void mcp_result(const struct tool *t, struct slice result, struct result *r);
