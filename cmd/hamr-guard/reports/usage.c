/* usage.c - what a transcript cost, and what a judge would have saved. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tokens/token.h"
#include "usage.h"
#include "view/view.h"

#define POOL_MAX 1024
#define ENVELOPE (4 * 64)	/* of a message: role and marks */
#define ARGS_MAX 400		/* bytes of arguments that are shown */

/* The member that tells most about a call: a path, by these keys of agents'
 * tools (their letters alone), best first; else one of `telling`.  bash has no
 * path; the "command" of other tools may be the kind of an edit. */
static const char *const paths[] = { "path", "filepath", "file", "files",
	"paths", "filename", "absolutepath", "relativepath", "targetfile",
	"notebookpath", "relativeworkspacepath", "dirpath", "uri" };
static const char *const telling[] = { "command", "cmd", "query", "pattern",
	"url", "prompt", NULL };

static uint64_t
sum_of(struct slice v)
{
	return view_content_sum(TOK_MODERN, v);
}

/* The path in a member's value: itself, or in the first of several. */
static struct slice
path_in(struct slice val)
{
	struct walk w = walk_elements(val);

	walk_next(&w, NULL, &val);
	if (scan_kind(val) == SCAN_OBJECT)
		val = scan_get(val, "path");
	return val;
}

/* What the call is about: the member that tells most, else all of the
 * arguments. */
static char *
about(struct usage *u, struct slice name, struct slice given)
{
	struct slice text, key, one, val = { NULL, 0 };
	size_t best = sizeof paths / sizeof *paths;
	struct buf out = BUF_INIT(BUF_RECORD_MAX);
	const char *file = NULL;

	u->text.max = BUF_RECORD_MAX;
	buf_reset(&u->text);
	if (!scan_str(given, &u->text) && given.p != NULL)
		buf_slice(&u->text, given);
	text = buf_view(&u->text);
	bool json = scan_value(&u->scan, text.p, text.n) == 0 &&
	    scan_kind(text) == SCAN_OBJECT;
	bool shell = scan_str_is(name, "bash");
	for (struct walk w = walk_of(text); json && !shell &&
	    walk_next(&w, &key, &one); ) {
		char letters[24];
		size_t n = 0;

		for (size_t i = 0; i < key.n; i++)
			if (isalpha((unsigned char)key.p[i]) &&
			    n < sizeof letters - 1)
				letters[n++] = (char)tolower(
				    (unsigned char)key.p[i]);
		letters[n] = '\0';
		for (size_t i = 0; i < best; i++)
			if (strcmp(paths[i], letters) == 0 &&
			    scan_kind(path_in(one)) == SCAN_STRING) {
				best = i;
				val = path_in(one);
			}
	}
	for (size_t i = 0; json && telling[i] != NULL && val.p == NULL; i++)
		val = scan_get(text, telling[i]);
	/* the first file that a patch names: "*** Update File: a.c" */
	if (slice_has(text, "*** Begin Patch"))
		file = memmem(text.p, text.n, " File: ", 7);
	if (scan_kind(val) == SCAN_STRING)
		scan_str(val, &out);
	else if (file != NULL)
		buf_add(&out, file + 7, strcspn(file + 7, "\n\"\\"));
	else
		buf_add(&out, text.p, text.n < ARGS_MAX ? text.n : ARGS_MAX);
	return buf_detach(&out);
}

static void
assistant(struct usage *u, const struct rec *r)
{
	uint64_t answer = sum_of(rec_get(r, "content")) +
	    sum_of(rec_get(r, "reasoning")) + ENVELOPE;
	struct call c;

	for (struct walk w = walk_of(rec_get(r, "tool_calls"));
	    msg_next_call(&w, &c); ) {
		struct slice id = c.id.p != NULL ? c.id : SLICE("\"\"");
		struct slice name = c.name.p != NULL ? c.name :
		    SLICE("\"\"");

		GROW(u->call, u->n, u->cap);
		u->call[u->n] = (struct usage_call){ .line = r->no,
			.id = xmemdup0(id.p, id.n),
			.name = xmemdup0(name.p, name.n),
			.args = about(u, name, c.given),
			.number = ++u->here.calls };
		pairing_call(&u->pairing, c.id, u->n++);
		answer += sum_of(c.name) + sum_of(c.given);
	}
	u->step_cost = u->tools + u->context + answer;
	u->context += answer;
	u->here.steps++;
	u->here.tokens += u->step_cost;
}

