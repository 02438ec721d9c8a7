/* undo.c - hamr-tool undo: what is taken back, and whether it may be. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "json.h"
#include "mem.h"
#include "rec.h"
#include "utf8.h"

#include "files_in.h"
#include "journal.h"
#include "takeback.h"
#include "undo.h"

struct undo {
	struct files *f;
	struct snap *snap;
	struct journal j;
	struct takeback tb;
	struct map by_path;	/* -> index + 1 in tb.v */
	struct map by_oid;	/* -> index + 1 in blobs */
	struct slice *blobs;
	size_t nblobs;
	struct buf text;	/* of all blobs */
};

/* ---- choosing ---- */

static bool
is_open(const struct undo_entry *c)
{
	return !c->is_checkpoint && !c->undone;
}

/* Mark in pick what id means; false: there is none of that name. */
static bool
choose(const struct undo *u, const char *id, bool *pick)
{
	for (size_t i = u->j.n; i-- > 0; ) {
		const struct undo_entry *c = &u->j.v[i];

		if (id == NULL ? is_open(c) : strcmp(c->id, id) == 0) {
			for (size_t k = i; c->is_checkpoint && k < u->j.n; k++)
				pick[k] = is_open(&u->j.v[k]);
			pick[i] = is_open(c);
			return true;
		}
	}
	for (size_t i = u->j.n; i-- > 0 && id != NULL; )
		if (is_open(&u->j.v[i]) && strcmp(u->j.v[i].call, id) == 0)
			return pick[i] = true;
	return false;
}

/* ---- the old contents ---- */

static int
load(struct undo *u, const bool *pick, struct err *e)
{
	const char **oids = NULL;
	size_t n = 0, cap = 0, at = 0;
	long long *len;
	bool fresh;
	int r;

	for (size_t i = 0; i < u->j.n; i++)
		for (size_t k = 0; pick[i] && k < u->j.v[i].n; k++) {
			const char *oid = u->j.v[i].v[k].oid;
			uint64_t *no;

			if (oid[0] == '\0')
				continue;
			no = map_put(&u->by_oid, slice_of(oid), &fresh);
			if (!fresh)
				continue;
			oids = xgrow(oids, n, &cap, sizeof *oids);
			oids[n++] = oid;
			*no = n;
		}
	len = xcalloc(n + 1, sizeof *len);
	r = snap_fetch(u->snap, oids, n, &u->text, len, e);
	u->blobs = xcalloc(n + 1, sizeof *u->blobs);
	for (size_t i = 0; i < n && r == 0; i++) {
		if (len[i] < 0) {
			r = err_set(e, ST_SYSTEM, "the old content %.12s is "
			    "no more in %s; nothing was changed", oids[i],
			    snap_dir(u->snap));
			break;
		}
		u->blobs[i] = (struct slice){ u->text.p + at,
		    (size_t)len[i] };
		at += (size_t)len[i];
	}
	free(len);
	free(oids);
	return r;
}

static struct slice
blob(const struct undo *u, const char *oid)
{
	uint64_t *no = map_get(&u->by_oid, slice_of(oid));

	return no != NULL ? u->blobs[*no - 1] : SLICE("");
}

/* ---- planning ---- */

/* Is what a step would leave what an older change had left? */
static bool
chains(const struct takeback_step *s, const struct trace *t)
{
	char hex[SHA_HEX];

	if (s->oid[0] == '\0' || t->sha[0] == '\0')
		return s->oid[0] == t->sha[0];
	sha256_hex(s->text.p, s->text.n, hex);
	return strcmp(hex, t->sha) == 0 && takeback_same_mode(s->mode,
	    t->new_mode);
}

static int
not_as_left(const char *path, struct err *e)
{
	char *name = path_name(path);

	err_set(e, ST_POLICY, "%s is not as hamr left it; nothing was "
	    "changed, put it right by hand or undo what came later first",
	    name);
	free(name);
	return -1;
}

