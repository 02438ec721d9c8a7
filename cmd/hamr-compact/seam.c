/* seam.c - one hamr-compact within: records in, requests and figures out. */
#include "seam.h"

void
seam_init(struct seam *s, const struct conf *conf, const char *strategy,
    long flag_window)
{
	*s = (struct seam){ .epoch = 0 };
	compact_init(&s->compact, conf, strategy, flag_window,
	    conf_str(conf, "provider.model"));
}

void
seam_every_call(struct seam *s)
{
	s->every_call = s->compact.set.every_call = true;
}

void
seam_release(struct seam *s)
{
	compact_release(&s->compact);
}

void
seam_reset(struct seam *s)
{
	compact_reset(&s->compact);
	s->epoch = 0;
	if (s->every_call)
		s->compact.set.every_call = true;
}

void
seam_record(struct seam *s, const struct rec *r)
{
	compact_record(&s->compact, r);
}

enum seam_answer
seam_go(struct seam *s, struct buf *messages, bool *epoch)
{
	struct compact *c = &s->compact;

	*epoch = false;
	if (view_nodes(c->view) == 0)
		return SEAM_NOTHING;
	if (!compact_decide(c))
		return SEAM_CLOSED;
	view_print(c->view, messages);
	*epoch = c->epoch.number != s->epoch;
	s->epoch = c->epoch.number;
	return SEAM_REQUEST;
}

void
seam_messages(struct seam *s, struct buf *messages)
{
	view_print(s->compact.view, messages);
}

uint64_t
seam_tools(const struct seam *s)
{
	return s->compact.tools_sum;
}

long
seam_size(const struct seam *s)
{
	return compact_size(&s->compact);
}

long
seam_tokens(const struct seam *s, uint64_t sum)
{
	return compact_tokens(&s->compact, sum);
}

const char *
seam_strategy(const struct seam *s)
{
	return s->compact.set.strategy->name;
}

const char *
seam_stage(const struct seam *s)
{
	return epoch_stage(&s->compact);
}

long
seam_room(const struct seam *s)
{
	return s->compact.budget.effective;
}

long
seam_high(const struct seam *s)
{
	long b = s->compact.budget.effective, high = s->compact.set.strategy->high;

	return b / 100 * high + b % 100 * high / 100;
}
