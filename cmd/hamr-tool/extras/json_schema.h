/* json_schema.h - arguments against a JSON Schema.
 *
 * Type, required, enum and items are looked at, in properties at every depth;
 * of plug-ins and MCP servers all other keywords are the tool's business.  An
 * optional member that is null is absent, and a decimal string is the number it
 * says, where the schema wants one.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"

enum json_schema_how {
	JSON_SCHEMA_THEIRS,	/* what is not looked at stays, byte for byte */
	JSON_SCHEMA_OURS,	/* only what the schema names stays, in its
				 * order; integers have digits only */
	JSON_SCHEMA_BOUNDED	/* and are within minimum and maximum */
};

/* Append value to out as the schema wants it (both checked JSON).  False: why
 * is what is wrong, "items[2].name must be a string"; out is of no use then. */
bool json_schema_put(struct slice schema, struct slice value,
    enum json_schema_how how, struct buf *out, struct buf *why);

/* Append a call as it should be, for error texts: {"path":<string>,...}. */
void json_schema_template(struct slice schema, struct buf *out);
