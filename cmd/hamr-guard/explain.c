/* explain.c - --explain CALL: everything that was thought about one call.
 *
 * CALL is its id, or the number of the line where its message or its result
 * stands (that of an answer, too).  An id that several calls have is explained
 * for each.
 */
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "num.h"
#include "people.h"
#include "reason.h"
#include "term.h"

#define NAMES_MAX 8		/* calls named when the wanted one is missing */

/* A call that was asked for, of the step in hand. */
struct target {
	char *id;
	size_t line;
	bool wanted;		/* else a line may yet come that makes it so */
	struct buf head, call, result, counters;
};

/* Some calls by name. */
struct names {
	struct buf ids;
	size_t n;
	char *last;		/* JSON text */
};

struct explain {
	struct umpire umpire;
	struct watch watch;
	struct reason reason;
	uint64_t line;		/* CALL as a number; 0: it is none */
	struct target *t;
	size_t n, cap;
	unsigned long found;
	struct names first, said;	/* for the words when none was found */
};

/* ---- firings ---- */

static struct target *
find(struct explain *x, size_t line, const char *id)
{
	for (size_t i = 0; i < x->n; i++)
		if (x->t[i].line == line && strcmp(x->t[i].id, id) == 0)
			return &x->t[i];
	return NULL;
}

/* One more name, for the words when the call is not found. */
static void
name_call(struct names *s, const char *json)
{
	char *id;

	if (s->last != NULL && strcmp(s->last, json) == 0)
		return;
	free(s->last);
	s->last = xstrdup(json);
	if (++s->n > NAMES_MAX)
		return;
	id = scan_strdup(slice_of(json));
	s->ids.max = BUF_RECORD_MAX;
	buf_adds(&s->ids, s->n > 1 ? ", " : "");
	term_put(&s->ids, slice_of(id != NULL ? id : ""), 40);
	free(id);
}

static void
names_release(struct names *s)
{
	buf_release(&s->ids);
	free(s->last);
}

static void
fired(void *self, const struct firing *f)
{
	struct people *p = self;
	struct explain *x = p->self;
	struct target *t;
	struct buf *b;

	if (f->v->action != ACT_ALLOW && f->v->call_id != NULL)
		name_call(&x->said, f->v->call_id);
	t = f->v->call_id != NULL ? find(x, f->call_line, f->v->call_id) :
	    find(x, f->line, "");
	if (t == NULL)
		return;
	b = f->v->phase == PHASE_RESULT ? &t->result : &t->call;
	reason_put(&x->reason, b, f);
}

static void
counted(void *self, enum rule rule, unsigned long value, size_t line)
{
	struct people *p = self;
	struct explain *x = p->self;

	(void)line;
	for (size_t i = 0; i < x->n; i++) {
		struct buf *b = &x->t[i].counters;

		if (b->len == 0)
			buf_adds(b, "  ");
		buf_fmt(b, b->len > 2 ? ", %s %lu" : "%s %lu",
		    rule_name(rule), value);
	}
}

/* ---- targets ---- */

static void
put_head(const struct people *p, struct target *t, const struct entry *e)
{
	const struct explain *x = p->self;
	const struct ledger *l = &p->ledger;
	struct buf *b = &t->head, title = BUF_INIT(BUF_RECORD_MAX);
	char *id = scan_strdup(slice_of(e->id)), *tool = people_tool(e);

	term_put(&title, slice_of(id != NULL ? id : ""), REASON_COLUMNS);
	sheet_paint(&p->sheet, b, PAINT_BOLD, buf_view(&title));
	buf_fmt(b, "  %s:%zu, turn %llu, step %llu, call %llu\n",
	    p->name, e->line, (unsigned long long)l->here.turns,
	    (unsigned long long)l->here.steps, (unsigned long long)e->number);
	reason_label(&x->reason, b, "call");
	term_put(b, slice_of(tool), 40);
	buf_adds(b, "  ");
	term_put(b, slice_of(e->args), REASON_COLUMNS);
	buf_addc(b, '\n');
	buf_release(&title);
	free(id);
	free(tool);
}

static bool
is_wanted(const struct people *p, const struct explain *x,
    const struct entry *e)
{
	return scan_str_is(slice_of(e->id), p->call) ||
	    (x->line != 0 && e->line == x->line);
}

static struct target *
target_new(struct explain *x, const char *id, size_t line)
{
	struct target *t;

	x->t = xgrow(x->t, x->n, &x->cap, sizeof *x->t);
	t = &x->t[x->n++];
	*t = (struct target){ .id = xstrdup(id), .line = line };
	t->head.max = t->call.max = t->result.max = t->counters.max =
	    BUF_RECORD_MAX;
	return t;
}

/* An answer, which has no calls: by its line. */
static void
take_answer(struct people *p, const struct rec *r)
{
	struct explain *x = p->self;
	struct buf text = BUF_INIT(BUF_RECORD_MAX);
	struct target *t;

	if (x->line == 0 || r->no != x->line ||
	    msg_count_calls(rec_get(r, "tool_calls")) > 0)
		return;
	t = target_new(x, "", r->no);
	t->wanted = true;
	msg_text(rec_get(r, "content"), &text);
	buf_adds(&text, "");
	sheet_paint(&p->sheet, &t->head, PAINT_BOLD, SLICE("an answer"));
	buf_fmt(&t->head, "  %s:%zu, turn %llu, step %llu\n", p->name, r->no,
	    (unsigned long long)p->ledger.here.turns,
	    (unsigned long long)p->ledger.here.steps);
	reason_label(&x->reason, &t->head, "text");
	term_put(&t->head, buf_view(&text), REASON_COLUMNS);
	buf_addc(&t->head, '\n');
	buf_release(&text);
}

