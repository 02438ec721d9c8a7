/* show_budget.c - --budget: the configuration and every cap that follows. */
#include "epoch.h"
#include "modes.h"

static void
put_number(struct buf *out, const char *name, long value, bool none)
{
	if (none && value == 0)
		buf_fmt(out, "%-44s unlimited\n", name);
	else
		buf_fmt(out, "%-44s %ld\n", name, value);
}

static void
put_word(struct buf *out, const char *name, const char *word)
{
	buf_fmt(out, "%-44s %s\n", name, word);
}

/* ---- the configuration ---- */

static void
put_keys(const struct compact *c, struct buf *out)
{
	static const char *const keys[] = {
		"context.context_budget_tokens",
		"context.reserved_output_tokens", "context.keep_recent_tokens",
		"context.keep_recent_tool_turns",
		"context.max_single_read_result_tokens",
		"context.max_total_read_result_tokens_per_turn" };

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		buf_fmt(out, "%-44s %lld  # %s\n", keys[i],
		    (long long)conf_int(c->conf, keys[i]),
		    conf_origin(c->conf, keys[i]));
	buf_fmt(out, "%-44s %s  # %s\n", "context.strategy",
	    conf_str(c->conf, "context.strategy"),
	    conf_origin(c->conf, "context.strategy"));
	buf_fmt(out, "%-44s %s  # %s\n", "context.every_call",
	    conf_bool(c->conf, "context.every_call") ? "true" : "false",
	    conf_origin(c->conf, "context.every_call"));
}

/* ---- what follows ---- */

static const char *
window_from(const struct compact *c)
{
	if (c->flag_window >= 0)
		return "--window";
	return c->limit >= 0 && c->budget.window == c->limit ?
	    "limit record" : "configuration";
}

/* What each stage keeps of the tail, in tokens. */
static void
put_tails(const struct compact *c, struct buf *out)
{
	long b = c->budget.effective, most = epoch_part(b, TAIL_PERCENT);
	const struct row *row;
	char name[64];

	if (c->set.keep_tokens < most)
		most = c->set.keep_tokens;
	for (size_t k = 0; (row = epoch_row(k)) != NULL; k++) {
		snprintf(name, sizeof name, "tail_stage_%s", row->stage);
		put_number(out, name, epoch_part(most, row->tail), true);
	}
	put_number(out, "tail_steps", c->set.keep_steps, false);
	put_number(out, "tail_steps_tokens", epoch_part(b, STEPS_PERCENT),
	    true);
	put_number(out, "slim_region", epoch_part(b, SLIM_PERCENT), true);
	put_number(out, "stage_3_results", epoch_part(b, CUT_PERCENT), true);
	for (size_t k = 0; (row = epoch_row(k)) != NULL; k++) {
		snprintf(name, sizeof name, "summary_bytes_stage_%s",
		    row->stage);
		put_number(out, name, (long)row->summary_cap, false);
	}
}

static void
put_marks(const struct compact *c, struct buf *out)
{
	long b = c->budget.effective, high = c->set.strategy->high;

	if (high == 0 && b > 0) {
		put_word(out, "high_mark", "never");
		put_word(out, "low_mark", "never");
	} else {
		put_number(out, "high_mark", epoch_part(b, high), true);
		put_number(out, "low_mark", epoch_part(b,
		    c->set.strategy->low), true);
	}
	put_number(out, "epoch_distance", epoch_part(b, STEP_PERCENT), true);
}

/* Where the transcript stands. */
static void
put_state(const struct compact *c, struct buf *out)
{
	uint64_t system = epoch_system(c) > 0 ?
	    view_node(c->view, 0)->full : 0;

	put_number(out, "system_tokens", compact_tokens(c, system), false);
	put_number(out, "tools_tokens", compact_tokens(c, c->tools_sum),
	    false);
	put_number(out, "size", compact_size(c), false);
	put_number(out, "ratio_1024ths", c->ratio, false);
	put_number(out, "epochs", c->epoch.number, false);
	put_word(out, "stage", epoch_stage(c));
	put_number(out, "next_epoch_at", epoch_trigger(c), true);
}

void
mode_budget(const struct compact *c, struct buf *out)
{
	const struct budget *b = &c->budget;

	put_keys(c, out);
	put_word(out, "strategy", c->set.strategy->name);
	if (b->window > 0)
		buf_fmt(out, "%-44s %ld  # %s\n", "window", b->window,
		    window_from(c));
	else
		put_number(out, "window", 0, true);
	put_number(out, "reserved_output", b->window - b->effective, false);
	put_number(out, "effective_window", b->effective, true);
	put_number(out, "result_cap", b->result_cap, true);
	put_number(out, "turn_read_cap", b->turn_cap, true);
	put_marks(c, out);
	put_tails(c, out);
	if (view_records(c->view) > 0)
		put_state(c, out);
}
