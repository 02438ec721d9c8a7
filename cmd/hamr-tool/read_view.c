/* read_view.c - lines of a file as read shows them. */
#include <string.h>

#include "scan.h"
#include "utf8.h"

#include "read_view.h"

/* Bytes of the first LINE_CHARS characters (a byte that is none counts as
 * one). */
static size_t
head_of(struct slice s)
{
	size_t at = 0;

	if (s.n <= LINE_CHARS)
		return s.n;
	for (long i = 0; i < LINE_CHARS && at < s.n; i++) {
		size_t n = utf8_len((const unsigned char *)s.p + at,
		    s.n - at);

		at += n != 0 ? n : 1;
	}
	return at;
}

bool
view_line(struct view *v, long no, struct slice s, long long bytes)
{
	size_t shown = head_of(s), was = v->body.len;

	buf_fmt(&v->body, "%6ld\t", no);
	v->lossy |= utf8_clean(&v->body, s.p, shown);
	if ((long long)shown < bytes) {
		buf_fmt(&v->body, " [%lld more bytes in this line]",
		    bytes - (long long)shown);
		v->cut_line = true;
	}
	buf_addc(&v->body, '\n');
	if (was > 0 && v->body.len + HEAD_ROOM > v->room) {
		v->body.len = was;
		return false;
	}
	return true;
}

void
view_lines(struct view *v, struct slice text, const size_t *at)
{
	long i, last = v->last;

	for (i = v->first; i <= last; i++) {
		struct slice s = { text.p + at[i - 1], at[i] - at[i - 1] };

		if (s.n > 0 && s.p[s.n - 1] == '\n')
			s.n--;
		if (v->crlf && s.n > 0 && s.p[s.n - 1] == '\r')
			s.n--;
		if (!view_line(v, i, s, (long long)s.n))
			break;
	}
	v->last = i - 1;
	v->whole = (long long)(at[last] - at[v->last]) +
	    (last - v->last) * NUMBERED;
}

void
view_more(const struct view *v, const char *rel, struct buf *out)
{
	if (v->lines >= 0 && v->last >= v->lines)
		return;
	if (v->lines >= 0)
		buf_fmt(out, "[%ld more: ", v->lines - v->last);
	else
		buf_adds(out, "[more: ");
	buf_adds(out, "{\"path\":");
	struct buf clean = BUF_INIT(BUF_RECORD_MAX);
	utf8_clean(&clean, rel, strlen(rel));
	scan_quote(out, clean.p, clean.len);
	buf_release(&clean);
	buf_fmt(out, ",\"first\":%ld}]\n", v->last + 1);
}

void
view_meta(const struct view *v, struct result *r)
{
	json_str(r->meta, "op", "file");
	json_int(r->meta, "first", v->first);
	json_int(r->meta, "last", v->last);
	if (v->lines >= 0)
		json_int(r->meta, "lines", v->lines);
}
