/* turns.c - messages as strict templates want them. */
#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/num.h"
#include "view/view.h"

#include "quirks.h"
#include "turns.h"

#define ID_LENGTH 9		/* of Mistral's models */
#define NAME_LENGTH 64		/* of OpenAI's functions */

struct turns {
	unsigned quirks;
	struct buf *out;
	struct slice *group;	/* messages of one role, to be one */
	size_t ngroup, cap;
	struct slice last;	/* role of the message printed last */
};

/* ---- ids ---- */

/* The same id gets the same nine letters and digits, always. */
static void
put_id(struct slice val, struct buf *out)
{
	static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz"
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	struct buf id = BUF_INIT(BUF_RECORD_MAX);
	uint64_t hash = 14695981039346656037u;	/* FNV-1a */
	char text[ID_LENGTH];

	scan_str(val, &id);
	bool fits = id.len == ID_LENGTH;
	for (size_t i = 0; i < id.len; i++) {
		hash = (hash ^ (unsigned char)id.p[i]) * 1099511628211u;
		fits = fits && isalnum((unsigned char)id.p[i]);
	}
	for (size_t i = 0; i < ID_LENGTH; i++, hash /= 62)
		text[i] = digits[hash % 62];
	if (fits)
		buf_slice(out, val);
	else
		scan_quote(out, text, ID_LENGTH);
	buf_release(&id);
}

void
put_word(struct slice word, size_t max, struct buf *out)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);

	scan_str(word, &b);
	for (size_t i = 0; i < b.len; i++)
		if (!isalnum((unsigned char)b.p[i]) && b.p[i] != '-')
			b.p[i] = '_';
	scan_quote(out, buf_view(&b).p, num_min(b.len, max));
	buf_release(&b);
}

/* A message, a call or its function; ids stand in calls and in results. */
static void
put_object(const struct turns *t, struct slice o)
{
	bool ids = (t->quirks & QUIRK_SHORT_IDS) != 0;
	bool names = (t->quirks & QUIRK_PLAIN_NAMES) != 0;
	struct slice key, val, call;

	buf_addc(t->out, '{');
	for (struct walk w = walk_of(o); walk_next(&w, &key, &val); ) {
		scan_put(t->out, "$'$':", scan_comma(t->out), key);
		if (ids && scan_kind(val) == SCAN_STRING &&
		    (slice_is(key, "id") || slice_is(key, "tool_call_id")))
			put_id(val, t->out);
		else if (names && scan_kind(val) == SCAN_STRING &&
		    slice_is(key, "name"))
			put_word(val, NAME_LENGTH, t->out);
		else if (names && slice_is(key, "function"))
			put_object(t, val);
		else if (scan_kind(val) == SCAN_ARRAY &&
		    slice_is(key, "tool_calls")) {
			buf_addc(t->out, '[');
			for (struct walk list = walk_of(val);
			    walk_next(&list, NULL, &call); ) {
				buf_slice(t->out, scan_comma(t->out));
				put_object(t, call);
			}
			buf_addc(t->out, ']');
		} else
			buf_slice(t->out, val);
	}
	buf_addc(t->out, '}');
}

/* ---- messages of one role in a row ---- */

/* The messages in hand, as one. */
static void
flush(struct turns *t)
{
	struct buf all = BUF_INIT((size_t)1 << 40);

	if (t->ngroup == 0)
		return;
	struct slice role = scan_get(t->group[0], "role");
	buf_slice(t->out, scan_comma(t->out));
	if ((t->quirks & QUIRK_AFTER_TOOL) && scan_str_is(role, "user") &&
	    scan_str_is(t->last, "tool"))
		scan_put(t->out, "{'role':'assistant','content':'(noted)'},");
	if (t->ngroup == 1)
		put_object(t, t->group[0]);
	else {
		struct slice calls = scan_get(t->group[t->ngroup - 1],
		    "tool_calls");
		for (size_t i = 0; i < t->ngroup; i++)
			t->group[i] = scan_get(t->group[i], "content");
		scan_put(&all, "{'role':$,'content':", role);
		view_join(&all, t->group, t->ngroup);
		scan_put(&all, calls.p != NULL ? ",'tool_calls':$}" : "}",
		    calls);
		put_object(t, buf_view(&all));
	}
	buf_release(&all);
	t->last = role;
	t->ngroup = 0;
}

void
turns_fit(unsigned quirks, struct slice messages, struct buf *out)
{
	struct turns t = { .quirks = quirks, .out = out };
	struct slice m, none = { NULL, 0 };

	buf_addc(out, '[');
	for (struct walk w = walk_of(messages); walk_next(&w, NULL, &m); ) {
		struct slice role = scan_get(m, "role");
		struct slice last = t.ngroup > 0 ? t.group[t.ngroup - 1] : none;

		/* does it go with the messages in hand? */
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
