/* facts.c - facts, derived from their saves. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utc.h"
#include "json/scan.h"

#include "facts.h"

char *
tags_join(struct slice a, struct slice b)
{
	struct walk lists[] = { walk_elements(a), walk_elements(b) };
	struct buf out = BUF_INIT(BUF_RECORD_MAX);
	struct texts t = { .n = 0 };
	struct slice v;

	for (size_t i = 0; i < 2; i++)
		while (walk_next(&lists[i], NULL, &v))
			if (scan_kind(v) == SCAN_STRING)
				texts_add(&t, scan_strdup(v));
	if (t.n > 0)
		qsort(t.v, t.n, sizeof *t.v, text_order);
	for (size_t i = 0; i < t.n; i++)
		if (i == 0 || strcmp(t.v[i], t.v[i - 1]) != 0)
			scan_put(&out, i == 0 ? "[@" : ",@",
			    slice_of(t.v[i]));
	buf_adds(&out, t.n > 0 ? "]" : "[]");
	texts_release(&t);
	return buf_detach(&out);
}

/* ---- slots ---- */

/* The hash that replaces the name of a forgotten slot. */
#define SLOT(name) "short_hash('slot:' || " name ")"

/* The saves of a slot, and the latest of those that are gone from it. */
#define OF_SLOT "(SELECT time, key FROM saved WHERE slot = ?1 UNION ALL " \
	"SELECT time, key FROM gone WHERE slot = " SLOT("?1") ")"

/* gone has one mark per slot: the latest save superseded or forgotten. */
#define RAISE " ON CONFLICT(slot) DO UPDATE SET time = excluded.time, " \
	"key = excluded.key WHERE (excluded.time, excluded.key) > (time, key)"

int
saves_forgotten(struct store *st, const char *key, int64_t *time,
    struct err *e)
{
	*time = WHEN_NONE;
	return db_int(st->db, e, time, "SELECT time FROM forgotten "
	    "WHERE key = ?1", "t", key) < 0 ? -1 : 0;
}

/* Remove the saves of a slot that a later save of another fact supersedes.  The
 * slot's mark stays, so that it also supersedes older saves that are imported
 * later. */
static int
settle_slot(struct store *st, struct slice slot, struct err *e)
{
	int got;

	if (db_run(st->db, e, "INSERT INTO gone(slot, key, time) "
	    "SELECT " SLOT("?1") ", key, time FROM saved WHERE slot = ?1 AND "
	    "key <> (SELECT key FROM " OF_SLOT " ORDER BY time DESC, key DESC "
	    "LIMIT 1) ORDER BY time DESC, key DESC LIMIT 1" RAISE, "s",
	    slot) < 0)
		return -1;
	struct st *s = db_query(st->db, e, "DELETE FROM saved WHERE slot = ?1 "
	    "AND (time, key) <= (SELECT time, key FROM gone WHERE slot = "
	    SLOT("?1") ") RETURNING key", "s", slot);
	while ((got = st_step(s, e)) > 0)
		texts_add(&st->lost, st_col_dup(s, 0));
	return got;
}

/* ---- saving and forgetting ---- */

int
saves_add_fallen(struct store *st, const char *key, const struct save *s,
    struct err *e)
{
	struct slice slot = slice_of(s->slot);

	return slot.n == 0 ? 0 : db_run(st->db, e, "INSERT INTO gone(slot, "
	    "key, time) VALUES(" SLOT("?1") ", ?2, ?3)" RAISE, "sti", slot,
	    key, s->time) < 0 ? -1 : settle_slot(st, slot, e);
}

int
saves_add_gone(struct store *st, const char *hash, const char *key,
    int64_t time, struct err *e)
{
	st->late = true;
	return db_run(st->db, e, "INSERT INTO gone(slot, key, time) "
	    "VALUES(?1, ?2, ?3)" RAISE, "tti", hash, key, time) < 0 ? -1 : 0;
}

int
saves_add(struct store *st, const char *key, const struct save *s,
    struct err *e)
{
	int64_t forgotten;

	if (saves_forgotten(st, key, &forgotten, e) < 0)
		return -1;
	if (forgotten != WHEN_NONE && s->time <= forgotten)
		return saves_add_fallen(st, key, s, e);
	struct st *q = db_query(st->db, e, "SELECT tags FROM saved WHERE "
	    "key = ?1 AND time = ?2 AND slot = ?3", "tit", key, s->time,
	    s->slot);
	int r = st_step(q, e);
	char *tags = tags_join(r > 0 ? st_col(q, 0) : slice_of(NULL), s->tags);
	st_done(q);
	if (r >= 0)
		r = db_run(st->db, e, "INSERT OR REPLACE INTO saved(key, "
		    "time, slot, tags) VALUES(?1, ?2, ?3, ?4)", "titt", key,
		    s->time, s->slot, tags);
	free(tags);
	return r < 0 || s->slot[0] == '\0' ? r :
	    settle_slot(st, slice_of(s->slot), e);
}

