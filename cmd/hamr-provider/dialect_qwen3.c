/* dialect_qwen3.c - <function=N><parameter=K>V</parameter></function>.
 *
 * V is raw text and may hold anything, tags like these too.  So a closing tag
 * counts only where the next tag stands right behind it, calls written within
 * a value are counted in and out, and of several ends the last one before the
 * next block counts.  No library reads this; it is no XML.
 */
#include <stdlib.h>
#include <string.h>

#include "dialect_in.h"
#include "mem.h"

#define NAME_MAX_BYTES 256

void
qwen3_begin(struct qwen3 *q, size_t at, bool led)
{
	size_t cap = q->cap;
	struct qwen_param *v = q->v;

	*q = (struct qwen3){ .at = at, .pos = at, .led = led,
		.opened = led, .v = v, .cap = cap };
}

void
qwen3_release(struct qwen3 *q)
{
	free(q->v);
	*q = (struct qwen3){ .v = NULL };
}

/* ---- tags ---- */

static int
named_tag(struct slice s, const char *opening, size_t *n)
{
	int m = tag_match(s, opening);

	if (m != 1)
		return m;
	for (size_t i = strlen(opening); i < s.n; i++) {
		if (s.p[i] == '>') {
			*n = i + 1;
			return i > strlen(opening);
		}
		if (s.p[i] == '<' || s.p[i] == '\n' || i > NAME_MAX_BYTES)
			return 0;
	}
	return -1;
}

int
qwen3_opening(struct slice s, size_t *n)
{
	return named_tag(s, "<function=", n);
}

/* The tag at the start of s: its kind, Q_NONE when there is none.  False when
 * more bytes are needed to tell. */
static bool
tag_at(struct slice s, enum qwen_kind *kind, size_t *n)
{
	static const struct {
		const char *text;
		enum qwen_kind kind;
		bool named;
	} tags[] = {
		{ "<tool_call>", Q_CALL, false },
		{ "</tool_call>", Q_CALL_END, false },
		{ "<function=", Q_FUNC, true },
		{ "</function>", Q_FUNC_END, false },
		{ "<parameter=", Q_PARAM, true },
		{ "</parameter>", Q_PARAM_END, false },
	};
	bool maybe = false;

	*kind = Q_NONE;
	for (size_t i = 0; i < sizeof tags / sizeof *tags; i++) {
		int m = tags[i].named ? named_tag(s, tags[i].text, n) :
		    tag_match(s, tags[i].text);

		if (m < 0)
			maybe = true;
		if (m <= 0)
			continue;
		if (!tags[i].named)
			*n = strlen(tags[i].text);
		*kind = tags[i].kind;
		return true;
	}
	return !maybe;
}

static bool
only_white(struct slice held, size_t from, size_t to)
{
	while (from < to && is_white(held.p[from]))
		from++;
	return from >= to;
}

/* ---- structure ---- */

static bool
has_key(const struct qwen3 *q, struct slice held, struct qwen_tag t)
{
	size_t key = t.start + strlen("<parameter="), n = t.end - 1 - key;

	for (size_t i = 0; i < q->n; i++) {
		const struct qwen_param *p = &q->v[i];

		if (p->key_end - p->key == n &&
		    memcmp(held.p + p->key, held.p + key, n) == 0)
			return true;
	}
	return false;
}

static void
add_param(struct qwen3 *q, struct qwen_tag t)
{
	q->v = xgrow(q->v, q->n, &q->cap, sizeof *q->v);
	q->v[q->n++] = (struct qwen_param){
		.key = t.start + strlen("<parameter="), .key_end = t.end - 1,
		.val = t.end };
}

static void
on_param(struct qwen3 *q, struct slice held, struct qwen_tag t, bool near)
{
	if (!near || q->end > 0)
		return;
	if (q->prev.kind == Q_FUNC) {
		if (q->prev.ours)
			add_param(q, t);
		else if (!q->flat) {
			q->depth++;
			q->nested = true;
		}
	} else if (q->prev.kind == Q_PARAM_END && q->depth == 0 &&
	    !has_key(q, held, t)) {
		q->v[q->n - 1].val_end = q->prev.start;
		add_param(q, t);
	}
}

