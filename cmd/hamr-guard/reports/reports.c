/* reports.c - reading for the reports, and what they share. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/num.h"
#include "reports.h"
#include "term/term.h"

static size_t
judges(const struct report *p)
{
	return p->ops->all ? PROFILES : 1;
}

/* ---- what judges say ---- */

static void
fired(void *self, const struct verdict *v)
{
	struct judge *j = self;
	struct report *p = j->report;
	bool counts = savings_verdict(&j->savings, v);

	if (j->file == NULL && j->savings.first.line != 0)
		j->file = p->name;
	if (p->ops->fired != NULL)
		p->ops->fired(p, v, !counts);
}

static void
counted(void *self, enum rule rule, unsigned long value, size_t line)
{
	struct report *p = ((struct judge *)self)->report;

	if (p->ops->counted != NULL)
		p->ops->counted(p, rule, value, line);
}

static void
constrained(void *self, enum rule rule, size_t line)
{
	struct judge *j = self;

	if (j->savings.ended)
		return;
	j->savings.texts++;
	j->savings.text_only = true;
	if (j->report->ops->constrained != NULL)
		j->report->ops->constrained(j->report, rule, line);
}

/* ---- transcripts ---- */

static void
record(struct stage *s, const struct rec *r)
{
	struct report *p = s->self;

	if (guard_is_own(r))
		return;
	if (!p->open)
		p->of_file = p->name == s->in.name ? p->of_file + 1 : 1;
	p->open = true;
	p->name = s->in.name;
	p->rec = r;
	usage_record(&p->usage, r);
	for (size_t i = 0; i < judges(p); i++)
		savings_record(&p->judge[i].savings, r);
	if (p->ops->record != NULL)
		p->ops->record(p, r);
	for (size_t i = 0; i < judges(p); i++)
		guard_record(&p->judge[i].profile.guard, r);
}

static void
over(struct stage *s)
{
	struct report *p = s->self;
	const struct import_left *left = stage_left_out(s);

	if (p->open && left != NULL)
		import_left_merge(&p->left, left);
	if (p->open && p->ops->over != NULL)
		p->ops->over(p);
	for (size_t i = 0; p->open && i < judges(p); i++) {
		guard_reset(&p->judge[i].profile.guard);
		savings_reset(&p->judge[i].savings);
	}
	p->open = false;
	usage_reset(&p->usage);
}

static void
end(struct stage *s)
{
	struct report *p = s->self;

	over(s);		/* a failure may have come in mid-file */
	if (p->usage.transcripts > 0 || p->ops == &report_explain)
		p->ops->end(p);
	else
		sheet_line(&p->sheet, PAINT_NONE, "%s", "no records");
}

int
report_run(struct report *p)
{
	static const struct stage_ops ops = { .name = "guard",
		.record = record, .reset = over, .end = end };
	struct stage *s = p->stage;
	struct term t = term_of(STDOUT_FILENO);

	term_init();
	s->ops = &ops;
	s->self = p;
	s->mode = STAGE_NEW;
	s->mute = true;
	p->sheet = (struct sheet){ .out = &s->out, .colour = t.colour,
		.columns = t.tty && t.columns > 0 ? t.columns : SIZE_MAX };
	p->self = xcalloc(1, p->ops->size);
	p->judge = xcalloc(judges(p), sizeof *p->judge);
	p->env.sink.allow |= p->ops->allow;
	p->env.sink.status &= !p->ops->all;	/* whose status would it be? */
	for (size_t i = 0; i < judges(p); i++) {
		struct judge *j = &p->judge[i];

		*j = (struct judge){ .report = p,
			.watch = { .self = j, .fired = fired,
			    .counted = counted, .constrained = constrained },
			.savings = { .usage = &p->usage, .bit = 1u << i } };
		p->env.sink.watch = &j->watch;
		profile_init(&j->profile, p->ops->all ? i : p->profile,
		    &p->env);
		j->profile.policy.counts_only = p->ops->counts_only;
	}
	if (p->call == NULL ||
	    !num_u64(p->call, strlen(p->call), &p->line))
		p->line = 0;
	int status = stage_run(s);
	for (size_t i = 0; i < judges(p); i++)
		profile_release(&p->judge[i].profile);
	FREE(p->judge, p->self);
	usage_release(&p->usage);
	import_left_reset(&p->left);
	return status;
}

uint64_t
tokens_of(uint64_t n)
{
	return (n + 32) / 64;
}

void
amounts_put(const struct amounts *a, struct buf *b)
{
	count_put(b, a->turns, "turn");
	count_put(b, a->steps, "step");
	count_put(b, a->calls, "call");
	buf_adds(b, ", about ");
	count_put(b, tokens_of(a->tokens), "token");
}

const enum paint action_paints[] = { [ACT_ALLOW] = PAINT_GREEN,
	[ACT_SHARE] = PAINT_CYAN, [ACT_WARN] = PAINT_YELLOW,
	[ACT_BLOCK] = PAINT_RED, [ACT_HALT] = PAINT_STOP };

const char *
report_action(const struct verdict *v, enum paint *p)
{
	*p = v->note ? PAINT_DIM : action_paints[v->action];
	return v->note ? "note" : action_names[v->action];
}
