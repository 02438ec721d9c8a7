/* read.c - the read tool: which kind it is, and files. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file.h"
#include "mem.h"
#include "scan.h"

#include "files_in.h"
#include "read_view.h"

#define HUGE_SCAN ((long long)256 << 20)	/* read to find a line */
#define CHUNK ((size_t)1 << 20)

/* ---- files that are held in memory ---- */

static bool
wanted(struct slice args, struct view *v, struct result *r)
{
	int64_t first = arg_int(args, "first", 1);
	int64_t last = arg_int(args, "last", INT64_MAX);

	v->first = first < 1 ? 1 : first;
	v->last = last;
	if (last >= v->first)
		return true;
	result_error(r, "bad_arguments", "last (%lld) is before first (%ld)",
	    (long long)last, v->first);
	return false;
}

static void
show_text(struct files *f, const char *rel, const struct stat *st,
    struct view *v, struct slice text, struct slice args, struct result *r)
{
	size_t *at = lines_index(text, &v->lines);
	long last;
	char hash[SHA_HEX];

	sha256_hex(text.p, text.n, hash);
	v->crlf = is_crlf(text);
	v->last = last = v->last < v->lines ? v->last : v->lines;
	if (v->first <= v->last)
		view_lines(v, text, at);
	free(at);
	path_show(&r->content, rel);
	if (v->lines == 0)
		buf_adds(&r->content, " is empty, 0 lines\n");
	else if (v->first > v->lines)
		buf_fmt(&r->content, " has %ld line%s, none from %ld on\n",
		    v->lines, v->lines == 1 ? "" : "s", v->first);
	else {
		buf_fmt(&r->content, " lines %ld-%ld of %ld%s\n", v->first,
		    v->last, v->lines, v->crlf ? " CRLF" : "");
		buf_slice(&r->content, buf_view(&v->body));
		if (v->last == v->lines && text.p[text.n - 1] != '\n')
			buf_adds(&r->content, "[no newline at end]\n");
		view_more(v, rel, &r->content);
		view_meta(v, r);
	}
	if (v->lines == 0 || v->first > v->lines) {
		json_str(r->meta, "op", "file");
		json_int(r->meta, "lines", v->lines);
	}
	json_str(r->meta, "sha256", hash);
	r->truncated = v->cut_line || v->last < last;
	if (v->last < last)
		r->bytes = (long long)r->content.len + v->whole;
	r->lossy = v->lossy;
	struct proof *proof = proofs_of(&f->proofs, rel);
	proof_read(proof, hash);
	if (!v->cut_line && v->lines > 0)
		proof_add(proof, v->first, v->last);
	bool none = v->lines == 0 || v->first > v->lines;
	again_keep(f, rel, st, hash, none ? 0 : v->first, none ? 0 : v->last,
	    v->lines, args, r);
}

/* ---- files too large for that: ranges only, and no proof ---- */

struct huge {
	struct view *v;
	struct buf line;	/* the head of the line in the making */
	long long bytes;	/* of the line so far */
	long no;		/* its number */
	bool full;
};

static void
huge_line(struct huge *h)
{
	struct slice s = buf_view(&h->line);

	if (h->no >= h->v->first && h->no <= h->v->last)
		h->full = !view_line(h->v, h->no, s, h->bytes);
	if (!h->full)
		h->no++;
	buf_reset(&h->line);
	h->bytes = 0;
}

static void
huge_take(struct huge *h, const char *p, size_t n)
{
	const size_t keep = LINE_CHARS * 4;

	while (n > 0 && !h->full && h->no <= h->v->last) {
		const char *lf = memchr(p, '\n', n);
		size_t k = lf != NULL ? (size_t)(lf - p) : n;
		size_t room = keep - h->line.len;

		buf_add(&h->line, p, k < room ? k : room);
		h->bytes += (long long)k;
		if (lf != NULL)
			huge_line(h);
		k += lf != NULL;
		p += k;
		n -= k;
	}
}

static void
show_huge(const char *rel, struct view *v, int fd, off_t size,
    struct result *r)
{
	struct huge h = { .v = v, .no = 1, .line = BUF_INIT(BUF_RECORD_MAX) };
	char *chunk = xmalloc(CHUNK);
	long long seen = 0;
	ssize_t n = 1;

	while (n > 0 && seen < HUGE_SCAN && !h.full && h.no <= v->last) {
		n = pread(fd, chunk, CHUNK, seen);
		if (n > 0)
			huge_take(&h, chunk, (size_t)n);
		seen += n > 0 ? n : 0;
	}
	if (n <= 0 && h.bytes > 0 && !h.full)
		huge_line(&h);
	free(chunk);
	buf_release(&h.line);
	v->last = h.no - 1;
	v->lines = n <= 0 ? h.no - 1 : -1;
	path_show(&r->content, rel);
	if (v->last < v->first)
		buf_fmt(&r->content, ": line %ld was not found in its first "
		    "%lld bytes\n", v->first, seen);
	else {
		buf_fmt(&r->content, " lines %ld-%ld of a file of %lld "
		    "bytes\n", v->first, v->last, (long long)size);
		buf_slice(&r->content, buf_view(&v->body));
		view_more(v, rel, &r->content);
		view_meta(v, r);
	}
	r->truncated = v->cut_line || h.full;
	r->lossy = v->lossy;
}

