/* change.c - the edit and write tools: check, plan, make, report a change. */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/utf8.h"
#include "json/scan.h"
#include "root/secret.h"

#include "diff.h"
#include "edit.h"
#include "internal.h"
#include "replace.h"

#define DIFF_MAX ((size_t)16 << 10)

#define PLACE_LINES 40		/* lines shown by a refused edit */

/* The change of one file. */
struct change {
	struct path path;
	int fd;			/* of the old file; -1: there is none */
	struct stat st;		/* of it, when it was read */
	struct buf old, new;	/* contents */
	struct buf disk;	/* if unsaved: the file's content on disk */
	bool unsaved;		/* an editor shows another text, which is old */
	bool kept_crlf, kept_bom;	/* of the old text, by a write */
	char before[SHA_HEX], after[SHA_HEX];
	struct edits edits;
	struct diff diff;
	struct fault fault;
};

static void
change_release(struct change *c)
{
	path_release(&c->path);
	file_close(c->fd);
	bufs_release(BUFS(&c->old, &c->new, &c->disk));
	edits_release(&c->edits);
	diff_release(&c->diff);
}

/* Find the file, and refuse if it may not be written at all. */
static int
find_target(struct files *f, struct change *c, struct slice args)
{
	char *text = scan_text(scan_get(args, "path"));
	struct slice path = slice_of(text);
	struct fault *fault = &c->fault;
	int r = path.n > 0 ? files_find(f, path, &c->path, fault) :
	    fault_set(fault, "bad_arguments", "the path is missing");

	if (r == 0 && (slice_ends(path, "/") || slice_ends(path, "/.") ||
	    slice_ends(path, "/..")))
		r = fault_set(fault, "bad_arguments", "the path ends with / "
		    "or a dot, as a folder's does; name a file");
	else if (r == 0 && f->docs_only && !lists_docs(&f->lists,
	    c->path.rel))
		r = fault_set(fault, "denied", "mode docs writes "
		    "documentation only; %s was not changed", c->path.name);
	else if (r == 0 && protected_base(c->path.rel) &&
	    !protected_allowed(&f->lists, c->path.rel))
		r = fault_set(fault, "denied", "%s is not written: other "
		    "programs obey it when the folder is entered or opened; "
		    "ask the user to change it, or to list it in "
		    "policy.allow_write", c->path.name);
	else if (r == 0 && lists_no_write(&f->lists, c->path.rel))
		r = fault_set(fault, "denied", "edit and write cannot change "
		    "%s; leave it to the program that makes it", c->path.name);
	else if (r == 0 && lists_built(c->path.rel) &&
	    files_ignored(f, c->path.rel))
		r = fault_set(fault, "denied", "%s is a build product that "
		    "git ignores; change its source", c->path.name);
	free(text);
	return r;
}

/* Read the old file into c. */
static int
take_old(struct files *f, struct change *c)
{
	if (!S_ISREG(c->path.st.st_mode))
		return fault_set(&c->fault, "denied", "%s is %s; only "
		    "regular files are written", c->path.name,
		    S_ISDIR(c->path.st.st_mode) ? "a folder" :
		    "not a regular file");
	c->fd = path_open(&f->root, c->path.rel, O_RDONLY);
	if (c->fd < 0)
		return fault_sys(&c->fault, "cannot be read", c->path.rel);
	buf_init(&c->disk, FILE_MAX);
	if (!files_load_shown(f, c->fd, c->path.rel, &c->st, &c->old, &c->disk,
	    &c->unsaved, &c->fault))
		return -1;
	if (files_foreign(f, c->path.rel, &c->st, NULL))
		return fault_set(&c->fault, "denied", "%s " FOREIGN_WORDS,
		    c->path.name);
	sha256_hex(c->old.p, c->old.len, c->before);
	return 0;
}

