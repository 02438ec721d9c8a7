/* again.c - a read that repeats one of this turn: from the cache. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mem.h"
#include "scan.h"

#include "files_in.h"

#define AGAIN_MAX 400		/* bytes that are repeated; else one line */

/* Is the content still what was read then? */
static bool
same_content(const struct files *f, struct cached *e)
{
	struct buf text = BUF_INIT(FILE_MAX);
	struct fault fault = { 0 };
	char hex[SHA_HEX] = "";
	struct stat st;
	int fd = path_open(&f->root, e->rel, O_RDONLY);

	if (fd >= 0 && files_load(fd, e->rel, &st, &text, &fault)) {
		sha256_hex(text.p, text.len, hex);
		cached_identity(e, &st);
	}
	if (fd >= 0)
		close(fd);
	buf_release(&text);
	return strcmp(hex, e->sha) == 0;
}

struct cached *
again_find(struct files *f, const struct path *p, struct slice args)
{
	struct cached *e;

	if (!p->exists || !S_ISREG(p->st.st_mode) || f->o.person)
		return NULL;
	e = cache_find(&f->cache, p->rel, arg_int(args, "first", 1),
	    arg_int(args, "last", INT64_MAX));
	if (e == NULL || cached_same(e, &p->st) || same_content(f, e))
		return e;
	cache_drop(&f->cache, p->rel);
	return NULL;
}

void
again_line(const struct cached *e, struct buf *out)
{
	buf_adds(out, "unchanged since the read above: ");
	path_show(out, e->rel);
	buf_fmt(out, " %ld-%ld of %ld\n", e->from, e->to, e->lines);
}

void
again_put(struct files *f, struct cached *e, struct result *r)
{
	struct proof *proof = proofs_of(&f->proofs, e->rel);
	bool line = e->len > AGAIN_MAX && !e->elided;

	if (line) {
		again_line(e, &r->content);
	} else {
		buf_add(&r->content, e->text, e->len);
		e->elided = false;
		proof_read(proof, e->sha);
		if (!e->truncated && e->from > 0)
			proof_add(proof, e->from, e->to);
	}
	json_str(r->meta, "op", "file");
	if (e->from > 0) {
		json_int(r->meta, "first", e->from);
		json_int(r->meta, "last", e->to);
	}
	json_int(r->meta, "lines", e->lines);
	json_str(r->meta, "sha256", e->sha);
	json_str(r->meta, "cached", e->id);
	r->truncated = e->truncated;
	r->lossy = e->lossy;
	r->bytes = e->bytes >= 0 ? e->bytes : (long long)e->len;
}

bool
again_has(struct files *f, struct slice args)
{
	struct buf path = BUF_INIT(BUF_RECORD_MAX);
	struct buf query = BUF_INIT(BUF_RECORD_MAX);
	struct result unused;
	struct path p = { 0 };
	bool yes = false;

	if (f->cache.n == 0 || !arg_str(args, "path", &path) ||
	    (arg_str(args, "query", &query) && query.len > 0))
		goto out;
	result_init(&unused);
	yes = files_find(f, buf_view(&path), &p, &unused) &&
	    again_find(f, &p, args) != NULL;
	path_release(&p);
	result_release(&unused);
out:
	buf_release(&path);
	buf_release(&query);
	return yes;
}

void
again_keep(struct files *f, const char *rel, const struct stat *st,
    const char *sha, long from, long to, long lines, struct slice args,
    const struct result *r)
{
	struct cached *e;

	if (f->o.person || f->call == NULL)
		return;
	e = cache_add(&f->cache, rel, f->call, arg_int(args, "first", 1),
	    arg_int(args, "last", INT64_MAX));
	e->from = from;
	e->to = to;
	e->lines = lines;
	memcpy(e->sha, sha, SHA_HEX);
	e->text = xmemdup0(r->content.p, r->content.len);
	e->len = r->content.len;
	e->bytes = r->bytes;
	e->truncated = r->truncated;
	e->lossy = r->lossy;
	if (st != NULL)
		cached_identity(e, st);
}

/* ---- from a transcript ---- */

void
again_learn(struct files *f, const char *rel, struct slice args,
    struct slice content, struct slice meta)
{
	char *sha = scan_strdup(scan_get(meta, "sha256"));
	char *id = scan_strdup(scan_get(meta, "cached"));
	int64_t from = 0, to = 0, lines = 0, bytes = -1;
	struct result r = { .content = BUF_INIT(RESULT_MAX) };

	scan_int(scan_get(meta, "first"), &from);
	scan_int(scan_get(meta, "last"), &to);
	scan_int(scan_get(meta, "bytes"), &bytes);
	if (id != NULL) {
		if (!slice_starts(content, "unchanged since the read above: "))
			cache_shown(&f->cache, id);
	} else if (sha != NULL && strlen(sha) == SHA_HEX - 1 &&
	    scan_int(scan_get(meta, "lines"), &lines)) {
		buf_slice(&r.content, content);
		buf_add(&r.content, "", 0);
		r.truncated = scan_true(scan_get(meta, "truncated"));
		r.lossy = scan_true(scan_get(meta, "lossy"));
		r.bytes = bytes;
		again_keep(f, rel, NULL, sha, (long)from, (long)to,
		    (long)lines, args, &r);
	}
	buf_release(&r.content);
	free(id);
	free(sha);
}
