/* needs.c - what a request must not lose. */
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "msg.h"
#include "utf8.h"

#include "deed.h"
#include "needs.h"

#define TASK_BYTES 300

/* ---- the index ----
 *
 * By the first eight bytes, or all of a shorter text: how long those are that
 * begin so.  Which of them stands at a place tells the map of all texts.
 */

enum { HEAD = 8, BITS = 18 };

struct start {
	uint64_t head;
	size_t n;		/* bytes of it */
	size_t *lengths, nlengths, cap;
	size_t next;		/* of the same hash, + 1 */
};

struct needs_index {
	struct start *v;
	size_t n, cap;
	size_t *first, size;	/* by hash: index + 1 */
	bool shorter[HEAD];	/* there are texts of so many bytes */
	uint64_t bits[(1 << BITS) / 64];	/* hashes that occur */
};

static uint64_t
hash_of(uint64_t head, size_t n)
{
	uint64_t h = (head ^ (uint64_t)n << 60 ^ n) * 0x9e3779b97f4a7c15u;

	return h ^ h >> 32;
}

static uint64_t
head_at(const char *p, size_t n)
{
	uint64_t x = 0;

	memcpy(&x, p, n < HEAD ? n : HEAD);
	return x;
}

static struct start *
start_of(const struct needs_index *x, uint64_t head, size_t n)
{
	uint64_t h = hash_of(head, n);

	if ((x->bits[h % (1 << BITS) / 64] >> h % 64 & 1) == 0)
		return NULL;
	for (size_t i = x->first[h & (x->size - 1)]; i > 0;
	    i = x->v[i - 1].next)
		if (x->v[i - 1].head == head && x->v[i - 1].n == n)
			return &x->v[i - 1];
	return NULL;
}

static void
hang(struct needs_index *x, size_t i)
{
	struct start *start = &x->v[i];
	uint64_t h = hash_of(start->head, start->n);

	x->bits[h % (1 << BITS) / 64] |= (uint64_t)1 << h % 64;
	start->next = x->first[h & (x->size - 1)];
	x->first[h & (x->size - 1)] = i + 1;
}

static struct start *
new_start(struct needs_index *x, uint64_t head, size_t n)
{
	x->v = xgrow(x->v, x->n, &x->cap, sizeof *x->v);
	x->v[x->n++] = (struct start){ .head = head, .n = n };
	if (n < HEAD)
		x->shorter[n] = true;
	if (x->n <= x->size / 2) {
		hang(x, x->n - 1);
		return &x->v[x->n - 1];
	}
	free(x->first);
	x->size = x->size > 0 ? x->size * 4 : 256;
	x->first = xcalloc(x->size, sizeof *x->first);
	for (size_t i = 0; i < x->n; i++)
		hang(x, i);
	return &x->v[x->n - 1];
}

static void
enter(struct needs *s, struct slice text)
{
	size_t n = text.n < HEAD ? text.n : HEAD;
	uint64_t head = head_at(text.p, n);
	struct start *start;

	if (s->index == NULL)
		s->index = xcalloc(1, sizeof *s->index);
	start = start_of(s->index, head, n);
	if (start == NULL)
		start = new_start(s->index, head, n);
	for (size_t i = 0; i < start->nlengths; i++)
		if (start->lengths[i] == text.n)
			return;
	start->lengths = xgrow(start->lengths, start->nlengths, &start->cap,
	    sizeof *start->lengths);
	start->lengths[start->nlengths++] = text.n;
}

static void
index_free(struct needs_index *x)
{
	if (x == NULL)
		return;
	for (size_t i = 0; i < x->n; i++)
		free(x->v[i].lengths);
	free(x->v);
	free(x->first);
	free(x);
}

struct search {
	const struct needs *s;
	struct slice words;
	void *self;
	void (*found)(void *self, size_t need, size_t at);
};

/* Those that begin here with these n bytes. */
static inline void
search_at(const struct search *f, size_t at, uint64_t head, size_t n)
{
	const struct start *start = start_of(f->s->index, head, n);

	for (size_t i = 0; start != NULL && i < start->nlengths; i++) {
		const uint64_t *need;

		if (start->lengths[i] > f->words.n - at)
			continue;
		need = map_get(&f->s->by_text, (struct slice){
			f->words.p + at, start->lengths[i] });
		if (need != NULL)
			f->found(f->self, (size_t)*need - 1, at);
	}
}

void
needs_find(const struct needs *s, struct slice words, size_t from,
    void *self, void (*found)(void *self, size_t need, size_t at))
{
	struct search f = { s, words, self, found };
	size_t lengths[HEAD], n = 0;

	if (s->index == NULL)
		return;
	for (size_t k = 1; k < HEAD; k++)
		if (s->index->shorter[k])
			lengths[n++] = k;
	for (size_t at = from; at < words.n; at++) {
		size_t left = words.n - at;
		uint64_t head = left >= HEAD ? head_at(words.p + at, HEAD) :
		    0;

		if (left >= HEAD)
			search_at(&f, at, head, HEAD);
		for (size_t k = 0; k < n && lengths[k] <= left; k++)
			search_at(&f, at, head_at(words.p + at, lengths[k]),
			    lengths[k]);
	}
}

/* ---- learning ---- */