static void
on_func_end(struct qwen3 *q, struct qwen_tag *t, bool near)
{
	if (!near)
		return;
	if (q->prev.kind == Q_FUNC)
		t->ours = q->prev.ours;
	else if (q->prev.kind != Q_PARAM_END)
		return;
	else if (q->depth > 0)
		q->depth--;
	else
		t->ours = true;
	if (!t->ours)
		return;
	q->shut = q->prev.start;
	if (!q->led) {
		q->end = t->end;
		q->val_end = q->shut;
	}
}

static void
full_end(struct qwen3 *q, size_t end)
{
	q->end = end;
	q->val_end = q->shut;
}

/* The next tag; true when the block is surely over. */
static bool
step(struct qwen3 *q, struct slice held, struct qwen_tag t)
{
	bool near = only_white(held, q->prev.end, t.start);
	bool closed = near && q->prev.kind == Q_FUNC_END && q->prev.ours;

	/* read flat, an end counts only where the next block follows */
	if (q->flat && q->end > 0 && !(near && (t.kind == Q_CALL ||
	    t.kind == Q_FUNC)) && !(closed && t.kind == Q_CALL_END))
		q->end = 0;
	q->opened += (t.kind == Q_CALL) - (t.kind == Q_CALL_END);
	switch (t.kind) {
	case Q_CALL:
	case Q_FUNC:
		if (q->end == 0 && closed)
			full_end(q, q->prev.end);
		if (q->end > 0)
			return true;
		break;
	case Q_PARAM:
		on_param(q, held, t, near);
		break;
	case Q_FUNC_END:
		on_func_end(q, &t, near);
		break;
	case Q_CALL_END:
		if (closed)
			full_end(q, t.end);
		break;
	default:
		break;
	}
	q->prev = t;
	return false;
}

/* The own <function=NAME>. */
static bool
begin_call(struct qwen3 *q, struct slice held)
{
	size_t n;

	if (qwen3_opening(slice_from(held, q->at), &n) != 1)
		return false;
	q->prev = (struct qwen_tag){ Q_FUNC, q->at, q->at + n, true };
	q->name = q->at + strlen("<function=");
	q->name_end = q->prev.end - 1;
	q->pos = q->prev.end;
	return true;
}

/* Behind the own <function=NAME> stands a tag of ours, or it is none. */
static bool
is_junk(const struct qwen3 *q, struct slice held, size_t to)
{
	return q->prev.kind == Q_FUNC && q->prev.ours &&
	    (!only_white(held, q->prev.end, to) ||
	    to - q->prev.end > BLOCK_WHITE_MAX);
}

static enum block_said
walk_tags(struct qwen3 *q, struct slice held)
{
	while (q->pos < held.n) {
		const char *p = memchr(held.p + q->pos, '<', held.n - q->pos);
		struct qwen_tag t = { .kind = Q_NONE };
		size_t n = 1;

		t.start = p != NULL ? (size_t)(p - held.p) : held.n;
		if (is_junk(q, held, t.start))
			return BLOCK_JUNK;
		q->pos = t.start;
		if (p == NULL)
			break;
		if (!tag_at(slice_from(held, t.start), &t.kind, &n))
			break;
		t.end = t.start + n;
		if (q->prev.kind == Q_FUNC && q->prev.ours &&
		    t.kind != Q_PARAM && t.kind != Q_FUNC_END)
			return BLOCK_JUNK;
		if (t.kind != Q_NONE && step(q, held, t))
			return BLOCK_CALL;
		q->pos = t.kind == Q_NONE ? t.start + 1 : t.end;
	}
	return BLOCK_MORE;
}

/* ---- the end of the bytes ---- */