/* ---- the file ---- */

static void
describe(const char *rel, mode_t mode, long long size, struct result *r)
{
	path_show(&r->content, rel);
	if (S_ISREG(mode))
		buf_fmt(&r->content, " is a binary file of %lld bytes; "
		    "it is not shown\n", size);
	else
		buf_fmt(&r->content, " is a %s; it is not read\n",
		    S_ISFIFO(mode) ? "FIFO" : S_ISSOCK(mode) ? "socket" :
		    S_ISCHR(mode) || S_ISBLK(mode) ? "device" :
		    "thing that is no file");
	json_str(r->meta, "op", "file");
}

/* A page of the file's beginning decides whether it is text. */
static bool
looks_binary(int fd)
{
	char look[BINARY_LOOK];
	ssize_t n = pread(fd, look, sizeof look, 0);

	return n > 0 && is_binary((struct slice){ look, (size_t)n });
}

static void
show_file(struct files *f, const char *rel, int fd, struct slice args,
    struct result *r)
{
	struct view v = { .room = files_room(f),
		.body = BUF_INIT(RESULT_MAX - CHUNK) };
	struct buf text = BUF_INIT(FILE_MAX);
	struct fault fault = { 0 };
	struct stat st;

	if (!wanted(args, &v, r))
		goto out;
	/* The name stands in the first line and in the last. */
	v.room -= v.room < 2 * strlen(rel) ? v.room : 2 * strlen(rel);
	if (fstat(fd, &st) < 0) {
		fault_sys(&fault, "cannot be read", rel);
		files_fault(r, &fault);
	} else if (!S_ISREG(st.st_mode) || looks_binary(fd))
		describe(rel, st.st_mode, (long long)st.st_size, r);
	else if (files_foreign(f, rel, &st)) {
		path_show(&r->content, rel);
		buf_fmt(&r->content, " is a file of %lld bytes that "
		    FOREIGN_WORDS "; it is not shown\n",
		    (long long)st.st_size);
		json_str(r->meta, "op", "file");
	} else if (st.st_size > (off_t)FILE_MAX)
		show_huge(rel, &v, fd, st.st_size, r);
	else if (!files_load(fd, rel, &st, &text, &fault))
		files_fault(r, &fault);
	else
		show_text(f, rel, &st, &v, buf_view(&text), args, r);
out:
	buf_release(&text);
	buf_release(&v.body);
}

static void
read_file(struct files *f, const struct path *p, struct slice args,
    struct result *r)
{
	struct fault fault = { 0 };
	int fd;

	if (!S_ISREG(p->st.st_mode)) {
		describe(p->rel, p->st.st_mode, 0, r);
		return;
	}
	fd = path_open(&f->root, p->rel, O_RDONLY);
	if (fd < 0) {
		fault_sys(&fault, "cannot be read", p->rel);
		files_fault(r, &fault);
		return;
	}
	show_file(f, p->rel, fd, args, r);
	close(fd);
}

/* ---- the call ---- */

static void
read_path(struct files *f, struct slice path, struct slice args, bool query,
    struct result *r)
{
	struct cached *before = NULL;
	struct path p;

	if (!files_find(f, path, &p, r)) {
		path_release(&p);
		return;
	}
	files_path_meta(r, p.rel);
	if (!query)
		before = again_find(f, &p, args);
	if (before != NULL) {
		again_put(f, before, r);
	} else if (!p.exists) {
		char *name = path_name(p.rel);

		result_error(r, "not_found", "%s does not exist; read its "
		    "folder to see what does", name);
		free(name);
	} else if (query)
		search_run(f, &p, args, r);
	else if (S_ISDIR(p.st.st_mode))
		list_run(f, &p, args, r);
	else
		read_file(f, &p, args, r);
	if (!r->is_error && before == NULL)
		f->used += r->content.len;
	path_release(&p);
}

void
files_read(struct files *f, struct slice args, struct result *r)
{
	struct buf path = BUF_INIT(BUF_RECORD_MAX);
	struct buf query = BUF_INIT(BUF_RECORD_MAX);
	bool has_path = arg_str(args, "path", &path);
	bool has_query = arg_str(args, "query", &query) && query.len > 0;

	if (files_spent(f, args, r))
		goto out;
	if (has_query && path.len == 0)
		read_path(f, SLICE("."), args, true, r);
	else if (!has_path)
		result_error(r, "bad_arguments",
		    "read needs a path or a query");
	else if (path.len == 0)
		buf_adds(&r->content, "nothing to read: the path is empty\n");
	else if (slice_is(buf_view(&path), "/dev/null"))
		buf_adds(&r->content, "nothing to read: /dev/null is empty\n");
	else
		read_path(f, buf_view(&path), args, has_query, r);
out:
	buf_release(&path);
	buf_release(&query);
}
