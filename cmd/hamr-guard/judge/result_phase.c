/* result_phase.c - judges the result of a call, and the step at its end. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "internal.h"
#include "text/volatile.h"

#define OTHERS 2		/* points that end our leniency on repeats */
#define READS_AGAIN 8		/* reads from one warning to the next */
#define ANSWER_GOOD 4		/* times same_answer_warn, for a success */
#define MEASURES 4		/* times repeat-weak's limit, for a measure */
#define COUNTER_STEP 3		/* most that counters grow between calls */
#define QUERIES 3		/* of is_timed's words */

/* ---- the streak of a signature ---- */

/* Is it made to see how long something takes? */
static bool
is_timed(const struct guard *g, const struct open_call *c)
{
	static const char *const words[] = { "\\timing", "explain analyze",
		"EXPLAIN ANALYZE",
		/* of commands */
		"\"time ", "; time ", "&& time ", "perf stat", "hyperfine",
		"ab -n", "ab -c", "wrk -", "bench", "timeit", "{time_", NULL };
	struct slice args = SLICE("");
	size_t i = 0;

	/* those of another step are not kept */
	if (c->turn == g->turn && c->step == g->steps)
		args = slice_from(sign_text_of(&g->signer, &c->is),
		    strlen(c->tool) + 1);
	while (words[i] != NULL && !slice_has(args, words[i]))
		i++;
	return (c->is.bash || i < QUERIES) && words[i] != NULL;
}

/* How is the outcome like the one before it? */
static enum likeness
compare(struct guard *g, const struct open_call *c, struct streak *e,
    struct outcome *o)
{
	if (e == NULL || e->n == 0 || e->epoch != g->epoch ||
	    e->failed != o->failed)
		return CHANGED;
	if (e->d.hash == o->d.hash)
		return SAME;
	outcome_complete(g, e);
	/* a call that waits for something, or measures, is made for its
	 * numbers */
	bool timed = is_timed(g, c);
	if (e->d.norm == o->d.norm && (o->failed || !timed))
		return o->failed ? SAME : ALIKE;
	if (c->is.poll || c->is.measures || timed)
		return CHANGED;
	if (e->d.mask != o->d.mask)
		return CHANGED;
	/* 12 of 40 after 11 of 40 is what a poll waits for */
	o->done = volatile_progress(buf_view(&g->text));
	return e->done != 0 && o->done > e->done ? CHANGED : MASKED;
}

/* Count the outcome. */
static void
count(struct guard *g, struct open_call *c, struct streak *e,
    const struct outcome *o)
{
	enum likeness like = o->like;

	if (like == CHANGED) {
		e->weak = 0;
		e->varied = e->measures = false;
		call_row_clear(&e->calls);
	}
	if (like != SAME) {
		e->n = 0;
		e->refused = 0;
		e->news = g->news;
	}
	e->varied |= like != CHANGED && e->last != c->is.sig.b;
	e->last = c->is.sig.b;
	e->n += !o->excused || like != SAME;
	e->weak += !o->excused;
	e->d = o->d;
	e->text_n = 0;
	if (o->quick)
		outcome_defer(g, e);
	e->failed = o->failed;
	e->brief = o->brief;
	e->vain = like != CHANGED && !o->cached && outcome_is_useless(g);
	e->epoch = g->epoch;
	e->window = g->window;
	e->transient = o->transient;
	e->times = guard_repeat_factor(g, &c->is, o->failed);
	e->state = o->state;
	e->patient = o->patient;
	e->shown = g->shown_new;
	note_call(&e->calls, c);
	cycle_push(&g->cycle, streak_outcome_key(e));
	guard_note_stuck(g, e->n, e->times);
}

/* ---- warnings that are due on a call ---- */

static void
add_due(struct open_call *c, enum rule r, unsigned long count, uint64_t about)
{
	if (c->ndue < WARNS_MAX)
		c->due[c->ndue++] = (struct due){ r, count, about };
}

/* A short answer that is a measure tells something each time: warn later. */
static unsigned long
weak_limit(const struct guard *g, const struct streak *e)
{
	return g->policy->weak_warn * e->times *
	    (e->measures && e->brief ? MEASURES : 1);
}

