/* main.c - hamr-guard: is this still getting anywhere? */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "guard.h"
#include "rules.h"

static const char help[] =
"usage: hamr-guard [-n|-r] [-a] [-e] [-q] [-p PROFILE] [-F FORMAT]\n"
"                  [--lenient] [--no-config] [-o key=value] [FILE...]\n"
"\n"
"Reads a transcript (NDJSON records) and passes it on with verdicts on calls\n"
"that go round in circles, and a nudge that redirects. Its own earlier\n"
"verdicts and nudges are made anew, so twice is the same as once.\n"
"\n"
"  -n, -r           own records only; resident, for hamr-loop\n"
"  -a               also write a verdict for what is allowed\n"
"  -e               status 1 if this run wrote a block or a halt\n"
"  -q               no warnings about the configuration\n"
"  -p PROFILE       default, or off (judges nothing)\n"
"  -F FORMAT        auto, hamr, claude-code, openai, ...: hamr-import(5)\n"
"  --import-only    write the input as hamr's records, judge nothing\n"
"  --jq FILTER      write what the filter makes of each record\n"
"  --lenient        a refused line becomes an error record\n"
"  --no-config      read no configuration and no environment\n"
"  -o key=value     set a configuration key, as loop_guard.warn_threshold=2\n"
"  -h, --help       this text; -V, --version the version\n"
"\n"
"Status: 0 done, 1 with -e a refusal, 2 usage, 65 bad record, 66 no such\n"
"file, 71 system error, 78 configuration.\n";

struct opts {
	struct stage_args stage;
	const char *profile;
	bool allow, status, import_only;
};

enum { OPT_IMPORT_ONLY = OPT_COMMAND };

static void
read_opts(int argc, char **argv, struct opts *o)
{
	static const struct option names[] = { STAGE_LONG, STAGE_JQ,
		{ "import-only", 0, 0, OPT_IMPORT_ONLY }, { 0 } };
	int c;

	opterr = 0;
	while ((c = getopt_long(argc, argv, STAGE_SHORT "aep:", names,
	    NULL)) != -1)
		switch (c) {
		case 'a': o->allow = true; break;
		case 'e': o->status = true; break;
		case 'p': o->profile = optarg; break;
		case OPT_IMPORT_ONLY: o->import_only = true; break;
		default:
			if (!stage_option(&o->stage, c,
			    optarg, help))
				err_die(ST_USAGE, "unknown option or missing "
				    "argument: %s; try hamr-guard --help",
				    argv[optind - 1]);
		}
}

static unsigned long
count_of(const struct conf *c, const char *key)
{
	return (unsigned long)conf_int(c, key);
}

static void
read_policy(const struct conf *c, const struct opts *o, struct policy *p)
{
	const char *profile = o->profile;

	if (profile == NULL)
		profile = conf_str(c, "loop_guard.profile");
	p->off = strcmp(profile, "off") == 0;
	if (!p->off && strcmp(profile, "default") != 0)
		err_die(o->profile != NULL ? ST_USAGE : ST_CONFIG,
		    "profile %s: unknown; this version has default and off",
		    profile);
	if (!conf_bool(c, "loop_guard.enabled"))
		p->off = true;
	p->allow = o->allow;
	p->status = o->status;
	p->warn = count_of(c, "loop_guard.warn_threshold");
	p->block = count_of(c, "loop_guard.block_threshold");
	p->halt = count_of(c, "loop_guard.halt_threshold");
	p->fresh_block = count_of(c, "loop_guard.interleaved_block_threshold");
	p->poll = count_of(c, "loop_guard.poll_multiplier");
	p->window = count_of(c, "loop_guard.window_size");
	p->stall_warn = count_of(c, "loop_guard.stall_warn_threshold");
	p->stall_limit = count_of(c, "loop_control.progress_stall_threshold");
	p->min_gain = count_of(c,
	    "loop_control.progress_min_info_gain_length");
	p->poll_tools = conf_list(c, "loop_guard.poll_tools", &p->npoll);
	p->exempt = conf_list(c, "loop_guard.exempt_tools", &p->nexempt);
}

static int
read_rules(const struct conf *c, struct guard *g, struct err *e)
{
	const char *const *list;
	size_t n;

	list = conf_list(c, "loop_guard.normalize", &n);
	g->sign.rules = n > 0 ? rules_new(list, n, e) : NULL;
	return n > 0 && g->sign.rules == NULL ? -1 : 0;
}

/* ---- the stage ---- */

static bool
keep(struct stage *s, const struct rec *r)
{
	(void)s;
	return !guard_is_own(r);
}

static void
record(struct stage *s, const struct rec *r)
{
	guard_record(s->self, r);
}

static void
reset(struct stage *s)
{
	guard_reset(s->self);
}

int
main(int argc, char **argv)
{
	static const struct stage_ops ops = { .name = "guard", .keep = keep,
		.record = record, .reset = reset };
	static const struct stage_ops pass = { .name = "guard" };
	struct opts o = { .profile = NULL };
	struct policy policy = { .off = false };
	struct stage s = { .ops = &ops };
	struct guard g;
	struct conf *conf;
	struct err e;
	char *root;
	int status;

	err_program("hamr-guard");
	read_opts(argc, argv, &o);
	root = conf_root(".", &e);
	conf = root != NULL ? stage_conf(&o.stage, root, &e) : NULL;
	free(root);
	if (conf == NULL)
		return err_report(&e);
	read_policy(conf, &o, &policy);
	stage_apply(&s, &o.stage);
	if (stage_reads(&s, &o.stage, conf, &e) < 0)
		return err_report(&e);
	if (o.import_only)
		s.ops = &pass;
	s.self = &g;
	s.files = (const char *const *)argv + optind;
	s.nfiles = (size_t)(argc - optind);
	s.max_bytes = (size_t)conf_int(conf, "record.max_bytes");
	guard_init(&g, &s, &policy);
	status = read_rules(conf, &g, &e) < 0 ? err_report(&e) :
	    stage_run(&s);
	rules_free(g.sign.rules);
	guard_release(&g);
	conf_free(conf);
	free(o.stage.set);
	return status;
}
