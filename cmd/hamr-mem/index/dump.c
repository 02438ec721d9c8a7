/* dump.c - export a memory as lines, and import lines into a memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "store/facts.h"

#include "dump.h"

/* ---- export ---- */

#define ITEMS "SELECT key, kind, id, session, line, role, name, path, time, " \
	"tags, slot FROM item"
/* The facts of passages whose item is lost; their text says the key. */
#define TEXTS "SELECT NULL, 1, id >> 20, NULL, NULL, NULL, NULL, NULL, NULL, " \
	"NULL, NULL FROM passage WHERE id >= ?1 << 20 AND off = 0"
#define MARKS "SELECT key, 3, NULL, NULL, NULL, NULL, NULL, NULL, time, " \
	"NULL, NULL FROM forgotten"
#define PAGE_ROWS 256		/* the shortest row takes 16 bytes of 4096 */
#define MISSES 65536		/* rows in a row that cannot be read */
#define GAP (INT64_C(1) << 32)	/* a number that far away is damaged */
enum { FORGOTTEN = 3 };		/* the kind of MARKS */
enum { KEY, KIND, ROW, SESSION, LINE, ROLE, NAME, PATH, TIME, TAGS, SLOT };

/* Do the facts that were read, by key with their times, and by row, say that
 * this row is wrong or nothing new?  A fact that was forgotten since is not
 * there, so such a mark is a page of another table. */
static bool
is_known(const struct map *facts, const char *id, struct slice row,
    int64_t kind, int64_t time)
{
	const uint64_t *since = map_get(facts, slice_of(id));

	return (kind == KIND_FACT && (since != NULL ||
	    map_get(facts, row) != NULL)) || (kind == FORGOTTEN &&
	    since != NULL && *since <= (uint64_t)time);
}

/* A row of ITEMS, TEXTS or MARKS as a line. */
static void
row_line(struct st *s, const char *id, struct slice content,
    struct slice saves, struct buf *line)
{
	int64_t kind = st_col_int(s, KIND);
	char time[UTC_SIZE];

	scan_put(line, "{'type':'memory','v':1,'key':@,'kind':@,'session':?,"
	    "'line':$,'role':?,'name':?,'path':?,'time':?,'tags':$,'slot':?,"
	    "'content':?", slice_of(id), kind == KIND_FACT ? SLICE("fact") :
	    kind == KIND_MESSAGE ? SLICE("message") : SLICE("forgotten"),
	    st_col(s, SESSION), st_col_null(s, LINE) ? SLICE("null") :
	    st_col(s, LINE), st_col(s, ROLE), st_col(s, NAME),
	    st_col(s, PATH), when_text(st_col_int(s, TIME), time),
	    st_col_null(s, TAGS) ? SLICE("[]") : st_col(s, TAGS),
	    st_col(s, SLOT), content);
	scan_put(line, saves.n > 0 ? ",'saves':$}" : "}", saves);
}

/* What is read of a damaged memory. */
struct salvage {
	struct map facts;	/* see is_known */
	int64_t row;		/* the last one read, or where to begin */
	int64_t left;		/* rows that its pages have room for: pages that
				 * refer to each other have more */
};

/* Call fn with the rows of a query as lines.  d: skip rows that cannot be read,
 * that is_known or that fn refuses, but not a fact that only lost its other
 * saves.  Returns 0 at the end, or -1 with e. */
