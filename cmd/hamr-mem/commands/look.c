/* look.c - the commands that read a memory, and forget. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/ctrl.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/utc.h"
#include "base/utf8.h"
#include "commands.h"
#include "find/find.h"
#include "index/dump.h"
#include "options/memories.h"
#include "record/rec.h"
#include "term/term.h"
#include "tokens/token.h"

#define HITS 8			/* as in the tool search_memory */
#define BRIEF_TOKENS 1000
#define BRIEF_HITS 50
#define BRIEF_FACTS 1000	/* the newest: far more than fit */
#define BRIEF_CHARS 1000	/* of each fact */

/* ---- search ---- */

/* Append text on one line: white space becomes a blank, control and invisible
 * direction characters and bytes that are not UTF-8 become '?'; after max
 * characters cut it with "…". */
static void
show_line(struct slice t, size_t max, struct buf *out)
{
	struct utf8_char c;
	bool blank = false;
	size_t chars = 0;

	for (size_t i = 0; (c = utf8_at(t, i)).n > 0; i += c.n) {
		if (c.n == 1 && strchr(" \t\n\r\v\f", t.p[i]) != NULL) {
			blank = chars > 0;
			continue;
		}
		if (chars + blank >= max) {
			buf_adds(out, "…");
			return;
		}
		if (blank)
			buf_addc(out, ' ');
		chars += 1 + (size_t)blank;
		blank = false;
		/* a damaged file may not be UTF-8 */
		if (!c.valid || ctrl_is(c.cp))
			buf_addc(out, '?');
		else
			buf_add(out, t.p + i, c.n);
	}
}

static const char *
kind_name(enum kind k)
{
	return k == KIND_FACT ? "fact" : "message";
}

struct lines {
	struct rec_out out;
	struct scan scan;
	struct store *from;	/* the memory they are of, */
	struct store *before;	/* and the first one, if that is another */
};

/* Queue a line, unless it shows that the memory is damaged. */
static int
put_line(void *ctx, struct slice line, struct err *e)
{
	struct lines *x = ctx;

	if (scan_record(&x->scan, line.p, line.n) < 0)
		return db_damaged(x->from->path, x->scan.why, e);
	rec_put(&x->out, line);
	return 0;
}

static void
show_hit(struct buf *out, const struct hit *h, bool partial)
{
	char time[UTC_SIZE], score[32];

	/* four decimals, without trailing zeros */
	snprintf(score, sizeof score, "%.15g",
	    round(h->score * 10000) / 10000);
	scan_put(out, "{'type':'hit','id':@,'kind':@,'store':@,'session':?,"
	    "'line':$,'role':?,'name':?,'time':?,'score':$,'snippet':?$}",
	    slice_of(h->id), slice_of(kind_name(h->kind)),
	    slice_of(h->from->name),
	    slice_of(h->session), h->line > 0 ? SCAN_INT(h->line) :
	    SLICE("null"), slice_of(h->role), slice_of(h->name),
	    when_text(h->time, time), slice_of(score), slice_of(h->snippet),
	    partial ? SLICE(",\"partial\":true") : SLICE(""));
}

/* The snippet takes the rest of the line; « and » become bold if there is
 * color. */
static void
show_hit_row(struct buf *row, const struct hit *h, struct term t)
{
	const char *what = h->kind == KIND_FACT ? "fact" :
	    h->name != NULL ? h->name : h->role != NULL ? h->role : "";
	size_t width = t.columns > 0 ? t.columns : 80, at = MEMID_SIZE + 1;
	struct buf line = BUF_INIT(1 << 20);
	char day[UTC_SIZE] = "";

	if (h->time != WHEN_NONE)
		utc_print(h->time, day);
	buf_fmt(row, "%s  ", h->id);
	if (width >= 60) {
		term_pad(row, 10 - term_put(row, slice_of(what), 10));
		buf_fmt(row, "  %-10.10s  ", day);
		at += 24;
	}
	show_line(slice_of(h->snippet), SIZE_MAX, &line);
	struct slice text = buf_view(&line);
	size_t columns = width > at + 8 ? width - at : 8;
	size_t mark = slice_find(text, 0, "«");
	struct slice before = slice_part(text, 0, mark < text.n ? mark : 0);
	/* give the text before the match at most a third of the columns */
	if (term_width(before) > columns / 3) {
		columns -= term_put_end(row, before, columns / 3);
		text = slice_from(text, before.n);
	}
	while (text.n > 0 && columns > 0) {
		bool on = slice_starts(text, "«"), off = slice_starts(text,
		    "»");
		size_t n = on || off ? 2 : 1;

		if (t.colour && (on || off)) {
			buf_adds(row, on ? "\033[1m" : "\033[0m");
		} else {
			n = num_min(slice_find(text, n, "«"),
			    slice_find(text, n, "»"));
			columns -= term_put(row, slice_part(text, 0, n),
			    columns);
		}
		text = slice_from(text, n);
	}
	if (t.colour)
		buf_adds(row, "\033[0m");
	buf_release(&line);
}

