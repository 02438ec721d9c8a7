/* export.c - a memory as lines. */
#include <stdio.h>

#include "json.h"

#include "port.h"
#include "saves.h"

static void
put_text(struct json *o, const char *name, struct slice v)
{
	if (v.p != NULL)
		json_slice(o, name, v);
	else
		json_null(o, name);
}

static void
put_time(struct json *o, struct st *s, int i)
{
	char text[WHEN_SIZE];

	if (st_col_null(s, i)) {
		json_null(o, "time");
		return;
	}
	when_print(st_col_int(s, i), text);
	json_str(o, "time", text);
}

enum { KEY, KIND, ROW, SESSION, LINE, ROLE, NAME, PATH, TIME, TAGS, SLOT };

static const char *
kind_name(int64_t kind)
{
	return kind == KIND_FACT ? "fact" : kind == KIND_MESSAGE ? "message" :
	    "forgotten";
}

/* A memory of the first version, opened for reading, has no table of saves: its
 * columns say all. */
static int
has_saves(struct store *st, struct err *e)
{
	return st_any(db_st(st->db, "SELECT 1 FROM sqlite_master WHERE "
	    "name = 'saved'", e), e);
}

/* What is not in the columns, and is said only when it is more. */
static int
put_saves(struct store *st, struct json *o, const char *key, int64_t kind,
    struct err *e)
{
	struct buf list = BUF_INIT(BUF_RECORD_MAX);
	int r = 0;

	if (kind == KIND_FACT)
		r = saves_list(st, key, &list, e);
	else if (kind != KIND_MESSAGE)
		r = saves_list_gone(st, key, &list, e);
	if (r == 0 && list.len > 0)
		json_raw(o, "saves", buf_view(&list));
	buf_release(&list);
	return r;
}

static int
put_one(struct store *st, struct st *s, bool saves, struct buf *out,
    struct err *e)
{
	struct buf text = BUF_INIT((size_t)512 << 20);
	struct json *o = json_object();
	struct slice key = st_col(s, KEY);
	int64_t kind = st_col_int(s, KIND);
	char id[MEMID_SIZE];
	int r = 0;

	snprintf(id, sizeof id, "m:%.*s", (int)key.n, key.p);
	json_str(o, "type", "memory");
	json_int(o, "v", 1);
	json_str(o, "key", id);
	json_str(o, "kind", kind_name(kind));
	put_text(o, "session", st_col(s, SESSION));
	if (st_col_null(s, LINE))
		json_null(o, "line");
	else
		json_int(o, "line", st_col_int(s, LINE));
	put_text(o, "role", st_col(s, ROLE));
	put_text(o, "name", st_col(s, NAME));
	put_text(o, "path", st_col(s, PATH));
	put_time(o, s, TIME);
	json_raw(o, "tags", st_col_null(s, TAGS) ? SLICE("[]") :
	    st_col(s, TAGS));
	put_text(o, "slot", st_col(s, SLOT));
	if (!st_col_null(s, ROW))
		r = store_text(st, st_col_int(s, ROW), &text, e);
	if (st_col_null(s, ROW))
		json_null(o, "content");
	else
		json_slice(o, "content", text.len > 0 ? buf_view(&text) :
		    SLICE(""));
	if (r == 0 && saves)
		r = put_saves(st, o, id + 2, kind, e);
	if (r == 0)
		json_print(o, out);
	json_free(o);
	buf_release(&text);
	return r;
}

int
port_export(struct store *st, port_fn *fn, void *ctx, struct err *e)
{
	struct st *s = db_st(st->db, "SELECT key, kind, id, session, line, "
	    "role, name, path, time, tags, slot FROM item UNION ALL "
	    "SELECT key, 3, NULL, NULL, NULL, NULL, NULL, NULL, time, NULL, "
	    "NULL FROM forgotten ORDER BY 1, 2", e);
	struct buf line = BUF_INIT((size_t)1 << 40);
	int got, saves = s != NULL ? has_saves(st, e) : -1;

	if (saves < 0)
		return -1;
	while ((got = st_step(s, e)) > 0) {
		buf_reset(&line);
		if (put_one(st, s, saves > 0, &line, e) < 0 ||
		    fn(ctx, buf_view(&line), e) < 0) {
			got = -1;
			break;
		}
	}
	st_done(s);
	buf_release(&line);
	return got < 0 ? -1 : 0;
}
