/* change.c - a change of one file, judged and planned. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mem.h"
#include "scan.h"

#include "change.h"
#include "protected.h"

void
change_init(struct change *c)
{
	*c = (struct change){ .fd = -1, .old = BUF_INIT(FILE_MAX),
		.new = BUF_INIT(FILE_MAX) };
}

void
change_release(struct change *c)
{
	path_release(&c->path);
	free(c->name);
	if (c->fd >= 0)
		close(c->fd);
	buf_release(&c->old);
	buf_release(&c->new);
	edits_release(&c->edits);
	free(c->hits.v);
	diff_release(&c->diff);
}

/* ---- may it be written at all? ---- */

static int
judge_name(struct files *f, struct change *c)
{
	const char *rel = c->path.rel;

	if (!f->o.may_write)
		return fault_set(&c->fault, "denied", "this mode writes no "
		    "files; %s was not changed", c->name);
	if (f->o.docs_only && !lists_docs(&f->lists, rel))
		return fault_set(&c->fault, "denied", "mode docs writes "
		    "documentation only; %s was not changed", c->name);
	if (protected_name(&f->lists, rel))
		return fault_set(&c->fault, "denied", "%s is not written: "
		    "other programs obey it when the folder is entered or "
		    "opened; ask the user to change it, or to list it in "
		    "policy.allow_write", c->name);
	if (lists_no_write(&f->lists, rel))
		return fault_set(&c->fault, "denied", "%s is never written "
		    "by edit and write; leave it to the program that makes "
		    "it", c->name);
	if (lists_built(rel) && ignored_file(f, rel))
		return fault_set(&c->fault, "denied", "%s is made by a build "
		    "and git ignores it; change what it is made from",
		    c->name);
	return 0;
}

int
change_target(struct files *f, struct change *c, struct slice args)
{
	struct buf path = BUF_INIT(BUF_RECORD_MAX);
	struct result r;
	int ok;

	if (!arg_str(args, "path", &path) || path.len == 0) {
		buf_release(&path);
		return fault_set(&c->fault, "bad_arguments",
		    "the path is missing");
	}
	result_init(&r);
	ok = files_find(f, buf_view(&path), &c->path, &r) ? 0 : -1;
	if (ok < 0)
		fault_set(&c->fault, r.code, "%s", r.content.p);
	else
		c->name = path_name(c->path.rel);
	if (ok == 0 && path.p[path.len - 1] == '/')
		ok = fault_set(&c->fault, "bad_arguments", "%s/ names a "
		    "folder, by the / at its end; name a file", c->name);
	result_release(&r);
	buf_release(&path);
	return ok < 0 ? -1 : judge_name(f, c);
}

/* Take in the old file. */
static int
take_old(struct files *f, struct change *c)
{
	if (!S_ISREG(c->path.st.st_mode))
		return fault_set(&c->fault, "denied", "%s is %s; only plain "
		    "files are written", c->name,
		    S_ISDIR(c->path.st.st_mode) ? "a folder" : "no file");
	c->fd = path_open(&f->root, c->path.rel, O_RDONLY);
	if (c->fd < 0)
		return fault_sys(&c->fault, "cannot be read", c->path.rel);
	if (!files_load(c->fd, c->path.rel, &c->st, &c->old, &c->fault))
		return -1;
	if (files_foreign(f, c->path.rel, &c->st))
		return fault_set(&c->fault, "denied", "%s " FOREIGN_WORDS,
		    c->name);
	sha256_hex(c->old.p, c->old.len, c->before);
	return 0;
}

/* ---- edit ---- */

static int
check_read(struct files *f, struct change *c)
{
	const struct proof *p = proofs_of(&f->proofs, c->path.rel);

	if (f->o.person || strcmp(p->hash, c->before) == 0)
		return 0;
	if (p->hash[0] == '\0')
		return fault_set(&c->fault, "not_read", "%s was not read in "
		    "this session; read it, then edit", c->name);
	return fault_set(&c->fault, "not_read", "%s has changed since it was "
	    "read; read it again, then edit", c->name);
}