/* What is looked for, and what the first n memories have. */
struct look {
	struct store st[MEMORIES];
	size_t n;
	struct find f;
	struct hits hits;
	size_t most;		/* of a brief */
	struct rec_out out;
};

/* Open the memories that are meant, and call fn.  When one after the first is
 * damaged, it is named, and the others have to do. */
static int
look(const struct opts *o, struct look *l, int (*fn)(struct look *l,
    struct err *e), struct err *e)
{
	int r = memories_open(o, DB_READ, true, l->st, &l->n, e);
	size_t last = l->n - 1;
	struct err again;

	if (r < 0)
		return r;
	r = fn(l, e);
	for (size_t i = last; r < 0 && e->status == ST_DATA && l->n > 1 &&
	    i > 0; i--) {
		struct store out = l->st[i];	/* is it this one? */

		l->st[i] = l->st[last];
		l->st[last] = out;
		l->n = last;
		hits_release(&l->hits);
		buf_reset(&l->out.buf);
		r = fn(l, &again);
		if (r == 0)
			err_say("%s; it is left out", e->text);
	}
	l->n = last + 1;
	return r;
}

static int
find(struct look *l, struct err *e)
{
	return find_hits(l->st, l->n, &l->f, &l->hits, e);
}

int
command_search(const struct opts *o, struct err *e)
{
	struct buf words = BUF_INIT(WORDS_BYTES);
	struct buf line = BUF_INIT(BUF_RECORD_MAX);
	struct term t = term_of(STDOUT_FILENO);
	struct lines x = { .from = NULL };

	opts_words(o, &words);
	struct look l = { .f = { buf_view(&words), o->max != 0 ? o->max : HITS,
		o->kind, o->session, o->since, o->raw } };
	struct hits *hits = &l.hits;
	int r = look(o, &l, find, e);
	if (r == 0 && hits->partial)
		err_say("%s", hits->n == 0 ? "too many messages match to look "
		    "through them in time; use rarer words or longer prefixes" :
		    "the words are common: only the newest messages with them "
		    "were ranked; add a rarer word");
	rec_out_init(&x.out);
	for (size_t i = 0; i < hits->n && r == 0; i++) {
		buf_reset(&line);
		if (t.tty) {
			show_hit_row(&line, &hits->h[i], t);
			rec_put(&x.out, buf_view(&line));
			continue;
		}
		show_hit(&line, &hits->h[i], hits->partial);
		x.from = hits->h[i].from;
		r = put_line(&x, buf_view(&line), e);
	}
	scan_release(&x.scan);
	if (r == 0)
		r = rec_end(&x.out, e);
	if (r == 0)
		r = hits->n > 0 ? ST_OK : ST_NO;
	hits_release(hits);
	memories_close(l.st, l.n);
	bufs_release(BUFS(&words, &line));
	return r;
}

/* ---- list, export, stats, check, show ---- */

/* List the items of a store, except those that the one before it has. */
static int
list(struct lines *x, struct err *e)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);
	char time[UTC_SIZE];
	int r, known = 0;
	struct st *s = db_query(x->from->db, e, "SELECT 'm:' || key, kind, "
	    "slot, "
	    "coalesce(tags, '[]'), time, coalesce(substr(text, 1, 200), '') "
	    "FROM item i LEFT JOIN passage p ON p.id = i.id << 20 "
	    "ORDER BY time DESC, i.id DESC", "");

	while ((r = st_step(s, e)) > 0) {
		if (x->before != NULL)
			known = db_int(x->before->db, e, NULL, "SELECT 1 FROM "
			    "item WHERE key = substr(?1, 3)", "s",
			    st_col(s, 0));
		if (known > 0)
			continue;
		if (known < 0) {
			r = -1;
			break;
		}
		buf_reset(&b);
		scan_put(&b, "{'id':@,'kind':@,'key':?,'tags':$,'time':?,"
		    "'content':@}", st_col(s, 0), slice_of(kind_name(
		    (enum kind)st_col_int(s, 1))), st_col(s, 2), st_col(s, 3),
		    when_text(st_col_int(s, 4), time), st_col(s, 5));
		r = put_line(x, buf_view(&b), e);
		if (r < 0)
			break;
	}
	st_done(s);
	buf_release(&b);
	return r;
}