static void
judge_streak(struct guard *g, struct open_call *c, struct streak *e,
    enum likeness like)
{
	const struct policy *p = g->policy;
	unsigned long times = e->times;
	bool weak = like != CHANGED;

	/* waiting for a transient error to pass is what we advise */
	if (c->is.poll && e->transient)
		times *= 2;
	guard_count(g, e->failed ? RULE_RETRY : RULE_REPEAT, e->n);
	if (like != SAME)
		guard_count(g, RULE_REPEAT_WEAK, e->weak);
	if (e->failed && weak && e->weak >= p->warn * times)
		add_due(c, RULE_RETRY, e->weak, 0);
	else if (like == SAME && e->n >= p->warn * times)
		add_due(c, RULE_REPEAT, e->n, 0);
	else if (!e->failed && weak && !e->varied &&
	    e->weak >= weak_limit(g, e))
		add_due(c, RULE_REPEAT_WEAK, e->weak, 0);
}

/* Count a tool's failures, whatever its arguments.  All calls of a step that
 * fail alike count once. */
static void
judge_fault(struct guard *g, struct open_call *c, const struct outcome *o)
{
	struct verdict limits = { .warn = 0 };

	if (!o->failed) {
		for (unsigned i = 1; i <= g->faults.n; i++)
			if (g->faults.e[i].sig.a == c->is.tool)
				g->faults.e[i].n = 0;
		return;
	}
	if (o->mute)
		return;		/* a mere status says nothing */
	struct streak *f = streaks_put(&g->faults, (struct sig){ c->is.tool,
	    o->d.norm });
	if (f->n == 0) {
		call_row_clear(&f->calls);
		f->refused = 0;
		f->varied = false;
		f->news = g->news;
	}
	f->varied |= f->n > 0 && f->last != c->is.sig.b;
	f->last = c->is.sig.b;
	f->transient = o->transient;
	if (f->n > 0 && f->step == c->step)
		return;
	f->step = c->step;
	f->n++;
	note_call(&f->calls, c);
	if (!f->varied)
		return;
	guard_count(g, RULE_SAME_ERROR, f->n);
	error_judge(g, &c->is, f, &limits);
	if (f->n >= limits.warn && c->ndue == 0)
		add_due(c, RULE_SAME_ERROR, f->n, f->sig.b);
}

/* A batch of inserts, probes or file checks: the same short answer to calls
 * that all differ. */
static bool
is_same_answer(const struct open_call *c, const struct outcome *o)
{
	return o->brief && (!o->failed || o->mute) && !o->cached &&
	    !c->is.idle && !o->past_end && !o->shown &&
	    (!c->is.pauses || c->is.patient);
}

/* Warn sooner if the answer is "none", or the same to many questions or to code
 * with other comments, than if it says that all went well. */
static unsigned long
answer_limit(const struct guard *g, const struct traits *t, bool early)
{
	return g->policy->answer_warn * guard_repeat_factor(g, t, false) *
	    (early ? 1 : ANSWER_GOOD);
}

/* Warn at the limit, and then each time the count has doubled. */
static void
judge_answer(struct guard *g, struct open_call *c, const struct outcome *o)
{
	struct sig key = { c->is.tool, o->nothing ? o->d.kind :
		o->d.told ? o->d.norm : o->d.hash };

	if (!is_same_answer(c, o))
		return;
	if (!hash_set_add(&g->answered, hash_both(key.a ^ key.b,
	    c->is.sig.b)))
		return;		/* the same call */
	bool again = c->is.code.exact != 0 && !hash_set_add(&g->answered,
	    hash_both(key.a ^ key.b, c->is.code.exact));
	struct streak *e = streaks_put(&g->same, key);
	e->n++;
	e->none = o->none;
	e->early = o->none || c->is.asks || again;
	note_call(&e->calls, c);
	guard_count(g, RULE_SAME_ANSWER, e->n);
	unsigned long warn = answer_limit(g, &c->is, e->early);
	unsigned long times = e->n / warn;
	if (times > 0 && e->n % warn == 0 && (times & (times - 1)) == 0 &&
	    c->ndue == 0)
		add_due(c, RULE_SAME_ANSWER, e->n, e->sig.b);
}

