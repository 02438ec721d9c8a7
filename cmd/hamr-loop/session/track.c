/* track.c - what the loop knows, derived from the committed records alone. */
#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/utf8.h"
#include "same_command.h"
#include "track.h"

#define OUTPUT_KEPT ((size_t)16 << 10)
#define TASK_KEPT ((size_t)64 << 10)

struct slice
track_about(struct slice args, bool *is_path)
{
	static const char *const telling[] = { "command", "query", "path",
		"file_path", "fact" };

	for (size_t i = 0; i < sizeof telling / sizeof *telling; i++) {
		struct slice got = scan_get(args, telling[i]);

		*is_path = strstr(telling[i], "path") != NULL;
		if (scan_kind(got) == SCAN_STRING)
			return got;
	}
	return (struct slice){ NULL, 0 };
}

static void
track_drop_calls(struct track *t)
{
	for (size_t i = 0; i < t->ncalls; i++)
		FREE(t->calls[i].id, t->calls[i].name);
	t->ncalls = t->first_open = 0;
}

static void
track_no_failure(struct track *t)
{
	xset(&t->bash_output, NULL);
	xset(&t->bash_failed, NULL);
}

/* Mark the first open call with this id that has no start (or result) yet. */
static void
note_call(struct track *t, struct slice id, bool start)
{
	for (size_t i = t->first_open; i < t->ncalls; i++) {
		bool *has = start ? &t->calls[i].started : &t->calls[i].done;

		if (!*has && scan_str_is(id, t->calls[i].id)) {
			*has = true;
			break;
		}
	}
	while (t->first_open < t->ncalls && t->calls[t->first_open].done)
		t->first_open++;
}

/* Keep the weakest sandbox that a command ran in. */
static void
track_sandbox(struct track *t, struct slice name)
{
	static const char *const names[] = { "none", "seccomp", "landlock",
		"bubblewrap" };

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		if (t->sandbox != NULL && strcmp(t->sandbox, names[i]) == 0)
			return;
		if (scan_str_is(name, names[i])) {
			t->sandbox = names[i];
			return;
		}
	}
}

/* False: a change was not made for lack of consent: it was denied, or it ran
 * read-only and tried to write.  The latter shows in its output, in the
 * person's language; Landlock causes another error than a read-only mount. */
static bool
consent(struct track *t, const struct rec *r)
{
	struct slice how = msg_meta(r, "consent");
	bool landlock = scan_str_is(msg_meta(r, "sandbox"), "landlock");
	bool missing = scan_str_is(msg_meta(r, "error"), "denied");
	struct buf b = BUF_INIT(BUF_RECORD_MAX);

	if (scan_str_is(how, "refused"))
		t->refused = true;
	if (!scan_str_is(how, "missing"))
		return true;
	locale_t own = newlocale(LC_MESSAGES_MASK, "", (locale_t)0);
	msg_text(rec_get(r, "content"), &b);
	const char *text = buf_view(&b).p;
	missing = missing || strcasestr(text, strerror(EROFS)) != NULL ||
	    (landlock && strcasestr(text, strerror(EACCES)) != NULL);
	if (own != (locale_t)0) {
		missing = missing ||
		    strstr(text, strerror_l(EROFS, own)) != NULL ||
		    (landlock && strstr(text, strerror_l(EACCES, own)) !=
		    NULL);
		freelocale(own);
	}
	buf_release(&b);
	t->no_consent |= missing;
	return !missing;
}

/* Keep the last command that failed, until it passes. */
static void
command(struct track *t, const struct rec *r)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);
	struct slice ran = msg_meta(r, "command");

	if (scan_kind(ran) != SCAN_STRING)
		return;
	if (!scan_true(rec_get(r, "is_error"))) {
		if (t->bash_failed != NULL && scan_str_is(ran, t->bash_failed))
			track_no_failure(t);
		char *text = scan_text(ran);
		if (t->verify_command != NULL && same_command_covers(text,
		    t->verify_command, t->cwd))
			t->verified = true;
		free(text);
		return;
	}
	char *code = scan_strdup(msg_meta(r, "error"));
	if (code == NULL || strcmp(code, "timeout") == 0) {
		msg_text(rec_get(r, "content"), &b);
		xset(&t->bash_failed, scan_text(ran));
		xset(&t->bash_output, xmemdup0(buf_view(&b).p, utf8_cut(
		    buf_view(&b).p, b.len, OUTPUT_KEPT)));
	}
	free(code);
	buf_release(&b);
}