static void
calls_forget(struct usage *u)
{
	for (size_t i = 0; i < u->n; i++)
		FREE(u->call[i].id, u->call[i].name, u->call[i].args);
	u->n = u->first = 0;
	pairing_reset(&u->pairing);
}

void
usage_record(struct usage *u, const struct rec *r)
{
	unsigned start = TOKEN_START;
	int64_t after;
	size_t at;

	if (u->first_line == 0) {
		u->first_line = r->no;
		u->transcripts++;
	}
	u->last_line = r->no;
	if (rec_is_message(r->kind) && r->kind != R_TOOL) {
		if (u->pairing.open == 0 || u->n >= POOL_MAX)
			calls_forget(u);
		u->first = u->n;
	}
	switch (r->kind) {
	case R_ASSISTANT:
		assistant(u, r);
		break;
	case R_TOOL:
		at = pairing_result(&u->pairing, rec_get(r, "tool_call_id"));
		u->result_of = at != (size_t)-1 ? &u->call[at] : NULL;
		u->result_cost = sum_of(rec_get(r, "content")) + ENVELOPE;
		u->context += u->result_cost;
		break;
	case R_USER:
	case R_SYSTEM:
		u->here.turns += r->kind == R_USER && msg_is_person(r);
		u->context += sum_of(rec_get(r, "content")) + ENVELOPE;
		break;
	case R_COMPACTION:
		if (rec_int(r, "tokens_after", &after) && after >= 0 &&
		    after < INT64_MAX / 64)
			u->context = (uint64_t)after * 64;
		break;
	case R_TOOLS:
		u->tools = token_sum(TOK_MODERN, r->line.p, r->line.n, &start);
		break;
	default:
		break;
	}
}

struct usage_call *
usage_find(struct usage *u, size_t line, const char *id)
{
	for (size_t i = u->first; i < u->n; i++)
		if (u->call[i].line == line && strcmp(u->call[i].id, id) == 0)
			return &u->call[i];
	return NULL;
}

void
usage_reset(struct usage *u)
{
	calls_forget(u);
	u->all.turns += u->here.turns;
	u->all.steps += u->here.steps;
	u->all.calls += u->here.calls;
	u->all.tokens += u->here.tokens;
	u->here = (struct amounts){ .turns = 0 };
	u->first_line = u->last_line = 0;
	u->context = u->tools = u->step_cost = 0;
}

void
usage_release(struct usage *u)
{
	usage_reset(u);
	free(u->call);
	scan_release(&u->scan);
	buf_release(&u->text);
}

/* ---- what a judge would have saved ---- */

static void
save_call(struct savings *t, struct usage_call *c)
{
	if (c == NULL || (c->saved & t->bit))
		return;
	c->saved |= t->bit;
	t->calls++;
}

void
savings_record(struct savings *t, const struct rec *r)
{
	struct usage *u = t->usage;

	if (r->kind == R_ASSISTANT) {
		t->ended |= t->ending;
		t->ending = false;
		if (t->ended) {
			t->requests++;
			t->calls += u->n - u->first;
			t->tokens += u->step_cost;
		} else if (t->text_only) {
			for (size_t i = u->first; i < u->n; i++)
				save_call(t, &u->call[i]);
		}
		t->text_only = false;
	} else if (r->kind == R_TOOL && !t->ended && u->result_of != NULL &&
	    (u->result_of->saved & t->bit)) {
		t->tokens += u->result_cost;
	} else if (r->kind == R_RECOVERY ||
	    (r->kind == R_USER && msg_is_person(r))) {
		savings_reset(t);
	}
}

bool
savings_verdict(struct savings *t, const struct verdict *v)
{
	struct usage_call *c = NULL;

	if (v->action == ACT_ALLOW)
		return true;
	if (t->ended)
		return false;
	if (v->call_id != NULL)
		c = usage_find(t->usage, v->call_line, v->call_id);
	if (v->action != ACT_WARN)
		save_call(t, c);
	if (v->action == ACT_HALT && t->ending)
		return false;
	if (v->note) {
		t->notes++;
		return true;
	}
	t->rules[v->rule]++;
	if (v->action != ACT_SHARE && t->first.line == 0) {
		t->first.line = v->call_line != 0 ? v->call_line : v->line;
		t->first.call = c != NULL ? c->number : 0;
		t->first.action = v->action;
		t->first.rule = v->rule;
	}
	t->said[v->action]++;
	t->ending |= v->action == ACT_HALT;
	return true;
}

void
savings_reset(struct savings *t)
{
	t->ended = t->ending = t->text_only = false;
}
