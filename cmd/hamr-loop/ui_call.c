/* ui_call.c - a call and what came of it, one line each. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "msg.h"
#include "term.h"
#include "ui_in.h"
#include "utf8.h"

#define LINE_MAX_SHOWN 100	/* bytes of a call's arguments on its line */
#define DIFF_SHOWN 40		/* lines of a change */

/* The one argument that tells a call from its neighbours. */
static void
short_args(struct slice args, struct buf *out)
{
	static const char *const telling[] = { "command", "query", "path",
		"file_path", "fact" };
	struct buf text = BUF_INIT(BUF_RECORD_MAX), v = BUF_INIT(1 << 20);
	struct scan s = { 0 };
	struct slice got = { NULL, 0 };
	size_t n;

	scan_str(args, &text);
	if (scan_record(&s, buf_view(&text).p, text.len) == 0)
		for (size_t i = 0; got.p == NULL && i < 5; i++) {
			struct slice whole = buf_view(&text);

			got = scan_get(whole, telling[i]);
		}
	if (scan_str(got, &v)) {
		n = utf8_cut(v.p, v.len, LINE_MAX_SHOWN);
		for (size_t i = 0; i < n; i++)
			if (v.p[i] == '\n')
				v.p[i] = ' ';
		buf_add(out, v.p, n);
		if (n < v.len)
			buf_adds(out, "...");
	}
	buf_release(&text);
	buf_release(&v);
	scan_release(&s);
}

char *
ui_call_what(struct slice name, struct slice args)
{
	struct buf b = BUF_INIT(1 << 20);

	scan_str(name, &b);
	buf_addc(&b, ' ');
	short_args(args, &b);
	return buf_detach(&b);
}

/* ---- a result ---- */

static bool
failed(const struct rec *r)
{
	struct slice e = rec_get(r, "is_error");
	int64_t code = 0;

	return slice_is(e, "true") || (scan_int(msg_meta(r, "exit"), &code) &&
	    code != 0) || msg_meta(r, "signal").p != NULL;
}

static size_t
count_lines(struct slice text)
{
	size_t n = 0;

	for (size_t i = 0; i < text.n; i++)
		n += text.p[i] == '\n' || i + 1 == text.n;
	return n;
}

/* The first line of what the model is told, without the path before it that
 * stands in the call ("read PATH") already. */
static void
first_line(const char *p, const char *what, struct buf *out)
{
	const char *path = strchr(what, ' ');
	size_t n = path != NULL ? strlen(path + 1) : 0;

	if (n > 0 && strncmp(p, path + 1, n) == 0 && p[n] == ' ')
		p += n + 1;
	n = utf8_cut(p, strcspn(p, "\n"), LINE_MAX_SHOWN);
	term_escape(out, (struct slice){ p, n });
	buf_adds(out, p[n] != '\n' && p[n] != '\0' ? "..." : "");
}

/* In a few words: the lines of a change, what was found, what was said. */
static void
outcome(const struct rec *r, const char *what, struct buf *out)
{
	struct buf text = BUF_INIT(BUF_RECORD_MAX);
	size_t n;
	struct slice op = msg_meta(r, "op");
	int64_t added, removed, found;

	msg_text(rec_get(r, "content"), &text);
	if (scan_int(msg_meta(r, "added"), &added) &&
	    scan_int(msg_meta(r, "removed"), &removed) && !failed(r)) {
		buf_fmt(out, "+%lld -%lld lines", (long long)added,
		    (long long)removed);
	} else if (scan_str_is(op, "search") && scan_int(msg_meta(r,
	    "matches"), &found)) {
		buf_fmt(out, "%lld match%s", (long long)found, found == 1 ?
		    "" : "es");
	} else if (scan_str_is(op, "list") && !failed(r)) {
		n = count_lines(buf_view(&text));
		buf_fmt(out, "%zu entr%s", n, n == 1 ? "y" : "ies");
	} else {
		first_line(buf_view(&text).p, what, out);
	}
	buf_release(&text);
}

/* At most one more than max. */
static size_t
columns_of(const struct buf *b, size_t max)
{
	size_t n = 0;

	while (n <= max && term_fits(buf_view(b), n) < b->len)
		n++;
	return n;
}

