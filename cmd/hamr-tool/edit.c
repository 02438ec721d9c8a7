/* edit.c - literal replacements in a text: found, judged, made. */
#include <stdlib.h>
#include <string.h>

#include "alias.h"
#include "files_in.h"
#include "mem.h"
#include "scan.h"

#include "edit.h"

#define LINES_NAMED 8		/* of an ambiguous match */

/* ---- what is asked for ---- */

static int
add(struct edits *e, struct slice args, struct fault *f)
{
	struct edit x = { .old = BUF_INIT(BUF_RECORD_MAX),
		.new = BUF_INIT(BUF_RECORD_MAX) };
	bool has_old = arg_str(args, "old", &x.old);
	bool has_new = arg_str(args, "new", &x.new);

	x.all = arg_bool(args, "all");
	e->v = xgrow(e->v, e->n, &e->cap, sizeof *e->v);
	e->v[e->n++] = x;
	if (!has_old || x.old.len == 0)
		return fault_set(f, "bad_arguments", "old is %s; give the "
		    "exact text to replace", has_old ? "empty" : "missing");
	if (!has_new)
		return fault_set(f, "bad_arguments", "new is missing; give "
		    "the text to put there");
	if (slice_eq(buf_view(&x.old), buf_view(&x.new)))
		return fault_set(f, "bad_arguments",
		    "old and new are the same text");
	return 0;
}

static int
add_list(struct edits *e, struct slice list, struct fault *f)
{
	struct walk w;
	struct slice key, val;
	int r = 0;

	for (walk_in(&w, list); r == 0 && walk_next(&w, &key, &val); ) {
		struct buf b = BUF_INIT(BUF_RECORD_MAX);

		if (alias_args(SLICE("edit"), val, &b))
			r = add(e, buf_view(&b), f);
		else
			r = fault_set(f, "bad_arguments", "edits must hold "
			    "objects with old and new");
		buf_release(&b);
	}
	return r;
}

int
edits_parse(struct edits *e, struct slice args, struct fault *f)
{
	struct slice list = scan_get(args, "edits");
	struct buf old = BUF_INIT(BUF_RECORD_MAX);
	bool one;

	*e = (struct edits){ 0 };
	one = arg_str(args, "old", &old) && old.len > 0;
	buf_release(&old);
	if (scan_kind(list) == SCAN_ARRAY) {
		if (add_list(e, list, f) < 0)
			return -1;
		if (one && e->n > 0)
			return fault_set(f, "bad_arguments", "give old and "
			    "new, or edits, not both");
	}
	return e->n > 0 ? 0 : add(e, args, f);
}

void
edits_release(struct edits *e)
{
	for (size_t i = 0; i < e->n; i++) {
		buf_release(&e->v[i].old);
		buf_release(&e->v[i].new);
	}
	free(e->v);
	*e = (struct edits){ 0 };
}

static void
to_crlf(struct buf *b)
{
	struct buf out = BUF_INIT(BUF_RECORD_MAX);

	for (size_t i = 0; i < b->len; i++) {
		if (b->p[i] == '\n' && (i == 0 || b->p[i - 1] != '\r'))
			buf_addc(&out, '\r');
		buf_addc(&out, b->p[i]);
	}
	buf_release(b);
	*b = out;
}

void
edits_crlf(struct edits *e)
{
	for (size_t i = 0; i < e->n; i++) {
		to_crlf(&e->v[i].old);
		to_crlf(&e->v[i].new);
	}
}

/* ---- where it is ---- */

long
text_line(struct slice text, size_t at)
{
	long line = 1;

	for (size_t pos = 0; pos < at; pos++, line++) {
		const char *lf = memchr(text.p + pos, '\n', at - pos);

		if (lf == NULL)
			break;
		pos = (size_t)(lf - text.p);
	}
	return line;
}

static size_t
find(struct slice text, struct slice old, size_t from)
{
	const char *hit = from <= text.n ? memmem(text.p + from,
	    text.n - from, old.p, old.n) : NULL;

	return hit != NULL ? (size_t)(hit - text.p) : (size_t)-1;
}