/* Whatever is run, the failure is the same except for lines and columns since a
 * command last succeeded: a new script each time, or lines inserted above the
 * fault.  This also happens when one fault is fixed in many places, so warn
 * late, and do not ask for text. */
static void
judge_failure(struct guard *g, struct open_call *c, const struct outcome *o)
{
	unsigned long edits = g->files.edited;
	unsigned long warn = FAULT_TIMES * g->policy->futile_warn;

	if (!c->is.runs || o->mute || o->d.fault == 0)
		return;
	struct streak *e = streaks_put(&g->seen, (struct sig){ c->is.tool,
	    o->d.fault });
	if (e->checks.n == 0 || e->passed != g->passed) {
		call_row_clear(&e->checks);
		e->passed = g->passed;
		e->edited = e->checked = edits;
		e->futile = 0;
	}
	note_call(&e->checks, c);
	if (edits == e->checked)
		return;
	e->checked = edits;
	edits -= e->edited;
	if (edits / warn <= e->futile)
		return;
	e->futile = edits / warn;
	add_due(c, RULE_FUTILE_EDITS, edits, o->d.fault);
}

/* Edits that do not change the outcome of a test. */
static void
judge_check(struct guard *g, struct open_call *c, struct streak *e,
    const struct outcome *o)
{
	unsigned long edits = g->files.edited;
	bool failed = o->failed || o->complains;

	/* a search that finds nothing also fails but proves nothing; nor does
	 * an error that may pass by itself */
	if (c->is.reads || o->transient || c->is.edits)
		return;
	g->passed += !failed && c->is.runs;
	e->passed += !failed;
	/* start over if it passed, or failed in a way not seen since it last
	 * passed: two failures that two edits cause in turn are no progress */
	if (!failed || hash_set_add(&g->errors, hash_both(
	    e->sig.b + e->passed, o->d.norm)) || e->checks.n == 0) {
		call_row_clear(&e->checks);
		/* an edit right before the first failure is one of them */
		e->edited = edits - (edits > e->checked);
		e->checked = edits;
		e->futile = 0;
	}
	if (!failed)
		return;
	note_call(&e->checks, c);
	if (edits - e->edited < g->policy->futile_warn)
		judge_failure(g, c, o);
	if (edits == e->checked)
		return;		/* nothing changed in between */
	e->checked = edits;
	edits -= e->edited;
	guard_count(g, RULE_FUTILE_EDITS, edits);
	if (edits / g->policy->futile_warn <= e->futile)
		return;
	e->futile = edits / g->policy->futile_warn;
	if (e->futile >= FUTILE_TEXT)
		g->step.futile = edits;
	add_due(c, RULE_FUTILE_EDITS, edits, 0);
}

/* ---- a result ---- */

static void
note_change(struct guard *g, struct open_call *c, const struct outcome *o)
{
	if (c->is.runs && (!o->matters || c->is.bash))
		g->answers.ran = AFTER_CHANGE;
	else if (o->matters)
		g->answers.ran = BEFORE_CHANGE;
	if (o->files == SAME_FILES)
		return;
	g->step.changed = true;
	g->files.edited += o->novel_edit;
	const uint64_t states[] = { g->files.left, g->files.last };
	for (size_t i = 0; i < 2 && o->reached; i++) {
		struct streak *made = streaks_put(&g->states, (struct sig){ 0,
		    states[i] });

		if (made->calls.n == 0)
			note_call(&made->calls, c);
	}
	if (o->back) {
		guard_count(g, RULE_REVISIT, 1);
		add_due(c, RULE_REVISIT, 1, g->files.last);
	}
}

/* Two results in a row differed from the one before in ids and numbers: is the
 * sum of the numbers unchanged? */
static bool
differs_by_ids(const struct outcome *o, const struct streak *e)
{
	return e->numbers != 0 && o->d.sum + 1 == e->numbers;
}

