/* qwen3.c - <function=N><parameter=K>V</parameter></function>.
 *
 * V is raw text and may contain anything, even tags like these.  So a closing
 * tag counts only if the next tag directly follows it, calls written within a
 * value are counted in and out, and of several ends the last one before the
 * next block counts.  No library reads this; it is not XML.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#include "internal.h"

#define NAME_MAX_BYTES 256
#define PARAM "<parameter="
#define PARAM_END "</parameter>"

enum { Q_NONE, Q_CALL, Q_CALL_END, Q_FUNC, Q_FUNC_END, Q_PARAM, Q_PARAM_END };

struct qwen_tag {
	int kind;
	size_t start, end;
	bool ours;		/* of our call's own function */
};

struct qwen3 {
	size_t start;		/* of <function= */
	bool led;		/* it began with <tool_call> */
	bool flat;		/* what looks nested is text */
	bool loose;		/* our own next tag ends a value, too */
	size_t depth;		/* functions open within a value */
	bool nested;		/* there was such a function */
	long opened;		/* <tool_call> less </tool_call> */
	struct qwen_tag prev;
	size_t name_end;	/* of the NAME */
	struct qwen_param {
		size_t key, key_end, val, val_end;
	} *v;
	size_t n, cap;
	size_t shut;		/* where the last value ends, if the block
				 * ends at end; 0: no end seen */
	size_t end, val_end;
};

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
	return named_tag(s, FUNC, n);
}

static bool
only_white(struct slice held, size_t from, size_t to)
{
	return skip_white(held, from) >= to;
}

/* ---- structure ---- */

static struct slice
key_of(struct slice held, const struct qwen_param *p)
{
	return slice_part(held, p->key, p->key_end);
}

static bool
is_given(const struct qwen3 *q, struct slice held, struct slice key)
{
	for (size_t i = 0; i < q->n; i++)
		if (slice_eq(key_of(held, &q->v[i]), key))
			return true;
	return false;
}

static void
on_param(struct qwen3 *q, struct slice held, struct qwen_tag t)
{
	struct qwen_param p = { .key = t.start + strlen(PARAM),
		.key_end = t.end - 1, .val = t.end };

	if (q->prev.kind == Q_FUNC && !q->prev.ours) {
		if (!q->flat) {
			q->depth++;
			q->nested = true;
		}
		return;
	}
	if (q->prev.kind == Q_PARAM_END || q->prev.kind == Q_PARAM) {
		/* not ours: in a nested call, or its key was given before */
		if (q->depth > 0 || q->n == 0 ||
		    is_given(q, held, key_of(held, &p)))
			return;
		q->v[q->n - 1].val_end = q->prev.kind == Q_PARAM ? t.start :
		    q->prev.start;
	} else if (q->prev.kind != Q_FUNC)
		return;
	GROW(q->v, q->n, q->cap);
	q->v[q->n++] = p;
}

static void
full_end(struct qwen3 *q, size_t end)
{
	q->end = end;
	q->val_end = q->shut;
}

/* The next tag; true when the block is over. */
static bool
step(struct qwen3 *q, struct slice held, struct qwen_tag t)
{
	bool open = q->loose && q->prev.kind == Q_PARAM && q->depth == 0;
	bool near = open || only_white(held, q->prev.end, t.start);
	bool over = q->prev.ours && (q->prev.kind == Q_CALL_END ||
	    (q->prev.kind == Q_FUNC_END && (near || t.kind == Q_CALL)));
	bool closed = near && over;

	/* in a second reading, an end counts only if the next block follows */
	if ((q->flat || q->loose) && q->end > 0 &&
	    !(near && (t.kind == Q_CALL || t.kind == Q_FUNC)) &&
	    !(closed && t.kind == Q_CALL_END))
		q->end = 0;
	q->opened += (t.kind == Q_CALL) - (t.kind == Q_CALL_END);
	switch (t.kind) {
	case Q_CALL:
	case Q_FUNC:
		/* words may stand between two calls */
		if (q->end == 0 && over && (near ||
		    !(q->flat || q->loose)))
			full_end(q, q->prev.end);
		if (q->end > 0)
			return true;
		break;
	case Q_PARAM:
		if (near && q->end == 0 && (open || q->prev.kind != Q_PARAM))
			on_param(q, held, t);
		break;
	case Q_FUNC_END:
		if (!near)
			break;
		if (q->prev.kind == Q_FUNC)
			t.ours = q->prev.ours;
		else if (q->prev.kind == Q_PARAM_END && q->depth > 0)
			q->depth--;
		else if (q->prev.kind == Q_PARAM_END || open)
			t.ours = true;
		if (t.ours)
			q->shut = open ? t.start : q->prev.start;
		if (t.ours && !q->led)
			full_end(q, t.end);
		break;
	case Q_CALL_END:
		/* without </function>, this ends the call if no tag of it
		 * follows */
		t.ours = near && q->depth == 0 && (q->n > 0 ?
		    q->prev.kind == Q_PARAM_END || open :
		    q->prev.kind == Q_FUNC);
		if (t.ours)
			q->shut = open ? t.start : q->prev.start;
		if (closed || (t.ours && q->n == 0))
			full_end(q, t.end);
		break;
	default:
		break;
	}
	q->prev = t;
	return false;
}

