/* check.c - what hamr-compact prints for people: --count, --budget, and
 * --check: is the view legal, and what was left out. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "items/fact.h"
#include "items/finder.h"
#include "record/msg.h"

#include "check.h"

#define BEGINNING 60	/* how much of a message identifies it */
#define NOTHING SIZE_MAX	/* a message without text: never missing */

/* ---- is a list of messages legal? ---- */

enum role { NONE, SYSTEM, USER, ASSISTANT, TOOL };

struct checker {
	enum role last;
	struct map ids;
	struct slice *open;	/* ids whose results must come next */
	size_t n, cap, next;
	struct scan scan;
};

static const char *
check_assistant(struct checker *k, struct slice m)
{
	struct slice calls = scan_get(m, "tool_calls");
	struct call call;

	k->n = k->next = 0;
	if (calls.p == NULL)
		return NULL;
	if (scan_kind(calls) != SCAN_ARRAY)
		return "tool_calls that is not an array";
	for (struct walk w = walk_of(calls); msg_next_call(&w, &call); ) {
		char *args = scan_text(call.args), *id = scan_text(call.id);
		bool object = scan_record(&k->scan, args, strlen(args)) == 0;
		bool fresh = true, has_id = *id != '\0';

		if (has_id)
			map_put(&k->ids, slice_of(id), &fresh);
		FREE(args, id);
		if (!has_id)
			return "a call without an id";
		if (!fresh)
			return "a duplicate call id";
		if (call.name.n <= 2)
			return "a call without a name";
		if (!object)
			return "arguments that are not a JSON object";
		GROW(k->open, k->n, k->cap);
		k->open[k->n++] = call.id;
	}
	return NULL;
}

static const char *
check_one(struct checker *k, struct slice m, size_t at)
{
	static const char *const names[] = { "none", "system", "user",
		"assistant", "tool" };
	struct slice name = scan_get(m, "role");
	struct slice content = scan_get(m, "content");
	enum role role = TOOL;

	while (role > NONE && !scan_str_is(name, names[role]))
		role--;
	if (role != TOOL && k->next < k->n)
		return "a call without its result after it";
	if (role == NONE)
		return "a message of an unknown role";
	if (role == SYSTEM && at > 0)
		return "a system message that is not the first";
	if (role == USER && k->last == USER)
		return "two user messages in a row";
	if (role == USER && k->last == TOOL)
		return "a user message right after results";
	if (scan_get(m, "meta").p != NULL || scan_get(m, "usage").p != NULL ||
	    scan_get(m, "is_error").p != NULL)
		return "a key that only hamr uses";
	if (role == TOOL && k->next == k->n)
		return "a result without its call before it";
	if (role == TOOL && !slice_eq(scan_get(m, "tool_call_id"),
	    k->open[k->next++]))
		return "a result out of order";
	if (role == ASSISTANT && (k->last == NONE || k->last == SYSTEM))
		return "an assistant message before any user message";
	if (role == ASSISTANT && k->last == ASSISTANT)
		return "two assistant messages in a row";
	if (scan_get(m, "tool_calls").p == NULL &&
	    (scan_kind(content) == SCAN_NULL || content.n <= 2))
		return "a message without content";
	k->last = role;
	return role == ASSISTANT ? check_assistant(k, m) : NULL;
}

struct retained {
	/* all, and those still in the view */
	size_t users, users_in;		/* messages a person wrote */
	size_t paths, paths_in;		/* edited files */
	bool task, newest;
};

/* Look in the text of all messages and the arguments of all calls, decoded, for
 * the beginning of each message that a person wrote, and for each path that was
 * edited. */
static struct retained
look_for(const struct compact *c)
{
	struct view *v = c->view;
	struct retained k = { .task = true, .newest = true };
	struct buf in = BUF_INIT((size_t)1 << 40), b = in;
	struct finder texts = { .n = 0 };
	size_t *no = NULL, n = 0, cap = 0, *at;
	struct slice m;
	struct call call;

	for (struct walk w = view_walk(v); walk_next(&w, NULL, &m); ) {
		msg_text(scan_get(m, "content"), &in);
		buf_addc(&in, '\n');
		for (struct walk calls = walk_of(scan_get(m, "tool_calls"));
		    msg_next_call(&calls, &call); )
			finder_args(call.args, &in);
	}
	for (size_t i = 0; i < v->n; i++)
		for (size_t next = 0; v->nodes[i].kind == VIEW_USER &&
		    view_text(v, i, VIEW_PERSON, &next, &b); buf_reset(&b)) {
			b.len = utf8_cut(b.p, b.len, BEGINNING);
			GROW(no, n, cap);
			no[n++] = b.len > 0 ? finder_add(&texts,
			    buf_view(&b)) : NOTHING;
		}
	k.users = n;
	for (size_t i = 0; i < c->files.n; i++)
		if (c->files.v[i].edited > 0) {
			struct slice path = first_line(c->files.v[i].name);

			GROW(no, n, cap);
			no[n++] = path.n > 0 ? finder_add(&texts, path) :
			    NOTHING;
		}
	k.paths = n - k.users;
	at = xcalloc(texts.n, sizeof *at);
	finder_search(&texts, buf_view(&in), 0, at);
	for (size_t i = 0; i < n; i++) {
		bool there = no[i] == NOTHING || at[no[i]] > 0;

		if (i >= k.users) {
			k.paths_in += there;
			continue;
		}
		k.users_in += there;
		k.task &= i > 0 || there;
		k.newest = there;
	}
	FREE(no, at);
	finder_release(&texts);
	bufs_release(BUFS(&in, &b));
	return k;
}

