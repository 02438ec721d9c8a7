/* calls.c - tool calls assembled from the deltas of a stream, and their
 * ids. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "dialect/match.h"
#include "json/scan.h"
#include "record/msg.h"

#include "calls.h"

#define ARGS_MAX ((size_t)64 << 20)
#define NAME_MAX_BYTES ((size_t)64 << 10)
#define NUMBER_MAX 32		/* "call_" and a number */

static void
part_init(struct part *p)
{
	memset(p, 0, sizeof *p);
	bufs_init(BUFS(&p->index, &p->id, &p->name), NAME_MAX_BYTES);
	bufs_init(BUFS(&p->args, &p->carry, &p->extra), ARGS_MAX);
}

static void
part_release(struct part *p)
{
	bufs_release(BUFS(&p->index, &p->id, &p->name, &p->args, &p->carry,
	    &p->extra));
}

void
calls_reset(struct calls *c)
{
	for (size_t i = 0; i < c->n; i++)
		part_release(&c->v[i]);
	free(c->v);
	map_release(&c->by_index);
	map_release(&c->by_id);
	memset(c, 0, sizeof *c);
}

/* ---- deltas ---- */

static struct part *
newest(struct calls *c, const struct map *by, const struct buf *key)
{
	const uint64_t *at = map_get(by, buf_view(key));

	return at != NULL ? &c->v[*at - 1] : NULL;
}

/* Record p as the newest call with this key, unless a newer one has it. */
static void
note(struct calls *c, struct map *by, const struct buf *key,
    const struct part *p)
{
	uint64_t at = (uint64_t)(p - c->v) + 1;

	if (key->len == 0)
		return;
	uint64_t *old = map_put(by, buf_view(key), NULL);
	if (*old < at)
		*old = at;
}

/* Is d another complete call, rather than p again? */
static bool
is_another(const struct part *p, const struct part *d)
{
	struct slice had = buf_view(&p->args), args = buf_view(&d->args);

	return d->name.len > 0 && begins(args, 0, "{") && scan_is_json(args) &&
	    scan_is_json(had) && (had.n > 2 ? !slice_eq(had, args) :
	    !slice_eq(buf_view(&p->name), buf_view(&d->name)));
}

/* The call that a delta belongs to; NULL: a new one.  whole: its arguments are
 * a JSON value, not a piece of text. */
static struct part *
owner(struct calls *c, const struct part *d, bool whole)
{
	struct part *p = NULL, *last = c->n > 0 ? &c->v[c->n - 1] : NULL;
	bool named = d->name.len > 0;

	if (d->index.len > 0) {
		p = newest(c, &c->by_index, &d->index);
		if (p == NULL || !named)
			return p;
		/* some servers send index 0 for every parallel call */
		if (d->id.len > 0 && p->id.len > 0 &&
		    !slice_eq(buf_view(&d->id), buf_view(&p->id)))
			return newest(c, &c->by_id, &d->id);
		/* gateways to Gemini do so and send no id */
		return !whole && d->id.len == 0 && is_another(p, d) ? NULL : p;
	}
	if (d->id.len > 0) {
		p = newest(c, &c->by_id, &d->id);
		if (p == NULL)
			return named ? NULL : last;
		return !whole && is_another(p, d) ? NULL : p;
	}
	if (!named || last == NULL)
		return last;
	if (!slice_eq(buf_view(&d->name), buf_view(&last->name)) &&
	    last->name.len > 0)
		return NULL;
	/* more text after complete arguments starts another call; but "{}"
	 * may be a placeholder */
	return last->args.len > 2 && scan_is_json(buf_view(&last->args)) &&
	    d->args.len > 0 ? NULL : last;
}

struct call_delta
call_delta(struct slice el)
{
	struct slice fn = scan_get(el, "function");

	if (fn.p == NULL)
		fn = el;	/* the old function_call, and odd gateways */
	return (struct call_delta){ .index = scan_get(el, "index"),
		.id = scan_get(el, "id"), .name = scan_get(fn, "name"),
		.args = scan_get(fn, "arguments"),
		.carry = scan_get(el, "carry"),
		.extra = scan_get(el, "extra_content") };
}

/* Move `from` into `to` if that is empty: the first value counts. */
static bool
take(struct buf *to, struct buf *from)
{
	struct buf empty = *to;

	if (to->len > 0 || from->len == 0)
		return false;
	*to = *from;
	*from = empty;
	return true;
}

