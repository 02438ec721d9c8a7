/* result.c - what one call gives back: text for the model, facts in meta. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "json/scan.h"
#include "base/utf8.h"

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
	bufs_release(BUFS(&r->content, &r->images));
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
	bufs_reset(BUFS(&r->content, &r->images));
	if (utf8_clean(&r->content, raw.p, raw.len))
		r->lossy = true;
	buf_release(&raw);
	r->is_error = true;
	r->code = code;
	r->truncated = false;
	r->bytes = -1;
}

/* ---- the cut ---- */

void
result_join(struct buf *out, struct slice head, struct slice tail,
    unsigned long long total, size_t max, const char *where)
{
	size_t h = utf8_cut(head.p, head.n, max / 5 * 3);
	size_t rest = max - max / 5 * 3, t = tail.n > rest ? tail.n - rest : 0;
	size_t quarter = (tail.n - t) / 4;
	const char *lf = memrchr(head.p, '\n', h);

	/* the head ends behind a line end in its last quarter if there is
	 * one, else on a character border; the tail begins likewise */
	if (lf != NULL && (size_t)(lf - head.p) + 1 >= h - h / 4)
		h = (size_t)(lf - head.p) + 1;
	while (t < tail.n && ((unsigned char)tail.p[t] & 0xc0) == 0x80)
		t++;
	lf = memchr(tail.p + t, '\n', quarter);
	if (lf != NULL && t > 0)
		t = (size_t)(lf - tail.p) + 1;
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

	if (cap == 0 || all.n <= cap)
		return;
	if (r->bytes < 0)
		r->bytes = (long long)all.n;
	r->truncated = true;
	result_join(&cut, all, all, all.n, cap, "");
	buf_release(&r->content);
	r->content = cut;
}

/* ---- the message ---- */

struct json *
result_message(struct result *r, const char *id, const char *name,
    long long ms, const char *verdict)
{
	struct buf parts = BUF_INIT(2 * RESULT_MAX);
	struct json *o = json_object();

	json_str(o, "role", "tool");
	json_str(o, "tool_call_id", id);
	json_str(o, "name", name);
	if (r->images.len == 0) {
		json_str(o, "content", r->content.len > 0 ? r->content.p : "");
	} else {
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
