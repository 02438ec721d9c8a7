/* fact.c - a summary of a call and its outcome, and the texts made from it. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "import/import_convert.h"
#include "record/alias.h"
#include "record/msg.h"

#include "fact.h"

#define STAYS 400		/* results up to this many bytes stay */
#define LEAF_MAX 240		/* a longer string of arguments is cut ... */
#define LEAF_KEPT 160		/* ... to this */
#define OLD_MAX 100		/* the same for text that an edit replaced,
				 * which is no longer in the file */
#define OLD_KEPT 80
#define LINE_MAX_SHOWN 140
#define ERRORS 3
#define MEMORY_LEN 25		/* "; memory m:" and twelve digits */
#define ARGS_STAY 600		/* arguments up to this many bytes stay */
#define WHAT_MAX 4096
#define NAME_MAX_KEPT 63
#define ERROR_KEPT 143
#define LINE_CUT " more bytes in this line]\n"	/* of our read */

long
positive(struct slice v)
{
	int64_t n;

	return scan_int(v, &n) && n > 0 && n < 1000000000 ? (long)n : 0;
}

/* ---- what a call is about ---- */

struct slice
first_line(const char *what)
{
	return (struct slice){ what, (size_t)(strchrnul(what, '\n') - what) };
}

/* Our own tools, and two names that no importer knows. */
static const struct {
	const char *name;
	enum tool_kind kind;
} tools[] = {
	{ "bash", TOOL_COMMAND }, { "read", TOOL_READ },
	{ "edit", TOOL_EDIT }, { "write", TOOL_WRITE },
	{ "open", TOOL_READ }, { "execute", TOOL_COMMAND },
};

/* The kind of a tool, by its name (decoded; other programs' names will do) and
 * the `command` (JSON, or p NULL) that it was called with. */
static enum tool_kind
tool_kind(const char *name, struct slice command)
{
	enum tool_kind kind = TOOL_OTHER;

	/* drop an MCP server's prefix, then look for our name of that tool */
	for (const char *p = name; (p = strstr(p, "__")) != NULL; p++)
		name = p + 2;
	name = import_name(&(struct import_names){ .n = 0 }, slice_of(name),
	    (struct slice){ NULL, 0 }).p;
	for (size_t i = 0; i < sizeof tools / sizeof *tools; i++)
		if (strcasecmp(tools[i].name, name) == 0) {
			kind = tools[i].kind;
			break;
		}
	/* str_replace_editor does three things, by its "command" */
	if (kind == TOOL_EDIT && scan_str_is(command, "view"))
		return TOOL_READ;
	if (kind == TOOL_EDIT && scan_str_is(command, "create"))
		return TOOL_WRITE;
	return kind;
}

/* The first value of this kind among the members of these keys; the row ends
 * with NULL. */
static struct slice
first_of(const struct view_args *args, enum scan_kind kind,
    const char *const *keys)
{
	for (; *keys != NULL; keys++)
		for (size_t i = 0; i < args->n; i++)
			if (scan_key_is(args->m[i].key, *keys) &&
			    scan_kind(args->m[i].val) == kind)
				return args->m[i].val;
	return (struct slice){ NULL, 0 };
}

/* Take the lines that a read asks for. */
static void
take_range(struct fact *f, const struct view_args *args)
{
	static const char *const firsts[] = { "first", "offset", "start_line",
		NULL };
	static const char *const lasts[] = { "last", "end_line", NULL };
	static const char *const limits[] = { "limit", NULL };
	static const char *const ranges[] = { "view_range", NULL };
	long limit = positive(first_of(args, SCAN_NUMBER, limits));
	struct walk w = walk_of(first_of(args, SCAN_ARRAY, ranges));
	struct slice n;

	f->first = positive(first_of(args, SCAN_NUMBER, firsts));
	f->last = positive(first_of(args, SCAN_NUMBER, lasts));
	if (walk_next(&w, NULL, &n))
		f->first = positive(n);
	if (walk_next(&w, NULL, &n))	/* -1: to the end */
		f->last = positive(n);
	if (f->first == 0 && (f->last > 0 || limit > 0))
		f->first = 1;
	if (f->last == 0 && limit > 0)
		f->last = f->first + limit - 1;
}

