/* approve.c - may it be done?  --yes says so, or a person does. */
#include <stdlib.h>

#include "mem.h"

#include "job.h"

/* Put the ask; false when there is nothing to ask for. */
static bool
put_ask(struct job *j)
{
	struct tool *t = j->t;
	struct json *o;
	struct buf diff = BUF_INIT(RESULT_MAX);
	char *command;

	if (j->schema->id != TOOL_BASH && !files_plan(t->files,
	    j->schema->name, buf_view(&j->args), &diff, &j->r)) {
		buf_release(&diff);
		return false;
	}
	/* what the plan noted, the work will note again */
	result_release(&j->r);
	result_init(&j->r);
	t->ask = xasprintf("a%zu", t->answers + 1);
	o = json_object();
	json_str(o, "type", "ask");
	json_str(o, "id", t->ask);
	json_str(o, "tool_call_id", j->call->id);
	json_str(o, "name", j->call->name);
	if (j->schema->id != TOOL_BASH)
		json_str(o, "diff", diff.len > 0 ? diff.p : "");
	command = scan_strdup(scan_get(buf_view(&j->args), "command"));
	if (command != NULL)
		json_str(o, "command", command);
	stage_put_json(t->stage, R_ASK, o);
	free(command);
	buf_release(&diff);
	return true;
}

static enum step
take_instead(struct job *j)
{
	struct tool *t = j->t;
	struct slice text = slice_of(t->instead);

	buf_reset(&j->args);
	if (judge_call(t, j->call->name, text, &j->schema, &j->args, &j->r) !=
	    JUDGED_FINE)
		return STEP_DONE;
	return STEP_NEXT;
}

static enum step
ask(struct job *j)
{
	struct tool *t = j->t;
	enum step step = STEP_NEXT;

	t->answered = t->allowed = false;
	if (!put_ask(j))
		return STEP_DONE;
	while (!t->answered && step == STEP_NEXT)
		if (stage_wait(t->stage, NULL, 0, -1) != 0)
			step = STEP_STOP;
	if (step == STEP_NEXT && !t->allowed) {
		result_error(&j->r, "denied", "denied: the user did not allow "
		    "this call; ask, or do it another way");
		step = STEP_DONE;
	} else if (step == STEP_NEXT && t->instead != NULL) {
		step = take_instead(j);
	}
	free(t->ask);
	free(t->instead);
	t->ask = t->instead = NULL;
	return step;
}

bool
job_writes(const struct job *j)
{
	return j->schema->id == TOOL_EDIT || j->schema->id == TOOL_WRITE ||
	    (j->schema->id == TOOL_BASH && j->kind == BOX_WRITE);
}

enum step
job_approve(struct job *j)
{
	struct tool *t = j->t;
	bool asked = t->stage->mode == STAGE_RESIDENT;

	j->kind = tool_kind(t, t->yes || asked);
	if (t->yes || j->call->start == START_MINE || !job_writes(j))
		return STEP_NEXT;
	if (asked)
		return ask(j);
	files_preview(t->files, j->schema->name, buf_view(&j->args), &j->r);
	return STEP_DONE;
}
