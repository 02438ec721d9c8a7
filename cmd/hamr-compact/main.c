/* hamr-compact - transcript in, the request to send out.
 *
 * The callbacks of the stage, for each mode.
 */
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/num.h"
#include "check/check.h"
#include "conf/place.h"
#include "jq/program.h"
#include "ledger/working_context.h"
#include "opts.h"
#include "report/tables.h"
#include "term/term.h"

/* Only what the mode needs is set up. */
struct run {
	const struct opts *o;
	struct compact compact;
	bool fits;
	struct simulation simulation;
	struct ledger ledger;
	struct screen screen;
	struct buf out;		/* what to print; --report=svg: what to draw */
	size_t transcripts;
};

static bool
is_report(const struct run *run)
{
	return run->o->mode == MODE_REPORT || run->o->mode == MODE_SVG ||
	    run->o->mode == MODE_JSON;
}

static void
record(struct stage *s, const struct rec *r)
{
	struct run *run = s->self;

	if (is_report(run))
		simulation_record(&run->simulation, r);
	else if (run->o->mode == MODE_LEDGER)
		ledger_record(&run->ledger, r);
	else
		compact_record(&run->compact, r);
}

static void
reset(struct stage *s)
{
	struct run *run = s->self;

	if (is_report(run))
		simulation_reset(&run->simulation);
	else if (run->o->mode == MODE_LEDGER)
		ledger_reset(&run->ledger);
	else
		compact_reset(&run->compact);
}

/* ---- requests ---- */

/* Write a record unless it equals the last one of ours that was read, so that a
 * compacted transcript passes through unchanged. */
static void
put_own(struct stage *s, enum rec_kind kind, const struct slice *part,
    size_t n)
{
	struct run *run = s->self;
	const struct buf *seen = &run->compact.seen;
	size_t at = 0, i;

	for (i = 0; i < n; at += part[i++].n)
		if (part[i].n > seen->len - at ||
		    memcmp(seen->p + at, part[i].p, part[i].n) != 0)
			break;
	if (s->mode != STAGE_FILTER || i < n || at < seen->len)
		stage_put_parts(s, kind, part, n);
}

static void
act(struct stage *s)
{
	struct run *run = s->self;
	struct compact *c = &run->compact;
	struct buf line = BUF_INIT((size_t)1 << 40);
	struct slice part[REQUEST_PARTS];

	if (c->view->n == 0)
		return;
	if (compact_decide(c)) {
		compact_request(c, part);
		if (c->epoch.number > 0 && !c->epoch.written) {
			epoch_print(c, &line);
			stage_put(s, R_COMPACTION, buf_view(&line));
			/* who reads what a filter writes reads it there */
			c->epoch.recorded = s->mode == STAGE_FILTER;
		}
		put_own(s, R_REQUEST, part, REQUEST_PARTS);
	} else {
		exhausted_error(c, &line);
		part[0] = buf_view(&line);
		put_own(s, R_ERROR, part, 1);
		if (s->mode != STAGE_RESIDENT)
			stage_status(s, ST_NOFIT);
	}
	buf_release(&line);
}

/* ---- modes that print for people ---- */

static bool
keep_none(struct stage *s, const struct rec *r)
{
	(void)s, (void)r;
	return false;
}

/* Called where a request would be made. */
static void
look(struct stage *s)
{
	struct run *run = s->self;

	if (run->o->mode != MODE_LEDGER && !is_report(run))
		run->fits = compact_decide(&run->compact);
}

/* Escape the output for a terminal: tool names and paths may be anything. */
static void
escape(struct buf *out)
{
	struct buf clean = BUF_INIT(out->max);

	if (!term_of(STDOUT_FILENO).tty)
		return;
	term_escape(&clean, buf_view(out));
	buf_release(out);
	*out = clean;
}

/* The transcript is over. */
static void
print(struct stage *s)
{
	struct run *run = s->self;
	const struct import_left *left = stage_left_out(s);
	struct buf *out = &run->out;
	bool tables = run->o->mode == MODE_REPORT ||
	    run->o->mode == MODE_LEDGER;
	char *why;

	if (tables && run->transcripts++ > 0)
		buf_addc(out, '\n');
	switch (run->o->mode) {
	case MODE_SVG:
		report_picture(&run->simulation, out);
		buf_addc(out, '\n');
		break;
	case MODE_REPORT:
		report_tables(&run->simulation, &run->screen, out);
		if (left != NULL && left->n > 0) {
			buf_adds(out, "left out by the importer: ");
			import_left_put(left, out);
			buf_addc(out, '\n');
		}
		report_charts(&run->simulation, &run->screen, out);
		break;
	case MODE_JSON:
		report_json(&run->simulation, out);
		break;
	case MODE_LEDGER:
		ledger_print(&run->ledger, &run->screen, out);
		break;
	case MODE_VIEW:
		print_view(&run->compact, out);
		if (run->fits)
			break;
		stage_status(s, ST_NOFIT);
		why = exhausted_text(&run->compact);
		err_say("%s", why);
		free(why);
		break;
	case MODE_BUDGET:
		print_budget(&run->compact, out);
		escape(out);
		break;
	default:
		if (!legality_print(&run->compact, run->fits, out))
			stage_status(s, ST_NO);
		escape(out);
	}
	if (run->o->mode != MODE_SVG) {
		/* these are not records; stage_put adds the last LF */
		if (out->len > 0)
			stage_put(s, R_OTHER,
			    (struct slice){ out->p, out->len - 1 });
		buf_reset(out);
	}
	run->fits = true;
	reset(s);
}