static int
plan_edit(struct files *f, struct change *c, struct slice args)
{
	const struct edit *e;
	long first = 1, last;
	size_t from = 0, at;

	if (edits_parse(&c->edits, args, &c->fault) < 0 ||
	    find_target(f, c, args) < 0)
		return -1;
	if (!c->path.exists) {
		files_missing(f, c->path.rel, &c->fault);
		return -1;
	}
	if (take_old(f, c) < 0)
		return -1;
	const struct proof *p = proofs_of(&f->proofs, c->path.rel);
	if (!f->person && is_binary(buf_view(&c->old)))
		return fault_set(&c->fault, "denied", "%s is a binary file, "
		    "which read does not show; change it with bash",
		    c->path.name);
	if (!f->person && strcmp(p->hash, c->before) != 0)
		return fault_set(&c->fault, "not_read", p->hash[0] == '\0' ?
		    "%s was not read in this session; read it, then edit" :
		    "%s has changed since it was read; read it again, then "
		    "edit", c->path.name);
	struct slice text = buf_view(&c->old);
	bool crlf = is_crlf(text);
	for (size_t i = 0; crlf && i < c->edits.n; i++) {
		text_to_crlf(&c->edits.v[i].old);
		text_to_crlf(&c->edits.v[i].new);
	}
	if (edits_make(&c->edits, text, c->path.name, &c->new, &c->fault) < 0)
		return -1;
	/* was every line that is replaced shown? */
	while (!f->person && (e = edits_next(&c->edits, text, &at)) != NULL) {
		first += text_line(slice_from(text, from), at - from) - 1;
		from = at;
		last = first + text_line(slice_from(text, at), e->old.len - 1) -
		    1;
		if (!line_set_has(&p->lines, first, last))
			return first == last ? fault_set(&c->fault,
			    "not_read", "line %ld of %s was never shown; "
			    "read it, then edit", first, c->path.name) :
			    fault_set(&c->fault, "not_read", "lines %ld-%ld "
			    "of %s were never shown; read them, then edit",
			    first, last, c->path.name);
	}
	return 0;
}

static int
plan_write(struct files *f, struct change *c, struct slice args)
{
	if (find_target(f, c, args) < 0)
		return -1;
	buf_adds(&c->new, "");	/* a C string, even if it is empty */
	scan_str(scan_get(args, "content"), &c->new);
	if (!c->path.exists)
		return 0;
	if (!S_ISREG(c->path.st.st_mode))
		return fault_set(&c->fault, "exists", "%s exists and is %s",
		    c->path.name, S_ISDIR(c->path.st.st_mode) ? "a folder" :
		    "not a regular file");
	if (!f->overwrite || !scan_true(scan_get(args, "overwrite")))
		return fault_set(&c->fault, "exists", "%s exists; change it "
		    "with edit%s", c->path.name, f->overwrite ?
		    ", or set overwrite" : "");
	if (take_old(f, c) < 0)
		return -1;
	const struct proof *p = proofs_of(&f->proofs, c->path.rel);
	long lines = (long)slice_lines(buf_view(&c->old));
	if (!f->person && (strcmp(p->hash, c->before) != 0 ||
	    (lines > 0 && !line_set_has(&p->lines, 1, lines))))
		return fault_set(&c->fault, "exists", "%s exists and was not "
		    "read whole; read all of it first, or change it with "
		    "edit", c->path.name);
	/* keep what every line of the old text ends in, and its BOM, as edit
	 * does */
	struct slice old = buf_view(&c->old), new = buf_view(&c->new);
	c->kept_crlf = is_crlf(old) && slice_has(new, "\n") &&
	    !slice_has(new, "\r");
	c->kept_bom = new.n > 0 && slice_starts(old, BOM) &&
	    !slice_starts(new, BOM);
	if (c->kept_crlf)
		text_to_crlf(&c->new);
	if (c->kept_bom) {
		struct buf b = BUF_INIT(FILE_MAX);

		buf_adds(&b, BOM);
		buf_slice(&b, buf_view(&c->new));
		buf_release(&c->new);
		c->new = b;
	}
	return 0;
}

static void
fail(struct change *c, struct result *r)
{
	files_path_meta(r, c->path.rel);
	files_fault(r, &c->fault);
}

