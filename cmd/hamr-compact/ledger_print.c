/* ledger_print.c - the working context, as a page to read. */
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "view.h"

#include "ledger.h"

#define COMMANDS_SHOWN 10

/* ---- files ---- */

/* The lines of a file by what can be done with them. */
struct sorts {
	struct lines editable, truncated, compacted, changed;
};

static void
sort_lines(const struct ledger *l, const struct ledger_file *f,
    struct sorts *s)
{
	for (size_t i = 0; i < f->n; i++) {
		const struct span *p = &f->spans[i];
		const struct ledger_call *c = &l->calls[p->call];
		bool there = p->written ? c->given_shown :
		    c->shown >= SHOWN_CUT;

		if (p->stale)
			lines_add_all(&s->changed, &p->lines);
		else if (!there)
			lines_add_all(&s->compacted, &p->lines);
		else if (p->cut || (!p->written && c->shown == SHOWN_CUT))
			lines_add_all(&s->truncated, &p->lines);
		else
			lines_add_all(&s->editable, &p->lines);
	}
	lines_drop_all(&s->truncated, &s->editable);
	lines_drop_all(&s->compacted, &s->editable);
	lines_drop_all(&s->compacted, &s->truncated);
	lines_drop_all(&s->changed, &s->editable);
	lines_drop_all(&s->changed, &s->truncated);
	lines_drop_all(&s->changed, &s->compacted);
}

static void
put_lines(struct buf *out, const struct screen *t, const char *what,
    struct lines *r)
{
	if (r->n > 0) {
		buf_fmt(out, "    %-10s", what);
		lines_print(r, (size_t)(t->width - 24) / 12 + 1, out);
		buf_addc(out, '\n');
	}
	lines_release(r);
}

static void
put_times(struct buf *out, const char **comma, const char *what,
    size_t times)
{
	if (times == 0)
		return;
	buf_fmt(out, "%s%s %zux", *comma, what, times);
	*comma = ", ";
}

static void
put_file(const struct ledger *l, const struct ledger_file *f,
    const struct screen *t, struct buf *out)
{
	const char *comma = "    ";
	struct sorts s = { 0 };

	buf_adds(out, "  ");
	screen_text(t, slice_of(f->path), screen_room(t, 2), out);
	buf_addc(out, '\n');
	if (f->gone)
		buf_fmt(out, "%sdeleted", comma);
	else if (f->lines > 0)
		buf_fmt(out, "%s%ld line%s", comma, f->lines,
		    f->lines == 1 ? "" : "s");
	if (f->gone || f->lines > 0)
		comma = ", ";
	put_times(out, &comma, "read", f->reads);
	put_times(out, &comma, "edited", f->edits);
	put_times(out, &comma, "written", f->writes);
	buf_addc(out, '\n');
	sort_lines(l, f, &s);
	put_lines(out, t, "editable", &s.editable);
	put_lines(out, t, "truncated", &s.truncated);
	put_lines(out, t, "compacted", &s.compacted);
	put_lines(out, t, "changed", &s.changed);
}

static int
newest_first(const void *a, const void *b)
{
	const struct ledger_file *x = a, *y = b;

	return (x->touched < y->touched) - (x->touched > y->touched);
}

static void
put_files(struct ledger *l, const struct screen *t, struct buf *out)
{
	size_t read = 0, changed = 0;

	for (size_t i = 0; i < l->nfiles; i++) {
		read += l->files[i].reads > 0;
		changed += l->files[i].changed > 0;
	}
	if (l->nfiles > 0)
		qsort(l->files, l->nfiles, sizeof *l->files, newest_first);
	buf_fmt(out, "\nfiles: %zu read, %zu changed\n", read, changed);
	for (size_t i = 0; i < l->nfiles; i++)
		put_file(l, &l->files[i], t, out);
	if (l->nfiles > 0)
		buf_adds(out, "  (editable: the lines stand in the request; "
		    "others: re-read before editing)\n");
}

/* ---- git, commands ---- */

