/* ledger_file.c - the working context: what was shown of which file.
 *
 * As hamr-tool proves an edit: a read shows lines of a content, an own edit
 * moves them along, any other content makes them worth nothing.
 */
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "msg.h"

#include "ledger.h"

void
ledger_file_release(struct ledger_file *f)
{
	for (size_t i = 0; i < f->n; i++)
		lines_release(&f->spans[i].lines);
	free(f->spans);
	free(f->path);
}

/* A path as it is listed: relative to where the session ran. */
static struct slice
relative(const struct ledger *l, struct slice path)
{
	size_t n = l->cwd != NULL ? strlen(l->cwd) : 0;

	while (path.n > 2 && path.p[0] == '.' && path.p[1] == '/')
		path.p += 2, path.n -= 2;
	if (n > 1 && path.n > n + 1 && memcmp(path.p, l->cwd, n) == 0 &&
	    path.p[n] == '/')
		path.p += n + 1, path.n -= n + 1;
	return path;
}

static struct ledger_file *
file_of(struct ledger *l, struct slice path)
{
	uint64_t *at;
	bool fresh;

	path = relative(l, path);
	at = map_put(&l->by_path, path, &fresh);
	if (fresh) {
		l->files = xgrow(l->files, l->nfiles, &l->capfiles,
		    sizeof *l->files);
		l->files[l->nfiles++] = (struct ledger_file){
			.path = xmemdup0(path.p, path.n) };
		*at = l->nfiles;
	}
	return &l->files[*at - 1];
}

static struct span *
new_span(struct ledger_file *f, size_t call, bool written)
{
	f->spans = xgrow(f->spans, f->n, &f->cap, sizeof *f->spans);
	f->spans[f->n] = (struct span){ .call = call, .written = written };
	return &f->spans[f->n++];
}

static void
make_stale(struct ledger_file *f)
{
	for (size_t i = 0; i < f->n; i++)
		f->spans[i].stale = true;
}

/* The content was `before` and is `after` now ("": nobody says).  If before is
 * not what we knew, what was shown of that is worth nothing any more. */
static void
change(struct ledger_file *f, const char *before, const char *after)
{
	if (f->hash[0] != '\0' && before[0] != '\0' &&
	    strcmp(f->hash, before) != 0)
		make_stale(f);
	if (after[0] != '\0')
		snprintf(f->hash, sizeof f->hash, "%s", after);
}

static void
meta_hash(const struct rec *r, const char *key, char out[65])
{
	char *s = scan_strdup(msg_meta(r, key));

	snprintf(out, 65, "%s", s != NULL ? s : "");
	free(s);
}

/* ---- reads ---- */

static bool
whole_number(struct slice v, long *out)
{
	int64_t n;

	if (!scan_int(v, &n) || n < 1 || n > 100000000)
		return false;
	*out = (long)n;
	return true;
}

/* The number at the start of a numbered line, 0 when there is none. */
static long
numbered(const char *p, const char *end)
{
	long n = 0;

	while (p < end && *p == ' ')
		p++;
	for (; p < end && *p >= '0' && *p <= '9' && n < 100000000; p++)
		n = n * 10 + (*p - '0');
	return p < end && (*p == '\t' || strncmp(p, "\xe2\x86\x92", 3) == 0) ?
	    n : 0;
}

/* The lines a text of another program's read shows: by their numbers, else
 * counted from `first`. */
static void
count_lines(struct slice text, long *first, long *last)
{
	long low = 0, high = 0, lines = 0, with = 0, n;
	const char *p = text.p, *end = text.p + text.n;

	while (p < end) {
		const char *lf = memchr(p, '\n', (size_t)(end - p));
		const char *stop = lf != NULL ? lf : end;

		n = numbered(p, stop);
		with += n > 0;
		high = n > 0 ? n : high;
		low = low == 0 ? n : low;
		lines++;
		p = stop + 1;
	}
	if (with * 2 > lines) {
		*first = low;
		*last = high;
	} else {
		*last = *first + lines - 1;
	}
}

