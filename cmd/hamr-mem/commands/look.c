/* look.c - what looks into a memory, and forgets. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "commands.h"
#include "find/find.h"
#include "show.h"
#include "term/term.h"
#include "options/where.h"

#define HITS 8			/* as the tool search_memory does */

/* Text that holds nothing but what we put there. */
static int
print_page(struct buf *page, struct err *e)
{
	int r = 0;

	if (fwrite(buf_view(page).p, 1, page->len, stdout) != page->len ||
	    fflush(stdout) != 0)
		r = err_sys(e, ST_SYSTEM, "stdout");
	buf_release(page);
	return r;
}

/* ---- search ---- */

static int
show_hits(const struct hits *hits, struct err *e)
{
	struct term t = term_of(STDOUT_FILENO);
	struct buf rows = BUF_INIT(BUF_RECORD_MAX);
	struct rec_out out;
	int r;

	if (hits->partial && hits->n == 0)
		err_say("too many messages match to look through them in "
		    "time; use rarer words or longer prefixes");
	else if (hits->partial)
		err_say("the words are common: only the newest messages with "
		    "them were ranked; add a rarer word");
	if (t.tty) {
		for (size_t i = 0; i < hits->n; i++)
			show_hit_row(&rows, &hits->h[i], t);
		r = print_page(&rows, e);
	} else {
		rec_out_init(&out);
		for (size_t i = 0; i < hits->n; i++)
			show_hit(&out, &hits->h[i], hits->partial);
		r = rec_end(&out, e);
	}
	return r < 0 ? -1 : hits->n > 0 ? ST_OK : ST_NO;
}

int
command_search(const struct opts *o, struct err *e)
{
	struct buf words = BUF_INIT(WORDS_BYTES);
	struct hits hits = { .n = 0 };
	struct store st[MEMORIES];
	struct find f;
	size_t n = 0;
	int r;

	opts_words(o, &words);
	f = (struct find){ buf_view(&words), o->max != 0 ? o->max : HITS,
		o->kind, o->session, o->since, o->raw };
	r = where_open(o, DB_READ, st, &n, e);
	if (r == 0)
		r = find_hits(st, n, &f, &hits, e);
	if (r == 0)
		r = show_hits(&hits, e);
	hits_release(&hits);
	where_close(st, n);
	buf_release(&words);
	return r;
}

/* ---- looking ---- */

static bool
list_one(void *ctx, const struct listed *l)
{
	show_listed(ctx, l);
	return true;
}

int
command_list(const struct opts *o, struct err *e)
{
	struct rec_out out;
	struct store st;
	int r = where_open_own(o, DB_READ, &st, e);

	if (r != 0)
		return r < 0 ? -1 : ST_OK;
	rec_out_init(&out);
	r = find_list(&st, 0, list_one, &out, e);
	store_close(&st);
	return r < 0 || rec_end(&out, e) < 0 ? -1 : ST_OK;
}

int
command_stats(const struct opts *o, struct err *e)
{
	struct buf page = BUF_INIT(BUF_RECORD_MAX);
	struct rec_out out;
	struct stats n;
	struct store st;
	int r = where_open_own(o, DB_READ, &st, e);

	if (r != 0)
		return r < 0 ? -1 : ST_OK;
	r = find_stats(&st, &n, e);
	if (r == 0 && term_of(STDOUT_FILENO).tty) {
		show_stats_page(&page, &st, &n);
		store_close(&st);
		return print_page(&page, e);
	}
	rec_out_init(&out);
	if (r == 0)
		show_stats(&out, &st, &n);
	store_close(&st);
	return r < 0 || rec_end(&out, e) < 0 ? -1 : ST_OK;
}

/* A damaged memory may be so much so that it cannot be opened. */
int
command_check(const struct opts *o, struct err *e)
{
	struct buf b = BUF_INIT(1 << 20);
	struct store st;
	const char *name;
	char *path = where_path(o, false, &name, e);
	bool ours = path != NULL && store_is_ours(path);
	int r = where_open_own(o, DB_WRITE, &st, e);

	free(path);
	if (r == 0) {
		r = store_check(&st, &b, e);
		store_close(&st);
	} else if (r > 0)
		r = 0;
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
	char prefix[MEMID_SIZE];
	size_t n = 0, which;
	int64_t row;
	int r;

	if (where_read_id(o->args[0], prefix, e) < 0 ||
	    where_open(o, DB_READ, st, &n, e) < 0)
		return -1;
	r = where_find(st, n, prefix, &which, &row, e);
	if (r == 0)
		r = ST_NO;
	else if (r > 0) {
		r = store_text(&st[which], row, &b, e);
		if (r == 0)
			r = term_write(buf_view(&b), false, e);
	}
	where_close(st, n);
	buf_release(&b);
	return r;
}

/* ---- forget ---- */

/* What rebuild set aside is a file of the user's. */
static void
tell_damaged(const char *path)
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
	char prefix[MEMID_SIZE];
	struct forget f = { NULL, o->session, o->before };
	struct store st[MEMORIES];
	size_t n = 0, which, first = 0, end;
	int64_t total = 0, got = 0, row;

	if (o->nargs > 0 && where_read_id(o->args[0], prefix, e) < 0)
		return -1;
	if (where_open(o, DB_WRITE, st, &n, e) < 0)
		return -1;
	end = n;
	if (o->nargs > 0) {
		int r = where_find(st, n, prefix, &which, &row, e);

		f.prefix = prefix;
		if (r < 0)
			got = -1;
		else if (r > 0)
			first = which;
	} else if (o->before != WHEN_NONE && n > 1) {
		/* a date does not say that the user's memory is meant */
		end = 1;
	}
	for (size_t i = first; i < end && got >= 0; i++) {
		got = store_forget(&st[i], &f, e);
		total += got;
		if (got > 0) {
			remove_unfinished(st[i].path);
			tell_damaged(st[i].path);
		}
	}
	where_close(st, n);
	if (got < 0)
		return -1;
	return total > 0 ? ST_OK : ST_NO;
}
