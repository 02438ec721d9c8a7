/* user_rules.c - the user's own rules for what makes two calls equal. */
#include <stdio.h>
#include <stdlib.h>

#include "record/alias.h"
#include "base/mem.h"
#include "jq/program.h"
#include "user_rules.h"
#include "json/scan.h"

struct user_rules {
	struct program *program;	/* NULL: it failed */
	const char *const *file;
	struct scan scan;
	struct buf named, made;
};

struct user_rules *
user_rules_new(const char *const *list, size_t n, const char *const *file,
    struct err *e)
{
	struct user_rules *r = xcalloc(1, sizeof *r);
	struct buf text = BUF_INIT(BUF_RECORD_MAX);
	char name[64];

	r->file = file;
	r->named.max = r->made.max = BUF_RECORD_MAX * 2;
	/* one filter a line, so that a comment ends there */
	buf_adds(&text, "first(.");
	for (size_t i = 0; i < n; i++)
		buf_fmt(&text, "\n| (%s\n)", list[i]);
	buf_adds(&text, "\n)");
	r->program = program_new("loop_guard.normalize", text.p, "{}", false,
	    e);
	buf_release(&text);
	if (r->program != NULL)
		return r;
	/* they do not compile together: find the one at fault */
	for (size_t i = 0; i < n && e->status == ST_USAGE; i++) {
		struct err why;

		snprintf(name, sizeof name, "loop_guard.normalize, filter %zu",
		    i + 1);
		struct program *one = program_new(name, list[i], "{}", false,
		    &why);
		program_free(one);
		if (one == NULL) {
			*e = why;
			break;
		}
	}
	e->status = e->status == ST_USAGE ? ST_CONFIG : e->status;
	user_rules_free(r);
	return NULL;
}

struct slice
user_rules_apply(struct user_rules *r, struct slice tool,
    struct slice args, size_t line)
{
	struct err e;

	bufs_reset(BUFS(&r->named, &r->made));
	if (r->program == NULL || !alias_args(tool, args, &r->named))
		return args;
	int got = program_run(r->program, buf_view(&r->named), &r->made, &e);
	if (got < 0) {
		err_say("%s:%zu: %s; the filters are disabled from here on",
		    *r->file, line, e.text);
		program_free(r->program);
		r->program = NULL;
	}
	struct slice text = buf_view(&r->made);
	if (got != 0 || scan_value(&r->scan, text.p, text.n) < 0)
		return args;
	text.n--;	/* its line feed */
	return scan_kind(text) == SCAN_OBJECT ? text : args;
}

void
user_rules_free(struct user_rules *r)
{
	if (r == NULL)
		return;
	program_free(r->program);
	scan_release(&r->scan);
	bufs_release(BUFS(&r->named, &r->made));
	free(r);
}
