/* calls.c - from the records of a transcript to the calls that are open. */
#include <stdlib.h>
#include <string.h>

#include "alias.h"
#include "budget.h"
#include "extra.h"
#include "mem.h"
#include "mode.h"
#include "msg.h"
#include "scan.h"
#include "secret.h"

#include "trail.h"

/* ---- setting up ---- */

/* Only an explicit 0 means no limit, a window too small for any does not. */
static size_t
cap_bytes(const struct tool *t, const char *key, long tokens)
{
	return budget_bytes(tokens != 0 || conf_int(t->conf, key) == 0 ?
	    tokens : 1);
}

static void
set_caps(struct tool *t, long limit)
{
	struct budget b = budget_from(t->conf, -1, limit);

	t->result_cap = cap_bytes(t, "context.max_single_read_result_tokens",
	    b.result_cap);
	t->turn_cap = cap_bytes(t,
	    "context.max_total_read_result_tokens_per_turn", b.turn_cap);
	t->output_cap = t->result_cap - 1 < OUTPUT_CAP_MAX ? t->result_cap :
	    OUTPUT_CAP_MAX;	/* 0: no limit */
	if (t->files != NULL)
		files_caps(t->files, t->result_cap, t->turn_cap);
}

static bool
may_write(const struct tool *t)
{
	return t->mode == MODE_PATCH || t->mode == MODE_DOCS;
}

/* A long search is asked now and then: has somebody cancelled? */
static bool
is_stopped(void *arg)
{
	struct stage *s = arg;

	return stage_wait(s, NULL, 0, 0) != 0;
}

static int
open_files(struct tool *t, struct err *e)
{
	struct files_opts o = { .root = t->root, .person = t->person,
		.docs_only = t->mode == MODE_DOCS,
		.may_write = may_write(t),
		.overwrite = conf_bool(t->conf, "policy.overwrite"),
		.result_cap = t->result_cap, .turn_cap = t->turn_cap };
	struct lists lists;

	t->files = files_new(&o, e);
	if (t->files == NULL)
		return -1;
	lists.secret = conf_list(t->conf, "policy.secret", &lists.nsecret);
	lists.no_write = conf_list(t->conf, "policy.no_write",
	    &lists.nno_write);
	lists.docs = conf_list(t->conf, "policy.docs", &lists.ndocs);
	files_policy(t->files, &lists);
	files_stop(t->files, is_stopped, t->stage);
	return 0;
}

int
tool_open(struct tool *t, struct err *e)
{
	set_caps(t, -1);
	if (extras_check(t, e) < 0)
		return -1;
	t->boxes = boxes_new(t->conf, t->root);
	t->extras = extras_new(t);
	if (open_files(t, e) < 0)
		return -1;
	t->trail = trail_new(t);
	return 0;
}

static void
forget_calls(struct tool *t)
{
	for (size_t i = 0; i < t->ncalls; i++) {
		struct call_state *c = &t->calls[i];

		free(c->id);
		free(c->name);
		free(c->args);
		free(c->words);
		free(c->twin);
		free(c->text);
		free(c->code);
	}
	t->ncalls = 0;
	t->closed = false;
}

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

void
tool_reset(struct tool *t)
{
	forget_calls(t);
	free(t->verify);
	t->verify = NULL;
	t->answers = 0;
	t->mode = (enum mode)mode_named(conf_str(t->conf, "agent.mode"));
	files_mode(t->files, may_write(t), t->mode == MODE_DOCS);
	files_reset(t->files);
	trail_turn(t->trail);
	set_caps(t, -1);
}

void
tool_close(struct tool *t)
{
	forget_calls(t);
	free(t->calls);
	for (size_t i = 0; i < t->nlater; i++)
		free(t->later[i]);
	free(t->later);
	free(t->ask);
	free(t->instead);
	trail_free(t->trail);
	free(t->verify);
	free(t->told);
	if (t->extras != NULL)
		extras_free(t->extras);
	if (t->boxes != NULL)
		boxes_free(t->boxes);
	if (t->files != NULL)
		files_free(t->files);
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

	forget_calls(t);
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
	files_mode(t->files, may_write(t), t->mode == MODE_DOCS);
}

static void
take_limit(struct tool *t, const struct rec *r)
{
	int64_t n;

	if (rec_int(r, "context_tokens", &n) && n > 0 && n < 1L << 40)
		set_caps(t, (long)n);
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
		take_assistant(t, r);
		break;
	case R_USER:
		if (msg_is_person(r)) {
			t->closed = true;
			files_turn(t->files);
			trail_turn(t->trail);
		}
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
