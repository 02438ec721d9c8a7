/* schema.c - the tools there are: names, arguments, what the model is told. */
#include <string.h>

#include "json/scan.h"
#include "record/alias.h"

#include "extra.h"
#include "json_schema.h"
#include "schema.h"

static const struct field read_fields[] = {
	{ .name = "path", .what = "File or folder, relative to the root of the "
	    "repository. A file gives numbered lines, a folder its entries." },
	{ .name = "query", .what = "Text to search for in the files below path "
	    "(case-sensitive, literal unless regex is true)." },
	{ .name = "first", .type = FIELD_INT, .min = 1,
	    .what = "First line to show." },
	{ .name = "last", .type = FIELD_INT, .min = 1, .what = "Last line to "
	    "show." },
	{ .name = "depth", .type = FIELD_INT, .def = "2", .min = 1, .max = 8,
	    .what = "How many levels of a folder to list." },
	{ .name = "regex", .type = FIELD_BOOL, .def = "false",
	    .what = "The query is a POSIX extended regular expression." },
	{ .name = "context", .type = FIELD_INT, .def = "2", .max = 20,
	    .what = "Lines to show around each match." },
	{ .name = NULL }
};

static const struct field edit_item[] = {
	{ .name = "old", .required = true, .what = "The exact text to replace, "
	    "without line numbers. It must occur exactly once unless all is "
	    "true." },
	{ .name = "new", .required = true, .what = "The text to put in its "
	    "place." },
	{ .name = "all", .type = FIELD_BOOL, .def = "false",
	    .what = "Replace every occurrence." },
	{ .name = NULL }
};

static const struct field edit_fields[] = {
	{ .name = "path", .required = true, .what = "The file, relative to the "
	    "root of the repository." },
	{ .name = "old", .what = "The exact text to replace, without line "
	    "numbers. It must occur exactly once unless all is true." },
	{ .name = "new", .what = "The text to put in its place." },
	{ .name = "all", .type = FIELD_BOOL, .def = "false",
	    .what = "Replace every occurrence." },
	{ .name = "edits", .type = FIELD_EDITS, .what = "Several replacements "
	    "in this file, in place of old and new; all are made or none." },
	{ .name = NULL }
};

static const struct field write_fields[] = {
	{ .name = "path", .required = true, .what = "The new file, relative to "
	    "the root of the repository." },
	{ .name = "content", .required = true, .what = "The whole text of the "
	    "file." },
	{ .name = "overwrite", .type = FIELD_BOOL, .what = "Replace a file "
	    "that exists (only where the policy allows it)." },
	{ .name = NULL }
};

static const struct field bash_fields[] = {
	{ .name = "command", .required = true, .what = "The command, as for "
	    "bash -c." },
	{ .name = "timeout", .type = FIELD_INT, .def = "120", .min = 1,
	    .max = 600, .what = "Seconds until it is ended." },
	{ .name = NULL }
};

static const struct field view_fields[] = {
	{ .name = "path", .required = true, .what = "The image, relative to "
	    "the root of the repository." },
	{ .name = NULL }
};

static const struct field search_memory_fields[] = {
	{ .name = "query", .required = true, .what = "Words to look for, or "
	    "the id of an item (m:...) to see the whole of it." },
	{ .name = "n", .type = FIELD_INT, .def = "8", .min = 1, .max = 20,
	    .what = "How many items to show." },
	{ .name = NULL }
};

static const struct field save_memory_fields[] = {
	{ .name = "fact", .required = true, .what = "What is worth knowing in "
	    "later sessions, in a sentence or two." },
	{ .name = "key", .what = "A name for it; the same key again replaces "
	    "it." },
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
	    "\"new\":\"the text to put there\"}" },
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

/* No text of the tables needs an escape. */
static void
put_parameters(const struct field *fields, bool what, struct buf *out)
{
	static const char *const types[] = { [FIELD_STR] = "string",
		[FIELD_INT] = "integer", [FIELD_BOOL] = "boolean",
		[FIELD_EDITS] = "array" };
	const char *between = "";

	buf_adds(out, "{\"type\":\"object\",\"properties\":{");
	for (const struct field *f = fields; f->name != NULL; f++) {
		buf_fmt(out, "%s\"%s\":{\"type\":\"%s\"", between, f->name,
		    types[f->type]);
		if (what)
			buf_fmt(out, ",\"description\":\"%s\"", f->what);
		if (f->type == FIELD_INT)
			buf_fmt(out, ",\"minimum\":%d", f->min);
		if (f->max != 0)
			buf_fmt(out, ",\"maximum\":%d", f->max);
		if (f->def != NULL)
			buf_fmt(out, ",\"default\":%s", f->def);
		if (f->type == FIELD_EDITS) {
			buf_adds(out, ",\"items\":");
			put_parameters(edit_item, what, out);
		}
		buf_addc(out, '}');
		between = ",";
	}
	buf_adds(out, "},\"required\":[");
	between = "";
	for (const struct field *f = fields; f->name != NULL; f++)
		if (f->required) {
			buf_fmt(out, "%s\"%s\"", between, f->name);
			between = ",";
		}
	buf_adds(out, "]}");
}