/* A result differs from the one before in numbers: are they only ids, or do
 * they count the calls?  A measure goes up and down, or toward a total. */
static bool
is_counter(const struct open_call *c, const struct outcome *o,
    const struct streak *e)
{
	/* each thing created has another number, however large; what is over
	 * in vain only gets older */
	if (c->is.sends || o->state == LOST)
		return true;
	/* a page that a click shows has numbers of its own */
	if (c->is.acts)
		return differs_by_ids(o, e);
	return o->done == 0 && (e->numbers == 0 ||
	    o->d.sum + 1 - e->numbers <= COUNTER_STEP);
}

/* A pause, or a look at something under way, weighs nothing: it cannot bring
 * anything new.  A check after a pause weighs less than one without.  A lasting
 * failure weighs most: checking does not make it pass. */
static int
poll_weight(const struct open_call *c, const struct outcome *o)
{
	if (c->is.awaited)
		return 0;
	/* nor does waiting for what is not there */
	if ((o->failed && !o->transient) ||
	    (c->is.pauses && o->none && !o->mute))
		return POINT / 2;
	if (o->patient || (c->is.pauses && c->is.patient && !o->failed))
		return 0;
	return c->is.patient && !o->failed ? POINT / 6 : POINT / 3;
}

/* Does a call make or change one of many things?  All of these may have the
 * same long answer. */
static bool
makes(const struct open_call *c)
{
	return c->is.sends || c->is.alters;
}

/* Does a call make something that differs by more than a number from what the
 * one before made? */
static bool
makes_another(struct guard *g, const struct open_call *c)
{
	uint64_t last = g->made;

	if (!makes(c))
		return false;
	g->made = c->is.code.shape;
	return g->made != last;
}

/* How much a call adds to the stall score, in sixths.  another: as in
 * makes_another. */
static int
weight(const struct open_call *c, const struct streak *e,
    const struct outcome *o, bool another)
{
	enum likeness like = o->like;

	if (c->is.idle)
		return POINT;
	if (like >= MASKED && !o->excused && c->is.late && !c->is.poll)
		return POINT / 6;
	if (like == SAME && !o->excused)
		return c->is.poll ? poll_weight(c, o) :
		    repeat_weight(false, o->transient);
	if (o->files == OLD_STATE)
		return POINT;
	if (o->files == TWEAKED)
		return POINT / 2;
	/* a page that counts its visitors is a poll, too; a short one is a
	 * gauge */
	if (like == MEASURED && !o->excused && !c->is.poll && c->is.bash &&
	    c->is.fetches && !o->brief)
		return POINT / 3;
	if (o->excused || like == MEASURED ||
	    (like == CHANGED && o->d.gain > 0))
		return 0;
	if (o->new_error || o->effect || (e->live && like == CHANGED) ||
	    (o->other && (c->is.plans || is_same_answer(c, o))))
		return 0;
	/* a call that fails now and then is repeated to find out why, and one
	 * thing after another may be tried: a port, a password */
	if (e->unsteady || another ||
	    (o->other && o->failed && o->brief && c->is.bash && c->is.runs))
		return POINT / 6;
	if (c->is.poll)
		return poll_weight(c, o);
	/* a question that had the same answer except for times and ids; what
	 * counts up may count what others do */
	if (like != CHANGED && !o->counts &&
	    (is_question(&c->is) || c->is.fetches))
		return POINT;
	return POINT / 2;
}

/* Is a change of files, or a person's word, progress? */
static bool
is_progress(const struct open_call *c, const struct streak *e,
    const struct outcome *o)
{
	/* a person's new answer to a question is as good as their message */
	if (c->is.consults && !o->failed && o->like == CHANGED && o->d.gain > 0)
		return true;
	if ((o->files != NEW_STATE && o->files != TWEAKED) || c->is.idle)
		return false;
	/* did a command that may change files do so?  Hashes tell; without
	 * them, not if it says at length what was said before, like "already
	 * installed" */
	return c->is.edits ? !o->failed : e == NULL ?
	    o->reached || o->brief || o->d.gain > 0 :
	    o->like == CHANGED && o->d.gain > 0;
}