void
calls_merge(struct calls *c, const struct call_delta *raw, struct buf *fresh)
{
	enum scan_kind args = scan_kind(raw->args);
	bool whole = args != SCAN_NONE && args != SCAN_STRING &&
	    args != SCAN_NULL;		/* a value, not text */
	struct part d;
	double n;

	part_init(&d);
	/* 1e9 is 1000000000 */
	if (scan_kind(raw->index) == SCAN_NUMBER &&
	    num_double(raw->index.p, raw->index.n, &n) && n >= 0 && n < 1e15)
		buf_fmt(&d.index, "%.0f", n);
	else if (scan_kind(raw->index) != SCAN_NULL)
		buf_slice(&d.index, raw->index);
	if (scan_kind(raw->id) == SCAN_NUMBER)	/* of some gateways */
		buf_slice(&d.id, raw->id);
	else
		scan_str(raw->id, &d.id);
	scan_str(raw->name, &d.name);
	if (scan_kind(raw->carry) == SCAN_OBJECT)
		json_one_line(raw->carry, &d.carry);
	if (scan_kind(raw->extra) == SCAN_OBJECT)
		json_one_line(raw->extra, &d.extra);
	if (whole)
		buf_slice(&d.args, raw->args);
	else
		scan_str(raw->args, &d.args);
	struct part *p = owner(c, &d, whole);
	if (p == NULL && d.id.len + d.name.len + d.args.len + d.carry.len == 0)
		goto out;
	if (p == NULL) {
		GROW(c->v, c->n, c->cap);
		p = &c->v[c->n++];
		part_init(p);
		take(&p->index, &d.index);
		note(c, &c->by_index, &p->index, p);
	}
	if (take(&p->id, &d.id))
		note(c, &c->by_id, &p->id, p);
	if (take(&p->name, &d.name))
		buf_slice(fresh, buf_view(&p->name));
	else if (d.name.len > 0 && p->args.len == 0) {
		/* the name comes in pieces, or all of it again */
		size_t had = p->name.len;
		struct slice more = buf_view(&d.name);

		if (more.n >= had && memcmp(more.p, p->name.p, had) == 0)
			more = slice_from(more, had);
		buf_slice(&p->name, more);
		buf_slice(fresh, more);
	}
	take(&p->carry, &d.carry);
	take(&p->extra, &d.extra);
	if (whole)
		buf_reset(&p->args);
	if (d.args.len > 0) {
		p->last = p->args.len;
		buf_slice(&p->args, buf_view(&d.args));
		buf_slice(fresh, buf_view(&d.args));
	}
out:
	part_release(&d);
}

void
calls_add(struct calls *c, struct slice name, struct slice args)
{
	GROW(c->v, c->n, c->cap);
	struct part *p = &c->v[c->n++];
	part_init(p);
	buf_slice(&p->name, name);
	buf_slice(&p->args, args);
}

/* ---- whole calls ---- */

static int
compare(const void *one, const void *other)
{
	const struct buf *a = &((const struct part *)one)->index;
	const struct buf *b = &((const struct part *)other)->index;

	return a->len != b->len ? (a->len < b->len ? -1 : 1) :
	    memcmp(a->p, b->p, a->len);		/* decimal numbers */
}

void
calls_sort(struct calls *c)
{
	if (c->n > 1 && c->by_index.n == c->n)
		qsort(c->v, c->n, sizeof *c->v, compare);
}

void
calls_carry(struct calls *c, struct buf *elements)
{
	struct buf *to = c->n > 0 ? &c->v[c->n - 1].carry : NULL;

	if (to == NULL || elements->len == 0)
		return;
	if (to->len > 0 && *to->p == '[')
		to->p[to->len - 1] = ',';
	else {
		buf_reset(to);
		buf_addc(to, '[');
	}
	buf_slice(to, buf_view(elements));
	buf_addc(to, ']');
	buf_reset(elements);
}

void
calls_put(const struct calls *c, const struct map *seen, struct map *fresh,
    struct buf *out, struct buf *malformed)
{
	/* special tokens that some servers leave after the arguments */
	static const char *const tail[] = { "<|call|>", "<|endoftext|>",
		"<|im_end|>", "<|end|>" };
	struct buf id = BUF_INIT(BUF_RECORD_MAX), once = id;

