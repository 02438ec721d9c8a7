/* savings.c - what one judge said, and what it would have saved. */
#include "savings.h"

bool
verdict_is_note(const struct verdict *v)
{
	return v->action == ACT_WARN && v->leveled && v->level == 0;
}

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
savings_fired(struct savings *t, const struct verdict *v)
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
	if (verdict_is_note(v)) {
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
	switch (v->action) {
	case ACT_SHARE: t->shares++; break;
	case ACT_BLOCK: t->blocks++; break;
	case ACT_HALT: t->halts++; t->ending = true; break;
	default: t->warns++;
	}
	return true;
}

void
savings_constrained(struct savings *t)
{
	if (t->ended)
		return;
	t->texts++;
	t->text_only = true;
}

void
savings_reset(struct savings *t)
{
	t->ended = t->ending = t->text_only = false;
}
