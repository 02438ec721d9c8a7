/* view.c - the legal message list of a request (chapter 8.3), from records.
 *
 * The view is a row of nodes; only the last one grows, but for a result that
 * comes late, which is put where its call stands.
 */
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "utf8.h"
#include "view_in.h"

#define NO_NAME "\"unknown\""
#define PER_MESSAGE (8 * 64)
#define PER_IMAGE (1600 * 64)

struct view *
view_new(void)
{
	struct view *v = xcalloc(1, sizeof *v);

	buf_init(&v->tmp, BUF_RECORD_MAX);
	buf_init(&v->body, (size_t)1 << 40);
	return v;
}

void
view_free(struct view *v)
{
	if (v == NULL)
		return;
	for (size_t i = 0; i < v->npieces; i++)
		free(v->pieces[i].json);
	for (size_t i = 0; i < v->ncalls; i++) {
		struct view_call *c = &v->calls[i];

		free(c->id);
		free(c->json);
		free(c->result);
		free(c->name);
		free(c->slim);
		free(c->stub);
		free(c->note);
	}
	free(v->nodes);
	free(v->pieces);
	free(v->calls);
	free(v->summary.json);
	pairing_reset(&v->pairing);
	map_release(&v->ids);
	scan_release(&v->scan);
	buf_release(&v->tmp);
	buf_release(&v->body);
	free(v);
}

/* ---- estimates ---- */

static uint64_t
string_sum(enum token_family f, struct slice val)
{
	unsigned prev = TOKEN_START;

	return token_sum_json(f, val.p + 1, val.n - 2, &prev);
}

static uint64_t
part_sum(enum token_family f, struct slice part)
{
	struct slice text = scan_get(part, "text");
	unsigned prev = TOKEN_START;

	if (scan_kind(part) == SCAN_STRING)
		return string_sum(f, part);
	if (scan_kind(text) == SCAN_STRING)
		return string_sum(f, text);
	if (scan_str_is(scan_get(part, "type"), "image_url"))
		return PER_IMAGE;
	return token_sum(f, part.p, part.n, &prev);
}

uint64_t
view_content_sum(enum token_family f, struct slice content)
{
	struct slice part;
	struct walk w;
	uint64_t sum = 0;

	if (scan_kind(content) == SCAN_STRING)
		return string_sum(f, content);
	if (scan_kind(content) != SCAN_ARRAY)
		return 0;
	walk_in(&w, content);
	while (walk_next(&w, NULL, &part))
		sum += part_sum(f, part);
	return sum;
}

static uint64_t
call_sum(const struct view *v, const char *json)
{
	struct slice one = slice_of(json);
	struct walk w = { one.p, one.p + one.n, SCAN_ARRAY };
	struct call c;

	msg_next_call(&w, &c);
	return view_content_sum(v->family, c.name) +
	    view_content_sum(v->family, c.args);
}

/* Node i shows so much more (or less: the sums wrap), in full and slim. */
static void
grow_sum(struct view *v, size_t i, uint64_t full, uint64_t thin)
{
	v->nodes[i].full += full;
	v->nodes[i].thin += thin;
	if (view_is_shown(v, i))
		v->sum += v->nodes[i].slim ? thin : full;
}

/* The node's bytes are no longer right. */
static void
touch(struct view *v, size_t node)
{
	if (!view_is_shown(v, node) || node >= v->clean)
		return;
	v->clean = node;
	v->body.len = v->nodes[node].off;
}

/* ---- pieces ---- */

/* Content as a piece: a string or a filled array, else null; with a mark (in
 * JSON escapes) in front. */
static void
make_piece(struct piece *p, struct slice content, struct slice mark)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);
	struct slice first;
	struct walk w;

	if (scan_kind(content) == SCAN_ARRAY) {
		walk_in(&w, content);
		if (!walk_next(&w, NULL, &first))
			content.p = NULL;
	} else if (scan_kind(content) != SCAN_STRING) {
		content.p = NULL;
	}
	if (content.p == NULL) {
		buf_adds(&b, "null");
	} else if (mark.n == 0) {
		buf_slice(&b, content);
	} else if (content.p[0] == '"') {
		buf_addc(&b, '"');
		buf_slice(&b, mark);
		buf_add(&b, content.p + 1, content.n - 1);
	} else {
		buf_adds(&b, "[{\"type\":\"text\",\"text\":\"");
		buf_slice(&b, mark);
		buf_adds(&b, "\"},");
		buf_add(&b, content.p + 1, content.n - 1);
	}
	p->n = b.len;
	p->json = buf_detach(&b);
}