void
schema_put(const struct schema *s, struct slice parameters, struct buf *out)
{
	scan_put(out, "${'type':'function','function':{'name':@,"
	    "'description':@,'parameters':$}}", scan_comma(out),
	    slice_of(s->name), slice_of(s->what), parameters);
}

void
schema_list(unsigned on, struct buf *out)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);

	for (size_t i = 0; i < NTOOLS; i++) {
		if (!schema_is_on(&tools[i], on))
			continue;
		buf_reset(&b);
		put_parameters(tools[i].fields, true, &b);
		schema_put(&tools[i], buf_view(&b), out);
	}
	buf_release(&b);
}

/* ---- a call's arguments: the model's text in, checked values out ---- */

static bool
is_blank(struct slice v)
{
	return v.p == NULL || slice_is(v, "\"\"");
}

/* What the table cannot say: one of several arguments must be there.  Models
 * that fill in all they know of give the others as "" or []. */
static const char *
check_sets(enum tool_id id, struct slice args)
{
	struct slice edits = scan_get(args, "edits");
	struct slice old = scan_get(args, "old"), new = scan_get(args, "new");
	struct walk w = walk_of(edits);
	struct slice el;

	if (id == TOOL_READ && scan_get(args, "path").p == NULL &&
	    scan_get(args, "query").p == NULL)
		return "path or query is missing";
	if (id != TOOL_EDIT)
		return "";
	if (walk_next(&w, NULL, &el))
		return is_blank(old) && is_blank(new) ? "" :
		    "give old and new, or edits, not both";
	if (old.p == NULL)
		return edits.p != NULL ? "edits is empty" : "old is missing";
	return new.p == NULL ? "new is missing" : "";
}

/* The members that one of our tools knows, by their canonical names. */
static bool
put_ours(const struct schema *t, struct slice text, struct buf *out,
    struct buf *why)
{
	struct buf named = BUF_INIT(BUF_RECORD_MAX);
	struct buf schema = BUF_INIT(BUF_RECORD_MAX);
	/* bash says itself that it took a timeout within bounds */
	enum json_schema_how how = t->id == TOOL_BASH ? JSON_SCHEMA_OURS :
	    JSON_SCHEMA_BOUNDED;
	const char *sets = "";
	size_t at = out->len;
	bool good;

	alias_args(slice_of(t->name), text, &named);
	put_parameters(t->fields, false, &schema);
	good = json_schema_put(buf_view(&schema), buf_view(&named), how, out,
	    why);
	if (good)
		sets = check_sets(t->id, (struct slice){ out->p + at,
		    out->len - at });
	buf_adds(why, sets);
	bufs_release(BUFS(&schema, &named));
	return good && *sets == '\0';
}

enum args_fault
args_check(const struct schema *t, struct slice text, struct buf *out,
    struct result *r)
{
	const struct extra *x = extra_of(t);
	struct scan scan = { .n = 0 };
	struct buf why = BUF_INIT(4096), inner = BUF_INIT(BUF_RECORD_MAX);
	enum args_fault fault = ARGS_JSON;

	/* some models encode the object a second time, as a string */
	if (text.p != NULL && scan_kind(slice_trim(text)) == SCAN_STRING &&
	    scan_str(slice_trim(text), &inner) &&
	    scan_kind(slice_trim(buf_view(&inner))) == SCAN_OBJECT)
		text = buf_view(&inner);
	if (text.p == NULL)
		buf_adds(&why, "function.arguments must be a string that "
		    "holds a JSON object");
	else if (scan_value(&scan, text.p, text.n) < 0)
		buf_fmt(&why, "not valid JSON: %s (byte %zu)", scan.why,
		    scan.at);
	else if (scan_kind(slice_trim(text)) != SCAN_OBJECT) {
		buf_adds(&why, "they must be one JSON object");
		fault = ARGS_SCHEMA;
	} else if (x != NULL ? json_schema_put(slice_of(x->plugin.parameters),
	    slice_trim(text), JSON_SCHEMA_THEIRS, out, &why) :
	    put_ours(t, text, out, &why))
		fault = ARGS_OK;
	else
		fault = ARGS_SCHEMA;
	if (fault != ARGS_OK)
		result_error(r, "bad_arguments", "bad arguments for %s: %s; "
		    "wanted: %s", t->name, why.p, t->template);
	scan_release(&scan);
	bufs_release(BUFS(&why, &inner));
	return fault;
}
