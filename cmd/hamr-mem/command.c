/* command.c - what each command of hamr-mem does. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "command.h"
#include "conf.h"
#include "file.h"
#include "find.h"
#include "index.h"
#include "json.h"
#include "mem.h"
#include "where.h"
#include "query.h"
#include "redact.h"
#include "show.h"
#include "utf8.h"

#define HITS 8			/* as the tool search_memory does */
#define WORDS_BYTES ((size_t)8 << 20)

/* The words of the command line, cleaned, a blank between each two. */
static void
join_words(const struct opts *o, struct buf *out)
{
	for (size_t i = 0; i < o->nargs; i++) {
		if (i > 0)
			buf_addc(out, ' ');
		utf8_clean(out, o->args[i], strlen(o->args[i]));
	}
}

static int
finish(struct rec_out *out, int status, struct err *e)
{
	return rec_end(out, e) < 0 ? -1 : status;
}

/* ---- the stage ---- */

int
command_stage(const struct opts *o, struct err *e)
{
	struct index_opts x = { .opts = o };
	struct stage s = { .files = (const char *const *)o->args,
		.nfiles = o->nargs };
	char *root = conf_root(".", e);
	struct conf *conf = NULL;
	int status = -1;

	if (root != NULL)
		conf = stage_conf(&o->stage, root, e);
	if (conf != NULL) {
		x.enabled = conf_bool(conf, "memory.enabled");
		x.exclude = conf_list(conf, "memory.exclude", &x.nexclude);
		s.max_bytes = (size_t)conf_int(conf, "record.max_bytes");
		stage_apply(&s, &o->stage);
		if (stage_reads(&s, &o->stage, conf, e) == 0)
			status = index_run(&s, &x);
	}
	conf_free(conf);
	free(root);
	return status;
}

/* ---- save ---- */

static int
read_fact(const struct opts *o, struct buf *out, struct err *e)
{
	struct buf in = BUF_INIT(WORDS_BYTES);
	int r = 0;

	if (o->nargs > 0) {
		join_words(o, out);
	} else {
		r = file_read_fd(STDIN_FILENO, "stdin", &in, e);
		if (r < 0 && in.over)
			r = err_set(e, ST_USAGE, "save: a fact is 64 KiB at "
			    "most");
		while (in.len > 0 && in.p[in.len - 1] == '\n')
			in.len--;
		utf8_clean(out, in.p, in.len);
	}
	buf_release(&in);
	if (r < 0)
		return r;
	if (out->len > FACT_MAX)
		return err_set(e, ST_USAGE, "save: a fact is 64 KiB at most; "
		    "this is %zu bytes", out->len);
	if (out->len == 0 || strspn(out->p, " \t\r\n\v\f") == out->len)
		return err_set(e, ST_USAGE, "save: the fact is empty");
	return 0;
}

static int
name_fact(const struct opts *o, struct item *fact, struct err *e)
{
	struct buf b = BUF_INIT(FACT_MAX * 8);
	struct json *list = json_array();
	int r = 0;

	if (o->key != NULL) {
		utf8_clean(&b, o->key, strlen(o->key));
		if (b.len == 0 || b.len > 1000)
			r = err_set(e, ST_USAGE, "--key: of 1 to 1,000 bytes");
		fact->slot = buf_detach(&b);
	}
	for (size_t i = 0; i < o->ntag; i++) {
		buf_reset(&b);
		utf8_clean(&b, o->tag[i], strlen(o->tag[i]));
		if (b.len == 0 || b.len > 1000)
			r = err_set(e, ST_USAGE, "--tag: of 1 to 1,000 bytes");
		else
			json_slice(list, NULL, buf_view(&b));
	}
	buf_reset(&b);
	json_print(list, &b);
	if (!json_empty(list))
		fact->tags = xmemdup0(b.p, b.len);
	json_free(list);
	buf_release(&b);
	return r;
}

static int
save(const struct opts *o, struct item *fact, struct err *e)
{
	struct rec_out out;
	struct store st;
	const char *name;
	char *path = where_path(o, true, &name, e);
	int r = -1;

	if (path != NULL && store_open(&st, path, name, DB_WRITE, e) == 0) {
		r = store_save(&st, fact, e);
		store_close(&st);
	}
	free(path);
	if (r < 0)
		return r;
	rec_out_init(&out, STDOUT_FILENO, "stdout");
	rec_put(&out, slice_of(fact->id));
	return finish(&out, ST_OK, e);
}

int
command_save(const struct opts *o, struct err *e)
{
	struct item fact = { .kind = KIND_FACT, .time = when_now() };
	struct buf raw = BUF_INIT(WORDS_BYTES), text = BUF_INIT(WORDS_BYTES);
	struct redact *redact = NULL;
	int r = -1;

	if (read_fact(o, &raw, e) < 0 || name_fact(o, &fact, e) < 0)
		goto out;
	redact = redact_load(e);
	if (redact == NULL)
		goto out;
	redact_add(redact, buf_view(&raw), &text);
	memid_fact(buf_view(&text), fact.id);
	fact.len = text.len;
	fact.text = buf_detach(&text);
	r = save(o, &fact, e);
out:
	redact_free(redact);
	item_release(&fact);
	buf_release(&raw);
	buf_release(&text);
	return r;
}

/* ---- search ---- */

static size_t
terminal_width(void)
{
	struct winsize w;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col > 0)
		return w.ws_col;
	return 80;
}

