/* opts.c - the options of hamr-compact. */
#include <getopt.h>
#include <string.h>

#include "base/err.h"
#include "base/num.h"
#include "epoch/compact.h"
#include "opts.h"

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

struct opts
opts_read(int argc, char **argv)
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
		usage("unknown strategy", o.strategy);
	if (o.has_family && o.mode != MODE_COUNT && o.mode != MODE_REPORT &&
	    o.mode != MODE_SVG && o.mode != MODE_JSON)
		usage("--family is for --count and --report", NULL);
	o.files = (const char *const *)argv + optind;
	o.nfiles = (size_t)(argc - optind);
	return o;
}
