/* read.c - the read tool: the kinds of read, and reading files; view_image. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/utf8.h"
#include "json/scan.h"
#include "tokens/budget.h"

#include "internal.h"

#define HUGE_SCAN ((long long)256 << 20)	/* bytes read to find a line */
#define CHUNK ((size_t)1 << 20)
#define NUMBERED 8		/* bytes of "%6d TAB" and LF, about */
#define HEAD_ROOM 160		/* of the room, for the first and last lines */
#define SKILL_MAX ((size_t)1 << 20)

/* The requested lines, and the result of showing them. */
struct view {
	long first, last;	/* requested; then shown */
	long lines;		/* in the file; -1 unknown */
	bool crlf;
	bool cut_line;		/* a line was cut: no proof */
	bool lossy;
	long long missing;	/* bytes that were cut, about */
	size_t room, tokens;	/* for it */
	enum token_family family;
	struct buf body;
};

/* ---- lines: numbered, cut, capped ---- */

/* Show one line, without its line ending; bytes is its full length.  False: no
 * room for it. */
static bool
view_line(struct view *v, long no, struct slice s, long long bytes)
{
	size_t shown = s.n <= FILES_LINE_CHARS ? s.n : 0;
	size_t was = v->body.len;

	/* an invalid byte counts as a character */
	for (long i = 0; i < FILES_LINE_CHARS && shown < s.n; i++) {
		size_t n = utf8_len((const unsigned char *)s.p + shown,
		    s.n - shown);

		shown += n != 0 ? n : 1;
	}
	if (was == 0)
		shown = budget_head((struct slice){ s.p, shown }, v->tokens,
		    v->family);
	buf_fmt(&v->body, "%6ld\t", no);
	v->lossy |= utf8_clean(&v->body, s.p, shown);
	if ((long long)shown < bytes) {
		buf_fmt(&v->body, " [%lld" LINE_CUT,
		    bytes - (long long)shown);
		v->cut_line = true;
	} else
		buf_addc(&v->body, '\n');
	if (was > 0 && v->body.len + HEAD_ROOM > v->room) {
		v->body.len = was;
		return false;
	}
	v->missing += bytes - (long long)shown;
	return true;
}

/* Take back the last lines, but not the first one, if hamr-compact would cut
 * them out of the request: the model may edit what it was shown.  Returns their
 * number. */
static long
view_fit(struct view *v)
{
	struct slice all = buf_view(&v->body);
	size_t n = budget_head(all, v->tokens, v->family);
	const char *lf = n < all.n ? memrchr(all.p, '\n', n) : NULL;

	if (n == all.n)
		return 0;
	if (lf == NULL)
		lf = memchr(all.p, '\n', all.n);
	v->body.len = (size_t)(lf + 1 - all.p);
	return (long)slice_newlines(slice_from(all, v->body.len));
}

/* Append the lines, "[612 more: {...}]" if there are more, and meta. */
static void
view_put(const struct view *v, const char *rel, bool open_end,
    struct result *r)
{
	struct buf *out = &r->content;

	buf_slice(out, buf_view(&v->body));
	if (open_end)
		buf_adds(out, "[no newline at end]\n");
	if (v->lines < 0 || v->last < v->lines) {
		if (v->lines >= 0)
			buf_fmt(out, "[%ld more: ", v->lines - v->last);
		else
			buf_adds(out, "[more: ");
		buf_adds(out, "{\"path\":");
		path_quote(out, rel);
		buf_fmt(out, ",\"first\":%ld}]\n", v->last + 1);
	}
	scan_put(&r->meta, "'op':'file','first':$,'last':$,",
	    SCAN_INT(v->first), SCAN_INT(v->last));
	if (v->lines >= 0)
		scan_put(&r->meta, "'lines':$,", SCAN_INT(v->lines));
}

/* ---- files that are held in memory ---- */

