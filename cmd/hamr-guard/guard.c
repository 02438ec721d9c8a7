/* guard.c - the state of one transcript, and what each record does to it. */
#include <stdlib.h>
#include <string.h>

#include "guard.h"

#define POOL_MAX 1024		/* calls without results that are remembered
				 * beyond their step */

/* ---- steps ---- */

static void
pool_empty(struct guard *g)
{
	for (size_t i = 0; i < g->ncall; i++) {
		free(g->call[i].id);
		free(g->call[i].name);
	}
	g->ncall = 0;
	pairing_reset(&g->pairing);
}

/* A message that is no result: the step in hand gets no more verdicts. */
static void
step_close(struct guard *g)
{
	g->step = (struct step){ .first = g->ncall };
	if (g->pairing.open > 0 && g->ncall < POOL_MAX)
		return;
	pool_empty(g);
	g->step.first = 0;
}

/* ---- records ---- */

/* Is this an array with anything in it? */
static bool
has_elements(struct slice v)
{
	size_t i = 1;

	if (scan_kind(v) != SCAN_ARRAY)
		return false;
	while (strchr(" \t\r", v.p[i]) != NULL)
		i++;
	return v.p[i] != ']';
}

bool
guard_is_own(const struct rec *r)
{
	if (rec_is_message(r->kind))
		return msg_by(r, "guard");
	return (r->kind == R_VERDICT || r->kind == R_CONSTRAIN) &&
	    rec_str_is(r, "stage", "hamr-guard");
}

static void
compacted(struct guard *g)
{
	hset_clear(&g->lines);
	shown_clear(&g->shown);
	g->window++;
	g->answers.compacted = true;
}

static void
assistant(struct guard *g, const struct rec *r)
{
	struct slice calls = rec_get(r, "tool_calls");

	if (has_elements(calls))
		guard_calls(g, calls);
	else
		guard_answer(g, r);
}

void
guard_record(struct guard *g, const struct rec *r)
{
	if (g->policy->off || guard_is_own(r))
		return;
	g->line = r->no;
	if (rec_is_message(r->kind) && r->kind != R_TOOL)
		step_close(g);
	switch (r->kind) {
	case R_ASSISTANT: assistant(g, r); break;
	case R_TOOL: guard_result(g, r); break;
	case R_USER:
		if (msg_is_person(r))
			turn_task(g, r);
		break;
	case R_COMPACTION: compacted(g); break;
	case R_RECOVERY: turn_recover(g); break;
	case R_VERIFICATION: g->answers.ran = true; break;
	case R_UNDO: turn_undo(g, r); break;
	case R_HAMR: root_set(&g->sign.root, rec_get(r, "cwd")); break;
	case R_CONFIG: turn_contract(g, r); break;
	case R_LIMIT: turn_limit(g, r); break;
	default: break;
	}
}

void
guard_init(struct guard *g, struct stage *s, const struct policy *p,
    const struct watch *w)
{
	*g = (struct guard){ .policy = p, .stage = s,
		.text = BUF_INIT(BUF_RECORD_MAX),
		.joined = BUF_INIT(BUF_RECORD_MAX),
		.scratch = { BUF_INIT(BUF_RECORD_MAX),
		BUF_INIT(BUF_RECORD_MAX) } };
	if (w != NULL)
		g->watch = *w;
	g->lines.max = LINES_MAX;
	cycle_init(&g->cycle, p->window);
	turn_contract(g, NULL);
	turn_limit(g, NULL);
	g->few_first = g->few_reads;
}

void
guard_reset(struct guard *g)
{
	turn_begin(g);
	g->turn = 0;
	g->answers.ran = g->answers.compacted = false;
	root_set(&g->sign.root, (struct slice){ NULL, 0 });
	memory_clear(&g->memory);
	turn_contract(g, NULL);
	g->few_reads = g->few_first;
	pool_empty(g);
	g->step = (struct step){ .first = 0 };
}

void
guard_release(struct guard *g)
{
	guard_reset(g);
	memory_release(&g->memory);
	seen_release(&g->seen);
	seen_release(&g->faults);
	seen_release(&g->same);
	hset_release(&g->answered);
	hset_release(&g->lines);
	hset_release(&g->errors);
	files_release(&g->files);
	cycle_release(&g->cycle);
	free(g->call);
	buf_release(&g->text);
	buf_release(&g->joined);
	buf_release(&g->scratch[0]);
	buf_release(&g->scratch[1]);
	sign_release(&g->sign);
}
