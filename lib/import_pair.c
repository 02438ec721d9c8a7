/* import_pair.c - what an importer made, as records of ours. */
#include <stdlib.h>
#include <string.h>

#include "import_meta.h"
#include "import_pair.h"
#include "mem.h"

#define NONE ((struct slice){ NULL, 0 })

/* A call of the conversation. */
struct import_call {
	char *id;		/* as written: quoted */
	char *name;		/* ours, quoted */
	char *was;		/* theirs, quoted; NULL when it is the same */
	char *given;		/* its id as the source has it, quoted */
	bool done;		/* a result has answered it */
};

/* ---- ids ---- */

static bool
is_id(struct slice v)
{
	return (scan_kind(v) == SCAN_STRING && v.n > 2) ||
	    scan_kind(v) == SCAN_NUMBER;
}

/* An id as a string: a number is its digits. */
static char *
id_text(struct slice v)
{
	char *text = scan_strdup(v);

	if (text == NULL && is_id(v))
		text = xmemdup0(v.p, v.n);
	return text != NULL ? text : xstrdup("");
}

/* The id a call gets: its own, or that with a number, or one made up.  The
 * map keeps the number to try next, so that many of one id cost no more. */
static char *
new_id(struct import_pair *p, const char *given)
{
	char *id = *given != '\0' ? xstrdup(given) : NULL;
	bool fresh = false;

	while (!fresh) {
		uint64_t n = 0, *next = NULL;

		if (id == NULL)
			id = xasprintf("call_%zu", ++p->made_up);
		next = map_put(&p->ids, slice_of(id), &fresh);
		if (fresh) {
			*next = 2;
			break;
		}
		free(id);
		id = NULL;
		if (*given == '\0')
			continue;
		n = (*map_put(&p->ids, slice_of(given), NULL))++;
		id = xasprintf("%s#%llu", given, (unsigned long long)n);
	}
	return id;
}

/* ---- conversations ---- */

static void
close_conversation(struct import_pair *p)
{
	p->unanswered += p->open.open;
	for (size_t i = 0; i < p->ncalls; i++) {
		free(p->call[i].id);
		free(p->call[i].name);
		free(p->call[i].was);
		free(p->call[i].given);
	}
	p->ncalls = p->first = p->made_up = p->epoch = 0;
	pairing_reset(&p->open);
	map_release(&p->ids);
}

void
import_pair_end(struct import_pair *p)
{
	close_conversation(p);
}

/* A content, without what its parts tell of what they stand for. */
static void
put_content(struct slice content, struct buf *out)
{
	static const char mark[] = "\"_left\":";
	struct slice el, key, val;
	struct walk w, in;

	if (scan_kind(content) != SCAN_ARRAY || memmem(content.p, content.n,
	    mark, sizeof mark - 1) == NULL) {
		buf_slice(out, content);
		return;
	}
	buf_addc(out, '[');
	walk_in(&w, content);
	while (walk_next(&w, NULL, &el)) {
		if (out->p[out->len - 1] != '[')
			buf_addc(out, ',');
		if (scan_get(el, "_left").p == NULL) {
			buf_slice(out, el);
			continue;
		}
		buf_addc(out, '{');
		walk_in(&in, el);
		while (walk_next(&in, &key, &val)) {
			if (scan_key_is(key, "_left"))
				continue;
			if (out->p[out->len - 1] != '{')
				buf_addc(out, ',');
			buf_add(out, key.p - 1, key.n + 2);
			buf_addc(out, ':');
			buf_slice(out, val);
		}
		buf_addc(out, '}');
	}
	buf_addc(out, ']');
}

/* All members but ours and what is null. */
static void
copy_members(const struct rec *r, const char *const *without, struct buf *out)
{
	for (size_t i = 0; i < r->n; i++) {
		const char *const *w = without;

		while (*w != NULL && !scan_key_is(r->m[i].key, *w))
			w++;
		if (*w != NULL || (scan_kind(r->m[i].val) == SCAN_NULL &&
		    !scan_key_is(r->m[i].key, "content")))
			continue;
		if (out->p[out->len - 1] != '{')
			buf_addc(out, ',');
		buf_add(out, r->m[i].key.p - 1, r->m[i].key.n + 2);
		buf_addc(out, ':');
		if (scan_key_is(r->m[i].key, "content"))
			put_content(r->m[i].val, out);
		else
			buf_slice(out, r->m[i].val);
	}
}