/* Has the answer changed though no file did: the next line of a debugger, a
 * coin, a room?  Long ones may be one thing in other words. */
static bool
changes_itself(const struct guard *g, const struct open_call *c,
    const struct streak *e, const struct outcome *o)
{
	return !o->failed && !e->failed && o->brief && !c->is.reads &&
	    e->step + g->still + 1 >= c->step;
}

/* A call may have done something new, so that others may look again: that of a
 * tool that we do not know only at what a person names; that of such a command,
 * if it shows something new. */
static void
note_act(struct guard *g, const struct open_call *c, struct streak *e,
    const struct outcome *o)
{
	bool shows = o->like == CHANGED && c->is.bash && o->d.gain > 0;

	if (!o->failed && !c->is.idle && c->is.thought == 0 && !c->is.plans &&
	    !is_question(&c->is) && !(o->brief && outcome_is_useless(g))) {
		g->ran += o->other || shows;
		g->acted += o->other ? c->is.mutates || c->is.acts ||
		    c->is.sends || c->is.alters : shows;
	}
	e->ran = g->ran;
	e->acted = g->acted;
}

/* Is what a result shows new, at once or with what others have shown little by
 * little?  What a file shows may be the model's own words. */
static void
note_news(struct guard *g, const struct open_call *c, const struct outcome *o,
    bool progress)
{
	bool news = o->like <= MEASURED, new = o->like == CHANGED &&
	    o->files != TWEAKED;
	uint64_t enough = g->policy->min_gain;

	if (new && !progress && c->is.runs && !o->failed)
		g->stall.gain += o->d.gain;
	new = new && o->d.gain > 0 &&
	    (o->d.gain >= enough || g->stall.gain >= enough);
	g->step.shown |= o->d.gain > 0 && news;
	g->shown_new += o->d.gain > 0 && (news || o->counts);
	if (new || (progress && o->files != TWEAKED)) {
		g->news++;
		g->step.news = true;
		stall_reset(&g->stall);
	}
}

/* Add a call of this weight to its step. */
static void
weigh(struct guard *g, const struct open_call *c, const struct streak *e,
    const struct outcome *o, int w)
{
	/* one of many works, whatever it prints */
	bool spared = w > 0 && !c->is.idle && (o->other ?
	    !o->failed && (makes(c) || (c->is.bash && c->is.runs &&
	    !c->is.fetches && !c->is.seeks && !outcome_reports_failure(g))) :
	    o->like == SAME && e->n == 2);

	/* who was told, and goes on without an unseen line, repeats */
	if (g->stall.told && w == POINT / 2 && !spared && !o->transient)
		w = POINT * 2 / 3;
	step_raise_weight(&g->step, w, spared);
	g->step.idle |= c->is.idle;
	/* waiting does not make a lasting failure pass */
	g->step.polls &= c->is.poll && (!o->failed || o->transient);
	g->step.sweep |= c->is.looks && !c->is.idle &&
	    (o->past_end || o->shown || o->d.gain == 0);
}

static void
judge_reads(struct guard *g, struct open_call *c)
{
	unsigned long warn = guard_reads(g, false);

	guard_count(g, RULE_READS, ++g->reads);
	if (warn != 0 && g->reads >= warn &&
	    (g->reads - warn) % READS_AGAIN == 0)
		add_due(c, RULE_READS, g->reads, 0);
}

