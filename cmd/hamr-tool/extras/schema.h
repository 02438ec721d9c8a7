/* schema.h - the tools there are: names, arguments, what the model is told.
 *
 * One table (chapter 5.1).  It is printed as the `tools` record, and calls are
 * checked against it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "root/result.h"

enum tool_id { TOOL_READ, TOOL_EDIT, TOOL_WRITE, TOOL_BASH, TOOL_VIEW,
	TOOL_SEARCH_MEMORY, TOOL_SAVE_MEMORY,
	TOOL_PLUGIN, TOOL_MCP };	/* extra.h */

/* What the configuration can switch off, and (changes of files) the mode; and
 * what commands can do, which the model is told. */
enum { SCHEMA_BASH = 1, SCHEMA_MEMORY = 2, SCHEMA_CHANGE = 4,
	SCHEMA_NETWORK = 8, SCHEMA_GIT = 16 };

struct schema {
	enum tool_id id;
	unsigned needs;		/* one of these, or 0 */
	const char *name, *what;
	const char *form;	/* of scan_put: one of ours as JSON Schema */
	const char *template;	/* a call as it should be, as JSON */
};

/* Find a built-in tool by its exact name; NULL: there is none (tool_schema of
 * extra.h also finds external ones). */
const struct schema *schema_find(const char *name);

/* Is the tool available with these switches on? */
bool schema_is_on(const struct schema *s, unsigned on);
/* "read, edit, write, ...", appended. */
void schema_names(unsigned on, struct buf *out);

/* Append our own entries of a `tools` record, or one entry. */
void schema_list(unsigned on, struct buf *out);
void schema_put(const struct schema *s, struct slice parameters,
    struct buf *out);

/* Check text (decoded out of the call, p NULL when there is none) as JSON and
 * against the schema.  Append to out an object with canonical names, integers
 * as integers, without null and unknown members.  False: r is a bad_arguments
 * error that shows the template, and *misuse tells whether text is not even
 * JSON. */
bool args_check(const struct schema *t, struct slice text, struct buf *out,
    struct result *r, bool *misuse);