static void
show_text(const char *rel, struct view *v, struct slice text, struct result *r)
{
	struct lines l;
	char sha[SHA_HEX];
	long last, i;

	lines_of(&l, text);
	v->lines = l.n;
	bool none = v->lines == 0 || v->first > v->lines;
	sha256_hex(text.p, text.n, sha);
	v->crlf = is_crlf(text);
	v->last = last = v->last < v->lines ? v->last : v->lines;
	for (i = v->first; !none && i <= last; i++) {
		struct slice s = slice_trim_end(lines_get(&l, i - 1), "\n");

		if (v->crlf && slice_ends(s, "\r"))
			s.n--;
		if (!view_line(v, i, s, (long long)s.n))
			break;
	}
	v->last = none ? last : i - 1 - view_fit(v);
	v->missing += (long long)(l.at[last] - l.at[v->last]) +
	    (last - v->last) * NUMBERED;
	free(l.at);
	path_show(&r->content, rel);
	if (none) {
		if (v->lines == 0)
			buf_adds(&r->content, " is empty, 0 lines\n");
		else
			buf_fmt(&r->content, " has %ld line%s, none from %ld "
			    "on\n", v->lines, v->lines == 1 ? "" : "s",
			    v->first);
		scan_put(&r->meta, "'op':'file','lines':$,",
		    SCAN_INT(v->lines));
	} else {
		buf_fmt(&r->content, " lines %ld-%ld of %ld%s\n", v->first,
		    v->last, v->lines, v->crlf ? " CRLF" : "");
		view_put(v, rel, v->last == v->lines &&
		    text.p[text.n - 1] != '\n', r);
	}
	scan_put(&r->meta, "'sha256':@,", slice_of(sha));
	r->truncated = v->cut_line || v->last < last;
	if (r->truncated)
		r->bytes = (long long)r->content.len + v->missing;
	r->lossy = v->lossy;
}

/* ---- files too large for that: ranges only, no proof ---- */

/* Bytes kept of a longer line. */
#define HUGE_LINE ((size_t)FILES_LINE_CHARS * 4)

static void
show_huge(const char *rel, struct view *v, int fd, off_t size,
    struct result *r)
{
	struct buf line = BUF_INIT(BUF_RECORD_MAX);	/* its head */
	char *chunk = xmalloc(CHUNK);
	long long seen = 0, bytes = 0;	/* of the file, of the line */
	long no = 1;
	bool full = false;
	ssize_t n = 1;

	while (n > 0 && seen < HUGE_SCAN && !full && no <= v->last) {
		n = pread(fd, chunk, CHUNK, seen);
		struct slice rest = { chunk, n > 0 ? (size_t)n : 0 };
		seen += n > 0 ? n : 0;
		/* the end of the file also ends an unfinished line */
		while (!full && no <= v->last &&
		    (rest.n > 0 || (n <= 0 && bytes > 0))) {
			const char *end = rest.p + rest.n;
			struct slice piece = rest;

			slice_line(&rest, &piece);
			buf_add(&line, piece.p, num_min(piece.n, HUGE_LINE -
			    line.len));
			bytes += (long long)piece.n;
			if (n > 0 && piece.p + piece.n == end)
				break;
			if (no >= v->first)
				full = !view_line(v, no, buf_view(&line),
				    bytes);
			no += !full;
			buf_reset(&line);
			bytes = 0;
		}
	}
	free(chunk);
	buf_release(&line);
	v->last = no - 1 - view_fit(v);
	full |= v->last < no - 1;
	v->lines = n <= 0 && !full ? no - 1 : -1;
	path_show(&r->content, rel);
	if (v->last < v->first)
		buf_fmt(&r->content, ": line %ld was not found in its first "
		    "%lld bytes\n", v->first, seen);
	else {
		buf_fmt(&r->content, " lines %ld-%ld of a file of %lld "
		    "bytes\n", v->first, v->last, (long long)size);
		view_put(v, rel, false, r);
	}
	r->truncated = v->cut_line || full;
	r->lossy = v->lossy;
}

static void
describe(const char *rel, const struct stat *st, const char *kind,
    const char *why, struct result *r)
{
	mode_t mode = st->st_mode;

	path_show(&r->content, rel);
	if (S_ISREG(mode))
		buf_fmt(&r->content, " is a %sfile of %lld bytes%s\n", kind,
		    (long long)st->st_size, why);
	else
		buf_fmt(&r->content, " is a %s; it is not read\n",
		    S_ISFIFO(mode) ? "FIFO" : S_ISSOCK(mode) ? "socket" :
		    S_ISCHR(mode) || S_ISBLK(mode) ? "device" :
		    "special file");
	scan_put(&r->meta, "'op':'file',");
}

