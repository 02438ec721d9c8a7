/* answers.c - the text phase: is a message without calls an answer? */
#include <stdlib.h>

#include "guard.h"
#include "status.h"

#define NUDGES_CALL 3		/* since the last call */
#define NUDGES_TURN 6

static bool
has_ended(const struct rec *r)
{
	struct slice f = rec_get(r, "finish_reason");

	return scan_kind(f) != SCAN_STRING || scan_str_is(f, "stop");
}

static bool
is_answer(struct guard *g, const struct rec *r)
{
	buf_reset(&g->text);
	msg_text(rec_get(r, "content"), &g->text);
	return !has_ended(r) || !status_only(buf_view(&g->text)) ||
	    g->nudged_call >= NUDGES_CALL || g->nudged_turn >= NUDGES_TURN;
}

void
guard_answer(struct guard *g, const struct rec *r)
{
	struct verdict v = { .phase = PHASE_TEXT, .rule = RULE_STATUS_ONLY };
	struct nudge nudge = { .n = 0 };
	char sig[SHA_HEX], *message;

	if (g->text_only > 0)
		g->text_only--;
	v.action = is_answer(g, r) ? ACT_ALLOW : ACT_WARN;
	if (v.action == ACT_ALLOW && !g->policy->allow)
		return;
	sign_text(&g->sign, buf_view(&g->text), sig);
	v.signature = sig;
	v.count = g->nudged_call;
	if (v.action == ACT_ALLOW) {
		say_verdict(g->stage, &v);
		return;
	}
	v.count = ++g->nudged_call;
	g->nudged_turn++;
	message = guard_words(W_STATUS_ONLY, &(struct facts){ .count = 0 });
	v.message = message;
	say_verdict(g->stage, &v);
	nudge_add(&nudge, v.rule, message);
	nudge_say(&nudge, g->stage);
	free(message);
}
