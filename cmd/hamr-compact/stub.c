/* stub.c - what stands for a result or a call's arguments once they are old,
 * and what a summary will want to know of them.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "mem.h"
#include "msg.h"
#include "utf8.h"

#include "stub.h"

#define STAYS 400		/* results up to so many bytes stay */
#define ARGS_STAY 600		/* arguments too */
#define LEAF_MAX 240		/* a longer string in them is cut ... */
#define LEAF_KEPT 160		/* ... to this */
#define LINE_MAX_SHOWN 140
#define ERRORS 3

static const struct {
	const char *name;
	enum tool_kind kind;
} tools[] = {
	{ "bash", TOOL_COMMAND }, { "shell", TOOL_COMMAND },
	{ "exec_command", TOOL_COMMAND }, { "run_command", TOOL_COMMAND },
	{ "run_shell_command", TOOL_COMMAND }, { "execute", TOOL_COMMAND },
	{ "execute_bash", TOOL_COMMAND }, { "execute_command", TOOL_COMMAND },
	{ "local_shell", TOOL_COMMAND }, { "terminal", TOOL_COMMAND },
	{ "read", TOOL_READ }, { "read_file", TOOL_READ },
	{ "view", TOOL_READ }, { "open", TOOL_READ },
	{ "edit", TOOL_EDIT }, { "edit_file", TOOL_EDIT },
	{ "multiedit", TOOL_EDIT }, { "str_replace", TOOL_EDIT },
	{ "str_replace_editor", TOOL_EDIT }, { "apply_patch", TOOL_EDIT },
	{ "replace", TOOL_EDIT },
	{ "write", TOOL_WRITE }, { "write_file", TOOL_WRITE },
	{ "create", TOOL_WRITE }, { "create_file", TOOL_WRITE },
};

enum tool_kind
tool_kind(const char *name)
{
	for (size_t i = 0; i < sizeof tools / sizeof *tools; i++)
		if (strcasecmp(tools[i].name, name) == 0)
			return tools[i].kind;
	return TOOL_OTHER;
}

static char *
first_of(struct slice args, const char *const *keys, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char *s = scan_strdup(scan_get(args, keys[i]));

		if (s != NULL)
			return s;
	}
	return xstrdup("");
}

struct fact *
fact_new(const char *name, struct slice args)
{
	static const char *const path[] = { "path", "file_path", "file",
		"filePath", "query", "pattern" };
	static const char *const command[] = { "command", "cmd", "path" };
	enum tool_kind kind = tool_kind(name);
	char *what = kind == TOOL_COMMAND ? first_of(args, command, 3) :
	    first_of(args, path, 6);
	size_t n = utf8_cut(what, strlen(what), 300);
	struct fact *f = xcalloc(1, sizeof *f + n + 1);

	f->kind = kind;
	memcpy(f->what, what, n);
	memcpy(f->name, name, utf8_cut(name, strlen(name),
	    sizeof f->name - 1));
	free(what);
	return f;
}

/* ---- lines ---- */

static struct slice
line_at(struct slice text, size_t at)
{
	const char *lf = memchr(text.p + at, '\n', text.n - at);

	return (struct slice){ text.p + at,
		lf != NULL ? (size_t)(lf - text.p) - at : text.n - at };
}

static size_t
line_start(struct slice text, size_t at)
{
	const char *lf = memrchr(text.p, '\n', at);

	return lf != NULL ? (size_t)(lf - text.p) + 1 : 0;
}

static void
put_line(struct buf *out, struct slice line)
{
	buf_addc(out, '\n');
	buf_add(out, line.p, utf8_cut(line.p, line.n, LINE_MAX_SHOWN));
}

/* Starts of the first lines that tell of errors, in order; how many.  A few
 * words, each looked for in the whole text: much faster than line by line. */
static size_t
error_lines(struct slice text, size_t at[ERRORS])
{
	static const char *const words[] = { "rror", "RROR", "ailed", "FAIL",
		"atal", "xception", "anic", "denied", "ot found", "o such",
		"raceback", "ssertion" };
	size_t n = 0;

	for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
		size_t from = 0;

		for (int k = 0; k < ERRORS && from < text.n; k++) {
			const char *hit = memmem(text.p + from, text.n - from,
			    words[w], strlen(words[w]));
			size_t start, i, end;

			if (hit == NULL)
				break;
			start = line_start(text, (size_t)(hit - text.p));
			from = start + line_at(text, start).n + 1;
			for (i = 0; i < n && at[i] < start; i++)
				;
			if (i == ERRORS || (i < n && at[i] == start))
				continue;
			end = n < ERRORS ? n : ERRORS - 1;
			memmove(at + i + 1, at + i, (end - i) * sizeof *at);
			at[i] = start;
			n = end + 1;
		}
	}
	return n;
}

/* ---- results ---- */

static long
meta_long(const struct rec *r, const char *key)
{
	int64_t v;

	return scan_int(msg_meta(r, key), &v) && v > 0 && v < 1000000000 ?
	    (long)v : 0;
}

