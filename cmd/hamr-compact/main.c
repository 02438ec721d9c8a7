/* main.c - hamr-compact: transcript in, the request to send out.
 *
 * Its options, and the callbacks of the stage for each mode.
 */
#include <getopt.h>
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/num.h"
#include "check/check.h"
#include "conf/place.h"
#include "jq/program.h"
#include "ledger/working_context.h"
#include "report/tables.h"
#include "stage/stage.h"
#include "term/term.h"

#define LEAST 40
#define MOST 240
#define USUAL 80

static const char HELP[] =
"usage: hamr-compact [-n|-r] [options] [FILE...]\n"
"       hamr-compact [options] --view | --check | --report[=svg|json] |\n"
"           --ledger | --budget [FILE...]\n"
"       hamr-compact --count [--family NAME] [FILE...]\n"
"Reads a transcript and writes it again, adding at its end and at each `go`\n"
"the request to send: legal, and small enough for the window.\n"
"  -n, -r          write only its own records; -r: act only at `go`\n"
"  -q              no warnings\n"
"  -F FORMAT       auto, hamr, claude-code, openai, ...: see hamr-import(5)\n"
"  --jq FILTER     write what FILTER makes of each record\n"
"  --strategy NAME auto, aggressive, moderate, balanced, light, late or none\n"
"  --window N      context window in tokens; 0: no limit\n"
"  --lenient       turn a bad line into an error record; "
"--stream: keep deltas\n"
"  --no-config     read no configuration; -o key=value sets a key\n"
"  --view          print the messages of the request, one per line\n"
"  --check         check that the view is legal, and list what was elided\n"
"  --report        replay it, compared with other rules: tables, SVG or JSON\n"
"  --ledger        show files and lines in view, git, repeats, what is "
"compacted\n"
"  --budget        print the configuration and the limits derived from it\n"
"  --count         estimate the tokens of a text; --family: modern, o200k,\n"
"                  cl100k, qwen25, llama3, llama2, claude2\n"
"  -h, -V          print this help, or the version\n"
"Exit status: 0 done, 1 not legal, 2 usage, 3 nothing fits, 65 bad record,\n"
"66 no such file, 71 system error, 78 configuration\n";

enum mode {
	MODE_REQUEST, MODE_VIEW, MODE_CHECK, MODE_BUDGET, MODE_LEDGER,
	MODE_REPORT, MODE_SVG, MODE_JSON, MODE_COUNT
};

struct opts {
	struct stage_args args;
	long window;		/* -1: none was given */
	const char *strategy;	/* NULL: none was given */
	enum mode mode;
	bool has_family;
	enum token_family family;
	const char *const *files;
	size_t nfiles;
};

enum { OPT_WINDOW = OPT_COMMAND, OPT_STRATEGY, OPT_FAMILY, OPT_REPORT,
	OPT_MODE };

static void
usage(const char *what, const char *arg)
{
	err_die(ST_USAGE, "%s%s%s; try hamr-compact --help", what,
	    arg != NULL ? ": " : "", arg != NULL ? arg : "");
}

static void
own_option(struct opts *o, int c, const char *arg)
{
	static const char *const modes[] = { [MODE_VIEW] = "--view",
		[MODE_CHECK] = "--check", [MODE_BUDGET] = "--budget",
		[MODE_LEDGER] = "--ledger", [MODE_REPORT] = "--report",
		[MODE_SVG] = "--report=svg", [MODE_JSON] = "--report=json",
		[MODE_COUNT] = "--count" };
	enum mode mode = MODE_REPORT;
	int64_t n;
	int family;

	switch (c) {
	case OPT_WINDOW:
		if (!num_i64(arg, strlen(arg), &n) || n < 0 || n > 1000000000)
			usage("--window is not a number of tokens", arg);
		o->window = (long)n;
		return;
	case OPT_STRATEGY:
		o->strategy = arg;
		return;
	case OPT_FAMILY:
		family = token_family_named(arg);
		if (family < 0)
			usage("unknown family", arg);
		o->has_family = true;
		o->family = (enum token_family)family;
		return;
	case OPT_REPORT:
		if (arg != NULL && strcmp(arg, "svg") == 0)
			mode = MODE_SVG;
		else if (arg != NULL && strcmp(arg, "json") == 0)
			mode = MODE_JSON;
		else if (arg != NULL)
			usage("--report is text, svg or json, not", arg);
		break;
	default:
		mode = (enum mode)(c - OPT_MODE);
	}
	/* otherwise the last of two modes would win silently */
	if (o->mode != MODE_REQUEST && o->mode != mode)
		err_die(ST_USAGE, "%s and %s cannot be used together",
		    modes[o->mode], modes[mode]);
	o->mode = mode;
}

