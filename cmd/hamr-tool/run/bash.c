/* bash.c - the bash tool: one command, its status, its output, its end. */
#include <string.h>

#include "bash.h"

#define TIMEOUT_MAX 600
#define GRACE_TIMEOUT_MS 2000
#define GRACE_CANCEL_MS 500
#define COMMAND_MAX 131000	/* the kernel's limit for one argument */

void
bash_run(struct stage *s, struct report *rep, int64_t seconds,
    struct result *res)
{
	const char *command = rep->command;
	/* a command may begin with '-' */
	bool dashes = command[0] == '-' || command[0] == '+';
	const char *argv[] = { "bash", "--noprofile", "--norc", "-c",
		dashes ? "--" : command, dashes ? command : NULL, NULL };
	struct prog *p = &rep->prog;

	/* what is not limited goes into the end record, which the loop
	 * writes */
	rep->unlimited = s->mode == STAGE_RESIDENT;
	rep->clamped = seconds < 1 || seconds > TIMEOUT_MAX;
	p->resident = true;
	p->argv = (char *const *)(void *)argv;
	p->ms = 1000 * (seconds < 1 ? 1 : seconds > TIMEOUT_MAX ? TIMEOUT_MAX :
	    (int)seconds);
	p->grace = GRACE_TIMEOUT_MS;
	p->grace_cancel = GRACE_CANCEL_MS;
	if (s->mode == STAGE_FILTER && !s->stream)
		p->id = NULL;
	if (strlen(command) > COMMAND_MAX)
		result_error(res, "too_large", "the command is longer than "
		    "%d bytes; write a script with write and run that",
		    COMMAND_MAX);
	else if (report_run(rep, s, res))
		;
	else if (p->e.status == ST_POLICY)
		result_error(res, "denied", "denied: %s, so no command is "
		    "run; use the other tools", p->e.text);
	else
		result_error(res, "spawn_failed", "%s; %s", p->e.text,
		    p->e.status == ST_INTERRUPTED ?
		    "look at what it did before you run it again" :
		    "nothing was run");
}
