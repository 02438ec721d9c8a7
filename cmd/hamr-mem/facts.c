/* facts.c - facts, put together from their saves. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"

#include "facts.h"

/* ---- what is there ---- */

struct have {
	int64_t row;		/* 0: nothing */
	struct item it;
};

static char *
text_of(struct st *s, int i)
{
	struct slice v = st_col(s, i);

	return v.p != NULL ? xmemdup0(v.p, v.n) : NULL;
}

static int
look(struct store *st, const char *key, struct have *h, struct err *e)
{
	struct st *s = db_st(st->db, "SELECT id, time, tags, slot FROM item "
	    "WHERE key = ?1 AND kind = 1", e);
	struct buf text = BUF_INIT(BUF_RECORD_MAX);
	int got;

	*h = (struct have){ .row = 0 };
	if (s == NULL)
		return -1;
	st_text(s, 1, key);
	got = st_step(s, e);
	if (got > 0) {
		h->row = st_col_int(s, 0);
		h->it.time = st_col_null(s, 1) ? WHEN_NONE : st_col_int(s, 1);
		h->it.tags = text_of(s, 2);
		h->it.slot = text_of(s, 3);
		st_done(s);
		got = store_text(st, h->row, &text, e);
		h->it.len = text.len;
		h->it.text = xmemdup0(text.p, text.len);
	}
	buf_release(&text);
	return got < 0 ? -1 : 0;
}

static bool
same_text(const char *a, const char *b)
{
	return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

/* ---- what is to be there ---- */

static int
settle(struct store *st, const char *key, struct slice text, size_t *gone,
    struct err *e)
{
	struct item it = { .kind = KIND_FACT };
	struct have had;
	int n = saves_fold(st, key, &it, e), r = -1;

	if (n < 0 || look(st, key, &had, e) < 0) {
		item_release(&it);
		return -1;
	}
	if (had.row > 0 && (text.p == NULL ||
	    strcmp(had.it.text, text.p) <= 0))
		text = (struct slice){ had.it.text, had.it.len };
	if (n == 0) {
		*gone += had.row > 0;
		r = had.row > 0 ? store_drop(st, had.row, e) : 0;
	} else if (had.row > 0 && text.p == had.it.text &&
	    it.time == had.it.time && same_text(it.tags, had.it.tags) &&
	    same_text(it.slot, had.it.slot)) {
		r = 0;
	} else if (text.p != NULL && (had.row == 0 ||
	    store_drop(st, had.row, e) == 0)) {
		snprintf(it.id, sizeof it.id, "m:%s", key);
		it.text = xmemdup0(text.p, text.n);
		it.len = text.n;
		r = store_add(st, &it, e);
	}
	item_release(&it);
	item_release(&had.it);
	return r;
}

int
facts_settle(struct store *st, const struct keys *keys, const char *key,
    struct slice text, size_t *gone, struct err *e)
{
	size_t n = 0;

	if (gone == NULL)
		gone = &n;
	for (size_t i = 0; i < keys->n; i++)
		if (settle(st, keys->v[i], (struct slice){ NULL, 0 }, gone,
		    e) < 0)
			return -1;
	return key == NULL ? 0 : settle(st, key, text, gone, e);
}

int
facts_forget(struct store *st, const char *key, int64_t time, size_t *gone,
    struct err *e)
{
	struct keys lost = { .n = 0 };
	int r = saves_forget(st, key, time, &lost, e);

	if (r == 0)
		r = facts_settle(st, &lost, NULL, (struct slice){ NULL, 0 },
		    gone, e);
	free(lost.v);
	return r;
}

/* ---- save ---- */

/* Later than all it is to win over. */
static int
time_for(struct store *st, const char *key, const char *slot, int64_t *time,
    struct err *e)
{
	char top[KEY_SIZE];
	int64_t then;
	int got = 0;

	*time = when_now();
	if (saves_forgotten(st, key, &then, e) < 0)
		return -1;
	if (then >= *time)
		*time = then + 1;
	if (slot != NULL)
		got = saves_top(st, slot, &then, top, e);
	if (got > 0 && strcmp(top, key) != 0 && then >= *time)
		*time = then + 1;
	return got < 0 ? -1 : 0;
}

/* What is replaced goes, though it had been saved without the slot too. */
static int
replace(struct store *st, const char *key, const char *slot, struct err *e)
{
	char top[KEY_SIZE];
	int64_t time, plain, last;
	int got = saves_top(st, slot, &time, top, e);

	if (got <= 0 || strcmp(top, key) == 0)
		return got < 0 ? -1 : 0;
	if (saves_last(st, top, true, &plain, e) < 0 ||
	    saves_last(st, top, false, &last, e) < 0)
		return -1;
	return plain == WHEN_NONE ? 0 : facts_forget(st, top, last, NULL, e);
}

static int
save(struct store *st, struct item *fact, struct err *e)
{
	struct save s = { .slot = fact->slot != NULL ? fact->slot : "" };
	struct keys lost = { .n = 0 };
	const char *key = fact->id + 2;
	int r;

	if (fact->tags != NULL)
		s.tags = slice_of(fact->tags);
	if (time_for(st, key, fact->slot, &s.time, e) < 0 ||
	    (fact->slot != NULL && replace(st, key, fact->slot, e) < 0))
		return -1;
	r = saves_add(st, key, &s, &lost, e);
	if (r == 0)
		r = facts_settle(st, &lost, key,
		    (struct slice){ fact->text, fact->len }, NULL, e);
	free(lost.v);
	return r;
}

int
store_save(struct store *st, struct item *fact, struct err *e)
{
	bool good;

	/* a fact is nowhere else: it shall survive a power cut too */
	if (db_durable(st->db, e) < 0 || store_begin(st, e) < 0)
		return -1;
	good = save(st, fact, e) == 0;
	if (store_end(st, good, good ? e : NULL) < 0)
		return -1;
	return good ? 0 : -1;
}
