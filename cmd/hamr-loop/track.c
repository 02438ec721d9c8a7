/* track.c - what the loop knows, derived from the committed records alone. */
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "num.h"
#include "track_in.h"
#include "utf8.h"

#define TASK_KEPT ((size_t)64 << 10)

const char *const track_scenarios[SCENARIOS] = { "empty_response",
	"infinite_loop", "bash_failure", "malformed_tool_call",
	"context_exhaustion", "provider_down", "stage_died" };

static void
drop_error(struct track *t)
{
	track_set(&t->error_stage, NULL);
	track_set(&t->error_code, NULL);
	track_set(&t->error_text, NULL);
	track_set(&t->partial, NULL);
	t->error_retryable = t->has_partial = false;
}

/* A person has spoken: what went wrong before does not count any more. */
static void
forgive(struct track *t)
{
	t->cut_in_a_row = t->empty_in_a_row = 0;
	t->halted = false;
	memset(t->recovered, 0, sizeof t->recovered);
	t->last_recovery = -1;
	t->nudges = 0;
	track_no_failure(t);
}

static void
new_turn(struct track *t)
{
	forgive(t);
	t->steps = t->started = 0;
	t->usage = (struct usage){ 0 };
	t->repairs = 0;
	t->contract = CONTRACT_NONE;
	t->refused = t->no_consent = false;
	t->sandbox = t->unlimited = NULL;
	t->steps_before = t->started_before = 0;
	t->verified = t->failed_verification = false;
	track_set(&t->answer, xstrdup(""));
	track_set(&t->verification, NULL);
	for (size_t i = 0; i < t->nfiles; i++)
		free(t->files[i]);
	t->nfiles = 0;
}

void
track_init(struct track *t, const char *verify_command)
{
	*t = (struct track){ .answer = xstrdup(""), .finish = xstrdup(""),
		.last_recovery = -1, .verify_command = verify_command != NULL &&
		verify_command[0] != '\0' ? xstrdup(verify_command) : NULL };
}

void
track_release(struct track *t)
{
	track_drop_calls(t);
	drop_error(t);
	new_turn(t);
	free(t->calls);
	free(t->files);
	free(t->answer);
	free(t->finish);
	free(t->mode);
	free(t->model);
	free(t->cwd);
	free(t->halt_rule);
	free(t->halt_text);
	free(t->tools);
	free(t->task);
	free(t->verify_command);
	free(t->end_status);
	free(t->end_answer);
	free(t->end_line);
	*t = (struct track){ 0 };
}

static void
verification(struct track *t, const struct rec *r)
{
	t->verified = rec_str_is(r, "status", "passed");
	/* one that was stopped said nothing: it is run again */
	t->failed_verification = !t->verified &&
	    !(rec_get(r, "exit").p == NULL &&
	    rec_str_is(r, "output", "interrupted"));
	track_set(&t->verification, xmemdup0(r->line.p, r->line.n));
}

static void
recovery(struct track *t, const struct rec *r)
{
	for (int i = 0; i < SCENARIOS; i++)
		if (rec_str_is(r, "scenario", track_scenarios[i])) {
			t->recovered[i]++;
			t->last_recovery = i;
		}
	if (rec_str_is(r, "scenario", "bash_failure"))
		track_no_failure(t);
	t->halted = false;
	drop_error(t);
}

static enum contract
contract_of(const struct rec *r)
{
	struct slice c = msg_meta(r, "contract");

	return scan_str_is(c, "hard") ? CONTRACT_HARD :
	    scan_str_is(c, "soft") ? CONTRACT_SOFT : CONTRACT_NONE;
}

/* What the loop itself said, or a person. */
static void
user(struct track *t, const struct rec *r)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);
	struct slice rules = msg_meta(r, "rules"), rule;
	struct walk w;

	if (msg_is_person(r)) {
		if (slice_is(msg_meta(r, "steering"), "true")) {
			forgive(t);
		} else {
			new_turn(t);
			t->contract = contract_of(r);
		}
		if (msg_by(r, "shell"))
			return;
		t->unanswered = true;
		msg_text(rec_get(r, "content"), &b);
		track_set(&t->task, xmemdup0(buf_view(&b).p, utf8_cut(
		    buf_view(&b).p, b.len, TASK_KEPT)));
		buf_release(&b);
		return;
	}
	if (msg_by(r, "verify")) {
		t->repairs++;
		t->failed_verification = false;
		t->steps_before = t->steps;
		t->started_before = t->started;
	}
	walk_in(&w, rules);
	while (scan_kind(rules) == SCAN_ARRAY && walk_next(&w, NULL, &rule))
		t->nudges += scan_str_is(rule, "contract");
}