static void
add_piece(struct view *v, enum piece_kind kind, struct slice content,
    struct slice mark)
{
	struct view_node *node = &v->nodes[v->n - 1];
	struct piece *p;
	uint64_t sum;

	v->pieces = xgrow(v->pieces, v->npieces, &v->cappieces,
	    sizeof *v->pieces);
	p = &v->pieces[v->npieces++];
	*p = (struct piece){ .kind = kind };
	make_piece(p, content, mark);
	node->npieces++;
	sum = view_content_sum(v->family, (struct slice){ p->json, p->n });
	grow_sum(v, v->n - 1, sum, kind == P_REASONING ? 0 : sum);
	touch(v, v->n - 1);
}

/* ---- taking messages in ---- */

static struct view_node *
last_node(struct view *v)
{
	return v->n > 0 ? &v->nodes[v->n - 1] : NULL;
}

static void
new_node(struct view *v, enum view_kind kind)
{
	v->nodes = xgrow(v->nodes, v->n, &v->cap, sizeof *v->nodes);
	v->nodes[v->n++] = (struct view_node){ .kind = kind,
		.call = v->ncalls, .piece = v->npieces,
		.record = v->records - 1 };
	grow_sum(v, v->n - 1, PER_MESSAGE, PER_MESSAGE);
}

/* What marks a text that was folded into a result, in JSON escapes. */
static void
mark_of(const struct rec *r, struct buf *mark)
{
	struct slice by = msg_meta(r, "by");
	struct buf text = BUF_INIT(BUF_RECORD_MAX);
	bool guard = scan_str_is(by, "guard");

	msg_text(rec_get(r, "content"), &text);
	if (scan_kind(by) != SCAN_STRING ||
	    slice_starts(buf_view(&text), "[hamr-guard]"))
		;
	else if (guard)
		buf_adds(mark, "[hamr-guard] ");
	else {
		buf_addc(mark, '[');
		buf_add(mark, by.p + 1, by.n - 2);
		buf_adds(mark, "] ");
	}
	buf_release(&text);
}

static void
add_user(struct view *v, const struct rec *r)
{
	struct view_node *last = last_node(v);
	bool system = r->kind == R_SYSTEM, person = msg_is_person(r);
	bool after = last != NULL && last->ncalls > 0;
	bool context = msg_by(r, "context");
	struct slice content = rec_get(r, "content");
	struct buf mark = BUF_INIT(BUF_RECORD_MAX);

	if (system)
		buf_adds(&mark, "[system] ");
	if (after && !person) {
		if (!system)
			mark_of(r, &mark);
		add_piece(v, P_NOTE, content, buf_view(&mark));
		v->pieces[v->npieces - 1].context = context;
		buf_release(&mark);
		return;
	}
	if (last == NULL || last->kind != VIEW_USER) {
		new_node(v, VIEW_USER);
		last_node(v)->interrupted = after;
	}
	last_node(v)->person |= person;
	add_piece(v, P_TEXT, content, buf_view(&mark));
	v->pieces[v->npieces - 1].person = person;
	v->pieces[v->npieces - 1].context = context;
	buf_release(&mark);
}

/* A JSON object, without blanks around it, that has passed the scanner. */
static bool
is_object(struct view *v, const char *p, size_t n)
{
	return scan_value(&v->scan, p, n) == 0 &&
	    p[strspn(p, " \t\r\n")] == '{';
}

/* The arguments' text into v->tmp, as a JSON object.  True when the record's
 * own string is just that. */
static bool
take_args(struct view *v, struct slice args)
{
	struct buf raw = BUF_INIT(BUF_RECORD_MAX);
	bool own;

	buf_reset(&v->tmp);
	if (!scan_str(args, &v->tmp) && args.p != NULL &&
	    scan_kind(args) != SCAN_NULL)
		buf_slice(&v->tmp, args);
	own = scan_kind(args) == SCAN_STRING;
	if (v->tmp.len == 0)
		buf_adds(&v->tmp, "{}");
	else if (is_object(v, v->tmp.p, v->tmp.len))
		return own;
	else {
		buf_adds(&raw, "{\"_invalid\":");
		scan_quote(&raw, v->tmp.p, v->tmp.len);
		buf_addc(&raw, '}');
		buf_reset(&v->tmp);
		buf_slice(&v->tmp, buf_view(&raw));
		buf_release(&raw);
	}
	return false;
}

