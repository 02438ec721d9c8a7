/* file_lines.c - which lines of a file were shown, and which still hold. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "record/msg.h"

#include "file_lines.h"

/* ---- spans ---- */

static void
drop_spans(struct file_lines *f)
{
	for (size_t i = 0; i < f->n; i++)
		line_set_release(&f->spans[i].lines);
	f->n = 0;
}

void
file_lines_release(struct file_lines *f)
{
	drop_spans(f);
	free(f->spans);
}

static struct span *
new_span(struct file_lines *f, size_t call, bool written)
{
	GROW(f->spans, f->n, f->cap);
	f->spans[f->n] = (struct span){ .call = call, .written = written };
	return &f->spans[f->n++];
}

/* The content was `before` and is now `after` ("": unknown).  If `before` is
 * not what was last seen, everything shown so far is stale. */
static void
change(struct file_lines *f, const char *before, const char *after)
{
	bool stale = f->hash[0] != '\0' && before[0] != '\0' &&
	    strcmp(f->hash, before) != 0;

	for (size_t i = 0; stale && i < f->n; i++)
		f->spans[i].stale = true;
	if (after[0] != '\0')
		snprintf(f->hash, sizeof f->hash, "%s", after);
}

static void
meta_hash(const struct rec *r, const char *key, char out[65])
{
	char *s = scan_text(msg_meta(r, key));

	snprintf(out, 65, "%s", s);
	free(s);
}

void
file_was_read(struct file_lines *f, size_t call, const struct fact *fact,
    const struct rec *r, struct slice text)
{
	long first = fact->first > 0 ? fact->first : 1, last = fact->last;
	long low = 0, high = 0, lines = 0, with = 0, n;
	struct slice line;
	char hash[65];

	f->reads++;
	f->touched = call;
	f->gone = false;
	meta_hash(r, "sha256", hash);
	change(f, hash, hash);
	if (fact->lines > 0)
		f->lines = fact->lines;
	bool known = positive(msg_meta(r, "first")) > 0 && last > 0;
	/* another program's read: take its line numbers, or count lines */
	while (!known && slice_line(&text, &line)) {
		const char *p = line.p + strspn(line.p, " ");
		char *end;

		n = *p >= '0' && *p <= '9' ? strtol(p, &end, 10) : 0;
		if (n > 0 && (n >= 100000000 || (*end != '\t' &&
		    strncmp(end, "\xe2\x86\x92", 3) != 0)))
			n = 0;		/* not a numbered line */
		with += n > 0;
		high = n > 0 ? n : high;
		low = low == 0 ? n : low;
		lines++;
	}
	if (with * 2 > lines) {
		first = low;
		last = high;
	} else if (!known) {
		last = first + lines - 1;
	}
	line_set_add(&new_span(f, call, false)->lines, first, last);
}

/* ---- changes ---- */

/* Where in a unified diff we are: the line in the new file (0: before the
 * first @@), and how many lines are removed and added there. */
struct hunk {
	long at, minus, plus;
};

/* Renumber all spans: `minus` lines from h->at on have become `plus`. */
static void
end_stretch(struct file_lines *f, struct span *own, struct hunk *h)
{
	for (size_t i = 0; h->minus + h->plus > 0 && i < f->n; i++)
		if (!f->spans[i].stale)
			line_set_drop(&f->spans[i].lines, h->at,
			    h->at + h->minus - 1, h->plus - h->minus);
	line_set_add(&own->lines, h->at, h->at + h->plus - 1);
	if (f->lines > 0)
		f->lines += h->plus - h->minus;
	h->at += h->plus;
	h->minus = h->plus = 0;
}

void
file_was_edited(struct file_lines *f, size_t call, const struct rec *r)
{
	char before[65], after[65];
	char *diff = scan_strdup(msg_meta(r, "diff"));
	struct slice shown = msg_meta(r, "shown"), pair, a, b;
	struct span own = { .call = call, .written = true };
	struct hunk h = { 0 };

	f->edits++;
	f->touched = f->changed = call;
	meta_hash(r, "sha256_before", before);
	meta_hash(r, "sha256_after", after);
	change(f, before, after);
	/* a unified diff as hamr-tool writes it; no library on our list reads
	 * one */
	for (const char *p = diff; p != NULL && *p != '\0';
	    p = strchr(p, '\n'), p += p != NULL) {
		if (*p == '-' && h.at > 0) {
			h.minus++;
		} else if (*p == '+' && h.at > 0) {
			h.plus++;
		} else {
			end_stretch(f, &own, &h);
			h.at += h.at > 0 && *p == ' ';
			if (strncmp(p, "@@ -", 4) != 0)
				continue;
			p += 4;		/* "12,7 +12,8 @@" */
			p += strspn(p, "0123456789,");
			h.at = strncmp(p, " +", 2) == 0 ?
			    strtol(p + 2, NULL, 10) : 1;
			if (h.at < 1 || h.at >= 100000000)
				h.at = 1;
		}
	}
	if (diff != NULL) {
		end_stretch(f, &own, &h);
		*new_span(f, call, true) = own;
	}
	free(diff);
	if (scan_kind(shown) != SCAN_ARRAY)
		return;
	/* the diff was truncated: hamr-tool says which lines are known now */
	drop_spans(f);
	struct span *s = new_span(f, call, true);
	for (struct walk w = walk_of(shown); walk_next(&w, NULL, &pair); ) {
		struct walk in = walk_of(pair);

		if (walk_next(&in, NULL, &a) && walk_next(&in, NULL, &b) &&
		    positive(a) > 0)
			line_set_add(&s->lines, positive(a), positive(b));
	}
}

void
file_was_written(struct file_lines *f, size_t call, const struct rec *r,
    long lines)
{
	drop_spans(f);
	f->writes++;
	f->touched = f->changed = call;
	f->gone = false;
	meta_hash(r, "sha256_after", f->hash);
	f->lines = lines;
	line_set_add(&new_span(f, call, true)->lines, 1, lines);
}

void
file_was_changed(struct file_lines *f, size_t calls, const char *hash)
{
	bool stale = hash == NULL || strcmp(hash, f->hash) != 0;

	for (size_t i = 0; stale && i < f->n; i++)
		f->spans[i].stale = true;
	snprintf(f->hash, sizeof f->hash, "%s", hash != NULL ? hash : "");
	f->gone = hash == NULL;
	f->touched = f->changed = calls;
}