/* "edit 2: " where there are several. */
static void
put_number(const struct edits *e, size_t i, struct buf *out)
{
	if (e->n > 1)
		buf_fmt(out, "edit %zu: ", i + 1);
}

static int
say(struct fault *f, const char *code, struct buf *words)
{
	fault_set(f, code, "%s", words->p);
	buf_release(words);
	return -1;
}

static int
no_match(const struct edits *e, size_t i, struct slice text, const char *name,
    struct fault *f)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);

	put_number(e, i, &b);
	buf_fmt(&b, "old does not occur in %s; ", name);
	nearest_say(text, buf_view(&e->v[i].old), &b);
	return say(f, "no_match", &b);
}

/* Counted with overlaps: "aa" stands twice in "aaa", and which is meant? */
static int
ambiguous(const struct edits *e, size_t i, struct slice text,
    const char *name, struct fault *f)
{
	struct slice old = buf_view(&e->v[i].old);
	struct buf b = BUF_INIT(BUF_RECORD_MAX);
	struct buf lines = BUF_INIT(BUF_RECORD_MAX);
	size_t at = 0, n = 0, from = 0;
	long line = 1, said = 0, named = 0;

	for (; (at = find(text, old, at)) != (size_t)-1; at++, n++) {
		line += text_line((struct slice){ text.p + from,
			text.n - from }, at - from) - 1;
		from = at;
		if (line != said && ++named <= LINES_NAMED)
			buf_fmt(&lines, "%s%ld", named > 1 ? ", " : "", line);
		said = line;
	}
	put_number(e, i, &b);
	buf_fmt(&b, "old occurs %zu times in %s, line%s %s%s; add the lines "
	    "around it to old, or set all", n, name, named == 1 ? "" : "s",
	    lines.p, named > LINES_NAMED ? ", ..." : "");
	buf_release(&lines);
	return say(f, "ambiguous", &b);
}

static void
add_hit(struct hits *h, size_t at, size_t n, size_t edit)
{
	h->v = xgrow(h->v, h->n, &h->cap, sizeof *h->v);
	h->v[h->n++] = (struct hit){ at, n, edit };
}

static int
by_place(const void *a, const void *b)
{
	const struct hit *x = a, *y = b;

	return x->at < y->at ? -1 : x->at > y->at;
}

static int
check_overlap(const struct hits *h, struct slice text, struct fault *f)
{
	for (size_t i = 1; i < h->n; i++) {
		const struct hit *a = &h->v[i - 1], *b = &h->v[i];

		if (a->at + a->n > b->at)
			return fault_set(f, "bad_arguments", "edits %zu and "
			    "%zu overlap at line %ld; make them one",
			    (a->edit < b->edit ? a->edit : b->edit) + 1,
			    (a->edit < b->edit ? b->edit : a->edit) + 1,
			    text_line(text, b->at));
	}
	return 0;
}

int
edits_find(const struct edits *e, struct slice text, const char *name,
    struct hits *h, struct fault *f)
{
	*h = (struct hits){ 0 };
	for (size_t i = 0; i < e->n; i++)
		if (find(text, buf_view(&e->v[i].old), 0) == (size_t)-1)
			return no_match(e, i, text, name, f);
	for (size_t i = 0; i < e->n; i++) {
		struct slice old = buf_view(&e->v[i].old);
		size_t at = find(text, old, 0);

		if (!e->v[i].all &&
		    find(text, old, at + 1) != (size_t)-1)
			return ambiguous(e, i, text, name, f);
		for (; at != (size_t)-1; at = find(text, old, at + old.n))
			add_hit(h, at, old.n, i);
	}
	qsort(h->v, h->n, sizeof *h->v, by_place);
	return check_overlap(h, text, f);
}

void
edits_apply(const struct edits *e, const struct hits *h, struct slice text,
    struct buf *out)
{
	size_t from = 0;

	for (size_t i = 0; i < h->n; i++) {
		buf_add(out, text.p + from, h->v[i].at - from);
		buf_slice(out, buf_view(&e->v[h->v[i].edit].new));
		from = h->v[i].at + h->v[i].n;
	}
	buf_add(out, text.p + from, text.n - from);
}
