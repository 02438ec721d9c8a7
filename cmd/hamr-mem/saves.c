/* saves.c - when facts were saved, in which slots, and when forgotten. */
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "sha.h"

#include "saves.h"
#include "tags.h"

static void
add_key(struct keys *keys, struct slice key)
{
	keys->v = xgrow(keys->v, keys->n, &keys->cap, sizeof *keys->v);
	memset(keys->v[keys->n], 0, KEY_SIZE);
	memcpy(keys->v[keys->n++], key.p, key.n < KEY_SIZE ? key.n :
	    KEY_SIZE - 1);
}

/* What stands for a slot whose name was forgotten. */
static void
hash_slot(const char *slot, char out[SHA_HEX])
{
	char *text = xasprintf("slot:%s", slot);

	sha256_hex(text, strlen(text), out);
	out[12] = '\0';
	free(text);
}

/* ---- looking ---- */

static int
one_time(struct st *s, const char *key, int64_t *time, struct err *e)
{
	int got;

	*time = WHEN_NONE;
	if (s == NULL)
		return -1;
	st_text(s, 1, key);
	got = st_step(s, e);
	if (got > 0 && !st_col_null(s, 0))
		*time = st_col_int(s, 0);
	st_done(s);
	return got < 0 ? -1 : 0;
}

int
saves_forgotten(struct store *st, const char *key, int64_t *time,
    struct err *e)
{
	return one_time(db_st(st->db, "SELECT time FROM forgotten "
	    "WHERE key = ?1", e), key, time, e);
}

int
saves_last(struct store *st, const char *key, bool unslotted, int64_t *time,
    struct err *e)
{
	struct st *s = unslotted ?
	    db_st(st->db, "SELECT max(time) FROM saved WHERE key = ?1 AND "
	    "slot = ''", e) :
	    db_st(st->db, "SELECT max(time) FROM saved WHERE key = ?1", e);

	return one_time(s, key, time, e);
}

int
saves_top(struct store *st, const char *slot, int64_t *time,
    char key[KEY_SIZE], struct err *e)
{
	struct st *s = db_st(st->db, "SELECT time, key FROM ("
	    "SELECT time, key FROM saved WHERE slot = ?1 UNION ALL "
	    "SELECT time, key FROM gone WHERE slot = ?2) "
	    "ORDER BY time DESC, key DESC LIMIT 1", e);
	char hash[SHA_HEX];
	struct slice k;
	int got;

	if (s == NULL)
		return -1;
	hash_slot(slot, hash);
	st_text(s, 1, slot);
	st_text(s, 2, hash);
	got = st_step(s, e);
	if (got > 0) {
		*time = st_col_int(s, 0);
		k = st_col(s, 1);
		memset(key, 0, KEY_SIZE);
		memcpy(key, k.p, k.n < KEY_SIZE ? k.n : KEY_SIZE - 1);
	}
	st_done(s);
	return got;
}

static bool
is_later(int64_t at, const char *ak, int64_t bt, const char *bk)
{
	return at > bt || (at == bt && strcmp(ak, bk) > 0);
}

/* ---- slots ---- */

/* Run it with the slot, or its hash, and a key. */
static int
with_slot(struct st *s, const char *slot, const char *key, struct err *e)
{
	if (s == NULL)
		return -1;
	st_text(s, 1, slot);
	st_text(s, 2, key);
	return st_run(s, e);
}

/* The saves of a slot that are not of the fact with its latest one fall; and
 * what is gone is not worth a mark when something came later. */
static int
settle_slot(struct store *st, const char *slot, struct keys *lost,
    struct err *e)
{
	char key[KEY_SIZE], hash[SHA_HEX];
	int64_t time;
	struct st *s;
	int got = saves_top(st, slot, &time, key, e);

	if (got <= 0)
		return got;
	s = db_st(st->db, "SELECT DISTINCT key FROM saved WHERE slot = ?1 AND "
	    "key <> ?2", e);
	if (s == NULL)
		return -1;
	st_text(s, 1, slot);
	st_text(s, 2, key);
	while ((got = st_step(s, e)) > 0)
		add_key(lost, st_col(s, 0));
	if (got < 0 || with_slot(db_st(st->db, "DELETE FROM saved "
	    "WHERE slot = ?1 AND key <> ?2", e), slot, key, e) < 0)
		return -1;
	hash_slot(slot, hash);
	s = db_st(st->db, "DELETE FROM gone WHERE slot = ?1 AND EXISTS ("
	    "SELECT 1 FROM saved WHERE slot = ?2 AND time >= gone.time)", e);
	return with_slot(s, hash, slot, e);
}

/* One mark a slot, the latest. */
static int
raise_gone(struct store *st, const char *hash, const char *key, int64_t time,
    struct err *e)
{
	struct st *s = db_st(st->db, "INSERT INTO gone(slot, key, time) "
	    "VALUES(?1, ?2, ?3) ON CONFLICT(slot) DO UPDATE SET "
	    "time = excluded.time, key = excluded.key WHERE "
	    "(excluded.time, excluded.key) > (time, key)", e);

	if (s != NULL)
		st_int(s, 3, time);
	return with_slot(s, hash, key, e);
}

int
saves_gone(struct store *st, const char *hash, const char *key, int64_t time,
    struct keys *lost, struct err *e)
{
	struct st *s;
	char *slot = NULL, own[SHA_HEX];
	int got = 1, r = 0;