int
saves_mark_forgotten(struct store *st, const char *key, int64_t time,
    struct err *e)
{
	return db_run(st->db, e, "INSERT INTO forgotten(key, time) "
	    "VALUES(?1, ?2) ON CONFLICT(key) DO UPDATE SET "
	    "time = max(time, excluded.time)", "ti", key, time);
}

int
saves_export(struct store *st, const char *key, bool gone, bool lost,
    struct buf *out, struct err *e)
{
	struct buf list = BUF_INIT(BUF_RECORD_MAX);
	struct st *s = db_query(st->db, e, gone ?
	    "SELECT 0, 0, slot, time, NULL, NULL FROM gone WHERE key = ?1 "
	    "ORDER BY slot" :
	    "SELECT 0, time, slot, time, tags, NULL FROM saved WHERE key = ?1 "
	    "UNION ALL SELECT DISTINCT 1, 0, s.slot, g.time, NULL, "
	    "'m:' || g.key FROM saved s JOIN gone g ON g.slot = "
	    SLOT("s.slot") " WHERE s.key = ?1 AND s.slot <> '' AND "
	    "g.key <> ?1 ORDER BY 1, 2, 3", "t", key);
	char time[UTC_SIZE];
	int n = 0, got;

	for (; (got = st_step(s, e)) > 0; n++) {
		struct slice slot = st_col(s, 2);

		scan_put(&list, n > 0 ? ",{'time':?" : "{'time':?",
		    when_text(st_col_int(s, 3), time));
		if (!st_col_null(s, 4))
			scan_put(&list, ",'tags':$", st_col(s, 4));
		if (!st_col_null(s, 5))
			scan_put(&list, ",'key':@", st_col(s, 5));
		scan_put(&list, ",'slot':?}", slot.n > 0 ? slot :
		    slice_of(NULL));
	}
	/* the item itself shows one save */
	if (got == 0 && n > (gone || lost ? 0 : 1))
		scan_put(out, "[$]", buf_view(&list));
	buf_release(&list);
	return got;
}

/* ---- facts ---- */

/* Set the time, tags and slot of the fact from its saves.  Returns the number
 * of saves, or -1 with e. */
static int
fold(struct store *st, const char *key, struct item *it, struct err *e)
{
	struct st *s = db_query(st->db, e, "SELECT count(*), min(time), "
	    "(SELECT slot FROM saved WHERE key = ?1 AND slot <> '' "
	    "ORDER BY time DESC, slot DESC LIMIT 1), "
	    "(SELECT nullif(json_group_array(value), '[]') FROM (SELECT "
	    "DISTINCT value FROM saved s, json_each(iif(json_valid(tags), "
	    "tags, '[]')) WHERE s.key = ?1 ORDER BY value)) "
	    "FROM saved WHERE key = ?1", "t", key);

	if (st_step(s, e) < 0)
		return -1;
	int n = (int)st_col_int(s, 0);
	it->time = st_col_int(s, 1);
	it->slot = st_col_dup(s, 2);
	it->tags = st_col_dup(s, 3);
	st_done(s);
	return n;
}

static int
settle(struct store *st, const char *key, struct slice text, struct err *e)
{
	struct item it = { .kind = KIND_FACT };
	struct buf had = BUF_INIT(BUF_RECORD_MAX);
	int64_t row = 0;		/* of what is stored of it; 0: none */
	bool same = false;
	int n = fold(st, key, &it, e), r = -1;
	struct st *s = n < 0 ? NULL : db_query(st->db, e, "SELECT id, "
	    "(time, tags, slot) IS (?2, ?3, ?4) FROM item WHERE key = ?1 AND "
	    "kind = 1", "titt", key, it.time, it.tags, it.slot);
	int got = st_step(s, e);

	if (got > 0) {
		row = st_col_int(s, 0);
		same = st_col_int(s, 1) != 0;
		st_done(s);
		got = store_text(st, row, &had, e);
		if (text.p == NULL || strcmp(buf_view(&had).p, text.p) <= 0)
			text = buf_view(&had);
		else
			same = false;
	} else if (got == 0 && n > 0 && text.p != NULL) {
		/* a message that an imported line put in its place */
		got = db_int(st->db, e, &row, "SELECT id FROM item WHERE "
		    "key = ?1", "t", key);
	}
	if (got < 0) {
		r = -1;
	} else if (n == 0) {
		st->gone += row > 0;
		r = row > 0 ? store_drop(st, row, e) : 0;
	} else if (text.p == NULL || same) {
		r = 0;			/* no text known, or no change */
	} else if (row == 0 || store_drop(st, row, e) == 0) {
		snprintf(it.id, sizeof it.id, "m:%s", key);
		it.text = xmemdup0(text.p, text.n);
		it.len = text.n;
		r = store_add(st, &it, e);
	}
	item_release(&it);
	buf_release(&had);
	return r;
}

