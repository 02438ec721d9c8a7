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

enum tool_id { TOOL_READ, TOOL_EDIT, TOOL_WRITE, TOOL_BASH, TOOL_VIEW,
	TOOL_SEARCH_MEMORY, TOOL_SAVE_MEMORY,
	TOOL_PLUGIN, TOOL_MCP };	/* extra.h */

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

/* One of ours by the exact name, NULL when there is none (tool_schema of
 * extra.h knows the others too). */
const struct schema *schema_find(const char *name);

/* Of one element of edit's "edits". */
extern const struct field schema_edit_item[];

/* What the configuration can switch off, and (changes of files) the mode. */
enum { SCHEMA_BASH = 1, SCHEMA_MEMORY = 2, SCHEMA_CHANGE = 4 };

/* Is the tool there, with these switched on? */
bool schema_is_on(const struct schema *s, unsigned on);
/* "read, edit, write, ...", appended. */
void schema_names(unsigned on, struct buf *out);

/* Our own entries of a `tools` record, appended to list. */
void schema_list(struct json *list, unsigned on);
/* One entry; its "function", to which "parameters" is to be added. */
struct json *schema_entry(struct json *list, const char *name,
    const char *what);

#endif
