/* show.c - how hits, items and briefs look. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/ctrl.h"
#include "base/num.h"
#include "show.h"
#include "base/utc.h"
#include "base/utf8.h"

#define LIST_CHARS 200

static const char *
kind_name(enum kind k)
{
	return k == KIND_FACT ? "fact" : "message";
}

static struct slice
text_of(const char *s)
{
	return s != NULL ? slice_of(s) : (struct slice){ NULL, 0 };
}

void
show_hit(struct rec_out *out, const struct hit *h, bool partial)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);
	char time[UTC_SIZE], score[32];

	/* four decimals, without zeros at the end */
	snprintf(score, sizeof score, "%.15g",
	    round(h->score * 10000) / 10000);
	scan_put(&b, "{'type':'hit','id':@,'kind':@,'store':@,'session':?,"
	    "'line':$,'role':?,'name':?,'time':?,'score':$,'snippet':?$}",
	    slice_of(h->id), slice_of(kind_name(h->kind)), slice_of(h->store),
	    text_of(h->session), h->line > 0 ? SCAN_INT(h->line) :
	    SLICE("null"), text_of(h->role), text_of(h->name),
	    when_text(h->time, time), slice_of(score), text_of(h->snippet),
	    partial ? SLICE(",\"partial\":true") : SLICE(""));
	rec_put(out, buf_view(&b));
	buf_release(&b);
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
	struct buf b = BUF_INIT(BUF_RECORD_MAX);
	char time[UTC_SIZE];

	scan_put(&b, "{'id':@,'kind':@,'key':?,'tags':$,'time':?,"
	    "'content':@}", slice_of(l->id), slice_of(kind_name(l->kind)),
	    l->slot, l->tags.p != NULL ? l->tags : SLICE("[]"),
	    when_text(l->time, time), head(l->text, LIST_CHARS));
	rec_put(out, buf_view(&b));
	buf_release(&b);
}

void
show_stats(struct rec_out *out, const struct store *st, const struct stats *n)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX), path = b;

	/* folders may have names that are not UTF-8 */
	utf8_clean(&path, st->path, strlen(st->path));
	scan_put(&b, "{'type':'stats','store':@,'path':@,'facts':$,"
	    "'messages':$,'sessions':$,'forgotten':$,'bytes':$}",
	    slice_of(st->name), buf_view(&path), SCAN_INT(n->facts),
	    SCAN_INT(n->messages), SCAN_INT(n->sessions),
	    SCAN_INT(n->forgotten), SCAN_INT(n->bytes));
	rec_put(out, buf_view(&b));
	bufs_release(BUFS(&b, &path));
}

static void
put_row(struct buf *page, const char *name, int64_t n, const char *what)
{
	buf_fmt(page, "%-10s %14s%s\n", name, num_grouped(n).s, what);
}

void
show_stats_page(struct buf *page, const struct store *st,
    const struct stats *n)
{
	struct stat f;

	term_put(page, slice_of(st->path), SIZE_MAX);
	buf_fmt(page, " (%s)\n", st->name);
	put_row(page, "facts", n->facts, "");
	put_row(page, "messages", n->messages, "");
	put_row(page, "sessions", n->sessions, "");
	put_row(page, "forgotten", n->forgotten, "");
	put_row(page, "text", (n->bytes + 1023) / 1024, " KiB");
	if (stat(st->path, &f) == 0)
		put_row(page, "file", (int64_t)f.st_size / 1024, " KiB");
}
