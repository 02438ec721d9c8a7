/* approve.c - may it be done?  --yes says so, or a person does. */
#include <stdlib.h>

#include "extra.h"
#include "hook.h"
#include "mem.h"
#include "mode.h"

static bool
has_plan(const struct job *j)
{
	return j->schema->id == TOOL_EDIT || j->schema->id == TOOL_WRITE;
}

/* Is there anything to ask for?  The diff of an edit or a write is appended;
 * false: r is the error it would end with. */
static bool
plan(struct job *j, struct buf *diff)
{
	if (!has_plan(j))
		return true;
	if (!files_plan(j->t->files, j->schema->name, buf_view(&j->args),
	    diff, &j->r))
		return false;
	/* what the plan noted, the work will note again */
	result_release(&j->r);
	result_init(&j->r);
	return true;
}

/* Put the ask; false when there is nothing to ask for. */
static bool
put_ask(struct job *j)
{
	struct tool *t = j->t;
	struct json *o;
	struct buf diff = BUF_INIT(RESULT_MAX);
	char *command;

	if (!plan(j, &diff)) {
		buf_release(&diff);
		return false;
	}
	t->ask = xasprintf("a%zu", t->answers + 1);
	o = json_object();
	json_str(o, "type", "ask");
	json_str(o, "id", t->ask);
	json_str(o, "tool_call_id", j->call->id);
	json_str(o, "name", j->call->name);
	if (has_plan(j))
		json_str(o, "diff", diff.len > 0 ? diff.p : "");
	command = scan_strdup(scan_get(buf_view(&j->args), "command"));
	if (j->schema->id == TOOL_BASH && command != NULL)
		json_str(o, "command", command);
	if (extra_of(j->schema) != NULL)
		json_slice(o, "arguments", buf_view(&j->args));
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
	const struct extra *x = extra_of(j->schema);

	return x != NULL ? extra_writes(j->t, x) : has_plan(j) ||
	    (j->schema->id == TOOL_BASH && j->kind == BOX_WRITE);
}

static enum step
ask_approver(struct job *j)
{
	struct buf diff = BUF_INIT(RESULT_MAX);
	enum step step = STEP_DONE;

	if (plan(j, &diff))
		step = hook_approve(j, !has_plan(j) ? NULL :
		    diff.len > 0 ? diff.p : "");
	buf_release(&diff);
	return step;
}

/* Nobody is there to be asked. */
static enum step
without_approval(struct job *j)
{
	const struct extra *x = extra_of(j->schema);

	if (x != NULL)
		return extra_unasked(j->t, x, &j->r) ? STEP_NEXT : STEP_DONE;
	files_preview(j->t->files, j->schema->name, buf_view(&j->args),
	    &j->r);
	return STEP_DONE;
}

enum step
job_approve(struct job *j)
{
	struct tool *t = j->t;
	bool approver = hook_has_approver(t);
	bool asked = approver || t->stage->mode == STAGE_RESIDENT;
	enum step step;

	j->kind = tool_kind(t, t->yes || asked);
	j->allowed = t->yes || j->call->start == START_MINE;
	if (j->allowed || !job_writes(j))
		return STEP_NEXT;
	if (!asked)
		return without_approval(j);
	step = approver ? ask_approver(j) : ask(j);
	j->allowed = step == STEP_NEXT;
	return step;
}
