/* bash.c - the bash tool: one command, its status, its output, its end. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "root/signals.h"

#include "bash.h"
#include "report.h"

#define TIMEOUT_DEFAULT 120
#define TIMEOUT_MAX 600
#define GRACE_TIMEOUT_MS 2000
#define GRACE_CANCEL_MS 500
#define COMMAND_MAX 131000	/* the kernel's limit for one argument */

/* Set res to how the command ended, or to why it did not run. */
static void
finish(const struct report *rep, struct bash_end *end, struct result *res)
{
	const struct prog *p = rep->prog;

	if (p->ran) {
		end->exit = p->end == PROG_ENDED && !p->signalled ?
		    p->number : -1;
		end->sandbox = p->sandbox;
		report_fill(rep, res);
	} else if (p->e.status == ST_POLICY) {
		result_error(res, "denied", "denied: %s, so no command is "
		    "run; use the other tools", p->e.text);
	} else {
		result_error(res, "spawn_failed", "%s; %s", p->e.text,
		    p->e.status == ST_INTERRUPTED ?
		    "look at what it did before you run it again" :
		    "nothing was run");
	}
}

struct bash_end
bash_run(struct stage *s, const struct bash_opts *o, struct slice args,
    struct result *res)
{
	char *command = scan_strdup(scan_get(args, "command"));
	/* a command may begin with '-' */
	bool dashes = command[0] == '-' || command[0] == '+';
	const char *argv[] = { "bash", "--noprofile", "--norc", "-c",
		dashes ? "--" : command, dashes ? command : NULL, NULL };
	struct output out, err;
	struct prog p = { .sandboxes = o->sandboxes, .resident = true,
		.want = o->want,
		.argv = (char *const *)(void *)argv, .out = &out, .err = &err,
		.alive = o->alive,
		.grace = GRACE_TIMEOUT_MS, .grace_cancel = GRACE_CANCEL_MS };
	/* what is not limited goes into the end record, which the loop
	 * writes */
	struct report rep = { .prog = &p, .command = command, .root = o->root,
		.rootfd = o->rootfd, .cap = o->cap,
		.unlimited = s->mode == STAGE_RESIDENT };
	struct bash_end end = { -1, NULL };
	int64_t asked = scan_int_or(scan_get(args, "timeout"),
	    TIMEOUT_DEFAULT);
	struct signals signals;

	rep.clamped = asked < 1 || asked > TIMEOUT_MAX;
	p.ms = asked < 1 ? 1000 : asked > TIMEOUT_MAX ? TIMEOUT_MAX * 1000 :
	    (int)asked * 1000;
	if (s->mode != STAGE_FILTER || s->stream)
		p.id = o->id;
	output_init(&out, o->cap);
	output_init(&err, o->cap);
	signals_hold(&signals);
	p.signals = signals_fd();
	if (p.signals < 0)
		result_error(res, "spawn_failed", "cannot watch for signals: "
		    "%s; nothing was run", strerror(errno));
	else if (strlen(command) > COMMAND_MAX)
		result_error(res, "too_large", "the command is longer than "
		    "%d bytes; write a script with write and run that",
		    COMMAND_MAX);
	else
		prog_run(&p, s);
	if (!res->is_error)
		finish(&rep, &end, res);
	prog_release(&p);
	output_release(&out);
	output_release(&err);
	free(command);
	file_close(p.signals);
	/* a pending signal ends this process here */
	signals_release(&signals);
	return end;
}
