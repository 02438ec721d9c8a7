/* json_schema.h - check arguments against a JSON Schema.
 *
 * Type, required, enum and items are checked, in properties at every depth; for
 * plug-ins and MCP servers all other keywords are left to the tool.  An
 * optional member that is null counts as absent, and a decimal string as a
 * number where the schema wants one.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"

enum json_schema_how {
	JSON_SCHEMA_THEIRS,	/* unchecked parts stay, byte for byte */
	JSON_SCHEMA_OURS,	/* only what the schema names stays, in its
				 * order; integers have digits only */
	JSON_SCHEMA_BOUNDED	/* and are within minimum and maximum */
};

/* Append value to out as the schema wants it (both checked JSON).  False: why
 * says what is wrong, "items[2].name must be a string"; out is undefined. */
bool json_schema_put(struct slice schema, struct slice value,
    enum json_schema_how how, struct buf *out, struct buf *why);

/* Append a call as it should be, for error texts: {"path":<string>,...}. */
void json_schema_template(struct slice schema, struct buf *out);