	for (size_t i = 0; i < c->n; i++) {
		const struct part *p = &c->v[i];
		struct slice all = buf_view(&p->args), rest = all, bare = all;
		bool none = slice_trim(all).n == 0 || slice_is(all, "null");
		struct slice args = none ? SLICE("{}") : all;
		bool good = none;

		if (slice_starts(all, "{}"))	/* a placeholder, then more */
			rest = slice_from(all, 2);
		else if (slice_starts(all, "null"))
			rest = slice_from(all, 4);
		for (size_t k = 0; k < sizeof tail / sizeof *tail; k++)
			if (slice_ends(bare, tail[k]))
				bare.n -= strlen(tail[k]);
		struct slice last = slice_from(all, p->last);
		const struct slice forms[] = { all, bare, rest,
			begins(last, 0, "{") ? last : all };	/* again */
		for (size_t k = 0; !good && k < sizeof forms / sizeof *forms;
		    k++) {
			good = scan_is_json(forms[k]);
			args = good ? forms[k] : all;
		}
		/* an object encoded twice */
		buf_reset(&once);
		if (good && scan_str(args, &once) &&
		    begins(buf_view(&once), 0, "{") &&
		    scan_is_json(buf_view(&once)))
			args = buf_view(&once);
		buf_reset(&id);
		ids_make(seen, fresh, buf_view(&p->id), &id);
		if (!good)
			scan_put(malformed, malformed->len > 0 ? ",@" : "@",
			    buf_view(&id));
		scan_put(out, "${'id':@,'type':'function','function':"
		    "{'name':@,'arguments':@}", scan_comma(out), buf_view(&id),
		    tool_name(buf_view(&p->name)), args);
		if (p->carry.len > 0)
			scan_put(out, ",'carry':$", buf_view(&p->carry));
		if (p->extra.len > 0)
			scan_put(out, ",'extra_content':$",
			    buf_view(&p->extra));
		buf_addc(out, '}');
	}
	bufs_release(BUFS(&id, &once));
}

/* ---- ids ---- */

void
ids_note(struct map *seen, struct slice tool_calls)
{
	struct buf b = BUF_INIT(REC_MAX);
	struct call c;

	for (struct walk w = walk_of(tool_calls); msg_next_call(&w, &c); ) {
		buf_reset(&b);
		if (scan_str(c.id, &b) && b.len > 0)
			map_put(seen, buf_view(&b), NULL);
	}
	buf_release(&b);
}

void
ids_note_all(struct map *seen, struct slice messages, size_t known)
{
	struct walk w = walk_of(messages);
	struct slice val;

	if (known > 0)
		w.p = messages.p + known;
	while (walk_next(&w, NULL, &val))
		ids_note(seen, scan_get(val, "tool_calls"));
}

void
ids_make(const struct map *seen, struct map *fresh, struct slice wanted,
    struct buf *out)
{
	struct buf b = BUF_INIT(wanted.n + NUMBER_MAX);
	uint64_t *tried = map_get(seen, wanted);
	uint64_t *again = map_get(fresh, wanted);
	size_t n = wanted.n > 0 ? 1 : seen->n + fresh->n;

	/* continue from the last number tried, which is the map's value */
	if (tried != NULL && *tried > 0)
		n = *tried;
	if (again != NULL && *again > n)
		n = *again;
	buf_slice(&b, wanted);
	while (b.len == 0 || map_get(seen, buf_view(&b)) != NULL ||
	    map_get(fresh, buf_view(&b)) != NULL) {
		buf_reset(&b);
		n++;
		if (wanted.n == 0)
			buf_fmt(&b, "call_%zu", n);
		else
			buf_fmt(&b, "%.*s_%zu", (int)wanted.n, wanted.p, n);
	}
	if (tried != NULL && fresh->n == 0)
		*tried = n - 1;
	if (again != NULL)
		*again = n;
	map_put(fresh, buf_view(&b), NULL);
	buf_slice(out, buf_view(&b));
	buf_release(&b);
}

void
json_one_line(struct slice json, struct buf *out)
{
	const char *p = json.p, *end = json.p + json.n, *next;

	if (json.n == 0 || (memchr(p, '\n', json.n) == NULL &&
	    memchr(p, '\r', json.n) == NULL)) {
		buf_slice(out, json);
		return;
	}
	for (; p < end; p = next) {
		next = p + 1;
		while (*p == '"' && next < end && *next != '"')
			next += *next == '\\' ? 2 : 1;
		next += *p == '"';
		next = next < end ? next : end;
		if (!is_whitespace(*p))
			buf_add(out, p, (size_t)(next - p));
	}
}