static int
put_rows(struct store *st, const char *sql, struct salvage *d, dump_fn *fn,
    void *ctx, struct err *e)
{
	struct buf line = BUF_INIT((size_t)1 << 40);
	struct buf text = BUF_INIT(TEXT_MAX);
	struct buf saves = BUF_INIT(BUF_RECORD_MAX);
	struct st *s = d != NULL && strchr(sql, '?') != NULL ?
	    db_query(st->db, e, sql, "i", d->row) :
	    db_query(st->db, e, sql, "");
	char id[MEMID_SIZE];
	int got;

	while ((got = st_step(s, e)) > 0 && (d == NULL || d->left-- > 0)) {
		struct slice key = st_col(s, KEY), content = { NULL, 0 };
		int64_t kind = st_col_int(s, KIND), row = st_col_int(s, ROW);
		struct slice at = { (const char *)&row, sizeof row };
		bool lost = key.p == NULL;	/* see TEXTS */
		int r = 0;

		if (d != NULL && row > d->row && row - d->row < GAP)
			d->row = row;
		bufs_reset(BUFS(&line, &text, &saves));
		snprintf(id, sizeof id, "m:%.*s", (int)key.n, key.p);
		if (!st_col_null(s, ROW)) {
			r = store_text(st, row, &text, e);
			content = buf_view(&text);
		}
		if (lost)
			memid_fact(content, id);
		if (d != NULL && is_known(&d->facts, id, at, kind,
		    st_col_int(s, TIME)))
			continue;
		/* only when the columns do not say everything */
		if (r == 0 && kind != KIND_MESSAGE)
			r = saves_export(st, id + 2, kind == FORGOTTEN, lost,
			    &saves, e) < 0 && (kind == FORGOTTEN ||
			    d == NULL) ? -1 : 0;
		row_line(s, id, content, buf_view(&saves), &line);
		if (r == 0)
			r = fn(ctx, buf_view(&line), e);
		if (r < 0 && d == NULL)
			break;
		if (r == 0 && d != NULL && kind == KIND_FACT) {
			map_put(&d->facts, at, NULL);
			*map_put(&d->facts, slice_of(id), NULL) = lost ? 0 :
			    (uint64_t)st_col_int(s, TIME);
		}
	}
	st_done(s);
	bufs_release(BUFS(&line, &text, &saves));
	return got > 0 ? -1 : got;	/* fn ended it */
}

int
dump_export(struct store *st, dump_fn *fn, void *ctx, struct err *e)
{
	return put_rows(st, ITEMS " UNION ALL " MARKS " ORDER BY 1, 2", NULL,
	    fn, ctx, e);
}

/* Read a table's rows up to `last`.  A page that cannot be read is skipped by
 * its rows' numbers. */
static void
salvage_rows(struct store *st, const char *sql, struct salvage *d,
    int64_t last, dump_fn *fn, void *ctx)
{
	struct err e;

	for (int64_t end = d->row + MISSES; d->row < end && d->row < last; ) {
		int64_t from = d->row;

		if (put_rows(st, sql, d, fn, ctx, &e) == 0)
			break;
		if (d->row > from)
			end = d->row + MISSES;
		d->row++;
	}
}

void
dump_salvage(struct store *st, dump_fn *fn, void *ctx)
{
	struct salvage d = { .row = FACT_FIRST };
	struct err e;

	if (db_int(st->db, &e, &d.left, "PRAGMA page_count", "") <= 0)
		d.left = MISSES;
	d.left *= PAGE_ROWS;
	salvage_rows(st, ITEMS " NOT INDEXED WHERE id >= ?1 ORDER BY id", &d,
	    INT64_MAX, fn, ctx);
	d.row = FACT_FIRST;
	salvage_rows(st, TEXTS " ORDER BY id", &d, INT64_MAX, fn, ctx);
	/* these have no numbers: read backward from the other end */
	if (put_rows(st, MARKS " ORDER BY key", &d, fn, ctx, &e) < 0)
		put_rows(st, MARKS " ORDER BY key DESC", &d, fn, ctx, &e);
	d.row = 0;
	salvage_rows(st, ITEMS " NOT INDEXED WHERE id >= ?1 AND id < 1 << 42 "
	    "ORDER BY id", &d, FACT_FIRST, fn, ctx);
	map_release(&d.facts);
}

/* ---- reading a line ---- */

struct entry {
	bool forgotten;
	struct item it;
	struct slice tags, saves;	/* of the line */
};

static int
refuse(struct err *e, const char *why)
{
	return err_set(e, ST_DATA, "%s", why);
}

static bool
read_key(struct slice val, char id[MEMID_SIZE])
{
	char *text = scan_text(val);
	const char *hex = strncmp(text, "m:", 2) == 0 ? text + 2 : text;
	size_t digits = MEMID_SIZE - 3;
	bool good = strlen(hex) == digits &&
	    strspn(hex, "0123456789abcdef") == digits;

	if (good)
		snprintf(id, MEMID_SIZE, "m:%s", hex);
	free(text);
	return good;
}

static bool
is_list(struct slice val)
{
	return val.p == NULL || scan_kind(val) == SCAN_NULL ||
	    scan_kind(val) == SCAN_ARRAY;
}

