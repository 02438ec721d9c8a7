/* refill.c - which calls before the tail are worth showing in full, and which
 * results in the tail are cut because they are too large. */
#include <limits.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/num.h"
#include "record/msg.h"

#include "internal.h"

#define CUT_LEAST 100
#define AGE_TOKENS 300		/* a result this long counts as twice as old */
#define FOLDED_AGE 80		/* most age of a folded step, for a strategy
				 * with a low mark */
#define CANDIDATES 4096		/* the newest calls: more would make an epoch as
				 * slow as the transcript is long */

/* ---- lines of files: does one call show what another did? ---- */

/* The lines that a call concerns; all of them if it does not say. */
static struct lines
lines_of(const struct fact *f)
{
	struct lines l = { f->file, f->first > 0 ? f->first : 1, f->last };

	if (l.last <= 0 || (l.first == 1 && l.last == f->lines))
		l.last = LONG_MAX;
	return l;
}

void
shown_add(struct shown *s, const struct view_call *call)
{
	const struct fact *f = call->note;

	if (f->kind != TOOL_READ || f->file == 0 || call->result == NULL ||
	    f->failed || f->listing || f->holes)
		return;
	GROW(s->v, s->n, s->cap);
	s->v[s->n++] = lines_of(f);
}

bool
shown_has_lines(const struct shown *s, const struct fact *f)
{
	struct lines want = lines_of(f);

	for (size_t i = 0; i < s->n; i++)
		if (s->v[i].file == want.file &&
		    s->v[i].first <= want.first && s->v[i].last >= want.last)
			return true;
	return false;
}

/* ---- worth ---- */

/* How much faster an item ages than an edit, whose new text the next edit has
 * to match. */
enum { OLDER_READ = 3, OLDER_COMMAND = 6, OLDER_OTHER = 12 };

struct item {
	size_t call;
	long age;		/* in messages, the lower the better */
};

static int
youngest_first(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	if (x->age != y->age)
		return x->age < y->age ? -1 : 1;
	return (x->call < y->call) - (x->call > y->call);
}

/* The calls that could be shown in full again, most valuable first, up to this
 * age.  A folded step brings back its whole message; one whose message is
 * several nodes stays folded. */
static struct item *
candidates(const struct compact *c, long oldest, size_t *n)
{
	const struct view *v = c->view;
	size_t cap = 0;
	struct item *all = NULL;
	long now = (long)v->records;

	*n = 0;
	for (size_t i = v->ncalls; i > 0 && v->ncalls - i < CANDIDATES; i--) {
		const struct view_call *call = &v->calls[i - 1];
		const struct fact *f = call->note;
		const struct subject *file = f->file > 0 ?
		    &c->files.v[f->file - 1] : NULL;
		size_t next = call->node + 1;
		long age = now - (long)f->at;

		/* was it run or written again since? */
		if (call->node >= c->epoch.slim || (f->command > 0 &&
		    c->commands.v[f->command - 1].touched > i) ||
		    (file != NULL && file->written > i))
			continue;
		if (call->node >= c->epoch.fold ? view_kept_sum(call) == 0 :
		    call->result == NULL || v->nodes[call->node].joins ||
		    (next < v->n && v->nodes[next].joins))
			continue;
		/* a file's text ages mostly from when the file was last
		 * touched */
		if (f->kind == TOOL_COMMAND || f->failed)
			age *= OLDER_COMMAND;
		else if (file == NULL)
			age *= OLDER_OTHER;
		else {
			const struct fact *last =
			    v->calls[file->touched - 1].note;

			age = (age + 2 * (now - (long)last->at)) / 3 *
			    (f->kind == TOOL_READ ? OLDER_READ : 1);
		}
		if (age > oldest)
			continue;
		GROW(all, *n, cap);
		all[(*n)++] = (struct item){ i - 1, age };
	}
	if (*n > 0)
		qsort(all, *n, sizeof *all, youngest_first);
	return all;
}

void
epoch_refill(struct compact *c)
{
	const struct view *v = c->view;
	const struct aim aim = epoch_aim(c);
	long room = epoch_low(c) - compact_size(c);
	size_t n;
	struct item *all = candidates(c, aim.oldest, &n);
	struct shown shown = { .n = 0 };

	for (size_t i = v->ncalls; i > 0 && v->calls[i - 1].node >=
	    c->epoch.slim; i--)
		shown_add(&shown, &v->calls[i - 1]);
	for (size_t i = 0; i < n; i++) {
		const struct view_call *call = &v->calls[all[i].call];
		const struct fact *f = call->note;
		bool folded = call->node < c->epoch.fold;
		uint64_t sum = view_kept_sum(call);

		if (folded && v->nodes[call->node].nkept == 0)
			sum += v->nodes[call->node].thin;
		long more = compact_tokens(c, sum) + 1;
		/* with low marks, older steps cost a fifth more fresh tokens
		 * for two points of edit support */
		long oldest = folded && c->set.strategy->low > 0 ?
		    FOLDED_AGE : aim.oldest;
		/* later reads do not replace an edit: its new text has no line
		 * numbers, and the next edit has to match it */
		if (more > room || all[i].age + all[i].age * more / AGE_TOKENS >
		    oldest || (f->kind == TOOL_READ && f->file > 0 &&
		    shown_has_lines(&shown, f)))
			continue;
		room -= more;
		c->changed = num_min(c->changed, call->node);
		view_keep(c->view, all[i].call, true);
		shown_add(&shown, call);
	}
	FREE(all, shown.v);
}

