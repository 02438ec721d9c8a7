/* results.c - the result phase: what came of a call. */
#include <stdlib.h>

#include "guard.h"
#include "mem.h"
#include "text_hash.h"

#define FUTILE_TEXT 3		/* times futile_edit_warn: text is asked for */

void
call_due(struct open_call *c, enum rule r, unsigned long count,
    uint64_t about)
{
	if (c->ndue < WARNS_MAX)
		c->due[c->ndue++] = (struct word_due){ r, count, about };
}

/* ---- the streak of a signature ---- */

/* MASKED: but for numbers and ids, for warnings only; ALIKE: but for what
 * changes by itself. */
enum likeness { CHANGED, MASKED, ALIKE, SAME };

static enum likeness
compare(const struct guard *g, const struct seen *e,
    const struct outcome *o)
{
	if (e == NULL || e->n == 0 || e->epoch != g->epoch ||
	    e->failed != o->failed)
		return CHANGED;
	if (e->raw == o->d.hash)
		return SAME;
	if (e->norm == o->d.norm)
		return o->failed ? SAME : ALIKE;
	if (e->mask == 0 || o->d.mask == 0)
		return e->sketch == o->d.sketch ? MASKED : CHANGED;
	return e->mask == o->d.mask ? MASKED : CHANGED;
}

static bool
is_progress(const struct open_call *c, const struct outcome *o, bool known,
    enum likeness like)
{
	if (o->files != NEW_STATE || c->about.idle)
		return false;
	if (c->about.edits)
		return !o->failed;
	return !known || (like <= MASKED && o->d.gain > 0);
}

/* Count the outcome; true when it is the free one after a compaction. */
static bool
count(struct guard *g, struct open_call *c, struct seen *e,
    const struct outcome *o, enum likeness like)
{
	bool excused = like != CHANGED && e->window != g->window;

	if (like == CHANGED) {
		e->weak = 0;
		ids_clear(&e->ids);
	}
	if (like != SAME) {
		e->n = 0;
		e->refused = 0;
		e->told = g->news;
	}
	e->n += !excused || like != SAME;
	e->weak += !excused;
	e->raw = o->d.hash;
	e->norm = o->d.norm;
	e->mask = o->d.mask;
	e->sketch = o->d.sketch;
	e->failed = o->failed;
	e->epoch = g->epoch;
	e->window = g->window;
	e->transient = o->transient;
	e->poll = c->about.poll;
	ids_add(&e->ids, c->id, c->line, c->step);
	cycle_push(&g->cycle, streak_pair(e));
	guard_stuck(g, e->n, e->poll);
	return excused;
}

static void
judge_streak(struct guard *g, struct open_call *c, struct seen *e,
    enum likeness like)
{
	const struct policy *p = g->policy;
	unsigned long times = c->about.poll ? p->poll : 1;

	tell_count(g, e->failed ? RULE_RETRY : RULE_REPEAT, e->n);
	tell_count(g, RULE_REPEAT_WEAK, e->weak);
	if (e->failed && like != CHANGED && e->weak >= p->warn * times)
		call_due(c, RULE_RETRY, e->weak, 0);
	else if (like == SAME && e->n >= p->warn * times)
		call_due(c, RULE_REPEAT, e->n, 0);
	else if (!e->failed && like != CHANGED && e->weak >= p->weak_warn * times)
		call_due(c, RULE_REPEAT_WEAK, e->weak, 0);
}

/* ---- what different calls of one tool have in common ---- */

