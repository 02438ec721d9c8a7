/* tally.c - what one judge said, and what it would have saved. */
#include "tally.h"

uint64_t
tally_tokens(uint64_t n)
{
	return (n + 32) / 64;
}

bool
tally_is_note(const struct verdict *v)
{
	return v->action == ACT_WARN && v->leveled && v->level == 0;
}

static void
save_call(struct tally *t, struct entry *e)
{
	if (e == NULL || (e->saved & t->bit))
		return;
	e->saved |= t->bit;
	t->calls++;
}

static void
step(struct tally *t)
{
	size_t n;
	struct entry *e = ledger_step(t->ledger, &n);

	t->ended |= t->ending;
	t->ending = false;
	if (t->ended) {
		t->requests++;
		t->calls += n;
		t->tokens += t->ledger->step_cost;
	} else if (t->text_only) {
		while (n-- > 0)
			save_call(t, e++);
	}
	t->text_only = false;
}

void
tally_record(struct tally *t, const struct rec *r)
{
	if (r->kind == R_ASSISTANT)
		step(t);
	else if (r->kind == R_TOOL && !t->ended &&
	    (t->ledger->result_saved & t->bit))
		t->tokens += t->ledger->result_cost;
	else if (r->kind == R_RECOVERY ||
	    (r->kind == R_USER && msg_is_person(r)))
		tally_reset(t);
}

static void
note_first(struct tally *t, const struct firing *f, const struct entry *e)
{
	if (t->first.line != 0)
		return;
	t->first = (struct first){ .line = f->call_line != 0 ? f->call_line :
		f->line, .transcript = t->ledger->all.transcripts,
		.call = e != NULL ? e->number : 0,
		.action = f->v->action, .rule = f->v->rule };
}

bool
tally_fired(struct tally *t, const struct firing *f)
{
	struct entry *e = NULL;

	if (f->v->action == ACT_ALLOW || f->v->action == ACT_NONE)
		return true;
	if (t->ended)
		return false;
	if (f->v->call_id != NULL)
		e = ledger_find(t->ledger, f->call_line, f->v->call_id);
	if (f->v->action != ACT_WARN)
		save_call(t, e);
	if (f->v->action == ACT_HALT && t->ending)
		return false;
	if (tally_is_note(f->v)) {
		t->notes++;
		return true;
	}
	t->rules[f->v->rule]++;
	if (f->v->action != ACT_SHARE)
		note_first(t, f, e);
	switch (f->v->action) {
	case ACT_SHARE: t->shares++; break;
	case ACT_BLOCK: t->blocks++; break;
	case ACT_HALT: t->halts++; t->ending = true; break;
	default: t->warns++;
	}
	return true;
}

void
tally_constrained(struct tally *t)
{
	if (t->ended)
		return;
	t->texts++;
	t->text_only = true;
}

void
tally_reset(struct tally *t)
{
	t->ended = t->ending = t->text_only = false;
}