const char *const track_modes[] = { "read-only", "patch", "verify", "docs",
	NULL };
const char *const track_scenarios[SCENARIOS] = { "empty_response",
	"infinite_loop", "bash_failure", "malformed_tool_call",
	"context_exhaustion", "provider_down", "stage_died" };

static void
drop_error(struct track *t)
{
	xset(&t->error_code, NULL);
	xset(&t->error_text, NULL);
	xset(&t->partial, NULL);
	t->error_retryable = t->has_partial = false;
	t->retry_after = 0;
}

/* A person has spoken: earlier failures no longer count. */
static void
reset_failures(struct track *t)
{
	t->cut_in_a_row = 0;
	t->halted = false;
	memset(t->recovered, 0, sizeof t->recovered);
	t->last_recovery = -1;
	t->nudges = 0;
	track_no_failure(t);
}

static void
new_turn(struct track *t)
{
	reset_failures(t);
	t->steps = t->started = 0;
	t->usage = (struct usage){ 0 };
	t->repairs = 0;
	t->spent = SPENT_NOT;
	t->contract = CONTRACT_NONE;
	t->refused = t->no_consent = false;
	t->sandbox = t->unlimited = NULL;
	t->steps_before = t->started_before = 0;
	t->verified = false;
	xset(&t->answer, xstrdup(""));
	xset(&t->verification, NULL);
	texts_release(&t->files);
	t->files_unknown = false;
}

/* A turn that failed is resumed for another try.  A halt stays, for the model
 * to be told of it. */
static void
ended(struct track *t)
{
	static const char *const failures[] = { "model_error", "guard_stopped",
		"contract_failed", NULL };
	char *status = scan_text(scan_get(slice_of(t->end), "status"));
	bool failed = slice_in(slice_of(status), failures);
	bool halted = t->halted;

	free(status);
	t->ended = true;
	if (!failed)
		return;
	reset_failures(t);
	t->halted = halted;
	t->repairs = 0;
}

void
track_init(struct track *t, const char *verify_command)
{
	*t = (struct track){ .answer = xstrdup(""), .finish = xstrdup(""),
		.limit = -1, .last_recovery = -1, .recovery = SCENARIOS,
		.tools_due = true,
		.verify_command = verify_command != NULL &&
		verify_command[0] != '\0' ? xstrdup(verify_command) : NULL };
}

void
track_release(struct track *t)
{
	track_drop_calls(t);
	drop_error(t);
	new_turn(t);
	FREE(t->calls, t->answer, t->finish, t->mode, t->model, t->cwd,
	    t->halt_rule, t->halt_text, t->tools, t->task, t->undone,
	    t->verify_command, t->end);
	*t = (struct track){ 0 };
}

static void
verification(struct track *t, const struct rec *r)
{
	t->verified = rec_str_is(r, "status", "passed");
	/* one that was stopped has no verdict: it is run again */
	bool stopped = rec_get(r, "exit").p == NULL &&
	    slice_starts(rec_get(r, "output"), "\"interrupted");
	xset(&t->verification, stopped ? NULL : xmemdup0(r->line.p, r->line.n));
}

/* Count the last recorded recovery. */
static void
recovered(struct track *t)
{
	if (t->recovery == SCENARIOS)
		return;
	t->recovered[t->recovery]++;
	t->last_recovery = (int)t->recovery;
	if (t->recovery == BASH_FAILURE)
		track_no_failure(t);
	t->halted = false;
	drop_error(t);
	t->recovery = SCENARIOS;
}

/* A recovery that tells the model something counts once its message is there;
 * if that was cut off, it is done again. */
static void
recovery(struct track *t, const struct rec *r)
{
	for (int i = 0; i < SCENARIOS; i++)
		if (rec_str_is(r, "scenario", track_scenarios[i]))
			t->recovery = (enum scenario)i;
	bool told = t->recovery < CONTEXT_EXHAUSTION ||
	    (t->recovery == CONTEXT_EXHAUSTION && !t->unanswered);
	if (!told)
		recovered(t);
}

/* Note an undo, to tell the model with the person's next message. */
static void
undone(struct track *t, const struct rec *r)
{
	struct slice el;

	for (struct walk w = walk_elements(rec_get(r, "paths"));
	    walk_next(&w, NULL, &el); ) {
		char *path = scan_strdup(scan_get(el, "path"));

		if (path != NULL)
			xset(&t->undone, xasprintf("%s%s%s", t->undone !=
			    NULL ? t->undone : "", t->undone != NULL ? ", " :
			    "", path));
		free(path);
	}
}