struct fact *
fact_new(struct view *v, struct slice name, const struct view_args *args)
{
	static const char *const paths[] = { "path", "file_path", "file",
		"filePath", "absolute_path", "relative_path", "target_file",
		"notebook_path", "query", "pattern", NULL };
	static const char *const queries[] = { "query", "pattern", "search",
		NULL };
	static const char *const commands[] = { "command", "cmd", "path",
		NULL };
	struct slice command = first_of(args, SCAN_STRING, commands);
	char *tool = scan_text(name);
	enum tool_kind kind = tool_kind(tool, command);
	struct fact *f;
	char *what = scan_strdup(kind == TOOL_COMMAND ? command :
	    first_of(args, SCAN_STRING, paths));

	size_t n = what == NULL ? 0 : utf8_cut(what, strlen(what), WHAT_MAX);
	f = arena_alloc(&v->arena, sizeof *f + n + 1);
	f->kind = kind;
	f->exit = -1;
	if (n > 0)
		memcpy(f->what, what, n);
	if (kind == TOOL_READ) {
		take_range(f, args);
		f->listing = first_of(args, SCAN_STRING, queries).p != NULL;
	}
	f->error = "";
	f->name = arena_dup(&v->arena, tool, utf8_cut(tool, strlen(tool),
	    NAME_MAX_KEPT));
	FREE(tool, what);
	return f;
}

static struct slice
line_at(struct slice text, size_t at)
{
	return slice_part(text, at, slice_find(text, at, "\n"));
}

static size_t
line_start(struct slice text, size_t at)
{
	const char *lf = memrchr(text.p, '\n', at);

	return lf != NULL ? (size_t)(lf - text.p) + 1 : 0;
}

/* ---- lines that report errors ---- */

/* Find the starts of the first lines that report errors, each text once.
 * Returns how many.  Such a line has one of a few words; shift-and looks at
 * each byte once (bit i is set when the bytes so far end with a word's
 * beginning up to its letter i).  The words have 59 letters, which fit 64
 * bits. */
static size_t
error_lines(struct slice text, size_t *at, size_t most)
{
	static const char *const words[] = { "rror", "RROR", "ailed", "FAIL",
		"atal", "xcept", "anic", "denied", "ot foun", "o such",
		"raceb", "ssert" };
	static struct {
		uint64_t byte[256], first, last;
	} w;				/* filled on first use */
	uint64_t state = 0, bit = 1;
	size_t n = 0;

	for (size_t i = 0; w.last >> 58 == 0 && i < sizeof words /
	    sizeof *words; i++) {
		w.first |= bit;
		for (const char *p = words[i]; *p != '\0'; p++, bit <<= 1)
			w.byte[(unsigned char)*p] |= bit;
		w.last |= bit >> 1;
	}
	for (size_t i = 0; n < most; i++) {
		size_t k;

		for (; i < text.n && (state & w.last) == 0; i++)
			state = (state << 1 | w.first) &
			    w.byte[(unsigned char)text.p[i]];
		if ((state & w.last) == 0)
			break;
		size_t start = line_start(text, i - 1);
		struct slice line = line_at(text, start);
		for (k = 0; k < n; k++)
			if (slice_eq(line_at(text, at[k]), line))
				break;
		if (k == n)
			at[n++] = start;
		i = start + line.n;
		state = 0;
	}
	return n;
}

struct slice
first_error(struct slice text)
{
	size_t at;

	return error_lines(text, &at, 1) > 0 ? line_at(text, at) :
	    (struct slice){ text.p, 0 };
}

/* ---- results ---- */

bool
runs_git(const char *command, const char *what)
{
	size_t n = strlen(what);

	for (const char *p = command; (p = strstr(p, "git ")) != NULL; p++) {
		const char *q = p + 4;

		if (p > command && strchr(" ;&|(\n", p[-1]) == NULL)
			continue;
		while (*q == '-') {	/* -C dir, --no-pager */
			bool pair = strncmp(q, "-C ", 3) == 0;

			q += strcspn(q, " ");
			q += *q == ' ';
			if (pair)
				q += strcspn(q, " "), q += *q == ' ';
		}
		if (strncmp(q, what, n) == 0 && strchr(" ;&|)\n", q[n]) !=
		    NULL)
			return true;
	}
	return false;
}

/* Did a result (a record) with this text fail?  object: its path or command. */
static bool
result_failed(const struct rec *r, enum tool_kind kind, const char *object,
    struct slice text)
{
	/* how we and other agents say status 1 without output */
	static const char *const nothing[] = { "exit 1", "Exit code 1",
		"Command exited with code 1", NULL };
	int64_t exit;
	bool known = scan_int(msg_meta(r, "exit"), &exit);
	bool silent = slice_in(slice_trim(text), nothing) ||
	    (known && exit == 1 && text.n == 0);

