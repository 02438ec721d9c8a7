/* mcp_result.h - what an MCP server answered to a call, as a result. */
#ifndef HAMR_TOOL_MCP_RESULT_H
#define HAMR_TOOL_MCP_RESULT_H

#include "root/result.h"
#include "calls/tool.h"

#define MCP_LINE_MAX ((size_t)16 << 20)	/* of what a server answers */

/* Fill r from the "result" of a tools/call: its texts, within the cap of an
 * output, and the images that a model can be shown. */
void mcp_result(const struct tool *t, struct slice result, struct result *r);

#endif
