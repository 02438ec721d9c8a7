/* job.c - a call judged, asked for, announced, run, answered. */
#include <string.h>
#include <time.h>

#include "bash.h"
#include "err.h"
#include "extra.h"
#include "file.h"
#include "hook.h"
#include "mem.h"
#include "memory.h"
#include "trail.h"

#define BASH_CAP_MAX ((size_t)4 << 20)	/* memory, where no cap is set */

bool
job_must_stop(struct tool *t)
{
	return stage_wait(t->stage, NULL, 0, 0) != 0 || t->stage->failed;
}

/* ---- the guard's say ---- */

static struct call_state *
find_twin(struct job *j)
{
	const char *id = j->call->twin;

	for (struct call_state *c = j->t->calls; c < j->call; c++)
		if (id != NULL && strcmp(c->id, id) == 0 && c->done && c->ran)
			return c;
	return NULL;
}

static void
share(struct job *j)
{
	struct call_state *twin = find_twin(j);

	if (j->call->twin != NULL)
		json_str(j->r.meta, "shared", j->call->twin);
	if (twin == NULL) {
		result_error(&j->r, "interrupted", "interrupted: the call "
		    "that this one repeats did not run, so neither did this");
		return;
	}
	buf_adds(&j->r.content, twin->text != NULL ? twin->text :
	    "same as the call before it in this message");
	j->r.is_error = twin->is_error;
	if (twin->code != NULL)
		json_str(j->r.meta, "error", twin->code);
	j->shared = true;
}

static enum step
step_verdict(struct job *j)
{
	const char *words = j->call->words;

	switch (j->call->action) {
	case ACT_BLOCK:
	case ACT_HALT:
		result_error(&j->r, "refused", "%s", words != NULL &&
		    words[0] != '\0' ? words : "refused by the guard; do "
		    "something else");
		if (j->schema->id == TOOL_READ)
			files_known(j->t->files, buf_view(&j->args), &j->r);
		return STEP_DONE;
	case ACT_SHARE:
		share(j);
		return STEP_DONE;
	default:
		return STEP_NEXT;
	}
}

static const char *
verdict_word(const struct job *j)
{
	static const char *const words[] = { [ACT_NONE] = NULL,
		[ACT_WARN] = "warn", [ACT_SHARE] = "share",
		[ACT_BLOCK] = "block", [ACT_HALT] = "halt" };

	return words[j->call->action];
}

/* ---- commit before act ---- */

static void
put_start(struct job *j)
{
	time_t now = time(NULL);
	struct json *o = json_object();
	char at[32];
	struct tm tm;

	gmtime_r(&now, &tm);
	strftime(at, sizeof at, "%Y-%m-%dT%H:%M:%SZ", &tm);
	json_str(o, "type", "start");
	json_str(o, "tool_call_id", j->call->id);
	json_str(o, "at", at);
	stage_put_json(j->t->stage, R_START, o);
}

void
job_propose(struct job *j)
{
	if (j->call->start != START_NONE)
		return;
	if (j->t->stage->mode == STAGE_RESIDENT)
		j->call->start = START_PROPOSED;
	put_start(j);
}

enum step
job_begun(struct job *j)
{
	struct stage *s = j->t->stage;
	struct err e;

	if (s->mode != STAGE_RESIDENT) {
		/* the journal has it, or nothing is done */
		if (rec_flush(&s->out, &e) == 0)
			return STEP_NEXT;
		stage_fail(s, &e);
		return STEP_STOP;
	}
	while (j->call->start == START_PROPOSED)
		if (stage_wait(s, NULL, 0, -1) != 0)
			return STEP_STOP;
	return job_must_stop(j->t) ? STEP_STOP : STEP_NEXT;
}

/* ---- work ---- */

void
job_prepare(struct job *j)
{
	struct box_want want = boxes_want(j->t->boxes, j->kind);

	if (j->schema->id == TOOL_BASH && job_writes(j))
		boxes_prepare(j->t->boxes, &want);
}

/* A command, plug-in or server that failed may have done so because it could
 * not write. */
static void
tell_read_only(struct job *j)
{
	const char *what = j->schema->id == TOOL_BASH ? "commands" :
	    j->schema->name;
	struct buf *b = &j->r.content;

	if (!j->unasked || !j->r.is_error || j->r.code != NULL)
		return;
	buf_adds(b, b->len > 0 && b->p[b->len - 1] != '\n' ? "\n" : "");
	buf_fmt(b, "[ran read-only: %s can change files only with --yes]\n",
	    what);
	if (!j->t->no_ask)
		err_say("without --yes %s could change nothing",
		    j->schema->id == TOOL_BASH ? "the command" : what);
}