/* Do its indexes have all items?  One that lost some would hide them, without
 * an error.  The table is not read further than that, as its pages may refer to
 * each other. */
static int
check_indexes(struct store *st, struct err *e)
{
	int64_t n = 0;
	int got = db_exec(st->db, "SAVEPOINT look", e);

	if (got == 0)
		got = db_int(st->db, e, &n, "SELECT count(key) FROM item "
		    "INDEXED BY sqlite_autoindex_item_1", "");
	if (got > 0)
		got = db_int(st->db, e, NULL, "SELECT 1 WHERE ?1 <> (SELECT "
		    "count(*) FROM (SELECT 1 FROM item NOT INDEXED LIMIT ?2)) "
		    "OR ?1 <> (SELECT count(id) FROM item "
		    "INDEXED BY item_time) OR ?1 <> (SELECT count(id) FROM "
		    "item INDEXED BY item_session)", "ii", n, n + 1);
	db_exec(st->db, "RELEASE look", NULL);
	return got > 0 ? db_damaged(st->path, "an index lost items", e) : got;
}

/* Write what fn makes of each store that was meant. */
static int
put_stores(const struct opts *o, int (*fn)(struct lines *x, struct err *e),
    struct err *e)
{
	struct store st[MEMORIES];
	struct lines x = { .from = NULL };
	size_t n = 0;
	int r = memories_open_own(o, DB_READ, st, &n, e);

	rec_out_init(&x.out);
	for (size_t i = 0; i < n && r == 0; i++) {
		x.from = &st[i];
		x.before = i > 0 ? &st[0] : NULL;
		r = check_indexes(&st[i], e);
		if (r == 0)
			r = fn(&x, e);
	}
	memories_close(st, n);
	scan_release(&x.scan);
	return r < 0 || rec_end(&x.out, e) < 0 ? -1 : ST_OK;
}

int
command_list(const struct opts *o, struct err *e)
{
	return put_stores(o, list, e);
}

static int
export(struct lines *x, struct err *e)
{
	return dump_export(x->from, put_line, x, e);
}

int
command_export(const struct opts *o, struct err *e)
{
	return put_stores(o, export, e);
}

/* Put a store's figures: a page on a terminal, else a record. */
static int
stats(struct lines *x, struct err *e)
{
	static const char *const names[] = { "facts", "messages", "sessions",
		"forgotten" };
	struct buf page = BUF_INIT(BUF_RECORD_MAX), path = page;
	bool tty = term_of(STDOUT_FILENO).tty;
	const struct store *st = x->from;
	struct stat f;
	struct st *s = db_query(st->db, e, "SELECT "
	    "(SELECT count(*) FROM item WHERE kind = 1),"
	    "(SELECT count(*) FROM item WHERE kind = 2),"
	    "(SELECT count(DISTINCT session) FROM item),"
	    "(SELECT count(*) FROM forgotten WHERE key NOT IN "
	    "(SELECT key FROM item)),"
	    "(SELECT coalesce(sum(bytes), 0) FROM item)", "");

	if (st_step(s, e) < 0)
		return -1;
	if (tty) {
		term_put(&page, slice_of(st->path), SIZE_MAX);
		buf_fmt(&page, " (%s)\n", st->name);
		for (int i = 0; i < 4; i++)
			buf_fmt(&page, "%-10s %14s\n", names[i],
			    num_grouped(st_col_int(s, i)).s);
		buf_fmt(&page, "%-10s %14s KiB", "text",
		    num_grouped((st_col_int(s, 4) + 1023) / 1024).s);
		if (stat(st->path, &f) == 0)
			buf_fmt(&page, "\n%-10s %14s KiB", "file",
			    num_grouped(f.st_size / 1024).s);
	} else {
		/* a folder's name may not be UTF-8 */
		utf8_clean(&path, st->path, strlen(st->path));
		scan_put(&page, "{'type':'stats','store':@,'path':@,"
		    "'facts':$,'messages':$,'sessions':$,'forgotten':$,"
		    "'bytes':$}", slice_of(st->name), buf_view(&path),
		    st_col(s, 0), st_col(s, 1), st_col(s, 2), st_col(s, 3),
		    st_col(s, 4));
	}
	st_done(s);
	rec_put(&x->out, buf_view(&page));
	bufs_release(BUFS(&page, &path));
	return 0;
}

