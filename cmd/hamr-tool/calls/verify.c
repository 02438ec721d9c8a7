/* verify.c - the verify record: the user's check, on a private copy. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/bash.h"
#include "base/file.h"

#include "tool.h"

/* Chapter 7.2: seconds and characters. */
static const struct profile {
	const char *name;
	int seconds;
	size_t cap;
} quick = { "quick", 60, 4000 }, full = { "full", 120, 12000 };

void
tool_verify(struct tool *t)
{
	const struct profile *p = t->verify_full ? &full : &quick;
	long long begun = file_now_ms();
	struct buf args = BUF_INIT(1 << 20);
	struct bash_opts o = { .sandboxes = t->sandboxes, .root = t->root,
		.rootfd = t->files->root.fd, .cap = p->cap,
		.id = "verification" };
	struct bash_end end = { -1, NULL };
	struct slice all, rest, line;
	struct result r;
	struct json *v;
	char plain[16];

	if (t->verify == NULL)
		return;
	result_init(&r);
	if (t->verify[0] == '\0') {
		result_error(&r, "bad_arguments", "no command is configured; "
		    "set verification.defaultCommand");
	} else {
		buf_adds(&args, "{\"command\":");
		scan_quote(&args, t->verify, strlen(t->verify));
		buf_fmt(&args, ",\"timeout\":%d}", p->seconds);
		/* Where no private copy can be made the user's own command runs
		 * as bash would; the record tells (sandbox). */
		o.kind = sandboxes_refuse(t->sandboxes, BOX_PRIVATE) == NULL ?
		    BOX_PRIVATE : BOX_WRITE;
		end = bash_run(t->stage, &o, buf_view(&args), &r);
	}
	prog_end_by_pipe(t->stage);
	v = json_object();
	json_str(v, "type", "verification");
	json_str(v, "command", t->verify);
	json_str(v, "profile", p->name);
	json_str(v, "status", end.exit == 0 ? "passed" : "failed");
	if (end.exit >= 0)
		json_int(v, "exit", end.exit);
	/* what the command wrote; what came of it too, if that is more than a
	 * number */
	snprintf(plain, sizeof plain, "exit %d", end.exit);
	all = rest = buf_view(&r.content);
	json_slice(v, "output", slice_line(&rest, &line) &&
	    slice_is(line, plain) ? rest : all);
	if (end.sandbox != NULL)
		json_str(v, "sandbox", end.sandbox);
	json_int(v, "ms", file_now_ms() - begun);
	stage_put_json(t->stage, R_VERIFICATION, v);
	result_release(&r);
	buf_release(&args);
	free(t->verify);
	t->verify = NULL;
}