static void
read_file(struct files *f, const struct path *p, struct slice args,
    struct result *r)
{
	struct view v = { .room = files_room(f),
		.tokens = f->result_tokens, .family = f->family,
		.first = arg_int(args, "first", 1),
		.last = arg_int(args, "last", INT64_MAX),
		.body = BUF_INIT(RESULT_MAX - CHUNK) };
	struct buf text = BUF_INIT(FILE_MAX);
	struct fault fault = { 0 };
	const char *rel = p->rel;
	bool unsaved = false;
	char look[BINARY_LOOK];
	struct stat st = p->st;
	int fd = -1;
	ssize_t n = 0;

	if (S_ISREG(st.st_mode)) {
		fd = path_open(&f->root, rel, O_RDONLY);
		if (fd < 0 || fstat(fd, &st) < 0)
			fault_sys(&fault, "cannot be read", rel);
		/* its first page decides whether it is text */
		n = fd >= 0 ? pread(fd, look, sizeof look, 0) : 0;
	}
	/* the first and the last line contain the name */
	v.room -= num_min(v.room, 2 * strlen(rel));
	v.tokens -= num_min(v.tokens, HEAD_ROOM / 2 + strlen(rel));
	if (fault.code != NULL)
		;
	else if (n > 1 && (memcmp(look, "\xff\xfe", 2) == 0 ||
	    memcmp(look, "\xfe\xff", 2) == 0))
		describe(rel, &st, "UTF-16 ", "; it is not shown, iconv -f "
		    "UTF-16 -t UTF-8 in bash does", r);
	else if (!S_ISREG(st.st_mode) || (n > 0 &&
	    is_binary((struct slice){ look, (size_t)n })))
		describe(rel, &st, "binary ", "; it is not shown", r);
	else if (files_foreign(f, rel, &st, NULL))
		describe(rel, &st, "", " that " FOREIGN_WORDS "; it is not "
		    "shown", r);
	else if (st.st_size > (off_t)FILE_MAX)
		show_huge(rel, &v, fd, st.st_size, r);
	else if (files_load_shown(f, fd, rel, &st, &text, NULL, &unsaved,
	    &fault))
		show_text(rel, &v, buf_view(&text), r);
	if (unsaved)
		buf_adds(&r->content, UNSAVED_NOTE);
	if (fault.code != NULL)
		files_fault(r, &fault);
	file_close(fd);
	bufs_release(BUFS(&text, &v.body));
}

/* ---- the user's own skills, which are outside the root ---- */

/* "skill:NAME" is the skill's SKILL.md, "skill:NAME/FILE" a file next to it:
 * the user's if it exists, else the repository's. */
char *
arg_path(const struct files *f, struct slice args)
{
	char *path = scan_strdup(scan_get(args, "path"));

	if (path == NULL || !slice_starts(slice_of(path), "skill:"))
		return path;
	const char *name = path + strlen("skill:");
	const char *file = strchr(name, '/') != NULL ? "" : "/SKILL.md";
	char *own = xasprintf("%s%s%s", f->skills != NULL ? f->skills : "",
	    name, file);
	if (f->skills == NULL || access(own, F_OK) < 0)
		xset(&own, xasprintf(".hamr/skills/%s%s", name, file));
	free(path);
	return own;
}

bool
files_is_skill(const struct files *f, struct slice path)
{
	/* not "..", nor a hidden folder, which hamr-loop does not take as a
	 * skill */
	return f->skills != NULL && slice_starts(path, f->skills) &&
	    !slice_starts(slice_from(path, strlen(f->skills)), ".");
}

static void
read_skill(const struct files *f, struct slice path, struct result *r)
{
	struct buf text = BUF_INIT(SKILL_MAX);
	struct root root = { .fd = -1 };
	struct path p = { .rel = NULL };
	struct fault fault = { 0 };
	int fd = -1;

	/* the skill's folder, which may be a symbolic link by the user */
	size_t n = slice_find(path, strlen(f->skills), "/");
	char *dir = xmemdup0(path.p, n);
	n += n < path.n;
	if (root_open(&root, dir, &fault.err) < 0)
		fault.code = "not_found";
	else if (path_find(&root, slice_from(path, n), &p, &fault) == 0) {
		fd = path_open(&root, p.rel, O_RDONLY | O_NONBLOCK);
		if (fd < 0)
			fault_sys(&fault, "cannot be read", p.rel);
		else if (files_load(fd, p.rel, &p.st, &text, &fault))
			utf8_clean(&r->content, buf_view(&text).p, text.len);
	}
	if (fault.code != NULL)
		files_fault(r, &fault);
	else
		result_cap(r, f->result_cap);
	file_close(fd);
	root_close(&root);
	path_release(&p);
	buf_release(&text);
	free(dir);
}

