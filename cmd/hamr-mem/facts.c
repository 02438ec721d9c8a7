/* facts.c - facts: saved once, in a slot or not, with all their tags. */
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "map.h"
#include "mem.h"
#include "scan.h"
#include "store.h"

/* The tags of both JSON arrays, those of a first, none twice; NULL: none. */
static char *
join_tags(struct slice a, const char *b)
{
	struct slice both[] = { a, b != NULL ? slice_of(b) : SLICE("[]") }, v;
	struct buf out = BUF_INIT(FACT_MAX * 2);
	struct json *list = json_array();
	struct map seen = { 0 };
	struct walk w;
	bool fresh;

	for (size_t i = 0; i < 2; i++) {
		if (both[i].p == NULL)
			continue;
		walk_in(&w, both[i]);
		while (walk_next(&w, NULL, &v)) {
			map_put(&seen, v, &fresh);
			if (fresh)
				json_raw(list, NULL, v);
		}
	}
	if (!json_empty(list))
		json_print(list, &out);
	json_free(list);
	map_release(&seen);
	return out.len > 0 ? buf_detach(&out) : NULL;
}

/* If the fact is there already, take over what it has and take it out. */
static int
merge_old(struct store *st, struct item *fact, struct err *e)
{
	struct st *s = db_st(st->db, "SELECT id, tags, slot, time FROM item "
	    "WHERE key = ?1", e);
	struct slice slot;
	char *tags;
	int64_t row;
	int got;

	if (s == NULL)
		return -1;
	st_text(s, 1, fact->id + 2);
	got = st_step(s, e);
	if (got <= 0)
		return got;
	row = st_col_int(s, 0);
	tags = join_tags(st_col(s, 1), fact->tags);
	free(fact->tags);
	fact->tags = tags;
	slot = st_col(s, 2);
	if (fact->slot == NULL && slot.p != NULL)
		fact->slot = xmemdup0(slot.p, slot.n);
	if (!st_col_null(s, 3))
		fact->time = st_col_int(s, 3);
	st_done(s);
	return store_drop(st, row, e);
}

static int
drop_slot(struct store *st, const char *slot, struct err *e)
{
	struct st *s = db_st(st->db, "SELECT id FROM item WHERE slot = ?1",
	    e);
	int64_t row;
	int got;

	if (s == NULL)
		return -1;
	st_text(s, 1, slot);
	got = st_step(s, e);
	if (got <= 0)
		return got;
	row = st_col_int(s, 0);
	st_done(s);
	return store_drop(st, row, e);
}

static int
save(struct store *st, struct item *fact, struct err *e)
{
	struct st *s;

	if (merge_old(st, fact, e) < 0)
		return -1;
	if (fact->slot != NULL && drop_slot(st, fact->slot, e) < 0)
		return -1;
	s = db_st(st->db, "DELETE FROM forgotten WHERE key = ?1", e);
	if (s == NULL)
		return -1;
	st_text(s, 1, fact->id + 2);
	return st_run(s, e) < 0 ? -1 : store_put(st, fact, e);
}

int
store_save(struct store *st, struct item *fact, struct err *e)
{
	bool good;

	/* a fact is nowhere else: it shall survive a power cut too */
	if (db_durable(st->db, e) < 0 ||
	    db_begin(st->db, e) < 0)
		return -1;
	good = save(st, fact, e) == 0;
	if (db_end(st->db, good, good ? e : NULL) < 0)
		return -1;
	return good ? 0 : -1;
}
