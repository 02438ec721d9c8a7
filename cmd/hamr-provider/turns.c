/* turns.c - messages as strict templates want them. */
#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "msg.h"
#include "quirks.h"
#include "scan.h"
#include "turns.h"

#define ID_LENGTH 9		/* of Mistral's models */
#define BETWEEN "{\"role\":\"assistant\",\"content\":\"(noted)\"}"

struct turns {
	unsigned quirks;
	struct buf *out;
	size_t n;		/* messages printed */
	struct slice *group;	/* messages of one role, to be one */
	size_t ngroup, cap;
	struct slice last;	/* role of the message printed last */
};

static struct slice
role_of(struct slice m)
{
	return scan_get(m, "role");
}

/* ---- ids ---- */

static bool
is_short(struct slice id)
{
	size_t n = 0;

	while (n < id.n && isalnum((unsigned char)id.p[n]))
		n++;
	return n == id.n && n == ID_LENGTH;
}

/* The same id gets the same nine characters, always. */
static void
put_id(struct slice val, struct buf *out)
{
	static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz"
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	struct buf id = BUF_INIT(BUF_RECORD_MAX);
	uint64_t hash = 14695981039346656037u;	/* FNV-1a */
	char text[ID_LENGTH];

	scan_str(val, &id);
	for (size_t i = 0; i < id.len; i++)
		hash = (hash ^ (unsigned char)id.p[i]) * 1099511628211u;
	for (size_t i = 0; i < ID_LENGTH; i++, hash /= 62)
		text[i] = digits[hash % 62];
	if (is_short(buf_view(&id)))
		buf_slice(out, val);
	else
		scan_quote(out, text, ID_LENGTH);
	buf_release(&id);
}

static void put_value(const struct turns *t, struct slice key,
    struct slice val, struct buf *out);

static void
put_object(const struct turns *t, struct slice o, struct buf *out)
{
	struct slice key, val;
	struct walk w;
	size_t n = 0;

	walk_in(&w, o);
	while (walk_next(&w, &key, &val)) {
		buf_adds(out, n++ > 0 ? ",\"" : "{\"");
		buf_slice(out, key);
		buf_adds(out, "\":");
		put_value(t, key, val, out);
	}
	buf_adds(out, n > 0 ? "}" : "{}");
}

static void
put_calls(const struct turns *t, struct slice list, struct buf *out)
{
	struct slice call;
	struct walk w;
	size_t n = 0;

	buf_addc(out, '[');
	walk_in(&w, list);
	while (walk_next(&w, NULL, &call)) {
		buf_adds(out, n++ > 0 ? "," : "");
		put_object(t, call, out);
	}
	buf_addc(out, ']');
}

/* Ids stand in calls and in results. */
static void
put_value(const struct turns *t, struct slice key, struct slice val,
    struct buf *out)
{
	bool ids = (t->quirks & QUIRK_SHORT_IDS) != 0;

	if (ids && scan_kind(val) == SCAN_STRING && (slice_is(key, "id") ||
	    slice_is(key, "tool_call_id")))
		put_id(val, out);
	else if (ids && scan_kind(val) == SCAN_ARRAY &&
	    slice_is(key, "tool_calls"))
		put_calls(t, val, out);
	else
		buf_slice(out, val);
}

/* ---- messages of one role in a row ---- */

static bool
has_parts(const struct turns *t)
{
	for (size_t i = 0; i < t->ngroup; i++)
		if (scan_kind(scan_get(t->group[i], "content")) == SCAN_ARRAY)
			return true;
	return false;
}

static void
join_parts(const struct turns *t, struct buf *out)
{
	struct slice part;
	struct walk w;
	size_t n = 0;

	for (size_t i = 0; i < t->ngroup; i++) {
		struct slice c = scan_get(t->group[i], "content");

		if (scan_kind(c) == SCAN_STRING) {
			buf_adds(out, n++ > 0 ? "," : "[");
			buf_adds(out, "{\"type\":\"text\",\"text\":");
			buf_slice(out, c);
			buf_addc(out, '}');
		}
		walk_in(&w, c);
		while (scan_kind(c) == SCAN_ARRAY &&
		    walk_next(&w, NULL, &part)) {
			buf_adds(out, n++ > 0 ? "," : "[");
			buf_slice(out, part);
		}
	}
	buf_adds(out, n > 0 ? "]" : "[]");
}

static void
join_texts(const struct turns *t, struct buf *out)
{
	struct buf all = BUF_INIT((size_t)1 << 40);

	for (size_t i = 0; i < t->ngroup; i++) {
		struct buf one = BUF_INIT((size_t)1 << 40);

		if (msg_text(scan_get(t->group[i], "content"), &one) &&
		    one.len > 0) {
			buf_adds(&all, all.len > 0 ? "\n\n" : "");
			buf_slice(&all, buf_view(&one));
		}
		buf_release(&one);
	}
	scan_quote(out, all.len > 0 ? all.p : "", all.len);
	buf_release(&all);
}

static void
put_joined(const struct turns *t)
{
	struct slice calls = scan_get(t->group[t->ngroup - 1], "tool_calls");

	buf_adds(t->out, "{\"role\":");
	buf_slice(t->out, role_of(t->group[0]));
	buf_adds(t->out, ",\"content\":");
	if (has_parts(t))
		join_parts(t, t->out);
	else
		join_texts(t, t->out);
	if (calls.p != NULL) {
		buf_adds(t->out, ",\"tool_calls\":");
		put_value(t, SLICE("tool_calls"), calls, t->out);
	}
	buf_addc(t->out, '}');
}

static void
flush(struct turns *t)
{
	struct slice role;

	if (t->ngroup == 0)
		return;
	role = role_of(t->group[0]);
	buf_adds(t->out, t->n++ > 0 ? "," : "");
	if ((t->quirks & QUIRK_AFTER_TOOL) && scan_str_is(role, "user") &&
	    scan_str_is(t->last, "tool"))
		buf_adds(t->out, BETWEEN ",");
	if (t->ngroup == 1)
		put_object(t, t->group[0], t->out);
	else
		put_joined(t);
	t->last = role;
	t->ngroup = 0;
}

/* Does m go with the messages in hand? */
static bool
goes_on(const struct turns *t, struct slice m)
{
	struct slice role = role_of(m), before;

	if (!(t->quirks & QUIRK_ALTERNATE) || t->ngroup == 0)
		return false;
	before = t->group[t->ngroup - 1];
	if (!slice_eq(role, role_of(before)))
		return false;
	return scan_str_is(role, "user") || (scan_str_is(role, "assistant") &&
	    scan_get(before, "tool_calls").p == NULL);
}

void
turns_fit(unsigned quirks, struct slice messages, struct buf *out)
{
	struct turns t = { .quirks = quirks, .out = out };
	struct slice m;
	struct walk w;

	buf_addc(out, '[');
	walk_in(&w, messages);
	while (walk_next(&w, NULL, &m)) {
		if (!goes_on(&t, m))
			flush(&t);
		t.group = xgrow(t.group, t.ngroup, &t.cap, sizeof *t.group);
		t.group[t.ngroup++] = m;
	}
	flush(&t);
	buf_addc(out, ']');
	free(t.group);
}
