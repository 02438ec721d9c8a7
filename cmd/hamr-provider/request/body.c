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

	messages_print(&b->rules, b->messages, b->past,
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

/* Settings with those of more in them, which replace others of the same name:
 * an object, which the caller frees. */
static char *
merge_settings(struct slice settings, struct slice more)
{
	struct buf out = BUF_INIT(BUF_RECORD_MAX);
	struct slice key, val, other, ignored;

	buf_addc(&out, '{');
	for (struct walk w = walk_of(settings); walk_next(&w, &key, &val); ) {
		struct walk each = walk_of(more);
		bool again = false;

		while (!again && walk_next(&each, &other, &ignored))
			again = slice_eq(key, other);
		if (!again)
			scan_put(&out, "$'$':$", scan_comma(&out), key, val);
	}
	for (struct walk w = walk_of(more); walk_next(&w, &key, &val); )
		scan_put(&out, "$'$':$", scan_comma(&out), key, val);
	buf_addc(&out, '}');
	return buf_detach(&out);
}

void
fields_begin(const struct body *b, struct slice own, const char *const *ours,
    struct buf *out)
{
	const struct slice from[] = { own, b->conf_params, b->params };
	struct texts merged = { NULL, 0, 0 };
	struct member *v = NULL;
	size_t n = 0, cap = 0;
	struct slice key, val;

	for (size_t k = 0; k < sizeof from / sizeof *from; k++)
		for (struct walk w = walk_of(scan_only(SCAN_OBJECT, from[k]));
		    walk_next(&w, &key, &val); ) {
			size_t i = 0;

			while (k > 0 && ours[i] != NULL &&
			    !scan_key_is(key, ours[i]))
				i++;
			if (k > 0 && ours[i] != NULL)
				continue;
			i = 0;
			while (i < n && !slice_eq(v[i].key, key))
				i++;
			if (i == n) {
				GROW(v, n, cap);
				v[n++].key = key;
			} else if (quirks_is_settings(key, val) &&
			    scan_kind(v[i].val) == SCAN_OBJECT) {
				texts_add(&merged,
				    merge_settings(v[i].val, val));
				val = slice_of(merged.v[merged.n - 1]);
			}
			v[i].val = val;
		}
	buf_addc(out, '{');
	for (size_t i = 0; i < n; i++)
		quirks_field(b->quirks, SLICE(""), v[i].key, v[i].val, out);
	free(v);
	texts_release(&merged);
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
	if (b->has_temperature)
		buf_fmt(out, ",\"temperature\":%.15g", b->temperature);
	if (b->max_tokens > 0 && max_tokens != NULL)
		buf_fmt(out, ",\"%s\":%lld", max_tokens, b->max_tokens);
}