/* Set c to the contents before and after, and their difference.  False: r is
 * the error.  The caller releases c in both cases. */
static bool
plan(struct files *f, struct change *c, bool edit, struct slice args,
    struct result *r)
{
	*c = (struct change){ .fd = -1, .old = BUF_INIT(FILE_MAX),
		.new = BUF_INIT(FILE_MAX) };
	int failed = (edit ? plan_edit : plan_write)(f, c, args);

	if (failed == 0 && c->new.over)
		failed = fault_set(&c->fault, "too_large", "%s would be "
		    "larger than 64 MiB", c->path.name);
	if (failed == 0) {
		sha256_hex(c->new.p, c->new.len, c->after);
		diff_make(&c->diff, buf_view(&c->old), buf_view(&c->new));
		return true;
	}
	fail(c, r);
	/* If the read budget is used up, "read it" does not help: show the
	 * lines that would have changed.  They count as read. */
	struct slice text = buf_view(&c->old), rest = text, line;
	const char *code = c->fault.code;
	long no = 0;
	if (code == NULL || strcmp(code, "not_read") != 0 ||
	    files_budget_left(f) >= ROOM_MIN || (c->edits.places == 0 &&
	    edits_make(&c->edits, text, c->path.name, &c->new, NULL) < 0))
		return false;
	long first = text_line(text, c->edits.at);
	long last = text_line(text, c->edits.end - 1);
	if (last - first >= PLACE_LINES)
		return false;
	while (++no <= last && slice_line(&rest, &line))
		if (no >= first && line.n > FILES_LINE_CHARS)
			return false;
	buf_adds(&r->content, "; this turn's reads are used up, so the place "
	    "is shown here; edit again:");
	for (rest = text, no = 1; no <= last && slice_line(&rest, &line); no++)
		if (no >= first) {
			buf_fmt(&r->content, "\n%6ld\t", no);
			r->lossy |= utf8_clean(&r->content, line.p, line.n);
		}
	scan_put(&r->meta, "'first':$,'last':$,'sha256':@,", SCAN_INT(first),
	    SCAN_INT(last), slice_of(c->before));
	return false;
}

/* Put added, removed and diff into meta.  True: the diff was cut. */
static bool
put_diff(const struct change *c, struct buf *diff, struct buf *meta)
{
	bool cut = diff_print(&c->diff, c->path.rel, c->fd < 0, DIFF_MAX,
	    diff);

	scan_put(meta, "'added':$,'removed':$,'diff':@,",
	    SCAN_INT(c->diff.added), SCAN_INT(c->diff.removed),
	    buf_view(diff));
	return cut;
}

/* Report the change, in words and in meta. */
static void
put_made(const struct change *c, const struct line_set *shown,
    struct result *r)
{
	long others = c->fd >= 0 ? (long)c->st.st_nlink - 1 : 0;
	struct buf diff = BUF_INIT(BUF_RECORD_MAX), *meta = &r->meta;
	struct buf *out = &r->content;

	if (c->fd < 0)
		buf_fmt(out, "made %s, %ld line%s\n", c->path.name,
		    c->diff.added, c->diff.added == 1 ? "" : "s");
	else if (c->edits.places > 0)
		buf_fmt(out, "edited %s at line %ld, %zu replacement%s, "
		    "+%ld -%ld lines\n", c->path.name,
		    text_line(buf_view(&c->old), c->edits.at),
		    c->edits.places, c->edits.places == 1 ? "" : "s",
		    c->diff.added, c->diff.removed);
	else
		buf_fmt(out, "wrote %s, +%ld -%ld lines\n", c->path.name,
		    c->diff.added, c->diff.removed);
	if (c->kept_crlf || c->kept_bom)
		buf_fmt(out, "as before, it %s%s%s\n", c->kept_bom ?
		    "starts with a BOM" : "", c->kept_bom && c->kept_crlf ?
		    " and " : "", c->kept_crlf ? "has CRLF line ends" : "");
	if (others > 0)
		buf_fmt(out, "its hard link is broken: %ld other name%s "
		    "keep%s the old text\n", others, others == 1 ? "" : "s",
		    others == 1 ? "s" : "");
	files_path_meta(r, c->path.rel);
	scan_put(meta, "'sha256_before':?,'sha256_after':@,", slice_of(
	    c->fd >= 0 ? c->before : NULL), slice_of(c->after));
	if (put_diff(c, &diff, meta)) {
		/* a restarted hamr-tool cannot learn this from a cut diff */
		scan_put(meta, "'shown':[");
		for (size_t i = 0; i < shown->n; i++)
			buf_fmt(meta, "%s[%ld,%ld]", i > 0 ? "," : "",
			    shown->v[i].first, shown->v[i].last);
		buf_adds(meta, "],");
	}
	scan_put(meta, "'mutated':[");
	files_put_state(meta, c->path.rel, c->after);
	buf_adds(meta, "],");
	buf_release(&diff);
}