static void
put_header(struct import_pair *p, const struct rec *r, struct buf *out)
{
	static const char *const without[] = { "type", "v", "format",
		"_line", NULL };

	close_conversation(p);
	p->conversations++;
	buf_adds(out, "{\"type\":\"hamr\",\"v\":1");
	if (r != NULL)
		copy_members(r, without, out);
	if (p->format != NULL)
		import_member(out, "format", import_quoted(&p->text, slice_of(p->format)));
	buf_addc(out, '}');
}

/* ---- calls ---- */

/* The arguments' text in p->args, with paths under our key; the call's name
 * under ours. */
static void
read_call(struct import_pair *p, struct slice name, struct slice args,
    struct import_call *c)
{
	struct buf renamed = BUF_INIT(BUF_RECORD_MAX);
	struct slice object = NONE, ours;
	char *theirs = scan_strdup(name);

	if (theirs == NULL || *theirs == '\0') {
		free(theirs);
		theirs = xstrdup("unknown");
	}
	buf_reset(&p->args);
	if (!scan_str(args, &p->args))
		buf_slice(&p->args, scan_kind(args) == SCAN_NONE ||
		    scan_kind(args) == SCAN_NULL ? SLICE("{}") : args);
	buf_adds(&p->args, "");
	if (scan_value(&p->scan, p->args.p, p->args.len) == 0)
		object = buf_view(&p->args);
	while (object.n > 0 && memchr(" \t\r\n", *object.p, 4) != NULL)
		object = (struct slice){ object.p + 1, object.n - 1 };
	ours = import_name(&p->names, slice_of(theirs), object);
	c->name = xstrdup(import_quoted(&p->text, ours).p);
	c->was = slice_is(ours, theirs) ? NULL :
	    xstrdup(import_quoted(&p->text, slice_of(theirs)).p);
	if (import_path(ours, object, &renamed)) {
		buf_reset(&p->args);
		buf_slice(&p->args, buf_view(&renamed));
	}
	buf_release(&renamed);
	free(theirs);
}

static void
put_call(struct import_pair *p, struct slice el, struct buf *out)
{
	struct slice f = scan_get(el, "function"), id = scan_get(el, "id");
	struct slice given;
	struct import_call *c;
	char *text;

	if (scan_kind(f) != SCAN_OBJECT)
		f = el;
	p->call = xgrow(p->call, p->ncalls, &p->capcalls, sizeof *p->call);
	c = &p->call[p->ncalls];
	read_call(p, scan_get(f, "name"), scan_get(f, "arguments"), c);
	text = id_text(id);
	given = import_quoted(&p->text, slice_of(text));
	c->given = xmemdup0(given.p, given.n);
	c->done = false;
	pairing_call(&p->open, given, p->ncalls++);
	c->id = new_id(p, text);
	free(text);
	text = c->id;
	c->id = xstrdup(import_quoted(&p->text, slice_of(text)).p);
	free(text);
	p->calls++;
	buf_addc(out, '{');
	import_member(out, "id", slice_of(c->id));
	buf_adds(out, ",\"type\":\"function\",\"function\":{");
	import_member(out, "name", slice_of(c->name));
	buf_adds(out, ",\"arguments\":");
	scan_quote(out, p->args.p, p->args.len);
	buf_adds(out, "}}");
}

/* What the calls from i on were called: one name, or a list in their order;
 * nothing when none was renamed. */
static void
old_names(const struct import_pair *p, size_t i, struct buf *out)
{
	size_t n = p->ncalls - i;
	bool any = false;

	for (size_t k = i; k < p->ncalls; k++)
		any |= p->call[k].was != NULL;
	if (!any)
		return;
	if (n > 1)
		buf_addc(out, '[');
	for (; i < p->ncalls; i++) {
		const struct import_call *c = &p->call[i];

		buf_adds(out, c->was != NULL ? c->was : c->name);
		if (i + 1 < p->ncalls)
			buf_addc(out, ',');
	}
	if (n > 1)
		buf_addc(out, ']');
}

static void
put_assistant(struct import_pair *p, const struct rec *r, bool lossy,
    struct buf *out)
{
	static const char *const without[] = { "role", "tool_calls", "meta",
		"_line", "finish_reason", NULL };
	struct slice calls = rec_get(r, "tool_calls"), el, was = NONE;
	struct buf names = BUF_INIT(BUF_RECORD_MAX);
	size_t first = p->ncalls;
	struct walk w;

