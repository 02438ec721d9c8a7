/* working_context.c - --ledger: learns from records, and prints the page. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "record/alias.h"
#include "record/msg.h"

#include "items/fact.h"
#include "working_context.h"

#define COMMANDS_SHOWN 10

static void
take_call(void *self, struct view_call *call, struct slice name,
    const struct view_args *args)
{
	struct ledger *l = self;
	struct ledger_call c = { .turn = l->turns, .step = l->steps };
	struct buf given = BUF_INIT(BUF_RECORD_MAX), content = given;

	l->inner.call(l->inner.self, call, name, args);
	const struct fact *f = call->note;
	if (f->kind == TOOL_WRITE && alias_args(SLICE("write"), args->text,
	    &given))
		scan_str(scan_get(buf_view(&given), "content"), &content);
	c.written = (long)slice_lines(buf_view(&content));
	bufs_release(BUFS(&given, &content));
	GROW(l->calls, l->ncalls, l->capcalls);
	l->calls[l->ncalls++] = c;
}

static struct file_lines *
file_of(struct ledger *l, size_t no)
{
	for (; l->nfiles < no; l->nfiles++) {
		GROW(l->files, l->nfiles, l->capfiles);
		l->files[l->nfiles] = (struct file_lines){ .path =
		    compact_path(&l->compact, slice_of(
		    l->compact.files.v[l->nfiles].name)) };
	}
	return &l->files[no - 1];
}

/* Files have changed after so many calls, not by an edit that we can follow. */
static void
learn_changes(struct ledger *l, struct slice files, size_t calls)
{
	struct walk w = walk_elements(files);
	struct slice one;

	while (walk_next(&w, NULL, &one)) {
		char *path = scan_text(scan_get(one, "path"));
		char *hash = scan_strdup(scan_get(one, "sha256"));
		uint64_t *no = map_get(&l->compact.files.by_key,
		    compact_path(&l->compact, slice_of(path)));

		if (no != NULL && file_of(l, *no)->touched > 0)
			file_was_changed(file_of(l, *no), calls, hash);
		FREE(path, hash);
	}
}

/* The output of git status in a few words.  A changed file is a line "XY path"
 * of its short form, or "modified: path" and the like of its long form. */
static char *
status_in_short(struct slice text)
{
	static const char *const names[] = { "modified:", "new file:",
		"deleted:", "renamed:", "both modified:" };
	static const char marks[] = " MADRCUT?!";
	char branch[128] = "";
	size_t changes = 0;
	struct slice line;

	while (slice_line(&text, &line)) {
		size_t name = line.n > 10 &&
		    slice_starts(line, "On branch ") ? 10 :
		    line.n > 3 && slice_starts(line, "## ") ? 3 : 0;

		if (name > 0) {
			snprintf(branch, sizeof branch, "branch %.*s, ",
			    (int)(line.n - name < 100 ? line.n - name : 100),
			    line.p + name);
			continue;
		}
		if (line.n > 3 && line.p[2] == ' ' && memcmp(line.p, "  ",
		    2) != 0 && strchr(marks, line.p[0]) != NULL &&
		    strchr(marks, line.p[1]) != NULL) {
			changes++;
			continue;
		}
		line = slice_trim_start(line, "\t ");
		for (size_t i = 0; i < sizeof names / sizeof *names; i++)
			changes += slice_starts(line, names[i]) &&
			    line.n > strlen(names[i]);
	}
	return changes > 0 ? xasprintf("%s%zu changed", branch, changes) :
	    xasprintf("%sclean", branch);
}

static void
take_result(void *self, struct view_call *call, const struct rec *r,
    struct slice content)
{
	struct ledger *l = self;
	size_t no = (size_t)(call - l->compact.view->calls) + 1;
	struct buf b = BUF_INIT(BUF_RECORD_MAX);

	l->inner.result(l->inner.self, call, r, content);
	const struct fact *f = call->note;
	msg_text(content, &b);
	struct slice text = buf_view(&b);
	if (f->failed || f->file == 0)
		learn_changes(l, msg_meta(r, "mutated"), no);
	else if (f->kind == TOOL_EDIT)
		file_was_edited(file_of(l, f->file), no, r);
	else if (f->kind == TOOL_WRITE)
		file_was_written(file_of(l, f->file), no, r,
		    l->calls[no - 1].written);
	else if (!f->listing)
		file_was_read(file_of(l, f->file), no, f, r, text);
	if (f->command > 0 && f->what[0] != '\0') {
		for (; l->ncommands < f->command; l->ncommands++) {
			GROW(l->commands, l->ncommands, l->capcommands);
			l->commands[l->ncommands] = (struct ledger_command){
				.times = 0 };
		}
		struct ledger_command *k = &l->commands[f->command - 1];
		k->what = f->what;
		k->times++;
		k->failed += f->failed;
		k->ok = !f->failed;
		k->last = no;
		if (k->ok && runs_git(f->what, "status")) {
			l->status.call = no;
			xset(&l->status.said, status_in_short(text));
		}
		if (k->ok && runs_git(f->what, "diff")) {
			size_t lines = slice_lines(text);

			l->diff.call = no;
			xset(&l->diff.said, xasprintf("%zu line%s", lines,
			    lines == 1 ? "" : "s"));
		}
	}
	buf_release(&b);
}

