/* view_call.c - calls as they are taken into a view: an id of their own, and
 * arguments that are a JSON object.
 */
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "view_in.h"

/* A JSON object, without blanks around it, that has passed the scanner. */
static bool
is_object(struct view *v, const char *p, size_t n)
{
	return scan_value(&v->scan, p, n) == 0 &&
	    p[strspn(p, " \t\r\n")] == '{';
}

/* The arguments into v->tmp, as a JSON object.  True when the record's own
 * string is just that. */
static bool
take_args(struct view *v, struct slice given, struct view_args *args)
{
	struct buf raw = BUF_INIT(BUF_RECORD_MAX);
	bool own = scan_kind(given) == SCAN_STRING;

	*args = (struct view_args){ .n = 0 };
	buf_reset(&v->tmp);
	if (!scan_str(given, &v->tmp) && given.p != NULL &&
	    scan_kind(given) != SCAN_NULL)
		buf_slice(&v->tmp, given);
	if (v->tmp.len == 0) {
		buf_adds(&v->tmp, "{}");
		own = false;
	} else if (is_object(v, v->tmp.p, v->tmp.len)) {
		args->m = v->scan.m;
		args->n = v->scan.n;
	} else {
		buf_adds(&raw, "{\"_invalid\":");
		scan_quote(&raw, v->tmp.p, v->tmp.len);
		buf_addc(&raw, '}');
		buf_reset(&v->tmp);
		buf_slice(&v->tmp, buf_view(&raw));
		buf_release(&raw);
		own = false;
	}
	args->text = buf_view(&v->tmp);
	return own;
}

/* In v->ids: how often an id was repeated, and above that the index + 1 of the
 * call that has it. */
#define TIMES 0xffffffffu

static void
claim(struct view *v, struct slice id, bool *fresh)
{
	uint64_t *at = map_put(&v->ids, id, fresh);

	if (*fresh)
		*at = (uint64_t)(v->ncalls + 1) << 32;
}

bool
view_find_call(const struct view *v, struct slice id, size_t *i)
{
	char *text = scan_strdup(id);
	uint64_t *at = text == NULL ? NULL :
	    map_get(&v->ids, slice_of(text));

	free(text);
	if (at == NULL)
		return false;
	*i = (size_t)(*at >> 32) - 1;
	return true;
}

/* A JSON string for the call's id that no other call has. */
static char *
unique_id(struct view *v, struct slice id, bool *own)
{
	struct slice plain = scan_plain(id);
	char *wanted, *text;
	struct buf out = BUF_INIT(BUF_RECORD_MAX);
	bool fresh = false;

	*own = true;
	if (plain.n > 0)
		claim(v, plain, &fresh);
	if (fresh)
		return arena_dup(&v->arena, id.p, id.n);
	wanted = scan_strdup(id);
	if (wanted == NULL || *wanted == '\0') {
		*own = false;
		free(wanted);
		wanted = xasprintf("call_hamr_%zu", v->ncalls + 1);
	}
	text = xstrdup(wanted);
	if (plain.n == 0)
		claim(v, slice_of(text), &fresh);
	while (!fresh) {
		uint64_t *at = map_get(&v->ids, slice_of(wanted));

		*own = false;
		free(text);
		text = xasprintf("%s_%llu", wanted,
		    (unsigned long long)(++*at & TIMES) + 1);
		claim(v, slice_of(text), &fresh);
	}
	if (*own)
		buf_slice(&out, id);
	else
		scan_quote(&out, text, strlen(text));
	free(text);
	free(wanted);
	text = arena_dup(&v->arena, out.p, out.len);
	buf_release(&out);
	return text;
}

/* The element of tool_calls: the record's own bytes where they will do.  The
 * arguments are in v->tmp. */
static char *
call_json(struct view *v, const struct call *c, bool own, const char *id)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);
	char *json;

	if (own && scan_str_is(c->type, "function") &&
	    c->name.n > 2)
		return arena_dup(&v->arena, c->whole.p, c->whole.n);
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
	json = arena_dup(&v->arena, b.p, b.len);
	buf_release(&b);
	return json;
}

void
view_add_call(struct view *v, const struct call *c)
{
	struct view_call *nc;
	struct view_args args;
	bool own_id, own_args = take_args(v, c->given, &args);
	bool named = c->name.n > 2;

	v->calls = xgrow(v->calls, v->ncalls, &v->capcalls, sizeof *v->calls);
	nc = &v->calls[v->ncalls];
	*nc = (struct view_call){ .node = v->n - 1 };
	nc->id = unique_id(v, c->id, &own_id);
	if (c->whole.p != NULL) {
		nc->json = call_json(v, c, own_id && own_args, nc->id);
		nc->args = token_text(v->family, v->tmp.p, v->tmp.len) +
		    view_content_sum(v->family, named ? c->name :
		    SLICE(NO_NAME));
		pairing_call(&v->pairing, c->id, v->ncalls);
	}
	if (v->hooks.call != NULL)
		v->hooks.call(v->hooks.self, nc, c->name, &args);
	v->nodes[v->n - 1].ncalls++;
	view_count_call(v, v->ncalls++, COUNT_FULL);
}
