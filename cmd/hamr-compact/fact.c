/* fact.c - a call and its outcome in short. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "msg.h"
#include "utf8.h"

#include "stub.h"

#define ARGS_STAY 600		/* arguments up to so many bytes stay */
#define WHAT_MAX 300
#define NAME_MAX_KEPT 63
#define ERROR_KEPT 143

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
		if ((*name | 32) == *tools[i].name &&
		    strcasecmp(tools[i].name, name) == 0)
			return tools[i].kind;
	return TOOL_OTHER;
}

/* One tool of other programs does three things, by its "command". */
enum tool_kind
tool_does(enum tool_kind kind, struct slice command)
{
	if (kind != TOOL_EDIT)
		return kind;
	if (scan_str_is(command, "view"))
		return TOOL_READ;
	return scan_str_is(command, "create") ? TOOL_WRITE : kind;
}

/* What a call is about, and the lines a read asks for. */
struct about {
	struct slice path, command;
	int path_rank, command_rank;	/* of their keys: the lower wins */
	long first, last, limit;
};

static long
int_of(struct slice v)
{
	int64_t n;

	return scan_int(v, &n) && n > 0 && n < 1000000000 ? (long)n : 0;
}

static int
rank_of(struct slice key, const char *const *keys, int n)
{
	for (int i = 0; i < n; i++)
		if (scan_key_is(key, keys[i]))
			return i;
	return n;
}

static void
take_text(struct about *a, struct slice key, struct slice val)
{
	static const char *const path[] = { "path", "file_path", "file",
		"filePath", "query", "pattern" };
	static const char *const command[] = { "command", "cmd", "path" };
	int rank = rank_of(key, path, 6);

	if (rank < a->path_rank) {
		a->path_rank = rank;
		a->path = val;
	}
	rank = rank_of(key, command, 3);
	if (rank < a->command_rank) {
		a->command_rank = rank;
		a->command = val;
	}
}

static void
take_number(struct about *a, struct slice key, struct slice val)
{
	if (scan_key_is(key, "offset") || scan_key_is(key, "start_line") ||
	    scan_key_is(key, "first"))
		a->first = int_of(val);
	else if (scan_key_is(key, "last") || scan_key_is(key, "end_line"))
		a->last = int_of(val);
	else if (scan_key_is(key, "limit"))
		a->limit = int_of(val);
}

/* "view_range": [first, last]; last -1: to the end. */
static void
take_pair(struct about *a, struct slice key, struct slice val)
{
	struct slice n;
	struct walk w;

	if (!scan_key_is(key, "view_range"))
		return;
	walk_in(&w, val);
	if (walk_next(&w, NULL, &n))
		a->first = int_of(n);
	if (walk_next(&w, NULL, &n))
		a->last = int_of(n);
}

static struct about
about(const struct view_args *args)
{
	struct about a = { .path_rank = 6, .command_rank = 3 };

	for (size_t i = 0; i < args->n; i++) {
		const struct member *m = &args->m[i];

		if (scan_kind(m->val) == SCAN_STRING)
			take_text(&a, m->key, m->val);
		else if (scan_kind(m->val) == SCAN_NUMBER)
			take_number(&a, m->key, m->val);
		else if (scan_kind(m->val) == SCAN_ARRAY)
			take_pair(&a, m->key, m->val);
	}
	return a;
}

/* A path as it is compared: no "./" in front, no "//". */
static void
clean_path(char *s)
{
	char *o = s;

	while (s[0] == '.' && s[1] == '/')
		for (s += 2; *s == '/'; s++)
			;
	for (; *s != '\0'; s++)
		if (s[0] != '/' || s[1] != '/')
			*o++ = *s;
	*o = '\0';
}

static void
take_range(struct fact *f, const struct about *a)
{
	f->first = a->first;
	f->last = a->last;
	if (a->limit > 0 && a->last == 0) {
		f->first = a->first > 0 ? a->first : 1;
		f->last = f->first + a->limit - 1;
	}
}