static void
take_targets(struct people *p)
{
	struct explain *x = p->self;
	struct target *t;
	bool wanted;
	size_t n;
	struct entry *e = ledger_step(&p->ledger, &n);

	for (; n-- > 0; e++) {
		name_call(&x->first, e->id);
		wanted = is_wanted(p, x, e);
		if (!wanted && x->line == 0)
			continue;
		t = target_new(x, e->id, e->line);
		t->wanted = wanted;
		put_head(p, t, e);
	}
}

static void
take_result(struct people *p, const struct rec *r)
{
	const struct entry *e = p->ledger.result_of;
	struct explain *x = p->self;
	struct target *t = e != NULL ? find(x, e->line, e->id) : NULL;
	struct buf text = BUF_INIT(BUF_RECORD_MAX);

	if (t == NULL)
		return;
	t->wanted |= r->no == x->line;
	msg_text(rec_get(r, "content"), &text);
	reason_label(&x->reason, &t->head, "result");
	buf_fmt(&t->head, "line %zu, ", r->no);
	count_put(&t->head, text.len, "byte");
	if (scan_true(rec_get(r, "is_error")))
		buf_adds(&t->head, ", failed");
	buf_addc(&t->head, '\n');
	buf_release(&text);
}

static void
show_part(const struct people *p, const char *title, const struct buf *b,
    const char *nothing)
{
	sheet_line(&p->sheet, PAINT_CYAN, "%s", title);
	if (b->len > 0)
		sheet_lines(&p->sheet, b);
	else
		sheet_line(&p->sheet, PAINT_NONE, "  %s", nothing);
}

static void
show_one(struct people *p, const struct target *t)
{
	bool answer = *t->id == '\0';

	if (p->begun)
		sheet_line(&p->sheet, PAINT_NONE, "%s", "");
	p->begun = true;
	sheet_lines(&p->sheet, &t->head);
	show_part(p, answer ? "as an answer" : "before the call", &t->call,
	    "no verdict");
	if (!answer)
		show_part(p, "after the step", &t->result,
		    "no verdict");
	if (t->counters.len > 0)
		show_part(p, "counters of the step", &t->counters, "");
}

/* The step is over: what was asked of it is printed. */
static void
show(struct people *p)
{
	struct explain *x = p->self;

	for (size_t i = 0; i < x->n; i++) {
		struct target *t = &x->t[i];

		if (t->wanted) {
			x->found++;
			show_one(p, t);
		}
		free(t->id);
		buf_release(&t->head);
		buf_release(&t->call);
		buf_release(&t->result);
		buf_release(&t->counters);
	}
	x->n = 0;
}

static void
begin(struct people *p)
{
	struct explain *x = p->self = xcalloc(1, sizeof *x);
	struct bench bench = p->bench;

	bench.allow = true;	/* a word on every call */
	x->watch = (struct watch){ .self = p, .fired = fired,
		.counted = counted };
	if (!num_u64(p->call, strlen(p->call), &x->line))
		x->line = 0;
	x->reason = (struct reason){ &p->sheet, &x->umpire };
	umpire_init(&x->umpire, p->profile, &bench, &x->watch);
}

static void
record(struct people *p, const struct rec *r)
{
	if (p->self == NULL)
		begin(p);
	if (rec_is_message(r->kind) && r->kind != R_TOOL)
		show(p);
	if (r->kind == R_ASSISTANT) {
		take_targets(p);
		take_answer(p, r);
	}
	if (r->kind == R_TOOL)
		take_result(p, r);
	umpire_record(&((struct explain *)p->self)->umpire, r);
}

static void
over(struct people *p)
{
	show(p);
	umpire_reset(&((struct explain *)p->self)->umpire);
}

static void
not_found(struct people *p, const struct explain *x)
{
	const struct names *s;

	stage_status(p->stage, ST_NO);
	if (x == NULL || x->first.n == 0) {
		err_say("--explain %s: the transcript has no calls", p->call);
		return;
	}
	s = x->said.n > 0 ? &x->said : &x->first;
	err_say("--explain %s: no such call among %llu; %s %s%s; give an id, or "
	    "the line of a call's message or result", p->call,
	    (unsigned long long)p->ledger.all.calls, s == &x->said ?
	    "there are verdicts on" : "there are", s->ids.p,
	    s->n > NAMES_MAX ? " and others" : "");
}

static void
end(struct people *p)
{
	struct explain *x = p->self;

	if ((x == NULL || x->found == 0) && !p->stage->failed)
		not_found(p, x);
	if (x == NULL)
		return;
	umpire_release(&x->umpire);
	free(x->t);
	names_release(&x->first);
	names_release(&x->said);
	free(x);
	p->self = NULL;
}

const struct view_ops view_explain = { .record = record, .over = over,
	.end = end };
