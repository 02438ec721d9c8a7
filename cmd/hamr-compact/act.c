/* act.c - what hamr-compact does at `go`: the callbacks of the stage. */
#include <stdlib.h>

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

/* Write it, unless it is what was read last of our own: so a transcript that
 * was compacted goes through unchanged. */
static void
put_own(struct stage *s, enum rec_kind kind, const struct buf *line)
{
	struct act *a = s->self;
	struct buf *seen = &a->compact.seen;

	if (s->mode != STAGE_FILTER || seen->len == 0 ||
	    !slice_eq(buf_view(seen), buf_view(line)))
		stage_put(s, kind, buf_view(line));
}

static void
act(struct stage *s)
{
	struct act *a = s->self;
	struct compact *c = &a->compact;
	struct buf line = BUF_INIT((size_t)1 << 40), event = line;

	if (view_count(c->view) == 0)
		return;
	if (!compact_decide(c)) {
		struct json *o = exhausted_error(c);

		json_print(o, &line);
		json_free(o);
		put_own(s, R_ERROR, &line);
		if (s->mode != STAGE_RESIDENT)
			stage_status(s, ST_NOFIT);
	} else {
		compact_request(c, &line);
		if (c->epoch.number > 0 && !c->epoch.written) {
			epoch_print(c, &event);
			stage_put(s, R_COMPACTION, buf_view(&event));
		}
		put_own(s, R_REQUEST, &line);
	}
	buf_release(&line);
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
