/* saves_fold.c - what the saves of a fact make of it, and how they are told. */
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "mem.h"

#include "saves.h"
#include "tags.h"

int
saves_fold(struct store *st, const char *key, struct item *it, struct err *e)
{
	struct st *s = db_st(st->db, "SELECT time, slot, tags FROM saved "
	    "WHERE key = ?1 ORDER BY time, slot", e);
	int n = 0, got;

	if (s == NULL)
		return -1;
	st_text(s, 1, key);
	while ((got = st_step(s, e)) > 0) {
		struct slice slot = st_col(s, 1);
		char *tags = tags_join(it->tags != NULL ? slice_of(it->tags) :
		    (struct slice){ NULL, 0 }, st_col(s, 2));

		free(it->tags);
		it->tags = tags;
		if (n++ == 0)
			it->time = st_col_int(s, 0);
		if (slot.n > 0) {
			free(it->slot);
			it->slot = xmemdup0(slot.p, slot.n);
		}
	}
	if (it->tags != NULL && strcmp(it->tags, "[]") == 0) {
		free(it->tags);
		it->tags = NULL;
	}
	return got < 0 ? -1 : n;
}

static void
put_save(struct json *list, int64_t ms, const char *slot, struct slice tags)
{
	struct json *o = json_object();
	char time[WHEN_SIZE];

	if (ms == WHEN_NONE) {
		json_null(o, "time");
	} else {
		when_print(ms, time);
		json_str(o, "time", time);
	}
	if (tags.p != NULL)
		json_raw(o, "tags", tags);
	if (slot[0] != '\0')
		json_str(o, "slot", slot);
	else
		json_null(o, "slot");
	json_add(list, NULL, o);
}

static int
list_saves(struct st *s, const char *key, int least, struct buf *out,
    struct err *e)
{
	struct json *list;
	int n = 0, got;

	if (s == NULL)
		return -1;
	list = json_array();
	st_text(s, 1, key);
	while ((got = st_step(s, e)) > 0) {
		char *slot = xmemdup0(st_col(s, 1).p, st_col(s, 1).n);

		put_save(list, st_col_int(s, 0), slot, st_col_null(s, 2) ?
		    (struct slice){ NULL, 0 } : st_col(s, 2));
		free(slot);
		n++;
	}
	if (got == 0 && n >= least)
		json_print(list, out);
	json_free(list);
	return got;
}

int
saves_list(struct store *st, const char *key, struct buf *out, struct err *e)
{
	return list_saves(db_st(st->db, "SELECT time, slot, tags FROM saved "
	    "WHERE key = ?1 ORDER BY time, slot", e), key, 2, out, e);
}

int
saves_list_gone(struct store *st, const char *key, struct buf *out,
    struct err *e)
{
	return list_saves(db_st(st->db, "SELECT time, slot, NULL FROM gone "
	    "WHERE key = ?1 ORDER BY slot", e), key, 1, out, e);
}
