/* people.c - what prints for people reads as every stage does. */
#include <unistd.h>

#include "file.h"

#include "ledger.h"
#include "people.h"
#include "report.h"

struct people {
	const struct people_opts *o;
	struct screen screen;
	struct replay replay;
	struct ledger ledger;
	struct buf out;		/* SVG: the pictures so far */
	long height;
	size_t transcripts;
};

static bool
keep_none(struct stage *s, const struct rec *r)
{
	(void)s, (void)r;
	return false;
}

static void
report_record(struct stage *s, const struct rec *r)
{
	struct people *p = s->self;

	replay_record(&p->replay, r);
}

/* Lines that are no records: the last LF is left to stage_put. */
static void
put(struct stage *s, struct buf *out)
{
	if (out->len > 0)
		stage_put(s, R_OTHER, (struct slice){ out->p, out->len - 1 });
	buf_reset(out);
}

/* What the table does not count. */
static void
put_left(const struct stage *s, struct buf *out)
{
	const struct import_left *left = stage_left_out(s);

	if (left == NULL || left->n == 0)
		return;
	buf_adds(out, "left out by the importer: ");
	import_left_put(left, out);
	buf_addc(out, '\n');
}

/* A transcript is over. */
static void
report_reset(struct stage *s)
{
	struct people *p = s->self;

	if (p->o->mode == PEOPLE_SVG) {
		svg_picture(&p->replay, &p->height, &p->out);
	} else {
		if (p->transcripts > 0)
			buf_addc(&p->out, '\n');
		report_table(&p->replay, &p->screen, &p->out);
		put_left(s, &p->out);
		report_chart(&p->replay, &p->screen, &p->out);
		put(s, &p->out);
	}
	p->transcripts++;
	replay_reset(&p->replay);
}

static void
ledger_take(struct stage *s, const struct rec *r)
{
	struct people *p = s->self;

	ledger_record(&p->ledger, r);
}

static void
ledger_end(struct stage *s)
{
	struct people *p = s->self;

	if (p->transcripts++ > 0)
		buf_addc(&p->out, '\n');
	ledger_print(&p->ledger, &p->screen, &p->out);
	put(s, &p->out);
	ledger_reset(&p->ledger);
}

/* The document around all pictures: written when the stage has ended, which
 * closes its stdout, so to a copy of that. */
static int
put_document(struct people *p, int fd)
{
	struct buf all = BUF_INIT((size_t)1 << 40);
	int bad;

	svg_document(buf_view(&p->out), p->height, &all);
	bad = file_write_all(fd, all.p, all.len) < 0;
	buf_release(&all);
	return bad | (close(fd) < 0);
}

static int
run_report(struct stage *s, struct people *p, const struct conf *conf)
{
	static const struct stage_ops ops = { .name = "compact",
		.keep = keep_none, .record = report_record,
		.reset = report_reset };
	int fd = p->o->mode == PEOPLE_SVG ? dup(STDOUT_FILENO) : -1, st;
	struct err e;

	s->ops = &ops;
	replay_init(&p->replay, conf, p->o->strategy, p->o->window);
	p->replay.family = p->o->family;
	st = stage_run(s);
	if (st == ST_OK && p->o->mode == PEOPLE_SVG && put_document(p, fd) != 0) {
		err_sys(&e, ST_SYSTEM, "stdout");
		st = err_report(&e);
	}
	replay_release(&p->replay);
	return st;
}

static int
run_ledger(struct stage *s, struct people *p, const struct conf *conf)
{
	static const struct stage_ops ops = { .name = "compact",
		.keep = keep_none, .record = ledger_take,
		.reset = ledger_end };
	int st;

	s->ops = &ops;
	ledger_init(&p->ledger, conf, p->o->strategy, p->o->window);
	st = stage_run(s);
	ledger_release(&p->ledger);
	return st;
}

int
people_run(const struct stage *inputs, const struct conf *conf,
    const struct people_opts *o)
{
	struct people p = { .o = o, .screen = screen_of_stdout() };
	struct stage s = *inputs;
	int st;

	buf_init(&p.out, (size_t)1 << 40);
	s.self = &p;
	s.mode = STAGE_FILTER;
	st = o->mode == PEOPLE_LEDGER ? run_ledger(&s, &p, conf) :
	    run_report(&s, &p, conf);
	buf_release(&p.out);
	return st;
}