	/* grep and rg found nothing; of what git status said it shows
	 * nothing */
	if (kind == TOOL_COMMAND && silent && !runs_git(object, "status") &&
	    !runs_git(object, "diff") && (strstr(object, "grep ") != NULL ||
	    strncmp(object, "rg ", 3) == 0 || strstr(object, " rg ") != NULL))
		return false;
	if (scan_true(rec_get(r, "is_error")))
		return true;
	if (known)
		return exit != 0;
	return kind == TOOL_COMMAND && slice_starts(text, "exit ") &&
	    text.n > 5 && text.p[5] != '0';
}

void
fact_result(struct view *v, struct fact *f, const struct rec *r,
    struct slice was, struct slice text)
{
	struct slice meta = rec_get(r, "meta"), op = scan_get(meta, "op");
	long first = positive(scan_get(meta, "first"));
	int64_t n;

	/* what our own tools report */
	if (first > 0) {
		f->first = first;
		f->last = positive(scan_get(meta, "last"));
	}
	f->lines = positive(scan_get(meta, "lines"));
	bool cut = scan_true(scan_get(meta, "truncated"));
	f->cut |= cut;
	f->holes |= cut && (first == 0 || slice_has(was, LINE_CUT));
	if (scan_kind(op) == SCAN_STRING)
		f->listing = !scan_str_is(op, "file");
	f->bytes = scan_int(scan_get(meta, "bytes"), &n) && n >= 0 ?
	    (size_t)n : was.n;
	if (scan_int(scan_get(meta, "exit"), &n) && n >= 0 && n < 1000)
		f->exit = (long)n;
	/* the lines an edit wrote, from the first and last hunk of its diff */
	char *diff = f->kind == TOOL_EDIT ? scan_strdup(scan_get(meta,
	    "diff")) : NULL;
	for (const char *p = diff; p != NULL; p = strstr(p, "\n@@ -")) {
		char *end;
		long lines = 1;

		p += *p == '\n';
		const char *plus = strncmp(p, "@@ -", 4) == 0 ? strchr(p, '+') :
		    NULL;
		if (plus == NULL)
			continue;
		long from = strtol(plus + 1, &end, 10);
		if (*end == ',')
			lines = strtol(end + 1, NULL, 10);
		if (from <= 0 || lines < 0 || lines > 100000000)
			continue;
		if (f->first == 0)
			f->first = from;
		f->last = from + (lines > 0 ? lines - 1 : 0);
	}
	free(diff);
	f->remembered = !msg_is_copy(r);
	f->failed = result_failed(r, f->kind, f->what, text);
	if (!f->failed)
		return;
	char status[32] = "failed";
	struct slice line = first_error(text), rest = slice_trim(text);

	if (line.n == 0 && !slice_line(&rest, &line)) {
		if (f->exit > 0)
			snprintf(status, sizeof status, "exit %ld", f->exit);
		line = slice_of(status);
	}
	f->error = arena_dup(&v->arena, line.p, utf8_cut(line.p, line.n,
	    ERROR_KEPT));
}

size_t
stub_text(const struct fact *f, struct slice text, struct buf *out)
{
	size_t at[ERRORS + 3] = { 0 }, n = 1, shown = 0, err[ERRORS];
	size_t start = out->len;
	bool lines = f->kind != TOOL_READ || f->failed;
	struct slice what = first_line(f->what);

	if (text.n <= STAYS)
		return 0;
	buf_fmt(out, "[elided %s%s", f->name, what.n > 0 ? " " : "");
	buf_add(out, what.p, utf8_cut(what.p, what.n, LINE_MAX_SHOWN));
	if (f->kind != TOOL_READ) {
		buf_fmt(out, ", %zu lines", slice_lines(text));
	} else if (f->first > 0 && f->last >= f->first) {
		buf_fmt(out, " lines %ld-%ld", f->first, f->last);
		if (f->lines > 0)
			buf_fmt(out, " of %ld", f->lines);
	}
	buf_fmt(out, ", %zu bytes", f->bytes);
	if (f->kind == TOOL_READ && f->reads > 1)
		buf_fmt(out, ", read %ldx", f->reads);
	if (f->kind != TOOL_READ && f->exit >= 0)
		buf_fmt(out, ", exit %ld", f->exit);
	else if (f->kind != TOOL_READ && f->failed)
		buf_adds(out, ", failed");
	size_t id_at = out->len - start;
	buf_adds(out, f->kind == TOOL_READ ? "; re-read before editing]" :
	    "]");
	/* the first line; of a command or a failure, also up to three error
	 * lines and the last two, each once and in order */
	size_t whole = text.n;
	if (f->kind == TOOL_COMMAND || f->failed) {
		text = slice_trim_end(text, "\n");
		size_t errors = error_lines(text, err, ERRORS);
		size_t last = line_start(text, text.n);
		size_t before = last > 0 ? line_start(text, last - 1) : 0;

		for (size_t i = 0; i < errors && err[i] < before; i++)
			at[n++] = err[i];
		at[n++] = before;
		at[n++] = last;
	}
	for (size_t i = 0; lines && i < n; i++) {
		if ((i > 0 && at[i] <= shown) || at[i] >= text.n)
			continue;
		struct slice line = line_at(text, at[i]);
		buf_addc(out, '\n');
		buf_add(out, line.p, utf8_cut(line.p, line.n, LINE_MAX_SHOWN));
		shown = at[i];
	}
	if (out->len - start + MEMORY_LEN < whole / 10 * 7)
		return id_at;
	out->len = start;
	return 0;
}

