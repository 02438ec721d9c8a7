/* once.c - one call from the shell, or of an MCP client. */
#include <string.h>
#include <unistd.h>

#include "hook.h"
#include "paint.h"
#include "scan.h"
#include "term.h"
#include "trail.h"

/* What edit and write changed, for a person who watches. */
static void
put_diff(const struct job *j, struct buf *out)
{
	struct buf meta = BUF_INIT(BUF_RECORD_MAX);
	struct buf diff = BUF_INIT(BUF_RECORD_MAX);

	json_print(j->r.meta, &meta);
	if (!j->r.is_error &&
	    scan_str(scan_get(buf_view(&meta), "diff"), &diff))
		paint_diff(buf_view(&diff), term_of(STDOUT_FILENO).colour, out);
	buf_release(&meta);
	buf_release(&diff);
}

/* The content; on a terminal nothing of it steers that, and diffs are
 * coloured. */
static void
put_text(const struct job *j)
{
	struct slice text = j->r.content.len > 0 ? buf_view(&j->r.content) :
	    SLICE("");
	struct term to = term_of(STDOUT_FILENO);
	struct buf out = BUF_INIT(BUF_RECORD_MAX);

	if (!to.tty) {
		buf_slice(&out, text);
	} else if (j->schema != NULL && (j->schema->id == TOOL_EDIT ||
	    j->schema->id == TOOL_WRITE)) {
		paint_diff(text, to.colour, &out);
		put_diff(j, &out);
	} else {
		term_escape(&out, text);
	}
	/* one LF ends it, as rec_put writes one */
	if (out.len > 0 && out.p[out.len - 1] == '\n')
		out.len--;
	rec_put(&j->t->stage->out, out.len > 0 ? buf_view(&out) : SLICE(""));
	buf_release(&out);
}

static int
print_once(struct job *j, bool json)
{
	struct stage *s = j->t->stage;
	struct err e;

	if (json) {
		stage_put_json(s, R_TOOL, result_message(&j->r, j->call->id,
		    j->call->name, j->ms, NULL));
	} else {
		put_text(j);
	}
	if (rec_end(&s->out, &e) < 0)
		return err_report(&e);
	return j->r.is_error ? ST_NO : ST_OK;
}

/* Judge, ask, do; r is the answer. */
static enum judged
do_once(struct job *j, struct slice args)
{
	struct tool *t = j->t;
	enum judged judged;

	t->acting = true;
	judged = judge_call(t, j->call->name, args, &j->schema, &j->args,
	    &j->r);
	if (judged == JUDGED_FINE && hook_before(j) == STEP_NEXT &&
	    job_approve(j) == STEP_NEXT) {
		job_prepare(j);
		trail_checkpoint(t->trail, j);
		job_work(j);
	}
	t->acting = false;
	return judged;
}

int
tool_once(struct tool *t, const char *name, const char *args, bool json)
{
	struct call_state call = { .id = (char *)"call_1",
		.name = (char *)name };
	enum judged judged;
	struct job j;
	int status;

	job_begin(&j, t, &call);
	judged = do_once(&j, slice_of(args));
	if (t->stage->failed) {
		status = err_report(&t->stage->err);
	} else if (judged == JUDGED_UNKNOWN || judged == JUDGED_JSON) {
		if (json)
			print_once(&j, true);
		err_say("%s", j.r.content.p);
		status = ST_USAGE;
	} else {
		status = print_once(&j, json);
	}
	job_end(&j);
	return status;
}

bool
tool_answer(struct tool *t, const char *name, struct slice args,
    struct buf *message)
{
	struct call_state call = { .id = (char *)"call_1",
		.name = (char *)name };
	bool known;
	struct job j;

	job_begin(&j, t, &call);
	files_turn(t->files);
	known = do_once(&j, args) != JUDGED_UNKNOWN ||
	    strcmp(j.r.code, "unknown_tool") != 0;
	job_message(&j, message);
	job_end(&j);
	return known;
}
