/* people.c - what is told to people: reading for the four views. */
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "people.h"
#include "term.h"

static void
record(struct stage *s, const struct rec *r)
{
	struct people *p = s->self;

	if (guard_is_own(r))
		return;
	if (!p->open)
		p->of_file = p->name == s->in.name ? p->of_file + 1 : 1;
	p->open = true;
	p->name = s->in.name;
	p->rec = r;
	ledger_record(&p->ledger, r);
	p->view->record(p, r);
}

static void
over(struct stage *s)
{
	struct people *p = s->self;
	const struct import_left *left = stage_left_out(s);

	if (p->open && left != NULL)
		import_left_merge(&p->left, left);
	if (p->open)
		p->view->over(p);
	p->open = false;
	ledger_reset(&p->ledger);
}

static void
end(struct stage *s)
{
	struct people *p = s->self;

	over(s);		/* a failure may have come in mid-file */
	p->view->end(p);
}

int
people_run(struct people *p)
{
	static const struct stage_ops ops = { .name = "guard",
		.record = record, .reset = over, .end = end };
	struct stage *s = p->stage;
	int status;

	term_init();
	s->ops = &ops;
	s->self = p;
	s->mode = STAGE_NEW;
	s->mute = true;
	sheet_init(&p->sheet, &s->out);
	status = stage_run(s);
	ledger_release(&p->ledger);
	import_left_reset(&p->left);
	return status;
}

void
people_title(const struct people *p, struct buf *b)
{
	buf_adds(b, p->name != NULL ? p->name : "stdin");
	if (p->of_file > 1 && p->ledger.first_line < p->ledger.last_line)
		buf_fmt(b, ", lines %zu to %zu", p->ledger.first_line,
		    p->ledger.last_line);
	else if (p->of_file > 1)
		buf_fmt(b, ", line %zu", p->ledger.first_line);
}

enum paint
people_paint(enum action a)
{
	switch (a) {
	case ACT_WARN: return PAINT_YELLOW;
	case ACT_BLOCK: return PAINT_RED;
	case ACT_HALT: return PAINT_STOP;
	case ACT_SHARE: return PAINT_CYAN;
	default: return PAINT_NONE;
	}
}

char *
people_tool(const struct entry *e)
{
	char *tool = scan_strdup(slice_of(e->name));

	return tool != NULL ? tool : xstrdup("");
}
