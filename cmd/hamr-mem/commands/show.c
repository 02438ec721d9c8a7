/* show.c - how hits, items and briefs look. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/ctrl.h"
#include "base/num.h"
#include "json/json.h"
#include "show.h"
#include "base/utc.h"
#include "base/utf8.h"

#define LIST_CHARS 200

static const char *
kind_name(enum kind k)
{
	return k == KIND_FACT ? "fact" : "message";
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
	json_str(o, "session", h->session);
	if (h->line > 0)
		json_int(o, "line", h->line);
	else
		json_null(o, "line");
	json_str(o, "role", h->role);
	json_str(o, "name", h->name);
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

/* A snippet in so many columns; « and » become bold where there is colour.  Of
 * what stands before the match a third of that is shown. */
static void
put_marked(struct buf *row, struct slice text, size_t columns, bool colour)
{
	const char *mark = memmem(text.p, text.n, "«", 2);
	struct slice before = { text.p, mark != NULL ? (size_t)(mark -
	    text.p) : 0 };

	if (term_width(before) > columns / 3) {
		columns -= term_put_end(row, before, columns / 3);
		text = (struct slice){ mark, text.n - before.n };
	}
	while (text.n > 0 && columns > 0) {
		struct slice part = text;
		bool on = slice_starts(text, "«"), off = slice_starts(text,
		    "»");

		if (colour && (on || off)) {
			buf_adds(row, on ? "\033[1m" : "\033[0m");
			text = (struct slice){ text.p + 2, text.n - 2 };
			continue;
		}
		for (part.n = on || off ? 2 : 1; part.n < text.n; part.n++) {
			struct slice rest = { text.p + part.n,
				text.n - part.n };

			if (slice_starts(rest, "«") || slice_starts(rest,
			    "»"))
				break;
		}
		columns -= term_put(row, part, columns);
		text = (struct slice){ text.p + part.n, text.n - part.n };
	}
	if (colour)
		buf_adds(row, "\033[0m");
}

void
show_hit_row(struct buf *row, const struct hit *h, struct term t)
{
	const char *what = h->kind == KIND_FACT ? "fact" :
	    h->name != NULL ? h->name : h->role != NULL ? h->role : "";
	size_t width = t.columns > 0 ? t.columns : 80, at = MEMID_SIZE + 1;
	struct buf line = BUF_INIT(1 << 20);
	char day[UTC_SIZE] = "";

	if (h->time != WHEN_NONE)
		utc_print(h->time, day);
	buf_fmt(row, "%s  ", h->id);
	if (width >= 60) {
		term_pad(row, 10 - term_put(row, slice_of(what), 10));
		buf_fmt(row, "  %-10.10s  ", day);
		at += 24;
	}
	show_line(slice_of(h->snippet), SIZE_MAX, &line);
	put_marked(row, buf_view(&line), width > at + 8 ? width - at : 8,
	    t.colour);
	buf_addc(row, '\n');
	buf_release(&line);
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
	json_slice(o, "key", l->slot);
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

static void
put_row(struct buf *page, const char *name, int64_t n, const char *what)
{
	char *s = num_grouped(n);

	buf_fmt(page, "%-10s %14s%s\n", name, s, what);
	free(s);
}

void
show_stats_page(struct buf *page, const struct store *st,
    const struct stats *n)
{
	struct stat f;

	buf_fmt(page, "%s (%s)\n", st->path, st->name);
	put_row(page, "facts", n->facts, "");
	put_row(page, "messages", n->messages, "");
	put_row(page, "sessions", n->sessions, "");
	put_row(page, "forgotten", n->forgotten, "");
	put_row(page, "text", (n->bytes + 1023) / 1024, " KiB");
	if (stat(st->path, &f) == 0)
		put_row(page, "file", (int64_t)f.st_size / 1024, " KiB");
}