static int
plan_trace(struct undo *u, const struct trace *t, struct err *e)
{
	uint64_t *at = map_get(&u->by_path, slice_of(t->path));
	struct takeback_step *s;
	bool good;

	if (files_hidden(u->f, t->path))
		return err_set(e, ST_POLICY, "%s is kept from reading and "
		    "writing; nothing was changed", t->path);
	if (at == NULL) {
		s = takeback_add(&u->tb, t->path);
		*map_put(&u->by_path, slice_of(t->path), NULL) = u->tb.n;
		s->left = t->new_mode;
		good = takeback_is(u->f, t->path, t->sha, t->new_mode);
	} else {
		s = &u->tb.v[*at - 1];
		good = chains(s, t);
	}
	if (!good)
		return not_as_left(t->path, e);
	s->oid = t->oid;
	s->mode = t->old_mode;
	s->text = blob(u, t->oid);
	if (t->folders > s->folders)
		s->folders = t->folders;
	return 0;
}

static int
plan(struct undo *u, const bool *pick, struct err *e)
{
	for (size_t i = u->j.n; i-- > 0; )
		for (size_t k = 0; pick[i] && k < u->j.v[i].n; k++)
			if (plan_trace(u, &u->j.v[i].v[k], e) < 0)
				return -1;
	return 0;
}

/* ---- doing ---- */

static void
say_done(const struct undo *u, const bool *pick, struct buf *out)
{
	for (size_t i = u->j.n; i-- > 0; )
		if (pick[i])
			buf_fmt(out, "undone %s, %s of %s\n", u->j.v[i].id,
			    u->j.v[i].tool, u->j.v[i].at);
	for (size_t i = 0; i < u->tb.n; i++) {
		const struct takeback_step *s = &u->tb.v[i];

		buf_adds(out, s->oid[0] != '\0' ? "  restored " :
		    "  removed ");
		path_show(out, s->path);
		buf_addc(out, '\n');
	}
}

/* The same as a record, {"type":"undo"}: what each file is now. */
static void
record_done(const struct undo *u, const char *of, struct buf *out)
{
	struct json *o = json_object(), *list = json_array();

	json_str(o, "type", "undo");
	json_str(o, "of", of);
	for (size_t i = 0; i < u->tb.n; i++) {
		const struct takeback_step *s = &u->tb.v[i];
		struct json *one = json_object();
		struct buf rel = BUF_INIT(BUF_RECORD_MAX);
		char sha[SHA_HEX];

		utf8_clean(&rel, s->path, strlen(s->path));
		json_slice(one, "path", buf_view(&rel));
		if (s->oid[0] != '\0') {
			sha256_hex(s->text.p, s->text.n, sha);
			json_str(one, "sha256", sha);
		} else {
			json_null(one, "sha256");
		}
		json_add(list, NULL, one);
		buf_release(&rel);
	}
	json_add(o, "paths", list);
	json_print(o, out);
	buf_addc(out, '\n');
	json_free(o);
}

/* The newest of what was picked. */
static const char *
newest(const struct undo *u, const bool *pick)
{
	size_t i = u->j.n;

	while (i-- > 0)
		if (pick[i])
			return u->j.v[i].id;
	return "";
}

static int
carry_out(struct undo *u, const bool *pick, struct err *e)
{
	char **ids = xcalloc(u->j.n + 1, sizeof *ids);
	size_t n = 0;
	int lock = snap_lock(u->snap, e), r = -1;

	if (lock >= 0 && load(u, pick, e) == 0 && plan(u, pick, e) == 0)
		r = takeback_do(u->f, &u->tb, e);
	if (lock >= 0)
		close(lock);
	for (size_t i = 0; i < u->j.n; i++)
		if (pick[i])
			ids[n++] = u->j.v[i].id;
	if (r == 0)
		r = journal_undone(u->snap, ids, n, e);
	free(ids);
	return r;
}