static void
learn_read(struct ledger *l, size_t call, const struct rec *r,
    struct slice text)
{
	struct ledger_call *c = &l->calls[call];
	struct slice args = buf_view(&c->args), op = msg_meta(r, "op");
	struct ledger_file *f;
	struct span *s;
	long first = 1, last = 0;
	char hash[65];

	if ((op.p != NULL && !scan_str_is(op, "file")) ||
	    scan_kind(scan_get(args, "query")) == SCAN_STRING)
		return;		/* a folder, a search */
	f = file_of(l, slice_of(c->what));
	f->reads++;
	f->touched = call + 1;
	f->gone = false;
	meta_hash(r, "sha256", hash);
	change(f, hash, hash);
	whole_number(msg_meta(r, "lines"), &f->lines);
	whole_number(scan_get(args, "first"), &first);
	if (!whole_number(msg_meta(r, "first"), &first) ||
	    !whole_number(msg_meta(r, "last"), &last))
		count_lines(text, &first, &last);
	s = new_span(f, call, false);
	s->cut = scan_true(msg_meta(r, "truncated"));
	lines_add(&s->lines, first, last);
}

/* ---- changes ---- */

/* Lines from `a` on, `an` of them, have become `bn`: of all spans. */
static void
move_lines(struct ledger_file *f, long a, long an, long bn)
{
	for (size_t i = 0; i < f->n; i++) {
		struct lines moved = { 0 };
		struct lines *r = &f->spans[i].lines;

		if (f->spans[i].stale)
			continue;
		lines_drop(r, a, a + an - 1);
		for (size_t k = 0; k < r->n; k++)
			if (r->v[k].first >= a)
				lines_add(&moved, r->v[k].first + bn - an,
				    r->v[k].last + bn - an);
			else if (r->v[k].last < a)
				lines_add(&moved, r->v[k].first,
				    r->v[k].last);
			else {	/* it stands around an insertion */
				lines_add(&moved, r->v[k].first, a - 1);
				lines_add(&moved, a + bn - an,
				    r->v[k].last + bn - an);
			}
		lines_release(r);
		*r = moved;
	}
}

/* Where in a unified diff we are: the line in the new file (0: before the
 * first @@), and the stretch in hand. */
struct hunk {
	long at, minus, plus;
};

static void
end_stretch(struct ledger_file *f, struct span *own, struct hunk *h)
{
	if (h->minus + h->plus > 0) {
		move_lines(f, h->at, h->minus, h->plus);
		lines_add(&own->lines, h->at, h->at + h->plus - 1);
		if (f->lines > 0)
			f->lines += h->plus - h->minus;
	}
	h->at += h->plus;
	h->minus = h->plus = 0;
}

/* "12,7 +12,8 @@": where the new lines are. */
static long
new_line(const char *p)
{
	long n;

	p += strspn(p, "0123456789,");
	n = strncmp(p, " +", 2) == 0 ? strtol(p + 2, NULL, 10) : 0;
	return n > 0 && n < 100000000 ? n : 1;
}

/* A unified diff as hamr-tool writes it, of which the numbers are taken; no
 * library of ours reads one. */
static void
apply_diff(struct ledger_file *f, struct span *own, const char *p)
{
	struct hunk h = { 0 };

	for (; p != NULL && *p != '\0'; p = strchr(p, '\n'), p += p != NULL) {
		if (*p == '-' && h.at > 0) {
			h.minus++;
		} else if (*p == '+' && h.at > 0) {
			h.plus++;
		} else {
			end_stretch(f, own, &h);
			h.at += h.at > 0 && *p == ' ';
			if (strncmp(p, "@@ -", 4) == 0)
				h.at = new_line(p + 4);
		}
	}
	end_stretch(f, own, &h);
}