void
job_work(struct job *j)
{
	struct tool *t = j->t;
	struct slice args = buf_view(&j->args);
	long long begun = file_now_ms();
	struct bash_opts o = { .boxes = t->boxes, .kind = j->kind,
		.offline = j->offline, .root = t->root,
		.id = j->call->id, .cap = t->result_cap - 1 < BASH_CAP_MAX ?
		t->result_cap : BASH_CAP_MAX };	/* 0: no limit */

	j->call->ran = true;
	files_call(t->files, j->call->id);
	switch (j->schema->id) {
	case TOOL_READ: files_read(t->files, args, &j->r); break;
	case TOOL_EDIT: files_edit(t->files, args, &j->r); break;
	case TOOL_WRITE: files_write(t->files, args, &j->r); break;
	case TOOL_BASH:
		hold_begin(&j->hold);
		o.rootfd = files_root_fd(t->files);
		bash_run(t->stage, &o, args, &j->r);
		break;
	case TOOL_VIEW:
		files_view(t->files, args, conf_bool(t->conf,
		    "provider.vision"), &j->r);
		break;
	case TOOL_SEARCH_MEMORY: memory_search(t, args, &j->r); break;
	case TOOL_SAVE_MEMORY: memory_save(t, args, &j->r); break;
	case TOOL_PLUGIN:
	case TOOL_MCP:
		extra_run(t, extra_of(j->schema), j->allowed, args, &j->r);
		break;
	}
	tell_read_only(j);
	j->ms = file_now_ms() - begun;
	trail_end(t->trail, j);
	if (j->schema->id == TOOL_BASH)
		bash_end_by_pipe(t->stage);
}

/* Begun by somebody who is no more: never run twice. */
static enum step
step_interrupted(struct job *j, struct slice text)
{
	struct result unused;

	if (j->call->start != START_FOREIGN)
		return STEP_NEXT;
	result_init(&unused);
	if (judge_call(j->t, j->call->name, text, &j->schema, &j->args,
	    &unused) == JUDGED_FINE && (j->schema->id == TOOL_EDIT ||
	    j->schema->id == TOOL_WRITE))
		files_sweep(j->t->files, buf_view(&j->args));
	result_release(&unused);
	result_error(&j->r, "interrupted", "interrupted: this call was begun "
	    "and its end is not known; look at what it did before it is "
	    "called again");
	return STEP_DONE;
}

enum step
job_before(struct job *j)
{
	struct slice text = { j->call->args, j->call->nargs };
	enum step s;

	if (step_interrupted(j, text) == STEP_DONE)
		return STEP_DONE;
	if (judge_call(j->t, j->call->name, text, &j->schema, &j->args,
	    &j->r) != JUDGED_FINE)
		return STEP_DONE;
	s = step_verdict(j);
	if (s == STEP_NEXT && j->schema->id == TOOL_READ &&
	    files_spent(j->t->files, buf_view(&j->args), &j->r))
		s = STEP_DONE;
	if (s == STEP_NEXT)
		s = hook_before(j);
	if (s == STEP_NEXT)
		s = job_approve(j);
	if (s == STEP_NEXT) {
		job_prepare(j);
		trail_checkpoint(j->t->trail, j);
	}
	return s;
}

enum step
job_steps(struct job *j)
{
	enum step s = job_before(j);

	if (s != STEP_NEXT)
		return s;
	job_propose(j);
	s = job_begun(j);
	if (s != STEP_NEXT)
		return s;
	job_work(j);
	return STEP_DONE;
}

/* What a later call that shares this result will say. */
static void
remember(struct job *j)
{
	struct call_state *c = j->call;

	c->done = true;
	c->is_error = j->r.is_error;
	c->ran = c->ran || j->shared;
	if (j->r.code != NULL)
		c->code = xstrdup(j->r.code);
	if (j->r.content.len <= SHARE_MAX)
		c->text = xmemdup0(j->r.content.len > 0 ? j->r.content.p : "",
		    j->r.content.len);
}

/* The result as it is written: the after_tool hooks have the last word. */
void
job_message(struct job *j, struct buf *out)
{
	struct json *o = result_message(&j->r, j->call->id, j->call->name,
	    j->ms, verdict_word(j));

	json_print(o, out);
	json_free(o);
	hook_after(j, out);
}

void
job_begin(struct job *j, struct tool *t, struct call_state *c)
{
	*j = (struct job){ .t = t, .call = c,
		.args = BUF_INIT(BUF_RECORD_MAX) };
	result_init(&j->r);
}

void
job_end(struct job *j)
{
	buf_release(&j->args);
	result_release(&j->r);
	hold_end(&j->hold);
}

void
job_answer(struct job *j)
{
	struct buf line = BUF_INIT(BUF_RECORD_MAX);

	remember(j);
	job_message(j, &line);
	stage_put(j->t->stage, R_TOOL, buf_view(&line));
	buf_release(&line);
}

/* ---- which may run side by side ---- */

bool
job_only_reads(const struct tool *t, const char *name)
{
	const struct schema *s = tool_schema(t, name);

	if (s == NULL)
		return false;
	return s->id == TOOL_READ || s->id == TOOL_VIEW ||
	    s->id == TOOL_SEARCH_MEMORY || (s->id == TOOL_PLUGIN &&
	    !extra_of(s)->mutates);
}

bool
job_is_slow(const struct tool *t, const char *name, struct slice args)
{
	const struct schema *s = tool_schema(t, name);

	if (s == NULL || s->id == TOOL_VIEW)
		return false;
	return s->id != TOOL_READ || files_slow(t->files, args);
}
