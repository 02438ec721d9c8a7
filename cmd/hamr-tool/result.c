/* result.c - what one call gives back: text for the model, facts in meta. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "scan.h"
#include "utf8.h"

#include "result.h"

void
result_init(struct result *r)
{
	*r = (struct result){ .content = BUF_INIT(RESULT_MAX),
		.images = BUF_INIT(RESULT_MAX), .bytes = -1 };
	r->meta = json_object();
}

void
result_release(struct result *r)
{
	buf_release(&r->content);
	buf_release(&r->images);
	json_free(r->meta);
	r->meta = NULL;
}

void
result_error(struct result *r, const char *code, const char *fmt, ...)
{
	struct buf raw = BUF_INIT(RESULT_MAX);
	va_list ap;

	va_start(ap, fmt);
	buf_vfmt(&raw, fmt, ap);
	va_end(ap);
	buf_reset(&r->content);
	buf_reset(&r->images);
	if (utf8_clean(&r->content, raw.p, raw.len))
		r->lossy = true;
	buf_release(&raw);
	r->is_error = true;
	r->code = code;
	r->truncated = false;
	r->bytes = -1;
}

/* ---- the cut ---- */

/* Where the head ends: behind a line end in its last quarter if there is one,
 * else on a character border. */
static size_t
head_end(struct slice s, size_t max)
{
	size_t cut = utf8_cut(s.p, s.n, max);
	const char *lf = memrchr(s.p, '\n', cut);

	if (lf != NULL && (size_t)(lf - s.p) + 1 >= cut - cut / 4)
		cut = (size_t)(lf - s.p) + 1;
	return cut;
}

/* Where the tail begins, likewise. */
static size_t
tail_start(struct slice s, size_t max)
{
	size_t from = s.n > max ? s.n - max : 0, quarter = (s.n - from) / 4;
	const char *lf;

	while (from < s.n && ((unsigned char)s.p[from] & 0xc0) == 0x80)
		from++;
	lf = memchr(s.p + from, '\n', quarter);
	if (lf != NULL && from > 0)
		from = (size_t)(lf - s.p) + 1;
	return from;
}

void
result_join(struct buf *out, struct slice head, struct slice tail,
    unsigned long long total, size_t max, const char *where)
{
	size_t h, t;

	h = head_end(head, max / 5 * 3);
	t = tail_start(tail, max - max / 5 * 3);
	buf_add(out, head.p, h);
	if (h > 0 && head.p[h - 1] != '\n')
		buf_addc(out, '\n');
	buf_fmt(out, "[%llu bytes cut out here%s%s]\n",
	    total - h - (tail.n - t), where[0] != '\0' ? "; " : "", where);
	buf_add(out, tail.p + t, tail.n - t);
}

void
result_cap(struct result *r, size_t cap)
{
	struct slice all = buf_view(&r->content);
	struct buf cut = BUF_INIT(RESULT_MAX);

	if (all.n <= cap)
		return;
	if (r->bytes < 0)
		r->bytes = (long long)all.n;
	r->truncated = true;
	result_join(&cut, all, all, all.n, cap, "");
	buf_release(&r->content);
	r->content = cut;
}

/* ---- the message ---- */

static void
put_content(struct json *o, const struct result *r)
{
	const char *text = r->content.len > 0 ? r->content.p : "";
	struct buf parts = BUF_INIT(2 * RESULT_MAX);

	if (r->images.len == 0) {
		json_str(o, "content", text);
		return;
	}
	buf_adds(&parts, "[");
	if (r->content.len > 0) {
		buf_adds(&parts, "{\"type\":\"text\",\"text\":");
		scan_quote(&parts, r->content.p, r->content.len);
		buf_adds(&parts, "},");
	}
	buf_slice(&parts, buf_view(&r->images));
	buf_adds(&parts, "]");
	json_raw(o, "content", buf_view(&parts));
	buf_release(&parts);
}

struct json *
result_message(struct result *r, const char *id, const char *name,
    long long ms, const char *verdict)
{
	struct json *o = json_object();

	json_str(o, "role", "tool");
	json_str(o, "tool_call_id", id);
	json_str(o, "name", name);
	put_content(o, r);
	if (r->is_error)
		json_bool(o, "is_error", true);
	json_int(r->meta, "ms", ms);
	json_int(r->meta, "bytes", r->bytes >= 0 ? r->bytes :
	    (long long)r->content.len);
	if (r->truncated)
		json_bool(r->meta, "truncated", true);
	if (r->lossy)
		json_bool(r->meta, "lossy", true);
	if (r->code != NULL)
		json_str(r->meta, "error", r->code);
	if (verdict != NULL)
		json_str(r->meta, "verdict", verdict);
	json_add(o, "meta", r->meta);
	r->meta = json_object();
	return o;
}

/* ---- and back ---- */

/* The closed list of chapter 2.3, as far as tools use it. */
static const char *
code_named(struct slice v)
{
	static const char *const codes[] = { "bad_arguments", "unknown_tool",
		"denied", "not_read", "no_match", "ambiguous", "exists",
		"not_found", "too_large", "timeout", "interrupted", "refused",
		"spawn_failed", "storage_full", "server", "network" };

	for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
		if (scan_str_is(v, codes[i]))
			return codes[i];
	return NULL;
}

static void
take_meta(struct result *r, struct slice meta, long long *ms)
{
	struct slice key, val;
	int64_t n = -1;
	struct walk w;

	walk_in(&w, meta);
	while (walk_next(&w, &key, &val)) {
		if (scan_key_is(key, "ms")) {
			scan_int(val, &n);
			*ms = n;
		} else if (scan_key_is(key, "bytes")) {
			scan_int(val, &n);
			r->bytes = n;
		} else if (scan_key_is(key, "truncated")) {
			r->truncated = scan_true(val);
		} else if (scan_key_is(key, "lossy")) {
			r->lossy = scan_true(val);
		} else if (scan_key_is(key, "error")) {
			r->code = code_named(val);
		} else {
			char *k = xmemdup0(key.p, key.n);

			json_raw(r->meta, k, val);
			free(k);
		}
	}
}

bool
result_take(struct result *r, struct slice message, long long *ms)
{
	struct slice content = scan_get(message, "content");

	if (!scan_str(content, &r->content))
		return false;
	buf_add(&r->content, "", 0);
	r->is_error = scan_true(scan_get(message, "is_error"));
	take_meta(r, scan_get(message, "meta"), ms);
	return true;
}
