/* schema.c - the tools there are: names, arguments, what the model is told. */
#include <string.h>

#include "buf.h"

#include "schema.h"

static const struct field read_fields[] = {
	{ "path", FIELD_STR, "File or folder, relative to the root of the "
	    "repository. A file gives numbered lines, a folder its entries.",
	    NULL, 0, 0, false, false },
	{ "query", FIELD_STR, "Text to search for in the files below path "
	    "(case-sensitive, literal unless regex is true).",
	    NULL, 0, 0, false, false },
	{ "first", FIELD_INT, "First line to show.", NULL, 1, 0, false,
	    false },
	{ "last", FIELD_INT, "Last line to show.", NULL, 1, 0, false, false },
	{ "depth", FIELD_INT, "How many levels of a folder to list.", "2",
	    1, 8, false, false },
	{ "regex", FIELD_BOOL, "The query is a POSIX extended regular "
	    "expression.", "false", 0, 0, false, false },
	{ "context", FIELD_INT, "Lines to show around each match.", "2",
	    0, 20, false, false },
	{ .name = NULL }
};

const struct field schema_edit_item[] = {
	{ "old", FIELD_STR, "The exact text to replace, without line numbers. "
	    "It must occur exactly once unless all is true.",
	    NULL, 0, 0, true, false },
	{ "new", FIELD_STR, "The text to put in its place.",
	    NULL, 0, 0, true, false },
	{ "all", FIELD_BOOL, "Replace every occurrence.", "false", 0, 0,
	    false, false },
	{ .name = NULL }
};

static const struct field edit_fields[] = {
	{ "path", FIELD_STR, "The file, relative to the root of the "
	    "repository.", NULL, 0, 0, true, false },
	{ "old", FIELD_STR, "The exact text to replace, without line numbers. "
	    "It must occur exactly once unless all is true.",
	    NULL, 0, 0, false, false },
	{ "new", FIELD_STR, "The text to put in its place.",
	    NULL, 0, 0, false, false },
	{ "all", FIELD_BOOL, "Replace every occurrence.", "false", 0, 0,
	    false, false },
	{ "edits", FIELD_EDITS, "Several replacements in this file, in place "
	    "of old and new; all are made or none.",
	    NULL, 0, 0, false, false },
	{ .name = NULL }
};

static const struct field write_fields[] = {
	{ "path", FIELD_STR, "The new file, relative to the root of the "
	    "repository.", NULL, 0, 0, true, false },
	{ "content", FIELD_STR, "The whole text of the file.",
	    NULL, 0, 0, true, false },
	{ "overwrite", FIELD_BOOL, "Replace a file that exists (only where "
	    "the policy allows it).", NULL, 0, 0, false, false },
	{ .name = NULL }
};

static const struct field bash_fields[] = {
	{ "command", FIELD_STR, "The command, as for bash -c.",
	    NULL, 0, 0, true, false },
	{ "timeout", FIELD_INT, "Seconds until it is ended.", "120",
	    1, 600, false, true },
	{ .name = NULL }
};

static const struct field view_fields[] = {
	{ "path", FIELD_STR, "The image, relative to the root of the "
	    "repository.", NULL, 0, 0, true, false },
	{ .name = NULL }
};

static const struct field search_memory_fields[] = {
	{ "query", FIELD_STR, "Words to look for, or the id of an item "
	    "(m:...) to see the whole of it.", NULL, 0, 0, true, false },
	{ "n", FIELD_INT, "How many items to show.", "8", 1, 20, false,
	    false },
	{ .name = NULL }
};

static const struct field save_memory_fields[] = {
	{ "fact", FIELD_STR, "What is worth knowing in later sessions, in a "
	    "sentence or two.", NULL, 0, 0, true, false },
	{ "key", FIELD_STR, "A name for it; the same key again replaces it.",
	    NULL, 0, 0, false, false },
	{ .name = NULL }
};

