/* guard.c - the state of one transcript, and what each record does to it. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "internal.h"
#include "tokens/budget.h"

#define POOL_MAX 1024		/* calls without results that are remembered
				 * beyond their step */
#define PATIENCE 4		/* times poll_multiplier */
#define PERSON_MAX 4096		/* bytes, as JSON, of a person's message that
				 * is looked into */
#define GO_MAX 32		/* of its text, if it only approves: ok, go */
#define SMALL_WINDOW 32768	/* chapter 3.2: where reads are counted */
#define SMALL_WARN 32
#define SMALL_MOST 64

/* ---- what the phases share ---- */

unsigned long
guard_reads(const struct guard *g, bool most)
{
	if (g->few_reads)
		return most ? SMALL_MOST : SMALL_WARN;
	return most ? g->policy->max_reads : g->policy->warn_reads;
}

void
note_call(struct call_row *row, const struct open_call *c)
{
	if (strlen(c->id) <= ID_MAX)
		call_row_add(row, CALLS_MAX, c->id, c->line)->step = c->step;
}

void
guard_put(struct guard *g, const struct open_call *c, struct verdict *v)
{
	char sig[SHA_HEX];

	v->line = g->line;
	v->epoch = g->epoch;
	v->steps = g->stall.empty;
	v->span = g->stall.steps;
	v->score = g->stall.score;
	if (c != NULL) {
		v->call_line = c->line;
		v->call_id = c->id;
		v->name = c->name;
		sign_hex(&g->signer, sign_text_of(&g->signer, &c->is), sig);
		v->signature = sig;
	}
	sink_put(&g->sink, v);
	if (c != NULL)
		v->signature = NULL;
}

void
guard_put_call(struct guard *g, struct open_call *c, struct verdict *v)
{
	c->action = v->action;
	v->phase = PHASE_CALL;
	g->step.blocked |= v->action == ACT_BLOCK;
	g->step.halted |= v->action == ACT_HALT;
	guard_put(g, c, v);
}

void
guard_halt(struct guard *g, const struct open_call *c,
    const struct verdict *v)
{
	g->halt = (struct halt){ true, *v, { .id = xstrdup(c->id),
		.line = c->line }, xstrdup(v->message) };
}

void
guard_put_halted(struct guard *g, struct open_call *c)
{
	struct verdict v = g->halt.v;

	v.evidence = &g->halt.call;
	v.nevidence = 1;
	v.message = g->halt.message;
	guard_put_call(g, c, &v);
}

void
guard_count(const struct guard *g, enum rule r, unsigned long value)
{
	const struct watch *w = g->sink.watch;

	if (w != NULL)
		w->counted(w->self, r, value, g->line);
}

unsigned long
guard_repeat_factor(const struct guard *g, const struct traits *t, bool failed)
{
	const struct policy *p = g->policy;

	if (t->often > 0)
		return t->often / (p->warn + (p->warn == 0)) + 1;
	return !t->poll ? 1 : p->poll *
	    (t->patient && (!failed || t->awaited) ? PATIENCE : 1);
}

void
traits_update(struct traits *t, enum going state, bool patient, bool failed)
{
	t->poll |= state == UNDER_WAY;
	t->patient |= patient;
	if (state >= OVER && !t->pauses)
		t->poll = t->patient = t->awaited = false;
	if ((t->asked && !failed) || t->often > 0)
		t->awaited = t->poll = t->patient = true;
}

int
repeat_weight(bool poll, bool transient)
{
	return poll ? POINT / 3 : transient ? POINT / 2 : POINT;
}

void
step_raise_weight(struct step *s, int weight, bool spared)
{
	if (weight > 0)
		s->spared = spared && (s->weight == 0 || s->spared);
	if (weight > s->weight)
		s->weight = weight;
}

void
guard_note_stuck(struct guard *g, unsigned long n, unsigned long times)
{
	n /= times;
	if (n > g->stuck)
		g->stuck = (unsigned)n;
	g->step.stuck |= n >= g->policy->stuck;
}

/* ---- resets ---- */

void
stall_reset(struct stall *s)
{
	call_row_clear(&s->calls);
	*s = (struct stall){ .score = 0 };
}

static void
halt_clear(struct halt *h)
{
	free(h->call.id);
	free(h->message);
	*h = (struct halt){ .on = false };
}

/* Files have changed: streaks and cycles start over. */
void
guard_note_progress(struct guard *g)
{
	g->epoch++;
	g->stuck = 0;
	streaks_clear(&g->faults);
	streaks_clear(&g->same);
	hash_set_clear(&g->answered);
	g->cycle.n = 0;
}

