/* hamr-compact - transcript in, the request to send out. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file.h"
#include "num.h"

#include "act.h"
#include "modes.h"
#include "people.h"

static const char HELP[] =
"usage: hamr-compact [-n|-r] [-q] [-F FORMAT] [--strategy NAME] [--window N]\n"
"           [--lenient] [--no-config] [-o key=value] [FILE...]\n"
"       hamr-compact [options] --view | --check | --report[=svg] | --ledger |\n"
"           --budget [FILE...], or --count [--family NAME] [FILE...]\n"
"Reads a transcript and writes it again with, at its end and at each `go`, the\n"
"request to send: legal, and small enough for the window.\n"
"  -n, -r          write own records only; -r: and act at `go` only\n"
"  -q              no warnings\n"
"  -F FORMAT       auto, hamr, claude-code, openai, ...: see hamr-import(5)\n"
"  --jq FILTER     write what the filter makes of each record\n"
"  --strategy NAME aggressive, moderate, balanced, light or none\n"
"  --window N      tokens of the context window; 0: no limit\n"
"  --lenient       a bad line becomes an error record\n"
"  --no-config     read no configuration; -o key=value sets a key\n"
"  --view          print the messages of the request, one a line\n"
"  --check         say whether the view is legal, and what was elided\n"
"  --report        replay it beside other rules: a table and a chart, or SVG\n"
"  --ledger        files and lines in view, git, repeats, what was compacted\n"
"  --budget        print the configuration and what follows from it\n"
"  --count         estimate the tokens of a text; --family: modern, o200k,\n"
"                  cl100k, qwen25, llama3, llama2, claude2\n"
"  -h, -V          this help; the version\n"
"status: 0 done, 1 not legal, 2 usage, 3 nothing fits, 65 bad record,\n"
"        66 no such file, 71 system, 78 configuration\n";

enum { OPT_WINDOW = OPT_COMMAND, OPT_STRATEGY, OPT_VIEW, OPT_CHECK,
	OPT_BUDGET, OPT_COUNT, OPT_FAMILY, OPT_REPORT, OPT_LEDGER };

struct opts {
	struct stage_args args;
	long window;
	const char *strategy;
	enum act_mode mode;
	enum people_mode people;
	const char *shows;	/* the option that says what to print, or NULL */
	bool count, has_family;
	int family;
};

static void
usage(const char *what, const char *arg)
{
	err_die(ST_USAGE, "%s%s%s; try hamr-compact --help", what,
	    arg != NULL ? ": " : "", arg != NULL ? arg : "");
}

static long
window_of(const char *arg)
{
	int64_t n;

	if (!num_i64(arg, strlen(arg), &n) || n < 0 || n > 1000000000)
		usage("--window wants a number of tokens, not", arg);
	return (long)n;
}

/* One thing is printed at a time: of two the last one would win unsaid. */
static void
shows(struct opts *o, const char *option)
{
	if (o->shows != NULL && strcmp(o->shows, option) != 0)
		err_die(ST_USAGE, "%s and %s: one at a time; leave one out",
		    o->shows, option);
	o->shows = option;
}

static void
report_option(struct opts *o, const char *arg)
{
	if (arg != NULL && strcmp(arg, "svg") != 0)
		usage("--report prints text, or svg, not", arg);
	shows(o, arg != NULL ? "--report=svg" : "--report");
	o->people = arg != NULL ? PEOPLE_SVG : PEOPLE_REPORT;
}

static void
own_option(struct opts *o, int c, const char *arg)
{
	switch (c) {
	case OPT_WINDOW: o->window = window_of(arg); break;
	case OPT_STRATEGY: o->strategy = arg; break;
	case OPT_VIEW: shows(o, "--view"); o->mode = ACT_VIEW; break;
	case OPT_CHECK: shows(o, "--check"); o->mode = ACT_CHECK; break;
	case OPT_BUDGET: shows(o, "--budget"); o->mode = ACT_BUDGET; break;
	case OPT_LEDGER:
		shows(o, "--ledger");
		o->people = PEOPLE_LEDGER;
		break;
	case OPT_REPORT: report_option(o, arg); break;
	case OPT_COUNT: shows(o, "--count"); o->count = true; break;
	case OPT_FAMILY:
		o->has_family = true;
		o->family = token_family_named(arg);
		if (o->family < 0)
			usage("unknown family", arg);
		break;
	default: usage("bad option", NULL);
	}
}