/* Read the tags up to the end of the block, or (BLOCK_OPEN) of the answer. */
static enum block_result
walk_tags(struct qwen3 *q, struct slice held)
{
	static const char *const tags[] = { [Q_CALL] = CALL,
		[Q_CALL_END] = CALL_END, [Q_FUNC] = FUNC,
		[Q_FUNC_END] = FUNC_END, [Q_PARAM] = PARAM,
		[Q_PARAM_END] = PARAM_END };
	bool first = true;
	size_t at = 0, start;

	/* our own <function=NAME> begins a call only if a tag of the call
	 * follows it */
	qwen3_opening(slice_from(held, q->start), &at);
	at += q->start;
	q->prev = (struct qwen_tag){ Q_FUNC, q->start, at, true };
	q->name_end = at - 1;
	for (; (start = slice_find(held, at, "<")) < held.n; first = false) {
		struct qwen_tag t = { .start = start, .end = start + 1 };
		bool maybe = false;

		if (first && !only_white(held, at, start))
			return BLOCK_NONE;
		for (int k = Q_CALL; k <= Q_PARAM_END && t.kind == Q_NONE;
		    k++) {
			struct slice s = slice_from(held, start);
			size_t n = strlen(tags[k]);
			int m = k == Q_FUNC || k == Q_PARAM ?
			    named_tag(s, tags[k], &n) : tag_match(s, tags[k]);

			if (m > 0) {
				t.kind = k;
				t.end = start + n;
			}
			maybe |= m < 0;
		}
		if (t.kind == Q_NONE && maybe)	/* cut within a tag */
			return BLOCK_OPEN;
		if (first && t.kind != Q_PARAM && t.kind != Q_FUNC_END &&
		    (t.kind != Q_CALL_END || !q->led))
			return BLOCK_NONE;
		if (t.kind != Q_NONE && step(q, held, t))
			return BLOCK_CALLS;
		at = t.end;
	}
	return first && !only_white(held, at, start) ? BLOCK_NONE : BLOCK_OPEN;
}

/* ---- the end of the bytes ---- */

/* Read the whole block again, in another mode. */
static enum block_result
read_again(struct reading *r, struct qwen3 *q, bool flat)
{
	*q = (struct qwen3){ .start = q->start, .led = q->led,
		.opened = q->led, .flat = flat, .loose = !flat, .v = q->v,
		.cap = q->cap };
	r->again = true;
	return walk_tags(q, r->s);
}

static enum block_result
at_end(struct reading *r, struct qwen3 *q)
{
	bool own = q->prev.ours && q->depth == 0, whole;
	struct slice tail = slice_from(r->s, skip_white(r->s, q->prev.end));

	if (q->end > 0 && (!q->loose || only_white(r->s, q->end, r->s.n)))
		return BLOCK_CALLS;
	/* are only closing tags missing, so that only white space, a part of
	 * one, or words on a line of their own follow the last tag? */
	bool words = (begins(r->s, q->prev.end, "\n") ||
	    begins(r->s, q->prev.end, "\r\n")) &&
	    tag_match(tail, PARAM) == 0;
	int closing = tag_match(tail, q->prev.kind == Q_FUNC_END ? CALL_END :
	    FUNC_END);
	if (q->prev.kind == Q_PARAM_END && q->n > 0 && q->depth == 0) {
		q->shut = q->prev.start;
		whole = closing < 0 || words;
	} else {
		/* </tool_call> ends a call without </function>, too */
		whole = own && (q->prev.kind == Q_FUNC ? tail.n == 0 :
		    q->prev.kind == Q_CALL_END ||
		    (q->prev.kind == Q_FUNC_END && (closing < 0 || words)));
	}
	if (r->e == BLOCK_STOPS && whole) {
		full_end(q, q->prev.kind != Q_CALL_END && closing < 0 ?
		    r->s.n : q->prev.end);
		return BLOCK_CALLS;
	}
	if (q->loose)
		return BLOCK_OPEN;
	if (q->nested) {
		/* a value may contain a call that is never closed: read tags
		 * within values as text */
		enum block_result said = read_again(r, q, true);

		if (said != BLOCK_OPEN)
			return said;
		if (q->end > 0 && r->e == BLOCK_STOPS && q->opened <= 0 &&
		    only_white(r->s, q->prev.end, r->s.n))
			return BLOCK_CALLS;
	}
	if (r->e != BLOCK_STOPS)
		return BLOCK_OPEN;
	/* or Qwen3-Coder forgot a </parameter> */
	enum block_result said = read_again(r, q, false);
	return said == BLOCK_OPEN ? at_end(r, q) : said;
}

/* ---- the call ---- */

/* Qwen3-Coder sometimes forgets a </parameter>.  So value i ends at a line that
 * begins another parameter of the tool, if that is not given yet and not
 * closed within the value. */
