/* repeat.c - what results of reads and changes prove; reads that repeat one of
 * this turn. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/num.h"
#include "json/scan.h"
#include "tokens/budget.h"

#include "internal.h"

#define UNCHANGED "unchanged since the read above: "

#define TEXT_MAX 400		/* bytes shown again; beyond, one line */

/* ---- what was shown ---- */

struct proof *
proofs_of(struct proofs *ps, const char *rel)
{
	bool fresh;
	uint64_t *at = map_put(&ps->by_path, slice_of(rel), &fresh);

	if (fresh) {
		GROW(ps->v, ps->n, ps->cap);
		ps->v[ps->n] = (struct proof){ .rel = xstrdup(rel) };
		*at = ps->n++;
	}
	return &ps->v[*at];
}

static void
forget_reads(struct proof *p)
{
	while (p->n > 0) {
		struct cached *e = &p->v[--p->n];

		FREE(e->id, e->text);
	}
}

void
proofs_turn(struct proofs *ps)
{
	for (size_t i = 0; i < ps->n; i++)
		forget_reads(&ps->v[i]);
}

void
proofs_reset(struct proofs *ps)
{
	proofs_turn(ps);
	for (size_t i = 0; i < ps->n; i++) {
		line_set_release(&ps->v[i].lines);
		FREE(ps->v[i].rel, ps->v[i].v);
	}
	map_release(&ps->by_path);
	free(ps->v);
	*ps = (struct proofs){ 0 };
}

void
proof_read(struct proof *p, const char *hash)
{
	if (strcmp(p->hash, hash) == 0)
		return;
	forget_reads(p);
	line_set_release(&p->lines);
	memcpy(p->hash, hash, SHA_HEX);
}

void
proof_change(struct proof *p, const char *before, const char *after,
    const struct diff *d, long written)
{
	forget_reads(p);
	if (written >= 0 || strcmp(p->hash, before) != 0)
		line_set_release(&p->lines);
	memcpy(p->hash, after, SHA_HEX);
	line_set_add(&p->lines, 1, written);
	/* those before a patch have moved by now: it starts where it ends up */
	for (size_t i = 0; i < d->n && written < 0; i++) {
		const struct patch *x = &d->v[i];

		line_set_drop(&p->lines, x->b + 1, x->b + x->an,
		    x->bn - x->an);
		line_set_add(&p->lines, x->b + 1, x->b + x->bn);
	}
}

static struct cached *
find(const struct proof *p, int64_t first, int64_t last)
{
	for (size_t i = 0; i < p->n; i++) {
		struct cached *e = &p->v[i];

		if (e->first == first && (e->last == last || (e->lines > 0 &&
		    e->last >= e->lines && last >= e->lines)))
			return e;
	}
	return NULL;
}

/* ---- is it still the same file? ---- */

struct cached *
repeated_find(struct files *f, const struct path *p, struct slice args)
{
	struct buf text = BUF_INIT(FILE_MAX);
	bool unsaved;
	struct fault fault = { 0 };
	char hex[SHA_HEX] = "";
	struct stat st;

	if (!p->exists || !S_ISREG(p->st.st_mode))
		return NULL;
	struct proof *shown = proofs_of(&f->proofs, p->rel);
	struct cached *e = find(shown, arg_int(args, "first", 1),
	    arg_int(args, "last", INT64_MAX));
	if (e == NULL)
		return NULL;
	int fd = path_open(&f->root, e->rel, O_RDONLY);
	if (fd >= 0 && files_load_shown(f, fd, e->rel, &st, &text, NULL,
	    &unsaved, &fault))
		sha256_hex(text.p, text.len, hex);
	file_close(fd);
	buf_release(&text);
	/* the whole is shown again only if it still fits */
	struct slice whole = slice_of(e->text);
	if (strcmp(hex, shown->hash) == 0 && (!e->elided || budget_head(whole,
	    f->result_tokens, f->family) == whole.n))
		return e;
	forget_reads(shown);
	return NULL;
}

struct cached *
repeated_by(struct files *f, struct slice args)
{
	char *path = arg_path(f, args);
	struct cached *e = NULL;
	struct path p = { 0 };

	if (!arg_is_search(args) && path != NULL &&
	    files_find(f, slice_of(path), &p, NULL) == 0)
		e = repeated_find(f, &p, args);
	path_release(&p);
	free(path);
	return e;
}

void
repeated_line(const struct cached *e, struct buf *out)
{
	buf_adds(out, UNCHANGED);
	path_show(out, e->rel);
	buf_fmt(out, " %ld-%ld of %ld\n", e->from, e->to, e->lines);
}

void
repeated_put(struct files *f, const struct cached *e, struct result *r)
{
	struct slice whole = slice_of(e->text);

	if (whole.n > TEXT_MAX && !e->elided)
		repeated_line(e, &r->content);
	else
		buf_slice(&r->content, whole);
	scan_put(&r->meta, "'op':'file',");
	if (e->from > 0)
		scan_put(&r->meta, "'first':$,'last':$,", SCAN_INT(e->from),
		    SCAN_INT(e->to));
	scan_put(&r->meta, "'lines':$,'sha256':@,'cached':@,",
	    SCAN_INT(e->lines), slice_of(proofs_of(&f->proofs, e->rel)->hash),
	    slice_of(e->id));
	r->truncated = e->truncated;
	r->lossy = e->lossy;
	r->bytes = e->bytes >= 0 ? e->bytes : (long long)whole.n;
}

/* ---- what a result proves ---- */

static bool
get_hash(struct slice meta, const char *key, char hash[SHA_HEX])
{
	struct slice s = scan_plain(scan_get(meta, key));

	if (s.p == NULL || s.n != SHA_HEX - 1)
		return false;
	memcpy(hash, s.p, s.n);
	hash[s.n] = '\0';
	return true;
}

