/* once.c - one call from the shell, or from an MCP client. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/utf8.h"
#include "files/diff.h"
#include "json/scan.h"
#include "term/term.h"

#include "job.h"

/* Print the message (json) or the content; on a terminal, escaped and with
 * diffs in color.  The status. */
static int
print_once(struct job *j, bool json)
{
	struct stage *s = j->t->stage;
	struct slice text = buf_view(&j->r.content);
	struct term to = term_of(STDOUT_FILENO);
	struct buf out = BUF_INIT(BUF_RECORD_MAX);
	struct buf diff = BUF_INIT(BUF_RECORD_MAX);
	struct err e;

	if (json) {
		job_print(j);
		stage_put(s, R_TOOL, buf_view(&j->message));
	} else if (!to.tty) {
		buf_slice(&out, text);
	} else if (j->schema != NULL && (j->schema->id == TOOL_EDIT ||
	    j->schema->id == TOOL_WRITE)) {
		diff_colour(text, to.colour, &out);
		/* show a person what changed */
		job_print(j);
		if (!j->r.is_error && scan_str(scan_get(scan_get(
		    buf_view(&j->message), "meta"), "diff"), &diff))
			diff_colour(buf_view(&diff), to.colour, &out);
	} else {
		term_escape(&out, text);
	}
	/* drop the final LF: rec_put adds one */
	if (out.len > 0 && out.p[out.len - 1] == '\n')
		out.len--;
	if (!json)
		rec_put(&s->out, buf_view(&out));
	bufs_release(BUFS(&out, &diff));
	if (rec_end(&s->out, &e) < 0)
		return tool_fail(j->t, &e);
	return j->r.is_error ? ST_NO : ST_OK;
}

/* Check, approve and run the call; j->r is the answer. */
static void
do_once(struct job *j, struct tool *t, struct call_state *c)
{
	job_begin(j, t, c);
	t->acting = true;
	if (job_before(j) == STEP_NEXT && !job_must_stop(t))
		job_work(j);
	t->acting = false;
}

int
tool_once(struct tool *t, const char *name, const char *args, bool json)
{
	struct call_state call = { .id = (char *)"call_1" };
	struct buf clean = BUF_INIT(BUF_RECORD_MAX);
	struct job j;
	int status;

	utf8_clean(&clean, name, strlen(name));
	call.name = clean.len > 0 ? clean.p : (char *)"";
	tool_set_args(&call, slice_of(args));
	do_once(&j, t, &call);
	if (t->stage->failed) {
		status = tool_fail(t, &t->stage->err);
	} else if (j.misuse) {
		if (json)
			print_once(&j, true);
		err_say("%s", j.r.content.p);
		status = ST_USAGE;
	} else {
		status = print_once(&j, json);
	}
	job_end(&j);
	free(call.args);
	buf_release(&clean);
	return status;
}

bool
tool_answer(struct tool *t, const char *name, struct slice args,
    struct buf *message)
{
	struct call_state call = { .id = (char *)"call_1",
		.name = (char *)name };
	struct job j;

	tool_set_args(&call, args);
	files_turn(t->files);
	do_once(&j, t, &call);
	bool known = j.r.code == NULL || strcmp(j.r.code, "unknown_tool") != 0;
	job_answer(&j);
	buf_slice(message, buf_view(&j.message));
	job_end(&j);
	FREE(call.args, call.code, call.text);
	return known;
}