static const struct schema tools[] = {
	{ TOOL_READ, "read", "Read a file, list a folder, or search for text. "
	    "Give path, query, or both.", read_fields,
	    "{\"path\":\"src/a.c\",\"first\":1,\"last\":200} or "
	    "{\"query\":\"text\",\"path\":\"src\"}" },
	{ TOOL_EDIT, "edit", "Replace exact text in a file that was read "
	    "before. Give old and new, or edits.", edit_fields,
	    "{\"path\":\"src/a.c\",\"old\":\"text as it is\","
	    "\"new\":\"text as it shall be\"}" },
	{ TOOL_WRITE, "write", "Make a new text file, and its folders.",
	    write_fields, "{\"path\":\"src/b.c\",\"content\":\"...\"}" },
	{ TOOL_BASH, "bash", "Run a command with bash in the root of the "
	    "repository. No terminal, no input; nothing it starts goes on "
	    "running after it.", bash_fields,
	    "{\"command\":\"make check\",\"timeout\":120}" },
	{ TOOL_VIEW, "view_image", "Look at an image file: PNG, JPEG, GIF or "
	    "WebP.", view_fields, "{\"path\":\"docs/shot.png\"}" },
	{ TOOL_SEARCH_MEMORY, "search_memory", "Search what was said and "
	    "saved in earlier sessions.", search_memory_fields,
	    "{\"query\":\"how to run the tests\",\"n\":8}" },
	{ TOOL_SAVE_MEMORY, "save_memory", "Remember a fact for later "
	    "sessions.", save_memory_fields,
	    "{\"fact\":\"make check needs bwrap\",\"key\":\"tests\"}" },
};

#define NTOOLS (sizeof tools / sizeof tools[0])

const struct schema *
schema_find(const char *name)
{
	for (size_t i = 0; i < NTOOLS; i++)
		if (strcmp(tools[i].name, name) == 0)
			return &tools[i];
	return NULL;
}

bool
schema_is_on(const struct schema *s, unsigned on)
{
	switch (s->id) {
	case TOOL_BASH: return (on & SCHEMA_BASH) != 0;
	case TOOL_EDIT:
	case TOOL_WRITE: return (on & SCHEMA_CHANGE) != 0;
	case TOOL_SEARCH_MEMORY:
	case TOOL_SAVE_MEMORY: return (on & SCHEMA_MEMORY) != 0;
	default: return true;
	}
}

void
schema_names(unsigned on, struct buf *out)
{
	bool any = false;

	for (size_t i = 0; i < NTOOLS; i++)
		if (schema_is_on(&tools[i], on)) {
			buf_fmt(out, "%s%s", any ? ", " : "", tools[i].name);
			any = true;
		}
}

/* ---- printing ---- */

static struct json *parameters(const struct field *f);

static struct json *
property(const struct field *f)
{
	static const char *const types[] = { [FIELD_STR] = "string",
		[FIELD_INT] = "integer", [FIELD_BOOL] = "boolean",
		[FIELD_EDITS] = "array" };
	struct json *o = json_object();

	json_str(o, "type", types[f->type]);
	json_str(o, "description", f->what);
	if (f->type == FIELD_INT)
		json_int(o, "minimum", f->min);
	if (f->type == FIELD_INT && f->max != 0)
		json_int(o, "maximum", f->max);
	if (f->def != NULL)
		json_raw(o, "default", slice_of(f->def));
	if (f->type == FIELD_EDITS)
		json_add(o, "items", parameters(schema_edit_item));
	return o;
}

static struct json *
parameters(const struct field *fields)
{
	struct json *o = json_object(), *props = json_object();
	struct json *required = json_array();

	json_str(o, "type", "object");
	for (const struct field *f = fields; f->name != NULL; f++) {
		json_add(props, f->name, property(f));
		if (f->required)
			json_str(required, NULL, f->name);
	}
	json_add(o, "properties", props);
	json_add(o, "required", required);
	return o;
}

struct json *
schema_entry(struct json *list, const char *name, const char *what)
{
	struct json *t = json_object(), *fn = json_object();

	json_str(fn, "name", name);
	json_str(fn, "description", what);
	json_str(t, "type", "function");
	json_add(t, "function", fn);
	json_add(list, NULL, t);
	return fn;
}

void
schema_list(struct json *list, unsigned on)
{
	for (size_t i = 0; i < NTOOLS; i++) {
		struct json *fn;

		if (!schema_is_on(&tools[i], on))
			continue;
		fn = schema_entry(list, tools[i].name, tools[i].what);
		json_add(fn, "parameters", parameters(tools[i].fields));
	}
}
