/* show.c - how hits, items and briefs look. */
#include <math.h>
#include <string.h>

#include "base/ctrl.h"
#include "json/json.h"
#include "show.h"
#include "base/utf8.h"

#define LIST_CHARS 200

static const char *
kind_name(enum kind k)
{
	return k == KIND_FACT ? "fact" : "message";
}

static void
put_str(struct json *o, const char *key, const char *s)
{
	if (s != NULL)
		json_str(o, key, s);
	else
		json_null(o, key);
}

static void
put_record(struct rec_out *out, struct json *o)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);

	json_print(o, &b);
	rec_put(out, buf_view(&b));
	buf_release(&b);
	json_free(o);
}

void
show_hit(struct rec_out *out, const struct hit *h, bool partial)
{
	struct json *o = json_object();

	json_str(o, "type", "hit");
	json_str(o, "id", h->id);
	json_str(o, "kind", kind_name(h->kind));
	json_str(o, "store", h->store);
	put_str(o, "session", h->session);
	if (h->line > 0)
		json_int(o, "line", h->line);
	else
		json_null(o, "line");
	put_str(o, "role", h->role);
	put_str(o, "name", h->name);
	when_json(o, "time", h->time);
	json_double(o, "score", round(h->score * 10000) / 10000);
	json_str(o, "snippet", h->snippet);
	if (partial)
		json_bool(o, "partial", true);
	put_record(out, o);
}

void
show_line(struct slice t, size_t max, struct buf *out)
{
	bool blank = false;
	size_t chars = 0;

	for (size_t i = 0, n; i < t.n; i += n) {
		n = utf8_len((const unsigned char *)t.p + i, t.n - i);
		if (n == 0)
			n = 1;
		if (n == 1 && strchr(" \t\n\r\v\f", t.p[i]) != NULL) {
			blank = chars > 0;
			continue;
		}
		if (chars + blank >= max) {
			buf_adds(out, "…");
			return;
		}
		if (blank)
			buf_addc(out, ' ');
		chars += 1 + (size_t)blank;
		blank = false;
		if (ctrl_is(ctrl_code((const unsigned char *)t.p + i, n)))
			buf_addc(out, '?');
		else
			buf_add(out, t.p + i, n);
	}
}

void
show_hit_row(struct rec_out *out, const struct hit *h, size_t width)
{
	const char *what = h->kind == KIND_FACT ? "fact" :
	    h->name != NULL ? h->name : h->role != NULL ? h->role : "";
	struct buf b = BUF_INIT(1 << 20), w = BUF_INIT(1 << 20);
	char day[WHEN_SIZE] = "";

	if (h->time != WHEN_NONE)
		when_print(h->time, day);
	show_line(slice_of(what), 10, &w);
	buf_fmt(&b, "%s  %-10s  %-10.10s  ", h->id, w.len > 0 ? w.p : "", day);
	show_line(slice_of(h->snippet), width > 60 ? width - 40 : 20, &b);
	rec_put(out, buf_view(&b));
	buf_release(&b);
	buf_release(&w);
}

/* The first max characters. */
static struct slice
head(struct slice t, size_t max)
{
	size_t i = 0;

	for (size_t n; i < t.n && max > 0; i += n, max--) {
		n = utf8_len((const unsigned char *)t.p + i, t.n - i);
		if (n == 0)
			n = 1;
	}
	return (struct slice){ t.p, i };
}

void
show_listed(struct rec_out *out, const struct listed *l)
{
	struct json *o = json_object();

	json_str(o, "id", l->id);
	json_str(o, "kind", kind_name(l->kind));
	if (l->slot.p != NULL)
		json_slice(o, "key", l->slot);
	else
		json_null(o, "key");
	json_raw(o, "tags", l->tags.p != NULL ? l->tags : SLICE("[]"));
	when_json(o, "time", l->time);
	json_slice(o, "content", l->text.p != NULL ?
	    head(l->text, LIST_CHARS) : SLICE(""));
	put_record(out, o);
}

void
show_stats(struct rec_out *out, const struct store *st, const struct stats *n)
{
	struct json *o = json_object();

	json_str(o, "type", "stats");
	json_str(o, "store", st->name);
	json_str(o, "path", st->path);
	json_int(o, "facts", n->facts);
	json_int(o, "messages", n->messages);
	json_int(o, "sessions", n->sessions);
	json_int(o, "forgotten", n->forgotten);
	json_int(o, "bytes", n->bytes);
	put_record(out, o);
}