/* A JSON string for the call's id that no other call has. */
static char *
unique_id(struct view *v, struct slice id, bool *own)
{
	char *wanted = scan_strdup(id), *text;
	struct buf out = BUF_INIT(BUF_RECORD_MAX);
	bool fresh;
	uint64_t *times;

	*own = wanted != NULL && *wanted != '\0';
	if (!*own) {
		free(wanted);
		wanted = xasprintf("call_hamr_%zu", v->ncalls + 1);
	}
	text = xstrdup(wanted);
	map_put(&v->ids, slice_of(text), &fresh);
	while (!fresh) {
		*own = false;
		times = map_get(&v->ids, slice_of(wanted));
		free(text);
		text = xasprintf("%s_%llu", wanted,
		    (unsigned long long)++*times + 1);
		map_put(&v->ids, slice_of(text), &fresh);
	}
	if (*own)
		buf_slice(&out, id);
	else
		scan_quote(&out, text, strlen(text));
	free(text);
	free(wanted);
	return buf_detach(&out);
}

/* The element of tool_calls: the record's own bytes where they will do.  The
 * arguments are in v->tmp. */
static char *
call_json(struct view *v, const struct call *c, bool own, const char *id)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);

	if (own && scan_str_is(c->type, "function") &&
	    c->name.n > 2) {
		buf_slice(&b, c->whole);
		return buf_detach(&b);
	}
	buf_adds(&b, "{\"id\":");
	buf_adds(&b, id);
	buf_adds(&b, ",\"type\":\"function\",\"function\":{\"name\":");
	if (c->name.n > 2)
		buf_slice(&b, c->name);
	else
		buf_adds(&b, NO_NAME);
	buf_adds(&b, ",\"arguments\":");
	if (c->args.p != NULL && own)
		buf_slice(&b, c->args);
	else
		scan_quote(&b, v->tmp.p, v->tmp.len);
	buf_adds(&b, "}}");
	return buf_detach(&b);
}

static void
add_call(struct view *v, const struct call *c)
{
	struct view_call *nc;
	bool own_id, own_args;
	unsigned prev = TOKEN_START;
	uint64_t sum, full, thin, args_sum;

	own_args = take_args(v, c->given);
	args_sum = token_sum(v->family, v->tmp.p, v->tmp.len, &prev);
	v->calls = xgrow(v->calls, v->ncalls, &v->capcalls, sizeof *v->calls);
	nc = &v->calls[v->ncalls];
	*nc = (struct view_call){ .node = v->n - 1 };
	nc->id = unique_id(v, c->id, &own_id);
	nc->json = call_json(v, c, own_id && own_args, nc->id);
	pairing_call(&v->pairing, c->id, v->ncalls++);
	if (v->hooks.call != NULL)
		v->hooks.call(v->hooks.self, nc, buf_view(&v->tmp));
	v->nodes[v->n - 1].ncalls++;
	sum = PER_MESSAGE + view_content_sum(v->family, SLICE(NO_RESULT));
	full = thin = args_sum + view_content_sum(v->family, c->name.n > 2 ?
	    c->name : SLICE(NO_NAME));
	if (nc->slim != NULL)
		thin = call_sum(v, nc->slim);
	grow_sum(v, v->n - 1, sum + full, sum + thin);
}

/* Does an assistant message stand there that this one goes on? */
static bool
goes_on(const struct view *v, const struct view_node *last)
{
	return last != NULL && last->kind == VIEW_ASSISTANT &&
	    last->answered == 0 && !view_has_piece(v, last, P_NOTE);
}

static void
add_assistant(struct view *v, const struct rec *r)
{
	struct slice calls = rec_get(r, "tool_calls");
	struct slice why = rec_get(r, "reasoning");
	struct walk w;
	struct call c;

	if (!goes_on(v, last_node(v)))
		new_node(v, VIEW_ASSISTANT);
	add_piece(v, P_TEXT, rec_get(r, "content"), SLICE(""));
	if (scan_kind(why) == SCAN_STRING)
		add_piece(v, P_REASONING, why, SLICE(""));
	if (scan_kind(calls) == SCAN_ARRAY) {
		walk_in(&w, calls);
		while (msg_next_call(&w, &c))
			if (scan_kind(c.whole) == SCAN_OBJECT)
				add_call(v, &c);
	}
	touch(v, v->n - 1);
}

