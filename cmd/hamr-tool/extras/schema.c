/* schema.c - the built-in tools: names, arguments, texts for the model. */
#include <stdlib.h>
#include <string.h>

#include "json/scan.h"
#include "record/alias.h"

#include "extra.h"
#include "json_schema.h"
#include "schema.h"

/* What is replaced, of edit and of one of its edits. */
#define REPLACEMENT \
	"'old':{'type':'string','description':'The exact text to replace, " \
	    "without line numbers. It must occur exactly once unless all is " \
	    "true.'}," \
	"'new':{'type':'string','description':'The text to put in its " \
	    "place.'}," \
	"'all':{'type':'boolean','description':'Replace every occurrence.'," \
	    "'default':false}"

static const struct schema tools[] = {
	{ TOOL_READ, 0, "read",
	    "Read a file, list a folder, or search for text. Give path, query, "
	    "or both.",
	    "{'type':'object','properties':{"
	    "'path':{'type':'string','description':'File or folder, relative "
		"to the root of the repository. A file gives numbered lines, a "
		"folder its entries.'},"
	    "'query':{'type':'string','description':'Text to search for in the "
		"files below path (case-sensitive, literal unless regex is "
		"true).'},"
	    "'first':{'type':'integer','description':'First line to show.',"
		"'minimum':1},"
	    "'last':{'type':'integer','description':'Last line to show.',"
		"'minimum':1},"
	    "'depth':{'type':'integer','description':'How many levels of a "
		"folder to list.','minimum':1,'maximum':8,'default':2},"
	    "'regex':{'type':'boolean','description':'The query is a POSIX "
		"extended regular expression.','default':false},"
	    "'context':{'type':'integer','description':'Lines to show around "
		"each match.','minimum':0,'maximum':20,'default':2}"
	    "},'required':[]}",
	    "{\"path\":\"src/a.c\",\"first\":1,\"last\":200} or "
	    "{\"query\":\"text\",\"path\":\"src\"}" },
	{ TOOL_EDIT, SCHEMA_CHANGE, "edit",
	    "Replace exact text in a file that was read before. Give old and "
	    "new, or edits.",
	    "{'type':'object','properties':{"
	    "'path':{'type':'string','description':'The file, relative to the "
		"root of the repository.'},"
	    REPLACEMENT ","
	    "'edits':{'type':'array','description':'Several replacements in "
		"this file, in place of old and new; all are made or none.',"
		"'items':"
	    "{'type':'object','properties':{"
	    REPLACEMENT
	    "},'required':['old','new']}"
	    "}"
	    "},'required':['path']}",
	    "{\"path\":\"src/a.c\",\"old\":\"text as it is\","
	    "\"new\":\"the text to put there\"}" },
	{ TOOL_WRITE, SCHEMA_CHANGE, "write",
	    "Make a new text file, and its folders.",
	    "{'type':'object','properties':{"
	    "'path':{'type':'string','description':'The new file, relative to "
		"the root of the repository.'},"
	    "'content':{'type':'string','description':'The whole text of the "
		"file.'},"
	    "'overwrite':{'type':'boolean','description':'Replace a file that "
		"exists (only where the policy allows it).'}"
	    "},'required':['path','content']}",
	    "{\"path\":\"src/b.c\",\"content\":\"...\"}" },
	{ TOOL_BASH, SCHEMA_BASH, "bash",
	    "Run a command with bash in the root of the repository. No "
	    "terminal, no input; nothing it starts goes on running after it.",
	    "{'type':'object','properties':{"
	    "'command':{'type':'string','description':'The command, as for "
		"bash -c.'},"
	    "'timeout':{'type':'integer','description':'Seconds until it is "
		"ended.','minimum':1,'maximum':600,'default':120}"
	    "},'required':['command']}",
	    "{\"command\":\"make check\",\"timeout\":120}" },
	{ TOOL_VIEW, 0, "view_image",
	    "Look at an image file: PNG, JPEG, GIF or WebP.",
	    "{'type':'object','properties':{"
	    "'path':{'type':'string','description':'The image, relative to the "
		"root of the repository.'}"
	    "},'required':['path']}",
	    "{\"path\":\"docs/shot.png\"}" },
	{ TOOL_SEARCH_MEMORY, SCHEMA_MEMORY, "search_memory",
	    "Search what was said and saved in earlier sessions.",
	    "{'type':'object','properties':{"
	    "'query':{'type':'string','description':'Words to look for, or the "
		"id of an item (m:...) to see the whole of it.'},"
	    "'n':{'type':'integer','description':'How many items to show.',"
		"'minimum':1,'maximum':20,'default':8}"
	    "},'required':['query']}",
	    "{\"query\":\"how to run the tests\",\"n\":8}" },
	{ TOOL_SAVE_MEMORY, SCHEMA_MEMORY, "save_memory",
	    "Remember a fact for later sessions.",
	    "{'type':'object','properties':{"
	    "'fact':{'type':'string','description':'What is worth knowing in "
		"later sessions, in a sentence or two.'},"
	    "'key':{'type':'string','description':'A name for it; the same key "
		"again replaces it.'}"
	    "},'required':['fact']}",
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
	return (s->needs & ~on) == 0;
}

void
schema_names(unsigned on, struct buf *out)
{
	/* the first one is always on */
	for (size_t i = 0; i < NTOOLS; i++)
		if (schema_is_on(&tools[i], on))
			buf_fmt(out, "%s%s", i > 0 ? ", " : "",
			    tools[i].name);
}

/* ---- printing ---- */

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
	/* by SCHEMA_NETWORK and SCHEMA_GIT */
	static const char *const cannot[] = {
		" Commands have no network and cannot change .git.",
		" Commands cannot change .git.",
		" Commands have no network.",
		"",
	};
	struct buf b = BUF_INIT(BUF_RECORD_MAX);

	for (size_t i = 0; i < NTOOLS; i++) {
		struct schema s = tools[i];

		if (!schema_is_on(&s, on))
			continue;
		char *what = xasprintf("%s%s", s.what, s.id == TOOL_BASH ?
		    cannot[on / SCHEMA_NETWORK % 4] : "");
		s.what = what;
		buf_reset(&b);
		scan_put(&b, s.form);
		schema_put(&s, buf_view(&b), out);
		free(what);
	}
	buf_release(&b);
}