/* ---- the call ---- */

void
files_read(struct files *f, struct slice args, struct result *r)
{
	char *path = arg_path(f, args);
	bool search = arg_is_search(args);
	struct cached *before = NULL;
	struct path p = { 0 };
	struct fault fault;
	struct slice text = slice_of(path);

	if (search && text.n == 0)
		text = SLICE(".");
	if (files_over_budget(f, args, r)) {
		;
	} else if (text.n == 0) {
		buf_adds(&r->content, "nothing to read: the path is empty\n");
	} else if (slice_is(text, "/dev/null")) {
		buf_adds(&r->content, "nothing to read: /dev/null is empty\n");
	} else if (!search && files_is_skill(f, text)) {
		read_skill(f, text, r);
	} else if (files_find(f, text, &p, &fault) < 0) {
		files_fault(r, &fault);
	} else {
		files_path_meta(r, p.rel);
		if (!search)
			before = repeated_find(f, &p, args);
		if (before != NULL) {
			repeated_put(f, before, r);
		} else if (!p.exists) {
			files_missing(f, p.rel, &fault);
			files_fault(r, &fault);
		} else if (search) {
			search_run(f, &p, args, r);
		} else if (S_ISDIR(p.st.st_mode)) {
			list_run(f, &p, args, r);
		} else {
			read_file(f, &p, args, r);
		}
	}
	path_release(&p);
	free(path);
}

/* ---- view_image ---- */

void
image_part(struct buf *out, const struct image *im, struct slice bytes)
{
	buf_fmt(out, "%s{\"type\":\"image_url\",\"image_url\":{\"url\":"
	    "\"data:%s;base64,", out->len > 0 ? "," : "", im->mime);
	base64_add(out, bytes.p, bytes.n);
	buf_adds(out, "\"}}");
}

void
files_view(struct files *f, struct slice args, bool vision,
    struct result *r)
{
	char *path = scan_text(scan_get(args, "path"));
	struct buf bytes = BUF_INIT(IMAGE_BYTES_MAX);
	struct path p = { 0 };
	struct fault fault = { 0 };
	struct image im;
	int fd = -1;

	if (files_find(f, slice_of(path), &p, &fault) < 0) {
		files_fault(r, &fault);
		goto out;
	}
	files_path_meta(r, p.rel);
	if (p.exists && S_ISREG(p.st.st_mode))
		fd = path_open(&f->root, p.rel, O_RDONLY);
	if (!p.exists) {
		files_missing(f, p.rel, &fault);
		files_fault(r, &fault);
	} else if (!S_ISREG(p.st.st_mode)) {
		result_error(r, "bad_arguments", "%s is %s; name an image "
		    "file", p.name, S_ISDIR(p.st.st_mode) ? "a folder" :
		    "not a regular file");
	} else if (fd < 0) {
		fault_sys(&fault, "cannot be read", p.rel);
		files_fault(r, &fault);
	} else if (files_foreign(f, p.rel, &p.st, NULL)) {
		result_error(r, "denied", "%s " FOREIGN_WORDS, p.name);
	} else if (p.st.st_size > (off_t)IMAGE_BYTES_MAX ||
	    file_read_fd(fd, p.name, &bytes, NULL) < 0) {
		result_error(r, "too_large", "%s is larger than %zu bytes; "
		    "make a smaller copy with bash and view that", p.name,
		    IMAGE_BYTES_MAX);
	} else if (!image_probe(&im, buf_view(&bytes))) {
		result_error(r, "bad_arguments", "%s is not a PNG, JPEG, GIF "
		    "or WebP image; read shows text", p.name);
	} else {
		buf_fmt(&r->content, "%s: %s, %lu x %lu, %zu bytes%s\n",
		    p.name, im.name, im.width, im.height, bytes.len, vision ?
		    "" : "; it is not shown, as the model sees no images");
		scan_put(&r->meta, "'mime':@,'width':$,'height':$,",
		    slice_of(im.mime), SCAN_INT((long long)im.width),
		    SCAN_INT((long long)im.height));
		if (vision) {
			image_part(&r->images, &im, buf_view(&bytes));
			r->bytes = (long long)r->content.len +
			    (long long)r->images.len;
		}
	}
out:
	file_close(fd);
	path_release(&p);
	buf_release(&bytes);
	free(path);
}
