/* exhausted.c - stage 4: nothing fits, and why. */
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

#include "internal.h"

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

static void
measure(const struct compact *c, struct part p[PARTS])
{
	static const char *const names[] = { "system", "tools", "user",
		"tail" };
	uint64_t sum[PARTS] = { [TOOLS] = c->tools_sum };
	uint64_t shown = view_sum(c->view);

	for (size_t i = 0; i < c->view->n; i++) {
		const struct view_node *node = &c->view->nodes[i];

		if (node->kind == VIEW_SYSTEM)
			sum[SYSTEM] += node->full;
		else if (!view_is_shown(c->view, i))
			continue;
		else if (node->kind == VIEW_USER)
			sum[USER] += node->full;
		else
			sum[TAIL] += node->slim ? node->thin : node->full;
	}
	if (shown > sum[SYSTEM] + sum[USER] + sum[TAIL])
		sum[USER] = shown - sum[SYSTEM] - sum[TAIL];
	for (int i = 0; i < PARTS; i++)
		p[i] = (struct part){ names[i], compact_tokens(c, sum[i]) };
}

/* The estimate of the largest message that is not folded; append "the user
 * message that begins with ..." */
static uint64_t
name_largest(const struct compact *c, struct buf *out)
{
	size_t first = c->epoch.fold > 0 ? c->epoch.fold : epoch_system(c);
	const struct view_node *largest = NULL;
	const struct view_call *result = NULL;	/* if it is this result */
	struct buf text = BUF_INIT(BUF_RECORD_MAX);
	uint64_t sum = 0;
	size_t at = 0;

	for (size_t i = first; i < c->view->n; i++) {
		const struct view_node *node = &c->view->nodes[i];
		uint64_t own = node->full;

		for (size_t k = node->call; k < node->call + node->ncalls;
		    k++) {
			const struct view_call *call = &c->view->calls[k];

			own -= call->full - call->args;
			if (call->text > sum) {
				sum = call->text;
				result = call;
			}
		}
		if (own > sum) {
			sum = own;
			largest = node;
			result = NULL;
		}
	}
	if (result != NULL) {
		const struct fact *f = result->note;

		buf_fmt(out, "the result of %s (%s)", result->id, f->name);
	} else if (largest != NULL) {
		bool user = largest->kind == VIEW_USER;

		buf_fmt(out, "the %s message", user ? "user" : "assistant");
		if (view_text(c->view, (size_t)(largest - c->view->nodes),
		    user ? VIEW_PERSON : VIEW_SAID, &at, &text) && text.len > 0)
			buf_fmt(out, " that begins with \"%.*s\"",
			    (int)utf8_cut(text.p, strcspn(text.p, "\n"),
			    QUOTED), text.p);
	}
	buf_release(&text);
	return sum;
}

void
exhausted_error(const struct compact *c, struct buf *out)
{
	struct buf text = BUF_INIT(BUF_RECORD_MAX), name = text;
	long alone = compact_tokens(c, name_largest(c, &name));
	long reserved = c->set.budget.reserved, room = c->budget.effective;
	long size = compact_size(c), window = c->budget.window;
	/* what to raise for a larger window */
	const char *key = c->flag_window >= 0 ? "--window" :
	    window == c->set.budget.tokens ?
	    "context.context_budget_tokens" : "context.window";
	struct part p[PARTS];

	measure(c, p);
	long fixed = p[SYSTEM].tokens + p[TOOLS].tokens;
	buf_fmt(&text, "the request does not fit: %ld tokens, room for %ld "
	    "(window %ld)", size, room, window);
	if (fixed >= room) {
		/* the smallest window with room for it and a few more */
		long want = fixed + fixed / 10 + 1000;
		want = want / 3 * 4 / 4 <= reserved ? want / 3 * 4 + 4 :
		    want + reserved;
		buf_fmt(&text, "; the system prompt (%ld) and tools (%ld) "
		    "alone exceed the window: raise %s to %ld, or offer fewer "
		    "tools", p[SYSTEM].tokens, p[TOOLS].tokens, key, want);
	} else if (alone > room - fixed) {
		buf_fmt(&text, "; %s alone takes %ld: shorten it, or raise %s",
		    name.p, alone, key);
	} else {
		buf_fmt(&text, "; shorten the largest part, or raise %s", key);
	}
	qsort(p, PARTS, sizeof *p, larger_first);
	for (int i = 0; i < PARTS; i++)
		buf_fmt(&text, "%s%s %ld", i > 0 ? ", " : "; largest: ",
		    p[i].name, p[i].tokens);
	scan_put(out, "{'type':'error','stage':'compact',"
	    "'code':'budget_exhausted','message':@,'retryable':false,"
	    "'tokens':$,'window':$,'contributors':{", buf_view(&text),
	    SCAN_INT(size), SCAN_INT(window));
	for (int i = 0; i < PARTS; i++)
		buf_fmt(out, "%s\"%s\":%ld", i > 0 ? "," : "", p[i].name,
		    p[i].tokens);
	buf_adds(out, "}}");
	bufs_release(BUFS(&text, &name));
}