void
context_line(const struct fact *f, size_t inspected[INSPECTIONS],
    struct buf *out)
{
	static const char *const git[] = { "git status", "git diff" };
	const char *what = NULL;
	size_t times = (size_t)f->reads;

	if (f->failed || f->what[0] == '\0')
		return;
	/* hamr-tool does not edit what an MCP server showed */
	if (f->kind == TOOL_READ && !f->listing &&
	    strstr(f->name, "__") == NULL)
		what = f->what;
	for (int i = 0; f->kind == TOOL_COMMAND && what == NULL &&
	    i < INSPECTIONS; i++)
		if (runs_git(f->what, git[i] + 4)) {
			what = git[i];
			times = ++inspected[i];
		}
	if (what == NULL)
		return;
	buf_adds(out, "\n[context: ");
	buf_slice(out, first_line(what));
	if (f->kind == TOOL_READ && f->first > 0 && f->last >= f->first) {
		buf_fmt(out, " %ld-%ld", f->first, f->last);
		if (f->lines > 0)
			buf_fmt(out, "/%ld", f->lines);
	}
	if (f->kind == TOOL_READ)
		buf_adds(out, f->cut ? " truncated, re-read before editing" :
		    " complete; editable");
	else
		buf_adds(out, f->cut ? " truncated" : " complete");
	if (times > 1)
		buf_fmt(out, "; %s %zux", f->kind == TOOL_READ ? "read" :
		    "inspected", times);
	buf_addc(out, ']');
}

/* ---- arguments ---- */

/* Decoded, cut and quoted again, so that no escape, surrogate pair or character
 * is split. */
static void
slim_string(struct slice v, size_t most, size_t keep, struct buf *out)
{
	struct buf text = BUF_INIT(BUF_RECORD_MAX);
	size_t start = out->len;

	if (v.n > most)
		scan_str(v, &text);
	if (text.len <= most) {
		buf_slice(out, v);
	} else {
		scan_quote(out, text.p, utf8_cut(text.p, text.len, keep));
		out->len--;
		buf_fmt(out, "\xe2\x80\xa6[%zu bytes elided]\"",
		    v.n - 1 - (out->len - start));
	}
	buf_release(&text);
}

static void
slim_value(struct slice v, bool edit, struct buf *out)
{
	struct slice key, val;
	bool object = scan_kind(v) == SCAN_OBJECT;
	size_t n = 0;

	if (!object && scan_kind(v) != SCAN_ARRAY) {
		if (scan_kind(v) == SCAN_STRING && !edit)
			slim_string(v, LEAF_MAX, LEAF_KEPT, out);
		else
			buf_slice(out, v);
		return;
	}
	buf_addc(out, object ? '{' : '[');
	for (struct walk w = walk_of(v); walk_next(&w, &key, &val); ) {
		buf_adds(out, n++ > 0 ? "," : "");
		if (object)
			scan_put(out, "'$':", key);
		const char *name = edit ? alias_key(SLICE("edit"), key) : NULL;
		if (edit && scan_kind(val) == SCAN_STRING && slice_is(
		    name != NULL ? slice_of(name) : key, "old"))
			slim_string(val, OLD_MAX, OLD_KEPT, out);
		else
			slim_value(val, edit, out);
	}
	buf_addc(out, object ? '}' : ']');
}

bool
slim_args(struct slice args, bool edit, struct buf *out)
{
	size_t before = out->len;

	if (args.n <= ARGS_STAY)
		return false;
	slim_value(args, edit, out);
	if (out->len - before < args.n)
		return true;
	out->len = before;
	return false;
}