void
ledger_init(struct ledger *l, const struct conf *conf, const char *strategy,
    long window)
{
	*l = (struct ledger){ .plain = view_new() };
	compact_init(&l->compact, conf, strategy, window);
	struct view_hooks *hooks = &l->compact.view->hooks;
	l->inner = *hooks;
	*hooks = (struct view_hooks){ l, take_call, take_result };
}

void
ledger_release(struct ledger *l)
{
	compact_release(&l->compact);
	for (size_t i = 0; i < l->nfiles; i++)
		file_lines_release(&l->files[i]);
	FREE(l->calls, l->files, l->commands, l->status.said, l->diff.said,
	    l->title);
	view_free(l->plain);
}

void
ledger_record(struct ledger *l, const struct rec *r)
{
	switch (r->kind) {
	case R_HAMR:
		free(l->title);
		l->title = rec_strdup(r, "session");
		break;
	case R_USER: l->turns += msg_is_person(r); break;
	case R_ASSISTANT:
		l->steps += scan_kind(rec_get(r, "tool_calls")) == SCAN_ARRAY;
		break;
	case R_UNDO:
		learn_changes(l, rec_get(r, "paths"), l->ncalls);
		break;
	default: break;
	}
	compact_record(&l->compact, r);
	l->plain->family = l->compact.family;
	view_add(l->plain, r);
}

/* ---- the page: files ---- */

/* What can be done with the lines of a file, best first. */
enum { EDITABLE, TRUNCATED, COMPACTED, CHANGED, SORTS };

static void
put_lines(const struct ledger *l, const struct file_lines *f,
    const struct term *t, struct buf *out)
{
	static const char *const names[] = { "editable", "truncated",
		"compacted", "changed" };
	struct line_set set[SORTS] = { 0 };
	size_t most = (t->columns - 24) / 12 + 1;

	for (size_t i = 0; i < f->n; i++) {
		const struct span *p = &f->spans[i];
		const struct view_call *call =
		    &l->compact.view->calls[p->call - 1];
		const struct fact *fact = call->note;
		int sort = EDITABLE;

		if (p->stale)
			sort = CHANGED;
		else if (compact_elides(&l->compact, call, p->written))
			sort = COMPACTED;
		else if (!p->written && (fact->cut || call->cut != NULL))
			sort = TRUNCATED;
		for (size_t k = 0; k < p->lines.n; k++)
			line_set_add(&set[sort], p->lines.v[k].first,
			    p->lines.v[k].last);
	}
	for (int i = 0; i < SORTS; i++) {
		for (int better = 0; better < i; better++)
			for (size_t k = 0; k < set[better].n; k++)
				line_set_drop(&set[i], set[better].v[k].first,
				    set[better].v[k].last, 0);
		if (set[i].n == 0)
			continue;
		buf_fmt(out, "    %-10s", names[i]);
		for (size_t k = 0; k < set[i].n && k < most; k++) {
			const struct stretch *s = &set[i].v[k];

			buf_fmt(out, "%s%ld", k > 0 ? ", " : "", s->first);
			if (s->last > s->first)
				buf_fmt(out, "-%ld", s->last);
		}
		if (set[i].n > most)
			buf_fmt(out, " and %zu more", set[i].n - most);
		buf_addc(out, '\n');
	}
	for (int i = 0; i < SORTS; i++)
		line_set_release(&set[i]);
}

static void
put_file(const struct ledger *l, const struct file_lines *f,
    const struct term *t, struct buf *out)
{
	const struct { const char *what; size_t times; } done[] = {
		{ "read", f->reads }, { "edited", f->edits },
		{ "written", f->writes } };
	const char *comma = "    ";

	buf_adds(out, "  ");
	term_put(out, f->path, screen_room(t, 2));
	buf_addc(out, '\n');
	if (f->gone)
		buf_fmt(out, "%sdeleted", comma);
	else if (f->lines > 0)
		buf_fmt(out, "%s%ld line%s", comma, f->lines,
		    f->lines == 1 ? "" : "s");
	if (f->gone || f->lines > 0)
		comma = ", ";
	for (size_t i = 0; i < sizeof done / sizeof *done; i++)
		if (done[i].times > 0) {
			buf_fmt(out, "%s%s %zux", comma, done[i].what,
			    done[i].times);
			comma = ", ";
		}
	buf_addc(out, '\n');
	put_lines(l, f, t, out);
}

