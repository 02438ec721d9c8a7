/* calls.c - from the records of a transcript to the calls that are open. */
#include <stdlib.h>
#include <string.h>

#include "alias.h"
#include "mem.h"
#include "mode.h"
#include "msg.h"
#include "scan.h"

#include "trail.h"

/* It is run at the next go. */
static void
take_verify(struct tool *t, const struct rec *r)
{
	free(t->verify);
	t->verify = rec_strdup(r, "command");
	if (t->verify == NULL)
		t->verify = xstrdup(conf_str(t->conf,
		    "verification.defaultCommand"));
	t->verify_full = rec_str_is(r, "profile", "full") ||
	    (rec_get(r, "profile").p == NULL && strcmp(conf_str(t->conf,
	    "verification.profile"), "full") == 0);
}

/* ---- messages ---- */

static char *
text_of(struct slice v)
{
	char *s = scan_strdup(v);

	return s != NULL ? s : xstrdup("");
}

static void
take_assistant(struct tool *t, const struct rec *r)
{
	struct walk w;
	struct call c;

	tool_forget_calls(t);
	t->closed = rec_str_is(r, "finish_reason", "length");
	walk_in(&w, rec_get(r, "tool_calls"));
	while (msg_next_call(&w, &c)) {
		struct buf args = BUF_INIT(BUF_RECORD_MAX);
		struct call_state *s;

		t->calls = xgrow(t->calls, t->ncalls, &t->cap,
		    sizeof *t->calls);
		s = &t->calls[t->ncalls++];
		*s = (struct call_state){ .id = text_of(c.id),
			.name = text_of(c.name) };
		if (!scan_str(c.args, &args))
			continue;
		s->nargs = args.len;
		s->args = buf_detach(&args);
	}
}

/* The first call of this id that has no result yet; NULL if none. */
static struct call_state *
open_call(struct tool *t, struct slice id)
{
	if (scan_kind(id) != SCAN_STRING)
		return NULL;
	for (size_t i = 0; i < t->ncalls; i++)
		if (!t->calls[i].done && scan_str_is(id, t->calls[i].id))
			return &t->calls[i];
	return NULL;
}

static bool
is_of_files(const char *name)
{
	return strcmp(name, "read") == 0 || strcmp(name, "edit") == 0 ||
	    strcmp(name, "write") == 0;
}

/* What a recorded result proves to the file tools. */
static void
learn(struct tool *t, const struct call_state *c, const char *text,
    struct slice meta)
{
	struct buf args = BUF_INIT(BUF_RECORD_MAX);
	struct scan scan = { .n = 0 };

	files_call(t->files, c->id);
	if (c->args != NULL && is_of_files(c->name) &&
	    scan_value(&scan, c->args, c->nargs) == 0 &&
	    alias_args(slice_of(c->name), (struct slice){ c->args, c->nargs },
	    &args))
		files_learn(t->files, c->name, buf_view(&args),
		    slice_of(text), meta);
	scan_release(&scan);
	buf_release(&args);
}

static bool
is_of_no_run(const char *code)
{
	static const char *const codes[] = { "refused", "denied",
		"interrupted", "bad_arguments", "unknown_tool" };

	for (size_t i = 0; code != NULL && i < 5; i++)
		if (strcmp(code, codes[i]) == 0)
			return true;
	return false;
}

static void
take_result(struct tool *t, const struct rec *r)
{
	struct call_state *c = open_call(t, rec_get(r, "tool_call_id"));
	struct slice meta = rec_get(r, "meta");
	struct buf text = BUF_INIT(BUF_RECORD_MAX);

	if (c == NULL)
		return;		/* ours, read back, or nobody's */
	msg_text(rec_get(r, "content"), &text);
	c->done = true;
	c->is_error = scan_true(rec_get(r, "is_error"));
	c->code = scan_strdup(scan_get(meta, "error"));
	c->ran = !is_of_no_run(c->code);
	if (text.len <= SHARE_MAX)
		c->text = xmemdup0(text.len > 0 ? text.p : "", text.len);
	if (!c->is_error)
		learn(t, c, text.len > 0 ? text.p : "", meta);
	buf_release(&text);
}

/* ---- events ---- */

static void
take_start(struct tool *t, const struct rec *r)
{
	struct slice id = rec_get(r, "tool_call_id");

	for (size_t i = 0; i < t->ncalls; i++) {
		struct call_state *c = &t->calls[i];

		if (c->done || c->start == START_FOREIGN ||
		    c->start == START_MINE || !scan_str_is(id, c->id))
			continue;
		c->start = c->start == START_PROPOSED ? START_MINE :
		    START_FOREIGN;
		return;
	}
}

static enum action
action_of(struct slice v)
{
	return scan_str_is(v, "halt") ? ACT_HALT :
	    scan_str_is(v, "block") ? ACT_BLOCK :
	    scan_str_is(v, "share") ? ACT_SHARE :
	    scan_str_is(v, "warn") ? ACT_WARN : ACT_NONE;
}