static void
add_usage(struct usage *u, const struct rec *r)
{
	struct slice cost = rec_get(r, "cost");
	int64_t v;
	double d;

	if (rec_int(r, "prompt_tokens", &v))
		u->prompt += v;
	if (rec_int(r, "completion_tokens", &v))
		u->completion += v;
	if (rec_int(r, "cached_tokens", &v))
		u->cached += v;
	if (scan_kind(cost) == SCAN_NUMBER &&
	    num_double(cost.p, cost.n, &d)) {
		u->cost += d;
		u->has_cost = true;
	}
}

static void
settings(struct track *t, const struct rec *r)
{
	struct slice to = rec_get(r, "set");
	char *mode = scan_strdup(scan_get(to, "agent.mode"));
	char *model = scan_strdup(scan_get(to, "provider.model"));

	if (mode != NULL)
		track_set(&t->mode, mode);
	if (model != NULL)
		track_set(&t->model, model);
}

static bool
is_guards(const struct rec *r)
{
	if (r->kind == R_VERDICT || r->kind == R_CONSTRAIN)
		return rec_str_is(r, "stage", "hamr-guard");
	return r->kind == R_USER && msg_by(r, "guard");
}

static void
fault(struct track *t, const struct rec *r)
{
	struct slice part = rec_get(r, "partial");

	track_set(&t->error_stage, track_text(rec_get(r, "stage")));
	track_set(&t->error_code, track_text(rec_get(r, "code")));
	track_set(&t->error_text, track_text(rec_get(r, "message")));
	t->error_retryable = scan_true(rec_get(r, "retryable"));
	t->has_partial = part.p != NULL;
	track_set(&t->partial, scan_strdup(scan_get(part, "content")));
}

static void
message(struct track *t, const struct rec *r)
{
	t->last = r->kind;
	t->ended = false;
	drop_error(t);
	if (r->kind == R_SYSTEM)
		t->has_system = true;
	if (r->kind == R_USER)
		user(t, r);
	if (r->kind == R_ASSISTANT)
		track_asked(t, r);
	if (r->kind == R_TOOL)
		track_result(t, r);
}

static void
event(struct track *t, const struct rec *r)
{
	switch (r->kind) {
	case R_HAMR:
		t->has_header = true;
		track_set(&t->mode, rec_strdup(r, "mode"));
		track_set(&t->model, rec_strdup(r, "model"));
		track_set(&t->cwd, rec_strdup(r, "cwd"));
		break;
	case R_CONFIG:
		settings(t, r);
		break;
	case R_TOOLS:
		track_set(&t->tools, xmemdup0(r->line.p, r->line.n));
		break;
	case R_START:
		track_started(t, r);
		break;
	case R_USAGE:
		add_usage(&t->usage, r);
		break;
	case R_VERDICT:
		if (rec_str_is(r, "action", "halt")) {
			t->halted = true;
			track_set(&t->halt_rule, track_text(rec_get(r,
			    "rule")));
			track_set(&t->halt_text, rec_strdup(r, "message"));
		}
		break;
	case R_ANSWER:
		if (slice_is(rec_get(r, "allow"), "false"))
			t->refused = true;
		break;
	case R_RECOVERY:
		recovery(t, r);
		break;
	case R_VERIFICATION:
		verification(t, r);
		track_sandbox(t, rec_get(r, "sandbox"));
		break;
	case R_ERROR:
		fault(t, r);
		break;
	case R_END:
		t->ended = true;
		track_set(&t->end_status, track_text(rec_get(r, "status")));
		track_set(&t->end_answer, track_text(rec_get(r, "answer")));
		track_set(&t->end_line, xmemdup0(r->line.p, r->line.n));
		break;
	default:
		break;
	}
}

void
track_record(struct track *t, const struct rec *r, off_t at)
{
	if (is_guards(r)) {
		t->guard_after++;
	} else if (r->kind == R_ASSISTANT || r->kind == R_TOOL ||
	    r->kind == R_USER) {
		t->decision = at;
		t->guard_after = 0;
	}
	if (rec_is_message(r->kind))
		message(t, r);
	else
		event(t, r);
}

size_t
track_open(const struct track *t)
{
	size_t n = 0;

	if (t->last != R_ASSISTANT && t->last != R_TOOL && t->last != R_USER)
		return 0;
	for (size_t i = 0; i < t->ncalls; i++)
		n += !t->calls[i].done;
	return n;
}
