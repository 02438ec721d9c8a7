/* retain.c - whether a request still has what it must not lose. */
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "msg.h"

#include "deed.h"
#include "retain.h"

#define PIECE ((size_t)64 << 10)	/* searched at a time, from the end */

/* ---- looking ---- */

static void
count(struct kept *k, const struct need *need, bool more)
{
	for (int i = 0; i < NEED_KINDS; i++)
		k->have[i] += more ? need->weight[i] : -need->weight[i];
}

/* What was learnt since: new needs, and more weight of others. */
static void
learn(struct kept *k, const struct needs *s)
{
	for (; k->n < s->n; k->n++) {
		k->at = xgrow(k->at, k->n, &k->cap, sizeof *k->at);
		k->at[k->n] = 0;
	}
	for (; k->events < s->nlog; k->events++)
		k->have[s->log[k->events].kind] +=
		    k->at[s->log[k->events].need] > 0;
}

/* Words from `upto` on are others now. */
static void
forget(struct kept *k, const struct needs *s, size_t upto)
{
	if (k->looked > upto)
		k->looked = upto;
	while (k->nfound > 0 && k->at[k->found[k->nfound - 1]] > k->looked) {
		size_t i = k->found[--k->nfound];

		k->at[i] = 0;
		count(k, &s->v[i], false);
	}
}

struct look {
	struct kept *k;
	const struct needs *s;
};

static void
found(void *self, size_t i, size_t at)
{
	struct look *l = self;
	struct kept *k = l->k;

	if (k->at[i] > 0)
		return;
	k->at[i] = at + 1;
	k->found = xgrow(k->found, k->nfound, &k->capfound,
	    sizeof *k->found);
	k->found[k->nfound++] = i;
	count(k, &l->s->v[i], true);
}

static void
add_shares(struct kept *k, const struct needs *s,
    const size_t have[NEED_KINDS], size_t last)
{
	size_t n = s->nusers < NEED_LAST ? s->nusers : NEED_LAST;

	for (int i = 0; i < NEED_KINDS; i++) {
		if (s->all[i] == 0)
			continue;
		k->share[i] += (double)have[i] / (double)s->all[i];
		k->asked[i]++;
	}
	if (n == 0)
		return;
	k->last += (double)last / (double)n;
	k->asked_last++;
}

void
kept_look(struct kept *k, const struct needs *s, struct shot *shot)
{
	struct look l = { k, s };
	size_t last = 0;

	forget(k, s, shot->kept);
	learn(k, s);
	needs_find(s, buf_view(&shot->words), k->looked, &l, found);
	k->looked = shot->kept = shot->words.len;
	for (size_t i = 0; i < NEED_LAST && i < s->nusers; i++)
		last += k->at[s->users[i]] > 0;
	add_shares(k, s, k->have, last);
}

static bool
is_in_plain(const struct need *need, size_t from)
{
	return need->said || need->result > from;
}

void
kept_plain(struct kept *k, const struct needs *s, size_t from)
{
	size_t have[NEED_KINDS], last = 0, at = s->newest;

	for (int i = 0; i < NEED_KINDS; i++)
		have[i] = s->said[i] + (from == 0 ? s->results[i] : 0);
	for (; from > 0 && at > 0 && s->v[at - 1].result > from;
	    at = s->v[at - 1].older)
		for (int i = 0; i < NEED_KINDS; i++)
			have[i] += s->v[at - 1].weight[i];
	for (size_t i = 0; i < NEED_LAST && i < s->nusers; i++)
		last += is_in_plain(&s->v[s->users[i]], from);
	add_shares(k, s, have, last);
}

size_t
last_place(struct slice text, size_t end, struct slice what)
{
	while (end > 0) {
		size_t from = end > PIECE ? end - PIECE : 0, at = 0;
		size_t stop = end + what.n - 1;
		const char *p = text.p + from, *q;

		if (stop > text.n)
			stop = text.n;
		for (; (q = memmem(p, (size_t)(text.p + stop - p), what.p,
		    what.n)) != NULL; p = q + 1)
			at = (size_t)(q - text.p) + 1;
		if (at > 0)
			return at;
		end = from;
	}
	return 0;
}

void
kept_release(struct kept *k)
{
	free(k->at);
	free(k->found);
	*k = (struct kept){ 0 };
}

static double
percent(double part, size_t whole)
{
	return whole > 0 ? 100 * part / (double)whole : -1;
}

double
kept_percent(const struct kept *k, enum need_kind kind)
{
	return percent(k->share[kind], k->asked[kind]);
}

double
kept_percent_last(const struct kept *k)
{
	return percent(k->last, k->asked_last);
}

double
kept_percent_edits(const struct kept *k)
{
	return percent((double)k->supported, k->edits);
}

/* ---- edits ---- */

static void
each_old(struct slice args, void *self,
    void (*each)(void *self, struct slice old))
{
	struct buf text = BUF_INIT(BUF_RECORD_MAX);
	struct slice val;
	struct walk w;

	if (scan_str(scan_get(args, "old"), &text) && text.len > 0)
		each(self, buf_view(&text));
	walk_in(&w, scan_get(args, "edits"));
	while (walk_next(&w, NULL, &val)) {
		buf_reset(&text);
		if (scan_str(scan_get(val, "old"), &text) && text.len > 0)
			each(self, buf_view(&text));
	}
	buf_release(&text);
}

void
edits_of(const struct rec *r, void *self,
    void (*each)(void *self, struct slice old))
{
	struct walk w;
	struct call c;

	walk_in(&w, rec_get(r, "tool_calls"));
	while (msg_next_call(&w, &c)) {
		struct deed d;

		deed_of(&d, &c);
		if (d.kind == TOOL_EDIT)
			each_old(buf_view(&d.args), self, each);
		deed_release(&d);
	}
}