static int
read_entry(const struct rec *r, const struct redact *redact, struct entry *n,
    struct err *e)
{
	struct buf raw = BUF_INIT(BUF_RECORD_MAX), text = raw;
	struct item *it = &n->it;
	int64_t v, line;

	*n = (struct entry){ .it = { .time = WHEN_NONE } };
	if (!rec_str_is(r, "type", "memory"))
		return refuse(e, "not a line of hamr-mem export: its type is "
		    "not \"memory\"");
	if (!rec_int(r, "v", &v) || v != 1)
		return refuse(e, "made by another version of hamr-mem: \"v\" "
		    "is not 1");
	if (!read_key(rec_get(r, "key"), it->id))
		return refuse(e, "\"key\" is not m: and 12 hex digits");
	if (!when_read(rec_get(r, "time"), &it->time))
		return refuse(e, "\"time\" is not a time");
	n->tags = rec_get(r, "tags");
	n->saves = rec_get(r, "saves");
	if (!is_list(n->tags) || !is_list(n->saves))
		return refuse(e, "\"tags\" or \"saves\" is not a list");
	n->forgotten = rec_str_is(r, "kind", "forgotten");
	if (n->forgotten)
		return 0;
	it->kind = rec_str_is(r, "kind", "fact") ? KIND_FACT : KIND_MESSAGE;
	if (it->kind == KIND_MESSAGE && !rec_str_is(r, "kind", "message"))
		return refuse(e, "\"kind\" is not fact, message or forgotten");
	it->session = rec_strdup(r, "session");
	it->role = rec_strdup(r, "role");
	it->name = rec_strdup(r, "name");
	it->path = rec_strdup(r, "path");
	it->slot = it->kind == KIND_FACT ? rec_strdup(r, "slot") : NULL;
	if (rec_int(r, "line", &line) && line > 0)
		it->line = line;
	if (scan_str(rec_get(r, "content"), &raw))
		redact_add(redact, buf_view(&raw), &text);
	buf_release(&raw);
	/* the key is the text's, whatever the line says; that of a result comes
	 * from its call's id, which is not in the line */
	if (it->kind == KIND_FACT)
		memid_fact(buf_view(&text), it->id);
	else if (it->role == NULL || strcmp(it->role, "tool") != 0)
		memid_message(slice_of(it->session), slice_of(it->role),
		    buf_view(&text), it->id);
	it->len = text.len;
	it->text = text.len > 0 ? buf_detach(&text) : NULL;
	if (it->text == NULL)
		return refuse(e, "\"content\" is not a text");
	if (it->kind == KIND_FACT && it->len > FACT_MAX)
		return refuse(e, "\"content\" is over 64 KiB");
	return 0;
}

static int
take_saves(struct store *st, struct entry *n, struct err *e)
{
	struct slice one;

	if (scan_kind(n->saves) != SCAN_ARRAY) {
		struct save s = { n->it.time != WHEN_NONE ? n->it.time : 0,
			n->it.slot != NULL ? n->it.slot : "", n->tags };

		return saves_add(st, n->it.id + 2, &s, e);
	}
	for (struct walk w = walk_of(n->saves); walk_next(&w, NULL, &one); ) {
		char *slot = scan_text(scan_get(one, "slot"));
		struct save s = { 0, slot, scan_get(one, "tags") };
		char other[MEMID_SIZE] = "";
		int r = when_read(scan_get(one, "time"), &s.time) &&
		    (scan_get(one, "key").p == NULL ||
		    read_key(scan_get(one, "key"), other)) ? 0 :
		    refuse(e, "a time or key in \"saves\" is wrong");

		if (s.time == WHEN_NONE)
			s.time = 0;
		if (r == 0)
			r = other[0] == '\0' ?
			    saves_add(st, n->it.id + 2, &s, e) :
			    saves_add_fallen(st, other + 2, &s, e);
		free(slot);
		if (r < 0)
			return r;
	}
	return 0;
}

/* ---- messages ---- */

static int
replace(struct store *st, int64_t row, const struct item *it, struct err *e)
{
	return store_drop(st, row, e) < 0 ? -1 : store_add(st, it, e);
}

/* Is this the key of that text, and not only said to be?  (That of a result
 * with a call's id cannot be told.) */
static bool
is_key_of(const char *key, struct slice session, struct slice role,
    struct slice text)
{
	char id[MEMID_SIZE];

