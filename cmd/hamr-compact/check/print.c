/* print.c - what hamr-compact prints for people: counts, budgets, views. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"

#include "print.h"

/* ---- --count ---- */

static int
sum_fd(int fd, const char *name, enum token_family f, unsigned *prev,
    uint64_t *sum, struct err *e)
{
	char block[65536];
	ssize_t n;

	while ((n = read(fd, block, sizeof block)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(e, ST_SYSTEM, "%s", name);
		*sum += token_sum(f, block, (size_t)n, prev);
	}
	return 0;
}

int
print_count(const char *const *files, size_t n, enum token_family f,
    struct err *e)
{
	unsigned prev = TOKEN_START;
	uint64_t sum = 0;
	char text[32];
	int got = 0;

	if (n == 0)
		got = sum_fd(STDIN_FILENO, "stdin", f, &prev, &sum, e);
	for (size_t i = 0; i < n && got == 0; i++) {
		int fd = strcmp(files[i], "-") == 0 ? STDIN_FILENO :
		    open(files[i], O_RDONLY | O_CLOEXEC);

		if (fd < 0)
			return err_sys(e, errno == ENOENT ? ST_NOINPUT :
			    ST_SYSTEM, "%s", files[i]);
		got = sum_fd(fd, files[i], f, &prev, &sum, e);
		if (fd != STDIN_FILENO)
			close(fd);
	}
	if (got < 0)
		return -1;
	n = (size_t)snprintf(text, sizeof text, "%" PRIu64 "\n",
	    (sum + 32) / 64);
	if (file_write_all(STDOUT_FILENO, text, n) < 0)
		return err_sys(e, ST_SYSTEM, "stdout");
	return 0;
}

/* ---- --view ---- */

void
print_view(struct compact *c, struct buf *out)
{
	struct buf all = BUF_INIT((size_t)1 << 40);
	struct slice m;

	view_print(c->view, &all);
	for (struct walk w = walk_of(buf_view(&all));
	    walk_next(&w, NULL, &m); ) {
		buf_slice(out, m);
		buf_addc(out, '\n');
	}
	buf_release(&all);
}

/* ---- --budget ---- */

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

/* When it is compacted, and what each stage keeps of the tail, in tokens. */
static void
put_marks(const struct compact *c, struct buf *out)
{
	long b = c->budget.effective, most = percent_of(b, TAIL_PERCENT);
	long high = c->set.strategy->high;
	struct aim aim = epoch_aim(c);
	const struct stage_rule *rule;
	char name[64];

	if (high == 0 && b > 0) {
		put_word(out, "high_mark", "never");
		put_word(out, "low_mark", "never");
	} else {
		put_number(out, "high_mark", percent_of(b, high), true);
		put_number(out, "low_mark", percent_of(b, aim.low), true);
		put_word(out, "first_stage", stage_rule(aim.stage)->stage);
	}
	put_number(out, "epoch_distance", percent_of(b, STEP_PERCENT), true);
	if (c->set.keep_tokens < most)
		most = c->set.keep_tokens;
	for (size_t k = 0; (rule = stage_rule(k)) != NULL; k++) {
		snprintf(name, sizeof name, "tail_stage_%s", rule->stage);
		put_number(out, name, percent_of(most, rule->tail), true);
	}
	put_number(out, "tail_steps", c->set.keep_steps, false);
	put_number(out, "tail_steps_tokens", percent_of(b, aim.steps), true);
	put_number(out, "slim_region", percent_of(b, aim.slim), true);
	put_number(out, "stage_3_results", percent_of(b, CUT_PERCENT), true);
	for (size_t k = 0; (rule = stage_rule(k)) != NULL; k++) {
		snprintf(name, sizeof name, "summary_bytes_stage_%s",
		    rule->stage);
		put_number(out, name, (long)summary_cap(c, rule), false);
	}
}

void
print_budget(const struct compact *c, struct buf *out)
{
	static const char *const keys[] = {
		"context.context_budget_tokens",
		"context.reserved_output_tokens", "context.keep_recent_tokens",
		"context.keep_recent_tool_turns",
		"context.max_single_read_result_tokens",
		"context.max_total_read_result_tokens_per_turn" };
	const struct budget *b = &c->budget;
	uint64_t system = 0;

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
	put_word(out, "strategy", c->set.strategy->name);
	if (b->window > 0)
		buf_fmt(out, "%-44s %ld  # %s\n", "window", b->window,
		    c->flag_window >= 0 ? "--window" : c->limit == b->window ?
		    "limit record" : "configuration");
	else
		put_number(out, "window", 0, true);
	put_number(out, "reserved_output", b->window - b->effective, false);
	put_number(out, "effective_window", b->effective, true);
	put_number(out, "result_cap", b->result_cap, true);
	put_number(out, "file_text_cap", b->file_cap, true);
	put_number(out, "turn_read_cap", b->turn_cap, true);
	put_marks(c, out);
	if (c->view->records == 0)
		return;
	/* where the transcript stands */
	if (epoch_system(c) > 0)
		system = c->view->nodes[0].full;
	put_number(out, "system_tokens", compact_tokens(c, system), false);
	put_number(out, "tools_tokens", compact_tokens(c, c->tools_sum),
	    false);
	put_number(out, "size", compact_size(c), false);
	put_number(out, "ratio_1024ths", c->ratio, false);
	put_number(out, "epochs", c->epoch.number, false);
	put_word(out, "stage", epoch_stage(c));
	put_number(out, "next_epoch_at", epoch_trigger(c), true);
}
