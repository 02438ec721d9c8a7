/* index.c - the stage: what of a transcript is remembered, and when.
 *
 * Items are collected and put into the memory in batches: at go, at sync, at
 * the end, and when many have come.  The lock is held during a batch only.
 */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"
#include "index.h"
#include "mem.h"
#include "msg.h"
#include "redact.h"
#include "store.h"
#include "where.h"

#define BATCH_ITEMS 20000
#define BATCH_BYTES ((size_t)16 << 20)
/* A resident stage keeps this much while the disk is full. */
#define KEEP_BYTES ((size_t)256 << 20)

struct index {
	const struct index_opts *o;
	struct redact *redact;		/* NULL: not needed so far */
	struct store store;
	bool open;
	/* of this transcript */
	char *session;
	int64_t created;
	struct calls calls;
	/* not stored yet */
	struct item *item;
	size_t n, cap, bytes;
	bool failed;			/* a filter tries only once more */
	struct err err;
};

/* ---- storing ---- */

static void
drop_pending(struct index *x)
{
	for (size_t i = 0; i < x->n; i++)
		item_release(&x->item[i]);
	x->n = 0;
	x->bytes = 0;
}

static int
put_all(struct index *x, struct err *e)
{
	if (store_begin(&x->store, e) < 0)
		return -1;
	for (size_t i = 0; i < x->n; i++)
		if (store_put(&x->store, &x->item[i], e) < 0) {
			store_end(&x->store, false, NULL);
			return -1;
		}
	return store_end(&x->store, true, e);
}

static int
open_store(struct index *x, struct err *e)
{
	const char *name = "file";
	char *path = x->o->path != NULL ? xstrdup(x->o->path) :
	    where_path(x->o->opts, true, &name, e);

	if (path == NULL || store_open(&x->store, path, name, DB_WRITE,
	    e) < 0) {
		free(path);
		return -1;
	}
	free(path);
	x->open = true;
	return 0;
}

static int
commit(struct index *x, struct err *e)
{
	if (x->n == 0)
		return 0;
	if (x->open && db_is_stale(x->store.db)) {
		store_close(&x->store);
		x->open = false;
	}
	if (!x->open && open_store(x, e) < 0)
		return -1;
	if (put_all(x, e) < 0)
		return -1;
	drop_pending(x);
	return 0;
}

/* Commit while running.  A resident stage says what failed and goes on; the
 * others pass their records on and end with the status. */
static void
flush(struct stage *s)
{
	struct index *x = s->self;

	if (x->failed)
		return;
	if (commit(x, &x->err) == 0) {
		x->err.status = ST_OK;
		return;
	}
	if (s->mode != STAGE_RESIDENT) {
		x->failed = true;
		return;
	}
	if (x->bytes > KEEP_BYTES || (x->err.status != ST_SYSTEM &&
	    x->err.status != ST_TEMP)) {
		stage_fail(s, &x->err);
		return;
	}
	stage_error(s, x->err.status == ST_TEMP ? "timeout" : "storage_full",
	    true, x->err.text, NULL);
}

/* Commit between two syncs.  With -r a failed batch waits for the next sync,
 * which tries again and says it. */
static void
flush_batch(struct stage *s)
{
	struct index *x = s->self;

	if (s->mode != STAGE_RESIDENT)
		flush(s);
	else if (x->err.status == ST_OK && commit(x, &x->err) == 0)
		x->err.status = ST_OK;
}

/* ---- what is remembered ---- */

static bool
is_excluded(const struct index *x, const char *path)
{
	for (size_t i = 0; path != NULL && i < x->o->nexclude; i++)
		if (fnmatch(x->o->exclude[i], path, 0) == 0)
			return true;
	return false;
}

/* A transcript without a header: its first message names the session. */
static void
name_session(struct index *x, const struct rec *r)
{
	struct buf text = BUF_INIT(BUF_RECORD_MAX);
	char *role = rec_strdup(r, "role"), hex[SHA_HEX];

	msg_text(rec_get(r, "content"), &text);
	memid_session(slice_of(role), buf_view(&text), hex);
	x->session = xstrdup(hex);
	buf_release(&text);
	free(role);
}

static void
learn_header(struct index *x, const struct rec *r)
{
	char *created = rec_strdup(r, "created");

	free(x->session);
	x->session = rec_strdup(r, "session");
	if (x->session != NULL && x->session[0] == '\0') {
		free(x->session);
		x->session = NULL;
	}
	if (created == NULL || !when_parse(created, &x->created))
		x->created = WHEN_NONE;
	free(created);
}

/* ---- messages ---- */

