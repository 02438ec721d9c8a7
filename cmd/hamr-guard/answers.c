/* answers.c - the text phase: is a message without calls an answer? */
#include <stdlib.h>

#include "guard.h"
#include "prose.h"
#include "status.h"
#include "text_hash.h"

#define NUDGES_CALL 3		/* since the last call */
#define NUDGES_TURN 6
#define PLAN 2			/* the score from which a text is a plan */
#define MONOLOGUE 3

static bool
has_ended(const struct rec *r)
{
	struct slice f = rec_get(r, "finish_reason");

	/* null is that of a message that was cut while it came */
	return f.p == NULL || scan_str_is(f, "stop");
}

static struct slice
trimmed(struct slice s)
{
	while (s.n > 0 && (s.p[s.n - 1] == ' ' || s.p[s.n - 1] == '\n' ||
	    s.p[s.n - 1] == '\r' || s.p[s.n - 1] == '\t'))
		s.n--;
	while (s.n > 0 && (*s.p == ' ' || *s.p == '\n' || *s.p == '\r' ||
	    *s.p == '\t'))
		s = (struct slice){ s.p + 1, s.n - 1 };
	return s;
}

/* How often this text came in a row, with this one. */
static unsigned
repeated(struct answers *a, struct slice text)
{
	uint64_t h = text_hash(text.p, text.n, 7);

	a->same = a->same > 0 && a->text == h ? a->same + 1 : 1;
	a->text = h;
	return a->same;
}

/* What is wrong with it; false: nothing, it is an answer. */
static bool
is_none(struct guard *g, struct slice text, enum rule *rule, enum word *w)
{
	unsigned same = repeated(&g->answers, text);
	bool compacted = g->answers.compacted;
	int plan;

	g->answers.compacted = false;

	if (status_only(text)) {
		*rule = RULE_STATUS_ONLY;
		*w = W_STATUS_ONLY;
		return true;
	}
	tell_count(g, RULE_MONOLOGUE, same);
	if (same >= MONOLOGUE) {
		*rule = RULE_MONOLOGUE;
		*w = W_MONOLOGUE;
		return true;
	}
	if (!g->answers.ran && !compacted && prose_claims_pass(text)) {
		*rule = RULE_PREMATURE;
		*w = W_PREMATURE;
		return true;
	}
	plan = prose_plan(text);
	if (plan > 0)
		tell_count(g, RULE_PLAN_PROSE, (unsigned long)plan);
	*rule = RULE_PLAN_PROSE;
	*w = W_PLAN_PROSE;
	return plan >= PLAN;
}

static void
accept(struct guard *g)
{
	struct verdict v = { .action = ACT_ALLOW, .phase = PHASE_TEXT,
		.rule = RULE_STATUS_ONLY, .count = g->answers.nudged_call };
	char sig[SHA_HEX];

	if (!g->policy->allow)
		return;
	sign_text(&g->sign, buf_view(&g->text), sig);
	v.signature = sig;
	tell(g, NULL, &v, &(struct why){ .warn = 0 });
}

COLD static void
reject(struct guard *g, struct verdict *v, struct why *w)
{
	struct nudge nudge = { .n = 0 };
	char sig[SHA_HEX];

	sign_text(&g->sign, buf_view(&g->text), sig);
	v->action = ACT_WARN;
	v->phase = PHASE_TEXT;
	v->signature = sig;
	tell(g, NULL, v, w);
	nudge_add(&nudge, v->rule, v->message);
	nudge_say(&nudge, g->stage);
}

void
guard_answer(struct guard *g, const struct rec *r)
{
	struct answers *a = &g->answers;
	struct verdict v = { .action = ACT_WARN };
	struct why why = { .warn = NUDGES_CALL };
	struct slice text;
	char *message;
	enum word w;

	if (g->text_only > 0)
		g->text_only--;
	buf_reset(&g->text);
	buf_adds(&g->text, "");
	msg_text(rec_get(r, "content"), &g->text);
	text = trimmed(buf_view(&g->text));
	if (text.n == 0 || !has_ended(r) || !is_none(g, text, &v.rule, &w) ||
	    a->nudged_call >= NUDGES_CALL || a->nudged_turn >= NUDGES_TURN) {
		accept(g);
		return;
	}
	v.count = ++a->nudged_call;
	a->nudged_turn++;
	message = guard_words(w, &(struct facts){ .count = v.count });
	v.message = message;
	reject(g, &v, &why);
	free(message);
}
