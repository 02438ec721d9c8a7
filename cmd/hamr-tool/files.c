/* files.c - the file tools: set up, what may be read, the budget of a turn. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "alias.h"
#include "file.h"
#include "mem.h"
#include "replace.h"
#include "scan.h"

#include "files_in.h"

#define ROOM_MIN 400		/* of the turn's budget; less is none */

struct files *
files_new(const struct files_opts *o, struct err *e)
{
	struct files *f = xcalloc(1, sizeof *f);

	if (root_open(&f->root, o->root, e) < 0) {
		free(f);
		return NULL;
	}
	f->o = *o;
	f->o.root = f->root.real;
	return f;
}

void
files_free(struct files *f)
{
	if (f == NULL)
		return;
	proofs_reset(&f->proofs);
	cache_reset(&f->cache);
	root_close(&f->root);
	free(f);
}

void
files_caps(struct files *f, size_t result_cap, size_t turn_cap)
{
	f->o.result_cap = result_cap;
	f->o.turn_cap = turn_cap;
}

void
files_mode(struct files *f, bool may_write, bool docs_only)
{
	f->o.may_write = may_write;
	f->o.docs_only = docs_only;
}

void
files_policy(struct files *f, const struct lists *l)
{
	f->lists = *l;
}

void
files_stop(struct files *f, bool (*stop)(void *), void *arg)
{
	f->stop = stop;
	f->stop_arg = arg;
}

void
files_on_change(struct files *f, files_see_change *see, void *arg)
{
	f->on_change = see;
	f->change_arg = arg;
}

void
files_call(struct files *f, const char *id)
{
	f->call = id;
}

void
files_turn(struct files *f)
{
	f->used = 0;
	cache_reset(&f->cache);
}

void
files_reset(struct files *f)
{
	proofs_reset(&f->proofs);
	cache_reset(&f->cache);
	f->used = 0;
}

int
files_root_fd(const struct files *f)
{
	return f->root.fd;
}

const char *
files_root(const struct files *f)
{
	return f->root.real;
}

/* ---- refusals ---- */

/* The named thing: a refusal goes to r.code, all else is for the work. */
static void
judge_name(struct files *f, struct slice path, struct slice args, bool query,
    struct result *r)
{
	int64_t first = arg_int(args, "first", 1);
	int64_t last = arg_int(args, "last", INT64_MAX);
	struct result found;
	struct path p = { 0 };

	result_init(&found);
	if (!files_find(f, path, &p, &found)) {
		if (is_refusal(found.code))
			result_error(r, found.code, "%s", found.content.p);
	} else if (!query && last < first && p.exists &&
	    S_ISREG(p.st.st_mode)) {
		files_path_meta(r, p.rel);
		result_error(r, "bad_arguments", "last (%lld) is before first "
		    "(%lld)", (long long)last, (long long)first);
	}
	path_release(&p);
	result_release(&found);
}

static bool
judge_read(struct files *f, struct slice args, struct result *r)
{
	struct buf path = BUF_INIT(BUF_RECORD_MAX);
	struct buf text = BUF_INIT(BUF_RECORD_MAX);
	bool query = arg_str(args, "query", &text) && text.len > 0;

	if (!arg_str(args, "path", &path)) {
		if (!query)
			result_error(r, "bad_arguments",
			    "read needs a path or a query");
	} else if (path.len > 0 && !slice_is(buf_view(&path), "/dev/null")) {
		judge_name(f, buf_view(&path), args, query, r);
	}
	buf_release(&path);
	buf_release(&text);
	return r->code == NULL;
}

bool
files_judge(struct files *f, const char *tool, struct slice args,
    struct result *r)
{
	if (strcmp(tool, "read") == 0 || strcmp(tool, "view_image") == 0)
		return judge_read(f, args, r);
	return files_judge_change(f, strcmp(tool, "edit") == 0, args, r);
}

/* ---- the budget of a turn ---- */

bool
files_spent(struct files *f, struct slice args, struct result *r)
{
	if (f->o.turn_cap == 0 || f->used + ROOM_MIN <= f->o.turn_cap ||
	    again_has(f, args))
		return false;
	buf_fmt(&r->content, "not read: this turn's reads have used up their "
	    "%zu bytes; %s%s\n", f->o.turn_cap, f->o.may_write ?
	    "make the change with edit" : "answer from what was read",
	    f->o.memory ? ", or look up what was read with search_memory" :
	    "");
	return true;
}

void
files_known(struct files *f, struct slice args, struct result *r)
{
	struct buf path = BUF_INIT(BUF_RECORD_MAX);
	struct buf query = BUF_INIT(BUF_RECORD_MAX);
	struct cached *e = NULL;
	struct result unused;
	struct path p = { 0 };

	result_init(&unused);
	if (arg_str(args, "path", &path) && (!arg_str(args, "query", &query) ||
	    query.len == 0) && files_find(f, buf_view(&path), &p, &unused))
		e = again_find(f, &p, args);
	if (e != NULL && e->from > 0) {
		buf_adds(&r->content, r->content.len > 0 &&
		    r->content.p[r->content.len - 1] != '\n' ? "\n" : "");
		again_line(e, &r->content);
	}
	path_release(&p);
	result_release(&unused);
	buf_release(&path);
	buf_release(&query);
}

size_t
files_left(const struct files *f)
{
	return f->o.turn_cap == 0 ? SIZE_MAX : f->o.turn_cap > f->used ?
	    f->o.turn_cap - f->used : 0;
}

void
files_charge(struct files *f, size_t n)
{
	f->used += n;
}

bool
files_surely(const struct files *f, size_t n)
{
	size_t each = f->o.result_cap;

	return f->o.turn_cap == 0 || n == 0 || (each != 0 &&
	    f->used + n * each + ROOM_MIN <= f->o.turn_cap);
}

bool
files_slow(struct files *f, struct slice text)
{
	struct buf args = BUF_INIT(BUF_RECORD_MAX);
	struct buf path = BUF_INIT(BUF_RECORD_MAX);
	struct scan scan = { .n = 0 };
	struct fault fault = { 0 };
	struct path p = { 0 };
	bool slow = false;

	if (scan_value(&scan, text.p, text.n) == 0 &&
	    alias_args(SLICE("read"), text, &args)) {
		slow = scan_kind(scan_get(buf_view(&args), "query")) ==
		    SCAN_STRING;
		if (!slow && arg_str(buf_view(&args), "path", &path) &&
		    path_find(&f->root, buf_view(&path), &p, &fault) == 0)
			slow = p.exists && S_ISDIR(p.st.st_mode);
	}
	path_release(&p);
	scan_release(&scan);
	buf_release(&args);
	buf_release(&path);
	return slow;
}

void
files_sweep(struct files *f, struct slice args)
{
	struct buf path = BUF_INIT(BUF_RECORD_MAX);
	struct fault fault = { 0 };
	struct path p = { 0 };
	const char *base;
	int dir;

	if (arg_str(args, "path", &path) &&
	    path_find(&f->root, buf_view(&path), &p, &fault) == 0) {
		dir = path_open_parent(&f->root, p.rel, &base);
		if (dir >= 0) {
			replace_sweep(dir);
			close(dir);
		}
	}
	path_release(&p);
	buf_release(&path);
}
