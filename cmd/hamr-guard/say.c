/* say.c - the records hamr-guard writes, with their keys in one order. */
#include <string.h>

#include "words.h"
#include "say.h"

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

const char *
phase_name(enum phase p)
{
	return phases[p];
}

void
say_verdict(struct stage *s, const struct verdict *v)
{
	struct json *o = json_object(), *ids = json_array();

	json_str(o, "type", "verdict");
	json_str(o, "stage", "hamr-guard");
	if (v->call_id != NULL)
		json_raw(o, "tool_call_id", slice_of(v->call_id));
	if (v->name != NULL)
		json_raw(o, "name", slice_of(v->name));
	json_str(o, "action", actions[v->action]);
	json_str(o, "phase", phases[v->phase]);
	json_str(o, "rule", rules[v->rule]);
	json_int(o, "count", (long long)v->count);
	json_str(o, "signature", v->signature);
	for (size_t i = 0; i < v->nevidence; i++)
		json_raw(ids, NULL, slice_of(v->evidence[i]));
	json_add(o, "evidence", ids);
	if (v->twin != NULL)
		json_raw(o, "twin", slice_of(v->twin));
	if (v->level != 0 || v->leveled)
		json_int(o, "level", (long long)v->level);
	if (v->message != NULL)
		json_str(o, "message", v->message);
	stage_put_json(s, R_VERDICT, o);
}

void
say_constrain(struct stage *s, enum rule rule, unsigned long steps)
{
	struct json *o = json_object();

	json_str(o, "type", "constrain");
	json_str(o, "stage", "hamr-guard");
	json_str(o, "tool_choice", "none");
	json_str(o, "rule", rules[rule]);
	json_int(o, "steps", (long long)steps);
	stage_put_json(s, R_CONSTRAIN, o);
}

void
nudge_add(struct nudge *g, enum rule rule, const char *message)
{
	g->by[rule] = true;
	if (g->text.len > 0 && strstr(g->text.p, message) != NULL)
		return;
	if (g->n++ >= SENTENCES_MAX)
		return;
	g->text.max = BUF_RECORD_MAX;
	buf_adds(&g->text, g->text.len == 0 ? NUDGE_MARK : "\n");
	buf_adds(&g->text, message);
}

void
nudge_say(struct nudge *g, struct stage *s)
{
	struct json *o, *meta, *by;
	struct facts more = { .count = g->n - SENTENCES_MAX };

	if (g->n == 0)
		return;
	if (g->n > SENTENCES_MAX) {
		buf_adds(&g->text, "\n");
		words_say(W_MORE, &more, &g->text);
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