static void
add_result(struct view *v, const struct rec *r)
{
	size_t i = pairing_result(&v->pairing, rec_get(r, "tool_call_id"));
	struct slice name = rec_get(r, "name"), content;
	struct view_call *c;
	struct piece p = { .kind = P_TEXT };
	uint64_t none, full, thin;

	if (i == (size_t)-1)
		return;		/* of no call, or a second one */
	c = &v->calls[i];
	if (v->hooks.result != NULL)
		v->hooks.result(v->hooks.self, c, r);
	if (c->result == NULL) {
		make_piece(&p, rec_get(r, "content"), SLICE(""));
		c->result = p.json != NULL ? p.json : xstrdup("null");
	}
	if (c->result != NULL && c->result[0] == 'n')
		memcpy(c->result, "\"\"", 3);	/* "null" is longer */
	if (scan_kind(name) == SCAN_STRING && name.n > 2)
		c->name = xmemdup0(name.p, name.n);
	none = view_content_sum(v->family, SLICE(NO_RESULT));
	content = slice_of(c->result);
	full = view_content_sum(v->family, content);
	thin = c->stub == NULL ? full :
	    view_content_sum(v->family, slice_of(c->stub));
	v->nodes[c->node].answered++;
	grow_sum(v, c->node, full - none, thin - none);
	touch(v, c->node);
}

void
view_add(struct view *v, const struct rec *r)
{
	if (!rec_is_message(r->kind))
		return;
	v->records++;
	if (r->kind == R_SYSTEM && v->n == 0) {
		new_node(v, VIEW_SYSTEM);
		add_piece(v, P_TEXT, rec_get(r, "content"), SLICE(""));
	} else if (r->kind == R_ASSISTANT) {
		add_assistant(v, r);
	} else if (r->kind == R_TOOL) {
		add_result(v, r);
	} else {
		add_user(v, r);
	}
}

/* ---- for hamr-compact ---- */

void
view_set_hooks(struct view *v, const struct view_hooks *h)
{
	v->hooks = *h;
}

void
view_set_family(struct view *v, enum token_family f)
{
	v->family = f;
}

size_t
view_nodes(const struct view *v)
{
	return v->n;
}

const struct view_node *
view_node(const struct view *v, size_t i)
{
	return &v->nodes[i];
}

struct view_call *
view_call_at(const struct view *v, size_t i)
{
	return &v->calls[i];
}

static bool
is_wanted(const struct piece *p, enum view_text what)
{
	switch (what) {
	case VIEW_CONTEXT: return p->context;
	case VIEW_PERSON: return p->person && p->kind == P_TEXT;
	default: return p->kind == P_TEXT;
	}
}

bool
view_text(const struct view *v, size_t i, enum view_text what, size_t *at,
    struct buf *out)
{
	const struct view_node *node = &v->nodes[i];

	while (*at < node->npieces) {
		const struct piece *p = &v->pieces[node->piece + (*at)++];

		if (is_wanted(p, what) && !view_is_empty(p) &&
		    msg_text((struct slice){ p->json, p->n }, out))
			return true;
	}
	return false;
}

uint64_t
view_sum(const struct view *v)
{
	return v->sum + v->summary_sum;
}

size_t
view_open_calls(const struct view *v)
{
	return v->pairing.open;
}

size_t
view_records(const struct view *v)
{
	return v->records;
}

size_t
view_count(const struct view *v)
{
	size_t n = 0;

	for (size_t i = 0; i < v->n; i++) {
		const struct view_node *node = &v->nodes[i];
		bool first = i == v->fold && v->fold > 0;

		if (!view_is_shown(v, i))
			continue;
		n += 1 + node->ncalls;
		if (node->kind == VIEW_ASSISTANT)
			n += first;
		else
			n += node->interrupted && !first;
	}
	return n;
}

void
view_show(struct view *v, size_t fold, struct slice summary, size_t thin)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);

	free(v->summary.json);
	v->summary = (struct piece){ .kind = P_TEXT };
	v->summary_sum = 0;
	v->fold = fold;
	if (fold > 0) {
		scan_quote(&b, summary.p, summary.n);
		v->summary.n = b.len;
		v->summary.json = buf_detach(&b);
		v->summary_sum = PER_MESSAGE + view_content_sum(v->family,
		    (struct slice){ v->summary.json, v->summary.n });
	}
	v->clean = v->body.len = v->sum = 0;
	if (fold > 0 && v->nodes[0].kind == VIEW_SYSTEM)
		v->sum = v->nodes[0].full;
	for (size_t i = fold; i < v->n; i++) {
		struct view_node *node = &v->nodes[i];

		node->slim = i < thin;
		v->sum += node->slim ? node->thin : node->full;
	}
}
