/* messages.c - the messages of a request, as chat completions have them. */
#include <stdlib.h>
#include <string.h>

#include "blind.h"
#include "message_call.h"
#include "messages.h"
#include "msg.h"
#include "open_calls.h"
#include "scan.h"

#define NO_RESULT "(no result)"

struct printer {
	const struct messages_rules *rules;
	struct buf *out;
	struct open_calls open;	/* of the assistant message before */
	size_t n;		/* messages printed */
	struct call_printer call;
};

static void
begin(struct printer *p)
{
	buf_adds(p->out, p->n++ > 0 ? "," : "");
}

/* Keys of ours, and those of a response. */
static bool
is_private(struct slice key)
{
	static const char *const keys[] = { "meta", "is_error", "usage",
		"finish_reason", "reasoning" };

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (scan_key_is(key, keys[i]))
			return true;
	return false;
}

/* ---- calls ---- */

static void
print_calls(struct printer *p, struct slice calls)
{
	struct slice val;
	struct walk w;
	size_t n = 0;

	buf_addc(p->out, '[');
	walk_in(&w, calls);
	while (walk_next(&w, NULL, &val)) {
		if (scan_kind(val) != SCAN_OBJECT)
			val = SLICE("{}");
		if (n++ > 0)
			buf_addc(p->out, ',');
		message_call(&p->call, val, open_calls_add(&p->open,
		    scan_get(val, "id"), p->n)->made, p->out);
	}
	buf_addc(p->out, ']');
}

/* ---- messages ---- */

static bool
is_content(struct slice val)
{
	return scan_kind(val) == SCAN_STRING || scan_kind(val) == SCAN_ARRAY;
}

/* ,"content":val */
static void
print_content(struct printer *p, bool *first, struct slice val)
{
	if (!p->rules->blind) {
		message_member(p->out, first, SLICE("content"), val);
		return;
	}
	message_member(p->out, first, SLICE("content"), SLICE(""));
	blind_content(val, p->out);
}

/* A message, with a content whatever it had; id: its tool_call_id (quoted;
 * NULL: its own). */
static void
print_plain(struct printer *p, struct slice m, const char *id)
{
	bool first = true, has_content = false;
	struct slice key, val;
	struct walk w;

	begin(p);
	walk_in(&w, m);
	while (walk_next(&w, &key, &val)) {
		if (is_private(key) ||
		    (id != NULL && scan_key_is(key, "tool_call_id")))
			continue;
		if (scan_key_is(key, "content")) {
			has_content = true;
			print_content(p, &first, is_content(val) ? val :
			    SLICE("\"\""));
		} else
			message_member(p->out, &first, key, val);
	}
	if (id != NULL)
		message_member(p->out, &first, SLICE("tool_call_id"),
		    slice_of(id));
	if (!has_content)
		message_member(p->out, &first, SLICE("content"),
		    SLICE("\"\""));
	buf_addc(p->out, '}');
}

static void
print_assistant(struct printer *p, struct slice m)
{
	struct slice calls = scan_get(m, "tool_calls"), key, val;
	struct slice content = scan_get(m, "content");
	bool first = true, has = msg_count_calls(calls) > 0;
	struct walk w;

	begin(p);
	walk_in(&w, m);
	while (walk_next(&w, &key, &val)) {
		if (is_private(key) || scan_key_is(key, "tool_calls") ||
		    scan_key_is(key, "reasoning_content") ||
		    scan_key_is(key, "content"))
			continue;
		message_member(p->out, &first, key, val);
	}
	if (!is_content(content))
		content = has ? SLICE("null") : SLICE("\"\"");
	print_content(p, &first, content);
	val = scan_get(m, "reasoning");
	if (scan_kind(val) != SCAN_STRING)
		val = scan_get(m, "reasoning_content");
	if (p->rules->reasoning && scan_kind(val) == SCAN_STRING)
		message_member(p->out, &first, SLICE("reasoning_content"), val);
	if (has) {
		message_member(p->out, &first, SLICE("tool_calls"), SLICE(""));
		print_calls(p, calls);
	}
	buf_addc(p->out, '}');
}

/* Results come in the order of their calls; a missing one is made. */
static void
settle(struct printer *p)
{
	for (size_t i = 0; i < p->open.n; i++) {
		const struct open_call *c = &p->open.v[i];

		if (c->result.p != NULL) {
			print_plain(p, c->result, c->made);
			continue;
		}
		begin(p);
		buf_adds(p->out, "{\"role\":\"tool\",\"tool_call_id\":");
		buf_slice(p->out, c->made != NULL ? slice_of(c->made) : c->id);
		buf_adds(p->out, ",\"content\":\"" NO_RESULT "\"}");
	}
	open_calls_reset(&p->open);
}