/* As much of it as so many columns hold. */
static void
add_cut(const struct buf *text, size_t columns, struct buf *out)
{
	struct slice all = buf_view(text);

	if (term_fits(all, columns) == all.n)
		buf_slice(out, all);
	else
		buf_fmt(out, "%.*s...", (int)term_fits(all, columns > 3 ?
		    columns - 3 : 0), all.p);
}

/* On a terminal a call and its outcome stay one line: the longer of them gives
 * way, to no less than half of it. */
static void
share_line(const struct ui *u, size_t rest, const struct buf *what,
    const struct buf *got, size_t *for_what, size_t *for_got)
{
	size_t room = ui_columns(), w, g;

	room = room > rest + 10 ? room - rest : 10;
	w = columns_of(what, room);
	g = columns_of(got, room);
	if (!u->live) {
		*for_what = *for_got = SIZE_MAX;
	} else if (w + g <= room) {
		*for_what = w;
		*for_got = g;
	} else if (w <= room / 2) {
		*for_what = w;
		*for_got = room - w;
	} else {
		*for_got = g <= room / 2 ? g : room / 2;
		*for_what = room - *for_got;
	}
}

void
ui_call_result(struct ui *u, const char *what, const struct rec *r)
{
	struct buf b = BUF_INIT((size_t)2 << 20), o = BUF_INIT(1 << 16);
	struct buf safe = BUF_INIT((size_t)1 << 20);
	const char *on = failed(r) ? "\033[31m" : "\033[32m";
	size_t for_what, for_got;
	char took[40];
	int64_t ms = 0;

	scan_int(msg_meta(r, "ms"), &ms);
	snprintf(took, sizeof took, " (%lld.%02lld s)", (long long)ms / 1000,
	    (long long)ms / 10 % 100);
	term_escape(&safe, slice_of(what));
	outcome(r, what, &o);
	share_line(u, 7 + strlen(took), &safe, &o, &for_what, &for_got);
	buf_adds(&b, "  ");
	add_cut(&safe, for_what, &b);
	buf_fmt(&b, "%s%s", u->color ? "\033[2m -> \033[0m" : " -> ",
	    u->color ? on : "");
	add_cut(&o, for_got, &b);
	buf_fmt(&b, "%s%s%s\n", u->color ? "\033[0;2m" : "", took,
	    u->color ? "\033[0m" : "");
	ui_break(u);
	ui_emit(u, b.p, b.len);
	buf_release(&b);
	buf_release(&o);
	buf_release(&safe);
}

/* The next line, painted by how it begins; what is behind it. */
static const char *
diff_line(const struct ui *u, const char *p, const char *before,
    struct buf *out)
{
	size_t n = strcspn(p, "\n");
	const char *on = *p == '+' ? "\033[32m" : *p == '-' ? "\033[31m" :
	    "\033[2m";

	buf_adds(out, u->color ? on : "");
	buf_adds(out, before);
	term_escape(out, (struct slice){ p, n });
	buf_adds(out, u->color ? "\033[0m\n" : "\n");
	return p + n + (p[n] == '\n');
}

void
ui_call_paint(const struct ui *u, const char *diff, struct buf *out)
{
	for (const char *p = diff; *p != '\0'; )
		p = diff_line(u, p, "", out);
}

/* Lines before the first @@ name the file; the line above has done so. */
void
ui_call_diff(struct ui *u, const struct rec *r)
{
	struct buf d = BUF_INIT(BUF_RECORD_MAX), b = BUF_INIT(1 << 20);
	const char *p;
	int lines = 0;

	if (!u->tty_err || !scan_str(msg_meta(r, "diff"), &d)) {
		buf_release(&d);
		return;
	}
	p = buf_view(&d).p;
	while (strncmp(p, "--- ", 4) == 0 || strncmp(p, "+++ ", 4) == 0)
		p += strcspn(p, "\n") + (p[strcspn(p, "\n")] == '\n');
	for (; *p != '\0' && lines < DIFF_SHOWN; lines++)
		p = diff_line(u, p, "    ", &b);
	if (*p != '\0')
		buf_adds(&b, "    ...\n");
	ui_emit(u, buf_view(&b).p, b.len);
	buf_release(&d);
	buf_release(&b);
}
