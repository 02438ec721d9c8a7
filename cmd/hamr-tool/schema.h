/* schema.h - the tools there are: names, arguments, what the model is told.
 *
 * One table (chapter 5.1).  It is printed as the `tools` record, and args.h
 * checks calls against it.
 */
#ifndef HAMR_TOOL_SCHEMA_H
#define HAMR_TOOL_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "json.h"

enum tool_id { TOOL_READ, TOOL_EDIT, TOOL_WRITE, TOOL_BASH };

enum field_type { FIELD_STR, FIELD_INT, FIELD_BOOL, FIELD_EDITS };

struct field {
	const char *name;	/* NULL ends a list */
	enum field_type type;
	const char *what;	/* for the model */
	const char *def;	/* as JSON, NULL: none */
	int64_t min, max;	/* integers; max 0: none */
	bool required;
	bool clamped;		/* out of range is the tool's business */
};

struct schema {
	enum tool_id id;
	const char *name, *what;
	const struct field *fields;
	const char *template;	/* a call as it should be, as JSON */
};

/* By the exact name, NULL when there is none. */
const struct schema *schema_find(const char *name);

/* Of one element of edit's "edits". */
extern const struct field schema_edit_item[];

/* "read, edit, write, bash"; bash only if it is enabled. */
const char *schema_names(bool bash);

/* The `tools` record, yours. */
struct json *schema_record(bool bash);

#endif
