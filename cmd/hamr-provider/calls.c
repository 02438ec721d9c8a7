/* calls.c - tool calls put together from the deltas of a stream. */
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "num.h"
#include "one_line.h"
#include "scan.h"
#include "calls.h"

#define ARGS_MAX ((size_t)64 << 20)
#define NAME_MAX_BYTES ((size_t)64 << 10)

void
calls_reset(struct calls *c)
{
	for (size_t i = 0; i < c->n; i++) {
		buf_release(&c->v[i].index);
		buf_release(&c->v[i].id);
		buf_release(&c->v[i].name);
		buf_release(&c->v[i].args);
		buf_release(&c->v[i].carry);
		buf_release(&c->v[i].extra);
	}
	free(c->v);
	map_release(&c->by_index);
	map_release(&c->by_id);
	memset(c, 0, sizeof *c);
}

static struct part *
part_new(struct calls *c)
{
	struct part *p;

	c->v = xgrow(c->v, c->n, &c->cap, sizeof *c->v);
	p = &c->v[c->n++];
	memset(p, 0, sizeof *p);
	buf_init(&p->index, NAME_MAX_BYTES);
	buf_init(&p->id, NAME_MAX_BYTES);
	buf_init(&p->name, NAME_MAX_BYTES);
	buf_init(&p->args, ARGS_MAX);
	buf_init(&p->carry, ARGS_MAX);
	buf_init(&p->extra, ARGS_MAX);
	return p;
}

static bool
is_json(struct slice s)
{
	struct scan sc = { 0 };
	bool good = scan_value(&sc, s.p, s.n) == 0;

	scan_release(&sc);
	return good;
}

static struct part *
find(struct calls *c, const struct map *by, const struct buf *key)
{
	const uint64_t *at = map_get(by, buf_view(key));

	return at != NULL ? &c->v[*at - 1] : NULL;
}

/* p is the newest of this key, unless a newer one is. */
static void
note(struct calls *c, struct map *by, const struct buf *key,
    const struct part *p)
{
	uint64_t at = (uint64_t)(p - c->v) + 1, *old;

	if (key->len == 0)
		return;
	old = map_put(by, buf_view(key), NULL);
	if (*old < at)
		*old = at;
}

/* Has the call all its arguments, so that more text begins another call?
 * "{}" may still be a placeholder. */
static bool
is_complete(const struct part *p)
{
	return p->args.len > 2 && is_json(buf_view(&p->args));
}

/* What a delta says, decoded. */
struct delta {
	struct buf index, id, name, args;
	struct slice carry, extra;
	bool whole;		/* args came as a value, not as text */
};

static struct part *
owner(struct calls *c, const struct delta *d)
{
	struct part *p = NULL, *last = c->n > 0 ? &c->v[c->n - 1] : NULL;
	bool named = d->name.len > 0;

	if (d->index.len > 0) {
		p = find(c, &c->by_index, &d->index);
		/* servers that say 0 for every parallel call */
		if (p != NULL && named && d->id.len > 0 && p->id.len > 0 &&
		    !slice_eq(buf_view(&d->id), buf_view(&p->id)))
			p = find(c, &c->by_id, &d->id);
		return p;
	}
	if (d->id.len > 0) {
		p = find(c, &c->by_id, &d->id);
		if (p != NULL)
			return p;
		return named ? NULL : last;
	}
	if (!named || last == NULL)
		return last;
	if (!slice_eq(buf_view(&d->name), buf_view(&last->name)) &&
	    last->name.len > 0)
		return NULL;
	return is_complete(last) && d->args.len > 0 ? NULL : last;
}

/* 1e9 is 1000000000. */
static void
read_index(struct slice val, struct buf *out)
{
	double n;

	if (scan_kind(val) == SCAN_NUMBER && num_double(val.p, val.n, &n) &&
	    n >= 0 && n < 1e15)
		buf_fmt(out, "%.0f", n);
	else if (val.p != NULL && scan_kind(val) != SCAN_NULL)
		buf_slice(out, val);
}

static void
delta_read(struct delta *d, struct slice el)
{
	struct slice fn = scan_get(el, "function"), args;

	buf_init(&d->index, NAME_MAX_BYTES);
	buf_init(&d->id, NAME_MAX_BYTES);
	buf_init(&d->name, NAME_MAX_BYTES);
	buf_init(&d->args, ARGS_MAX);
	if (fn.p == NULL)
		fn = el;	/* the old function_call, and odd gateways */
	read_index(scan_get(el, "index"), &d->index);
	if (!scan_str(scan_get(el, "id"), &d->id))
		buf_reset(&d->id);
	scan_str(scan_get(fn, "name"), &d->name);
	d->carry = scan_get(el, "carry");
	if (scan_kind(d->carry) != SCAN_OBJECT)
		d->carry = (struct slice){ NULL, 0 };
	d->extra = scan_get(el, "extra_content");
	args = scan_get(fn, "arguments");
	d->whole = args.p != NULL && scan_kind(args) != SCAN_STRING &&
	    scan_kind(args) != SCAN_NULL;
	if (d->whole)
		buf_slice(&d->args, args);
	else
		scan_str(args, &d->args);
}

static void
delta_release(struct delta *d)
{
	buf_release(&d->index);
	buf_release(&d->id);
	buf_release(&d->name);
	buf_release(&d->args);
}