static bool
is_report(const struct opts *o)
{
	return o->mode == MODE_REPORT || o->mode == MODE_SVG ||
	    o->mode == MODE_JSON;
}

static struct opts
read_opts(int argc, char **argv)
{
	static const struct option longs[] = { STAGE_LONG, STAGE_JQ,
		{ "window", 1, 0, OPT_WINDOW },
		{ "strategy", 1, 0, OPT_STRATEGY },
		{ "family", 1, 0, OPT_FAMILY },
		{ "report", 2, 0, OPT_REPORT },
		{ "view", 0, 0, OPT_MODE + MODE_VIEW },
		{ "check", 0, 0, OPT_MODE + MODE_CHECK },
		{ "budget", 0, 0, OPT_MODE + MODE_BUDGET },
		{ "ledger", 0, 0, OPT_MODE + MODE_LEDGER },
		{ "count", 0, 0, OPT_MODE + MODE_COUNT }, { 0, 0, 0, 0 } };
	struct opts o = { .window = -1 };
	int c;

	opterr = 0;
	while ((c = getopt_long(argc, argv, STAGE_SHORT, longs, NULL)) != -1)
		if (!stage_option(&o.args, c, argv, HELP))
			own_option(&o, c, optarg);
	if (o.strategy != NULL && strategy_named(o.strategy) == NULL)
		usage("--strategy is auto, aggressive, moderate, balanced, "
		    "light, late or none", NULL);
	if (o.has_family && o.mode != MODE_COUNT && !is_report(&o))
		usage("--family is for --count and --report", NULL);
	o.files = (const char *const *)argv + optind;
	o.nfiles = (size_t)(argc - optind);
	return o;
}

/* ---- the stage ---- */

/* Only what the mode needs is set up. */
struct run {
	const struct opts *o;
	const struct conf *conf;
	struct compact compact;
	struct simulation simulation;
	struct ledger ledger;
	struct term term;	/* its columns, bounded */
	bool utf8;		/* by the locale */
	struct buf out;		/* what to print; --report=svg: what to draw,
				 * elements of an array */
	size_t transcripts;
};

static void
begin(struct run *run)
{
	const struct opts *o = run->o;

	if (is_report(o)) {
		simulation_init(&run->simulation, run->conf, o->strategy,
		    o->window, o->mode != MODE_REPORT, o->family);
	} else if (o->mode == MODE_LEDGER) {
		ledger_init(&run->ledger, run->conf, o->strategy, o->window);
	} else {
		compact_init(&run->compact, run->conf, o->strategy, o->window);
		run->compact.hashes = o->mode == MODE_CHECK;
	}
}

static void
release(struct run *run)
{
	if (is_report(run->o))
		simulation_release(&run->simulation);
	else if (run->o->mode == MODE_LEDGER)
		ledger_release(&run->ledger);
	else
		compact_release(&run->compact);
}

static void
record(struct stage *s, const struct rec *r)
{
	struct run *run = s->self;

	if (is_report(run->o))
		simulation_record(&run->simulation, r);
	else if (run->o->mode == MODE_LEDGER)
		ledger_record(&run->ledger, r);
	else
		compact_record(&run->compact, r);
}

static void
reset(struct stage *s)
{
	release(s->self);
	begin(s->self);
}

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

static void
put_view(struct stage *s, struct compact *c, bool fits, struct buf *out)
{
	struct buf error = BUF_INIT((size_t)1 << 40);
	struct slice m;

	for (struct walk w = view_walk(c->view); walk_next(&w, NULL, &m); ) {
		buf_slice(out, m);
		buf_addc(out, '\n');
	}
	if (fits)
		return;
	stage_status(s, ST_NOFIT);
	exhausted_error(c, &error);
	char *why = scan_text(scan_get(buf_view(&error), "message"));
	err_say("%s", why);
	free(why);
	buf_release(&error);
}