/* Verdicts of the call phase, whoever wrote them; the strictest stays. */
static void
take_verdict(struct tool *t, const struct rec *r)
{
	enum action a = action_of(rec_get(r, "action"));
	struct slice id = rec_get(r, "tool_call_id");
	struct slice phase = rec_get(r, "phase");

	if (phase.p != NULL && !scan_str_is(phase, "call"))
		return;
	for (size_t i = 0; i < t->ncalls; i++) {
		struct call_state *c = &t->calls[i];

		if (c->done || a <= c->action || !scan_str_is(id, c->id))
			continue;
		c->action = a;
		free(c->words);
		free(c->twin);
		c->words = rec_strdup(r, "message");
		c->twin = rec_strdup(r, "twin");
	}
}

static void
take_answer(struct tool *t, const struct rec *r)
{
	t->answers++;
	if (t->ask == NULL || !rec_str_is(r, "id", t->ask))
		return;
	t->answered = true;
	t->allowed = scan_true(rec_get(r, "allow"));
	free(t->instead);
	t->instead = rec_strdup(r, "arguments");
	free(t->reason);
	t->reason = rec_strdup(r, "reason");
	t->stop = scan_true(rec_get(r, "stop"));
}

/* Only the mode can change, and only for who runs us (-r). */
static void
take_config(struct tool *t, const struct rec *r)
{
	char *name = scan_strdup(scan_get(rec_get(r, "set"), "agent.mode"));
	int mode = name != NULL ? mode_named(name) : -1;

	free(name);
	if (mode < 0 || t->stage->mode != STAGE_RESIDENT)
		return;
	t->mode = (enum mode)mode;
	tool_mode(t);
	t->retell = true;
	if (!t->acting)
		tool_tell(t);
}

static void
take_limit(struct tool *t, const struct rec *r)
{
	int64_t n;

	if (rec_int(r, "context_tokens", &n) && n > 0 && n < 1L << 40)
		tool_limit(t, (long)n);
}

static void
take_compaction(struct tool *t, const struct rec *r)
{
	struct slice el;
	struct walk w;

	walk_in(&w, rec_get(r, "elided"));
	while (walk_next(&w, NULL, &el)) {
		char *path = scan_strdup(scan_get(el, "path"));
		int64_t first = 1, last = INT32_MAX;

		scan_int(scan_get(el, "first"), &first);
		scan_int(scan_get(el, "last"), &last);
		if (path != NULL)
			files_forget(t->files, path, (long)first, (long)last);
		free(path);
	}
}

/* The session is known by the first record. */
static void
take_hamr(struct tool *t, const struct rec *r)
{
	char *id = rec_strdup(r, "session");

	if (id != NULL)
		tool_session(t, id);
	free(id);
}

/* One of ours, read back, or of the process before us in this turn. */
static void
take_checkpoint(struct tool *t, const struct rec *r)
{
	char *id = rec_strdup(r, "id");

	if (id != NULL)
		trail_known(t->trail, id);
	free(id);
}

static void
take(struct tool *t, const struct rec *r)
{
	switch (r->kind) {
	case R_ASSISTANT:
		boxes_session_ended(t->boxes, false);
		take_assistant(t, r);
		break;
	case R_USER:
		if (msg_is_person(r)) {
			boxes_session_ended(t->boxes, false);
			t->closed = true;
			files_turn(t->files);
			trail_turn(t->trail);
		}
		break;
	case R_HAMR: take_hamr(t, r); break;
	case R_END:
		boxes_session_ended(t->boxes, rec_str_is(r, "status",
		    "completed"));
		break;
	case R_TOOL: take_result(t, r); break;
	case R_START: take_start(t, r); break;
	case R_VERDICT: take_verdict(t, r); break;
	case R_ANSWER: take_answer(t, r); break;
	case R_CONFIG: take_config(t, r); break;
	case R_LIMIT: take_limit(t, r); break;
	case R_VERIFY: take_verify(t, r); break;
	case R_COMPACTION: take_compaction(t, r); break;
	case R_CHECKPOINT: take_checkpoint(t, r); break;
	default: break;
	}
}

/* While a call runs only what it waits for is taken in at once, so that what
 * comes out does not depend on when the rest arrived. */
void
tool_record(struct tool *t, const struct rec *r)
{
	if (t->acting && r->kind != R_START && r->kind != R_ANSWER) {
		t->later = xgrow(t->later, t->nlater, &t->latercap,
		    sizeof *t->later);
		t->later[t->nlater++] = xmemdup0(r->line.p, r->line.n);
		return;
	}
	take(t, r);
}

void
tool_catch_up(struct tool *t)
{
	struct scan scan = { .n = 0 };
	struct rec r;

	for (size_t i = 0; i < t->nlater; i++) {
		char *line = t->later[i];

		if (rec_parse(&scan, line, strlen(line), &r) == 0)
			take(t, &r);
		free(line);
	}
	t->nlater = 0;
	scan_release(&scan);
}