int
command_stats(const struct opts *o, struct err *e)
{
	return put_stores(o, stats, e);
}

/* A memory that is too damaged to open is a finding, not an error. */
int
command_check(const struct opts *o, struct err *e)
{
	struct buf b = BUF_INIT(1 << 20);
	struct store st[MEMORIES];
	size_t n = 0;
	const char *name;
	char *path = memories_path(o, false, &name, e);
	bool ours = path != NULL && store_is_ours(path);
	int r = memories_open_own(o, DB_WRITE, st, &n, e);

	free(path);
	/* a memory that we cannot write may still be readable */
	if (r < 0 && e->status == ST_SYSTEM)
		r = memories_open_own(o, DB_READ, st, &n, e);
	for (size_t i = 0; i < n && r == 0; i++) {
		if (st[i].mode == DB_READ)
			err_say("%s: its index is not compared with its text: "
			    "that takes permission to write", st[i].path);
		r = store_check(&st[i], &b, e);
	}
	memories_close(st, n);
	if (r < 0 && ours && e->status == ST_DATA) {
		buf_fmt(&b, "%s\n", e->text);
		r = 0;
	}
	if (r == 0 && b.len > 0)
		r = term_write(buf_view(&b), false, e);
	if (r == 0)
		r = b.len > 0 ? ST_NO : ST_OK;
	buf_release(&b);
	return r;
}

int
command_show(const struct opts *o, struct err *e)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);
	struct store st[MEMORIES];
	char id[MEMID_SIZE];
	size_t n = 0, which;
	int64_t row;

	if (memories_parse_id(o->args[0], id, e) < 0)
		return -1;
	int r = memories_open(o, DB_READ, true, st, &n, e);
	if (r >= 0)
		r = memories_find(st, n, id, &which, &row, e);
	if (r == 0) {
		for (size_t i = 0; i < n && r == 0; i++)
			r = check_indexes(&st[i], e);
		r = r < 0 ? -1 : ST_NO;
	} else if (r > 0) {
		r = store_text(&st[which], row, &b, e);
		if (r == 0 && utf8_check(b.p, b.len) < b.len)
			r = db_damaged(st[which].path, "not UTF-8", e);
		if (r == 0)
			r = term_write(buf_view(&b), false, e);
	}
	memories_close(st, n);
	buf_release(&b);
	return r;
}

/* ---- forget ---- */

/* Files that rebuild set aside belong to the user. */
static void
say_aside(const char *path)
{
	bool there = true;

	for (int i = 1; there; i++) {
		char *aside = xasprintf("%s-damaged-%d", path, i);

		there = access(aside, F_OK) == 0;
		if (there)
			err_say("%s may still hold it; remove that file, too",
			    aside);
		free(aside);
	}
}

int
command_forget(const struct opts *o, struct err *e)
{
	char id[MEMID_SIZE];
	struct forget f = { NULL, o->session, o->before };
	struct store st[MEMORIES];
	size_t n = 0, which;
	int64_t total = 0, row;
	int failed = ST_OK;

	if ((o->nargs > 0) + (o->session != NULL) + (o->before != WHEN_NONE) !=
	    1)
		return err_set(e, ST_USAGE, "forget: needs one of ID, "
		    "--session S and --before T");
	if (o->nargs > 0 && memories_parse_id(o->args[0], id, e) < 0)
		return -1;
	/* by date, forget only in the project's memory */
	int r = memories_open(o, DB_WRITE, o->before == WHEN_NONE, st, &n, e);
	/* what one memory refuses is still to be gone from the others */
	if (r != 0)
		failed = r < 0 ? err_report(e) : (int)e->status;
	if (o->nargs > 0) {
		f.prefix = id;
		if (memories_find(st, n, id, &which, &row, e) < 0 &&
		    e->status == ST_USAGE) {
			memories_close(st, n);
			return -1;
		}
	}
	for (size_t i = 0; i < n; i++) {
		int64_t got = check_indexes(&st[i], e);

		if (got == 0)
			got = store_forget(&st[i], &f, e);
		if (got < 0) {
			failed = err_report(e);
		} else if (got > 0) {
			total += got;
			remove_unfinished(st[i].path);
			say_aside(st[i].path);
		}
	}
	memories_close(st, n);
	return failed != ST_OK ? failed : total > 0 ? ST_OK : ST_NO;
}