static void
print(struct stage *s)
{
	struct run *run = s->self;
	struct compact *c = &run->compact;
	const struct import_left *left = stage_left_out(s);
	struct buf *out = &run->out, clean = BUF_INIT(out->max);
	enum mode mode = run->o->mode;
	bool fits = mode == MODE_LEDGER || is_report(run->o) ||
	    compact_decide(c);

	if ((mode == MODE_REPORT || mode == MODE_LEDGER) &&
	    run->transcripts++ > 0)
		buf_addc(out, '\n');
	switch (mode) {
	case MODE_SVG:
		buf_addc(out, out->len == 0 ? '[' : ',');
		report_picture(&run->simulation, out);
		break;
	case MODE_REPORT:
		report_tables(&run->simulation, &run->term, out);
		if (left != NULL && left->n > 0) {
			buf_adds(out, "left out by the importer: ");
			import_left_put(left, out);
			buf_addc(out, '\n');
		}
		report_charts(&run->simulation, &run->term, run->utf8, out);
		break;
	case MODE_JSON: report_json(&run->simulation, out); break;
	case MODE_LEDGER: ledger_print(&run->ledger, &run->term, out); break;
	case MODE_VIEW: put_view(s, c, fits, out); break;
	case MODE_BUDGET: print_budget(c, out); break;
	default:
		if (!legality_print(c, fits, out))
			stage_status(s, ST_NO);
		else if (!fits)
			stage_status(s, ST_NOFIT);
	}
	if ((mode == MODE_CHECK || mode == MODE_BUDGET) &&
	    term_of(STDOUT_FILENO).tty) {
		/* tool names and paths may be anything */
		term_escape(&clean, buf_view(out));
		buf_release(out);
		*out = clean;
	}
	if (mode != MODE_SVG) {
		/* these are not records; stage_put adds the last LF */
		if (out->len > 0)
			stage_put(s, R_OTHER,
			    (struct slice){ out->p, out->len - 1 });
		buf_reset(out);
	}
	reset(s);
}

/* --report=svg: all input is read; draw one document from it. */
static void
draw(struct stage *s)
{
	struct run *run = s->self;
	struct buf text = BUF_INIT((size_t)1 << 40), result = text;
	struct program *p = NULL;
	struct err e;

	if (run->o->mode != MODE_SVG || s->failed || s->status != ST_OK)
		return;
	char *file = conf_share("report.jq");
	if (file_read(file, &text, &e) == 0)
		p = program_new("report.jq", text.p, "{}", false, &e);
	buf_adds(&run->out, run->out.len == 0 ? "[]" : "]");
	if (p == NULL || program_run(p, buf_view(&run->out), &result, &e) != 0)
		stage_fail(s, &e);
	buf_reset(&text);
	if (scan_str(slice_trim(buf_view(&result)), &text))
		rec_put(&s->out, slice_trim_end(buf_view(&text), "\n"));
	program_free(p);
	bufs_release(BUFS(&text, &result));
	free(file);
}

static int
run(const struct opts *o, const struct conf *conf)
{
	static const struct stage_ops request = { .name = "compact",
		.record = record, .act = act, .reset = reset };
	static const struct stage_ops people = { .name = "compact",
		.keep = keep_none, .record = record, .reset = print,
		.end = draw };
	struct run run = { .o = o, .conf = conf };
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
	if (o->mode == MODE_REPORT || o->mode == MODE_LEDGER) {
		struct term t = term_of(STDOUT_FILENO);

		if (t.columns == 0)
			t.columns = USUAL;
		t.columns = t.columns < LEAST ? LEAST : num_min(t.columns,
		    MOST);
		run.term = t;
		setlocale(LC_CTYPE, "");
		run.utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
		term_init();	/* a locale of its own */
	}
	buf_init(&run.out, (size_t)1 << 40);
	begin(&run);
	if (o->mode == MODE_BUDGET && o->nfiles == 0) {
		print_budget(&run.compact, &run.out);
		st = term_write(buf_view(&run.out), false, &e) < 0 ?
		    err_report(&e) : ST_OK;
	} else {
		st = stage_run(&s);
	}
	release(&run);
	buf_release(&run.out);
	return st;
}

int
main(int argc, char **argv)
{
	struct err e;
	int st;

	err_program("hamr-compact");
	struct opts o = read_opts(argc, argv);
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
