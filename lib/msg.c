/* msg.c - messages: content, calls, who wrote them, which result is whose. */
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "msg.h"

#define NONE ((struct slice){ NULL, 0 })

static struct slice
string_or_none(struct slice v)
{
	return scan_kind(v) == SCAN_STRING ? v : NONE;
}

/* The members of "function", at w->p. */
static void
next_function(struct walk *w, struct call *c)
{
	struct slice key, val;
	struct walk in;

	if (*w->p != '{' || !walk_enter(w, &in)) {
		walk_value(w);
		return;
	}
	while (walk_key(&in, &key)) {
		val = walk_value(&in);
		if (scan_key_is(key, "name"))
			c->name = string_or_none(val);
		else if (scan_key_is(key, "arguments"))
			c->given = val;
	}
	c->args = string_or_none(c->given);
	walk_leave(w, &in);
}

/* Arguments may be long: all is walked once. */
bool
msg_next_call(struct walk *w, struct call *c)
{
	struct slice key, val;
	struct walk in;

	if (w->kind != SCAN_ARRAY || !walk_key(w, NULL))
		return false;
	*c = (struct call){ .id = NONE };
	if (*w->p != '{' || !walk_enter(w, &in)) {
		c->whole = walk_value(w);
		return true;
	}
	while (walk_key(&in, &key)) {
		if (scan_key_is(key, "function")) {
			next_function(&in, c);
			continue;
		}
		val = walk_value(&in);
		if (scan_key_is(key, "id"))
			c->id = string_or_none(val);
		else if (scan_key_is(key, "type"))
			c->type = val;
	}
	c->whole = walk_leave(w, &in);
	return true;
}

size_t
msg_count_calls(struct slice calls)
{
	struct walk w;
	struct slice v;
	size_t n = 0;

	if (scan_kind(calls) != SCAN_ARRAY)
		return 0;
	walk_in(&w, calls);
	while (walk_next(&w, NULL, &v))
		n++;
	return n;
}

bool
msg_text(struct slice content, struct buf *out)
{
	struct slice part;
	struct walk w;
	bool any = false;

	if (scan_kind(content) == SCAN_STRING)
		return scan_str(content, out);
	if (scan_kind(content) != SCAN_ARRAY)
		return false;
	walk_in(&w, content);
	while (walk_next(&w, NULL, &part))
		if (scan_kind(part) == SCAN_STRING)
			any |= scan_str(part, out);
		else
			any |= scan_str(scan_get(part, "text"), out);
	return any;
}

bool
msg_has_image(struct slice content)
{
	struct slice part;
	struct walk w;

	if (scan_kind(content) != SCAN_ARRAY)
		return false;
	walk_in(&w, content);
	while (walk_next(&w, NULL, &part))
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

static bool
starts_as_guard(struct slice content)
{
	static const char mark[] = "[hamr-guard]";
	struct buf b = BUF_INIT(BUF_RECORD_MAX);
	bool yes;

	/* a long text is not decoded to see that it begins otherwise */
	if (scan_kind(content) == SCAN_STRING && content.p[1] != '[' &&
	    content.p[1] != '\\')
		return false;
	msg_text(content, &b);
	yes = slice_starts(buf_view(&b), mark);
	buf_release(&b);
	return yes;
}

bool
msg_is_person(const struct rec *r)
{
	struct slice by = msg_meta(r, "by");

	if (r->kind != R_USER)
		return false;
	if (scan_kind(by) == SCAN_STRING && !scan_str_is(by, "user") &&
	    !scan_str_is(by, "shell"))
		return false;
	return !starts_as_guard(rec_get(r, "content"));
}

static struct slice
moved(struct slice s, const char *from, const char *to)
{
	if (s.p == NULL)
		return s;
	return (struct slice){ to + (s.p - from), s.n };
}

void
msg_keep(struct msg *m, const struct rec *r)
{
	const char *from = r->line.p;
	struct slice by_name[] = {
		rec_get(r, "content"), rec_get(r, "tool_calls"),
		rec_get(r, "tool_call_id"), rec_get(r, "name"),
		rec_get(r, "reasoning"), rec_get(r, "finish_reason"),
		rec_get(r, "meta")
	};
	struct slice *to[] = { &m->content, &m->calls, &m->call_id, &m->name,
		&m->reasoning, &m->finish, &m->meta };

	*m = (struct msg){ .line = xmemdup0(r->line.p, r->line.n),
		.len = r->line.n, .kind = r->kind, .no = r->no };
	for (size_t i = 0; i < sizeof by_name / sizeof *by_name; i++)
		*to[i] = moved(by_name[i], from, m->line);
	m->is_error = scan_true(rec_get(r, "is_error"));
	m->person = msg_is_person(r);
}

void
msg_free(struct msg *m)
{
	free(m->line);
	*m = (struct msg){ 0 };
}

/* ---- pairing ---- */

/* The number of an id: of the empty one when there is none.  NULL when it is
 * not known and make is not set. */
static uint64_t *
ends_of(struct pairing *p, struct slice id, bool make)
{
	struct slice key = scan_plain(id);
	char *text = NULL;
	uint64_t *at;

	if (key.p == NULL) {
		text = scan_strdup(id);
		key = text != NULL ? slice_of(text) : SLICE("");
	}
	at = make ? map_put(&p->by_id, key, NULL) : map_get(&p->by_id, key);
	free(text);
	return at;
}

#define FIRST 0xffffffffu

static void
add(struct pairing *p, struct slice id, size_t tag)
{
	uint64_t *ends = ends_of(p, id, true);

	p->c = xgrow(p->c, p->n, &p->cap, sizeof *p->c);
	p->c[p->n++] = (struct pairing_call){ tag, 0 };
	if ((*ends & FIRST) == 0)
		*ends = p->n;
	else
		p->c[(*ends >> 32) - 1].next = p->n;
	*ends = (*ends & FIRST) | (uint64_t)p->n << 32;
}

/* The only call becomes one of several. */
static void
join_others(struct pairing *p)
{
	size_t n = p->only_n;

	p->only_n = 0;
	if (n > 0)
		add(p, (struct slice){ p->only, n }, p->only_tag);
}

void
pairing_call(struct pairing *p, struct slice id, size_t tag)
{
	if (p->open++ == 0 && scan_plain(id).p != NULL &&
	    id.n <= sizeof p->only) {
		memcpy(p->only, id.p, id.n);
		p->only_n = id.n;
		p->only_tag = tag;
		return;
	}
	join_others(p);
	add(p, id, tag);
}

static size_t
take_only(struct pairing *p)
{
	p->only_n = 0;
	p->open--;
	return p->only_tag;
}

size_t
pairing_result(struct pairing *p, struct slice id)
{
	uint64_t *ends;
	struct pairing_call *c;

	if (p->only_n > 0 && slice_eq(id, (struct slice){ p->only,
	    p->only_n }))
		return take_only(p);
	join_others(p);
	ends = ends_of(p, id, false);
	if (ends == NULL || (*ends & FIRST) == 0)
		return (size_t)-1;
	c = &p->c[(*ends & FIRST) - 1];
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