	if (raise_gone(st, hash, key, time, e) < 0)
		return -1;
	s = db_st(st->db, "SELECT DISTINCT slot FROM saved WHERE slot <> ''",
	    e);
	if (s == NULL)
		return -1;
	while (slot == NULL && (got = st_step(s, e)) > 0) {
		char *name = xmemdup0(st_col(s, 0).p, st_col(s, 0).n);

		hash_slot(name, own);
		if (strcmp(own, hash) == 0)
			slot = name;
		else
			free(name);
	}
	st_done(s);
	if (got < 0)
		r = -1;
	else if (slot != NULL)
		r = settle_slot(st, slot, lost, e);
	free(slot);
	return r;
}

/* ---- saving and forgetting ---- */

static int
insert(struct store *st, const char *key, const struct save *s,
    struct err *e)
{
	struct st *q = db_st(st->db, "SELECT tags FROM saved WHERE key = ?1 "
	    "AND time = ?2 AND slot = ?3", e);
	struct slice had = { NULL, 0 };
	char *tags;
	int r;

	if (q == NULL)
		return -1;
	st_text(q, 1, key);
	st_int(q, 2, s->time);
	st_text(q, 3, s->slot);
	r = st_step(q, e);
	if (r > 0)
		had = st_col(q, 0);
	tags = tags_join(had, s->tags);
	st_done(q);
	q = r < 0 ? NULL : db_st(st->db, "INSERT OR REPLACE INTO saved(key, "
	    "time, slot, tags) VALUES(?1, ?2, ?3, ?4)", e);
	if (q != NULL) {
		st_text(q, 1, key);
		st_int(q, 2, s->time);
		st_text(q, 3, s->slot);
		st_text(q, 4, tags);
	}
	r = st_run(q, e);
	free(tags);
	return r;
}

int
saves_add(struct store *st, const char *key, const struct save *s,
    struct keys *lost, struct err *e)
{
	char hash[SHA_HEX], top[KEY_SIZE];
	int64_t forgotten, time;
	int got = 0;

	if (saves_forgotten(st, key, &forgotten, e) < 0)
		return -1;
	if (forgotten != WHEN_NONE && s->time <= forgotten) {
		if (s->slot[0] == '\0')
			return 0;
		hash_slot(s->slot, hash);
		return raise_gone(st, hash, key, s->time, e) < 0 ? -1 :
		    settle_slot(st, s->slot, lost, e);
	}
	if (s->slot[0] != '\0')
		got = saves_top(st, s->slot, &time, top, e);
	if (got < 0)
		return -1;
	if (got > 0 && strcmp(top, key) != 0 &&
	    is_later(time, top, s->time, key))
		return 0;
	if (insert(st, key, s, e) < 0)
		return -1;
	return s->slot[0] == '\0' ? 0 : settle_slot(st, s->slot, lost, e);
}

int
saves_mark(struct store *st, const char *key, int64_t time, struct err *e)
{
	struct st *s = db_st(st->db, "INSERT INTO forgotten(key, time) "
	    "VALUES(?1, ?2) ON CONFLICT(key) DO UPDATE SET "
	    "time = max(time, excluded.time)", e);

	if (s == NULL)
		return -1;
	st_text(s, 1, key);
	st_int(s, 2, time);
	return st_run(s, e);
}

struct slots {
	char **v;
	size_t n, cap;
};

/* Its latest save in each slot, which other facts are measured by later on. */
static int
keep_slots(struct store *st, const char *key, int64_t time,
    struct slots *slots, struct err *e)
{
	struct st *s = db_st(st->db, "SELECT slot, max(time) FROM saved "
	    "WHERE key = ?1 AND time <= ?2 AND slot <> '' GROUP BY slot", e);
	char hash[SHA_HEX];
	int got;

	if (s == NULL)
		return -1;
	st_text(s, 1, key);
	st_int(s, 2, time);
	while ((got = st_step(s, e)) > 0) {
		char *slot = xmemdup0(st_col(s, 0).p, st_col(s, 0).n);

		slots->v = xgrow(slots->v, slots->n, &slots->cap,
		    sizeof *slots->v);
		slots->v[slots->n++] = slot;
		hash_slot(slot, hash);
		if (raise_gone(st, hash, key, st_col_int(s, 1), e) < 0)
			break;
	}
	st_done(s);
	return got == 0 ? 0 : -1;
}

int
saves_forget(struct store *st, const char *key, int64_t time,
    struct keys *lost, struct err *e)
{
	struct slots slots = { .n = 0 };
	struct st *s;
	int r = -1;

	if (saves_mark(st, key, time, e) < 0 ||
	    keep_slots(st, key, time, &slots, e) < 0)
		goto out;
	s = db_st(st->db, "DELETE FROM saved WHERE key = ?1 AND time <= ?2",
	    e);
	if (s == NULL)
		goto out;
	st_text(s, 1, key);
	st_int(s, 2, time);
	r = st_run(s, e);
	for (size_t i = 0; i < slots.n && r == 0; i++)
		r = settle_slot(st, slots.v[i], lost, e);
	add_key(lost, slice_of(key));
out:
	for (size_t i = 0; i < slots.n; i++)
		free(slots.v[i]);
	free(slots.v);
	return r;
}