bool
legality_print(struct compact *c, bool fits, struct buf *out)
{
	struct buf list = BUF_INIT((size_t)1 << 40);
	struct checker checker = { .last = NONE };
	const char *why = NULL;
	struct slice m;
	size_t at = 0, n = 0, shown = view_count(c->view);

	/* the first breach of the rules of chapter 8.3 */
	for (struct walk w = view_walk(c->view);
	    why == NULL && walk_next(&w, NULL, &m); )
		why = check_one(&checker, m, at++);
	if (why != NULL)
		at--;
	else if (checker.next < checker.n)
		why = "a call without its result at the end";
	free(checker.open);
	map_release(&checker.ids);
	scan_release(&checker.scan);
	struct retained k = look_for(c);
	/* what was elided or cut */
	for (size_t i = 0; i < c->view->ncalls; i++) {
		const struct view_call *call = &c->view->calls[i];
		const struct fact *f = call->note;
		bool elided = call->result != NULL &&
		    compact_elides(c, call, false);

		if (!elided && call->cut == NULL)
			continue;
		n += elided;
		buf_fmt(&list, "%s %s %s", elided ? "elided" : "cut", call->id,
		    f->name);
		if (f->what[0] != '\0')
			buf_fmt(&list, " %.*s", (int)first_line(f->what).n,
			    f->what);
		buf_fmt(&list, " %zu bytes sha256:%s\n", f->bytes,
		    f->hash != NULL ? f->hash : "-");
	}
	if (why != NULL)
		buf_fmt(out, "not legal: message %zu: %s\n", at, why);
	else if (!k.task || !k.newest)
		buf_fmt(out, "not sound: %s is lost\n", k.task ?
		    "the newest user message" : "the task");
	else
		buf_fmt(out, "legal: %zu message%s of %zu, %zu result%s "
		    "elided, stage %s, %ld tokens%s; task, %zu of %zu "
		    "user messages and %zu of %zu edited paths are in "
		    "it\n", shown, shown == 1 ? "" : "s",
		    c->view->records, n, n == 1 ? "" : "s",
		    epoch_stage(c), compact_size(c),
		    fits ? "" : ", too large to send", k.users_in, k.users,
		    k.paths_in, k.paths);
	buf_slice(out, buf_view(&list));
	buf_release(&list);
	return why == NULL && k.task && k.newest;
}

int
print_count(const char *const *files, size_t n, enum token_family f,
    struct err *e)
{
	unsigned prev = TOKEN_START;
	uint64_t sum = 0;
	char text[32], block[65536];
	ssize_t got;

	for (size_t i = 0; i < (n > 0 ? n : 1); i++) {
		const char *name = n > 0 ? files[i] : "stdin";
		int fd = n == 0 || strcmp(name, "-") == 0 ? STDIN_FILENO :
		    open(name, O_RDONLY | O_CLOEXEC);

		if (fd < 0)
			return err_sys(e, errno == ENOENT ? ST_NOINPUT :
			    ST_SYSTEM, "%s", name);
		while ((got = read(fd, block, sizeof block)) > 0 ||
		    (got < 0 && errno == EINTR))
			if (got > 0)
				sum += token_sum(f, block, (size_t)got, &prev);
		if (got < 0)
			return err_sys(e, ST_SYSTEM, "%s", name);
		if (fd != STDIN_FILENO)
			close(fd);
	}
	n = (size_t)snprintf(text, sizeof text, "%llu\n",
	    (unsigned long long)(sum + 32) / 64);
	if (file_write_all(STDOUT_FILENO, text, n) < 0)
		return err_sys(e, ST_SYSTEM, "stdout");
	return 0;
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

/* When we compact, and what each stage keeps of the tail, in tokens. */
static void
put_marks(const struct compact *c, struct buf *out)
{
	long b = c->budget.effective, room = b > 0 ? epoch_room(c) : 0;
	long high = c->set.strategy->high;
	long most = percent_of(room, TAIL_PERCENT);
	struct aim aim = epoch_aim(c);
	char name[64];

	if (high == 0 && b > 0) {
		put_word(out, "high_mark", "never");
		put_word(out, "low_mark", "never");
	} else {
		put_number(out, "high_mark", percent_of(b, high), true);
		put_number(out, "low_mark", b > 0 ? epoch_low(c) : 0, true);
		put_word(out, "first_stage", stage_rules[aim.stage].stage);
	}
	put_number(out, "epoch_distance", percent_of(b, STEP_PERCENT), true);
	if (c->set.budget.keep_tokens < most)
		most = c->set.budget.keep_tokens;
	for (size_t k = 0; k < STAGES; k++) {
		snprintf(name, sizeof name, "tail_stage_%s",
		    stage_rules[k].stage);
		put_number(out, name, percent_of(most, stage_rules[k].tail),
		    true);
	}
	put_number(out, "tail_steps", c->set.budget.keep_steps, false);
	put_number(out, "tail_steps_tokens", percent_of(room, aim.steps),
	    true);
	put_number(out, "slim_region", percent_of(room, aim.slim), true);
	put_number(out, "stage_3_results", percent_of(b, CUT_PERCENT), true);
	for (size_t k = 0; k < STAGES; k++) {
		snprintf(name, sizeof name, "summary_bytes_stage_%s",
		    stage_rules[k].stage);
		put_number(out, name, (long)summary_cap(c, &stage_rules[k]),
		    false);
	}
	put_number(out, "summary_tokens", percent_of(b, SUMMARY_PERCENT),
	    true);
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