static void
split_value(struct reading *r, struct qwen3 *q, struct slice fn,
    struct slice name, size_t i)
{
	static const char line[] = "\n" PARAM;
	size_t end = q->v[i].val_end, at = q->v[i].val, n;
	struct slice held = slice_part(r->s, 0, end);

	while ((n = slice_find(held, at, PARAM_END)) < end)
		at = n + 1;
	for (; (at = slice_find(held, at, line)) < end; at++) {
		struct qwen_param next = { .key = at + strlen(line),
			.val_end = end };

		if (named_tag(slice_from(held, at + 1), PARAM, &n) != 1)
			continue;
		next.val = at + 1 + n;
		next.key_end = next.val - 1;
		if (tools_parameter(fn, name, key_of(held, &next)).p == NULL ||
		    is_given(q, r->s, key_of(held, &next)))
			continue;
		GROW(q->v, q->n, q->cap);
		memmove(&q->v[i + 2], &q->v[i + 1],
		    (q->n - i - 1) * sizeof *q->v);
		q->v[i].val_end = at + 1;
		q->v[i + 1] = next;
		q->n++;
		return;
	}
}

/* <function=NAME>{...}</function>: the arguments are the JSON object at r->at,
 * as Llama 3.1 writes them. */
static enum block_result
with_object(struct reading *r, const struct qwen3 *q, struct slice name)
{
	enum block_result said = named_object(r, name);
	struct slice tail = slice_from(r->s, skip_white(r->s, r->at));
	int closed = tag_match(tail, FUNC_END);

	if (said == BLOCK_OPEN)
		return said;
	if (closed == 0 && tag_match(tail, FUNC) == 0)
		return BLOCK_NONE;
	r->at = closed < 0 ? r->s.n : r->s.n - tail.n;
	if (closed <= 0)
		return said == BLOCK_CALLS && closed < 0 ? BLOCK_UNCLOSED :
		    said;
	r->at += strlen(FUNC_END);
	tail = slice_from(r->s, skip_white(r->s, r->at));
	closed = q->led ? tag_match(tail, CALL_END) : 0;
	if (closed != 0)
		r->at = closed < 0 ? r->s.n : r->s.n - tail.n +
		    strlen(CALL_END);
	return said;
}

/* Put together the call of this name from its values. */
static enum block_result
take_call(struct reading *r, struct qwen3 *q, struct slice name)
{
	struct slice fn = tools_find(r->tools, name), key, val;
	struct block_call *c = reading_add_call(r);

	buf_slice(&c->name, name);
	if (q->n > 0)
		q->v[q->n - 1].val_end = q->val_end;
	for (size_t i = 0; i < q->n; i++) {
		split_value(r, q, fn, name, i);
		key = key_of(r->s, &q->v[i]);
		val = slice_part(r->s, q->v[i].val, q->v[i].val_end);
		/* one newline at each end belongs to the format */
		bool crlf = begins(val, 0, "\r\n");
		if (crlf || begins(val, 0, "\n"))
			val = slice_from(val, crlf ? 2 : 1);
		if (slice_ends(val, "\n"))
			val.n -= crlf && slice_ends(val, "\r\n") ? 2 : 1;
		/* Qwen3.6 sometimes closes a value twice */
		if (slice_ends(val, "\n" PARAM_END) && !slice_has(val, PARAM))
			val.n -= strlen("\n" PARAM_END);
		scan_put(&c->args, i > 0 ? ",@:" : "{@:", key);
		tools_coerce(tools_parameter(fn, name, key), val, &r->scan,
		    &c->args);
	}
	buf_adds(&c->args, q->n > 0 ? "}" : "{}");
	r->at = q->end;
	r->ended = true;
	if (scan_record(&r->scan, c->args.p, c->args.len) != 0)
		return BLOCK_BROKEN;
	r->n++;
	return BLOCK_CALLS;
}

enum block_result
read_qwen3(struct reading *r)
{
	bool led = begins(r->s, 0, CALL);
	const char *close = led ? CALL_END : FUNC_END;
	struct qwen3 q = { .led = led, .opened = led,
		.start = led ? skip_white(r->s, strlen(CALL)) : 0 };
	size_t n;

	if (qwen3_opening(slice_from(r->s, q.start), &n) != 1)
		return r->e == BLOCK_CUT ? BLOCK_OPEN : BLOCK_NONE;
	enum block_result said = walk_tags(&q, r->s);
	struct slice name = slice_part(r->s, q.start + strlen(FUNC),
	    q.name_end);

	r->at = skip_white(r->s, q.name_end + 1);
	bool object = begins(r->s, r->at, "{");
	if (object)
		said = with_object(r, &q, name);
	else if (said == BLOCK_OPEN)
		said = at_end(r, &q);
	if (said == BLOCK_NONE && slice_has(r->s, close)) {
		/* not a call, but closed, so it was meant as one */
		r->at = slice_find(r->s, 0, close) + strlen(close);
		r->ended = true;
		said = BLOCK_BROKEN;
	} else if (said == BLOCK_CALLS && !object)
		said = take_call(r, &q, name);
	free(q.v);
	return said;
}
