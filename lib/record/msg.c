/* msg.c - messages: content, calls, who wrote them, which result answers which
 * call. */
#include <stdlib.h>

#include "base/mem.h"
#include "msg.h"

/* Walk into the object at w->p: false, and past it, if it is another value. */
static bool
enter(struct walk *w, struct walk *inner)
{
	if (*w->p != '{') {
		walk_value(w);
		return false;
	}
	*inner = (struct walk){ w->p + 1, w->end, SCAN_OBJECT };
	return true;
}

static void
function_of(struct walk *w, struct call *c)
{
	struct slice key;

	while (walk_key(w, &key)) {
		struct slice val = walk_value(w);

		if (scan_key_is(key, "name"))
			c->name = val;
		else if (scan_key_is(key, "arguments"))
			c->given = val;
	}
}

bool
msg_object(struct scan *s, struct slice given, struct buf *out)
{
	struct buf raw = BUF_INIT(BUF_RECORD_MAX);
	bool own = scan_kind(given) == SCAN_STRING;

	buf_reset(out);
	s->n = 0;
	if (!scan_str(given, out) && given.p != NULL &&
	    scan_kind(given) != SCAN_NULL)
		buf_slice(out, given);
	if (out->len == 0) {
		buf_adds(out, "{}");
		return false;
	}
	if (scan_record(s, out->p, out->len) == 0)
		return own;
	buf_slice(&raw, buf_view(out));
	buf_reset(out);
	scan_put(out, "{'_invalid':@}", buf_view(&raw));
	buf_release(&raw);
	s->n = 0;
	return false;
}

char *
msg_arguments(struct slice given)
{
	if (given.n == 0 || scan_kind(given) == SCAN_NULL)
		return NULL;
	char *text = scan_strdup(given);
	return text != NULL ? text : xmemdup0(given.p, given.n);
}

/* One pass, as arguments may be long: a value is not passed over before it is
 * looked into. */
bool
msg_next_call(struct walk *w, struct call *c)
{
	struct walk in, function;
	struct slice key;

	*c = (struct call){ .whole.n = 0 };
	if (w->kind != SCAN_ARRAY || !walk_key(w, NULL))
		return false;
	c->whole.p = w->p;
	if (enter(w, &in)) {
		while (walk_key(&in, &key)) {
			if (scan_key_is(key, "id")) {
				c->id = walk_value(&in);
			} else if (scan_key_is(key, "type")) {
				c->type = walk_value(&in);
			} else if (!scan_key_is(key, "function")) {
				walk_value(&in);
			} else if (enter(&in, &function)) {
				function_of(&function, c);
				in.p = function.p + 1;
			}
		}
		w->p = in.p + 1;
	}
	c->whole.n = (size_t)(w->p - c->whole.p);
	c->id = scan_only(SCAN_STRING, c->id);
	c->name = scan_only(SCAN_STRING, c->name);
	c->args = scan_only(SCAN_STRING, c->given);
	return true;
}

size_t
msg_count_calls(struct slice calls)
{
	struct slice v;
	size_t n = 0;

	for (struct walk w = walk_elements(calls); walk_next(&w, NULL, &v); )
		n++;
	return n;
}

void
msg_put_carried(struct slice call, bool briefly, struct buf *out)
{
	static const char *const keys[] = { "carry", "extra_content" };

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		struct slice val = scan_get(call, keys[i]);

		if (val.p == NULL || (briefly && scan_kind(val) != SCAN_OBJECT))
			continue;
		buf_fmt(out, ",\"%s\":", keys[i]);
		buf_slice(out, val);
	}
}

static bool
add_text(struct slice content, const char *between, struct buf *out)
{
	size_t from = out->len;
	struct slice part;
	bool any = false;

	if (scan_kind(content) == SCAN_STRING)
		return scan_str(content, out);
	for (struct walk w = walk_elements(content);
	    walk_next(&w, NULL, &part); ) {
		struct slice text = scan_kind(part) == SCAN_STRING ? part :
		    scan_only(SCAN_STRING, scan_get(part, "text"));

		if (out->len > from && text.n > 2)
			buf_adds(out, between);
		any |= scan_str(text, out);
	}
	return any;
}

bool
msg_text(struct slice content, struct buf *out)
{
	return add_text(content, "", out);
}

bool
msg_lines(struct slice content, struct buf *out)
{
	return add_text(content, "\n", out);
}

bool
msg_has_image(struct slice content)
{
	struct slice part;

	for (struct walk w = walk_elements(content);
	    walk_next(&w, NULL, &part); )
		if (scan_str_is(scan_get(part, "type"), "image_url"))
			return true;
	return false;
}

struct slice
msg_meta(const struct rec *r, const char *key)
{
	return scan_get(rec_get(r, "meta"), key);
}

bool
msg_by(const struct rec *r, const char *who)
{
	return scan_str_is(msg_meta(r, "by"), who);
}

bool
msg_is_person(const struct rec *r)
{
	struct slice by = msg_meta(r, "by"), content = rec_get(r, "content");
	struct buf b = BUF_INIT(BUF_RECORD_MAX);

	if (r->kind != R_USER)
		return false;
	if (scan_kind(by) == SCAN_STRING && !scan_str_is(by, "user") &&
	    !scan_str_is(by, "shell"))
		return false;
	/* do not decode a long text to see that it begins differently */
	if (scan_kind(content) == SCAN_STRING && content.p[1] != '[' &&
	    content.p[1] != '\\')
		return true;
	msg_text(content, &b);
	bool guard = slice_starts(buf_view(&b), "[hamr-guard]");
	buf_release(&b);
	return !guard;
}

bool
msg_is_copy(const struct rec *r)
{
	struct slice cached = msg_meta(r, "cached");
	struct slice shared = msg_meta(r, "shared");

	/* of which call, or of other programs only that */
	return scan_kind(cached) == SCAN_STRING || scan_true(cached) ||
	    scan_kind(shared) == SCAN_STRING || scan_true(shared);
}

/* ---- pairing ---- */

#define FIRST 0xffffffffu

/* The oldest and the newest open call of an id (the empty id if it is not a
 * string).  NULL if the id is unknown and make is not set. */
static uint64_t *
ends_of(struct pairing *p, struct slice id, bool make)
{
	struct slice key = scan_plain(id);
	char *text = NULL;

	if (key.p == NULL) {
		text = scan_strdup(id);
		key = text != NULL ? slice_of(text) : SLICE("");
	}
	uint64_t *ends = make ? map_put(&p->by_id, key, NULL) :
	    map_get(&p->by_id, key);
	free(text);
	return ends;
}

void
pairing_call(struct pairing *p, struct slice id, size_t tag)
{
	uint64_t *ends = ends_of(p, id, true);

	GROW(p->c, p->n, p->cap);
	p->c[p->n++] = (struct pairing_call){ tag, 0 };
	p->open++;
	if ((*ends & FIRST) == 0)
		*ends = p->n;
	else
		p->c[(*ends >> 32) - 1].next = p->n;
	*ends = (*ends & FIRST) | (uint64_t)p->n << 32;
}

size_t
pairing_result(struct pairing *p, struct slice id)
{
	uint64_t *ends = ends_of(p, id, false);

	if (ends == NULL || (*ends & FIRST) == 0)
		return (size_t)-1;
	struct pairing_call *c = &p->c[(*ends & FIRST) - 1];
	*ends = (*ends & ~(uint64_t)FIRST) | c->next;
	p->open--;
	return c->tag;
}

void
pairing_reset(struct pairing *p)
{
	free(p->c);
	map_release(&p->by_id);
	*p = (struct pairing){ .n = 0 };
}
