/* import_convert.c - turns an importer's results into hamr records. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "import_convert.h"
#include "json/sha.h"

#define NONE ((struct slice){ NULL, 0 })

/* A call of the conversation. */
struct import_call {
	char *id;		/* as written: quoted */
	char *name;		/* our name of the tool, quoted */
	char *was;		/* the source's name, quoted; NULL: the same */
	char *given;		/* its id as the source has it, quoted */
	bool done;		/* a result has answered it */
};

/* ---- tools and paths under our names ---- */

static const struct {
	const char *ours, *theirs;	/* blanks between, and around */
} tools[] = {
	{ "read", " Read read_file view ReadFile view_file readFile "
	    "read_text_file " },
	{ "bash", " Bash shell exec_command run_shell_command execute_bash "
	    "Shell local_shell container.exec run_terminal_cmd "
	    "execute_command terminal run_command run_commands exec "
	    "run_terminal run_in_terminal shell_command " },
	{ "edit", " Edit str_replace str_replace_editor apply_patch MultiEdit "
	    "edit_file replace replace_in_file StrReplaceFile file_editor "
	    "str_replace_based_edit_tool NotebookEdit editor multiedit "
	    "replace_string_in_file search_replace " },
	{ "write", " Write create write_file write_to_file WriteFile "
	    "create_file " },
};

static const char *const paths[] = { "file_path", "filePath", "file",
	"absolute_path", "target_file", "notebook_path", "filename",
	"AbsolutePath", "relative_path", NULL };

static bool
is_in(const char *row, struct slice word)
{
	const char *p = row;
	const char *end = row + strlen(row);

	if (word.n == 0 || memchr(word.p, ' ', word.n) != NULL)
		return false;
	while ((p = memmem(p, (size_t)(end - p), word.p, word.n)) != NULL) {
		if (p[-1] == ' ' && p[word.n] == ' ')
			return true;
		p++;
	}
	return false;
}

struct slice
import_name(const struct import_names *own, struct slice name,
    struct slice args)
{
	struct slice command = scan_get(args, "command");
	size_t i;

	for (i = 0; i < own->n; i++) {
		const char *eq = strchr(own->own[i], '=');

		if (eq != NULL && slice_eq((struct slice){ own->own[i],
		    (size_t)(eq - own->own[i]) }, name))
			return slice_of(eq + 1);
	}
	for (i = 0; i < sizeof tools / sizeof *tools; i++)
		if (slice_is(name, tools[i].ours))
			return name;
	for (i = 0; i < sizeof tools / sizeof *tools; i++)
		if (is_in(tools[i].theirs, name))
			break;
	if (i == sizeof tools / sizeof *tools)
		return name;
	/* one tool for all file operations says which in "command" */
	if (strcmp(tools[i].ours, "edit") == 0) {
		if (scan_str_is(command, "view"))
			return SLICE("read");
		if (scan_str_is(command, "create"))
			return SLICE("write");
	}
	return slice_of(tools[i].ours);
}

bool
import_path(struct slice tool, struct slice args, struct buf *out)
{
	struct slice key, val;

	if (!is_in(" read edit write view_image ", tool) ||
	    scan_kind(args) != SCAN_OBJECT || scan_get(args, "path").p != NULL)
		return false;
	for (struct walk w = walk_of(args); walk_next(&w, &key, &val); ) {
		if (!slice_in(key, paths) || scan_kind(val) != SCAN_STRING)
			continue;
		buf_add(out, args.p, (size_t)(key.p - args.p));
		buf_adds(out, "path");
		buf_add(out, key.p + key.n,
		    (size_t)(args.p + args.n - (key.p + key.n)));
		return true;
	}
	return false;
}

/* ---- members ---- */

/* Append a member to an object that is being written. */
static void
put_member(struct buf *out, struct slice key, struct slice val)
{
	scan_put(out, "$'$':$", scan_comma(out), key, val);
}

/* text as a JSON string, in b. */
static struct slice
quoted(struct buf *b, struct slice text)
{
	buf_reset(b);
	scan_quote(b, text.p, text.n);
	return buf_view(b);
}

/* The same, kept for the conversation. */
static char *
keep_quoted(struct import_convert *p, struct slice text)
{
	quoted(&p->text, text);
	return arena_dup(&p->texts, p->text.p, p->text.len);
}