/* The diff was cut: hamr-tool says itself what is known by now. */
static void
learn_shown(struct ledger_file *f, size_t call, struct slice shown)
{
	struct slice pair, a, b;
	struct walk w, in;
	struct span *s;
	long first, last;

	for (size_t i = 0; i < f->n; i++)
		lines_release(&f->spans[i].lines);
	f->n = 0;
	s = new_span(f, call, true);
	walk_in(&w, shown);
	while (walk_next(&w, NULL, &pair)) {
		walk_in(&in, pair);
		if (walk_next(&in, NULL, &a) && walk_next(&in, NULL, &b) &&
		    whole_number(a, &first) && whole_number(b, &last))
			lines_add(&s->lines, first, last);
	}
}

static void
learn_edit(struct ledger *l, size_t call, const struct rec *r)
{
	struct ledger_file *f = file_of(l, slice_of(l->calls[call].what));
	char before[65], after[65];
	char *diff = scan_strdup(msg_meta(r, "diff"));
	struct slice shown = msg_meta(r, "shown");
	struct span own = { .call = call, .written = true };

	f->edits++;
	f->touched = f->changed = call + 1;
	meta_hash(r, "sha256_before", before);
	meta_hash(r, "sha256_after", after);
	change(f, before, after);
	if (diff != NULL) {
		apply_diff(f, &own, diff);
		*new_span(f, call, true) = own;
	}
	free(diff);
	if (scan_kind(shown) == SCAN_ARRAY)
		learn_shown(f, call, shown);
}

static void
learn_write(struct ledger *l, size_t call, const struct rec *r)
{
	struct ledger_file *f = file_of(l, slice_of(l->calls[call].what));
	struct buf text = BUF_INIT(BUF_RECORD_MAX);
	long lines = 0;

	for (size_t i = 0; i < f->n; i++)
		lines_release(&f->spans[i].lines);
	f->n = 0;
	f->writes++;
	f->touched = f->changed = call + 1;
	f->gone = false;
	meta_hash(r, "sha256_after", f->hash);
	scan_str(scan_get(buf_view(&l->calls[call].args), "content"), &text);
	for (size_t i = 0; i < text.len; i++)
		lines += text.p[i] == '\n' || i + 1 == text.len;
	f->lines = lines;
	lines_add(&new_span(f, call, true)->lines, 1, lines);
	buf_release(&text);
}

/* What a command or a plug-in changed of files we know. */
static void
learn_mutated(struct ledger *l, size_t call, const struct rec *r)
{
	struct slice list = msg_meta(r, "mutated"), one;
	struct walk w;

	if (scan_kind(list) != SCAN_ARRAY)
		return;
	walk_in(&w, list);
	while (walk_next(&w, NULL, &one)) {
		char *path = scan_strdup(scan_get(one, "path"));
		char *hash = scan_strdup(scan_get(one, "sha256"));

		if (path != NULL && map_get(&l->by_path,
		    relative(l, slice_of(path))) != NULL) {
			struct ledger_file *f = file_of(l, slice_of(path));

			if (hash == NULL || strcmp(hash, f->hash) != 0)
				make_stale(f);
			snprintf(f->hash, sizeof f->hash, "%s",
			    hash != NULL ? hash : "");
			f->gone = hash == NULL;
			f->touched = f->changed = call + 1;
		}
		free(path);
		free(hash);
	}
}

void
ledger_learn(struct ledger *l, size_t call, const struct rec *r,
    struct slice text)
{
	const struct ledger_call *c = &l->calls[call];
	bool of_file = !c->failed && c->what[0] != '\0';

	if (of_file && c->kind == TOOL_READ)
		learn_read(l, call, r, text);
	else if (of_file && c->kind == TOOL_EDIT)
		learn_edit(l, call, r);
	else if (of_file && c->kind == TOOL_WRITE)
		learn_write(l, call, r);
	else
		learn_mutated(l, call, r);
}