struct fact *
fact_new(struct view *v, const char *name, const struct view_args *args)
{
	struct about a = about(args);
	enum tool_kind kind = tool_does(tool_kind(name), a.command);
	char *what = scan_strdup(kind == TOOL_COMMAND ? a.command : a.path);
	size_t n = what == NULL ? 0 : utf8_cut(what, strlen(what), WHAT_MAX);
	struct fact *f = view_take(v, sizeof *f + n + 1);

	f->kind = kind;
	f->longer = args->text.n > ARGS_STAY;
	f->exit = -1;
	if (n > 0)
		memcpy(f->what, what, n);
	if (kind == TOOL_READ || kind == TOOL_EDIT || kind == TOOL_WRITE)
		clean_path(f->what);
	if (kind == TOOL_READ)
		take_range(f, &a);
	f->error = "";
	f->name = view_dup(v, name, utf8_cut(name, strlen(name),
	    NAME_MAX_KEPT));
	free(what);
	return f;
}

/* ---- results ---- */

static bool
has_failed(const struct fact *f, const struct rec *r, struct slice text)
{
	if (scan_true(rec_get(r, "is_error")))
		return true;
	if (f->exit >= 0)
		return f->exit != 0;
	if (f->kind != TOOL_COMMAND || !slice_starts(text, "exit "))
		return false;
	return text.n > 5 && text.p[5] != '0';
}

/* The lines that an edit made, by the first and the last hunk of its diff. */
static void
take_diff(struct fact *f, struct slice meta)
{
	char *diff = scan_strdup(scan_get(meta, "diff"));

	for (const char *p = diff; p != NULL; p = strstr(p, "\n@@ -")) {
		const char *plus;
		char *end;
		long first, n = 1;

		p += *p == '\n';
		plus = strncmp(p, "@@ -", 4) == 0 ? strchr(p, '+') : NULL;
		if (plus == NULL)
			continue;
		first = strtol(plus + 1, &end, 10);
		if (*end == ',')
			n = strtol(end + 1, NULL, 10);
		if (first <= 0 || n < 0 || n > 100000000)
			continue;
		if (f->first == 0)
			f->first = first;
		f->last = first + (n > 0 ? n - 1 : 0);
	}
	free(diff);
}

/* What our own tools say of a result. */
static void
take_meta(struct fact *f, struct slice meta, struct slice was)
{
	int64_t n;
	long first = int_of(scan_get(meta, "first"));

	if (first > 0) {
		f->first = first;
		f->last = int_of(scan_get(meta, "last"));
	}
	f->lines = int_of(scan_get(meta, "lines"));
	f->cut |= scan_true(scan_get(meta, "truncated"));
	f->listing = scan_kind(scan_get(meta, "op")) == SCAN_STRING &&
	    !scan_str_is(scan_get(meta, "op"), "file");
	f->bytes = scan_int(scan_get(meta, "bytes"), &n) && n >= 0 ?
	    (size_t)n : was.n;
	if (scan_int(scan_get(meta, "exit"), &n) && n >= 0 && n < 1000)
		f->exit = (long)n;
	if (f->kind == TOOL_EDIT)
		take_diff(f, meta);
	f->remembered = !scan_true(scan_get(meta, "cached")) &&
	    scan_kind(scan_get(meta, "shared")) != SCAN_STRING &&
	    !scan_true(scan_get(meta, "shared"));
}

void
fact_result(struct view *v, struct fact *f, const struct rec *r,
    struct slice was, struct slice text)
{
	struct slice line;

	f->done = true;
	take_meta(f, rec_get(r, "meta"), was);
	f->failed = has_failed(f, r, text);
	if (!f->failed || text.n == 0)
		return;
	line = error_line(text);
	if (line.p == NULL) {
		const char *lf = memchr(text.p, '\n', text.n);

		line = (struct slice){ text.p, lf != NULL ?
			(size_t)(lf - text.p) : text.n };
	}
	f->error = view_dup(v, line.p, utf8_cut(line.p, line.n, ERROR_KEPT));
}
