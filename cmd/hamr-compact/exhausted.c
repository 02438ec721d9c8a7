/* exhausted.c - stage 4: nothing fits, and why. */
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "utf8.h"

#include "exhausted.h"

#define QUOTED 40	/* bytes of a message that are shown */

struct part {
	const char *name;
	long tokens;
};

enum { SYSTEM, TOOLS, USER, TAIL, PARTS };

static int
larger_first(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	return (x->tokens < y->tokens) - (x->tokens > y->tokens);
}

/* Who takes the room. */
static void
weigh(const struct compact *c, struct part p[PARTS])
{
	uint64_t sum[PARTS] = { [TOOLS] = c->tools_sum };
	static const char *const names[] = { "system", "tools", "user",
		"tail" };
	uint64_t shown = view_sum(c->view);

	for (size_t i = 0; i < view_nodes(c->view); i++) {
		const struct view_node *node = view_node(c->view, i);

		if (node->kind == VIEW_SYSTEM)
			sum[SYSTEM] += node->full;
		else if (i < c->epoch.fold)
			continue;
		else if (node->kind == VIEW_USER)
			sum[USER] += node->full;
		else
			sum[TAIL] += node->slim ? node->thin + node->kept :
			    node->full;
	}
	if (shown > sum[SYSTEM] + sum[USER] + sum[TAIL])
		sum[USER] = shown - sum[SYSTEM] - sum[TAIL];
	for (int i = 0; i < PARTS; i++)
		p[i] = (struct part){ names[i], compact_tokens(c, sum[i]) };
}

/* ---- one message that is too large by itself ---- */

struct largest {
	uint64_t sum;
	size_t node, call;	/* call: index + 1 when it is its result */
};

static void
look_at(const struct compact *c, size_t i, struct largest *l)
{
	const struct view_node *node = view_node(c->view, i);
	uint64_t own = node->full;

	for (size_t k = 0; k < node->ncalls; k++) {
		const struct view_call *call = view_call_at(c->view,
		    node->call + k);

		own -= call->full - call->args;
		if (call->text > l->sum)
			*l = (struct largest){ call->text, i,
				node->call + k + 1 };
	}
	if (own > l->sum)
		*l = (struct largest){ own, i, 0 };
}

/* "the user message that begins with ..." */
static void
name_message(const struct compact *c, const struct largest *l,
    struct buf *out)
{
	const struct view_node *node = view_node(c->view, l->node);
	struct buf text = BUF_INIT(BUF_RECORD_MAX);
	size_t at = 0, n;

	if (l->call > 0) {
		const struct view_call *call = view_call_at(c->view,
		    l->call - 1);
		const struct fact *f = call->note;

		buf_fmt(out, "the result of %s (%s)", call->id, f->name);
		return;
	}
	buf_fmt(out, "the %s message", node->kind == VIEW_USER ? "user" :
	    "assistant");
	if (view_text(c->view, l->node, node->kind == VIEW_USER ? VIEW_PERSON :
	    VIEW_SAID, &at, &text) && text.len > 0) {
		n = utf8_cut(text.p, strcspn(text.p, "\n"), QUOTED);
		buf_fmt(out, " that begins with \"%.*s\"", (int)n, text.p);
	}
	buf_release(&text);
}

static bool
put_single(const struct compact *c, long room, struct buf *out)
{
	struct largest l = { 0, 0, 0 };
	size_t first = c->epoch.fold;

	if (first == 0 && view_nodes(c->view) > 0 &&
	    view_node(c->view, 0)->kind == VIEW_SYSTEM)
		first = 1;
	for (size_t i = first; i < view_nodes(c->view); i++)
		look_at(c, i, &l);
	if (compact_tokens(c, l.sum) <= room)
		return false;
	buf_adds(out, "; ");
	name_message(c, &l, out);
	buf_fmt(out, " alone takes %ld: shorten it, or raise context.window",
	    compact_tokens(c, l.sum));
	return true;
}

/* ---- words ---- */

/* The smallest window that has room for so many tokens and a few more. */
static long
window_for(const struct compact *c, long tokens)
{
	long reserved = c->set.budget.reserved, want = tokens + tokens / 10 +
	    1000;

	return want / 3 * 4 / 4 <= reserved ? want / 3 * 4 + 4 :
	    want + reserved;
}

char *
exhausted_text(const struct compact *c)
{
	struct buf out = BUF_INIT(BUF_RECORD_MAX);
	struct part p[PARTS];
	long fixed;

	weigh(c, p);
	fixed = p[SYSTEM].tokens + p[TOOLS].tokens;
	buf_fmt(&out, "the request does not fit: %ld tokens, room for %ld "
	    "(window %ld)", compact_size(c), c->budget.effective,
	    c->budget.window);
	if (fixed >= c->budget.effective) {
		buf_fmt(&out, "; system prompt (%ld) and tools (%ld) are "
		    "larger than the window by themselves: raise "
		    "context.window to %ld, or offer fewer tools", p[SYSTEM].tokens,
		    p[TOOLS].tokens, window_for(c, fixed));
	} else if (!put_single(c, c->budget.effective - fixed, &out)) {
		buf_adds(&out, "; shorten what is largest, or raise "
		    "context.window");
	}
	qsort(p, PARTS, sizeof *p, larger_first);
	buf_fmt(&out, "; largest: %s %ld, %s %ld, %s %ld, %s %ld", p[0].name,
	    p[0].tokens, p[1].name, p[1].tokens, p[2].name, p[2].tokens,
	    p[3].name, p[3].tokens);
	return buf_detach(&out);
}

struct json *
exhausted_error(const struct compact *c)
{
	struct json *o = json_object(), *list = json_object();
	struct part p[PARTS];
	char *text = exhausted_text(c);

	weigh(c, p);
	qsort(p, PARTS, sizeof *p, larger_first);
	for (int i = 0; i < PARTS; i++)
		json_int(list, p[i].name, p[i].tokens);
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