/* ---- brief: the facts that a new session should begin with ---- */

static int
by_time(const void *pa, const void *pb)
{
	const struct hit *a = pa, *b = pb;

	if (a->time != b->time)
		return a->time > b->time ? -1 : 1;
	return strcmp(a->id, b->id);
}

/* Add the newest facts of a store that are not among the hits yet. */
static int
add_facts(struct hits *hits, struct store *st, struct err *e)
{
	struct map seen = { 0 };
	bool fresh;
	int r;
	struct st *s = db_query(st->db, e, "SELECT 'm:' || key, id, time "
	    "FROM item WHERE id >= ?1 ORDER BY time DESC, key LIMIT ?2", "ii",
	    FACT_FIRST, (int64_t)BRIEF_FACTS);

	for (size_t i = 0; i < hits->n; i++)
		map_put(&seen, slice_of(hits->h[i].id), NULL);
	while ((r = st_step(s, e)) > 0) {
		struct slice id = st_col(s, 0);
		struct hit h = { .from = st, .row = st_col_int(s, 1),
			.time = st_col_int(s, 2) };

		map_put(&seen, id, &fresh);
		if (!fresh || id.n >= sizeof h.id)
			continue;
		memcpy(h.id, id.p, id.n);
		GROW(hits->h, hits->n, hits->cap);
		hits->h[hits->n++] = h;
	}
	map_release(&seen);
	return r;
}

/* Print facts until the tokens are used up.  Skip one that does not fit, as a
 * smaller one after it may. */
static int
print(const struct hits *x, size_t max, struct rec_out *out, struct err *e)
{
	struct buf text = BUF_INIT(BUF_RECORD_MAX), line = BUF_INIT(1 << 20);
	uint64_t sum = 0, most = BRIEF_TOKENS * 64;
	unsigned prev = TOKEN_START;
	int r = 0;

	for (size_t i = 0, n = 0; i < x->n && n < max && sum + 640 < most;
	    i++) {
		unsigned next = prev;

		bufs_reset(BUFS(&text, &line));
		r = store_text(x->h[i].from, x->h[i].row, &text, e);
		if (r < 0)
			break;
		buf_fmt(&line, "%s ", x->h[i].id);
		show_line(buf_view(&text), BRIEF_CHARS, &line);
		buf_addc(&line, '\n');
		uint64_t cost = token_sum(TOK_MODERN, line.p, line.len, &next);
		if (sum + cost > most)
			continue;
		sum += cost;
		prev = next;
		n++;
		rec_put(out, slice_part(buf_view(&line), 0, line.len - 1));
	}
	bufs_release(BUFS(&text, &line));
	return r;
}

/* Queue the facts that match the task, then the others, newest first. */
static int
queue_facts(struct look *l, struct err *e)
{
	struct hits *hits = &l->hits;
	int r = find(l, e);
	size_t matching = hits->n;

	for (size_t i = 0; i < l->n && r == 0; i++)
		r = add_facts(hits, &l->st[i], e);
	if (hits->n > matching)
		qsort(hits->h + matching, hits->n - matching, sizeof *hits->h,
		    by_time);
	return r < 0 ? -1 : print(hits, l->most, &l->out, e);
}

int
command_brief(const struct opts *o, struct err *e)
{
	struct buf task = BUF_INIT(WORDS_BYTES);

	opts_words(o, &task);
	struct look l = { .f = { .query = buf_view(&task), .max = BRIEF_HITS,
		.kind = KIND_FACT, .since = WHEN_NONE },
		.most = o->max != 0 ? o->max : SIZE_MAX };
	rec_out_init(&l.out);
	int r = look(o, &l, queue_facts, e);
	if (r == 0)
		r = rec_end(&l.out, e);
	hits_release(&l.hits);
	memories_close(l.st, l.n);
	buf_release(&task);
	return r;
}
