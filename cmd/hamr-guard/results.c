/* results.c - the result phase: what came of a call, and of a whole step. */
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "guard.h"
#include "text.h"

#define LOOK_MAX 2048		/* bytes of an error that are searched */

/* ---- what a result says ---- */

struct outcome {
	struct digest d;
	bool failed, cached, transient;
	bool silent;		/* a command that printed nothing */
	enum { SAME_FILES, NEW_STATE, OLD_STATE } files;
};

static bool
may_pass(const struct rec *r, struct slice text)
{
	static const char *const codes[] = { "timeout", "rate_limited",
		"overloaded", "network", NULL };
	static const char *const signs[] = { "timed out", "timeout", "429",
		"rate limit", "too many requests", "connection refused",
		"connection reset", "temporarily unavailable", NULL };
	struct slice code = msg_meta(r, "error");
	char *start;
	bool yes = false;

	for (size_t i = 0; codes[i] != NULL; i++)
		if (scan_str_is(code, codes[i]))
			return true;
	start = xmemdup0(text.p, text.n < LOOK_MAX ? text.n : LOOK_MAX);
	for (size_t i = 0; signs[i] != NULL && !yes; i++)
		yes = strcasestr(start, signs[i]) != NULL;
	free(start);
	return yes;
}

/* The text of the result, borrowed; its images are digested at once. */
static struct slice
text_of(struct guard *g, const struct rec *r, struct digest *d)
{
	struct slice content = rec_get(r, "content"), part;
	struct slice plain = scan_plain(content);
	struct walk w;

	if (plain.p != NULL)
		return plain;
	buf_reset(&g->text);
	buf_adds(&g->text, "");
	if (scan_kind(content) == SCAN_STRING)
		scan_str(content, &g->text);
	if (scan_kind(content) != SCAN_ARRAY)
		return buf_view(&g->text);
	walk_in(&w, content);
	while (walk_next(&w, NULL, &part)) {
		struct slice text = scan_kind(part) == SCAN_STRING ? part :
		    scan_get(part, "text");

		if (!scan_str(text, &g->text))
			text_other(part, &g->lines, d);
	}
	return buf_view(&g->text);
}

/* A state of a file, by what its path and its content's hash are. */
static bool
is_new_state(struct guard *g, struct slice path, struct slice sha)
{
	uint64_t h = text_hash(path.p, path.n, 1);

	return hset_add(&g->states, text_hash(sha.p, sha.n, h));
}

/* What meta tells of changed files. */
static void
files_of(struct guard *g, const struct rec *r, struct outcome *o)
{
	struct slice path = msg_meta(r, "path"), sha, m;
	struct walk w;
	bool any = false, fresh = false;

	sha = msg_meta(r, "sha256_before");
	if (path.p != NULL && scan_kind(sha) == SCAN_STRING)
		is_new_state(g, path, sha);
	m = msg_meta(r, "mutated");
	if (scan_kind(m) == SCAN_ARRAY) {
		struct slice el;

		walk_in(&w, m);
		while (walk_next(&w, NULL, &el)) {
			any = true;
			fresh |= is_new_state(g, scan_get(el, "path"),
			    scan_get(el, "sha256"));
		}
	}
	sha = msg_meta(r, "sha256_after");
	if (!any && path.p != NULL && scan_kind(sha) == SCAN_STRING) {
		any = true;
		fresh = is_new_state(g, path, sha);
	}
	if (any)
		o->files = fresh ? NEW_STATE : OLD_STATE;
}

/* Without meta: an edit's content is told by its arguments, a command's work
 * by the list of commands that change files. */
static void
files_guessed(struct guard *g, const struct open_call *c, struct outcome *o)
{
	if (o->failed || !c->about.mutates)
		return;
	o->files = NEW_STATE;
	if (c->about.edits && !hset_add(&g->states,
	    text_hash(c->about.sig, SHA_HEX, 2)))
		o->files = OLD_STATE;
}

static void
read_outcome(struct guard *g, const struct open_call *c, const struct rec *r,
    struct outcome *o)
{
	struct slice text;

	*o = (struct outcome){ .failed = scan_true(rec_get(r, "is_error")),
		.cached = scan_true(msg_meta(r, "cached")) };
	text = text_of(g, r, &o->d);
	text_digest(text, &g->lines, &o->d);
	if (o->failed) {
		o->d.hash = ~o->d.hash;
		o->transient = may_pass(r, text);
	}
	if (o->cached || c->about.idle)
		o->d.gain = 0;
	/* hamr-tool's first line is the exit status */
	o->silent = c->about.bash && (o->d.lines == 0 ||
	    (o->d.lines == 1 && slice_starts(text, "exit ")));
	if (scan_kind(rec_get(r, "meta")) == SCAN_OBJECT)
		files_of(g, r, o);
	else
		files_guessed(g, c, o);
}

/* ---- what it does to the state ---- */

static bool
is_progress(const struct open_call *c, const struct outcome *o, bool known)
{
	if (o->files != NEW_STATE || c->about.idle)
		return false;
	if (c->about.edits)
		return !o->failed;
	return !known || o->d.gain > 0;
}

static void
news(struct guard *g)
{
	g->news++;
	g->step.news = true;
	stall_reset(&g->stall);
}