/* The calls that fail alike in one step, however many, count once. */
static void
judge_fault(struct guard *g, struct open_call *c, const struct outcome *o)
{
	struct seen *f;

	if (!o->failed) {
		for (unsigned i = 1; i <= g->faults.n; i++)
			if (g->faults.e[i].sig.a == c->about.tool)
				g->faults.e[i].n = 0;
		return;
	}
	if (o->mute)
		return;		/* a status alone says nothing */
	f = seen_put(&g->faults, (struct sig){ c->about.tool, o->d.norm });
	if (f->n == 0) {
		ids_clear(&f->ids);
		f->refused = 0;
		f->varied = false;
		f->told = g->news;
	}
	f->varied |= f->n > 0 && f->last != c->about.sig.b;
	f->last = c->about.sig.b;
	f->raw = o->d.hash;
	f->norm = o->d.norm;
	f->transient = o->transient;
	if (f->n > 0 && f->step == c->step)
		return;
	f->step = c->step;
	f->n++;
	ids_add(&f->ids, c->id, c->line, c->step);
	if (!f->varied)
		return;
	tell_count(g, RULE_SAME_ERROR, f->n);
	if (f->n >= fault_limits(g, &c->about, f).warn && c->ndue == 0)
		call_due(c, RULE_SAME_ERROR, f->n, f->sig.b);
}

/* A batch of inserts, of probes, of files checked: the same short answer to
 * calls that all differ. */
static bool
is_same_answer(const struct open_call *c, const struct outcome *o)
{
	return o->brief && (!o->failed || o->mute) && !o->cached &&
	    !c->about.idle && !o->past_end && !o->shown;
}

static bool
is_twice(unsigned long n, unsigned long first)
{
	return n % first == 0 && (n / first & (n / first - 1)) == 0;
}

/* Remarked on at 12, 24, 48 and so on. */
static void
judge_answer(struct guard *g, struct open_call *c, const struct outcome *o)
{
	unsigned long warn = g->policy->answer_warn *
	    (c->about.poll ? g->policy->poll : 1);
	struct sig key = { c->about.tool, o->d.hash };
	struct seen *e;

	if (!is_same_answer(c, o))
		return;
	g->answered.max = LINES_MAX;
	if (!hset_add(&g->answered, text_fold(key.a ^ key.b, c->about.sig.b)))
		return;		/* not another call */
	e = seen_put(&g->same, key);
	e->n++;
	ids_add(&e->ids, c->id, c->line, c->step);
	tell_count(g, RULE_SAME_ANSWER, e->n);
	if (e->n >= warn && is_twice(e->n, warn) && c->ndue == 0)
		call_due(c, RULE_SAME_ANSWER, e->n, e->sig.b);
}

/* ---- edits that change nothing that is tested ---- */

static void
judge_check(struct guard *g, struct open_call *c, struct seen *e,
    const struct outcome *o)
{
	unsigned long edits = g->files.edited;

	/* a search that finds nothing also fails, and proves nothing */
	if (!c->about.runs)
		return;
	if (!o->failed || e->fault != o->d.norm) {
		seen_forget_checks(e);
		if (!o->failed)
			return;
		e->fault = o->d.norm;
		e->edited = e->checked = edits;
		e->said = 0;
		e->checks = xcalloc(1, sizeof *e->checks);
	}
	ids_add(e->checks, c->id, c->line, c->step);
	if (edits == e->checked)
		return;		/* nothing was changed in between */
	e->checked = edits;
	edits -= e->edited;
	tell_count(g, RULE_FUTILE_EDITS, edits);
	if (edits / g->policy->futile_warn <= e->said)
		return;
	e->said = edits / g->policy->futile_warn;
	if (e->said >= FUTILE_TEXT)
		g->step.futile = edits;
	call_due(c, RULE_FUTILE_EDITS, edits, 0);
}

/* ---- the step's weight ---- */

static void
news(struct guard *g)
{
	g->news++;
	g->step.news = true;
	stall_reset(&g->stall);
}