int
facts_update(struct store *st, const char *key, struct slice text,
    struct err *e)
{
	int r = 0;

	for (size_t i = 0; i < st->lost.n && r == 0; i++)
		if (strcmp(st->lost.v[i], key) != 0)
			r = settle(st, st->lost.v[i], slice_of(NULL), e);
	texts_release(&st->lost);
	return r < 0 || *key == '\0' ? r : settle(st, key, text, e);
}

int
facts_drop_gone(struct store *st, struct err *e)
{
	int got;
	struct st *s = db_query(st->db, e, "DELETE FROM saved WHERE slot <> '' "
	    "AND EXISTS (SELECT 1 FROM gone g WHERE g.slot = "
	    SLOT("saved.slot") " AND (saved.time, saved.key) <= (g.time, "
	    "g.key)) RETURNING key", "");

	while ((got = st_step(s, e)) > 0)
		texts_add(&st->lost, st_col_dup(s, 0));
	return got < 0 ? -1 : facts_update(st, "", slice_of(NULL), e);
}

int
facts_forget(struct store *st, const char *key, int64_t time, struct err *e)
{
	int r = saves_mark_forgotten(st, key, time, e);

	/* in each slot, keep its latest save to compare later ones with */
	if (r == 0)
		r = db_run(st->db, e, "INSERT INTO gone(slot, key, time) "
		    "SELECT " SLOT("slot") ", key, max(time) FROM saved "
		    "WHERE key = ?1 AND time <= ?2 AND slot <> '' "
		    "GROUP BY slot" RAISE, "ti", key, time);
	struct st *s = r < 0 ? NULL : db_query(st->db, e, "DELETE FROM saved "
	    "WHERE key = ?1 AND time <= ?2 RETURNING slot", "ti", key, time);
	while (r == 0 && (r = st_step(s, e)) > 0)
		r = st_col(s, 0).n == 0 ? 0 :
		    settle_slot(st, st_col(s, 0), e);
	st_done(s);
	return r < 0 ? -1 : facts_update(st, key, slice_of(NULL), e);
}

/* ---- save ---- */

static int
save(struct store *st, struct item *fact, struct err *e)
{
	struct save s = { .slot = fact->slot != NULL ? fact->slot : "",
		.tags = slice_of(fact->tags), .time = utc_now() };
	const char *key = fact->id + 2;
	int64_t forgotten;

	if (saves_forgotten(st, key, &forgotten, e) < 0)
		return -1;
	if (forgotten >= s.time)
		s.time = forgotten + 1;
	int r = 0;
	if (fact->slot != NULL) {
		/* the slot's fact is replaced, even if it was also saved
		 * without the slot */
		struct st *q = db_query(st->db, e, "SELECT time, key, (SELECT "
		    "max(time) FROM saved WHERE key = t.key AND EXISTS (SELECT "
		    "1 FROM saved WHERE key = t.key AND slot = '')) FROM "
		    OF_SLOT " t ORDER BY time DESC, key DESC LIMIT 1", "t",
		    fact->slot);
		char *top = NULL;
		int64_t last = DB_NULL;

		r = st_step(q, e);
		if (r > 0 && !slice_is(st_col(q, 1), key)) {
			if (st_col_int(q, 0) >= s.time)
				s.time = st_col_int(q, 0) + 1;
			last = st_col_int(q, 2);
			top = st_col_dup(q, 1);
		}
		st_done(q);
		if (last != DB_NULL)
			r = facts_forget(st, top, last, e);
		free(top);
	}
	if (r >= 0)
		r = saves_add(st, key, &s, e);
	if (r == 0)
		r = facts_update(st, key, (struct slice){ fact->text,
		    fact->len }, e);
	st->gone = 0;	/* what a save replaces need not leave the file */
	return r;
}

int
store_save(struct store *st, struct item *fact, struct err *e)
{
	/* a fact is stored only here: it must survive a power failure */
	if (db_durable(st->db, e) < 0 || store_begin(st, e) < 0)
		return -1;
	return store_end(st, save(st, fact, e), e);
}
