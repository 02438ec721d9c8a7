/* state.c - hamr-tool's state: setup, updates from records, the `tools` record,
 * cleanup. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "extras/extra.h"
#include "extras/mcp.h"
#include "json/scan.h"
#include "record/alias.h"
#include "record/msg.h"

#include "journal_calls.h"

/* ---- setting up ---- */

/* Only a configured 0 means no limit; if the window is too small for any
 * tokens, the cap is that of one. */
static size_t
cap_tokens(struct budget_cap k, long tokens)
{
	return tokens != 0 ? (size_t)tokens :
	    (k.asked >= 0 ? k.asked : k.floor) == 0 ? SIZE_MAX : 1;
}

static size_t
cap_bytes(size_t tokens)
{
	return tokens == SIZE_MAX ? SIZE_MAX : budget_bytes((long)tokens);
}

/* Tokens are counted as this model does; NULL: the configured one. */
static void
set_model(struct tool *t, const char *name)
{
	t->files->family = token_family(name != NULL ? name :
	    conf_str(t->conf, "provider.model"));
}

/* Set the caps for a window of this many tokens; -1: unknown. */
static void
set_limit(struct tool *t, long limit)
{
	struct budget b = budget_of(&t->budget, -1, limit);
	struct files *f = t->files;

	t->limit = limit;
	f->result_tokens = cap_tokens(t->budget.single, b.result_cap);
	f->result_cap = num_min(cap_bytes(f->result_tokens), READ_CAP_MAX);
	f->turn_cap = cap_bytes(cap_tokens(t->budget.turn, b.turn_cap));
	t->output_cap = num_min(f->result_cap, OUTPUT_CAP_MAX);
}

static void
set_mode(struct tool *t, int mode)
{
	t->mode = (enum mode)mode;
	t->files->may_write = (tool_on(t) & SCHEMA_CHANGE) != 0;
	t->files->docs_only = t->mode == MODE_DOCS;
}

int
tool_open(struct tool *t, struct err *e)
{
	size_t n;
	struct stage *s = t->stage;
	const char *const *ops = conf_list(t->conf, "tools.buffers", &n);

	t->extras = extras_new(t);
	if (extras_check(t, e) < 0)
		return -1;
	t->sandboxes = sandboxes_new(t->conf, t->root, t->quiet);
	t->files = files_new(t->root, e);
	if (t->files == NULL)
		return -1;
	t->files->person = t->person;
	t->files->overwrite = conf_bool(t->conf, "policy.overwrite");
	t->files->memory = conf_bool(t->conf, "memory.enabled");
	struct lists *l = &t->files->lists;
	l->secret = conf_list(t->conf, "policy.secret", &l->nsecret);
	l->no_write = conf_list(t->conf, "policy.no_write", &l->nno_write);
	l->docs = conf_list(t->conf, "policy.docs", &l->ndocs);
	l->allow_write = conf_list(t->conf, "policy.allow_write",
	    &l->nallow_write);
	l->known = sandboxes_known(t->sandboxes);
	t->files->stage = s;
	s->signals = signals_fd();
	if (s->signals < 0)
		return err_sys(e, ST_SYSTEM, "cannot watch for signals");
	s->out.signals = s->signals;
	t->journal = journal_calls_new(t);
	if (s->mode == STAGE_RESIDENT) {
		t->files->editor_reads = slice_in(SLICE("read"), ops);
		t->files->editor_writes = slice_in(SLICE("write"), ops);
	}
	tool_reset(s);
	return 0;
}

/* Set the session; NULL: one without a name. */
static void
set_session(struct tool *t, const char *id)
{
	if (!sandboxes_session(t->sandboxes, id))
		return;
	/* the running servers belong to the session before */
	extras_free(t->extras);
	t->extras = extras_new(t);
}

static void
forget_calls(struct tool *t)
{
	for (size_t i = 0; i < t->ncalls; i++) {
		struct call_state *c = &t->calls[i];

		FREE(c->id, c->name, c->args, c->words, c->twin, c->text,
		    c->code);
	}
	t->ncalls = t->first_open = 0;
	t->closed = false;
}

void
tool_reset(struct stage *s)
{
	struct tool *t = s->self;

	forget_calls(t);
	xset(&t->verify, NULL);
	t->answers = 0;
	set_mode(t, mode_named(conf_str(t->conf, "agent.mode")));
	files_reset(t->files);
	journal_calls_turn(t->journal);
	set_session(t, NULL);
	t->budget = budget_keys(t->conf);
	set_limit(t, -1);
	set_model(t, NULL);
}

/* Was stdout closed, and SIGPIPE would have ended us? */
static bool
is_closed(const struct tool *t)
{
	return t->stage->out.error == EPIPE &&
	    t->held.pipe.sa_handler != SIG_IGN;
}

void
tool_close(struct tool *t)
{
	forget_calls(t);
	free(t->calls);
	texts_release(&t->later);
	FREE(t->verify, t->told);
	extras_free(t->extras);
	sandboxes_free(t->sandboxes);
	/* what follows may take a minute */
	signals_release(&t->held);
	journal_calls_free(t->journal);
	files_free(t->files);
	if (is_closed(t))
		raise(SIGPIPE);
}