static int
newest_first(const void *a, const void *b)
{
	const struct file_lines *x = a, *y = b;

	return (x->touched < y->touched) - (x->touched > y->touched);
}

static void
put_git(const struct ledger *l, const struct ledger_git *g, const char *what,
    const struct term *t, struct buf *out)
{
	size_t since = 0;

	if (g->call == 0)
		return;
	for (size_t i = 0; i < l->nfiles; i++)
		since += l->files[i].changed > g->call;
	buf_fmt(out, "  %-8s", what);
	term_put(out, slice_of(g->said), screen_room(t, 50));
	buf_fmt(out, ", step %zu", l->calls[g->call - 1].step);
	if (since > 0)
		buf_fmt(out, ", %zu file%s changed since", since,
		    since == 1 ? "" : "s");
	buf_adds(out, compact_elides(&l->compact,
	    &l->compact.view->calls[g->call - 1], false) ? ", compacted\n" :
	    "\n");
}

static int
often_first(const void *a, const void *b)
{
	const struct ledger_command *x = a, *y = b;

	if (x->times != y->times)
		return (x->times < y->times) - (x->times > y->times);
	return (x->last < y->last) - (x->last > y->last);
}

/* ---- the page: the request ---- */

static void
put_request(const struct ledger *l, bool fits, struct buf *out)
{
	const struct compact *c = &l->compact;
	size_t turn = 0, step = 0;	/* the last ones that lost something */
	size_t results = 0, compacted = 0;

	for (size_t i = 0; i < l->ncalls; i++) {
		const struct view_call *call = &c->view->calls[i];

		results += call->result != NULL;
		if (!compact_elides(c, call, false))
			continue;
		turn = l->calls[i].turn;
		step = l->calls[i].step;
		compacted += call->result != NULL;
	}
	buf_fmt(out, "messages: %zu in, %zu out\n", c->view->records,
	    view_count(c->view));
	buf_fmt(out, "tokens: %ld before, %ld after", compact_tokens(c,
	    view_sum(l->plain) + c->tools_sum), compact_size(c));
	if (c->budget.effective > 0)
		buf_fmt(out, ", room for %ld", c->budget.effective);
	buf_fmt(out, ", stage %s\n", fits ? epoch_stage(c) :
	    "4: nothing fits");
	buf_fmt(out, "results: %zu, %zu compacted, %zu kept\n", results,
	    compacted, results - compacted);
	buf_fmt(out, "turns kept: %zu of %zu; steps kept: %zu of %zu\n",
	    l->turns - turn, l->turns, l->steps - step, l->steps);
}

void
ledger_print(struct ledger *l, const struct term *t, struct buf *out)
{
	bool fits = l->compact.view->n == 0 ||
	    compact_decide(&l->compact);
	size_t read = 0, changed = 0, files = 0, commands = 0, again = 0;

	if (l->title != NULL) {
		buf_adds(out, "session ");
		term_put(out, slice_of(l->title), screen_room(t, 8));
		buf_addc(out, '\n');
	}
	put_request(l, fits, out);
	for (size_t i = 0; i < l->nfiles; i++) {
		read += l->files[i].reads > 0;
		changed += l->files[i].changed > 0;
		files += l->files[i].touched > 0;
	}
	if (l->nfiles > 0)
		qsort(l->files, l->nfiles, sizeof *l->files, newest_first);
	buf_fmt(out, "\nfiles: %zu read, %zu changed\n", read, changed);
	for (size_t i = 0; i < files; i++)
		put_file(l, &l->files[i], t, out);
	if (files > 0)
		buf_adds(out, "  (editable: the lines are in the request; "
		    "others: re-read before editing)\n");
	if (l->status.call > 0 || l->diff.call > 0)
		buf_adds(out, "\ngit\n");
	put_git(l, &l->status, "status", t, out);
	put_git(l, &l->diff, "diff", t, out);
	if (l->ncommands > 0)
		qsort(l->commands, l->ncommands, sizeof *l->commands,
		    often_first);
	for (size_t i = 0; i < l->ncommands; i++) {
		commands += l->commands[i].times > 0;
		again += l->commands[i].times > 1;
	}
	buf_fmt(out, "\ncommands: %zu different, %zu repeated\n",
	    commands, again);
	for (size_t i = 0; i < again && i < COMMANDS_SHOWN; i++) {
		const struct ledger_command *c = &l->commands[i];

		buf_fmt(out, "  %3zux ", c->times);
		term_put(out, slice_of(c->what), screen_room(t, 31));
		if (c->failed > 0)
			buf_fmt(out, ", failed %zux", c->failed);
		buf_adds(out, c->ok ? ", last ok\n" : ", last failed\n");
	}
	if (again > COMMANDS_SHOWN)
		buf_fmt(out, "  and %zu more\n", again - COMMANDS_SHOWN);
}