	memid_message(session, role, text, id);
	return strcmp(id + 2, key) == 0;
}

/* The smaller of what the store has and what a line has. */
#define MERGED(a, b) "coalesce(min(" a ", " b "), " a ", " b ")"
#define ALL_MERGED MERGED("session", "?2") ", " MERGED("role", "?3") ", " \
	MERGED("name", "?4") ", " MERGED("path", "?5") ", " \
	MERGED("line", "?6") ", " MERGED("time", "?7")

static int
take_message(struct store *st, struct item *it, struct err *e)
{
	struct buf text = BUF_INIT(TEXT_MAX);
	struct slice is = { it->text, it->len };
	const char *key = it->id + 2;
	int64_t forgotten;
	int r = 0;

	if (saves_forgotten(st, key, &forgotten, e) < 0)
		return -1;
	if (forgotten != WHEN_NONE)
		return 0;
	struct st *s = db_query(st->db, e, "SELECT id, session, role, "
	    "(session, role, name, path, line, time) IS NOT (" ALL_MERGED "), "
	    ALL_MERGED " FROM item WHERE key = ?1", "tttttii", key,
	    it->session, it->role, it->name, it->path,
	    it->line != 0 ? it->line : DB_NULL, it->time);
	int got = st_step(s, e);
	if (got <= 0)
		return got < 0 ? -1 : store_add(st, it, e);
	int64_t row = st_col_int(s, 0);
	if (row >= FACT_FIRST)		/* the key is a fact's */
		goto out;
	r = store_text(st, row, &text, e);
	if (r < 0)
		goto out;
	/* who only claims the key yields */
	bool had = is_key_of(key, st_col(s, 1), st_col(s, 2),
	    buf_view(&text));
	if (had != is_key_of(key, slice_of(it->session), slice_of(it->role),
	    is)) {
		if (!had) {
			st_done(s);
			r = replace(st, row, it, e);
		}
		goto out;
	}
	bool other = st_col_int(s, 3) != 0;
	xset(&it->session, st_col_dup(s, 4));
	xset(&it->role, st_col_dup(s, 5));
	xset(&it->name, st_col_dup(s, 6));
	xset(&it->path, st_col_dup(s, 7));
	it->line = st_col_null(s, 8) ? 0 : st_col_int(s, 8);
	it->time = st_col_int(s, 9);
	st_done(s);
	if (strcmp(it->text, buf_view(&text).p) < 0) {
		other = true;
	} else {
		it->len = text.len;
		xset(&it->text, buf_detach(&text));
	}
	if (other)
		r = replace(st, row, it, e);
out:
	st_done(s);
	buf_release(&text);
	return r;
}

/* A mark: what has the key goes, be it a message or a fact, of which the mark
 * tells the slots. */
static int
take_mark(struct store *st, const struct entry *n, int64_t time,
    struct err *e)
{
	struct walk w = walk_elements(n->saves);
	const char *key = n->it.id + 2;
	struct slice one;
	int64_t row;
	int r = db_int(st->db, e, &row, "SELECT id FROM item WHERE key = ?1 "
	    "AND kind = 2", "t", key);

	if (r > 0)
		r = store_forget_one(st, row, key, time, e);
	if (r == 0)
		r = facts_forget(st, key, time, e);
	while (r == 0 && walk_next(&w, NULL, &one)) {
		char *slot = scan_strdup(scan_get(one, "slot"));
		int64_t at = WHEN_NONE;

		if (slot != NULL && when_read(scan_get(one, "time"), &at))
			r = saves_add_gone(st, slot, key, at, e);
		free(slot);
	}
	return r;
}

int
dump_import(struct store *st, const struct redact *redact,
    const struct rec *r, struct err *e)
{
	struct entry n;
	int got = read_entry(r, redact, &n, e);

	if (got == 0 && n.forgotten)
		got = take_mark(st, &n, n.it.time != WHEN_NONE ? n.it.time : 0,
		    e);
	else if (got == 0 && n.it.kind == KIND_MESSAGE)
		got = take_message(st, &n.it, e);
	else if (got == 0) {
		got = take_saves(st, &n, e);
		if (got == 0)
			got = facts_update(st, n.it.id + 2, (struct slice){
			    n.it.text, n.it.len }, e);
	}
	item_release(&n.it);
	return got;
}