void
files_make_change(struct files *f, bool edit, bool allowed,
    struct slice args, struct result *r)
{
	struct buf diff = BUF_INIT(BUF_RECORD_MAX);
	struct slice old = { NULL, 0 };
	mode_t mask = umask(0);
	struct change c;
	struct err why;

	umask(mask);
	if (!plan(f, &c, edit, args, r))
		goto out;
	if (!allowed) {
		files_path_meta(r, c.path.rel);
		put_diff(&c, &diff, &r->meta);
		result_error(r, "denied", "not made: --yes was not given, and "
		    "nobody could be asked.\nWith --yes it would change:\n%s",
		    buf_view(&diff).p);
		goto out;
	}
	if (c.fd >= 0)
		old = buf_view(&c.old);
	int made = f->on_change(f->change_arg, c.path.rel, old, c.after,
	    c.fd >= 0 ? c.st.st_mode : 0666 & ~mask, &why);
	if (made < 0)
		fault_set(&c.fault, errno == ENOSPC || errno == EDQUOT ||
		    errno == EFBIG ? "storage_full" : "spawn_failed",
		    "%s was not changed, as the change could not be undone: "
		    "%s", c.path.name, why.text);
	else
		made = replace_file(&f->root, c.path.rel, c.fd, &c.st,
		    buf_view(c.unsaved ? &c.disk : &c.old), buf_view(&c.new),
		    &c.fault);
	if (made < 0) {
		fail(&c, r);
		goto out;
	}
	files_note_unsaved(f, c.path.rel, false);
	struct slice text = buf_view(&c.new);
	if (f->editor_writes && strlen(text.p) == text.n &&
	    utf8_check(text.p, text.n) == text.n)
		free(files_ask_editor(f, c.path.rel, text.p + (f->hides_bom &&
		    slice_starts(text, BOM) ? strlen(BOM) : 0)));
	struct proof *p = proofs_of(&f->proofs, c.path.rel);
	proof_change(p, c.before, c.after, &c.diff, edit ? -1 :
	    (long)slice_lines(text));
	put_made(&c, &p->lines, r);
out:
	change_release(&c);
	buf_release(&diff);
}

bool
files_judge_change(struct files *f, bool edit, struct slice args,
    struct result *r)
{
	struct change c = { .fd = -1 };
	bool good = ((!edit || edits_parse(&c.edits, args, &c.fault) == 0) &&
	    find_target(f, &c, args) == 0) || !is_refusal(c.fault.code);

	if (!good)
		fail(&c, r);
	change_release(&c);
	return good;
}

bool
files_plan(struct files *f, bool edit, struct slice args, struct buf *diff,
    struct buf *more, struct result *r)
{
	struct change c;
	bool good = plan(f, &c, edit, args, r);

	if (good) {
		diff_print(&c.diff, c.path.rel, c.fd < 0, SIZE_MAX, diff);
		scan_put(more, ",'path':");
		path_quote(more, c.path.rel);
		scan_put(more, ",'lines':$$", SCAN_INT(c.diff.added +
		    c.diff.removed), c.fd < 0 ? SLICE(",\"new\":true") :
		    SLICE(""));
	}
	change_release(&c);
	return good;
}
