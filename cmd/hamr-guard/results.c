/* results.c - the result phase: what came of a call. */
#include <stdlib.h>

#include "guard.h"
#include "mem.h"

void
call_due(struct guard *g, struct open_call *c, enum rule r,
    unsigned long count)
{
	if (c->ndue < WARNS_MAX)
		c->due[c->ndue++] = (struct word_due){ r, count,
			g->files.last };
}

/* ---- the streak of a signature ---- */

enum likeness { CHANGED, ALIKE, SAME };	/* ALIKE: only normalised */

static enum likeness
compare(const struct guard *g, const struct seen *e,
    const struct outcome *o)
{
	if (e == NULL || e->n == 0 || e->epoch != g->epoch ||
	    e->failed != o->failed)
		return CHANGED;
	if (e->raw == o->d.hash)
		return SAME;
	if (e->norm != o->d.norm)
		return CHANGED;
	return o->failed ? SAME : ALIKE;
}

static bool
is_progress(const struct open_call *c, const struct outcome *o, bool known,
    enum likeness like)
{
	if (o->files != NEW_STATE || c->about.idle)
		return false;
	if (c->about.edits)
		return !o->failed;
	return !known || (like == CHANGED && o->d.gain > 0);
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
	e->failed = o->failed;
	e->epoch = g->epoch;
	e->window = g->window;
	e->transient = o->transient;
	e->poll = c->about.poll;
	ids_add(&e->ids, c->id, c->line, c->step);
	cycle_push(&g->cycle, streak_pair(e));
	if (e->n > g->stuck)
		g->stuck = e->n;
	g->step.stuck |= e->n >= g->policy->stuck;
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
	if (like == SAME && e->n >= p->warn * times)
		call_due(g, c, e->failed ? RULE_RETRY : RULE_REPEAT, e->n);
	else if (like != CHANGED && e->weak >= p->weak_warn * times)
		call_due(g, c, RULE_REPEAT_WEAK, e->weak);
}

/* ---- one tool, one error, other arguments ---- */

static void
judge_fault(struct guard *g, struct open_call *c, const struct outcome *o)
{
	struct fault *f;
	uint64_t sig = c->about.sig.b;

	if (c->about.bash || c->about.network)
		return;
	f = fault_get(g, &c->about);
	if (!o->failed) {
		if (f != NULL)
			fault_begin(g, &c->about);
		return;
	}
	if (f == NULL || f->error != o->d.norm)
		f = fault_begin(g, &c->about);
	f->varied |= f->n > 0 && f->sig != sig;
	f->error = o->d.norm;
	f->sig = sig;
	f->n++;
	ids_add(&f->ids, c->id, c->line, c->step);
	if (!f->varied)
		return;
	tell_count(g, RULE_SAME_ERROR, f->n);
	if (f->n >= g->policy->same_warn * (c->about.poll ?
	    g->policy->poll : 1) && c->ndue == 0)
		call_due(g, c, RULE_SAME_ERROR, f->n);
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
		e->checks = xcalloc(1, sizeof *e->checks);
	}
	ids_add(e->checks, c->id, c->line, c->step);
	if (edits == e->checked)
		return;		/* nothing was changed in between */
	e->checked = edits;
	tell_count(g, RULE_FUTILE_EDITS, edits - e->edited);
	if (edits - e->edited >= g->policy->futile_warn)
		call_due(g, c, RULE_FUTILE_EDITS, edits - e->edited);
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
weight(const struct open_call *c, const struct outcome *o, bool known,
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
	if (o->new_error || (!known && o->silent))
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
	g->answers.ran = c->about.runs && c->about.bash;
	g->files.edited += o->novel_edit;
	if (o->reached)
		files_made(&g->files, c->id, c->line, c->step);
	if (o->back) {
		tell_count(g, RULE_REVISIT, 1);
		call_due(g, c, RULE_REVISIT, 1);
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
		call_due(g, c, RULE_READS, g->reads);
}

static void
outcome(struct guard *g, struct open_call *c, const struct rec *r)
{
	const struct policy *p = g->policy;
	struct seen *e = seen_get(&g->seen, c->about.sig);
	bool known = e != NULL, progress, excused;
	enum likeness like;
	struct outcome o;

	outcome_read(g, c, r, &o);
	if (!o.cached)
		memory_put(&g->memory, slice_of(c->id), &o);
	g->calls++;
	progress = is_progress(c, &o, known, compare(g, e, &o));
	if (progress) {
		g->epoch++;
		g->stuck = 0;
		cycle_clear(&g->cycle);
	}
	like = compare(g, e, &o);
	if (progress || (like == CHANGED && o.d.gain > 0 &&
	    o.d.gain >= p->min_gain))
		news(g);
	note_change(g, c, &o);
	if (c->exempt) {
		c->ndue = 0;
		return;
	}
	e = seen_put(&g->seen, c->about.sig);
	excused = count(g, c, e, &o, like);
	if (!excused)
		judge_streak(g, c, e, like);
	judge_fault(g, c, &o);
	judge_check(g, c, e, &o);
	note_read(g, c, &o);
	step_weigh(&g->step, weight(c, &o, known, like, excused));
	g->step.idle |= c->about.idle;
	g->step.sweep |= c->about.looks && !c->about.idle &&
	    (o.past_end || o.d.gain == 0);
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
