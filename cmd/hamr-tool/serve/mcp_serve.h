/* mcp_serve.h - hamr-tool --mcp: our tools for any MCP client, over stdio. */
#pragma once

#include "calls/tool.h"

/* The stage_ops.input of it. */
void mcp_serve_input(struct stage *s);

/* Its stage_ops.unwritten: what a call prints becomes its progress. */
void mcp_serve_unwritten(struct stage *s, enum rec_kind kind,
    struct slice record);

/* Answer until stdin ends; the exit status.  t is open. */
int mcp_serve(struct tool *t);
