/* index.c - the stage: which parts of a transcript are remembered, and when.
 *
 * Items are collected and put into the memory in batches: at go, at sync, at
 * the end, and when there are many.  The lock is held only during a batch.
 */
#include <fnmatch.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/map.h"
#include "base/mem.h"
#include "conf/redact.h"
#include "options/memories.h"
#include "record/alias.h"
#include "record/msg.h"
#include "store/store.h"

#include "index.h"

#define BATCH_ITEMS 20000
#define BATCH_BYTES ((size_t)16 << 20)
/* Limits of a resident stage, which shares the machine with others. */
#define RESIDENT_BYTES ((size_t)4 << 20)
#define RESIDENT_CACHE "PRAGMA cache_size=-8192"
/* A resident stage keeps this much while the disk is full. */
#define KEEP_BYTES ((size_t)256 << 20)

/* The text of a content value with its secrets replaced, or NULL. */
static char *
redact_value(const struct redact *redact, struct slice val)
{
	struct buf raw = BUF_INIT(BUF_RECORD_MAX);
	struct buf out = BUF_INIT(BUF_RECORD_MAX);

	if (msg_text(val, &raw))
		redact_add(redact, buf_view(&raw), &out);
	buf_release(&raw);
	return out.len > 0 ? buf_detach(&out) : NULL;
}

/* ---- calls ---- */

/* What calls tell us that their results do not. */
struct told {
	char *name, *path;	/* NULL: not told */
	int64_t time;
};

struct calls {
	struct map by_id;	/* to index + 1 */
	struct told *v;
	size_t n, cap;
};

static struct told *
told_of(struct calls *c, struct slice call_id, bool make)
{
	char *id = scan_strdup(call_id);

	if (id == NULL)
		return NULL;
	uint64_t *at = make ? map_put(&c->by_id, slice_of(id), NULL) :
	    map_get(&c->by_id, slice_of(id));
	free(id);
	if (at == NULL)
		return NULL;
	if (*at == 0) {
		GROW(c->v, c->n, c->cap);
		c->v[c->n++] = (struct told){ .time = WHEN_NONE };
		*at = c->n;
	}
	return &c->v[*at - 1];
}

static void
calls_learn(struct calls *c, const struct redact *redact,
    const struct rec *r)
{
	static const char *const keys[] = { "path", "command", "query",
		"pattern", "url" };
	struct buf named = BUF_INIT(BUF_RECORD_MAX), args = named;
	struct scan scan = { 0 };
	struct call call;

	for (struct walk w = walk_of(rec_get(r, "tool_calls"));
	    msg_next_call(&w, &call); ) {
		struct told *t = told_of(c, call.id, true);
		char *tool = scan_text(call.name);

		buf_reset(&named);
		if (t != NULL) {
			FREE(t->name, t->path);
			t->name = redact_value(redact, call.name);
			t->path = NULL;
		}
		/* what the call is about: a path, else a command or a search */
		msg_object(&scan, call.given, &args);
		if (t != NULL && alias_args(slice_of(tool), buf_view(&args),
		    &named))
			for (size_t i = 0; t->path == NULL &&
			    i < sizeof keys / sizeof *keys; i++)
				t->path = redact_value(redact, scan_get(
				    buf_view(&named), keys[i]));
		free(tool);
	}
	scan_release(&scan);
	bufs_release(BUFS(&named, &args));
}

struct index {
	const struct opts *opts;	/* which memory */
	const char *path;		/* this file instead, or NULL */
	bool enabled;			/* [memory] enabled */
	const char *const *exclude;	/* globs of paths */
	size_t nexclude;
	struct redact *redact;		/* NULL: not needed yet */
	struct store store;		/* db NULL: not open */
	/* of this transcript */
	char *session, *cwd;
	int64_t created;
	struct calls calls;
	/* not stored yet */
	struct item *item;
	size_t n, cap, bytes;
	bool due;			/* commit when no input is waiting */
	long long began;		/* ms */
	int64_t stored;
	bool told;			/* a line of progress is shown */
	bool failed;			/* a filter retries only at the end */
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
	x->due = false;
}

static int
commit(struct index *x, struct err *e)
{
	int r = 0;

	if (x->n == 0)
		return 0;
	if (x->store.db != NULL && db_is_stale(x->store.db))
		store_close(&x->store);
	if (x->store.db == NULL) {
		const char *name = "file";
		char *path = x->path != NULL ? xstrdup(x->path) :
		    memories_path(x->opts, true, &name, e);

		r = path != NULL ? store_open(&x->store, path, name, DB_WRITE,
		    e) : -1;
		free(path);
		if (r == 0 && x->opts->stage.mode == STAGE_RESIDENT)
			r = db_exec(x->store.db, RESIDENT_CACHE, e);
	}
	if (r < 0 || store_begin(&x->store, e) < 0)
		return -1;
	for (size_t i = 0; i < x->n && r == 0; i++)
		r = store_put(&x->store, &x->item[i], e);
	if (store_end(&x->store, r, e) < 0)
		return -1;
	x->stored += (int64_t)x->n;
	drop_pending(x);
	return 0;
}