static int
print(const struct buf *text, struct err *e)
{
	struct rec_out out;

	rec_out_init(&out, STDOUT_FILENO, "stdout");
	if (text->len > 0)
		rec_put(&out, (struct slice){ text->p, text->len - 1 });
	return rec_end(&out, e);
}

static int
run(struct undo *u, const char *id, bool json, struct err *e)
{
	struct buf text = BUF_INIT(BUF_RECORD_MAX);
	bool *pick, any = false;
	int r = ST_OK;

	if (journal_read(u->snap, &u->j, e) < 0)
		return e->status;
	pick = xcalloc(u->j.n + 1, sizeof *pick);
	if (!choose(u, id, pick) && id != NULL)
		err_set(e, r = ST_NO, "there is no change %s; hamr-tool undo "
		    "--list names those there are", id);
	for (size_t i = 0; i < u->j.n; i++)
		any |= pick[i];
	if (r == ST_OK && !any)
		err_set(e, r = ST_NO, id != NULL ? "%s has nothing to undo, "
		    "or it is undone already" : "nothing to undo%.0s",
		    id != NULL ? id : "");
	if (r == ST_OK && carry_out(u, pick, e) < 0)
		r = e->status;
	if (r == ST_OK) {
		if (json)
			record_done(u, id != NULL ? id : newest(u, pick),
			    &text);
		else
			say_done(u, pick, &text);
		if (print(&text, e) < 0)
			r = e->status;
	}
	buf_release(&text);
	free(pick);
	return r;
}

static int
open_undo(struct undo *u, struct files *f, struct err *e)
{
	*u = (struct undo){ .f = f, .text = BUF_INIT((size_t)1 << 30) };
	u->snap = snap_open(f, false, e);
	if (u->snap != NULL)
		return ST_OK;
	if (e->status == ST_NOINPUT)
		err_set(e, ST_NO, "nothing to undo");
	return e->status;
}

static void
close_undo(struct undo *u)
{
	journal_release(&u->j);
	takeback_release(&u->tb);
	map_release(&u->by_path);
	map_release(&u->by_oid);
	free(u->blobs);
	buf_release(&u->text);
	snap_free(u->snap);
}

int
undo_run(struct files *f, const char *id, bool json, struct err *e)
{
	struct undo u;
	int r = open_undo(&u, f, e);

	if (r == ST_OK)
		r = run(&u, id, json, e);
	close_undo(&u);
	return r;
}

/* ---- listing ---- */

static void
list_one(const struct undo_entry *c, struct buf *out)
{
	struct json *o = json_object(), *paths = json_array();
	struct buf clean = BUF_INIT(BUF_RECORD_MAX);

	json_str(o, "id", c->id);
	json_str(o, "at", c->at);
	json_str(o, "tool", c->tool);
	for (size_t i = 0; i < c->n; i++) {
		buf_reset(&clean);
		utf8_clean(&clean, c->v[i].path, strlen(c->v[i].path));
		json_slice(paths, NULL, buf_view(&clean));
	}
	json_add(o, "paths", paths);
	if (c->checkpoint != NULL)
		json_str(o, "checkpoint", c->checkpoint);
	json_str(o, "tool_call_id", c->call);
	json_print(o, out);
	buf_addc(out, '\n');
	json_free(o);
	buf_release(&clean);
}

int
undo_list(struct files *f, struct err *e)
{
	struct buf text = BUF_INIT(BUF_RECORD_MAX);
	struct undo u;
	int r = open_undo(&u, f, e);

	if (r == ST_OK && journal_read(u.snap, &u.j, e) < 0)
		r = e->status;
	for (size_t i = u.j.n; r == ST_OK && i-- > 0; )
		if (is_open(&u.j.v[i]))
			list_one(&u.j.v[i], &text);
	if (r == ST_OK || r == ST_NO)	/* an empty list is one */
		r = print(&text, e) < 0 ? (int)e->status : ST_OK;
	buf_release(&text);
	close_undo(&u);
	return r;
}