void
tool_may_end(struct stage *s)
{
	struct tool *t = s->self;

	if (!is_closed(t) && !signals_waiting())
		return;
	tool_close(t);
	exit(ST_SYSTEM);	/* no signal ends the first process of a
				 * container */
}

int
tool_fail(const struct tool *t, const struct err *e)
{
	return is_closed(t) || signals_waiting() ? ST_SYSTEM : err_report(e);
}

/* ---- the `tools` record ---- */

static void
propose(struct tool *t)
{
	struct buf line = BUF_INIT(BUF_RECORD_MAX);

	tool_record_all(t, &line);
	if (t->told == NULL || strcmp(t->told, line.p) != 0)
		stage_put(t->stage, R_TOOLS, buf_view(&line));
	xset(&t->told, buf_detach(&line));
}

void
tool_put(struct tool *t)
{
	struct err e;

	t->acting = true;
	if (extras_load(t, &e) < 0)
		stage_fail(t->stage, &e);
	else if (!signals_waiting())	/* else some are missing */
		propose(t);
	t->acting = false;
	tool_catch_up(t);
}

void
tool_put_changed(struct tool *t)
{
	if (t->told == NULL)
		return;
	mcp_changed(t);
	propose(t);
}

/* ---- records ---- */

void
tool_set_args(struct call_state *c, struct slice text)
{
	struct buf inner = BUF_INIT(BUF_RECORD_MAX), args = inner;
	bool json = scan_is_json(text);

	/* some models encode the object a second time, as a string */
	if (json && scan_str(slice_trim(text), &inner) &&
	    scan_kind(slice_trim(buf_view(&inner))) == SCAN_OBJECT) {
		text = buf_view(&inner);
		json = scan_is_json(text);
	}
	c->canonical = json && schema_find(c->name) != NULL &&
	    alias_args(slice_of(c->name), text, &args);
	if (!c->canonical)
		buf_add(&args, text.p, text.n);
	c->args = buf_detach(&args);
	buf_release(&inner);
}

static void
take_assistant(struct tool *t, const struct rec *r)
{
	struct call c;

	forget_calls(t);
	t->closed = rec_str_is(r, "finish_reason", "length");
	for (struct walk w = walk_of(rec_get(r, "tool_calls"));
	    msg_next_call(&w, &c); ) {
		struct buf args = BUF_INIT(BUF_RECORD_MAX);

		GROW(t->calls, t->ncalls, t->cap);
		struct call_state *s = &t->calls[t->ncalls++];
		*s = (struct call_state){ .id = scan_text(c.id),
			.name = scan_text(c.name) };
		if (scan_str(c.args, &args))
			tool_set_args(s, buf_view(&args));
		buf_release(&args);
	}
}

const char *const action_names[] = { [ACT_NONE] = NULL, [ACT_WARN] = "warn",
	[ACT_SHARE] = "share", [ACT_BLOCK] = "block", [ACT_HALT] = "halt" };

/* The first open call after c (NULL: of all) that the record is about; NULL if
 * there is none. */
static struct call_state *
next_call(const struct tool *t, const struct call_state *c,
    const struct rec *r)
{
	struct slice id = rec_get(r, "tool_call_id");

	for (size_t i = c == NULL ? t->first_open : (size_t)(c - t->calls) + 1;
	    i < t->ncalls; i++)
		if (!t->calls[i].done && scan_str_is(id, t->calls[i].id))
			return &t->calls[i];
	return NULL;
}

void
tool_note_result(struct tool *t, struct call_state *c, const struct rec *r)
{
	static const char *const not_run[] = { "refused", "denied",
		"interrupted", "bad_arguments", "unknown_tool", NULL };
	static const char *const proving[] = { "read", "edit", "write", NULL };
	struct slice meta = rec_get(r, "meta");
	struct buf text = BUF_INIT(BUF_RECORD_MAX);

	if (c == NULL)		/* ours, read back, or of no open call */
		return;
	msg_text(rec_get(r, "content"), &text);
	c->done = true;
	while (t->first_open < t->ncalls && t->calls[t->first_open].done)
		t->first_open++;
	c->is_error = scan_true(rec_get(r, "is_error"));
	c->code = scan_strdup(scan_get(meta, "error"));
	c->ran = c->code == NULL || !slice_in(slice_of(c->code), not_run);
	if (text.len <= SHARE_MAX)
		c->text = xmemdup0(text.p, text.len);
	if (c->canonical && slice_in(slice_of(c->name), proving))
		files_learn_proofs(t->files, c->id, c->name, slice_of(c->args),
		    buf_view(&text), meta);
	buf_release(&text);
}

static void
take_start(struct tool *t, const struct rec *r)
{
	struct call_state *c = next_call(t, NULL, r);

	while (c != NULL && (c->start == START_FOREIGN ||
	    c->start == START_MINE))
		c = next_call(t, c, r);
	if (c != NULL)
		c->start = c->start == START_PROPOSED ? START_MINE :
		    START_FOREIGN;
}