static void
turn_begin(struct guard *g)
{
	guard_note_progress(g);
	g->epoch = g->window = g->news = g->shown_new = 0;
	g->passed = g->thought = g->ran = g->acted = g->made = 0;
	g->steps = 0;
	g->calls = g->reads = g->still = 0;
	g->calls_asked = g->task = g->waited = g->planned = false;
	g->asks = ASKS_ONCE;
	streaks_clear(&g->seen);
	streaks_clear(&g->states);
	g->turns++;
	buf_reset(&g->kept);
	hash_set_clear(&g->lines);
	hash_set_clear(&g->errors);
	files_clear(&g->files);
	call_row_clear(&g->last);
	stall_reset(&g->stall);
	g->text_only = 0;
	g->answers = (struct answers){ .ran = g->answers.ran,
		.compacted = g->answers.compacted };
}

void
guard_turn(struct guard *g)
{
	g->turn++;
	halt_clear(&g->halt);
	g->rules->turn(g);
}

static void
at_most(unsigned *v, unsigned long most)
{
	if (*v > most)
		*v = (unsigned)most;
}

/* The loop retries after a failed turn: lower the counts to the warn level. */
static void
recover(struct guard *g)
{
	const struct policy *p = g->policy;

	halt_clear(&g->halt);
	for (unsigned i = 1; i <= g->seen.n; i++) {
		struct streak *e = &g->seen.e[i];
		at_most(&e->n, p->warn * e->times);
		at_most(&e->weak, p->weak_warn * e->times);
		e->refused = 0;
	}
	for (unsigned i = 1; i <= g->faults.n; i++) {
		at_most(&g->faults.e[i].n, p->same_warn);
		g->faults.e[i].refused = 0;
	}
	at_most(&g->stuck, p->warn);
	if (g->stall.score > p->stall_warn * POINT)
		g->stall.score = p->stall_warn * POINT;
	g->stall.asked = g->stall.over = false;
}

/* ---- other records ---- */

/* limit: the window of a limit record; -1: of the configuration. */
static bool
is_small_window(const struct policy *p, long limit)
{
	long window = budget_from(p->conf, limit).window;

	return !p->reads_set && window > 0 && window < SMALL_WINDOW;
}

/* A person's message: what it says matters only once a call is repeated. */
static void
hear(struct guard *g, const struct rec *r)
{
	struct slice contract = msg_meta(r, "contract");
	struct slice content = rec_get(r, "content");

	g->task = scan_str_is(contract, "hard") ||
	    scan_str_is(contract, "soft");
	buf_reset(&g->text);
	if (content.n <= PERSON_MAX)
		msg_text(content, &g->text);
	struct slice text = buf_view(&g->text), said = buf_view(&g->said);
	bool brief = said.n > 0 && content.n <= PERSON_MAX && text.n <= GO_MAX;
	/* who says only "ok go" asks for what they approve of */
	if (brief && prose_asks(text, &g->often) == ASKS_ONCE)
		text = said;
	if (!brief || !slice_ends(said, "?")) {
		buf_reset(&g->errand);
		buf_slice(&g->errand, text);
	}
	buf_reset(&g->person);
	buf_slice(&g->person, text);
	buf_reset(&g->said);
	g->asks = ASKS_UNREAD;
	g->often = 0;
}

/* Learn from a record that is neither a call nor a result. */
static void
learn(struct guard *g, const struct rec *r)
{
	struct slice contract, one;
	int64_t n;

	switch (r->kind) {
	case R_USER: hear(g, r); break;
	case R_COMPACTION:
		hash_set_clear(&g->lines);
		g->window++;
		g->answers.compacted = true;
		break;
	case R_RECOVERY: recover(g); break;
	case R_VERIFICATION: g->answers.ran = AFTER_CHANGE; break;
	case R_UNDO:
		/* someone else undid an edit: earlier checks and results are
		 * about other states of the files, and a return to a state is
		 * not the model's doing */
		guard_note_progress(g);
		stall_reset(&g->stall);
		g->news++;
		g->answers.ran = BEFORE_CHANGE;
		for (struct walk w = walk_elements(rec_get(r, "paths"));
		    walk_next(&w, NULL, &one); ) {
			hash_set_clear(&g->files.edits);
			files_set_state(&g->files, sign_value(scan_get(one,
			    "path")), sign_value(scan_get(one, "sha256")));
		}
		break;
	case R_HAMR: signer_root(&g->signer, rec_get(r, "cwd")); break;
	case R_CONFIG:
		contract = scan_get(rec_get(r, "set"), "agent.contract");
		if (!g->policy->contract_flag &&
		    scan_kind(contract) == SCAN_STRING)
			g->contract = scan_str_is(contract, "change");
		break;
	case R_LIMIT:
		if (!rec_int(r, "context_tokens", &n) || n <= 0)
			n = -1;
		g->few_reads = is_small_window(g->policy, (long)n);
		break;
	default: break;
	}
}