static bool
has_failed(const struct fact *f, const struct rec *r, struct slice text)
{
	int64_t exit;

	if (scan_true(rec_get(r, "is_error")))
		return true;
	if (scan_int(msg_meta(r, "exit"), &exit))
		return exit != 0;
	if (f->kind != TOOL_COMMAND || !slice_starts(text, "exit "))
		return false;
	return text.n > 5 && text.p[5] != '0';
}

void
fact_result(struct fact *f, const struct rec *r, struct slice text)
{
	size_t at[ERRORS], n;
	int64_t bytes;

	f->done = true;
	f->first = meta_long(r, "first");
	f->last = meta_long(r, "last");
	f->lines = meta_long(r, "lines");
	f->bytes = scan_int(msg_meta(r, "bytes"), &bytes) && bytes >= 0 ?
	    (size_t)bytes : text.n;
	f->failed = has_failed(f, r, text);
	if (!f->failed)
		return;
	n = error_lines(text, at);
	if (n > 0 || text.n > 0) {
		struct slice line = line_at(text, n > 0 ? at[0] : 0);

		memcpy(f->error, line.p, utf8_cut(line.p, line.n,
		    sizeof f->error - 1));
	}
}

static void
stub_read(const struct fact *f, struct buf *out)
{
	if (f->first > 0 && f->last >= f->first) {
		buf_fmt(out, " lines %ld-%ld", f->first, f->last);
		if (f->lines > 0)
			buf_fmt(out, " of %ld", f->lines);
	}
	buf_fmt(out, ", %zu bytes", f->bytes);
	if (f->reads > 1)
		buf_fmt(out, ", read %ldx", f->reads);
	buf_adds(out, "; re-read before editing]");
}

/* First line, up to three error lines, last two: each once. */
static void
stub_lines(struct slice text, struct buf *out)
{
	size_t at[ERRORS + 3] = { 0 }, n, last, err[ERRORS];
	size_t errors = error_lines(text, err);

	n = 1;
	for (size_t i = 0; i < errors; i++)
		at[n++] = err[i];
	while (text.n > 0 && text.p[text.n - 1] == '\n')
		text.n--;
	last = line_start(text, text.n);
	if (last > 0)
		at[n++] = line_start(text, last - 1);
	at[n++] = last;
	for (size_t i = 0; i < n; i++)
		if ((i == 0 || at[i] > at[i - 1]) && at[i] < text.n)
			put_line(out, line_at(text, at[i]));
		else if (i > 0)
			at[i] = at[i - 1];
}

bool
stub_text(const struct fact *f, struct slice text, struct buf *out)
{
	size_t lines = 1, before = out->len;

	if (text.n <= STAYS)
		return false;
	for (size_t i = 0; i + 1 < text.n; i++)
		lines += text.p[i] == '\n';
	buf_fmt(out, "[elided %s", f->name);
	if (f->what[0] != '\0') {
		buf_addc(out, ' ');
		buf_add(out, f->what, utf8_cut(f->what, strcspn(f->what, "\n"),
		    LINE_MAX_SHOWN));
	}
	if (f->kind == TOOL_READ) {
		stub_read(f, out);
	} else {
		buf_fmt(out, ", %zu lines, %zu bytes]", lines, f->bytes);
		if (f->kind == TOOL_COMMAND || f->failed)
			stub_lines(text, out);
		else
			put_line(out, line_at(text, 0));
	}
	if (out->len - before < text.n * 7 / 10)
		return true;
	out->len = before;
	return false;
}

/* ---- arguments ---- */

static void
slim_value(struct slice v, struct buf *out)
{
	struct buf text = BUF_INIT(BUF_RECORD_MAX);
	struct slice key, val;
	struct walk w;
	bool object = scan_kind(v) == SCAN_OBJECT;
	size_t n = 0, kept;

	if (object || scan_kind(v) == SCAN_ARRAY) {
		buf_addc(out, object ? '{' : '[');
		walk_in(&w, v);
		while (walk_next(&w, &key, &val)) {
			if (n++ > 0)
				buf_addc(out, ',');
			if (object) {
				buf_addc(out, '"');
				buf_slice(out, key);
				buf_adds(out, "\":");
			}
			slim_value(val, out);
		}
		buf_addc(out, object ? '}' : ']');
		return;
	}
	if (scan_kind(v) != SCAN_STRING || v.n <= LEAF_MAX ||
	    !scan_str(v, &text) || text.len <= LEAF_MAX) {
		buf_slice(out, v);
		buf_release(&text);
		return;
	}
	kept = utf8_cut(text.p, text.len, LEAF_KEPT);
	n = text.len - kept;
	text.len = kept;
	buf_fmt(&text, "\xe2\x80\xa6[%zu bytes elided]", n);
	scan_quote(out, text.p, text.len);
	buf_release(&text);
}

bool
slim_args(struct slice args, struct buf *out)
{
	size_t before = out->len;

	if (args.n <= ARGS_STAY)
		return false;
	slim_value(args, out);
	if (out->len - before < args.n)
		return true;
	out->len = before;
	return false;
}
