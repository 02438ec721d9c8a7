/* verify.c - the verify record: the user's check, on a private copy. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bash.h"
#include "file.h"
#include "mem.h"
#include "schema.h"

#include "tool.h"

/* Chapter 7.2: seconds and characters. */
static const struct profile {
	const char *name;
	int seconds;
	size_t cap;
} quick = { "quick", 60, 4000 }, full = { "full", 120, 12000 };

/* Where no private copy can be had the user's own command runs as bash would;
 * the record tells (sandbox). */
static enum box_kind
kind_of(const struct tool *t)
{
	return boxes_refuse(t->boxes, BOX_PRIVATE) == NULL ? BOX_PRIVATE :
	    BOX_WRITE;
}

/* What the command wrote; what came of it too, if that is more than a number.
 */
static struct slice
output_of(const struct result *r, int code)
{
	struct slice all = buf_view(&r->content);
	const char *lf = all.n > 0 ? memchr(all.p, '\n', all.n) : NULL;
	char plain[16];
	size_t n;

	snprintf(plain, sizeof plain, "exit %d", code);
	n = lf != NULL ? (size_t)(lf - all.p) : all.n;
	if (n != strlen(plain) || strncmp(all.p, plain, n) != 0)
		return all;
	if (lf == NULL)
		return SLICE("");
	return (struct slice){ lf + 1, all.n - n - 1 };
}

static void
put(struct tool *t, const struct profile *p, const struct result *r,
    const struct bash_end *end, long long ms)
{
	struct json *o = json_object();

	json_str(o, "type", "verification");
	json_str(o, "command", t->verify);
	json_str(o, "profile", p->name);
	json_str(o, "status", end->exit == 0 ? "passed" : "failed");
	if (end->exit >= 0)
		json_int(o, "exit", end->exit);
	json_slice(o, "output", output_of(r, end->exit));
	if (end->sandbox != NULL)
		json_str(o, "sandbox", end->sandbox);
	json_int(o, "ms", ms);
	stage_put_json(t->stage, R_VERIFICATION, o);
}

void
tool_verify(struct tool *t)
{
	const struct profile *p = t->verify_full ? &full : &quick;
	long long begun = file_now_ms();
	struct buf args = BUF_INIT(1 << 20);
	struct bash_opts o = { .boxes = t->boxes, .root = t->root,
		.cap = p->cap };
	struct bash_end end = { -1, NULL };
	struct result r;

	if (t->verify == NULL)
		return;
	result_init(&r);
	o.rootfd = files_root_fd(t->files);
	o.end = &end;
	if (t->verify[0] == '\0') {
		result_error(&r, "bad_arguments", "no command is configured; "
		    "set verification.defaultCommand");
	} else {
		buf_adds(&args, "{\"command\":");
		scan_quote(&args, t->verify, strlen(t->verify));
		buf_fmt(&args, ",\"timeout\":%d}", p->seconds);
		o.kind = kind_of(t);
		bash_run(t->stage, &o, buf_view(&args), &r);
	}
	bash_end_by_pipe(t->stage);
	put(t, p, &r, &end, file_now_ms() - begun);
	result_release(&r);
	buf_release(&args);
	free(t->verify);
	t->verify = NULL;
}