const struct rules guard_rules = { .calls = guard_calls,
	.result = guard_result, .step = guard_step, .answer = guard_answer,
	.record = learn, .turn = turn_begin };

/* ---- records ---- */

static void
calls_forget(struct guard *g)
{
	for (size_t i = 0; i < g->ncall; i++) {
		if (g->rules->forget != NULL)
			g->rules->forget(g->call[i].seen);
		free(g->call[i].id);
	}
	g->ncall = 0;
	pairing_reset(&g->pairing);
}

/* Copy a text and a NUL to `to`; returns their end. */
static char *
put_text(char *to, struct slice text)
{
	memcpy(to, text.p, text.n);
	to[text.n] = '\0';
	return to + text.n + 1;
}

/* A call was made again.  Looking after a change, or tidying up after something
 * else was done, may be right.  If the person's message names the call and asks
 * for a repetition in words that we know, it may be repeated as long as it is
 * not in vain; if not, it may have asked all the same for what does something
 * in few words, or for a look after each thing done. */
static void
take_again(struct guard *g, struct traits *t, const struct streak *e)
{
	bool does = t->runs && !is_question(t);
	bool wanted = g->asks >= ASKS_UNTIL && (e->failed ? e->transient :
	    does && !e->vain);

	t->late = !does && !t->edits && !t->looks && !e->failed && e->n > 1 &&
	    (t->mutates ? e->ran != g->ran : e->acted != g->acted);
	if (!wanted && (e->failed || t->edits || (does ? !e->brief || e->vain ||
	    t->consults : e->ran == g->ran)))
		return;
	if (!prose_names(buf_view(&g->errand), sign_text_of(&g->signer, t),
	    !wanted && (t->bash || !does)))
		return;
	t->late = true;
	if (wanted && g->asks == ASKS_OFTEN)
		t->often = g->often;
	else if (wanted)
		t->awaited = t->poll = t->patient = true;
}

/* What a person asks for may be repeated: a poll, a click or a key as long as
 * it takes, or as often as any number that they name; another call as often as
 * they say, or while it does not fail.  Once a file is edited, they spoke of
 * what a program is to do. */
static void
take_asked(struct guard *g, struct traits *t)
{
	const struct streak *e = streaks_get(&g->seen, t->does);

	if (t->edits) {
		g->asks = ASKS_ONCE;
		g->often = 0;
	} else if (g->asks == ASKS_UNREAD && e != NULL) {
		/* the message matters only once a call is repeated */
		g->asks = prose_asks(buf_view(&g->person), &g->often);
	}
	if (e != NULL && e->weak > 1 && e->epoch == g->epoch)
		take_again(g, t, e);
	if (g->asks >= ASKS_UNTIL && (t->poll || t->acts))
		t->awaited = t->poll = t->patient = true;
	else if (t->looks || (t->bash && t->reads))
		return;
	else if (g->asks == ASKS_OFTEN || (t->acts && g->often > 0))
		t->often = g->often;
	else if (g->asks == ASKS_EVERY || (g->asks == ASKS_UNTIL &&
	    (t->fetches || t->asks)))
		t->asked = !t->mutates && !t->sends && !t->alters &&
		    !(t->seeks && (t->files || t->bash));
}

static void
take_in(struct guard *g, const struct call *c)
{
	const struct policy *p = g->policy;
	struct slice id = c->id.p != NULL ? c->id : SLICE("\"\"");
	struct slice name = c->name.p != NULL ? c->name : SLICE("\"\"");
	struct slice tool = scan_plain(name);

	GROW(g->call, g->ncall, g->capcall);
	struct open_call *o = &g->call[g->ncall];
	if (tool.p == NULL) {
		buf_reset(&g->text);
		scan_str(name, &g->text);
		tool = buf_view(&g->text);
	}
	tool = policy_tool(p, tool);
	*o = (struct open_call){ .line = g->line, .turn = g->turn,
		.step = g->steps };
	o->id = xmalloc(id.n + name.n + tool.n + 3);
	o->name = put_text(o->id, id);
	o->tool = put_text(o->name, name);
	put_text(o->tool, tool);
	/* the arguments may be an object instead of its text */
	struct slice args = sign_call(&g->signer, tool = slice_of(o->tool),
	    c->given, &o->is);
	if (g->rules->taken != NULL)
		g->rules->taken(g, o, args);
	/* a call without a name cannot run */
	o->exempt = c->name.p == NULL || slice_in(tool, p->exempt);
	o->is.poll |= g->waited || slice_in(tool, p->poll_tools);
	o->is.patient |= g->waited ? !o->is.waits : o->is.pauses;
	take_asked(g, &o->is);
	/* also idle: a plan changed with no work in between, and the same
	 * thought under another number */
	o->is.idle |= o->is.plans && g->planned;
	o->is.idle |= o->is.thought != 0 && o->is.thought == g->thought;
	if (o->is.thought != 0)
		g->thought = o->is.thought;
	pairing_call(&g->pairing, c->id, g->ncall++);
}

