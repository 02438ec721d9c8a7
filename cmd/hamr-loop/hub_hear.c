/* hub_hear.c - a record that a stage wrote, and what it does. */
#include <stdlib.h>

#include "hub_in.h"

static void
answered(struct hub *h, struct slot *s)
{
	runlog_answered(h->log, (int)(s - h->slot));
	s->asked = 0;
	s->deadline = 0;
	s->barrier = s->cursor;
	s->restarts = 0;
	hub_commit_proposals(h, s);
}

static void
answer_ask(struct hub *h, const struct rec *r)
{
	struct json *o = json_object();
	struct slice id = rec_get(r, "id");
	struct ui_allow a = { .yes = false };
	int interrupts = h->interrupts;

	if (interrupts == 0)	/* else what is asked about is cancelled */
		a = ui_ask(h->ui, r, h->signals, &h->typed);

	json_str(o, "type", "answer");
	if (scan_kind(id) == SCAN_STRING)
		json_raw(o, "id", id);
	json_bool(o, "allow", a.yes);
	if (a.args != NULL)
		json_str(o, "arguments", a.args);
	if (a.reason != NULL)
		json_str(o, "reason", a.reason);
	if (a.yes)
		json_str(o, "scope", a.session ? "session" : "once");
	if (a.stop)
		json_bool(o, "stop", true);
	free(a.args);
	free(a.reason);
	hub_commit(h, o);
	hub_read_signals(h);
	if (a.stop && h->interrupts == interrupts) {
		h->refused = true;
		h->interrupts++;
	}
}

/* Records that are the loop's own to write. */
static bool
is_ours(enum rec_kind k)
{
	return k == R_HAMR || k == R_END || k == R_ANSWER || k == R_CONFIG ||
	    k == R_RECOVERY || k == R_COMPACT;
}

/* What is wrong with it, or NULL. */
static const char *
propose(struct slot *s, const struct rec *r)
{
	if (buf_reserve(&s->proposals, r->line.n + 1) < 0)
		return "proposes more than a session can hold";
	buf_slice(&s->proposals, r->line);
	buf_addc(&s->proposals, '\n');
	return NULL;
}

const char *
hub_said(struct hub *h, struct slot *s, const struct rec *r)
{
	int64_t n = 0;

	if (r->kind == R_GO || r->kind == R_SYNC) {
		rec_int(r, "n", &n);
		if (n != 0 && n == s->discard)
			s->discard = 0;
		else if (n != 0 && n == s->asked && s->discard == 0)
			answered(h, s);
		return NULL;
	}
	if (s->discard != 0)
		return NULL;
	if (is_ours(r->kind)) {
		err_say("stage %s wrote a record that only hamr-loop writes; "
		    "it is ignored", s->name);
	} else if (r->kind == R_REQUEST) {
		buf_reset(&h->request);
		buf_slice(&h->request, r->line);
	} else if (r->kind == R_ASK) {
		ui_passing(h->ui, r);
		answer_ask(h, r);
	} else if (rec_is_passing(r->kind)) {
		runlog_record(h->log, r);
		ui_passing(h->ui, r);
	} else if (s == &h->slot[SLOT_PROVIDER] || s == &h->slot[SLOT_TOOL]) {
		hub_commit_record(h, r);
		if (r->kind == R_START)
			hub_durable(h);
	} else {
		return propose(s, r);
	}
	return NULL;
}
