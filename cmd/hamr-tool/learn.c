/* learn.c - what a transcript proves to a hamr-tool that was not there. */
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "scan.h"

#include "files_in.h"

static char *
meta_str(struct slice meta, const char *key)
{
	return scan_strdup(scan_get(meta, key));
}

/* The true name of the path a result names; NULL when it names none. */
static char *
path_for(struct files *f, struct slice meta, struct slice args)
{
	char *name = meta_str(meta, "path");
	struct fault fault = { 0 };
	struct path p = { 0 };
	char *rel = NULL;

	if (name == NULL)
		name = meta_str(args, "path");
	if (name != NULL && path_find(&f->root, slice_of(name), &p, &fault)
	    == 0)
		rel = xstrdup(p.rel);
	path_release(&p);
	free(name);
	return rel;
}

static bool
is_hash(const char *s)
{
	return s != NULL && strlen(s) == SHA_HEX - 1;
}

/* Does the text of a read show its lines first to last, each whole?  Lines
 * are whole up to 2,000 characters, and what was cut is longer. */
static bool
shows(struct slice content, int64_t first, int64_t last)
{
	char *text = xmemdup0(content.p, content.n), *p, *end;
	bool good = true;

	p = strchr(text, '\n');		/* behind the header */
	for (int64_t no = first; good && no <= last; no++) {
		size_t chars = 0;

		if (p == NULL || strtoll(p + 1, &end, 10) != no ||
		    *end != '\t') {
			good = false;
			break;
		}
		p = strchr(end, '\n');
		for (const char *q = end + 1; q != p && *q != '\0'; q++)
			chars += (*q & 0xc0) != 0x80;
		good = chars <= FILES_LINE_CHARS;
	}
	free(text);
	return good;
}

static void
learn_read(struct proof *p, struct slice content, struct slice meta)
{
	char *hash = meta_str(meta, "sha256");
	int64_t first, last;

	if (is_hash(hash)) {
		proof_read(p, hash);
		if (scan_int(scan_get(meta, "first"), &first) &&
		    scan_int(scan_get(meta, "last"), &last) && first >= 1 &&
		    (!scan_true(scan_get(meta, "truncated")) ||
		    shows(content, first, last)))
			proof_add(p, first, last);
	}
	free(hash);
}

static void
learn_shown(struct proof *p, struct slice shown)
{
	struct walk w, pair;
	struct slice key, val, a, b;
	int64_t first, last;

	p->n = 0;
	for (walk_in(&w, shown); walk_next(&w, &key, &val); ) {
		walk_in(&pair, val);
		if (walk_next(&pair, &key, &a) && walk_next(&pair, &key, &b) &&
		    scan_int(a, &first) && scan_int(b, &last))
			proof_add(p, first, last);
	}
}

static void
learn_edit(struct proof *p, struct slice meta)
{
	char *before = meta_str(meta, "sha256_before");
	char *after = meta_str(meta, "sha256_after");
	struct slice shown = scan_get(meta, "shown");
	struct buf text = BUF_INIT(BUF_RECORD_MAX);
	struct diff d = { 0 };

	if (is_hash(after)) {
		if (before == NULL || strcmp(p->hash, before) != 0)
			p->n = 0;
		scan_str(scan_get(meta, "diff"), &text);
		diff_parse(&d, buf_view(&text));
		proof_move(p, after, d.v, d.n);
		if (scan_kind(shown) == SCAN_ARRAY)
			learn_shown(p, shown);
	}
	diff_release(&d);
	buf_release(&text);
	free(before);
	free(after);
}

static void
learn_write(struct proof *p, struct slice args, struct slice meta)
{
	char *after = meta_str(meta, "sha256_after");
	struct buf text = BUF_INIT(BUF_RECORD_MAX);
	long lines;

	if (is_hash(after)) {
		scan_str(scan_get(args, "content"), &text);
		free(lines_index(buf_view(&text), &lines));
		proof_read(p, after);
		p->n = 0;
		proof_add(p, 1, lines);
	}
	buf_release(&text);
	free(after);
}

/* What files_read counted when it made this result. */
static void
charge(struct files *f, struct slice content, struct slice meta)
{
	if (scan_kind(scan_get(meta, "op")) == SCAN_STRING &&
	    scan_kind(scan_get(meta, "cached")) != SCAN_STRING)
		f->used += content.n;
}

void
files_learn(struct files *f, const char *tool, struct slice args,
    struct slice content, struct slice meta)
{
	bool read = strcmp(tool, "read") == 0;
	struct proof *p;
	char *rel;

	if (scan_kind(scan_get(meta, "error")) == SCAN_STRING)
		return;
	if (read)
		charge(f, content, meta);
	if (read && !scan_str_is(scan_get(meta, "op"), "file"))
		return;
	rel = path_for(f, meta, args);
	if (rel == NULL)
		return;
	p = proofs_of(&f->proofs, rel);
	if (!read)
		cache_drop(&f->cache, rel);
	if (read) {
		learn_read(p, content, meta);
		again_learn(f, rel, args, content, meta);
	} else if (strcmp(tool, "edit") == 0)
		learn_edit(p, meta);
	else
		learn_write(p, args, meta);
	free(rel);
}

void
files_forget(struct files *f, const char *path, long first, long last)
{
	struct fault fault = { 0 };
	struct path p = { 0 };

	if (path_find(&f->root, slice_of(path), &p, &fault) == 0) {
		proof_drop(proofs_of(&f->proofs, p.rel), first, last);
		cache_elide(&f->cache, p.rel, first, last);
	}
	path_release(&p);
}