bool
epoch_drop_kept(struct compact *c)
{
	bool any = false;

	for (size_t i = c->view->ncalls; i > 0; i--) {
		const struct view_call *call = &c->view->calls[i - 1];

		if (!call->keep)
			continue;
		c->changed = num_min(c->changed, call->node);
		view_keep(c->view, i - 1, false);
		any = true;
	}
	return any;
}

/* ---- the last step ---- */

/* The next part that is no text; *sum is its estimate. */
static bool
next_image(const struct compact *c, struct walk *w, struct slice *part,
    uint64_t *sum)
{
	while (walk_next(w, NULL, part))
		if (scan_kind(scan_get(*part, "text")) != SCAN_STRING) {
			*sum = view_part_sum(c->family, *part);
			return true;
		}
	return false;
}

void
epoch_cut_one(struct compact *c, size_t i, long tokens)
{
	const struct view_call *call = &c->view->calls[i];
	struct slice result = slice_of(call->result), part;
	struct fact *f = call->note;
	struct buf json = BUF_INIT(BUF_RECORD_MAX), images = json;
	uint64_t room = (uint64_t)tokens * 64, sum;
	size_t skipped = 0;

	bufs_reset(BUFS(&c->tmp, &c->text));
	/* images first, as half of one is of no use, but some text stays */
	for (struct walk w = walk_elements(result);
	    next_image(c, &w, &part, &sum); ) {
		if (sum + CUT_LEAST * 64 > room) {
			skipped++;
			continue;
		}
		room -= sum;
		scan_put(&images, ",$", part);
	}
	bool cut = msg_text(result, &c->tmp) && budget_clip(&c->text,
	    buf_view(&c->tmp), (long)(room / 64), c->family);
	if (skipped > 0)
		buf_fmt(&c->text, "%s[%zu image%s left out: no room]",
		    c->text.len > 0 ? "\n" : "", skipped,
		    skipped == 1 ? "" : "s");
	cut |= skipped > 0;
	scan_put(&json, images.len == 0 ? "@" : "[{'type':'text','text':@}$]",
	    buf_view(&c->text), buf_view(&images));
	view_cut(c->view, i, !cut ? NULL : arena_dup(&c->view->arena, json.p,
	    json.len));
	f->cut_to = tokens;
	bufs_release(BUFS(&json, &images));
}

/* Show the images of results that were cut to `each` after all, the newest
 * first, as far as they fit. */
static void
keep_images(struct compact *c, size_t first, uint64_t each)
{
	struct slice part;

	for (size_t i = c->view->ncalls; i > first; i--) {
		const struct view_call *call = &c->view->calls[i - 1];
		struct walk w = walk_elements(slice_of(call->result));
		uint64_t all = 0, sum;

		while (call->cut != NULL && next_image(c, &w, &part, &sum))
			all += sum;
		if (all > 0 && compact_size(c) + compact_tokens(c, all) <=
		    epoch_ceiling(c))
			epoch_cut_one(c, i - 1, (long)((each + all) / 64));
	}
}

static int
lower_first(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

void
epoch_cut(struct compact *c, size_t from, long share)
{
	const struct view *v = c->view;
	size_t first = v->nodes[from].call, last = v->ncalls;
	size_t n = last - first;
	uint64_t *size = xcalloc(n + 1, sizeof *size), each = UINT64_MAX;
	uint64_t all = 0, largest = 0;

	for (size_t i = 0; i < n; i++) {
		const struct view_call *call = &v->calls[first + i];
		const struct fact *f = call->note;

		size[i] = call->text;
		all += call->text;
		if (f->kind == TOOL_READ && call->text > largest)
			largest = call->text;
	}
	qsort(size, n, sizeof *size, lower_first);
	/* this share of B, or the size of the largest file text as far as the
	 * rest of the view leaves room, if the other results fit in the
	 * share */
	long tokens = percent_of(epoch_window(c), share);
	if (compact_tokens(c, all - largest) <= tokens) {
		long rest = epoch_ceiling(c) - (compact_size(c) -
		    compact_tokens(c, all));
		long file = compact_tokens(c, largest);

		if (file > rest)
			file = rest;
		if (file > tokens)
			tokens = file;
	}
	uint64_t most = (uint64_t)tokens * 64 * 1024 / (uint64_t)c->ratio;
	uint64_t room = most / 2;	/* for the newest notes */
	for (size_t i = v->n; i > from; i--) {
		uint64_t notes = v->nodes[i - 1].notes;

		if (notes > room) {
			view_skip_notes(c->view, i - 1,
			    view_notes_over(v, i - 1, room));
			notes = room;
		}
		room -= notes;
		most -= notes;
	}
	/* the largest size each may have so that all together fit */
	for (size_t i = 0; i < n && each == UINT64_MAX; i++) {
		if (size[i] > most / (n - i))
			each = most / (n - i);
		else
			most -= size[i];
	}
	free(size);
	if (each < CUT_LEAST * 64)
		each = CUT_LEAST * 64;
	for (size_t i = first; i < last; i++)
		if (v->calls[i].text > each)
			epoch_cut_one(c, i, (long)(each / 64));
	keep_images(c, first, each);
}