void
guard_result(struct guard *g, struct open_call *c, const struct rec *r)
{
	struct streak *e = streaks_get(&g->seen, c->is.does);
	struct outcome got, *o = &got;

	/* the project's own check is one, even if it only reads: grep, true */
	c->is.runs |= g->policy->check[0] != '\0' &&
	    scan_str_is(msg_meta(r, "command"), g->policy->check);
	outcome_read(g, c, e, r, o);
	traits_update(&c->is, o->state, o->patient, o->failed);
	c->is.poll |= e != NULL && e->live && e->epoch == g->epoch;
	/* what a click or a key did shows in later results */
	o->effect = e != NULL && c->is.acts && e->shown != g->shown_new;
	o->like = o->effect ? CHANGED : compare(g, c, e, o);
	g->calls++;
	bool progress = is_progress(c, e, o);
	if (progress) {
		guard_note_progress(g);
		o->like = CHANGED;
	} else if ((c->is.acts || c->is.sends) && e == NULL && !o->failed) {
		/* a click or a message sent for the first time changes what
		 * other calls look at, though no file, and nothing shown */
		g->epoch++;
	}
	/* the numbers in a failure are not news */
	if (o->like == MASKED && o->failed)
		o->new_error = false;
	else if (o->like == MASKED && ((e->measures && o->done == 0) ||
	    !is_counter(c, o, e)))
		o->like = MEASURED;
	o->counts = o->like == MASKED && !differs_by_ids(o, e);
	note_news(g, c, o, progress);
	note_change(g, c, o);
	if (c->exempt) {
		c->ndue = 0;
		return;
	}
	e = streaks_put(&g->seen, c->is.does);
	o->other = e->n == 0 || e->epoch != g->epoch;
	e->live = !o->other && o->like != ALIKE && o->like != MASKED &&
	    (e->live || (o->like == CHANGED && !o->effect &&
	    changes_itself(g, c, e, o)));
	note_act(g, c, e, o);
	e->step = c->step;
	e->unsteady = !o->other && (e->unsteady || e->failed != o->failed);
	o->excused = o->like != CHANGED && e->window != g->window;
	count(g, c, e, o);
	e->measures |= o->like == MEASURED && o->done == 0 && o->d.gain > 0 &&
	    e->numbers != 0;
	e->numbers = o->like == MASKED || o->like == MEASURED ? o->d.sum + 1 :
	    0;
	e->done = o->done;
	if (!o->excused)
		judge_streak(g, c, e, o->like);
	judge_fault(g, c, o);
	judge_answer(g, c, o);
	judge_check(g, c, e, o);
	if (c->is.looks && !o->cached)
		judge_reads(g, c);
	bool another = makes_another(g, c) && o->other && !o->failed;
	weigh(g, c, e, o, weight(c, e, o, another));
}

/* ---- what is said about a step ---- */

static void
warn(struct guard *g, const struct open_call *c, struct verdict *v,
    enum advice a, struct facts *f, struct nudge *nudge)
{
	char *tool = scan_text(slice_of(c->name));

	f->tool = slice_of(tool);
	v->steps = g->stall.empty;
	v->span = g->stall.steps;
	char *message = advice(a, v, f);
	v->action = ACT_WARN;
	v->phase = PHASE_RESULT;
	v->message = message;
	guard_put(g, c, v);
	nudge_add(nudge, v, a == A_STALL_TEXT || a == A_FUTILE_TEXT ||
	    a == A_CALLS_TEXT);
	free(message);
	free(tool);
}

/* The evidence: the last n calls of a row; itself: without the very last, which
 * is the judged call. */
static void
rest_on(struct verdict *v, const struct call_row *row, unsigned long n,
    bool itself)
{
	size_t have = row->n;

	if (itself && have > 0)
		have--;
	size_t skip = have > n ? have - n : 0;
	v->evidence = row->c + skip;
	v->nevidence = have - skip;
}

static void
warn_streak(struct guard *g, struct open_call *c, const struct due *due,
    struct nudge *nudge)
{
	const struct policy *p = g->policy;
	struct streak *e = streaks_get(&g->seen, c->is.does);
	struct verdict v = { .count = due->count };
	struct facts f = { .history = e != NULL ? &e->calls : NULL };
	enum advice a = A_REPEAT_WARN;