/* Append the member, with the contents of changed files replaced by hashes;
 * nothing if it is empty.  text is scratch. */
static void
put_mutated(struct buf *text, struct slice list, struct buf *out)
{
	struct slice el;
	char hex[SHA_HEX];
	bool any = false;

	for (struct walk w = walk_elements(list); walk_next(&w, NULL, &el); ) {
		/* the new content must be known, or that the file is gone */
		struct slice sha = scan_get(el, "sha256");
		if (scan_kind(scan_get(el, "path")) != SCAN_STRING ||
		    (scan_kind(scan_get(el, "text")) != SCAN_STRING &&
		    scan_kind(sha) != SCAN_STRING &&
		    scan_kind(sha) != SCAN_NULL))
			continue;
		if (!any)
			put_member(out, SLICE("mutated"), SLICE("["));
		buf_adds(out, any ? ",{" : "{");
		any = true;
		put_member(out, SLICE("path"), scan_get(el, "path"));
		buf_reset(text);
		if (scan_str(scan_get(el, "text"), text)) {
			sha256_hex(text->p != NULL ? text->p : "", text->len,
			    hex);
			sha = quoted(text, slice_of(hex));
		}
		put_member(out, SLICE("sha256"), sha);
		buf_addc(out, '}');
	}
	if (any)
		buf_addc(out, ']');
}

/* Append the member meta, as the importer made it, with what we know: was is
 * the call's name in the source, if not NONE.  Nothing if it would be empty. */
static void
put_meta(struct import_convert *p, struct slice meta, struct slice was,
    bool lossy, struct buf *out)
{
	struct slice key, val;
	size_t start = out->len;

	put_member(out, SLICE("meta"), SLICE("{"));
	size_t empty = out->len;
	for (struct walk w = walk_of(scan_only(SCAN_OBJECT, meta));
	    walk_next(&w, &key, &val); ) {
		if (scan_kind(val) == SCAN_NULL || (was.p != NULL &&
		    scan_key_is(key, "name")))
			continue;
		if (scan_key_is(key, "mutated"))
			put_mutated(&p->text, val, out);
		else
			put_member(out, key, val);
	}
	if (was.p != NULL)
		put_member(out, SLICE("name"), was);
	if (lossy)
		put_member(out, SLICE("lossy"), SLICE("true"));
	if (out->len == empty)
		out->p[out->len = start] = '\0';
	else
		buf_addc(out, '}');
}

/* ---- ids ---- */

/* An id as a string: a number is its digits, any other value empty. */
static char *
id_text(struct slice v)
{
	char *text = scan_strdup(v);

	if (text == NULL && scan_kind(v) == SCAN_NUMBER)
		text = xmemdup0(v.p, v.n);
	return text != NULL ? text : xstrdup("");
}

/* ---- conversations ---- */

void
import_convert_end(struct import_convert *p)
{
	p->unanswered += p->open.open;
	arena_release(&p->texts);
	p->ncalls = p->first = p->made_up = p->epoch = 0;
	pairing_reset(&p->open);
	map_release(&p->ids);
}

/* Append all members except `without` and null ones (but null content stays),
 * and the content without its parts' _left members. */
static void
copy_members(const struct rec *r, const char *const *without, struct buf *out)
{
	struct slice el, name, in;

	for (size_t i = 0; i < r->n; i++) {
		struct slice key = r->m[i].key, val = r->m[i].val;
		const char *const *w = without;

		while (*w != NULL && !scan_key_is(key, *w))
			w++;
		if (*w != NULL || (scan_kind(val) == SCAN_NULL &&
		    !scan_key_is(key, "content")))
			continue;
		if (!scan_key_is(key, "content") ||
		    scan_kind(val) != SCAN_ARRAY ||
		    !slice_has(val, "\"_left\":")) {
			put_member(out, key, val);
			continue;
		}
		put_member(out, SLICE("content"), SLICE("["));
		for (struct walk parts = walk_of(val);
		    walk_next(&parts, NULL, &el); ) {
			bool stands = scan_get(el, "_left").p != NULL;

			if (out->p[out->len - 1] != '[')
				buf_addc(out, ',');
			buf_slice(out, stands ? SLICE("{") : el);
			for (struct walk m = walk_of(el); stands &&
			    walk_next(&m, &name, &in); )
				if (!scan_key_is(name, "_left"))
					put_member(out, name, in);
			buf_adds(out, stands ? "}" : "");
		}
		buf_addc(out, ']');
	}
}

