/* approve.c - may it be done?  --yes says so, or a person does. */
#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "extra.h"
#include "hook.h"
#include "mem.h"
#include "mode.h"
#include "readers.h"

static bool
has_plan(const struct job *j)
{
	return j->schema->id == TOOL_EDIT || j->schema->id == TOOL_WRITE;
}

/* Is there anything to ask for?  False: r is the error it would end with.
 * What the plan noted, the work will note again. */
static bool
make_plan(struct job *j, struct plan *p)
{
	*p = (struct plan){ .path = NULL };
	if (!has_plan(j))
		return true;
	if (!files_plan(j->t->files, j->schema->name, buf_view(&j->args), p,
	    &j->r))
		return false;
	result_release(&j->r);
	result_init(&j->r);
	return true;
}

static long
count_lines(const char *text)
{
	long n = 0;

	for (; *text != '\0'; text++)
		n += *text == '\n' || text[1] == '\0';
	return n;
}

/* Why a person is asked. */
static const char *
why(const struct job *j)
{
	const struct conf *c = j->t->conf;

	if (has_plan(j))
		return "it changes a file";
	if (extra_of(j->schema) != NULL)
		return "it may change files";
	return conf_bool(c, "sandbox.network") ?
	    "it may change files and use the network" :
	    "it may change files";
}

static void
put_what(const struct job *j, const struct plan *p, struct json *o)
{
	char *command = scan_strdup(scan_get(buf_view(&j->args), "command"));

	if (has_plan(j)) {
		json_slice(o, "diff", buf_view(&p->diff));
		json_str(o, "path", p->path);
		json_int(o, "lines", p->added + p->removed);
		if (p->made)
			json_bool(o, "new", true);
	} else if (j->schema->id == TOOL_BASH && command != NULL) {
		json_str(o, "command", command);
		json_int(o, "lines", count_lines(command));
	} else {
		json_slice(o, "arguments", buf_view(&j->args));
	}
	json_str(o, "why", why(j));
	free(command);
}

/* Put the ask: all of what would be done, for what is not shown cannot be
 * allowed.  False: there is nothing to ask for, r says why. */
static bool
put_ask(struct job *j)
{
	struct tool *t = j->t;
	struct buf line = BUF_INIT(REC_MAX);
	struct plan p;
	struct json *o;
	bool fits;

	if (!make_plan(j, &p)) {
		plan_release(&p);
		return false;
	}
	t->ask = xasprintf("a%zu", t->answers + 1);
	o = json_object();
	json_str(o, "type", "ask");
	json_str(o, "id", t->ask);
	json_str(o, "tool_call_id", j->call->id);
	json_str(o, "name", j->call->name);
	put_what(j, &p, o);
	json_print(o, &line);
	json_free(o);
	fits = !line.over && !p.diff.over;
	if (fits)
		stage_put(t->stage, R_ASK, buf_view(&line));
	else
		result_error(&j->r, "too_large", "too large to be shown to "
		    "the user, who is asked; make the change in parts");
	plan_release(&p);
	buf_release(&line);
	return fits;
}

/* The arguments of the answer are checked like any, by the hooks, too. */
static enum step
take_instead(struct job *j)
{
	struct tool *t = j->t;
	struct slice text = slice_of(t->instead);

	buf_reset(&j->args);
	if (judge_call(t, j->call->name, text, &j->schema, &j->args, &j->r) !=
	    JUDGED_FINE)
		return STEP_DONE;
	return hook_before(j);
}

/* A person's no; who stops the turn is asked nothing more. */
static void
refuse(struct tool *t, struct result *r)
{
	if (t->stop)
		stage_cancel(t->stage, true);
	if (t->reason != NULL && t->reason[0] != '\0')
		result_error(r, "denied", "denied: the user did not allow "
		    "this call: %s", t->reason);
	else
		result_error(r, "denied", "denied: the user did not allow "
		    "this call%s", t->stop ? " and stopped the turn" :
		    "; do not repeat it");
}

static enum step
ask(struct job *j)
{
	struct tool *t = j->t;
	enum step step = STEP_NEXT;

	t->answered = t->allowed = t->stop = false;
	if (!put_ask(j)) {
		step = STEP_DONE;
		goto out;
	}
	while (!t->answered && step == STEP_NEXT)
		if (stage_wait(t->stage, NULL, 0, -1) != 0 && !t->answered)
			step = STEP_STOP;	/* a cancel may follow a no */
	if (step == STEP_NEXT && !t->allowed) {
		refuse(t, &j->r);
		step = STEP_DONE;
	} else if (step == STEP_NEXT && t->instead != NULL) {
		step = take_instead(j);
	}
out:
	free(t->ask);
	free(t->instead);
	free(t->reason);
	t->ask = t->instead = t->reason = NULL;
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
	enum step step = STEP_DONE;
	struct plan p;

	if (make_plan(j, &p))
		step = hook_approve(j, !has_plan(j) ? NULL :
		    buf_view(&p.diff).p);
	plan_release(&p);
	return step;
}

/* Nobody is there to be asked: an edit is shown and not made, all else may only
 * read. */
static enum step
without_approval(struct job *j)
{
	const struct extra *x = extra_of(j->schema);

	j->unasked = true;
	json_str(j->r.meta, "consent", "missing");
	if (x != NULL)
		return extra_unasked(j->t, x, &j->r) ? STEP_NEXT : STEP_DONE;
	if (j->schema->id == TOOL_BASH)
		return STEP_NEXT;	/* read-only */
	files_preview(j->t->files, j->schema->name, buf_view(&j->args),
	    &j->r);
	if (strcmp(j->r.code, "denied") == 0 && !j->t->no_ask)
		err_say("%s changed nothing, as nobody could be asked; --yes "
		    "allows changes", j->schema->name);
	return STEP_DONE;
}

/* A command that only looks, where the kernel sees to it that it does. */
static bool
is_reader(const struct job *j)
{
	char *command;
	bool yes;

	if (j->schema->id != TOOL_BASH)
		return false;
	command = scan_strdup(scan_get(buf_view(&j->args), "command"));
	yes = command != NULL && readers_has(command) &&
	    boxes_refuse(j->t->boxes, BOX_READ) == NULL;
	free(command);
	return yes;
}

enum step
job_approve(struct job *j)
{
	struct tool *t = j->t;
	bool approver = hook_has_approver(t);
	bool consent = mode_has_consent(t), writes;
	enum step step;

	j->kind = tool_kind(t, true);
	writes = job_writes(j);
	j->kind = tool_kind(t, consent);
	j->allowed = t->yes || j->call->start == START_MINE;
	if (j->allowed || !writes)
		return STEP_NEXT;
	if (is_reader(j)) {
		j->kind = tool_kind(t, false);
		j->offline = true;
		return STEP_NEXT;
	}
	if (!consent)
		return without_approval(j);
	step = approver ? ask_approver(j) : ask(j);
	j->allowed = step == STEP_NEXT;
	return step;
}
