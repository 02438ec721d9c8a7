/* hook.c - the user's own programs around a call. */
#include "base/err.h"
#include "run/prog.h"
#include "record/rec.h"
#include "base/utf8.h"

#include "job.h"

#define HOOK_MS 5000
#define APPROVE_MS 600000	/* it may ask a person */
#define REASON_MAX ((size_t)64 << 10)
#define SHOWN_MAX 2000		/* bytes of a reason that the model sees */

/* Append the call to be made, with canonical names, as a line. */
static void
put_call(const struct job *j, const char *diff, struct buf *out)
{
	scan_put(out, "{'type':'call','id':@,'name':@,'arguments':@",
	    slice_of(j->call->id), slice_of(j->call->name),
	    buf_view(&j->args));
	if (diff != NULL)
		scan_put(out, ",'diff':@", slice_of(diff));
	buf_adds(out, "}\n");
}

/* Ask one program about the call (input).  STEP_NEXT: it does not object, or it
 * timed out or failed, and how says what happened.  STEP_DONE: it refuses; the
 * result is its reason, cleaned and without trailing blanks, or that it gave
 * none.  STEP_STOP: cancelled. */
static enum step
ask(struct job *j, const char *const *argv, const char *who, int ms,
    struct slice input, struct buf *how)
{
	struct buf text = BUF_INIT(REASON_MAX);
	struct prog p = prog_trusted(j->t->sandboxes, argv, ms, &text);
	struct buf reason = BUF_INIT(4 * REASON_MAX);
	enum step step = STEP_NEXT;

	p.input = input;
	prog_run(&p, j->t->stage);
	if (p.end == PROG_CANCEL) {
		step = STEP_STOP;
	} else if (p.end == PROG_TIMEOUT || p.end == PROG_FAILED) {
		prog_outcome(&p, how);
	} else if (!prog_is_good(&p)) {	/* too much output also refuses */
		utf8_clean(&reason, text.p, text.len);
		struct slice shown = slice_trim_end(buf_view(&reason),
		    " \t\r\n");
		shown.n = utf8_cut(shown.p, shown.n, SHOWN_MAX);
		prog_outcome(&p, how);
		if (shown.n > 0 && shown.p[0] != '\0')
			result_error(&j->r, "denied", "%.*s", (int)shown.n,
			    shown.p);
		else
			result_error(&j->r, "denied", "denied by %s (%s); do "
			    "it another way, or ask the user", who, how->p);
		step = STEP_DONE;
	}
	prog_release(&p);
	bufs_release(BUFS(&reason, &text));
	return step;
}

enum step
hook_before(struct job *j)
{
	struct buf call = BUF_INIT(BUF_RECORD_MAX);
	enum step step = STEP_NEXT;
	size_t n;
	const char *const *const *argvs = conf_argvs(j->t->conf,
	    "hooks.before_tool", &n);

	if (n > 0)
		put_call(j, NULL, &call);
	for (size_t i = 0; i < n && step == STEP_NEXT; i++) {
		struct buf how = BUF_INIT(4096);

		step = ask(j, argvs[i], "the before_tool hook", HOOK_MS,
		    buf_view(&call), &how);
		if (step == STEP_NEXT && how.len > 0)
			err_say("the before_tool hook %s: %s; the call "
			    "proceeds without it", argvs[i][0], how.p);
		buf_release(&how);
	}
	buf_release(&call);
	return step;
}

enum step
hook_approve(struct job *j, const char *diff)
{
	struct buf call = BUF_INIT(BUF_RECORD_MAX), how = BUF_INIT(4096);
	size_t n;

	put_call(j, diff, &call);
	enum step step = ask(j, conf_list(j->t->conf, "tools.approve", &n),
	    "the approver", APPROVE_MS, buf_view(&call), &how);
	if (step == STEP_NEXT && how.len > 0) {
		result_error(&j->r, "denied", "denied: the approver gave no "
		    "answer (%s); tell the user to fix tools.approve",
		    how.p);
		step = STEP_DONE;
	}
	if (step == STEP_DONE)
		scan_put(&j->r.meta, "'consent':'refused',");
	bufs_release(BUFS(&how, &call));
	return step;
}

void
hook_after(struct job *j)
{
	struct buf *message = &j->message;
	size_t n;
	const char *const *const *argvs = conf_argvs(j->t->conf,
	    "hooks.after_tool", &n);

	for (size_t i = 0; i < n; i++) {
		struct buf text = BUF_INIT(BUF_RECORD_MAX);
		struct buf why = BUF_INIT(BUF_RECORD_MAX);
		struct buf id = BUF_INIT(BUF_RECORD_MAX);
		struct prog p = prog_trusted(j->t->sandboxes, argvs[i], HOOK_MS,
		    &text);
		struct scan scan = { .n = 0 };
		const char *code = NULL;
		struct rec r;

		buf_addc(message, '\n');
		p.input = buf_view(message);
		prog_run(&p, j->t->stage);
		message->len--;
		bool said = text.len > 0;
		/* it must be one tool message of this call; join its lines */
		text.len = slice_trim_end(buf_view(&text), " \t\r\n").n;
		for (size_t k = 0; k < text.len; k++)
			if (text.p[k] == '\n' || text.p[k] == '\r')
				text.p[k] = ' ';	/* between tokens */
		buf_fmt(&why, "the after_tool hook %s: ", argvs[i][0]);
		if (!prog_is_good(&p)) {
			prog_outcome(&p, &why);
			code = p.end == PROG_TIMEOUT ? "timeout" :
			    p.end == PROG_FAILED ? "spawn_failed" : "refused";
		} else if (said && (rec_parse(&scan, text.p, text.len, &r) <
		    0 || r.kind != R_TOOL || !rec_str_is(&r, "tool_call_id",
		    j->call->id))) {
			buf_adds(&why, "it printed something that is not a "
			    "tool message of this call");
			code = "bad_record";
		} else if (said) {
			buf_reset(message);
			buf_slice(message, buf_view(&text));
		}
		if (code != NULL) {
			buf_adds(&why, "; the result stands as it was");
			err_say("%s", why.p);
			scan_put(&id, ",'tool_call_id':@",
			    slice_of(j->call->id));
			stage_error(j->t->stage, code, false, why.p,
			    buf_view(&id));
		}
		scan_release(&scan);
		prog_release(&p);
		bufs_release(BUFS(&why, &text, &id));
	}
}