static int
show_hits(const struct hits *hits, struct err *e)
{
	bool table = isatty(STDOUT_FILENO) == 1;
	size_t width = table ? terminal_width() : 0;
	struct rec_out out;

	rec_out_init(&out, STDOUT_FILENO, "stdout");
	for (size_t i = 0; i < hits->n; i++)
		if (table)
			show_hit_row(&out, &hits->h[i], width);
		else
			show_hit(&out, &hits->h[i]);
	return finish(&out, hits->n > 0 ? ST_OK : ST_NO, e);
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

	join_words(o, &words);
	f = (struct find){ buf_view(&words), o->max != 0 ? o->max : HITS,
		o->kind, o->session, o->since };
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

/* list, stats and check look at one memory: the one that save writes. */
static int
open_own(const struct opts *o, enum db_mode mode, struct store *st,
    struct err *e)
{
	const char *name;
	char *path = where_path(o, false, &name, e);
	int r = -1;

	if (path != NULL && mode == DB_WRITE && access(path, F_OK) < 0)
		err_sys(e, errno == ENOENT || errno == ENOTDIR ? ST_NOINPUT :
		    ST_SYSTEM, "%s", path);
	else if (path != NULL)
		r = store_open(st, path, name, mode, e);
	free(path);
	return r;
}

int
command_list(const struct opts *o, struct err *e)
{
	struct rec_out out;
	struct store st;
	int r;

	if (open_own(o, DB_READ, &st, e) < 0)
		return e->status == ST_NOINPUT ? ST_OK : -1;
	rec_out_init(&out, STDOUT_FILENO, "stdout");
	r = find_list(&st, 0, list_one, &out, e);
	store_close(&st);
	return r < 0 ? r : finish(&out, ST_OK, e);
}

int
command_stats(const struct opts *o, struct err *e)
{
	struct rec_out out;
	struct stats n;
	struct store st;
	int r;

	if (open_own(o, DB_READ, &st, e) < 0)
		return e->status == ST_NOINPUT ? ST_OK : -1;
	rec_out_init(&out, STDOUT_FILENO, "stdout");
	r = find_stats(&st, &n, e);
	if (r == 0)
		show_stats(&out, &st, &n);
	store_close(&st);
	return r < 0 ? r : finish(&out, ST_OK, e);
}

int
command_check(const struct opts *o, struct err *e)
{
	struct buf b = BUF_INIT(1 << 20);
	struct store st;
	int r;

	if (open_own(o, DB_WRITE, &st, e) < 0)
		return e->status == ST_NOINPUT && o->db == NULL ? ST_OK : -1;
	r = store_check(&st, &b, e);
	store_close(&st);
	if (r == 0 && b.len > 0 &&
	    file_write_all(STDOUT_FILENO, b.p, b.len) < 0)
		r = err_sys(e, ST_SYSTEM, "stdout");
	if (r == 0)
		r = b.len > 0 ? ST_NO : ST_OK;
	buf_release(&b);
	return r;
}

/* The hex digits of an id or of how one begins, in out. */
static int
read_id(const char *arg, char out[MEMID_SIZE], struct err *e)
{
	const char *s = strncmp(arg, "m:", 2) == 0 ? arg + 2 : arg;
	size_t n = strlen(s);

	if (n < 4 || n > MEMID_SIZE - 3 ||
	    strspn(s, "0123456789abcdef") != n)
		return err_set(e, ST_USAGE, "%s: not an id; write m: and 4 to "
		    "12 hex digits", arg);
	memcpy(out, s, n + 1);
	return 0;
}

/* The item in the first of the stores that has it: 1, 0 none, -1 e. */
static int
find_item(struct store *st, size_t n, const char *prefix, size_t *which,
    int64_t *row, struct err *e)
{
	int got = 0;

	for (*which = 0; *which < n; (*which)++) {
		got = store_find(&st[*which], prefix, row, e);
		if (got != 0)
			break;
	}
	if (got > 1)
		return err_set(e, ST_USAGE, "m:%s: several items begin so; "
		    "give more digits", prefix);
	return got;
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

	if (read_id(o->args[0], prefix, e) < 0 ||
	    where_open(o, DB_READ, st, &n, e) < 0)
		return -1;
	r = find_item(st, n, prefix, &which, &row, e);
	if (r == 0)
		r = ST_NO;
	else if (r > 0) {
		r = store_text(&st[which], row, &b, e);
		if (r == 0 && file_write_all(STDOUT_FILENO, b.p, b.len) < 0)
			r = err_sys(e, ST_SYSTEM, "stdout");
	}
	where_close(st, n);
	buf_release(&b);
	return r;
}

/* ---- forget ---- */

int
command_forget(const struct opts *o, struct err *e)
{
	char prefix[MEMID_SIZE];
	struct forget f = { NULL, o->session, o->before };
	struct store st[MEMORIES];
	size_t n = 0, which, first = 0, end;
	int64_t total = 0, got = 0, row;

	if (o->nargs > 0 && read_id(o->args[0], prefix, e) < 0)
		return -1;
	if (where_open(o, DB_WRITE, st, &n, e) < 0)
		return -1;
	end = n;
	if (o->nargs > 0) {
		int r = find_item(st, n, prefix, &which, &row, e);

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
	}
	where_close(st, n);
	if (got < 0)
		return -1;
	return total > 0 ? ST_OK : ST_NO;
}
