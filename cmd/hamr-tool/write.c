/* write.c - the edit and write tools: a planned change made, and said. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file.h"
#include "mem.h"
#include "utf8.h"

#include "change.h"
#include "replace.h"

#define DIFF_MAX ((size_t)16 << 10)

static bool
print_diff(const struct change *c, size_t max, struct buf *out)
{
	return diff_print(&c->diff, buf_view(&c->old), buf_view(&c->new),
	    c->path.rel, c->fd < 0, max, out);
}

static void
fail(struct change *c, struct result *r)
{
	files_path_meta(r, c->path.rel);
	files_fault(r, &c->fault);
}

/* What a restarted hamr-tool cannot take from a diff that was cut. */
static void
put_shown(const struct proof *p, struct json *meta)
{
	struct json *list = json_array();

	for (size_t i = 0; i < p->n; i++) {
		struct json *pair = json_array();

		json_int(pair, NULL, p->v[i].first);
		json_int(pair, NULL, p->v[i].last);
		json_add(list, NULL, pair);
	}
	json_add(meta, "shown", list);
}

static void
put_meta(const struct change *c, const struct proof *proof, struct result *r)
{
	struct buf diff = BUF_INIT(BUF_RECORD_MAX);
	struct buf rel = BUF_INIT(BUF_RECORD_MAX);
	struct json *list = json_array(), *one = json_object();
	bool cut = print_diff(c, DIFF_MAX, &diff);

	files_path_meta(r, c->path.rel);
	if (c->fd >= 0)
		json_str(r->meta, "sha256_before", c->before);
	else
		json_null(r->meta, "sha256_before");
	json_str(r->meta, "sha256_after", c->after);
	json_int(r->meta, "added", c->diff.added);
	json_int(r->meta, "removed", c->diff.removed);
	json_slice(r->meta, "diff", buf_view(&diff));
	if (cut)
		put_shown(proof, r->meta);
	utf8_clean(&rel, c->path.rel, strlen(c->path.rel));
	json_slice(one, "path", buf_view(&rel));
	json_str(one, "sha256", c->after);
	json_add(list, NULL, one);
	json_add(r->meta, "mutated", list);
	buf_release(&diff);
	buf_release(&rel);
}

static void
put_words(const struct change *c, struct result *r)
{
	struct buf *out = &r->content;

	if (c->fd < 0)
		buf_fmt(out, "made %s, %ld line%s\n", c->name, c->diff.added,
		    c->diff.added == 1 ? "" : "s");
	else if (c->hits.n > 0)
		buf_fmt(out, "edited %s at line %ld, %zu replacement%s, "
		    "+%ld -%ld lines\n", c->name, text_line(buf_view(&c->old),
		    c->hits.v[0].at), c->hits.n, c->hits.n == 1 ? "" : "s",
		    c->diff.added, c->diff.removed);
	else
		buf_fmt(out, "wrote %s, +%ld -%ld lines\n", c->name,
		    c->diff.added, c->diff.removed);
	if (c->fd >= 0 && c->st.st_nlink > 1)
		buf_fmt(out, "its hard link is broken: %ld other name%s "
		    "keep%s the old text\n", (long)c->st.st_nlink - 1,
		    c->st.st_nlink == 2 ? "" : "s",
		    c->st.st_nlink == 2 ? "s" : "");
}

static struct proof *
move_proof(struct files *f, const struct change *c)
{
	struct proof *p = proofs_of(&f->proofs, c->path.rel);
	long lines;

	cache_drop(&f->cache, c->path.rel);
	if (strcmp(p->hash, c->before) != 0)
		p->n = 0;
	proof_move(p, c->after, c->diff.v, c->diff.n);
	if (c->hits.n == 0) {	/* write: the whole text is the model's own */
		free(lines_index(buf_view(&c->new), &lines));
		p->n = 0;
		proof_add(p, 1, lines);
	}
	return p;
}

/* What could not be kept, might be for want of room: then so is the change. */
static bool
has_room(struct files *f, struct change *c)
{
	char name[REPLACE_NAME];
	const char *base;
	int dir = path_open_parent(&f->root, c->path.rel, &base);
	int fd = dir >= 0 ? replace_temporary(dir, name) : -1;
	bool has = fd >= 0 && file_write_all(fd, c->old.p, c->old.len) == 0;

	if (!has)
		fault_sys(&c->fault, "cannot be written", c->path.rel);
	if (fd >= 0) {
		unlinkat(dir, name, 0);
		close(fd);
	}
	if (dir >= 0)
		close(dir);
	return has;
}