/* Line ends between two bytes of text. */
static long
lines_to(struct slice text, size_t from, size_t to)
{
	return text_line((struct slice){ text.p + from, text.n - from },
	    to - from) - 1;
}

static int
check_shown(struct files *f, struct change *c)
{
	const struct proof *p = proofs_of(&f->proofs, c->path.rel);
	struct slice text = buf_view(&c->old);
	long first = 1;
	size_t from = 0;

	for (size_t i = 0; i < c->hits.n && !f->o.person; i++) {
		const struct hit *h = &c->hits.v[i];
		long last;

		first += lines_to(text, from, h->at);
		last = first + lines_to(text, h->at, h->at + h->n - 1);
		from = h->at;
		if (!proof_has(p, first, last))
			return fault_set(&c->fault, "not_read", "lines "
			    "%ld-%ld of %s were never shown; read them, "
			    "then edit", first, last, c->name);
	}
	return 0;
}

static int
plan_edit(struct files *f, struct change *c, struct slice args)
{
	if (edits_parse(&c->edits, args, &c->fault) < 0 ||
	    change_target(f, c, args) < 0)
		return -1;
	if (!c->path.exists)
		return fault_set(&c->fault, "not_found", "%s does not exist; "
		    "write makes new files", c->name);
	if (take_old(f, c) < 0 || check_read(f, c) < 0)
		return -1;
	if (is_crlf(buf_view(&c->old)))
		edits_crlf(&c->edits);
	if (edits_find(&c->edits, buf_view(&c->old), c->name, &c->hits,
	    &c->fault) < 0 || check_shown(f, c) < 0)
		return -1;
	edits_apply(&c->edits, &c->hits, buf_view(&c->old), &c->new);
	if (c->new.over)
		return fault_set(&c->fault, "too_large", "%s would be larger "
		    "than 64 MiB", c->name);
	return 0;
}

/* ---- write ---- */

static int
check_overwrite(struct files *f, struct change *c, struct slice args)
{
	const struct proof *p;
	long lines;

	if (!S_ISREG(c->path.st.st_mode))
		return fault_set(&c->fault, "exists", "%s exists and is %s",
		    c->name, S_ISDIR(c->path.st.st_mode) ? "a folder" :
		    "no plain file");
	if (!f->o.overwrite)
		return fault_set(&c->fault, "exists", "%s exists; change it "
		    "with edit", c->name);
	if (!arg_bool(args, "overwrite"))
		return fault_set(&c->fault, "exists", "%s exists; change it "
		    "with edit, or set overwrite", c->name);
	if (take_old(f, c) < 0)
		return -1;
	p = proofs_of(&f->proofs, c->path.rel);
	free(lines_index(buf_view(&c->old), &lines));
	if (!f->o.person && (strcmp(p->hash, c->before) != 0 ||
	    (lines > 0 && !proof_has(p, 1, lines))))
		return fault_set(&c->fault, "exists", "%s exists and was not "
		    "read whole; read all of it first, or change it with "
		    "edit", c->name);
	return 0;
}

static int
plan_write(struct files *f, struct change *c, struct slice args)
{
	if (change_target(f, c, args) < 0)
		return -1;
	if (!arg_str(args, "content", &c->new))
		return fault_set(&c->fault, c->new.over ? "too_large" :
		    "bad_arguments", c->new.over ?
		    "the content is larger than 64 MiB" :
		    "the content is missing");
	return c->path.exists ? check_overwrite(f, c, args) : 0;
}

/* ---- both ---- */

int
change_plan(struct files *f, struct change *c, bool edit,
    struct slice args)
{
	int r = edit ? plan_edit(f, c, args) : plan_write(f, c, args);

	if (r < 0)
		return -1;
	sha256_hex(c->new.p, c->new.len, c->after);
	diff_make(&c->diff, buf_view(&c->old), buf_view(&c->new));
	return 0;
}