static void
need(struct needs *s, enum need_kind kind, struct slice text)
{
	struct need *new;
	uint64_t *at;

	at = map_put(&s->by_text, text, NULL);
	if (*at == 0) {
		s->v = xgrow(s->v, s->n, &s->cap, sizeof *s->v);
		s->v[s->n++] = (struct need){ .text = xmemdup0(text.p,
			text.n), .n = text.n };
		*at = s->n;
		enter(s, text);
	}
	new = &s->v[*at - 1];
	new->weight[kind]++;
	s->all[kind]++;
	s->said[kind] += new->said;
	s->results[kind] += new->result > 0;
	s->log = xgrow(s->log, s->nlog, &s->caplog, sizeof *s->log);
	s->log[s->nlog++] = (struct need_event){ (size_t)*at - 1, kind };
}

/* A path, or a line of an error: once. */
static void
need_once(struct needs *s, enum need_kind kind, struct slice text)
{
	char *key;
	bool fresh;

	if (text.n == 0)
		return;
	key = xasprintf("%d %.*s", kind, (int)text.n, text.p);
	map_put(&s->seen, slice_of(key), &fresh);
	free(key);
	if (fresh)
		need(s, kind, text);
}

static void
take_user(struct needs *s, const struct rec *r)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);
	struct slice text;

	if (msg_is_person(r))
		msg_text(rec_get(r, "content"), &b);
	text = buf_view(&b);
	while (text.n > 0 && strchr(" \t\r\n", text.p[text.n - 1]) != NULL)
		text.n--;
	if (text.n > 0) {
		if (s->nusers == 0)
			need(s, NEED_TASK, (struct slice){ text.p,
			    utf8_cut(text.p, text.n, TASK_BYTES) });
		need(s, NEED_USER, text);
		s->users[s->nusers++ % NEED_LAST] =
		    s->log[s->nlog - 1].need;
	}
	buf_release(&b);
}

static void
take_calls(struct needs *s, const struct rec *r)
{
	struct walk w;
	struct call c;

	walk_in(&w, rec_get(r, "tool_calls"));
	while (msg_next_call(&w, &c)) {
		struct deed d;

		deed_of(&d, &c);
		if (d.kind == TOOL_EDIT || d.kind == TOOL_WRITE)
			need_once(s, NEED_PATH, slice_of(d.path));
		if (c.id.p != NULL)
			*map_put(&s->commands, c.id, NULL) =
			    d.kind == TOOL_COMMAND;
		deed_release(&d);
	}
}

/* Of a result that failed, and of the output of a command. */
static void
take_result(struct needs *s, const struct rec *r)
{
	struct slice id = rec_get(r, "tool_call_id");
	const uint64_t *command = id.p != NULL ?
	    map_get(&s->commands, id) : NULL;
	enum tool_kind kind = command != NULL && *command != 0 ?
	    TOOL_COMMAND : TOOL_OTHER;
	struct buf b = BUF_INIT(BUF_RECORD_MAX);

	msg_text(rec_get(r, "content"), &b);
	if (kind == TOOL_COMMAND || deed_failed(r, kind, buf_view(&b)))
		need_once(s, NEED_ERROR, deed_error_line(buf_view(&b)));
	buf_release(&b);
}

void
needs_take(struct needs *s, const struct rec *r)
{
	switch (r->kind) {
	case R_USER: take_user(s, r); break;
	case R_ASSISTANT: take_calls(s, r); break;
	case R_TOOL: take_result(s, r); break;
	default: break;
	}
}

void
needs_reset(struct needs *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->v[i].text);
	free(s->v);
	free(s->log);
	index_free(s->index);
	map_release(&s->by_text);
	map_release(&s->seen);
	map_release(&s->commands);
	*s = (struct needs){ 0 };
}

/* ---- the plain view ---- */

struct place {
	struct needs *s;
	size_t message;
	bool result;
};

static void
count(size_t sums[NEED_KINDS], const struct need *need, bool more)
{
	for (int k = 0; k < NEED_KINDS; k++)
		sums[k] += more ? need->weight[k] : -need->weight[k];
}

/* Need i leaves the row of those that only results have. */
static void
unlink_need(struct needs *s, size_t i)
{
	struct need *need = &s->v[i];

	if (need->newer > 0)
		s->v[need->newer - 1].older = need->older;
	else
		s->newest = need->older;
	if (need->older > 0)
		s->v[need->older - 1].newer = need->newer;
	count(s->results, need, false);
	need->newer = need->older = need->result = 0;
}

static void
found_plain(void *self, size_t i, size_t at)
{
	const struct place *here = self;
	struct needs *s = here->s;
	struct need *need = &s->v[i];

	(void)at;
	if (need->said || (here->result && need->result ==
	    here->message + 1))
		return;
	if (need->result > 0)
		unlink_need(s, i);
	if (!here->result) {
		need->said = true;
		count(s->said, need, true);
		return;
	}
	need->result = here->message + 1;
	need->older = s->newest;
	if (s->newest > 0)
		s->v[s->newest - 1].newer = i + 1;
	s->newest = i + 1;
	count(s->results, need, true);
}

void
needs_plain(struct needs *s, const struct shot *plain, size_t first)
{
	for (size_t i = first; i < plain->n; i++) {
		struct place here = { s, i, plain->m[i].role == 't' };

		needs_find(s, (struct slice){ plain->words.p,
		    plain->m[i].words }, i > 0 ? plain->m[i - 1].words : 0,
		    &here, found_plain);
	}
}