static void
result(struct guard *g, const struct rec *r)
{
	size_t at = pairing_result(&g->pairing, rec_get(r, "tool_call_id"));

	if (at == (size_t)-1)
		return;
	struct open_call *c = &g->call[at];
	if (c->turn == g->turn && c->action < ACT_BLOCK &&
	    c->action != ACT_SHARE && !result_is_refusal(r))
		g->rules->result(g, c, r);
	if (at >= g->step.first && g->step.left > 0 && --g->step.left == 0)
		g->rules->step(g);
}

bool
guard_is_own(const struct rec *r)
{
	if (rec_is_message(r->kind))
		return msg_by(r, "guard");
	return (r->kind == R_VERDICT || r->kind == R_CONSTRAIN) &&
	    rec_str_is(r, "stage", "hamr-guard");
}

void
guard_record(struct guard *g, const struct rec *r)
{
	struct call c;

	if (g->policy->off)
		return;
	g->line = g->signer.line = r->no;
	if (rec_is_message(r->kind) && r->kind != R_TOOL) {
		/* the current step gets no more verdicts */
		if (g->pairing.open == 0 || g->ncall >= POOL_MAX)
			calls_forget(g);
		g->step = (struct step){ .first = g->ncall, .polls = true };
	}
	if (r->kind == R_ASSISTANT) {
		for (struct walk w = walk_of(rec_get(r, "tool_calls"));
		    msg_next_call(&w, &c); ) {
			if (g->step.left++ == 0) {
				g->steps++;
				/* those before can no longer be written */
				buf_reset(&g->signer.texts);
			}
			take_in(g, &c);
		}
		if (g->step.left > 0)
			g->rules->calls(g);
		else if (g->rules->answer != NULL)
			g->rules->answer(g, r);
	} else if (r->kind == R_TOOL) {
		result(g, r);
	} else if (r->kind != R_USER) {
		g->rules->record(g, r);
	} else if (msg_is_person(r)) {
		guard_turn(g);
		g->rules->record(g, r);
	}
}

void
guard_init(struct guard *g, const struct rules *rules,
    const struct sink *v, const struct policy *p)
{
	*g = (struct guard){ .rules = rules, .policy = p, .sink = *v,
		.text = BUF_INIT(BUF_RECORD_MAX),
		.kept = BUF_INIT(BUF_RECORD_MAX),
		.person = BUF_INIT(PERSON_MAX),
		.errand = BUF_INIT(PERSON_MAX),
		.said = BUF_INIT(PERSON_MAX),
		.scratch = { BUF_INIT(BUF_RECORD_MAX),
		BUF_INIT(BUF_RECORD_MAX) }, .cycle.cap = p->window };
	g->contract = p->contract;
	g->few_reads = g->small = is_small_window(p, -1);
	g->patch = true;
}

void
guard_reset(struct guard *g)
{
	guard_turn(g);
	g->turn = 0;
	g->answers = (struct answers){ .ran = NEVER };
	g->patch = true;
	buf_reset(&g->errand);
	buf_reset(&g->said);
	signer_root(&g->signer, (struct slice){ NULL, 0 });
	g->contract = g->policy->contract;
	g->few_reads = g->small;
	calls_forget(g);
	g->step = (struct step){ .first = 0 };
}

void
guard_release(struct guard *g)
{
	guard_reset(g);
	pairing_reset(&g->pairing);
	hash_set_release(&g->lines);
	hash_set_release(&g->errors);
	hash_set_release(&g->answered);
	streaks_release(&g->seen);
	streaks_release(&g->faults);
	streaks_release(&g->same);
	streaks_release(&g->states);
	files_release(&g->files);
	free(g->call);
	bufs_release(BUFS(&g->text, &g->kept, &g->person, &g->errand,
	    &g->said, &g->scratch[0], &g->scratch[1]));
	signer_release(&g->signer);
}