/* A system message in mid-conversation: marked user text. */
static void
print_marked(struct printer *p, struct slice m)
{
	struct slice content = scan_get(m, "content");

	begin(p);
	buf_adds(p->out, "{\"role\":\"user\",\"content\":");
	if (scan_kind(content) == SCAN_STRING) {
		buf_adds(p->out, "\"[system] ");
		buf_add(p->out, content.p + 1, content.n - 1);
	} else if (scan_kind(content) == SCAN_ARRAY) {
		struct slice key, val;
		struct walk w;

		buf_adds(p->out,
		    "[{\"type\":\"text\",\"text\":\"[system] \"}");
		walk_in(&w, content);
		while (walk_next(&w, &key, &val)) {
			buf_addc(p->out, ',');
			buf_slice(p->out, val);
		}
		buf_addc(p->out, ']');
	} else
		buf_adds(p->out, "\"[system] \"");
	buf_addc(p->out, '}');
}

static void
print_system(struct printer *p, struct slice m)
{
	if (p->n > 0 && !p->rules->system_in_place) {
		print_marked(p, m);
		return;
	}
	if (scan_str_is(scan_get(m, "role"), "system")) {
		print_plain(p, m, NULL);
		return;
	}
	/* local servers do not know "developer" */
	begin(p);
	buf_adds(p->out, "{\"role\":\"system\",\"content\":");
	buf_slice(p->out, is_content(scan_get(m, "content")) ?
	    scan_get(m, "content") : SLICE("\"\""));
	buf_addc(p->out, '}');
}

static void
print_message(struct printer *p, struct slice m)
{
	struct slice role = scan_get(m, "role");

	if (scan_str_is(role, "tool"))
		open_calls_answer(&p->open, scan_get(m, "tool_call_id"), m);
	else if (scan_str_is(role, "assistant"))
		print_assistant(p, m);
	else if (scan_str_is(role, "system") ||
	    scan_str_is(role, "developer"))
		print_system(p, m);
	else
		print_plain(p, m, NULL);
}

/* ---- all of them ---- */

void
messages_past_release(struct messages_past *past)
{
	buf_release(&past->source);
	buf_release(&past->printed);
	*past = (struct messages_past){ .n = 0 };
}

size_t
messages_known(const struct messages_past *past, struct slice messages)
{
	const struct buf *s = &past->source;

	return s->len > 0 && s->len < messages.n &&
	    memcmp(s->p, messages.p, s->len) == 0 ? s->len : 0;
}

/* Go on where the past ends; false: it is another conversation. */
static bool
resume(struct printer *p, const struct messages_past *past,
    struct slice messages)
{
	if (past->rules.system_in_place != p->rules->system_in_place ||
	    past->rules.reasoning != p->rules->reasoning ||
	    past->rules.carry != p->rules->carry ||
	    past->rules.blind != p->rules->blind ||
	    messages_known(past, messages) == 0)
		return false;
	buf_slice(p->out, buf_view(&past->printed));
	p->n = past->n;
	return true;
}

/* Everything before this place is printed for good. */
static void
remember(struct messages_past *past, const struct printer *p,
    struct slice source, struct slice printed)
{
	size_t had = past->source.len, kept = past->printed.len;

	past->source.max = past->printed.max = (size_t)1 << 40;
	past->rules = *p->rules;
	past->n = p->n;
	buf_add(&past->source, source.p + had, source.n - had);
	buf_add(&past->printed, printed.p + kept, printed.n - kept);
}

static void
print_all(struct printer *p, struct slice messages, struct walk *w,
    struct messages_past *past, size_t from)
{
	struct slice key, val;

	for (;;) {
		size_t at = (size_t)(w->p - messages.p);

		if (!walk_next(w, &key, &val))
			break;
		if (scan_kind(val) != SCAN_OBJECT)
			continue;
		if (!scan_str_is(scan_get(val, "role"), "tool")) {
			settle(p);
			if (past != NULL)
				remember(past, p, (struct slice){ messages.p,
				    at }, (struct slice){ p->out->p + from,
				    p->out->len - from });
		}
		print_message(p, val);
	}
	settle(p);
}

void
messages_print(const struct messages_rules *rules, struct slice messages,
    struct messages_past *past, struct buf *out)
{
	struct printer p = { .rules = rules, .out = out };
	size_t from = out->len;
	struct walk w;

	p.call.carry = rules->carry;
	walk_in(&w, messages);
	if (past != NULL && resume(&p, past, messages))
		w.p = messages.p + past->source.len;
	else {
		if (past != NULL)
			messages_past_release(past);
		buf_addc(out, '[');
	}
	print_all(&p, messages, &w, past, from);
	buf_addc(out, ']');
	call_printer_release(&p.call);
	open_calls_release(&p.open);
}
