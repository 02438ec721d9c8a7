/* act.c - what hamr-compact does at `go`: the callbacks of the stage. */
#include <stdlib.h>
#include <string.h>

#include "act.h"
#include "exhausted.h"
#include "modes.h"

static void
record(struct stage *s, const struct rec *r)
{
	struct act *a = s->self;

	compact_record(&a->compact, r);
}

static void
reset(struct stage *s)
{
	struct act *a = s->self;

	compact_reset(&a->compact);
}

/* ---- go ---- */

/* Is the line in parts what was read last of our own? */
static bool
was_seen(const struct compact *c, const struct slice *part, size_t n)
{
	const char *p = c->seen.p;
	size_t left = c->seen.len;

	for (size_t i = 0; i < n; i++) {
		if (part[i].n > left || memcmp(p, part[i].p, part[i].n) != 0)
			return false;
		p += part[i].n;
		left -= part[i].n;
	}
	return left == 0;
}

/* Write it, unless it stands there already: so a transcript that was compacted
 * goes through unchanged. */
static void
put_own(struct stage *s, enum rec_kind kind, const struct slice *part,
    size_t n)
{
	struct act *a = s->self;

	if (s->mode != STAGE_FILTER || !was_seen(&a->compact, part, n))
		stage_put_parts(s, kind, part, n);
}

static void
put_error(struct stage *s, struct compact *c)
{
	struct buf line = BUF_INIT(BUF_RECORD_MAX);
	struct json *o = exhausted_error(c);
	struct slice all;

	json_print(o, &line);
	json_free(o);
	all = buf_view(&line);
	put_own(s, R_ERROR, &all, 1);
	buf_release(&line);
	if (s->mode != STAGE_RESIDENT)
		stage_status(s, ST_NOFIT);
}

static void
act(struct stage *s)
{
	struct act *a = s->self;
	struct compact *c = &a->compact;
	struct buf event = BUF_INIT((size_t)1 << 40);
	struct slice part[REQUEST_PARTS];

	if (view_nodes(c->view) == 0)
		return;
	if (!compact_decide(c)) {
		put_error(s, c);
		return;
	}
	compact_request(c, part);
	if (c->epoch.number > 0 && !c->epoch.written) {
		epoch_print(c, &event);
		stage_put(s, R_COMPACTION, buf_view(&event));
	}
	put_own(s, R_REQUEST, part, REQUEST_PARTS);
	buf_release(&event);
}

/* ---- modes that print for people ---- */

static bool
keep_none(struct stage *s, const struct rec *r)
{
	(void)s, (void)r;
	return false;
}

static void
look(struct stage *s)
{
	struct act *a = s->self;

	a->fits = compact_decide(&a->compact);
}

/* The transcript is over: print.  The lines are no records of ours, so the
 * last LF is left to stage_put. */
static void
print(struct stage *s)
{
	struct act *a = s->self;
	struct buf out = BUF_INIT((size_t)1 << 40);
	struct compact *c = &a->compact;

	if (a->mode == ACT_VIEW)
		mode_view(c, &out);
	else if (a->mode == ACT_BUDGET)
		mode_budget(c, &out);
	else if (!mode_check(c, a->fits, &out))
		stage_status(s, ST_NO);
	if (a->mode == ACT_VIEW && !a->fits) {
		char *why = exhausted_text(c);

		stage_status(s, ST_NOFIT);
		err_say("%s", why);
		free(why);
	}
	if (out.len > 0)
		stage_put(s, R_OTHER, (struct slice){ out.p, out.len - 1 });
	buf_release(&out);
	a->fits = true;
	compact_reset(c);
}

const struct stage_ops *
act_ops(enum act_mode mode)
{
	static const struct stage_ops request = { .name = "compact",
		.record = record, .act = act, .reset = reset };
	static const struct stage_ops people = { .name = "compact",
		.keep = keep_none, .record = record, .act = look,
		.reset = print };

	return mode == ACT_REQUEST ? &request : &people;
}