/* ---- calls ---- */

/* The arguments' text in p->args, with paths under our key; the call's name
 * under ours. */
static void
read_call(struct import_convert *p, struct slice name, struct slice args,
    struct import_call *c)
{
	struct buf renamed = BUF_INIT(BUF_RECORD_MAX);
	struct slice object = NONE;
	char *theirs = scan_strdup(name);

	if (theirs == NULL || *theirs == '\0') {
		free(theirs);
		theirs = xstrdup("unknown");
	}
	buf_reset(&p->args);
	if (!scan_str(args, &p->args))
		buf_slice(&p->args, scan_kind(args) == SCAN_NONE ||
		    scan_kind(args) == SCAN_NULL ? SLICE("{}") : args);
	buf_adds(&p->args, "");
	if (scan_value(&p->scan, p->args.p, p->args.len) == 0)
		object = buf_view(&p->args);
	object = slice_trim_start(object, " \t\r\n");
	struct slice ours = import_name(&p->names, slice_of(theirs), object);
	c->name = keep_quoted(p, ours);
	c->was = slice_is(ours, theirs) ? NULL :
	    keep_quoted(p, slice_of(theirs));
	if (import_path(ours, object, &renamed)) {
		buf_reset(&p->args);
		buf_slice(&p->args, buf_view(&renamed));
	}
	buf_release(&renamed);
	free(theirs);
}

static void
put_call(struct import_convert *p, struct slice el, struct buf *out)
{
	struct slice f = scan_get(el, "function");
	char *own = id_text(scan_get(el, "id"));
	char *id = *own != '\0' ? xstrdup(own) : NULL;
	bool fresh = false;

	if (scan_kind(f) != SCAN_OBJECT)
		f = el;
	GROW(p->call, p->ncalls, p->capcalls);
	struct import_call *c = &p->call[p->ncalls];
	read_call(p, scan_get(f, "name"), scan_get(f, "arguments"), c);
	c->given = keep_quoted(p, slice_of(own));
	c->done = false;
	pairing_call(&p->open, slice_of(c->given), p->ncalls++);
	/* its id: its own, or that with a number, or an invented one.  The map
	 * keeps the next number to try, so that duplicates stay cheap */
	while (!fresh) {
		if (id == NULL)
			id = xasprintf("call_%zu", ++p->made_up);
		uint64_t *next = map_put(&p->ids, slice_of(id), &fresh);
		if (fresh) {
			*next = 2;
			break;
		}
		free(id);
		id = NULL;
		if (*own == '\0')
			continue;
		next = map_put(&p->ids, slice_of(own), NULL);
		id = xasprintf("%s#%llu", own, (unsigned long long)(*next)++);
	}
	c->id = keep_quoted(p, slice_of(id));
	FREE(own, id);
	scan_put(out, "{'id':$,'type':'function','function':{'name':$,"
	    "'arguments':@}}", slice_of(c->id), slice_of(c->name),
	    buf_view(&p->args));
}

static void
put_assistant(struct import_convert *p, const struct rec *r, bool lossy,
    struct buf *out)
{
	static const char *const without[] = { "role", "tool_calls", "meta",
		"_line", "finish_reason", NULL };
	struct slice calls = rec_get(r, "tool_calls"), el;
	struct buf names = BUF_INIT(BUF_RECORD_MAX);
	size_t first = p->ncalls;
	bool renamed = false;

	buf_adds(out, "{\"role\":\"assistant\"");
	copy_members(r, without, out);
	if (scan_kind(calls) == SCAN_ARRAY) {
		size_t start = out->len;

		buf_adds(out, ",\"tool_calls\":[");
		for (struct walk w = walk_of(calls);
		    walk_next(&w, NULL, &el); ) {
			if (scan_kind(el) != SCAN_OBJECT)
				continue;
			if (p->ncalls > first)
				buf_addc(out, ',');
			put_call(p, el, out);
		}
		buf_addc(out, ']');
		if (p->ncalls == first)
			out->p[out->len = start] = '\0';
	}
	if (scan_kind(rec_get(r, "finish_reason")) == SCAN_STRING)
		put_member(out, SLICE("finish_reason"),
		    rec_get(r, "finish_reason"));
	/* the calls' names in the source: one name, or a list in their order;
	 * nothing if none was renamed */
	size_t n = p->ncalls - first;
	for (size_t i = first; i < p->ncalls; i++) {
		const struct import_call *c = &p->call[i];

		renamed |= c->was != NULL;
		buf_adds(&names, i > first ? "," : n > 1 ? "[" : "");
		buf_adds(&names, c->was != NULL ? c->was : c->name);
	}
	if (n > 1)
		buf_addc(&names, ']');
	put_meta(p, rec_get(r, "meta"), renamed ? buf_view(&names) : NONE,
	    lossy, out);
	buf_addc(out, '}');
	buf_release(&names);
}

