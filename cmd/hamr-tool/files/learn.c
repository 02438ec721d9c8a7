/* learn.c - what a transcript proves to a hamr-tool that was not there. */
#include <stdlib.h>
#include <string.h>

#include "json/scan.h"

#include "internal.h"

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
	get_hash(meta, "sha256_before", before);
	if (!edit) {
		scan_str(scan_get(args, "content"), &text);
		proof_read(p, after);
		p->n = 0;
		proof_add(p, 1, (long)slice_lines(buf_view(&text)));
		buf_release(&text);
		return;
	}
	if (before[0] == '\0' || strcmp(p->hash, before) != 0)
		p->n = 0;
	scan_str(scan_get(meta, "diff"), &text);
	diff_parse(&d, buf_view(&text));
	proof_move(p, after, d.v, d.n);
	if (scan_kind(shown) == SCAN_ARRAY)
		p->n = 0;
	for (w = walk_of(shown); walk_next(&w, NULL, &val); ) {
		pair = walk_of(val);
		if (walk_next(&pair, NULL, &a) && walk_next(&pair, NULL, &b) &&
		    scan_int(a, &first) && scan_int(b, &last))
			proof_add(p, first, last);
	}
	diff_release(&d);
	buf_release(&text);
}

void
files_learn(struct files *f, const char *tool, struct slice args,
    struct slice content, struct slice meta)
{
	bool read = strcmp(tool, "read") == 0;
	/* an edit that was refused may show its place */
	bool place = scan_str_is(scan_get(meta, "error"), "not_read") &&
	    scan_kind(scan_get(meta, "sha256")) == SCAN_STRING;
	struct path path = { 0 };
	char *name, hash[SHA_HEX];
	int64_t first, last;
	struct proof *p;
	bool found;

	if (scan_kind(scan_get(meta, "error")) == SCAN_STRING && !place)
		return;
	/* what files_read counted when it made this result */
	if (read && scan_kind(scan_get(meta, "op")) == SCAN_STRING &&
	    scan_kind(scan_get(meta, "cached")) != SCAN_STRING)
		f->used += content.n;
	if (read && !scan_str_is(scan_get(meta, "op"), "file"))
		return;
	name = scan_strdup(scan_get(meta, "path"));
	if (name == NULL)
		name = scan_strdup(scan_get(args, "path"));
	found = name != NULL &&
	    path_find(&f->root, slice_of(name), &path, NULL) == 0;
	free(name);
	p = found ? proofs_of(&f->proofs, path.rel) : NULL;
	if (found && (place || read)) {
		if (get_hash(meta, "sha256", hash)) {
			proof_read(p, hash);
			if (scan_int(scan_get(meta, "first"), &first) &&
			    scan_int(scan_get(meta, "last"), &last) &&
			    first >= 1 && !(scan_true(scan_get(meta,
			    "truncated")) && slice_has(content, LINE_CUT)))
				proof_add(p, first, last);
		}
		if (!place)
			repeated_learn(f, path.rel, args, content, meta);
	} else if (found) {
		cache_drop(&f->cache, path.rel);
		learn_change(p, strcmp(tool, "edit") == 0, args, meta);
	}
	path_release(&path);
}

void
files_forget(struct files *f, const char *path, long first, long last)
{
	struct path p = { 0 };

	if (path_find(&f->root, slice_of(path), &p, NULL) == 0) {
		proof_drop(proofs_of(&f->proofs, p.rel), first, last);
		cache_elide(&f->cache, p.rel, first, last);
	}
	path_release(&p);
}