/* Take a verdict of the call phase, whoever wrote it; the strictest wins. */
static void
take_verdict(struct tool *t, const struct rec *r)
{
	struct slice action = rec_get(r, "action");
	struct call_state *c = NULL;
	enum action a = ACT_HALT;
	struct slice phase = rec_get(r, "phase");

	if (phase.p != NULL && !scan_str_is(phase, "call"))
		return;
	while (a > ACT_NONE && !scan_str_is(action, action_names[a]))
		a--;
	while ((c = next_call(t, c, r)) != NULL) {
		if (a <= c->action)
			continue;
		c->action = a;
		FREE(c->words, c->twin);
		c->words = rec_strdup(r, "message");
		c->twin = rec_strdup(r, "twin");
	}
}

/* Only the mode can change, and only in a resident process (-r); and how the
 * model counts tokens, and how many fit. */
static void
take_config(struct tool *t, const struct rec *r)
{
	struct slice set = rec_get(r, "set");
	char *name = scan_strdup(scan_get(set, "agent.mode"));
	char *model = scan_strdup(scan_get(set, "provider.model"));
	int mode = name != NULL ? mode_named(name) : -1;

	if (model != NULL)
		set_model(t, model);
	budget_set(&t->budget, set);
	set_limit(t, t->limit);
	FREE(name, model);
	if (mode < 0 || t->stage->mode != STAGE_RESIDENT)
		return;
	set_mode(t, mode);
	if (!t->acting)
		tool_put_changed(t);
}

static void
take_compaction(struct tool *t, const struct rec *r)
{
	struct slice el;

	for (struct walk w = walk_of(rec_get(r, "elided"));
	    walk_next(&w, NULL, &el); ) {
		char *path = scan_strdup(scan_get(el, "path"));

		if (path != NULL)
			files_forget(t->files, path, (long)scan_int_or(
			    scan_get(el, "first"), 1), (long)scan_int_or(
			    scan_get(el, "last"), INT32_MAX));
		free(path);
	}
}

static void
take(struct tool *t, const struct rec *r)
{
	char *text = NULL;
	int64_t n;

	switch (r->kind) {
	case R_ASSISTANT:
		sandboxes_session_ended(t->sandboxes, false);
		take_assistant(t, r);
		break;
	case R_USER:
		if (msg_is_person(r)) {
			sandboxes_session_ended(t->sandboxes, false);
			t->closed = true;
			files_turn(t->files);
			journal_calls_turn(t->journal);
		}
		break;
	case R_HAMR:		/* the first record names the session */
		text = rec_strdup(r, "session");
		if (text != NULL)
			set_session(t, text);
		xset(&text, rec_strdup(r, "model"));
		if (*conf_str(t->conf, "provider.model") == '\0')
			set_model(t, text);
		break;
	case R_END:
		sandboxes_session_ended(t->sandboxes, rec_str_is(r, "status",
		    "completed"));
		break;
	case R_TOOL: tool_note_result(t, next_call(t, NULL, r), r); break;
	case R_START: take_start(t, r); break;
	case R_VERDICT: take_verdict(t, r); break;
	case R_ANSWER: t->answers++; break;
	case R_CONFIG: take_config(t, r); break;
	case R_LIMIT:
		if (rec_int(r, "context_tokens", &n) && n > 0 && n < 1L << 40)
			set_limit(t, (long)n);
		break;
	case R_VERIFY:		/* runs at the next go */
		xset(&t->verify, rec_strdup(r, "command"));
		if (t->verify == NULL)
			t->verify = xstrdup(conf_str(t->conf,
			    "verification.defaultCommand"));
		t->verify_full = rec_str_is(r, "profile", "full") ||
		    (rec_get(r, "profile").p == NULL &&
		    strcmp(conf_str(t->conf, "verification.profile"),
		    "full") == 0);
		break;
	case R_COMPACTION: take_compaction(t, r); break;
	case R_CHECKPOINT:	/* ours, read back, or from the process before
				 * us in this turn */
		journal_calls_known(t->journal, rec_strdup(r, "id"));
		break;
	default: break;
	}
	free(text);
}

/* While a call runs, process only the records that it waits for, so that the
 * output does not depend on when the others arrived; but a change of mode, and
 * a limit, by which hamr-compact cuts the next result, apply to the next
 * call. */
void
tool_record(struct stage *s, const struct rec *r)
{
	struct tool *t = s->self;

	if (t->acting && r->kind != R_START && r->kind != R_ANSWER &&
	    r->kind != R_CONFIG && r->kind != R_LIMIT) {
		texts_add(&t->later, xmemdup0(r->line.p, r->line.n));
		return;
	}
	take(t, r);
}

void
tool_catch_up(struct tool *t)
{
	struct scan scan = { .n = 0 };
	struct rec r;

	for (size_t i = 0; i < t->later.n; i++)
		if (rec_parse(&scan, t->later.v[i], strlen(t->later.v[i]),
		    &r) == 0)
			take(t, &r);
	texts_release(&t->later);
	scan_release(&scan);
}