/* The streak of this signature; true when the outcome is unchanged. */
static bool
count(struct guard *g, struct open_call *c, struct seen *e,
    const struct outcome *o, bool *excused)
{
	bool same = e->n > 0 && e->epoch == g->epoch &&
	    (o->cached || e->raw == o->d.hash);

	*excused = same && e->window != g->window;
	if (same && !*excused) {
		e->n++;
	} else if (!same) {
		e->n = 1;
		e->blocked = 0;
		e->told = g->news;
		seen_forget_ids(e);
		if (!o->cached || e->epoch != g->epoch)
			e->raw = o->d.hash;
	}
	e->epoch = g->epoch;
	e->window = g->window;
	e->transient = o->transient;
	e->poll = c->about.poll;
	seen_id(e, c->id);
	cycle_push(&g->cycle, guard_pair(e));
	c->count = e->n;
	return same;
}

/* How much this call adds to the stall score, in sixths. */
static int
weight(const struct open_call *c, const struct outcome *o, bool known,
    bool same, bool excused)
{
	if (c->about.idle)
		return POINT;
	if (same && !excused)
		return guard_weight(c->about.poll, o->transient);
	if (o->files == OLD_STATE)
		return POINT;
	if (o->d.gain > 0 || excused)
		return 0;
	if (!known && (o->failed || o->silent))
		return 0;
	return c->about.poll ? POINT / 3 : POINT / 2;
}

static void
outcome(struct guard *g, struct open_call *c, const struct rec *r)
{
	const struct policy *p = g->policy;
	bool known = seen_get(&g->seen, c->about.sig) != NULL;
	bool progress, same, excused;
	struct outcome o;

	read_outcome(g, c, r, &o);
	progress = is_progress(c, &o, known);
	if (progress) {
		g->epoch++;
		cycle_clear(&g->cycle);
	}
	if (progress || (o.d.gain > 0 && o.d.gain >= p->min_gain))
		news(g);
	if (c->exempt)
		return;
	same = count(g, c, seen_put(&g->seen, c->about.sig), &o, &excused);
	c->warn = same && !excused &&
	    c->count >= p->warn * (c->about.poll ? p->poll : 1);
	step_weigh(&g->step, weight(c, &o, known, same, excused));
	g->step.idle |= c->about.idle;
}

/* ---- the end of a step ---- */

static void
stall_add(struct guard *g)
{
	struct stall *s = &g->stall;
	const char *id = g->call[g->ncall - 1].id;

	s->score += (unsigned long)g->step.weight;
	if (strlen(id) > SEEN_ID_MAX)
		return;
	if (s->nid == STALL_IDS) {
		free(s->id[0]);
		memmove(s->id, s->id + 1, (STALL_IDS - 1) * sizeof *s->id);
		s->nid--;
	}
	s->id[s->nid++] = xstrdup(id);
}

static void
say_warn(struct guard *g, struct open_call *c, struct verdict *v,
    enum word w, const struct facts *f, struct nudge *nudge)
{
	char *message = guard_words(w, f);

	v->action = ACT_WARN;
	v->phase = PHASE_RESULT;
	v->call_id = c->id;
	v->name = c->name;
	v->signature = c->about.sig;
	v->message = message;
	say_verdict(g->stage, v);
	nudge_add(nudge, v->rule, message);
	free(message);
}

static void
warn_streak(struct guard *g, struct open_call *c, struct nudge *nudge)
{
	struct seen *e = seen_get(&g->seen, c->about.sig);
	char *tool = guard_tool(c);
	struct facts f = { .tool = slice_of(tool), .count = c->count,
		.steps = g->stall.steps };
	struct verdict v = { .count = c->count, .rule = RULE_REPEAT };
	enum word w = W_REPEAT_WARN;

	if (e != NULL) {
		v.rule = guard_name_streak(g, e, &f);
		v.evidence = e->id;
		v.nevidence = e->nid - (e->nid > 0);	/* not itself */
		e->told = g->news;
	}
	if (v.rule == RULE_CYCLE) {
		w = W_CYCLE_WARN;
	} else if (c->about.poll) {
		w = W_REPEAT_POLL;
		f.laps = c->count - g->policy->warn * g->policy->poll;
	}
	say_warn(g, c, &v, w, &f, nudge);
	free(tool);
}

static void
warn_stall(struct guard *g, struct nudge *nudge)
{
	const struct policy *p = g->policy;
	struct stall *s = &g->stall;
	bool limit = s->score >= p->stall_limit * POINT;
	struct facts f = { .steps = s->steps };
	struct verdict v = { .rule = RULE_STALL, .count = s->score / POINT,
		.evidence = s->id, .nevidence = s->nid };

	/* a refused call was told enough */
	if (!limit && (s->score < p->stall_warn * POINT || g->step.blocked))
		return;
	say_warn(g, &g->call[g->ncall - 1], &v, limit ? W_STALL_TEXT :
	    g->step.idle ? W_STALL_IDLE : W_STALL_WARN, &f, nudge);
	if (limit && s->asked) {
		s->over = true;
	} else if (limit) {
		s->asked = true;
		g->text_only = 1;
		say_constrain(g->stage, RULE_STALL);
	}
}

static void
step_end(struct guard *g)
{
	struct nudge nudge = { .n = 0 };

	if (!g->step.news)
		g->stall.steps++;
	if (!g->step.news && g->step.weight > 0)
		stall_add(g);
	for (size_t i = g->step.first; i < g->ncall; i++)
		if (g->call[i].warn)
			warn_streak(g, &g->call[i], &nudge);
	if (!g->step.news && g->step.weight > 0 && !g->step.halted)
		warn_stall(g, &nudge);
	nudge_say(&nudge, g->stage);
}

/* ---- a tool message ---- */

static bool
was_refused(const struct open_call *c, const struct rec *r)
{
	struct slice said = msg_meta(r, "verdict");

	return c->said == ACT_BLOCK || c->said == ACT_HALT ||
	    c->said == ACT_SHARE || scan_str_is(said, "block") ||
	    scan_str_is(said, "halt") || scan_str_is(said, "share");
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
