/* ledger.c - what a transcript cost: turns, steps, calls, tokens. */
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "token.h"
#include "view.h"
#include "ledger.h"

#define POOL_MAX 1024
#define ENVELOPE (4 * 64)	/* of a message: role and marks */
#define ARGS_MAX 400		/* bytes of arguments that are shown */

/* The member that tells most about a call. */
static const char *const telling[] = { "command", "cmd", "path", "file_path",
	"filePath", "file", "query", "pattern", "url", "prompt", NULL };

static char *
json_text(struct slice v)
{
	return v.p != NULL ? xmemdup0(v.p, v.n) : xstrdup("\"\"");
}

static uint64_t
sum_of(struct slice v)
{
	return view_content_sum(TOK_MODERN, v);
}

/* What the call is about: the member that tells most, and how many others
 * there are; else all of the arguments. */
static char *
about(struct ledger *l, struct slice given)
{
	struct slice text, val = { NULL, 0 };
	struct buf out = BUF_INIT(BUF_RECORD_MAX);

	l->text.max = BUF_RECORD_MAX;
	buf_reset(&l->text);
	if (!scan_str(given, &l->text) && given.p != NULL)
		buf_slice(&l->text, given);
	buf_adds(&l->text, "");
	text = buf_view(&l->text);
	if (scan_value(&l->scan, text.p, text.n) == 0)
		for (size_t i = 0; telling[i] != NULL && val.p == NULL; i++)
			val = scan_get(text, telling[i]);
	if (scan_kind(val) != SCAN_STRING || !scan_str(val, &out))
		buf_add(&out, text.p, text.n < ARGS_MAX ? text.n : ARGS_MAX);
	buf_adds(&out, "");
	return buf_detach(&out);
}

static uint64_t
take_call(struct ledger *l, const struct call *c, size_t line)
{
	struct entry *e;

	l->entry = xgrow(l->entry, l->n, &l->cap, sizeof *l->entry);
	e = &l->entry[l->n];
	*e = (struct entry){ .id = json_text(c->id), .line = line,
		.name = json_text(c->name), .args = about(l, c->given),
		.number = ++l->here.calls };
	l->all.calls++;
	pairing_call(&l->pairing, c->id, l->n++);
	return sum_of(c->name) + sum_of(c->given);
}

static void
entry_free(struct entry *e)
{
	free(e->id);
	free(e->name);
	free(e->args);
}

static void
step_close(struct ledger *l)
{
	for (size_t i = l->first; i < l->n; i++) {
		free(l->entry[i].args);
		l->entry[i].args = NULL;
	}
	l->first = l->n;
	if (l->pairing.open > 0 && l->n < POOL_MAX)
		return;
	for (size_t i = 0; i < l->n; i++)
		entry_free(&l->entry[i]);
	l->n = l->first = 0;
	pairing_reset(&l->pairing);
}

static void
assistant(struct ledger *l, const struct rec *r)
{
	uint64_t answer = sum_of(rec_get(r, "content")) +
	    sum_of(rec_get(r, "reasoning")) + ENVELOPE;
	struct call c;
	struct walk w;

	walk_in(&w, rec_get(r, "tool_calls"));
	while (msg_next_call(&w, &c))
		answer += take_call(l, &c, r->no);
	l->step_cost = l->tools + l->context + answer;
	l->context += answer;
	l->here.steps++;
	l->all.steps++;
	l->here.tokens += l->step_cost;
	l->all.tokens += l->step_cost;
}

static void
result(struct ledger *l, const struct rec *r)
{
	size_t at = pairing_result(&l->pairing, rec_get(r, "tool_call_id"));

	l->result_cost = sum_of(rec_get(r, "content")) + ENVELOPE;
	l->result_of = at != (size_t)-1 ? &l->entry[at] : NULL;
	l->result_saved = at != (size_t)-1 ? l->entry[at].saved : 0;
	l->context += l->result_cost;
}

static void
compaction(struct ledger *l, const struct rec *r)
{
	int64_t after;

	if (rec_int(r, "tokens_after", &after) && after >= 0 &&
	    after < INT64_MAX / 64)
		l->context = (uint64_t)after * 64;
}

static uint64_t
tools_cost(const struct rec *r)
{
	unsigned prev = TOKEN_START;

	return token_sum(TOK_MODERN, r->line.p, r->line.n, &prev);
}

void
ledger_record(struct ledger *l, const struct rec *r)
{
	if (l->first_line == 0) {
		l->first_line = r->no;
		l->all.transcripts++;
	}
	l->last_line = r->no;
	if (rec_is_message(r->kind) && r->kind != R_TOOL)
		step_close(l);
	if (r->kind == R_USER && msg_is_person(r)) {
		l->here.turns++;
		l->all.turns++;
	}
	switch (r->kind) {
	case R_ASSISTANT: assistant(l, r); break;
	case R_TOOL: result(l, r); break;
	case R_USER:
	case R_SYSTEM:
		l->context += sum_of(rec_get(r, "content")) + ENVELOPE;
		break;
	case R_COMPACTION: compaction(l, r); break;
	case R_TOOLS: l->tools = tools_cost(r); break;
	default: break;
	}
}

struct entry *
ledger_step(struct ledger *l, size_t *n)
{
	*n = l->n - l->first;
	return l->entry + l->first;
}

struct entry *
ledger_find(struct ledger *l, size_t line, const char *id)
{
	for (size_t i = l->first; i < l->n; i++)
		if (l->entry[i].line == line &&
		    strcmp(l->entry[i].id, id) == 0)
			return &l->entry[i];
	return NULL;
}

void
ledger_reset(struct ledger *l)
{
	pairing_reset(&l->pairing);
	step_close(l);
	l->here = (struct amounts){ .turns = 0 };
	l->first_line = l->last_line = 0;
	l->context = l->tools = l->step_cost = 0;
}

void
ledger_release(struct ledger *l)
{
	ledger_reset(l);
	free(l->entry);
	scan_release(&l->scan);
	buf_release(&l->text);
}