	if (e == NULL)
		return;		/* evicted since */
	streak_judge(g, &c->is, e, &v);
	if (due->rule == RULE_REPEAT_WEAK) {
		v.rule = RULE_REPEAT_WEAK;
		v.period = v.laps = 0;
		v.warn = weak_limit(g, e);
		v.block = v.halt = 0;
		v.same = e->weak;
	}
	rest_on(&v, &e->calls, due->count - 1, true);
	e->news = g->news;
	g->stall.told = true;
	f.wait = advice_wait(due->count - v.warn);
	if (v.rule == RULE_CYCLE)
		a = A_CYCLE_WARN;
	else if (v.rule == RULE_RETRY && (c->is.poll || e->transient))
		a = A_RETRY_WAIT;
	else if (c->is.poll)
		a = A_REPEAT_POLL;
	else if (v.rule == RULE_RETRY)
		a = due->count > p->retries ? A_RETRY_WARN : A_RETRY_HINT;
	else if (v.rule == RULE_REPEAT_WEAK)
		a = A_WEAK_WARN;
	else if (c->is.edits || c->is.sends || c->is.alters || c->is.tracks)
		a = A_REPEAT_DONE;
	warn(g, c, &v, a, &f, nudge);
}

static void
warn_due(struct guard *g, struct open_call *c, const struct due *due,
    struct nudge *nudge)
{
	struct verdict v = { .count = due->count, .rule = due->rule };
	struct sig key = { c->is.tool, due->about };
	struct facts f = { .wait = 0 };
	enum advice a = A_REVISIT_WARN;
	struct streak *e;

	switch (due->rule) {
	case RULE_SAME_ERROR:
		e = streaks_get(&g->faults, key);
		if (e == NULL || e->n == 0)
			return;		/* a later call succeeded */
		error_judge(g, &c->is, e, &v);
		v.gated = false;
		f.history = &e->calls;
		rest_on(&v, &e->calls, due->count - 1, true);
		e->news = g->news;
		a = A_SAME_ERROR_WARN;
		break;
	case RULE_SAME_ANSWER:
		e = streaks_get(&g->same, key);
		v.warn = answer_limit(g, &c->is, e != NULL && e->early);
		v.same = due->count;
		if (e != NULL)
			rest_on(&v, &e->calls, CALLS_MAX, true);
		a = e != NULL && e->none && is_question(&c->is) ?
		    A_SAME_NOTHING : A_SAME_ANSWER;
		break;
	case RULE_FUTILE_EDITS:
		e = streaks_get(&g->seen, due->about != 0 ? key : c->is.does);
		v.warn = g->policy->futile_warn *
		    (due->about != 0 ? FAULT_TIMES : 1);
		if (e != NULL)
			rest_on(&v, &e->checks, CALLS_MAX, true);
		a = g->step.futile != 0 ? A_FUTILE_TEXT : A_FUTILE_WARN;
		break;
	case RULE_REVISIT:
		e = streaks_get(&g->states, (struct sig){ 0, due->about });
		if (e != NULL)
			rest_on(&v, &e->calls, 1, false);
		v.warn = 1;
		break;
	case RULE_READS:
		v.warn = guard_reads(g, false);
		v.block = guard_reads(g, true);
		a = v.block != 0 ? A_READS_WARN : A_READS_WARN_ONLY;
		break;
	default:
		warn_streak(g, c, due, nudge);
		return;
	}
	warn(g, c, &v, a, &f, nudge);
}

/* A warning about the whole step names its last call. */
static void
warn_step(struct guard *g, struct verdict *v, const struct call_row *row,
    enum advice a, struct nudge *nudge)
{
	rest_on(v, row, CALLS_MAX, false);
	warn(g, &g->call[g->ncall - 1], v, a, &(struct facts){
	    .wait = advice_wait(v->count - v->warn) }, nudge);
}

static void
ask_for_text(struct guard *g, enum rule rule, unsigned long count)
{
	if (g->text_only > 0)
		return;
	g->text_only = 1;
	g->text_rule = rule;
	g->text_count = count;
	sink_constrain(&g->sink, rule, g->text_only, g->line);
}