/* Remember a read of the content that p is about, in place of an older one of
 * the same range. */
static void
learn_read(struct proof *p, const char *id, struct slice args,
    struct slice content, struct slice meta)
{
	char *same = scan_strdup(scan_get(meta, "cached"));
	struct cached e = { .rel = p->rel, .first = arg_int(args, "first", 1),
		.last = arg_int(args, "last", INT64_MAX),
		.from = (long)scan_int_or(scan_get(meta, "first"), 0),
		.to = (long)scan_int_or(scan_get(meta, "last"), 0),
		.lines = (long)scan_int_or(scan_get(meta, "lines"), -1),
		.bytes = scan_int_or(scan_get(meta, "bytes"), -1),
		.truncated = scan_true(scan_get(meta, "truncated")),
		.lossy = scan_true(scan_get(meta, "lossy")) };

	if (same != NULL) {
		/* a read that was shown whole again is no longer elided */
		for (size_t i = 0; i < p->n && !slice_starts(content,
		    UNCHANGED); i++)
			if (strcmp(p->v[i].id, same) == 0)
				p->v[i].elided = false;
	} else if (e.lines >= 0) {
		struct cached *old = find(p, e.first, e.last);

		if (slice_ends(content, UNSAVED_NOTE))
			content.n -= strlen(UNSAVED_NOTE);
		e.id = xstrdup(id);
		e.text = xmemdup0(content.n > 0 ? content.p : "", content.n);
		if (old != NULL) {
			FREE(old->id, old->text);
		} else {
			GROW(p->v, p->n, p->cap);
			old = &p->v[p->n++];
		}
		*old = e;
	}
	free(same);
}

static void
learn_change(struct proof *p, bool edit, struct slice args, struct slice meta)
{
	struct slice shown = scan_get(meta, "shown"), val, a, b;
	struct buf text = BUF_INIT(BUF_RECORD_MAX);
	char before[SHA_HEX] = "", after[SHA_HEX];
	struct diff d = { 0 };
	struct walk w, pair;
	int64_t first, last;

	if (!get_hash(meta, "sha256_after", after))
		return;
	if (edit && strcmp(p->hash, after) == 0)
		return;		/* we made it */
	get_hash(meta, "sha256_before", before);
	scan_str(edit ? scan_get(meta, "diff") : scan_get(args, "content"),
	    &text);
	if (edit)
		diff_parse(&d, buf_view(&text));
	proof_change(p, before, after, &d, edit ? -1 :
	    (long)slice_lines(buf_view(&text)));
	if (scan_kind(shown) == SCAN_ARRAY)
		line_set_release(&p->lines);
	for (w = walk_of(shown); walk_next(&w, NULL, &val); ) {
		pair = walk_of(val);
		if (walk_next(&pair, NULL, &a) && walk_next(&pair, NULL, &b) &&
		    scan_int(a, &first) && scan_int(b, &last))
			line_set_add(&p->lines, first, last);
	}
	diff_release(&d);
	buf_release(&text);
}

void
files_learn_proofs(struct files *f, const char *id, const char *tool,
    struct slice args, struct slice content, struct slice meta)
{
	bool read = strcmp(tool, "read") == 0;
	/* a refused edit may have shown its lines */
	bool place = scan_str_is(scan_get(meta, "error"), "not_read") &&
	    scan_kind(scan_get(meta, "sha256")) == SCAN_STRING;
	struct path path = { 0 };
	char hash[SHA_HEX];
	int64_t first, last;

	if (scan_kind(scan_get(meta, "error")) == SCAN_STRING && !place)
		return;
	if (read && scan_kind(scan_get(meta, "op")) == SCAN_STRING &&
	    scan_kind(scan_get(meta, "cached")) != SCAN_STRING) {
		/* more where a token has fewer bytes than the budget assumes */
		size_t n = budget_bytes((long)(token_text(f->family,
		    content.p, content.n) / 64));

		f->used += n > content.n ? num_min(n, f->result_cap) :
		    content.n;
	}
	if (read && !scan_str_is(scan_get(meta, "op"), "file"))
		return;
	/* its true name, if that can be told: it may not be UTF-8 */
	char *name = scan_strdup(scan_get(meta, "path"));
	if (name == NULL || strstr(name, "\xef\xbf\xbd") != NULL)
		xset(&name, scan_strdup(scan_get(args, "path")));
	bool found = name != NULL &&
	    path_find(&f->root, slice_of(name), &path, NULL) == 0;
	free(name);
	struct proof *p = found ? proofs_of(&f->proofs, path.rel) : NULL;
	if (found && (place || read)) {
		if (get_hash(meta, "sha256", hash)) {
			proof_read(p, hash);
			if (!place)
				learn_read(p, id, args, content, meta);
			if (scan_int(scan_get(meta, "first"), &first) &&
			    scan_int(scan_get(meta, "last"), &last) &&
			    first >= 1 && !(scan_true(scan_get(meta,
			    "truncated")) && slice_has(content, LINE_CUT)))
				line_set_add(&p->lines, first, last);
		}
	} else if (found) {
		learn_change(p, strcmp(tool, "edit") == 0, args, meta);
	}
	path_release(&path);
}

void
files_forget(struct files *f, const char *path, long first, long last)
{
	struct path p = { 0 };

	if (path_find(&f->root, slice_of(path), &p, NULL) == 0) {
		struct proof *shown = proofs_of(&f->proofs, p.rel);

		line_set_drop(&shown->lines, first, last, 0);
		for (size_t i = 0; i < shown->n; i++)
			shown->v[i].elided |= shown->v[i].from <= last &&
			    shown->v[i].to >= first;
	}
	path_release(&p);
}
