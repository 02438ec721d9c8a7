/* hook.c - the user's own programs around a call. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "err.h"
#include "mem.h"
#include "prog.h"
#include "rec.h"
#include "utf8.h"

#include "hook.h"

#define HOOK_MS 5000
#define APPROVE_MS 600000	/* it may ask a person */
#define REASON_MAX ((size_t)64 << 10)
#define SHOWN_MAX 2000		/* of a reason, to the model */
#define WORDS_MAX 1024

struct hook {
	struct prog prog;
	struct output err;
};

static void
hook_init(struct hook *h, const struct tool *t, const char *const *argv,
    int ms, struct buf *text)
{
	*h = (struct hook){ .prog = { .boxes = t->boxes, .want = { .kind =
	    BOX_WRITE, .network = true, .unix_sockets = true, .bare = true },
	    .argv = (char *const *)(void *)argv, .env = environ, .ms = ms,
	    .text = text } };
	output_init(&h->err, WORDS_MAX);
	h->prog.err = &h->err;
}

static void
hook_release(struct hook *h)
{
	prog_release(&h->prog);
	output_release(&h->err);
}

/* {"type":"call",...}: what is going to run, under its canonical names. */
static void
put_call(const struct job *j, const char *diff, struct buf *out)
{
	struct json *o = json_object();

	json_str(o, "type", "call");
	json_str(o, "id", j->call->id);
	json_str(o, "name", j->call->name);
	json_slice(o, "arguments", buf_view(&j->args));
	if (diff != NULL)
		json_str(o, "diff", diff);
	json_print(o, out);
	json_free(o);
	buf_addc(out, '\n');
}

/* The reason it gave, cleaned and without blanks around; "" for none. */
static char *
reason_of(struct buf *text)
{
	struct buf clean = BUF_INIT(4 * REASON_MAX);
	char *p;

	buf_adds(&clean, "");
	if (text->len > 0)
		utf8_clean(&clean, text->p, text->len);
	p = clean.p;
	while (clean.len > 0 && strchr(" \t\r\n", p[clean.len - 1]) != NULL)
		p[--clean.len] = '\0';
	if (clean.len > SHOWN_MAX)
		p[utf8_cut(p, clean.len, SHOWN_MAX)] = '\0';
	return p;
}

/* ---- before, and approval ---- */

static void
refuse(struct job *j, const char *who, const struct prog *p,
    struct buf *text)
{
	struct buf how = BUF_INIT(4096);
	char *reason = reason_of(text);

	prog_how(p, &how);
	if (reason[0] != '\0')
		result_error(&j->r, "denied", "%s", reason);
	else
		result_error(&j->r, "denied", "denied by %s (%s); do it "
		    "another way, or ask the user", who, how.p);
	free(reason);
	buf_release(&how);
}

/* What one program says of the call, shown as input: STEP_NEXT when it has
 * nothing against it.  Unless it *spoke, how tells what became of it. */
static enum step
ask(struct job *j, const char *const *argv, const char *who, int ms,
    struct slice input, bool *spoke, struct buf *how)
{
	struct buf text = BUF_INIT(REASON_MAX);
	enum step step = STEP_NEXT;
	struct hook h;

	hook_init(&h, j->t, argv, ms, &text);
	h.prog.input = input;
	prog_run(&h.prog, j->t->stage);
	/* who says that much says no */
	*spoke = h.prog.end == PROG_ENDED || h.prog.end == PROG_TOO_MUCH;
	if (h.prog.end == PROG_CANCEL) {
		step = STEP_STOP;
	} else if (!*spoke) {
		prog_how(&h.prog, how);
	} else if (!prog_is_good(&h.prog)) {
		refuse(j, who, &h.prog, &text);
		step = STEP_DONE;
	}
	hook_release(&h);
	buf_release(&text);
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
		bool spoke;

		step = ask(j, argvs[i], "the before_tool hook", HOOK_MS,
		    buf_view(&call), &spoke, &how);
		if (step == STEP_NEXT && !spoke)
			err_say("the before_tool hook %s: %s; the call goes "
			    "on without it", argvs[i][0], how.p);
		buf_release(&how);
	}
	buf_release(&call);
	return step;
}

bool
hook_has_approver(const struct tool *t)
{
	size_t n;

	conf_list(t->conf, "tools.approve", &n);
	return n > 0;
}

enum step
hook_approve(struct job *j, const char *diff)
{
	struct buf call = BUF_INIT(BUF_RECORD_MAX), how = BUF_INIT(4096);
	enum step step;
	bool spoke;
	size_t n;

	put_call(j, diff, &call);
	step = ask(j, conf_list(j->t->conf, "tools.approve", &n),
	    "the approver", APPROVE_MS, buf_view(&call), &spoke, &how);
	if (step == STEP_NEXT && !spoke) {
		result_error(&j->r, "denied", "denied: the approver gave no "
		    "answer (%s); tell the user to repair tools.approve",
		    how.p);
		step = STEP_DONE;
	}
	if (step == STEP_DONE)
		json_str(j->r.meta, "consent", "refused");
	buf_release(&how);
	buf_release(&call);
	return step;
}

/* ---- after ---- */

/* One record, a tool message that answers this call: on one line. */
static bool
is_answer(const struct job *j, struct buf *text)
{
	struct scan scan = { .n = 0 };
	struct rec r;
	bool good;

	while (text->len > 0 && strchr(" \t\r\n", text->p[text->len - 1]))
		text->len--;
	for (size_t i = 0; i < text->len; i++)
		if (text->p[i] == '\n' || text->p[i] == '\r')
			text->p[i] = ' ';	/* between tokens */
	good = rec_parse(&scan, text->p, text->len, &r) == 0 &&
	    r.kind == R_TOOL &&
	    rec_str_is(&r, "tool_call_id", j->call->id);
	scan_release(&scan);
	return good;
}

/* On stderr for who watches, and in the transcript for who reads it. */
static void
tell(struct job *j, const char *program, const char *code, const char *words)
{
	char *text = xasprintf("the after_tool hook %s: %s; the result stands "
	    "as it was", program, words);
	struct json *id = json_object();

	err_say("%s", text);
	json_str(id, "tool_call_id", j->call->id);
	stage_error(j->t->stage, code, false, text, id);
	free(text);
}

/* What one program makes of the message, put in its place. */
static void
pass_through(struct job *j, const char *const *argv, struct buf *message)
{
	struct buf text = BUF_INIT(BUF_RECORD_MAX), how = BUF_INIT(4096);
	struct hook h;

	hook_init(&h, j->t, argv, HOOK_MS, &text);
	buf_addc(message, '\n');
	h.prog.input = buf_view(message);
	prog_run(&h.prog, j->t->stage);
	message->len--;
	if (!prog_is_good(&h.prog)) {
		prog_how(&h.prog, &how);
		tell(j, argv[0], h.prog.end == PROG_TIMEOUT ? "timeout" :
		    h.prog.end == PROG_FAILED ? "spawn_failed" : "refused",
		    how.p);
	} else if (text.len > 0 && !is_answer(j, &text)) {
		tell(j, argv[0], "bad_record", "it printed something other "
		    "than a tool message of this call");
	} else if (text.len > 0) {
		buf_reset(message);
		buf_slice(message, buf_view(&text));
	}
	hook_release(&h);
	buf_release(&how);
	buf_release(&text);
}

void
hook_after(struct job *j, struct buf *message)
{
	size_t n;
	const char *const *const *argvs = conf_argvs(j->t->conf,
	    "hooks.after_tool", &n);

	for (size_t i = 0; i < n; i++)
		pass_through(j, argvs[i], message);
}
