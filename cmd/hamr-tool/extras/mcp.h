/* mcp.h - tools of MCP servers over stdio, resident for the session.
 *
 * [mcp.NAME] says how each is started (in the sandbox, by box.h).  A server is
 * started when its tools are asked for, kept, and restarted if it died.  Its
 * output is never trusted: garbage and unexpected answers are dropped, and
 * nothing it does makes us wait longer than a deadline.
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

/* Start the servers that are not up, in parallel, and list their tools: every
 * server (name NULL), or those that may have the tool name. */
void mcp_load(struct tool *t, const char *name);

/* Serve the servers' output without waiting, and list the tools again of each
 * that said they have changed.  True if any were. */
bool mcp_changed(struct tool *t);

/* Serve the servers until fd is readable or, if changes is set, the tools of
 * one have changed.  False: nobody reads stdout any more. */
bool mcp_idle(struct tool *t, int fd, bool changes);

/* The NAME of [mcp.NAME]. */
const char *mcp_name(const struct mcp *m);

/* May it write in a folder of the root, whatever the mode is (writable)? */
bool mcp_has_folder(const struct mcp *m, const char *root);

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