/* Commit while running.  A resident stage says what failed and continues; the
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
		x->failed = true;	/* for good: once said is enough */
		drop_pending(x);
		stage_fail(s, &x->err);
		return;
	}
	stage_error(s, x->err.status == ST_TEMP ? "timeout" : "storage_full",
	    true, x->err.text, SLICE(""));
}

/* Unless resident, do not commit while there is more to read: many small
 * commits cost as much as the indexing. */
static void
on_act(struct stage *s)
{
	struct index *x = s->self;

	if (s->mode == STAGE_RESIDENT)
		flush(s);
	else
		x->due = true;
}

static void
on_idle(struct stage *s, int fd)
{
	struct pollfd in = { .fd = fd, .events = POLLIN };
	struct index *x = s->self;

	if (x->due && poll(&in, 1, 0) == 0)
		flush(s);
}

/* Commit a full batch, and show the progress of a long run: how many bytes of
 * the named files have been read. */
static void
store_batch(struct stage *s, struct index *x)
{
	double all = 0, read = 0;
	bool before = true;
	struct stat st;

	/* with -r a failed batch waits for the next sync, which retries and
	 * reports it */
	if (s->mode == STAGE_RESIDENT) {
		if (x->err.status == ST_OK && commit(x, &x->err) == 0)
			x->err.status = ST_OK;
		return;
	}
	flush(s);
	long long now = file_now_ms();
	off_t at = lseek(s->in.fd, 0, SEEK_CUR);
	if (x->opts->stage.quiet || !isatty(STDERR_FILENO) ||
	    now - x->began < 1000)
		return;
	for (size_t i = 0; i < s->nfiles; i++) {
		before = before && s->files[i] != s->in.name;
		if (stat(s->files[i], &st) < 0)
			continue;
		all += (double)st.st_size;
		read += before ? (double)st.st_size : 0;
	}
	read += at > 0 ? (double)at : 0;
	double seconds = (double)(now - x->began) / 1e3;
	fprintf(stderr, "\r\033[K%lld messages", (long long)x->stored);
	if (read > 0)
		fprintf(stderr, ", %.1f MB, %.1f MB/s", read / 1e6, read /
		    1e6 / seconds);
	if (read > 0 && all > read)
		fprintf(stderr, ", %.0f s left", (all - read) / read *
		    seconds);
	x->told = true;
}

/* ---- what is remembered ---- */

/* Append a path's parts, a '/' before each, without ".", ".." and empty
 * ones. */
static void
add_parts(struct slice path, struct buf *out)
{
	while (path.n > 0) {
		size_t end = slice_find(path, 0, "/");
		struct slice part = slice_part(path, 0, end);

		path = slice_from(path, end < path.n ? end + 1 : end);
		if (slice_is(part, "..")) {
			while (out->len > 0 && out->p[--out->len] != '/')
				continue;
		} else if (part.n > 0 && !slice_is(part, ".")) {
			buf_addc(out, '/');
			buf_slice(out, part);
		}
	}
}

/* Does a pattern match the path as given, relative to the session's folder, or
 * absolute?  It may be a folder: FOLDER/ is tried, too, for FOLDER/... */
