/* hook.c - the user's own programs around a call. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
	const char *key;
	struct prog prog;
	struct output err;
	char **argv;
};

/* Set up; false when none is configured. */
static bool
hook_init(struct hook *h, const struct tool *t, const char *key, int ms,
    struct buf *text)
{
	size_t n;
	const char *const *list;

	if (strncmp(key, "hooks.", 6) == 0) {
		const char *const *const *v = conf_argvs(t->conf, key, &n);

		list = n > 0 ? v[0] : NULL;
		for (n = 0; list != NULL && list[n] != NULL; n++)
			;
	} else {
		list = conf_list(t->conf, key, &n);
	}
	*h = (struct hook){ .key = key };
	if (n == 0)
		return false;
	h->argv = xcalloc(n + 1, sizeof *h->argv);
	for (size_t i = 0; i < n; i++)
		h->argv[i] = (char *)list[i];
	output_init(&h->err, WORDS_MAX);
	h->prog = (struct prog){ .boxes = t->boxes, .want = { .kind =
	    BOX_WRITE, .network = true, .unix_sockets = true, .bare = true },
	    .argv = h->argv, .env = environ, .ms = ms, .text = text,
	    .err = &h->err };
	return true;
}

static void
hook_release(struct hook *h)
{
	prog_release(&h->prog);
	output_release(&h->err);
	free(h->argv);
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

static enum step
refuse(struct job *j, const struct hook *h, const char *who,
    struct buf *text)
{
	struct buf how = BUF_INIT(4096);
	char *reason = reason_of(text);

	prog_how(&h->prog, &how);
	if (h->prog.end == PROG_ENDED && reason[0] != '\0')
		result_error(&j->r, "denied", "%s", reason);
	else if (h->prog.end == PROG_ENDED)
		result_error(&j->r, "denied", "denied by %s (%s); do it "
		    "another way, or ask the user", who, how.p);
	else
		result_error(&j->r, "denied", "denied: %s gave no answer "
		    "(%s); the user must mend %s", who, how.p, h->key);
	free(reason);
	buf_release(&how);
	return STEP_DONE;
}

/* Show the call to the program of key; its status decides. */
static enum step
ask(struct job *j, const char *key, const char *who, int ms,
    const char *diff)
{
	struct buf call = BUF_INIT(BUF_RECORD_MAX);
	struct buf text = BUF_INIT(REASON_MAX);
	enum step step = STEP_NEXT;
	struct hook h;

	if (!hook_init(&h, j->t, key, ms, &text))
		return STEP_NEXT;
	put_call(j, diff, &call);
	h.prog.input = buf_view(&call);
	prog_run(&h.prog, j->t->stage);
	if (h.prog.end == PROG_CANCEL)
		step = STEP_STOP;
	else if (!prog_is_good(&h.prog))
		step = refuse(j, &h, who, &text);
	hook_release(&h);
	buf_release(&text);
	buf_release(&call);
	return step;
}

enum step
hook_before(struct job *j)
{
	return ask(j, "hooks.before_tool", "the before_tool hook", HOOK_MS,
	    NULL);
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
	return ask(j, "tools.approve", "the approver", APPROVE_MS, diff);
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

static void
tell(struct job *j, const char *code, const char *words)
{
	char *text = xasprintf("the after_tool hook: %s; the result stands "
	    "as it was", words);
	struct json *id = json_object();

	json_str(id, "tool_call_id", j->call->id);
	stage_error(j->t->stage, code, false, text, id);
	free(text);
}

static void
take_answer(struct job *j, const struct prog *p, struct slice message,
    struct buf *text, struct buf *out)
{
	struct buf how = BUF_INIT(4096);

	if (!prog_is_good(p)) {
		prog_how(p, &how);
		tell(j, p->end == PROG_TIMEOUT ? "timeout" : p->end ==
		    PROG_FAILED ? "spawn_failed" : "refused", how.p);
	} else if (text->len > 0 && !is_answer(j, text)) {
		tell(j, "bad_record", "it printed something that is no tool "
		    "message of this call");
	} else if (text->len > 0) {
		message = buf_view(text);
	}
	buf_slice(out, message);
	buf_release(&how);
}

void
hook_after(struct job *j, struct slice message, struct buf *out)
{
	struct buf text = BUF_INIT(BUF_RECORD_MAX);
	struct buf line = BUF_INIT(BUF_RECORD_MAX);
	struct hook h;

	if (!hook_init(&h, j->t, "hooks.after_tool", HOOK_MS, &text)) {
		buf_slice(out, message);
		return;
	}
	buf_slice(&line, message);
	buf_addc(&line, '\n');
	h.prog.input = buf_view(&line);
	prog_run(&h.prog, j->t->stage);
	take_answer(j, &h.prog, message, &text, out);
	hook_release(&h);
	buf_release(&line);
	buf_release(&text);
}
