/* fact.c - a call and its outcome in short. */
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

#include "fact.h"
#include "stub.h"

#define ARGS_STAY 600		/* arguments up to so many bytes stay */
#define WHAT_MAX 300
#define NAME_MAX_KEPT 63
#define ERROR_KEPT 143

static long
positive(struct slice v)
{
	int64_t n;

	return scan_int(v, &n) && n > 0 && n < 1000000000 ? (long)n : 0;
}

/* ---- what a call is about ---- */

/* The first string among the members of these keys; the row ends with NULL. */
static struct slice
first_string(const struct view_args *args, const char *const *keys)
{
	for (; *keys != NULL; keys++)
		for (size_t i = 0; i < args->n; i++)
			if (scan_key_is(args->m[i].key, *keys) &&
			    scan_kind(args->m[i].val) == SCAN_STRING)
				return args->m[i].val;
	return (struct slice){ NULL, 0 };
}

/* Normalize a path for comparison: no leading "./", no "//". */
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

/* Take the lines that a read asks for. */
static void
take_range(struct fact *f, const struct view_args *args)
{
	long limit = 0;
	struct slice n;
	struct walk w;

	for (size_t i = 0; i < args->n; i++) {
		const struct member *m = &args->m[i];

		if (scan_kind(m->val) == SCAN_NUMBER) {
			if (scan_key_is(m->key, "offset") ||
			    scan_key_is(m->key, "start_line") ||
			    scan_key_is(m->key, "first"))
				f->first = positive(m->val);
			else if (scan_key_is(m->key, "last") ||
			    scan_key_is(m->key, "end_line"))
				f->last = positive(m->val);
			else if (scan_key_is(m->key, "limit"))
				limit = positive(m->val);
		} else if (scan_key_is(m->key, "view_range")) {
			w = walk_elements(m->val);
			/* last -1: to the end */
			if (walk_next(&w, NULL, &n))
				f->first = positive(n);
			if (walk_next(&w, NULL, &n))
				f->last = positive(n);
		}
	}
	if (limit > 0 && f->last == 0) {
		f->first = f->first > 0 ? f->first : 1;
		f->last = f->first + limit - 1;
	}
}

struct fact *
fact_new(struct view *v, const char *name, const struct view_args *args)
{
	static const char *const paths[] = { "path", "file_path", "file",
		"filePath", "absolute_path", "relative_path", "target_file",
		"notebook_path", "query", "pattern", NULL };
	static const char *const commands[] = { "command", "cmd", "path",
		NULL };
	struct slice command = first_string(args, commands);
	enum tool_kind kind = tool_kind(name, command);
	struct fact *f;
	char *what;
	size_t n;

	what = scan_strdup(kind == TOOL_COMMAND ? command :
	    first_string(args, paths));
	n = what == NULL ? 0 : utf8_cut(what, strlen(what), WHAT_MAX);
	f = arena_alloc(&v->arena, sizeof *f + n + 1);
	f->kind = kind;
	f->longer = args->text.n > ARGS_STAY;
	f->exit = -1;
	if (n > 0)
		memcpy(f->what, what, n);
	if (kind == TOOL_READ || kind == TOOL_EDIT || kind == TOOL_WRITE)
		clean_path(f->what);
	if (kind == TOOL_READ)
		take_range(f, args);
	f->error = "";
	f->name = arena_dup(&v->arena, name, utf8_cut(name, strlen(name),
	    NAME_MAX_KEPT));
	free(what);
	return f;
}

/* ---- results ---- */

/* Take the lines an edit made, from the first and last hunk of its diff. */
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

void
fact_result(struct view *v, struct fact *f, const struct rec *r,
    struct slice was, struct slice text)
{
	struct slice meta = rec_get(r, "meta"), op = scan_get(meta, "op");
	long first = positive(scan_get(meta, "first"));
	struct slice line, rest = text;
	int64_t n;

	f->done = true;
	/* what our own tools say of it */
	if (first > 0) {
		f->first = first;
		f->last = positive(scan_get(meta, "last"));
	}
	f->lines = positive(scan_get(meta, "lines"));
	f->cut |= scan_true(scan_get(meta, "truncated"));
	f->listing = scan_kind(op) == SCAN_STRING && !scan_str_is(op, "file");
	f->bytes = scan_int(scan_get(meta, "bytes"), &n) && n >= 0 ?
	    (size_t)n : was.n;
	if (scan_int(scan_get(meta, "exit"), &n) && n >= 0 && n < 1000)
		f->exit = (long)n;
	if (f->kind == TOOL_EDIT)
		take_diff(f, meta);
	f->remembered = !scan_true(scan_get(meta, "cached")) &&
	    scan_kind(scan_get(meta, "shared")) != SCAN_STRING &&
	    !scan_true(scan_get(meta, "shared"));
	f->failed = result_failed(r, f->kind, text);
	if (!f->failed || text.n == 0)
		return;
	line = error_line(text);
	if (line.p == NULL)
		slice_line(&rest, &line);
	f->error = arena_dup(&v->arena, line.p, utf8_cut(line.p, line.n,
	    ERROR_KEPT));
}