/* ---- a call's arguments: the model's text in, checked values out ---- */

/* Append the members that a built-in tool knows, by their canonical names. */
static bool
put_ours(const struct schema *t, struct slice text, struct buf *out,
    struct buf *why)
{
	struct buf named = BUF_INIT(BUF_RECORD_MAX);
	struct buf schema = BUF_INIT(BUF_RECORD_MAX);
	/* bash itself reports that it clamped a timeout */
	enum json_schema_how how = t->id == TOOL_BASH ? JSON_SCHEMA_OURS :
	    JSON_SCHEMA_BOUNDED;
	const char *lacks = "";
	size_t at = out->len;
	struct slice el;

	alias_args(slice_of(t->name), text, &named);
	scan_put(&schema, t->form);
	bool good = json_schema_put(buf_view(&schema), buf_view(&named), how,
	    out, why);
	bufs_release(BUFS(&schema, &named));
	if (!good || (t->id != TOOL_READ && t->id != TOOL_EDIT))
		return good;
	/* What the table cannot express: one of several arguments is required.
	 * Models that fill in every argument pass the others as "" or []. */
	struct slice args = slice_from(buf_view(out), at);
	struct slice old = scan_get(args, "old"), new = scan_get(args, "new");
	struct slice edits = scan_get(args, "edits");
	struct walk w = walk_of(edits);
	if (t->id == TOOL_READ)
		lacks = scan_get(args, "path").p != NULL ||
		    scan_get(args, "query").p != NULL ? "" :
		    "path or query is missing";
	else if (walk_next(&w, NULL, &el))
		lacks = (old.p == NULL || slice_is(old, "\"\"")) &&
		    (new.p == NULL || slice_is(new, "\"\"")) ? "" :
		    "give old and new, or edits, not both";
	else if (old.p == NULL)
		lacks = edits.p != NULL ? "edits is empty" : "old is missing";
	else if (new.p == NULL)
		lacks = "new is missing";
	buf_adds(why, lacks);
	return *lacks == '\0';
}

bool
args_check(const struct schema *t, struct slice text, struct buf *out,
    struct result *r, bool *misuse)
{
	const struct extra *x = extra_of(t);
	struct scan scan = { .n = 0 };
	struct buf why = BUF_INIT(4096);
	bool good = false;

	*misuse = true;
	if (text.p == NULL)
		buf_adds(&why, "function.arguments must be a string that "
		    "holds a JSON object");
	else if (scan_value(&scan, text.p, text.n) < 0)
		buf_fmt(&why, "not valid JSON: %s (byte %zu)", scan.why,
		    scan.at);
	else {
		*misuse = false;
		text = slice_trim(text);
		if (scan_kind(text) != SCAN_OBJECT)
			buf_adds(&why, "they must be one JSON object");
		else if (x != NULL)
			good = json_schema_put(slice_of(x->plugin.parameters),
			    text, JSON_SCHEMA_THEIRS, out, &why);
		else
			good = put_ours(t, text, out, &why);
	}
	if (!good)
		result_error(r, "bad_arguments", "bad arguments for %s: %s; "
		    "wanted: %s", t->name, why.p, t->template);
	scan_release(&scan);
	buf_release(&why);
	return good;
}