static bool
is_excluded(const struct index *x, const char *path)
{
	struct buf cwd = BUF_INIT(BUF_RECORD_MAX), whole = cwd, folder = cwd;
	bool yes = false;

	if (path == NULL || x->nexclude == 0)
		return false;
	add_parts(slice_of(x->cwd != NULL ? x->cwd : ""), &cwd);
	if (*path != '/')
		buf_slice(&whole, buf_view(&cwd));
	add_parts(slice_of(path), &whole);
	buf_fmt(&folder, "%s/", buf_view(&whole).p);
	size_t at = whole.len > cwd.len && folder.p[cwd.len] == '/' &&
	    (cwd.len == 0 || memcmp(folder.p, cwd.p, cwd.len) == 0) ?
	    cwd.len + 1 : 0;
	const char *const forms[] = { path, folder.p + at, folder.p,
		buf_view(&whole).p + at, buf_view(&whole).p };
	for (size_t i = 0; i < x->nexclude; i++)
		for (size_t k = 0; k < sizeof forms / sizeof *forms; k++)
			yes |= fnmatch(x->exclude[i], forms[k], 0) == 0;
	bufs_release(BUFS(&cwd, &whole, &folder));
	return yes;
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
	if (r->kind == R_TOOL) {
		struct slice id = rec_get(r, "tool_call_id");
		struct told *t = told_of(&x->calls, id, false);
		char *call = scan_text(id);

		it.name = redact_value(x->redact, rec_get(r, "name"));
		it.path = redact_value(x->redact, msg_meta(r, "path"));
		if (t != NULL && it.name == NULL && t->name != NULL)
			it.name = xstrdup(t->name);
		if (t != NULL && it.path == NULL && t->path != NULL)
			it.path = xstrdup(t->path);
		if (t != NULL && t->time != WHEN_NONE)
			it.time = t->time;
		if (*call != '\0')
			memid_result(slice_of(x->session), slice_of(call),
			    it.id);
		free(call);
	}
	if (it.id[0] == '\0')		/* no call's result, or no call id */
		memid_message(slice_of(x->session), slice_of(it.role),
		    (struct slice){ it.text, it.len }, it.id);
	if (is_excluded(x, it.path)) {
		item_release(&it);
		return;
	}
	GROW(x->item, x->n, x->cap);
	x->item[x->n++] = it;
	x->bytes += it.len;
}

/* ---- the stage ---- */

static void
on_record(struct stage *s, const struct rec *r)
{
	struct index *x = s->self;

	/* here, not after adding a record: the line of a long one that filled
	 * the batch is freed by now */
	if (x->n >= BATCH_ITEMS || x->bytes >= (s->mode == STAGE_RESIDENT ?
	    RESIDENT_BYTES : BATCH_BYTES))
		store_batch(s, x);
	if (!x->enabled || x->failed)
		return;
	if (r->kind == R_HAMR) {
		FREE(x->session, x->cwd);
		x->session = rec_strdup(r, "session");
		x->cwd = rec_strdup(r, "cwd");
		if (x->session != NULL && x->session[0] == '\0') {
			free(x->session);
			x->session = NULL;
		}
		when_read(rec_get(r, "created"), &x->created);
	} else if (r->kind == R_START) {
		struct told *t = told_of(&x->calls, rec_get(r, "tool_call_id"),
		    true);
		int64_t at;

		when_read(rec_get(r, "at"), &at);
		if (t != NULL && at != WHEN_NONE)
			t->time = at;
	}
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
		x->session = memid_session(r);
	if (r->kind == R_ASSISTANT)
		calls_learn(&x->calls, x->redact, r);
	if (r->kind == R_ASSISTANT || (r->kind == R_USER &&
	    msg_is_person(r)) || (r->kind == R_TOOL && !msg_is_copy(r)))
		remember(x, r);
}

static void
on_reset(struct stage *s)
{
	struct index *x = s->self;

	for (size_t i = 0; i < x->calls.n; i++)
		FREE(x->calls.v[i].name, x->calls.v[i].path);
	free(x->calls.v);
	map_release(&x->calls.by_id);
	x->calls = (struct calls){ .n = 0 };
	FREE(x->session, x->cwd);
	x->session = x->cwd = NULL;
	x->created = WHEN_NONE;
}

int
index_files(struct stage *s, const struct opts *o, const char *path,
    struct err *e)
{
	static const struct stage_ops ops = { .name = "mem",
		.record = on_record, .act = on_act, .sync = flush,
		.idle = on_idle, .reset = on_reset };
	struct index x = { .opts = o, .path = path, .created = WHEN_NONE,
		.began = file_now_ms() };
	char *root = conf_root(".", e);
	struct conf *conf = root != NULL ? stage_conf(&o->stage, root, e) :
	    NULL;
	int status = -1;

	if (conf == NULL)
		goto out;
	x.enabled = conf_bool(conf, "memory.enabled");
	x.exclude = conf_list(conf, "memory.exclude", &x.nexclude);
	stage_apply(s, &o->stage, conf);
	if (stage_reads(s, &o->stage, conf, e) < 0)
		goto out;
	s->ops = &ops;
	s->self = &x;
	status = stage_run(s);
	if (commit(&x, &x.err) < 0) {
		int r = err_report(&x.err);

		if (status < 65)
			status = r;
	}
	if (x.told)
		fprintf(stderr, "\r\033[K%lld messages in %.1f s\n",
		    (long long)x.stored, (double)(file_now_ms() - x.began) /
		    1e3);
	on_reset(s);
	drop_pending(&x);
	store_close(&x.store);
	redact_free(x.redact);
	free(x.item);
	s->self = NULL;
out:
	conf_free(conf);
	free(root);
	return status;
}
