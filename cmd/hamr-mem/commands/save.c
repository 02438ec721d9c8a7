/* save.c - save a fact. */
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/utc.h"
#include "base/utf8.h"
#include "commands.h"
#include "conf/redact.h"
#include "json/scan.h"
#include "options/memories.h"
#include "store/facts.h"

static int
read_fact(const struct opts *o, struct buf *out, struct err *e)
{
	struct buf in = BUF_INIT(WORDS_BYTES);
	int r = 0;

	if (o->nargs > 0) {
		opts_words(o, out);
	} else {
		r = file_read_fd(STDIN_FILENO, "stdin", &in, e);
		if (r < 0 && in.over)
			r = err_set(e, ST_USAGE, "save: a fact can have at "
			    "most 64 KiB");
		struct slice text = slice_trim_end(buf_view(&in), "\r\n");
		utf8_clean(out, text.p, text.n);
	}
	buf_release(&in);
	if (r < 0)
		return r;
	if (out->len > FACT_MAX)
		return err_set(e, ST_USAGE, "save: a fact can have at most "
		    "64 KiB; this one has %zu bytes", out->len);
	if (out->len == 0 || strspn(out->p, " \t\r\n\v\f") == out->len)
		return err_set(e, ST_USAGE, "save: the fact is empty");
	return 0;
}

/* Read a --key or --tag, cleaned and without secrets. */
static int
read_label(const char *option, const char *text, const struct redact *redact,
    struct buf *out, struct err *e)
{
	struct buf raw = BUF_INIT(FACT_MAX * 8);

	utf8_clean(&raw, text, strlen(text));
	redact_add(redact, buf_view(&raw), out);
	buf_release(&raw);
	if (out->len == 0 || out->len > 1000)
		return err_set(e, ST_USAGE, "--%s: takes 1 to 1,000 bytes",
		    option);
	return 0;
}

/* 0: no memory has the item to be replaced; -1 with e: one that cannot be
 * written does. */
static int
find_read_only(const struct opts *o, char prefix[MEMID_SIZE], struct err *e)
{
	struct store st[MEMORIES];
	size_t n = 0, which = 0;
	int64_t row;
	int r = memories_open_own(o, DB_READ, st, &n, e);

	if (r == 0)
		r = memories_find(st, n, prefix, &which, &row, e);
	if (r > 0)
		r = err_set(e, ST_SYSTEM, "%s holds m:%s and cannot be "
		    "written; save this without --replace", st[which].path,
		    prefix);
	memories_close(st, n);
	return r;
}

static int
save(const struct opts *o, struct item *fact, struct err *e)
{
	char prefix[MEMID_SIZE] = "";
	struct forget old = { prefix, NULL, WHEN_NONE };
	struct rec_out out;
	struct store st;
	int64_t row;
	size_t which;
	int r = 1;

	if ((o->replace != NULL &&
	    memories_parse_id(o->replace, prefix, e) < 0) ||
	    memories_create_own(o, &st, e) < 0)
		return -1;
	if (o->replace != NULL)
		r = memories_find(&st, 1, prefix, &which, &row, e);
	if (r == 0)
		r = find_read_only(o, prefix, e);
	if (r > 0 && o->replace != NULL) {
		/* the new fact inherits its slot and tags */
		struct st *s = db_query(st.db, e, "SELECT slot, tags FROM item "
		    "WHERE id = ?1 AND kind = 1", "i", row);
		r = st_step(s, e);
		if (r > 0 && fact->slot == NULL)
			fact->slot = st_col_dup(s, 0);
		if (r > 0)
			xset(&fact->tags, tags_join(slice_of(fact->tags),
			    st_col(s, 1)));
		st_done(s);
	}
	if (r > 0)
		r = store_save(&st, fact, e) < 0 ? -1 : 1;
	if (r > 0 && o->replace != NULL && strncmp(fact->id + 2, prefix,
	    strlen(prefix)) != 0 && store_forget(&st, &old, e) < 0)
		r = -1;
	store_close(&st);
	if (r <= 0)
		return r < 0 ? -1 : ST_NO;
	rec_out_init(&out);
	rec_put(&out, slice_of(fact->id));
	return rec_end(&out, e) < 0 ? -1 : ST_OK;
}

int
command_save(const struct opts *o, struct err *e)
{
	struct item fact = { .kind = KIND_FACT, .time = utc_now() };
	struct buf raw = BUF_INIT(WORDS_BYTES), text = BUF_INIT(WORDS_BYTES);
	struct buf label = BUF_INIT(FACT_MAX * 8);
	struct buf tags = BUF_INIT(BUF_RECORD_MAX);
	struct redact *redact = NULL;
	int r = -1;

	if (read_fact(o, &raw, e) < 0)
		goto out;
	redact = redact_load(e);
	if (redact == NULL)
		goto out;
	if (o->key != NULL) {
		if (read_label("key", o->key, redact, &label, e) < 0)
			goto out;
		fact.slot = buf_detach(&label);
	}
	for (size_t i = 0; i < o->ntag; i++) {
		buf_reset(&label);
		if (read_label("tag", o->tag[i], redact, &label, e) < 0)
			goto out;
		scan_put(&tags, i == 0 ? "[@" : ",@", buf_view(&label));
	}
	if (o->ntag > 0) {
		buf_addc(&tags, ']');
		fact.tags = buf_detach(&tags);
	}
	redact_add(redact, buf_view(&raw), &text);
	if (text.len > FACT_MAX) {
		err_set(e, ST_USAGE, "save: a fact can have at most 64 KiB; "
		    "without its secrets this one has %zu bytes", text.len);
		goto out;
	}
	memid_fact(buf_view(&text), fact.id);
	fact.len = text.len;
	fact.text = buf_detach(&text);
	r = save(o, &fact, e);
out:
	redact_free(redact);
	item_release(&fact);
	bufs_release(BUFS(&raw, &text, &label, &tags));
	return r;
}
