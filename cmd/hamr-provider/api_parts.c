/* api_parts.c - what the adapters have in common. */
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "mem.h"

void
api_stream_reset(struct api_stream *st)
{
	buf_reset(&st->text);
	buf_reset(&st->mark);
	st->open = st->foreign = -1;
}

struct slice
api_member(const struct scan *sc, const char *key)
{
	for (size_t i = 0; i < sc->n; i++)
		if (scan_key_is(sc->m[i].key, key))
			return sc->m[i].val;
	return (struct slice){ NULL, 0 };
}

long long
api_number(struct slice o, const char *key)
{
	int64_t n;

	return scan_int(scan_get(o, key), &n) && n >= 0 ? n : -1;
}

void
api_text(struct answer *a, struct slice val,
    void (*fn)(struct answer *, struct slice))
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);

	if (scan_str(val, &b) && b.len > 0)
		fn(a, buf_view(&b));
	buf_release(&b);
}

void
api_call(struct answer *a, long index, struct slice id, struct slice name,
    struct slice args)
{
	struct json *o = json_object(), *fn = json_object();
	struct buf b = BUF_INIT(BUF_RECORD_MAX);

	if (index >= 0)
		json_int(o, "index", index);
	if (scan_kind(id) == SCAN_STRING)
		json_raw(o, "id", id);
	if (scan_kind(name) == SCAN_STRING)
		json_raw(fn, "name", name);
	if (args.p != NULL)
		json_raw(fn, "arguments", args);
	json_add(o, "function", fn);
	json_print(o, &b);
	json_free(o);
	answer_call(a, buf_view(&b));
	buf_release(&b);
}

void
api_usage(struct answer *a, long long prompt, long long completion,
    long long cached, long long written)
{
	struct slice old = answer_usage_told(a);
	struct slice old_details = scan_get(old, "prompt_tokens_details");
	struct json *o = json_object(), *details = json_object();
	struct buf b = BUF_INIT(4096);

	if (prompt < 0)
		prompt = api_number(old, "prompt_tokens");
	if (completion < 0)
		completion = api_number(old, "completion_tokens");
	if (cached < 0)
		cached = api_number(old_details, "cached_tokens");
	if (written < 0)
		written = api_number(old_details, "cache_write_tokens");
	if (prompt >= 0)
		json_int(o, "prompt_tokens", prompt);
	if (completion >= 0)
		json_int(o, "completion_tokens", completion);
	json_int(details, "cached_tokens", cached > 0 ? cached : 0);
	if (written > 0)
		json_int(details, "cache_write_tokens", written);
	json_add(o, "prompt_tokens_details", details);
	json_print(o, &b);
	json_free(o);
	answer_usage(a, buf_view(&b));
	buf_release(&b);
}

/* ---- bodies ---- */

void
api_field(struct buf *out, bool *first, const char *key, struct slice val)
{
	buf_fmt(out, "%c\"%s\":", *first ? '{' : ',', key);
	buf_slice(out, val);
	*first = false;
}

static bool
is_in(const char *const *list, struct slice key)
{
	for (; *list != NULL; list++)
		if (scan_key_is(key, *list))
			return true;
	return false;
}

static void
put_params(struct slice params, struct slice later, struct buf *out,
    bool *first, const char *const *skip)
{
	struct slice key, val;
	struct walk w;

	if (scan_kind(params) != SCAN_OBJECT)
		return;
	walk_in(&w, params);
	while (walk_next(&w, &key, &val)) {
		char *name = xmemdup0(key.p, key.n);

		if (!is_in(skip, key) && scan_get(later, name).p == NULL)
			api_field(out, first, name, val);
		free(name);
	}
}

void
api_fields(const struct body *b, struct buf *out, bool *first,
    const char *const *skip)
{
	put_params(b->conf_params, b->params, out, first, skip);
	put_params(b->params, (struct slice){ NULL, 0 }, out, first, skip);
}

/* What a function has, with stand-ins; false when it is none. */
static bool
read_tool(struct slice tool, struct slice *name, struct slice *describe,
    struct slice *schema)
{
	struct slice fn = scan_get(tool, "function");

	*name = scan_get(fn, "name");
	*describe = scan_get(fn, "description");
	*schema = scan_get(fn, "parameters");
	if (scan_kind(*describe) != SCAN_STRING)
		*describe = SLICE("\"\"");
	if (scan_kind(*schema) != SCAN_OBJECT)
		*schema = SLICE("{\"type\":\"object\",\"properties\":{}}");
	return scan_kind(*name) == SCAN_STRING;
}

bool
api_tools(struct slice tools, const struct api_tools *f, struct buf *out,
    bool *first)
{
	struct slice tool, name, describe, schema;
	struct walk w;
	size_t n = 0;

	walk_in(&w, tools);
	while (scan_kind(tools) == SCAN_ARRAY && walk_next(&w, NULL, &tool)) {
		if (!read_tool(tool, &name, &describe, &schema))
			continue;
		if (n++ == 0)
			api_field(out, first, "tools", slice_of(f->open));
		else
			buf_addc(out, ',');
		buf_adds(out, f->head);
		buf_slice(out, name);
		buf_adds(out, ",\"description\":");
		buf_slice(out, describe);
		buf_adds(out, f->schema);
		buf_slice(out, schema);
		buf_adds(out, f->end);
	}
	buf_adds(out, n > 0 ? f->close : "");
	return n > 0;
}

bool
api_data_url(struct slice url, struct slice *mime, struct slice *data)
{
	static const char start[] = "data:", base[] = ";base64,";
	const char *at;

	if (!slice_starts(url, start))
		return false;
	at = memmem(url.p, url.n < 256 ? url.n : 256, base, sizeof base - 1);
	if (at == NULL)
		return false;
	*mime = (struct slice){ url.p + 5, (size_t)(at - url.p) - 5 };
	at += sizeof base - 1;
	*data = (struct slice){ at, url.n - (size_t)(at - url.p) };
	return true;
}

void
api_path_name(const char *name, struct buf *out)
{
	for (; *name != '\0'; name++)
		if (strchr("abcdefghijklmnopqrstuvwxyz"
		    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/:@", *name) !=
		    NULL)
			buf_addc(out, *name);
		else
			buf_fmt(out, "%%%02X", (unsigned char)*name);
}