static int
tell_change(struct files *f, struct change *c)
{
	struct files_change ch = { .rel = c->path.rel, .sha = c->after };
	mode_t mask = umask(0);
	struct err why;

	umask(mask);
	ch.mode = c->fd >= 0 ? c->st.st_mode : 0666 & ~mask;
	if (c->fd >= 0)
		ch.old = c->old.p != NULL ? buf_view(&c->old) : SLICE("");
	if (f->on_change == NULL || f->on_change(f->change_arg, &ch, &why) ==
	    0)
		return 0;
	return !has_room(f, c) ? -1 : fault_set(&c->fault, "spawn_failed",
	    "%s was not changed, as the change could not be undone: %s",
	    c->name, why.text);
}

static void
carry_out(struct files *f, bool edit, struct slice args, struct result *r)
{
	struct change c;
	struct slice text;
	int done;

	change_init(&c);
	if (change_plan(f, &c, edit, args) < 0) {
		fail(&c, r);
		goto out;
	}
	text = buf_view(&c.new);
	if (tell_change(f, &c) < 0) {
		fail(&c, r);
		goto out;
	}
	done = c.fd >= 0 ? replace_file(&f->root, c.path.rel, c.fd, &c.st,
	    buf_view(&c.old), text, &c.fault) : replace_make(&f->root, c.path.rel, text,
	    &c.fault);
	if (done < 0) {
		fail(&c, r);
		goto out;
	}
	put_words(&c, r);
	put_meta(&c, move_proof(f, &c), r);
out:
	change_release(&c);
}

void
files_edit(struct files *f, struct slice args, struct result *r)
{
	carry_out(f, true, args, r);
}

void
files_write(struct files *f, struct slice args, struct result *r)
{
	carry_out(f, false, args, r);
}

bool
files_judge_change(struct files *f, bool edit, struct slice args,
    struct result *r)
{
	struct change c;
	bool good;

	change_init(&c);
	good = (!edit || edits_parse(&c.edits, args, &c.fault) == 0) &&
	    change_target(f, &c, args) == 0;
	good = good || !is_refusal(c.fault.code);
	if (!good)
		fail(&c, r);
	change_release(&c);
	return good;
}

bool
files_plan(struct files *f, const char *tool, struct slice args,
    struct plan *p, struct result *r)
{
	struct buf rel = BUF_INIT(BUF_RECORD_MAX);
	struct change c;
	bool good;

	*p = (struct plan){ .diff = BUF_INIT(RESULT_MAX) };
	change_init(&c);
	good = change_plan(f, &c, strcmp(tool, "edit") == 0, args) == 0;
	if (!good) {
		fail(&c, r);
	} else {
		print_diff(&c, SIZE_MAX, &p->diff);
		utf8_clean(&rel, c.path.rel, strlen(c.path.rel));
		p->path = buf_detach(&rel);
		p->added = c.diff.added;
		p->removed = c.diff.removed;
		p->made = c.fd < 0;
	}
	change_release(&c);
	return good;
}

void
plan_release(struct plan *p)
{
	free(p->path);
	buf_release(&p->diff);
}

void
files_preview(struct files *f, const char *tool, struct slice args,
    struct result *r)
{
	struct buf diff = BUF_INIT(BUF_RECORD_MAX);
	struct change c;

	change_init(&c);
	if (change_plan(f, &c, strcmp(tool, "edit") == 0, args) < 0) {
		fail(&c, r);
	} else {
		print_diff(&c, DIFF_MAX, &diff);
		files_path_meta(r, c.path.rel);
		json_int(r->meta, "added", c.diff.added);
		json_int(r->meta, "removed", c.diff.removed);
		json_slice(r->meta, "diff", buf_view(&diff));
		result_error(r, "denied", "not made: --yes was not given, and "
		    "nobody could be asked.\nWith --yes it would change:\n%s",
		    buf_view(&diff).p);
	}
	change_release(&c);
	buf_release(&diff);
}