	buf_adds(out, "{\"role\":\"assistant\"");
	copy_members(r, without, out);
	if (scan_kind(calls) == SCAN_ARRAY) {
		size_t start = out->len;

		buf_adds(out, ",\"tool_calls\":[");
		walk_in(&w, calls);
		while (walk_next(&w, NULL, &el)) {
			if (scan_kind(el) != SCAN_OBJECT)
				continue;
			if (p->ncalls > first)
				buf_addc(out, ',');
			put_call(p, el, out);
		}
		buf_addc(out, ']');
		if (p->ncalls == first)
			out->p[out->len = start] = '\0';
	}
	if (scan_kind(rec_get(r, "finish_reason")) == SCAN_STRING)
		import_member(out, "finish_reason", rec_get(r, "finish_reason"));
	old_names(p, first, &names);
	if (names.len > 0)
		was = buf_view(&names);
	import_meta(&p->text, rec_get(r, "meta"), was, lossy, out);
	buf_addc(out, '}');
	buf_release(&names);
}

/* ---- results ---- */

/* The call that a result answers: the oldest open one of its id; without an
 * id the oldest one that is open. */
static struct import_call *
answered(struct import_pair *p, struct slice id)
{
	char *text;
	size_t tag;

	if (is_id(id)) {
		text = id_text(id);
		tag = pairing_result(&p->open, import_quoted(&p->text,
		    slice_of(text)));
		free(text);
	} else {
		while (p->first < p->ncalls && p->call[p->first].done)
			p->first++;
		tag = p->first == p->ncalls ? (size_t)-1 :
		    pairing_result(&p->open,
		    slice_of(p->call[p->first].given));
	}
	if (tag == (size_t)-1)
		return NULL;
	p->call[tag].done = true;
	return &p->call[tag];
}

/* A result without a call: what it was is kept. */
static void
put_stray(struct import_pair *p, const struct rec *r, struct slice id,
    struct buf *out)
{
	struct buf why = BUF_INIT(BUF_RECORD_MAX);
	char *text = id_text(id);

	p->strays++;
	buf_fmt(&why, *text != '\0' ? "a result without a call: %s" :
	    "a result without a call%s", text);
	buf_adds(out, "{\"type\":\"error\",\"stage\":\"import\","
	    "\"code\":\"bad_record\",\"message\":");
	scan_quote(out, why.p, why.len);
	buf_adds(out, ",\"retryable\":false");
	if (*text != '\0')
		import_member(out, "tool_call_id", import_quoted(&p->text, slice_of(text)));
	buf_adds(out, ",\"partial\":{\"content\":");
	buf_reset(&why);
	buf_adds(&why, "");
	msg_text(rec_get(r, "content"), &why);
	scan_quote(out, why.p, why.len);
	buf_adds(out, "}}");
	buf_release(&why);
	free(text);
}

static void
put_tool(struct import_pair *p, const struct rec *r, bool lossy,
    struct buf *out)
{
	static const char *const without[] = { "role", "tool_call_id", "name",
		"meta", "is_error", "_line", NULL };
	struct slice id = rec_get(r, "tool_call_id"), content;
	struct import_call *c = answered(p, id);

	if (c == NULL) {
		put_stray(p, r, id, out);
		return;
	}
	p->results++;
	buf_adds(out, "{\"role\":\"tool\"");
	import_member(out, "tool_call_id", slice_of(c->id));
	import_member(out, "name", slice_of(c->name));
	content = rec_get(r, "content");
	if (content.p == NULL)
		buf_adds(out, ",\"content\":\"\"");
	copy_members(r, without, out);
	if (scan_true(rec_get(r, "is_error")))
		buf_adds(out, ",\"is_error\":true");
	import_meta(&p->text, rec_get(r, "meta"), c->was != NULL ? slice_of(c->was) :
	    NONE, lossy, out);
	buf_addc(out, '}');
}

void
import_pair(struct import_pair *p, const struct rec *r, bool lossy,
    struct buf *out)
{
	static const char *const without[] = { "meta", "epoch", "_line", NULL };

	p->args.max = p->text.max = BUF_RECORD_MAX;
	if (r == NULL || r->kind == R_HAMR) {
		put_header(p, r, out);
	} else if (r->kind == R_ASSISTANT) {
		put_assistant(p, r, lossy, out);
	} else if (r->kind == R_TOOL) {
		put_tool(p, r, lossy, out);
	} else {
		buf_addc(out, '{');
		copy_members(r, without, out);
		if (r->kind == R_COMPACTION)
			buf_fmt(out, ",\"epoch\":%zu", ++p->epoch);
		if (rec_get(r, "meta").p != NULL || lossy)
			import_meta(&p->text, rec_get(r, "meta"), NONE, lossy, out);
		buf_addc(out, '}');
	}
}

void
import_pair_release(struct import_pair *p)
{
	close_conversation(p);
	free(p->call);
	scan_release(&p->scan);
	buf_release(&p->args);
	buf_release(&p->text);
}
