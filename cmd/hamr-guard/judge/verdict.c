/* verdict.c - the records hamr-guard writes, with their keys in one order. */
#include <stdlib.h>
#include <string.h>

#include "advice.h"
#include "base/mem.h"
#include "verdict.h"

#define SENTENCES_MAX 3		/* in one nudge; the verdicts have them all */

static const char *const actions[] = { [ACT_ALLOW] = "allow",
	[ACT_SHARE] = "share", [ACT_WARN] = "warn", [ACT_BLOCK] = "block",
	[ACT_HALT] = "halt" };
static const char *const phases[] = { [PHASE_CALL] = "call",
	[PHASE_RESULT] = "result", [PHASE_TEXT] = "text" };
static const char *const rules[] = { [RULE_REPEAT] = "repeat",
	[RULE_REPEAT_WEAK] = "repeat-weak",
	[RULE_SAME_ANSWER] = "same-answer", [RULE_RETRY] = "retry",
	[RULE_SAME_ERROR] = "same-error", [RULE_CYCLE] = "cycle",
	[RULE_STALL] = "stall", [RULE_PLACEHOLDER] = "placeholder",
	[RULE_FUTILE_EDITS] = "futile-edits", [RULE_REVISIT] = "revisit",
	[RULE_SWEEP] = "sweep", [RULE_NO_MUTATION] = "no-mutation",
	[RULE_READS] = "reads", [RULE_CALLS] = "calls",
	[RULE_BATCH] = "batch", [RULE_PLAN_PROSE] = "plan-prose",
	[RULE_STATUS_ONLY] = "status-only", [RULE_PREMATURE] = "premature",
	[RULE_MONOLOGUE] = "monologue" };

const char *
rule_name(enum rule r)
{
	return rules[r];
}

const char *
action_name(enum action a)
{
	return actions[a];
}

bool
result_is_refusal(const struct rec *r)
{
	struct slice meta = rec_get(r, "meta"), said;

	if (scan_kind(meta) != SCAN_OBJECT)
		return false;
	said = scan_get(meta, "verdict");
	return scan_str_is(said, "block") || scan_str_is(said, "halt") ||
	    scan_str_is(said, "share") || scan_get(meta, "shared").p != NULL;
}

void
sink_put(const struct sink *o, const struct verdict *v)
{
	struct json *r = json_object(), *ids = json_array();

	json_str(r, "type", "verdict");
	json_str(r, "stage", "hamr-guard");
	if (v->call_id != NULL)
		json_raw(r, "tool_call_id", slice_of(v->call_id));
	if (v->name != NULL)
		json_raw(r, "name", slice_of(v->name));
	json_str(r, "action", actions[v->action]);
	json_str(r, "phase", phases[v->phase]);
	json_str(r, "rule", rules[v->rule]);
	json_int(r, "count", (long long)v->count);
	json_str(r, "signature", v->signature);
	for (size_t i = 0; i < v->nevidence; i++)
		json_raw(ids, NULL, slice_of(v->evidence[i].id));
	json_add(r, "evidence", ids);
	if (v->twin != NULL)
		json_raw(r, "twin", slice_of(v->twin));
	if (v->level != 0 || v->leveled)
		json_int(r, "level", (long long)v->level);
	if (v->message != NULL)
		json_str(r, "message", v->message);
	stage_put_json(o->stage, R_VERDICT, r);
	if (o->status && v->action >= ACT_BLOCK)
		stage_status(o->stage, ST_NO);
	if (o->watch != NULL && o->watch->fired != NULL)
		o->watch->fired(o->watch->self, v);
}

void
sink_constrain(const struct sink *o, enum rule rule, unsigned long steps,
    size_t line)
{
	struct json *r = json_object();

	json_str(r, "type", "constrain");
	json_str(r, "stage", "hamr-guard");
	json_str(r, "tool_choice", "none");
	json_str(r, "rule", rules[rule]);
	json_int(r, "steps", (long long)steps);
	stage_put_json(o->stage, R_CONSTRAIN, r);
	if (o->watch != NULL && o->watch->constrained != NULL)
		o->watch->constrained(o->watch->self, rule, line);
}

void
nudge_add(struct nudge *g, enum rule rule, const char *message)
{
	bool told = g->by[rule];

	/* two of one rule would be the same paragraph but for a name */
	g->by[rule] = true;
	g->n++;
	if (told || g->told >= SENTENCES_MAX)
		return;
	g->told++;
	g->text.max = BUF_RECORD_MAX;
	buf_adds(&g->text, g->text.len == 0 ? NUDGE_MARK : "\n");
	buf_adds(&g->text, message);
}

void
nudge_put(struct nudge *g, struct stage *s)
{
	struct json *o, *meta, *by;
	char *more;

	if (g->n == 0)
		return;
	if (g->n > g->told) {
		more = advice(g->n == g->told + 1 ? A_MORE_ONE : A_MORE,
		    &(struct facts){ .count = g->n - g->told });
		buf_fmt(&g->text, "\n%s", more);
		free(more);
	}
	o = json_object();
	json_str(o, "role", "user");
	json_slice(o, "content", buf_view(&g->text));
	meta = json_object();
	json_str(meta, "by", "guard");
	by = json_array();
	for (int r = 0; r < RULES; r++)
		if (g->by[r])
			json_str(by, NULL, rules[r]);
	json_add(meta, "rules", by);
	json_add(o, "meta", meta);
	stage_put_json(s, R_USER, o);
	buf_release(&g->text);
	*g = (struct nudge){ .n = 0 };
}

/* ---- rows of calls ---- */

struct call_ref *
call_row_add(struct call_row *r, size_t max, const char *id, size_t line)
{
	if (r->n > 0 && r->n >= max) {
		free(r->c[0].id);
		free(r->c[0].note);
		memmove(r->c, r->c + 1, --r->n * sizeof *r->c);
	}
	GROW(r->c, r->n, r->cap);
	r->c[r->n] = (struct call_ref){ .id = xstrdup(id), .line = line };
	return &r->c[r->n++];
}

void
call_row_empty(struct call_row *r)
{
	for (size_t i = 0; i < r->n; i++) {
		free(r->c[i].id);
		free(r->c[i].note);
	}
	r->n = 0;
}

void
call_row_clear(struct call_row *r)
{
	call_row_empty(r);
	free(r->c);
	*r = (struct call_row){ .n = 0 };
}