static void
warn_stall(struct guard *g, struct nudge *nudge)
{
	const struct policy *p = g->policy;
	struct stall *s = &g->stall;
	bool limit = s->score >= p->stall_limit * POINT;
	struct verdict v = { .rule = RULE_STALL, .count = s->score / POINT,
		.warn = p->stall_warn, .halt = p->stall_limit };
	enum advice a = A_STALL_WARN;

	/* a refusal or another warning in this step says enough */
	if (!limit && (s->score < p->stall_warn * POINT || g->step.blocked ||
	    nudge->n > 0))
		return;
	if (limit)
		a = A_STALL_TEXT;
	else if (g->step.idle)
		a = A_STALL_IDLE;
	else if (g->step.sweep && 2 * s->sweeps >= s->calls.n)
		a = A_STALL_SWEEP;
	else if (g->step.polls && 2 * s->polls >= s->calls.n)
		a = A_STALL_POLL;
	warn_step(g, &v, &s->calls, a, nudge);
	s->told = true;
	if (!limit)
		return;
	if (s->asked)
		s->over = true;
	else
		ask_for_text(g, RULE_STALL, v.count);
	s->asked = true;
}

/* Warn after explore_nudge_after steps without a change and after each of the
 * next two, then every explore_nudge_after steps. */
static void
warn_still(struct guard *g, struct nudge *nudge)
{
	unsigned long first = g->policy->explore, over = g->still - first;
	struct verdict v = { .rule = RULE_NO_MUTATION, .count = g->still,
		.warn = first, .same = g->still };

	if ((!g->task && !g->contract) || first == 0)
		return;
	guard_count(g, RULE_NO_MUTATION, g->still);
	if (g->still < first || (over > 2 && (over - 2) % first != 0))
		return;
	v.level = over < 2 ? over + 1 : 3;
	warn_step(g, &v, &g->last, A_STILL_1 + (enum advice)v.level - 1,
	    nudge);
}

void
guard_step(struct guard *g)
{
	const struct open_call *c = &g->call[g->ncall - 1];
	const struct policy *p = g->policy;
	unsigned long limit = p->stall_limit * POINT;
	struct stall *s = &g->stall;
	struct nudge nudge = { .n = 0 };

	g->still = g->step.changed ? 0 : g->still + 1;
	note_call(&g->last, c);
	s->steps += !g->step.news;
	s->empty = g->step.news || g->step.shown ? 0 : s->empty + 1;
	g->waited = g->planned = true;
	for (size_t i = g->step.first; i < g->ncall; i++) {
		g->waited &= g->call[i].is.waits;
		g->planned &= g->call[i].is.plans;
	}
	if (!g->step.news && g->step.weight > 0) {
		unsigned long w = (unsigned long)g->step.weight;

		/* reading everything once more is allowed: that alone does not
		 * make us ask for text */
		s->others += g->step.spared ? 0 : w;
		if (g->step.spared && s->others < OTHERS * POINT &&
		    s->score < limit && s->score + w >= limit)
			w = limit - 1 - s->score;
		s->score += w;
		s->sweeps += g->step.sweep;
		s->polls += g->step.polls;
		note_call(&s->calls, c);
		guard_count(g, RULE_STALL, s->score / POINT);
	}
	for (size_t i = g->step.first; i < g->ncall; i++)
		for (size_t k = 0; k < g->call[i].ndue; k++)
			warn_due(g, &g->call[i], &g->call[i].due[k], &nudge);
	if (!g->step.halted) {
		if (!g->step.news && g->step.weight > 0)
			warn_stall(g, &nudge);
		if (g->step.futile != 0)
			ask_for_text(g, RULE_FUTILE_EDITS, g->step.futile);
		/* many calls, one of them over and over: time for the model to
		 * say what it knows */
		if (g->stuck >= p->stuck)
			guard_count(g, RULE_CALLS, g->calls);
		if (p->soft_calls != 0 && g->calls >= p->soft_calls &&
		    g->stuck >= p->stuck && g->text_only == 0 &&
		    (!g->calls_asked || g->step.stuck)) {
			g->calls_asked = true;
			warn_step(g, &(struct verdict){ .rule = RULE_CALLS,
			    .count = g->calls, .warn = p->soft_calls,
			    .same = g->stuck }, &g->last, A_CALLS_TEXT,
			    &nudge);
			ask_for_text(g, RULE_CALLS, g->calls);
		}
		warn_still(g, &nudge);
	}
	nudge_put(&nudge, g->sink.stage);
}
