/* shape.h - arguments against a JSON Schema of somebody else's.
 *
 * Of plug-ins and MCP servers: type, required, enum and items are looked at,
 * in properties at every depth; all other keywords are the tool's business.
 * As for our own tools, an optional member that is null is absent, and a
 * decimal string is the number it says, where the schema wants one.
 */
#ifndef HAMR_TOOL_SHAPE_H
#define HAMR_TOOL_SHAPE_H

#include <stdbool.h>

#include "buf.h"

/* Append value (checked JSON) to out as the schema (checked JSON) wants it,
 * all else byte for byte.  False: why is what is wrong, "items[2].name must be
 * a string"; out is of no use then. */
bool shape_put(struct slice schema, struct slice value, struct buf *out,
    struct buf *why);

/* Append a call as it should be, for error texts: {"path":<string>,...}. */
void shape_template(struct slice schema, struct buf *out);

#endif