/* How much this call adds to the stall score, in sixths. */
static int
weight(const struct open_call *c, const struct outcome *o, bool other,
    enum likeness like, bool excused)
{
	if (c->about.idle)
		return POINT;
	if (like == SAME && !excused)
		return guard_weight(c->about.poll, o->transient);
	if (o->files == OLD_STATE)
		return POINT;
	if (excused || (like != ALIKE && o->d.gain > 0))
		return 0;
	if (o->new_error || (other && is_same_answer(c, o)))
		return 0;
	return c->about.poll ? POINT / 3 : POINT / 2;
}

static void
note_change(struct guard *g, struct open_call *c, const struct outcome *o)
{
	if (o->files == SAME_FILES) {
		g->answers.ran |= c->about.runs;
		return;
	}
	g->step.changed = true;
	if (o->matters)
		g->answers.ran = c->about.runs && c->about.bash;
	else
		g->answers.ran |= c->about.runs;
	g->files.edited += o->novel_edit;
	if (o->reached)
		files_made(&g->files, c->id, c->line, c->step);
	if (o->back) {
		tell_count(g, RULE_REVISIT, 1);
		call_due(c, RULE_REVISIT, 1, g->files.last);
	}
}

static void
note_read(struct guard *g, struct open_call *c, const struct outcome *o)
{
	unsigned long warn = guard_reads(g, false);

	if (!c->about.looks || o->cached)
		return;
	g->reads++;
	tell_count(g, RULE_READS, g->reads);
	if (warn != 0 && g->reads >= warn && (g->reads - warn) % READS_AGAIN
	    == 0)
		call_due(c, RULE_READS, g->reads, 0);
}

static void
outcome(struct guard *g, struct open_call *c, const struct rec *r)
{
	const struct policy *p = g->policy;
	struct seen *e = seen_get(&g->seen, c->about.sig);
	bool known = e != NULL, other, progress, excused;
	enum likeness like;
	struct outcome o;

	outcome_read(g, c, r, &o);
	if (!o.cached)
		memory_put(&g->memory, slice_of(c->id), &o);
	g->calls++;
	progress = is_progress(c, &o, known, compare(g, e, &o));
	if (progress) {
		turn_epoch(g);
	}
	like = compare(g, e, &o);
	if (progress || (like <= MASKED && o.d.gain > 0 &&
	    o.d.gain >= p->min_gain))
		news(g);
	note_change(g, c, &o);
	if (c->exempt) {
		c->ndue = 0;
		return;
	}
	e = seen_put(&g->seen, c->about.sig);
	other = e->n == 0 || e->epoch != g->epoch;
	excused = count(g, c, e, &o, like);
	if (!excused)
		judge_streak(g, c, e, like);
	judge_fault(g, c, &o);
	judge_answer(g, c, &o);
	judge_check(g, c, e, &o);
	note_read(g, c, &o);
	step_weigh(&g->step, weight(c, &o, other, like, excused));
	g->step.idle |= c->about.idle;
	g->step.sweep |= c->about.looks && !c->about.idle &&
	    (o.past_end || o.shown || o.d.gain == 0);
}

/* ---- a tool message ---- */

static bool
was_refused(const struct open_call *c, const struct rec *r)
{
	struct slice meta = rec_get(r, "meta"), said;

	if (c->said == ACT_BLOCK || c->said == ACT_HALT ||
	    c->said == ACT_SHARE)
		return true;
	if (scan_kind(meta) != SCAN_OBJECT)
		return false;
	said = scan_get(meta, "verdict");
	return scan_str_is(said, "block") || scan_str_is(said, "halt") ||
	    scan_str_is(said, "share") || scan_get(meta, "shared").p != NULL;
}

void
guard_result(struct guard *g, const struct rec *r)
{
	size_t at = pairing_result(&g->pairing, rec_get(r, "tool_call_id"));
	struct open_call *c;

	if (at == (size_t)-1)
		return;
	c = &g->call[at];
	if (c->turn == g->turn && !was_refused(c, r))
		outcome(g, c, r);
	if (at >= g->step.first && g->step.left > 0 && --g->step.left == 0)
		step_end(g);
}
