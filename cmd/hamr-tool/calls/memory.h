/* memory.h - search_memory and save_memory: hamr-mem asked as a child.
 *
 * hamr-mem stands beside hamr-tool or on PATH; it runs without a sandbox, in
 * the root, as it keeps what hamr itself keeps.
 */
#ifndef HAMR_TOOL_MEMORY_H
#define HAMR_TOOL_MEMORY_H

#include "tool.h"

/* args have passed the schema.  r is filled whatever happens. */
void memory_search(struct tool *t, struct slice args, struct result *r);
void memory_save(struct tool *t, struct slice args, struct result *r);

#endif
