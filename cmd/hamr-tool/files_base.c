/* files_base.c - the file tools' common part: arguments, names, contents. */
#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "num.h"
#include "scan.h"
#include "utf8.h"

#include "files_in.h"
#include "links.h"

/* ---- arguments ---- */

bool
arg_str(struct slice args, const char *key, struct buf *out)
{
	if (!scan_str(scan_get(args, key), out))
		return false;
	buf_add(out, "", 0);	/* p is a C string from here on */
	return !out->over;
}

int64_t
arg_int(struct slice args, const char *key, int64_t def)
{
	struct slice v = scan_get(args, key), s;
	int64_t n;

	if (scan_int(v, &n))
		return n;
	s = scan_plain(v);
	return s.p != NULL && num_i64(s.p, s.n, &n) ? n : def;
}

bool
arg_bool(struct slice args, const char *key)
{
	struct slice v = scan_get(args, key);

	return scan_true(v) || scan_str_is(v, "true");
}

/* ---- names ---- */

bool
files_hidden(const struct files *f, const char *rel)
{
	return lists_secret(&f->lists, rel);
}

bool
files_foreign(struct files *f, const char *rel, const struct stat *st)
{
	return st->st_nlink > 1 && S_ISREG(st->st_mode) &&
	    !links_inside(&f->root, st) && !tracked_file(f, rel);
}

void
files_fault(struct result *r, const struct fault *fault)
{
	result_error(r, fault->code, "%s", fault->err.text);
}

void
files_path_meta(struct result *r, const char *rel)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);

	if (rel == NULL)
		return;
	utf8_clean(&b, *rel != '\0' ? rel : ".", *rel != '\0' ?
	    strlen(rel) : 1);
	json_slice(r->meta, "path", buf_view(&b));
	buf_release(&b);
}

bool
files_find(struct files *f, struct slice text, struct path *p,
    struct result *r)
{
	struct fault fault = { 0 };
	char *name;

	if (path_find(&f->root, text, p, &fault) < 0) {
		files_fault(r, &fault);
		return false;
	}
	if (!files_hidden(f, p->rel))
		return true;
	name = path_name(p->rel);
	result_error(r, "denied", "%s is kept from reading and writing", name);
	free(name);
	return false;
}

bool
is_refusal(const char *code)
{
	return strcmp(code, "denied") == 0 ||
	    strcmp(code, "bad_arguments") == 0;
}

/* ---- contents ---- */

bool
files_load(int fd, const char *rel, struct stat *st, struct buf *text,
    struct fault *fault)
{
	struct err e;
	struct stat after;
	char *name;

	if (fstat(fd, st) < 0) {
		fault_sys(fault, "cannot be read", rel);
		return false;
	}
	name = path_name(rel);
	if (!S_ISREG(st->st_mode))
		fault_set(fault, "denied", "%s is no plain file", name);
	else if (st->st_size > (off_t)FILE_MAX)
		fault_set(fault, "too_large", "%s is larger than 64 MiB; use "
		    "bash", name);
	else if (file_read_fd(fd, name, text, &e) < 0)
		fault_set(fault, e.status == ST_DATA ? "too_large" : "denied",
		    "%s", e.text);
	else if (fstat(fd, &after) < 0)
		fault_sys(fault, "cannot be read", rel);
	else {
		/* Identity and content belong together: what is written while
		 * it is read shows as a changed file later. */
		if ((size_t)st->st_size != text->len)
			st->st_ino = 0;
		fault->code = NULL;
	}
	free(name);
	return fault->code == NULL;
}

bool
is_binary(struct slice text)
{
	size_t n = text.n < BINARY_LOOK ? text.n : BINARY_LOOK;

	return n > 0 && memchr(text.p, '\0', n) != NULL;
}

bool
is_crlf(struct slice text)
{
	bool any = false;

	for (size_t at = 0; at < text.n; at++) {
		const char *lf = memchr(text.p + at, '\n', text.n - at);

		if (lf == NULL)
			break;
		at = (size_t)(lf - text.p);
		if (at == 0 || text.p[at - 1] != '\r')
			return false;
		any = true;
	}
	return any;
}

/* ---- how much, how long ---- */

size_t
files_room(const struct files *f)
{
	size_t left = f->o.turn_cap == 0 ? SIZE_MAX :
	    f->o.turn_cap > f->used ? f->o.turn_cap - f->used : 0;

	return f->o.result_cap != 0 && f->o.result_cap < left ?
	    f->o.result_cap : left;
}

bool
files_stopped(const struct files *f, long long deadline)
{
	return file_now_ms() >= deadline ||
	    (f->stop != NULL && f->stop(f->stop_arg));
}
