/* profile_say.c - what a profile's room says of a call, held and said. */
#include <stdlib.h>

#include "mem.h"
#include "profile_in.h"
#include "say.h"

void
held_free(struct held *h)
{
	if (h == NULL)
		return;
	for (size_t i = 0; i < h->n; i++)
		free(h->id[i]);
	free(h->id);
	free(h->line);
	free(h->message);
	free(h);
}

static char *
words_of(const struct pcall *c, const struct remark *r)
{
	struct pfacts f = { .tool = c->tool, .count = r->count,
		.period = r->period, .laps = r->laps, .wait = r->wait, .history = r->history,
		.limit = r->halt != 0 ? r->halt :
		    r->block != 0 ? r->block : r->warn };
	struct buf b = BUF_INIT(BUF_RECORD_MAX);

	profile_words(r->word, &f, &b);
	buf_adds(&b, "");
	return buf_detach(&b);
}

static void
take_evidence(struct held *h, char *const *id, const size_t *line, size_t n)
{
	h->n = n;
	h->id = xcalloc(n + 1, sizeof *h->id);
	h->line = xcalloc(n + 1, sizeof *h->line);
	for (size_t i = 0; i < n; i++) {
		h->id[i] = xstrdup(id[i]);
		h->line[i] = line[i];
	}
	h->v.evidence = h->id;
	h->v.nevidence = n;
	h->why.line = h->line;
}

static struct held *
hold(const struct pcall *c, const struct remark *r)
{
	struct held *h = xcalloc(1, sizeof *h);

	h->v = (struct verdict){ .action = r->action, .rule = r->rule,
		.count = r->count, .level = r->level,
		.leveled = r->action == ACT_WARN };
	h->why = (struct why){ .warn = r->warn, .block = r->block,
		.halt = r->halt, .poll = r->poll, .same = r->count,
		.period = r->period, .laps = r->laps };
	h->message = words_of(c, r);
	h->v.message = h->message;
	if (r->page != NULL)
		take_evidence(h, r->page->id, r->page->line, r->page->nid);
	else
		take_evidence(h, r->id, r->line, r->nid);
	return h;
}

void
held_say(struct profile *p, const struct pcall *c, struct held *h,
    enum phase phase)
{
	struct firing f = { .v = &h->v, .why = &h->why, .line = p->line,
		.call_line = c->line, .turn = p->turn };

	h->v.call_id = c->id;
	h->v.name = c->name;
	h->v.signature = c->sig;
	h->v.phase = phase;
	if (h->v.action >= ACT_BLOCK && p->env.status)
		stage_status(p->env.stage, ST_NO);
	say_verdict(p->env.stage, &h->v);
	if (p->env.watch != NULL && p->env.watch->fired != NULL)
		p->env.watch->fired(p->env.watch->self, &f);
}

void
profile_say(struct profile *p, struct pcall *c, const struct remark *r)
{
	struct held *h;

	if (c->refused || (r->action == ACT_WARN && c->nremarks == REMARKS))
		return;
	h = hold(c, r);
	if (r->action == ACT_WARN) {
		c->held[c->nremarks++] = h;
		return;
	}
	c->refused = true;
	held_say(p, c, h, PHASE_CALL);
	if (r->action != ACT_HALT) {
		held_free(h);
		return;
	}
	p->halt = h;
	p->halt_id = xstrdup(c->id);
	p->halt_line = c->line;
}

void
profile_say_halted(struct profile *p, struct pcall *c)
{
	struct held h = *p->halt;

	h.v.evidence = &p->halt_id;
	h.v.nevidence = 1;
	h.why.line = &p->halt_line;
	c->refused = true;
	held_say(p, c, &h, PHASE_CALL);
}

void
profile_say_allow(struct profile *p, struct pcall *c)
{
	struct held h = { .v = { .action = ACT_ALLOW, .rule = RULE_REPEAT } };

	held_say(p, c, &h, PHASE_CALL);
}