static void
fill_result(struct index *x, const struct rec *r, struct item *it)
{
	struct slice id = rec_get(r, "tool_call_id");
	struct told *t = calls_find(&x->calls, id);
	char *call = scan_strdup(id);

	it->name = rec_strdup(r, "name");
	it->path = redact_value(x->redact, msg_meta(r, "path"));
	if (t != NULL && it->name == NULL && t->name != NULL)
		it->name = xstrdup(t->name);
	if (t != NULL && it->path == NULL && t->path != NULL)
		it->path = xstrdup(t->path);
	if (t != NULL && t->time != WHEN_NONE)
		it->time = t->time;
	if (call != NULL && call[0] != '\0') {
		memcpy(it->other, it->id, sizeof it->id);
		memid_result(slice_of(x->session), slice_of(call), it->id);
	}
	free(call);
}

static bool
is_remembered(const struct rec *r)
{
	switch (r->kind) {
	case R_USER:
		return msg_is_person(r);
	case R_ASSISTANT:
		return true;
	case R_TOOL:
		return !scan_true(msg_meta(r, "cached")) &&
		    scan_kind(msg_meta(r, "shared")) != SCAN_STRING &&
		    !scan_true(msg_meta(r, "shared"));
	default:
		return false;
	}
}

static void
remember(struct index *x, const struct rec *r)
{
	struct item it = { .kind = KIND_MESSAGE, .line = (int64_t)r->no,
		.time = x->created };

	it.text = redact_value(x->redact, rec_get(r, "content"));
	if (it.text == NULL)
		return;
	it.len = strlen(it.text);
	it.role = rec_strdup(r, "role");
	it.session = xstrdup(x->session);
	memid_message(slice_of(x->session), slice_of(it.role),
	    (struct slice){ it.text, it.len }, it.id);
	if (r->kind == R_TOOL)
		fill_result(x, r, &it);
	if (is_excluded(x, it.path)) {
		item_release(&it);
		return;
	}
	x->item = xgrow(x->item, x->n, &x->cap, sizeof *x->item);
	x->item[x->n++] = it;
	x->bytes += it.len;
}

/* ---- the stage ---- */

static void
on_record(struct stage *s, const struct rec *r)
{
	struct index *x = s->self;

	if (!x->o->enabled || x->failed)
		return;
	if (r->kind == R_HAMR)
		learn_header(x, r);
	else if (r->kind == R_START)
		calls_start(&x->calls, r);
	if (!rec_is_message(r->kind) || r->kind == R_SYSTEM)
		return;
	if (x->redact == NULL)
		x->redact = redact_load(&x->err);
	if (x->redact == NULL) {
		x->failed = true;
		stage_fail(s, &x->err);
		return;
	}
	if (x->session == NULL)
		name_session(x, r);
	if (r->kind == R_ASSISTANT)
		calls_learn(&x->calls, x->redact, r);
	if (is_remembered(r))
		remember(x, r);
	if (x->n >= BATCH_ITEMS || x->bytes >= BATCH_BYTES)
		flush_batch(s);
}

static void
on_reset(struct stage *s)
{
	struct index *x = s->self;

	calls_release(&x->calls);
	free(x->session);
	x->session = NULL;
	x->created = WHEN_NONE;
}

int
index_run(struct stage *s, const struct index_opts *o)
{
	static const struct stage_ops ops = { .name = "mem",
		.record = on_record, .act = flush, .sync = flush,
		.reset = on_reset };
	struct index x = { .o = o, .created = WHEN_NONE };
	int status;

	s->ops = &ops;
	s->self = &x;
	status = stage_run(s);
	if (commit(&x, &x.err) < 0) {
		int r = err_report(&x.err);

		if (status < 65)
			status = r;
	}
	on_reset(s);
	drop_pending(&x);
	if (x.open)
		store_close(&x.store);
	redact_free(x.redact);
	free(x.item);
	s->self = NULL;
	return status;
}

int
index_files(struct stage *s, const struct opts *o, const char *path,
    struct err *e)
{
	struct index_opts x = { .opts = o, .path = path };
	char *root = conf_root(".", e);
	struct conf *conf = root != NULL ? stage_conf(&o->stage, root, e) :
	    NULL;
	int status = -1;

	if (conf != NULL) {
		x.enabled = conf_bool(conf, "memory.enabled");
		x.exclude = conf_list(conf, "memory.exclude", &x.nexclude);
		s->max_bytes = (size_t)conf_int(conf, "record.max_bytes");
		stage_apply(s, &o->stage);
		if (stage_reads(s, &o->stage, conf, e) == 0)
			status = index_run(s, &x);
	}
	conf_free(conf);
	free(root);
	return status;
}