static void
put_git(const struct ledger *l, const struct ledger_git *g, const char *what,
    const struct screen *t, struct buf *out)
{
	const struct ledger_call *c;
	size_t since = 0;

	if (g->call == 0)
		return;
	c = &l->calls[g->call - 1];
	for (size_t i = 0; i < l->nfiles; i++)
		since += l->files[i].changed > g->call;
	buf_fmt(out, "  %-8s", what);
	screen_text(t, slice_of(g->said), screen_room(t, 50), out);
	buf_fmt(out, ", step %zu", c->step);
	if (since > 0)
		buf_fmt(out, ", %zu file%s changed since", since,
		    since == 1 ? "" : "s");
	if (c->shown < SHOWN_CUT)
		buf_adds(out, ", compacted");
	buf_addc(out, '\n');
}

static int
often_first(const void *a, const void *b)
{
	const struct ledger_command *x = a, *y = b;

	if (x->times != y->times)
		return (x->times < y->times) - (x->times > y->times);
	return (x->last < y->last) - (x->last > y->last);
}

static void
put_commands(struct ledger *l, const struct screen *t, struct buf *out)
{
	size_t again = 0;

	if (l->ncommands > 0)
		qsort(l->commands, l->ncommands, sizeof *l->commands,
		    often_first);
	for (size_t i = 0; i < l->ncommands; i++)
		again += l->commands[i].times > 1;
	buf_fmt(out, "\ncommands: %zu different, %zu repeated\n",
	    l->ncommands, again);
	for (size_t i = 0; i < again && i < COMMANDS_SHOWN; i++) {
		const struct ledger_command *c = &l->commands[i];

		buf_fmt(out, "  %3zux ", c->times);
		screen_text(t, slice_of(c->what), screen_room(t, 31), out);
		if (c->failed > 0)
			buf_fmt(out, ", failed %zux", c->failed);
		buf_adds(out, c->ok ? ", last ok\n" : ", last failed\n");
	}
	if (again > COMMANDS_SHOWN)
		buf_fmt(out, "  and %zu more\n", again - COMMANDS_SHOWN);
}

/* ---- the request ---- */

static void
put_request(struct ledger *l, enum seam_answer answer,
    const struct ledger_view *v, struct buf *out)
{
	const struct seam *s = &l->seam;
	uint64_t before = view_sum(l->plain) + seam_tools(s);
	long room = seam_room(s);

	buf_fmt(out, "messages: %zu in, %zu out\n", l->messages, v->messages);
	buf_fmt(out, "tokens: %ld before, %ld after", seam_tokens(s, before),
	    seam_size(s));
	if (room > 0)
		buf_fmt(out, ", room for %ld", room);
	buf_fmt(out, ", stage %s\n", answer == SEAM_CLOSED ? "4: nothing fits" :
	    seam_stage(s));
	buf_fmt(out, "results: %zu, %zu compacted, %zu kept\n", l->results,
	    v->compacted, v->whole);
	buf_fmt(out, "turns kept: %zu of %zu; steps kept: %zu of %zu\n",
	    v->turns_kept, l->turns, v->steps_kept, l->steps);
}

void
ledger_print(struct ledger *l, const struct screen *t, struct buf *out)
{
	struct buf messages = BUF_INIT((size_t)1 << 40);
	enum seam_answer answer;
	struct ledger_view v;
	bool epoch;

	answer = seam_go(&l->seam, &messages, &epoch);
	if (answer != SEAM_REQUEST) {
		buf_reset(&messages);
		seam_messages(&l->seam, &messages);
	}
	ledger_look(l, buf_view(&messages), &v);
	if (l->title != NULL) {
		buf_adds(out, "session ");
		screen_text(t, slice_of(l->title), screen_room(t, 8), out);
		buf_addc(out, '\n');
	}
	put_request(l, answer, &v, out);
	put_files(l, t, out);
	if (l->status.call > 0 || l->diff.call > 0)
		buf_adds(out, "\ngit\n");
	put_git(l, &l->status, "status", t, out);
	put_git(l, &l->diff, "diff", t, out);
	put_commands(l, t, out);
	buf_release(&messages);
}