/* --report=svg: all input is read; draw one document from it. */
static void
draw(struct stage *s)
{
	struct run *run = s->self;
	struct buf text = BUF_INIT((size_t)1 << 40);
	struct slice rest = buf_view(&run->out), transcript, result;
	struct program *p = NULL;
	struct err e;
	int event = -1;

	if (run->o->mode != MODE_SVG || s->failed || s->status != ST_OK)
		return;
	char *file = conf_share("report.jq");
	if (file_read(file, &text, &e) == 0)
		p = program_new("report.jq", text.p, "{}", true, &e);
	if (p != NULL)		/* what comes after it is read with `inputs` */
		program_give(p, SLICE("null"), 0);
	while (p != NULL &&
	    (event = program_next(p, &result, &e)) >= 0 &&
	    event != PROGRAM_END) {
		if (event == PROGRAM_NEED && slice_line(&rest, &transcript)) {
			program_give(p, transcript, 0);
		} else if (event == PROGRAM_NEED) {
			program_last(p);
		} else if (event == PROGRAM_VALUE) {
			buf_reset(&text);
			scan_str(result, &text);
			rec_put(&s->out, slice_part(buf_view(&text), 0,
			    text.len - 1));
		} else if (event == PROGRAM_ERROR) {
			event = err_set(&e, ST_DATA, "report.jq: %.*s",
			    (int)num_min(result.n, 300), result.p);
			break;
		}
	}
	if (event < 0)
		stage_fail(s, &e);
	program_free(p);
	buf_release(&text);
	free(file);
}

/* ---- runs ---- */

static int
run(const struct opts *o, const struct conf *conf)
{
	static const struct stage_ops request = { .name = "compact",
		.record = record, .act = act, .reset = reset };
	static const struct stage_ops people = { .name = "compact",
		.keep = keep_none, .record = record, .act = look,
		.reset = print, .end = draw };
	struct run run = { .o = o, .fits = true };
	struct stage s = { .self = &run, .files = o->files,
		.nfiles = o->nfiles,
		.ops = o->mode == MODE_REQUEST ? &request : &people };
	struct err e;
	int st;

	stage_apply(&s, &o->args, conf);
	if (stage_reads(&s, &o->args, conf, &e) < 0)
		return err_report(&e);
	if (o->mode != MODE_REQUEST)
		s.mode = STAGE_FILTER;
	if (o->mode == MODE_REPORT || o->mode == MODE_LEDGER)
		run.screen = screen_of_stdout();
	buf_init(&run.out, (size_t)1 << 40);
	if (is_report(&run)) {
		simulation_init(&run.simulation, conf, o->strategy,
		    o->window, o->mode != MODE_REPORT, o->family);
		st = stage_run(&s);
		simulation_release(&run.simulation);
	} else if (o->mode == MODE_LEDGER) {
		ledger_init(&run.ledger, conf, o->strategy, o->window);
		st = stage_run(&s);
		ledger_release(&run.ledger);
	} else {
		compact_init(&run.compact, conf, o->strategy, o->window);
		run.compact.hashes = o->mode == MODE_CHECK;
		if (o->mode == MODE_BUDGET && o->nfiles == 0) {
			print_budget(&run.compact, &run.out);
			st = term_write(buf_view(&run.out), false, &e) < 0 ?
			    err_report(&e) : ST_OK;
		} else {
			st = stage_run(&s);
		}
		compact_release(&run.compact);
	}
	buf_release(&run.out);
	return st;
}

int
main(int argc, char **argv)
{
	struct err e;
	int st;

	err_program("hamr-compact");
	struct opts o = opts_read(argc, argv);
	if (o.mode == MODE_COUNT)
		return print_count(o.files, o.nfiles, o.family, &e) < 0 ?
		    err_report(&e) : ST_OK;
	char *root = o.args.no_config ? NULL : conf_root(".", &e);
	struct conf *conf = stage_conf(&o.args, root, &e);
	if (conf == NULL || (o.strategy != NULL && conf_set(conf,
	    "context.strategy", o.strategy, "flag", &e) < 0))
		st = err_report(&e);
	else
		st = run(&o, conf);
	free(root);
	conf_free(conf);
	free(o.args.set);
	return st;
}