/* Take a message of the loop or of a person. */
static void
user(struct track *t, const struct rec *r)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);
	struct slice rule;

	if (msg_is_person(r)) {
		t->has_person = true;
		if (slice_is(msg_meta(r, "steering"), "true")) {
			reset_failures(t);
		} else {
			new_turn(t);

			struct slice c = msg_meta(r, "contract");
			t->contract = scan_str_is(c, "hard") ? CONTRACT_HARD :
			    scan_str_is(c, "soft") ? CONTRACT_SOFT :
			    CONTRACT_NONE;
		}
		if (msg_by(r, "shell"))
			return;
		xset(&t->undone, NULL);
		t->unanswered = true;
		msg_text(rec_get(r, "content"), &b);
		xset(&t->task, xmemdup0(buf_view(&b).p, utf8_cut(
		    buf_view(&b).p, b.len, TASK_KEPT)));
		buf_release(&b);
		return;
	}
	if (msg_by(r, "verify")) {
		t->repairs++;
		xset(&t->verification, NULL);
		t->steps_before = t->steps;
		t->started_before = t->started;
	}
	for (struct walk w = walk_elements(msg_meta(r, "rules"));
	    walk_next(&w, NULL, &rule); )
		t->nudges += scan_str_is(rule, "contract");
}

void
usage_add(struct usage *u, const struct rec *r)
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
take_usage(struct track *t, const struct rec *r)
{
	t->requests++;
	t->context = scan_int_or(rec_get(r, "prompt_tokens"), 0) +
	    scan_int_or(rec_get(r, "completion_tokens"), 0);
	usage_add(&t->usage, r);
	usage_add(&t->total, r);
}

bool
track_is_mode(struct slice val)
{
	for (size_t i = 0; track_modes[i] != NULL; i++)
		if (scan_str_is(val, track_modes[i]))
			return true;
	return false;
}

/* An unknown mode changes nothing. */
static void
set_mode(struct track *t, struct slice to)
{
	if (track_is_mode(to)) {
		xset(&t->mode, scan_strdup(to));
		t->tools_due = true;
	}
}

/* A program of somebody's may leave members out. */
static void
set_text(char **p, const struct rec *r, const char *key, const char *none)
{
	xset(p, scan_text(rec_get(r, key)));
	if (**p == '\0')
		xset(p, xstrdup(none));
}

static void
note_error(struct track *t, const struct rec *r)
{
	struct slice part = rec_get(r, "partial");

	set_text(&t->error_code, r, "code", "unknown");
	set_text(&t->error_text, r, "message",
	    "an error that was not described");
	t->error_retryable = scan_true(rec_get(r, "retryable"));
	t->has_partial = part.p != NULL;
	t->retry_after = 0;
	rec_int(r, "retry_after", &t->retry_after);
	xset(&t->partial, scan_strdup(scan_get(part, "content")));
	if (t->partial != NULL && !track_is_blank(t->partial) &&
	    scan_get(part, "tool_calls").p == NULL &&
	    strcmp(t->error_code, "interrupted") == 0)
		xset(&t->answer, xstrdup(t->partial));
}

static void
assistant(struct track *t, const struct rec *r)
{
	struct buf text = BUF_INIT(BUF_RECORD_MAX);
	struct call c;

	t->unanswered = false;
	track_drop_calls(t);
	for (struct walk w = walk_of(rec_get(r, "tool_calls"));
	    msg_next_call(&w, &c); ) {
		GROW(t->calls, t->ncalls, t->capcalls);
		t->calls[t->ncalls++] = (struct open_call){ scan_text(c.id),
			scan_text(c.name), false, false };
	}
	msg_text(rec_get(r, "content"), &text);
	xset(&t->answer, buf_detach(&text));
	xset(&t->finish, scan_text(rec_get(r, "finish_reason")));
	t->had_calls = t->ncalls > 0 || msg_meta(r, "dropped_calls").p != NULL;
	t->repeats = msg_meta(r, "repeats").p != NULL;
	t->cut_in_a_row = strcmp(t->finish, "length") == 0 ?
	    t->cut_in_a_row + 1 : 0;
	t->steps++;
	t->spent = t->spent == SPENT_TOLD ? SPENT_ANSWERED : SPENT_NOT;
}

