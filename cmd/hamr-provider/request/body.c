/* body.c - the body of one request, assembled from slices. */
#include <stdlib.h>

#include "base/mem.h"
#include "json/scan.h"
#include "view/view.h"

#include "body.h"
#include "quirks.h"

#define NOT_NOW "No function may be called now: answer in plain text, " \
	"without <tool_call>."

/* ---- messages ----
 *
 * Some servers accept any legal messages, others refuse some orders of roles
 * (quirks.h learns which).
 */

struct turns {
	unsigned quirks;
	struct buf *out;
	struct slice *group;	/* messages of one role, to be merged */
	size_t ngroup, cap;
	struct slice last;	/* role of the message printed last */
};

/* Print the messages of the group as one. */
static void
flush(struct turns *t)
{
	if (t->ngroup == 0)
		return;
	struct slice role = scan_get(t->group[0], "role");
	buf_slice(t->out, scan_comma(t->out));
	if ((t->quirks & QUIRK_ALTERNATE) && scan_str_is(role, "assistant") &&
	    (t->last.p == NULL || scan_str_is(t->last, "system")))
		scan_put(t->out, "{'role':'user','content':'(continued)'},");
	if ((t->quirks & QUIRK_AFTER_TOOL) && scan_str_is(role, "user") &&
	    scan_str_is(t->last, "tool"))
		scan_put(t->out, "{'role':'assistant','content':'(noted)'},");
	if (t->ngroup == 1)
		buf_slice(t->out, t->group[0]);
	else {
		struct slice calls = scan_get(t->group[t->ngroup - 1],
		    "tool_calls");
		for (size_t i = 0; i < t->ngroup; i++)
			t->group[i] = scan_get(t->group[i], "content");
		scan_put(t->out, "{'role':$,'content':", role);
		view_join(t->out, t->group, t->ngroup);
		scan_put(t->out, calls.p != NULL ? ",'tool_calls':$}" : "}",
		    calls);
	}
	t->last = role;
	t->ngroup = 0;
}

/* Append an assistant message of one call: with the other members of m, or
 * (none) without content. */
static void
put_one_call(struct turns *t, struct slice m, struct slice call)
{
	struct slice key, val;

	flush(t);
	scan_put(t->out, m.p != NULL ? "${" :
	    "${'role':'assistant','content':null", scan_comma(t->out));
	for (struct walk w = walk_of(m); walk_next(&w, &key, &val); )
		if (!scan_key_is(key, "tool_calls"))
			scan_put(t->out, "$'$':$", scan_comma(t->out), key,
			    val);
	scan_put(t->out, ",'tool_calls':[$]}", call);
	t->last = SLICE("\"assistant\"");
}

/* Append legal messages, adapted to the quirks about the order of roles. */
static void
fit_turns(unsigned quirks, struct slice messages, struct buf *out)
{
	struct turns t = { .quirks = quirks, .out = out };
	struct slice m, call, none = { NULL, 0 };
	struct walk left = walk_elements(none);	/* calls to be printed */

	buf_addc(out, '[');
	for (struct walk w = walk_of(messages); walk_next(&w, NULL, &m); ) {
		struct slice role = scan_get(m, "role");
		struct slice last = t.ngroup > 0 ? t.group[t.ngroup - 1] : none;
		struct slice calls = scan_get(m, "tool_calls");

		if ((quirks & QUIRK_SPLIT_CALLS) && calls.p != NULL) {
			left = walk_elements(calls);
			walk_next(&left, NULL, &call);
			put_one_call(&t, m, call);
			continue;
		}
		if (scan_str_is(role, "tool") &&
		    scan_str_is(scan_get(last, "role"), "tool") &&
		    walk_next(&left, NULL, &call))
			put_one_call(&t, none, call);
		/* does it belong to the current group? */
		if (!(quirks & QUIRK_ALTERNATE) ||
		    !slice_eq(role, scan_get(last, "role")) ||
		    !(scan_str_is(role, "user") ||
		    (scan_str_is(role, "assistant") &&
		    scan_get(last, "tool_calls").p == NULL)))
			flush(&t);
		GROW(t.group, t.ngroup, t.cap);
		t.group[t.ngroup++] = m;
	}
	flush(&t);
	buf_addc(out, ']');
	free(t.group);
}

void
body_messages(const struct body *b, struct buf *out)
{
	struct buf legal = BUF_INIT((size_t)1 << 40), text = legal;
	bool described = b->dialect > DIALECT_NONE;
	bool fit = (b->quirks & QUIRKS_OF_TURNS) != 0;
	struct buf *to = fit ? &text : out;

	messages_print(&b->rules, b->messages, b->cache,
	    described ? &legal : to);
	if (described)
		dialect_render(b->dialect, buf_view(&legal), b->tools, to);
	if (described && body_has_tools(b) &&
	    scan_str_is(b->tool_choice, "none")) {
		to->len--;		/* its ] */
		scan_put(to, b->rules.system_in_place ?
		    "${'role':'system','content':'" NOT_NOW "'}]" :
		    "${'role':'user','content':'[system] " NOT_NOW "'}]",
		    scan_comma(to));
	}
	if (fit)
		fit_turns(b->quirks, buf_view(&text), out);
	bufs_release(BUFS(&legal, &text));
}

/* ---- fields ---- */

void
fields_begin(const struct body *b, struct slice own, const char *const *ours,
    struct buf *out)
{
	const struct slice from[] = { own,
		scan_only(SCAN_OBJECT, b->conf_params),
		scan_only(SCAN_OBJECT, b->params) };

	buf_addc(out, '{');
	quirks_fields(b->quirks, SLICE(""), from, 3, ours, out);
}

void
fields_put(const struct body *b, const char *key, struct slice val,
    struct buf *out)
{
	quirks_field(b->quirks, SLICE(""), slice_of(key), val, out);
}

bool
body_has_tools(const struct body *b)
{
	return scan_kind(b->tools) == SCAN_ARRAY && b->tools.n > 2;
}

void
body_numbers(const struct body *b, const char *max_tokens, struct buf *out)
{
	if (b->temperature >= 0)
		buf_fmt(out, ",\"temperature\":%.15g", b->temperature);
	if (b->max_tokens > 0 && max_tokens != NULL)
		buf_fmt(out, ",\"%s\":%lld", max_tokens, b->max_tokens);
}