/* ---- results ---- */

/* A result without a call: keep what it was. */
static void
put_stray(struct import_convert *p, const struct rec *r, const char *id,
    struct buf *out)
{
	struct buf why = BUF_INIT(BUF_RECORD_MAX);

	p->strays++;
	buf_fmt(&why, *id != '\0' ? "a result without a call: %s" :
	    "a result without a call%s", id);
	scan_put(out, "{'type':'error','stage':'import','code':'bad_record',"
	    "'message':@,'retryable':false", buf_view(&why));
	if (*id != '\0')
		scan_put(out, ",'tool_call_id':@", slice_of(id));
	buf_reset(&why);
	msg_text(rec_get(r, "content"), &why);
	scan_put(out, ",'partial':{'content':@}}", buf_view(&why));
	buf_release(&why);
}

static void
put_tool(struct import_convert *p, const struct rec *r, bool lossy,
    struct buf *out)
{
	static const char *const without[] = { "role", "tool_call_id", "name",
		"meta", "is_error", "_line", NULL };
	char *id = id_text(rec_get(r, "tool_call_id"));
	size_t tag = (size_t)-1;

	/* it answers the oldest open call of its id, or, without an id, the
	 * oldest open call */
	while (p->first < p->ncalls && p->call[p->first].done)
		p->first++;
	if (*id != '\0')
		tag = pairing_result(&p->open, quoted(&p->text, slice_of(id)));
	else if (p->first < p->ncalls)
		tag = pairing_result(&p->open,
		    slice_of(p->call[p->first].given));
	if (tag == (size_t)-1)
		put_stray(p, r, id, out);
	free(id);
	if (tag == (size_t)-1)
		return;
	struct import_call *c = &p->call[tag];
	c->done = true;
	scan_put(out, "{'role':'tool','tool_call_id':$,'name':$",
	    slice_of(c->id), slice_of(c->name));
	if (rec_get(r, "content").p == NULL)
		buf_adds(out, ",\"content\":\"\"");
	copy_members(r, without, out);
	if (scan_true(rec_get(r, "is_error")))
		buf_adds(out, ",\"is_error\":true");
	put_meta(p, rec_get(r, "meta"), slice_of(c->was), lossy, out);
	buf_addc(out, '}');
}

void
import_convert(struct import_convert *p, const struct rec *r, bool lossy,
    struct buf *out)
{
	static const char *const without[] = { "meta", "epoch", "_line", NULL };
	static const char *const without_in_header[] = { "type", "v", "format",
		"_line", NULL };

	p->args.max = p->text.max = BUF_RECORD_MAX;
	if (r == NULL || r->kind == R_HAMR) {
		import_convert_end(p);
		buf_adds(out, "{\"type\":\"hamr\",\"v\":1");
		if (r != NULL)
			copy_members(r, without_in_header, out);
		if (p->format != NULL)
			scan_put(out, ",'format':@", slice_of(p->format));
		buf_addc(out, '}');
	} else if (r->kind == R_ASSISTANT) {
		put_assistant(p, r, lossy, out);
	} else if (r->kind == R_TOOL) {
		put_tool(p, r, lossy, out);
	} else {
		buf_addc(out, '{');
		copy_members(r, without, out);
		if (r->kind == R_COMPACTION)
			buf_fmt(out, ",\"epoch\":%zu", ++p->epoch);
		if (rec_get(r, "meta").p != NULL || lossy)
			put_meta(p, rec_get(r, "meta"), NONE, lossy, out);
		buf_addc(out, '}');
	}
}

void
import_convert_release(struct import_convert *p)
{
	import_convert_end(p);
	free(p->call);
	scan_release(&p->scan);
	bufs_release(BUFS(&p->args, &p->text));
}