static bool
is_nothing(const struct delta *d)
{
	return d->id.len == 0 && d->name.len == 0 && d->args.len == 0 &&
	    d->carry.p == NULL;
}

/* Put a delta into p, or a new call. */
static void
merge(struct calls *c, struct part *p, const struct delta *d,
    struct buf *fresh)
{
	if (p == NULL && is_nothing(d))
		return;
	if (p == NULL) {
		p = part_new(c);
		buf_slice(&p->index, buf_view(&d->index));
		note(c, &c->by_index, &p->index, p);
	}
	if (p->id.len == 0) {
		buf_slice(&p->id, buf_view(&d->id));
		note(c, &c->by_id, &p->id, p);
	}
	if (p->name.len == 0 && d->name.len > 0) {
		buf_slice(&p->name, buf_view(&d->name));
		if (fresh != NULL)
			buf_slice(fresh, buf_view(&d->name));
	}
	if (d->carry.p != NULL && p->carry.len == 0)
		one_line(d->carry, &p->carry);
	if (scan_kind(d->extra) == SCAN_OBJECT && p->extra.len == 0)
		one_line(d->extra, &p->extra);
	if (d->whole)
		buf_reset(&p->args);
	if (d->args.len > 0) {
		p->last = p->args.len;
		buf_slice(&p->args, buf_view(&d->args));
		if (fresh != NULL)
			buf_slice(fresh, buf_view(&d->args));
	}
}

void
calls_merge(struct calls *c, struct slice element, struct buf *fresh)
{
	struct delta d = { .whole = false };

	delta_read(&d, element);
	merge(c, owner(c, &d), &d, fresh);
	delta_release(&d);
}

void
calls_take(struct calls *c, struct slice element)
{
	struct delta d = { .whole = false };

	delta_read(&d, element);
	merge(c, NULL, &d, NULL);
	delta_release(&d);
}

void
calls_add(struct calls *c, struct slice name, struct slice args)
{
	struct part *p = part_new(c);

	buf_slice(&p->name, name);
	buf_slice(&p->args, args);
}

/* Special tokens that some servers leave behind the arguments. */
static struct slice
strip(struct slice s)
{
	static const char *const tail[] = { "<|call|>", "<|endoftext|>",
		"<|im_end|>", "<|end|>" };

	for (size_t i = 0; i < sizeof tail / sizeof *tail; i++) {
		size_t n = strlen(tail[i]);

		if (s.n >= n && memcmp(s.p + s.n - n, tail[i], n) == 0)
			s.n -= n;
	}
	return s;
}

static bool
is_blank(struct slice s)
{
	for (size_t i = 0; i < s.n; i++)
		if (strchr(" \t\r\n", s.p[i]) == NULL)
			return false;
	return true;
}

bool
calls_args(const struct part *p, struct buf *out)
{
	struct slice all = buf_view(&p->args), last, rest = all;

	if (is_blank(all) || slice_is(all, "null")) {
		buf_adds(out, "{}");
		return true;
	}
	if (slice_starts(all, "{}"))		/* a placeholder, then more */
		rest = (struct slice){ all.p + 2, all.n - 2 };
	else if (slice_starts(all, "null"))
		rest = (struct slice){ all.p + 4, all.n - 4 };
	last = (struct slice){ all.p + p->last, all.n - p->last };
	if (is_json(all))
		buf_slice(out, all);
	else if (is_json(strip(all)))
		buf_slice(out, strip(all));
	else if (is_json(rest))
		buf_slice(out, rest);
	else if (last.n > 0 && last.p != NULL && *last.p == '{' && is_json(last))
		buf_slice(out, last);		/* sent again, whole */
	else {
		buf_slice(out, all);
		return false;
	}
	return true;
}

static struct json *
call_json(const struct part *p, const struct ids *seen, struct ids *fresh,
    struct slice carry, struct json *malformed)
{
	struct buf all = BUF_INIT(BUF_RECORD_MAX);
	struct json *o = json_object(), *fn = json_object();
	struct buf id = BUF_INIT(BUF_RECORD_MAX);
	struct buf args = BUF_INIT(BUF_RECORD_MAX);

	ids_make(seen, fresh, buf_view(&p->id), &id);
	if (!calls_args(p, &args))
		json_slice(malformed, NULL, buf_view(&id));
	json_slice(o, "id", buf_view(&id));
	json_str(o, "type", "function");
	json_slice(fn, "name", buf_view(&p->name));
	json_slice(fn, "arguments", buf_view(&args));
	json_add(o, "function", fn);
	if (carry.n > 0) {
		buf_addc(&all, '[');
		buf_slice(&all, carry);
		buf_addc(&all, ']');
		json_raw(o, "carry", buf_view(&all));
	} else if (p->carry.len > 0) {
		json_raw(o, "carry", buf_view(&p->carry));
	}
	if (p->extra.len > 0)
		json_raw(o, "extra_content", buf_view(&p->extra));
	buf_release(&all);
	buf_release(&id);
	buf_release(&args);
	return o;
}

void
calls_json(const struct calls *c, const struct ids *seen, struct ids *fresh,
    struct slice carry, struct json *list, struct json *malformed)
{
	for (size_t i = 0; i < c->n; i++)
		json_add(list, NULL, call_json(&c->v[i], seen, fresh,
		    i == 0 ? carry : SLICE(""), malformed));
}