/* Is all behind the last tag white space and a piece of this tag? */
static bool
only_tag(const struct qwen3 *q, struct slice held, const char *tag)
{
	size_t at = q->prev.end;

	while (at < held.n && is_white(held.p[at]))
		at++;
	return at == held.n || tag_match(slice_from(held, at), tag) < 0;
}

/* Only closing tags are missing: which are not looked for any more. */
static bool
is_whole(struct qwen3 *q, struct slice held)
{
	if (q->depth > 0)
		return false;
	if (q->prev.kind == Q_FUNC_END && q->prev.ours)
		return only_tag(q, held, "</tool_call>");
	if (q->prev.kind == Q_PARAM_END && q->n > 0) {
		q->shut = q->prev.start;
		return only_tag(q, held, "</function>");
	}
	return q->prev.kind == Q_FUNC && q->prev.ours &&
	    only_white(held, q->prev.end, held.n);
}

static enum block_said
at_end(struct qwen3 *q, struct slice held, enum block_end e)
{
	enum block_said said;

	if (q->end > 0)
		return BLOCK_CALL;
	if (e == BLOCK_STOPS && is_whole(q, held)) {
		full_end(q, held.n);
		return BLOCK_CALL;
	}
	if (!q->nested)
		return BLOCK_OPEN;
	/* perhaps something in a value opened and never closed: so text */
	qwen3_begin(q, q->at, q->led);
	q->flat = true;
	if (!begin_call(q, held))
		return BLOCK_OPEN;
	said = walk_tags(q, held);
	if (said != BLOCK_MORE)
		return said;
	if (q->end > 0 && e == BLOCK_STOPS && q->opened <= 0 &&
	    only_white(held, q->prev.end, held.n))
		return BLOCK_CALL;
	return BLOCK_OPEN;
}

/* ---- the call ---- */

/* One newline at each end is the format's. */
static struct slice
value(struct slice s)
{
	bool crlf = s.n > 1 && s.p[0] == '\r' && s.p[1] == '\n';

	if (crlf)
		s = slice_from(s, 2);
	else if (s.n > 0 && *s.p == '\n')
		s = slice_from(s, 1);
	if (s.n > 0 && s.p[s.n - 1] == '\n')
		s.n -= crlf && s.n > 1 && s.p[s.n - 2] == '\r' ? 2 : 1;
	return s;
}

static struct slice
between(struct slice held, size_t from, size_t to)
{
	return (struct slice){ held.p + from, to - from };
}

static bool
read_params(struct qwen3 *q, struct slice held, struct slice tools,
    struct scan *sc, struct block_call *call)
{
	struct slice name = between(held, q->name, q->name_end);
	struct slice fn = tools_find(tools, name);

	buf_reset(&call->name);
	buf_reset(&call->args);
	buf_slice(&call->name, name);
	if (q->n > 0)
		q->v[q->n - 1].val_end = q->val_end;
	buf_addc(&call->args, '{');
	for (size_t i = 0; i < q->n; i++) {
		const struct qwen_param *p = &q->v[i];
		struct slice key = between(held, p->key, p->key_end);

		if (i > 0)
			buf_addc(&call->args, ',');
		scan_quote(&call->args, key.p, key.n);
		buf_addc(&call->args, ':');
		tools_coerce(fn, name, key,
		    value(between(held, p->val, p->val_end)), sc,
		    &call->args);
	}
	buf_addc(&call->args, '}');
	return scan_record(sc, call->args.p, call->args.len) == 0;
}

enum block_said
qwen3_read(struct qwen3 *q, struct slice held, enum block_end e,
    struct slice tools, struct scan *sc, struct block_call *call, size_t *end)
{
	enum block_said said = BLOCK_MORE;

	if (q->prev.kind == Q_NONE && !begin_call(q, held))
		return BLOCK_JUNK;
	said = walk_tags(q, held);
	if (said == BLOCK_MORE && e != BLOCK_GROWS)
		said = at_end(q, held, e);
	if (said != BLOCK_CALL)
		return said;
	*end = q->end;
	return read_params(q, held, tools, sc, call) ? BLOCK_CALL :
	    BLOCK_BROKEN;
}
