/* brief.c - the facts that a new session should begin with. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "find/find.h"
#include "base/map.h"
#include "base/mem.h"
#include "options/where.h"
#include "show.h"
#include "tokens/token.h"

#define BRIEF_TOKENS 1000
#define BRIEF_HITS 50
#define LINE_CHARS 1000		/* of one fact */

struct fact {
	char id[MEMID_SIZE];
	struct store *st;
	int64_t row, time;
};

struct facts {
	struct store *st;	/* where list_fact is */
	struct fact *f;
	size_t n, cap;
	struct map seen;
};

static void
add(struct facts *x, const char *id, struct store *st, int64_t row,
    int64_t time)
{
	struct fact *f;
	bool fresh;

	map_put(&x->seen, slice_of(id), &fresh);
	if (!fresh)
		return;
	GROW(x->f, x->n, x->cap);
	f = &x->f[x->n++];
	memcpy(f->id, id, sizeof f->id);
	f->st = st;
	f->row = row;
	f->time = time;
}

static bool
list_fact(void *ctx, const struct listed *l)
{
	struct facts *x = ctx;

	add(x, l->id, x->st, l->row, l->time);
	return true;
}

static int
by_time(const void *pa, const void *pb)
{
	const struct fact *a = pa, *b = pb;

	if (a->time != b->time)
		return a->time > b->time ? -1 : 1;
	return strcmp(a->id, b->id);
}

/* Those that match the task, then the others, newest first. */
static int
collect(struct facts *x, struct store *st, size_t n, struct slice task,
    struct err *e)
{
	struct find f = { .query = task, .max = BRIEF_HITS,
		.kind = KIND_FACT, .since = WHEN_NONE };
	struct hits hits = { .n = 0 };
	size_t matching;

	if (find_hits(st, n, &f, &hits, e) < 0) {
		hits_release(&hits);
		return -1;
	}
	for (size_t i = 0; i < hits.n; i++)
		add(x, hits.h[i].id, hits.h[i].from, hits.h[i].row, 0);
	hits_release(&hits);
	matching = x->n;
	for (size_t i = 0; i < n; i++) {
		x->st = &st[i];
		if (find_list(&st[i], KIND_FACT, list_fact, x, e) < 0)
			return -1;
	}
	if (x->n > matching)
		qsort(x->f + matching, x->n - matching, sizeof *x->f,
		    by_time);
	return 0;
}

/* Lines until the tokens are used up; a fact that does not fit is left out,
 * a smaller one behind it may fit. */
static int
print(const struct facts *x, size_t max, struct rec_out *out, struct err *e)
{
	struct buf text = BUF_INIT(BUF_RECORD_MAX), line = BUF_INIT(1 << 20);
	uint64_t left = BRIEF_TOKENS;
	int r = 0;

	for (size_t i = 0, n = 0; i < x->n && n < max && left > 10; i++) {
		uint64_t cost;

		bufs_reset(BUFS(&text, &line));
		r = store_text(x->f[i].st, x->f[i].row, &text, e);
		if (r < 0)
			break;
		buf_fmt(&line, "%s ", x->f[i].id);
		show_line(buf_view(&text), LINE_CHARS, &line);
		cost = token_count(TOK_MODERN, line.p, line.len) + 1;
		if (cost > left)
			continue;
		left -= cost;
		n++;
		rec_put(out, buf_view(&line));
	}
	bufs_release(BUFS(&text, &line));
	return r;
}

int
command_brief(const struct opts *o, struct err *e)
{
	struct buf task = BUF_INIT((size_t)8 << 20);
	struct facts x = { .n = 0 };
	struct store st[MEMORIES];
	struct rec_out out;
	size_t n = 0;
	int r;

	opts_words(o, &task);
	rec_out_init(&out);
	r = where_open(o, DB_READ, st, &n, e);
	if (r == 0)
		r = collect(&x, st, n, buf_view(&task), e);
	if (r == 0)
		r = print(&x, o->max != 0 ? o->max : SIZE_MAX, &out, e);
	if (r == 0)
		r = rec_end(&out, e);
	where_close(st, n);
	map_release(&x.seen);
	free(x.f);
	buf_release(&task);
	return r;
}
