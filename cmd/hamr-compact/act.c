/* act.c - what hamr-compact does at `go`: the callbacks of the stage. */
#include <stdlib.h>

#include "mem.h"

#include "act.h"
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

/* ---- stage 4: nothing fits ---- */

struct part {
	const char *name;
	long tokens;
};

static int
larger_first(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	return (x->tokens < y->tokens) - (x->tokens > y->tokens);
}

/* Who takes the room: four parts, the largest first. */
static void
weigh(const struct compact *c, struct part p[4])
{
	uint64_t sum[4] = { 0, c->tools_sum, 0, 0 };
	static const char *const names[] = { "system", "tools", "user",
		"tail" };
	uint64_t shown = view_sum(c->view);

	for (size_t i = 0; i < view_nodes(c->view); i++) {
		const struct view_node *node = view_node(c->view, i);

		if (node->kind == VIEW_SYSTEM)
			sum[0] += node->full;
		else if (i < c->epoch.fold)
			continue;
		else if (node->kind == VIEW_USER)
			sum[2] += node->full;
		else
			sum[3] += node->slim ? node->thin : node->full;
	}
	if (shown > sum[0] + sum[2] + sum[3])	/* the summary */
		sum[2] = shown - sum[0] - sum[3];
	for (int i = 0; i < 4; i++)
		p[i] = (struct part){ names[i], compact_tokens(c, sum[i]) };
	qsort(p, 4, sizeof *p, larger_first);
}

static struct json *
exhausted(const struct compact *c)
{
	struct json *o = json_object(), *list = json_object();
	struct part p[4];
	char *text;

	weigh(c, p);
	for (int i = 0; i < 4; i++)
		json_int(list, p[i].name, p[i].tokens);
	text = xasprintf("the request does not fit: %ld tokens, room for %ld "
	    "(window %ld); largest: %s %ld, %s %ld, %s %ld, %s %ld; shorten "
	    "what is largest, or raise --window", compact_size(c),
	    c->budget.effective, c->budget.window, p[0].name, p[0].tokens,
	    p[1].name, p[1].tokens, p[2].name, p[2].tokens, p[3].name,
	    p[3].tokens);
	json_str(o, "type", "error");
	json_str(o, "stage", "compact");
	json_str(o, "code", "budget_exhausted");
	json_str(o, "message", text);
	json_bool(o, "retryable", false);
	json_int(o, "tokens", compact_size(c));
	json_int(o, "window", c->budget.window);
	json_add(o, "contributors", list);
	free(text);
	return o;
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
	if (!epoch_decide(c)) {
		struct json *o = exhausted(c);

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

	a->fits = epoch_decide(&a->compact);
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
		stage_status(s, ST_NOFIT);
		err_say("the view does not fit the window of %ld tokens; "
		    "--check says what is in it", c->budget.window);
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