static struct opts
options(int argc, char **argv)
{
	static const struct option longs[] = { STAGE_LONG, STAGE_JQ,
		{ "window", 1, 0, OPT_WINDOW },
		{ "strategy", 1, 0, OPT_STRATEGY },
		{ "view", 0, 0, OPT_VIEW }, { "check", 0, 0, OPT_CHECK },
		{ "budget", 0, 0, OPT_BUDGET }, { "count", 0, 0, OPT_COUNT },
		{ "family", 1, 0, OPT_FAMILY },
		{ "report", 2, 0, OPT_REPORT },
		{ "ledger", 0, 0, OPT_LEDGER }, { 0, 0, 0, 0 } };
	struct opts o = { .window = -1 };
	int c;

	opterr = 0;
	while ((c = getopt_long(argc, argv, ":" STAGE_SHORT, longs,
	    NULL)) != -1)
		if (c == '?' || c == ':')
			usage(c == ':' ? "an argument is missing behind" :
			    "unknown option", argv[optind - 1]);
		else if (!stage_option(&o.args, c, optarg, HELP))
			own_option(&o, c, optarg);
	if (o.strategy != NULL && strategy_named(o.strategy) == NULL)
		usage("unknown strategy", o.strategy);
	if (o.has_family && !o.count && o.people != PEOPLE_REPORT &&
	    o.people != PEOPLE_SVG)
		usage("--family is for --count and --report", NULL);
	return o;
}

static struct conf *
configuration(const struct opts *o, struct err *e)
{
	char *root = o->args.no_config ? NULL : conf_root(".", e);
	struct conf *conf = stage_conf(&o->args, root, e);

	free(root);
	if (conf != NULL && o->strategy != NULL && conf_set(conf,
	    "context.strategy", o->strategy, "flag", e) < 0) {
		conf_free(conf);
		return NULL;
	}
	return conf;
}

/* --budget without a transcript. */
static int
print_budget(struct act *a)
{
	struct buf out = BUF_INIT(BUF_RECORD_MAX);
	struct err e;
	int st = ST_OK;

	mode_budget(&a->compact, &out);
	if (file_write_all(STDOUT_FILENO, out.p, out.len) < 0) {
		err_sys(&e, ST_SYSTEM, "stdout");
		st = err_report(&e);
	}
	buf_release(&out);
	return st;
}

static int
run(const struct opts *o, const struct conf *conf, const char *const *files,
    size_t n)
{
	struct act a = { .mode = o->mode, .fits = true };
	struct stage s = { .ops = act_ops(o->mode), .self = &a,
		.files = files, .nfiles = n,
		.max_bytes = (size_t)conf_int(conf, "record.max_bytes") };
	struct err e;
	struct people_opts people = { o->people, o->strategy, o->window,
		(enum token_family)o->family };
	int st;

	stage_apply(&s, &o->args);
	if (stage_reads(&s, &o->args, conf, &e) < 0)
		return err_report(&e);
	if (o->people != PEOPLE_NONE)
		return people_run(&s, conf, &people);
	compact_init(&a.compact, conf, o->strategy, o->window,
	    conf_str(conf, "provider.model"));
	a.compact.hashes = o->mode == ACT_CHECK;
	if (o->mode != ACT_REQUEST)
		s.mode = STAGE_FILTER;
	st = o->mode == ACT_BUDGET && n == 0 ? print_budget(&a) :
	    stage_run(&s);
	compact_release(&a.compact);
	return st;
}

int
main(int argc, char **argv)
{
	struct opts o;
	struct conf *conf;
	struct err e;
	const char *const *files;
	int st;

	err_program("hamr-compact");
	o = options(argc, argv);
	files = (const char *const *)argv + optind;
	if (o.count)
		return mode_count(files, (size_t)(argc - optind),
		    (enum token_family)o.family, &e) < 0 ? err_report(&e) :
		    ST_OK;
	conf = configuration(&o, &e);
	if (conf == NULL)
		return err_report(&e);
	st = run(&o, conf, files, (size_t)(argc - optind));
	conf_free(conf);
	free(o.args.set);
	return st;
}
