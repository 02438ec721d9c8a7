/* result.c - what one call gives back: text for the model, facts in meta. */
#include <stdarg.h>
#include <string.h>

#include "json/scan.h"
#include "base/utf8.h"

#include "result.h"

void
result_init(struct result *r)
{
	*r = (struct result){ .content = BUF_INIT(RESULT_MAX),
		.images = BUF_INIT(RESULT_MAX),
		.meta = BUF_INIT(BUF_RECORD_MAX), .bytes = -1 };
}

void
result_release(struct result *r)
{
	bufs_release(BUFS(&r->content, &r->images, &r->meta));
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

void
result_join(struct buf *out, struct slice head, struct slice tail,
    unsigned long long total, size_t max, const char *where)
{
	size_t h = utf8_cut(head.p, head.n, max / 5 * 3);
	size_t rest = max - max / 5 * 3, t = tail.n > rest ? tail.n - rest : 0;
	size_t quarter = (tail.n - t) / 4;
	const char *lf = memrchr(head.p, '\n', h);

	/* the head ends after a line end in its last quarter if there is
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

void
result_message(const struct result *r, const char *id, const char *name,
    long long ms, const char *verdict, struct buf *out)
{
	struct slice text = buf_view(&r->content);

	scan_put(out, "{'role':'tool','tool_call_id':@,'name':@,'content':",
	    slice_of(id), slice_of(name));
	if (r->images.len == 0)
		scan_put(out, "@", text);
	else if (text.n == 0)
		scan_put(out, "[$]", buf_view(&r->images));
	else
		scan_put(out, "[{'type':'text','text':@},$]", text,
		    buf_view(&r->images));
	scan_put(out, "$,'meta':{$'ms':$,'bytes':$", r->is_error ?
	    SLICE(",\"is_error\":true") : SLICE(""), buf_view(&r->meta),
	    SCAN_INT(ms), SCAN_INT(r->bytes >= 0 ? r->bytes :
	    (long long)text.n));
	if (r->truncated)
		scan_put(out, ",'truncated':true");
	if (r->lossy)
		scan_put(out, ",'lossy':true");
	if (r->code != NULL)
		scan_put(out, ",'error':@", slice_of(r->code));
	if (verdict != NULL)
		scan_put(out, ",'verdict':@", slice_of(verdict));
	buf_adds(out, "}}");
}