static void
result(struct track *t, const struct rec *r)
{
	static const char *const limits[] = { "memory", "processes",
		"memory and processes" };
	struct slice mutated = msg_meta(r, "mutated"), el;

	note_call(t, rec_get(r, "tool_call_id"), false);
	t->files_unknown |= scan_kind(mutated) == SCAN_NULL;
	if (scan_kind(mutated) == SCAN_ARRAY && mutated.n > 2) {
		/* a change invalidates the verification, and is
		 * progress */
		t->verified = false;
		xset(&t->verification, NULL);
		if (t->last_recovery >= 0)
			t->recovered[t->last_recovery]--;
		t->last_recovery = -1;
		for (struct walk w = walk_of(mutated);
		    walk_next(&w, NULL, &el); )
			track_add_path(&t->files, scan_get(el, "path"));
	}
	if (consent(t, r))
		command(t, r);
	track_sandbox(t, msg_meta(r, "sandbox"));
	for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
		if (scan_str_is(msg_meta(r, "unlimited"), limits[i]))
			t->unlimited = t->unlimited == NULL || i == 2 ||
			    t->unlimited == limits[i] ? limits[i] : limits[2];
}

void
track_record(struct track *t, const struct rec *r, off_t at)
{
	bool guards = r->kind == R_VERDICT || r->kind == R_CONSTRAIN ?
	    rec_str_is(r, "stage", "hamr-guard") :
	    r->kind == R_USER && msg_by(r, "guard");
	struct slice model;

	if (guards) {
		t->guard_after++;
	} else if (r->kind == R_ASSISTANT || r->kind == R_TOOL ||
	    r->kind == R_USER) {
		t->decision = at;
		t->guard_after = 0;
	}
	if (rec_is_message(r->kind)) {
		recovered(t);
		t->last = r->kind;
		/* a command that the person ran is no task */
		t->ended &= msg_by(r, "shell");
		drop_error(t);
	}
	switch (r->kind) {
	case R_USER: user(t, r); break;
	case R_ASSISTANT: assistant(t, r); break;
	case R_TOOL: result(t, r); break;
	case R_HAMR:
		set_mode(t, rec_get(r, "mode"));
		xset(&t->model, rec_strdup(r, "model"));
		xset(&t->cwd, rec_strdup(r, "cwd"));
		break;
	case R_CONFIG:
		set_mode(t, scan_get(rec_get(r, "set"), "agent.mode"));
		model = scan_get(rec_get(r, "set"), "provider.model");
		if (scan_kind(model) == SCAN_STRING)
			xset(&t->model, scan_strdup(model));
		break;
	case R_TOOLS:
		xset(&t->tools, xmemdup0(r->line.p, r->line.n));
		t->tools_due = false;
		break;
	case R_START:
		note_call(t, rec_get(r, "tool_call_id"), true);
		t->started++;
		break;
	case R_USAGE: take_usage(t, r); break;
	case R_LIMIT: rec_int(r, "context_tokens", &t->limit); break;
	case R_VERDICT:
		if (!rec_str_is(r, "action", "halt"))
			break;
		t->halted = true;
		xset(&t->halt_rule, scan_text(rec_get(r, "rule")));
		set_text(&t->halt_text, r, "message", t->halt_rule);
		break;
	case R_CONSTRAIN:
		if (rec_str_is(r, "stage", "hamr-loop"))
			t->spent = SPENT_TOLD;
		break;
	case R_ANSWER:
		t->refused |= slice_is(rec_get(r, "allow"), "false");
		break;
	case R_RECOVERY: recovery(t, r); break;
	case R_UNDO: undone(t, r); break;
	case R_VERIFICATION:
		verification(t, r);
		track_sandbox(t, rec_get(r, "sandbox"));
		break;
	case R_ERROR: note_error(t, r); break;
	case R_END:
		xset(&t->end, xmemdup0(r->line.p, r->line.n));
		t->end_at = at + (off_t)r->line.n + 1;
		ended(t);
		break;
	default: break;
	}
}

void
track_add_path(struct texts *paths, struct slice val)
{
	char *path = scan_strdup(val);

	for (size_t i = 0; path != NULL && i < paths->n; i++)
		if (strcmp(paths->v[i], path) == 0)
			xset(&path, NULL);
	if (path != NULL)
		texts_add(paths, path);
}

bool
track_is_blank(const char *text)
{
	return text[strspn(text, " \t\r\n")] == '\0';
}

bool
track_awaits(const struct track *t, struct slice id)
{
	for (size_t i = t->first_open; i < t->ncalls; i++)
		if (!t->calls[i].done && scan_str_is(id, t->calls[i].id))
			return true;
	return false;
}

bool
track_has_open(const struct track *t)
{
	return t->first_open < t->ncalls;
}
