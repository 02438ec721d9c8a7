/* main.c - hamr-guard: is this still getting anywhere? */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "conf/conf_keys.h"
#include "reports/reports.h"
#include "sign/user_rules.h"

static const char help[] =
"usage: hamr-guard [-n|-r] [-a] [-e] [-q] [-p PROFILE] [-F FORMAT]\n"
"           [--lenient] [--no-config] [-o key=value] [--report |\n"
"           --explain CALL | --calibrate | --compare | --import-only] "
"[FILE...]\n"
"Reads a transcript (NDJSON records) and writes it with verdicts on calls "
"that\n"
"repeat without effect, and nudges that redirect the model. Its own earlier\n"
"verdicts and nudges are replaced, so running it twice changes nothing.\n"
"\n"
"  -n, -r           write only its own records; -r: resident, for hamr-loop\n"
"  -a               also write a verdict for each allowed call\n"
"  -e               exit with 1 if this run wrote a block or a halt\n"
"  -q               no messages about the configuration or the format chosen\n"
"  -p PROFILE       default, strict, hamr, openfang, hermes, nanobot, kimi,"
" off\n"
"  -F FORMAT        auto, hamr, claude-code, openai, ...: hamr-import(5)\n"
"  --import-only    write the input as hamr records, without verdicts\n"
"  --jq FILTER      write each record through a jq filter\n"
"  --lenient        turn a bad line into an error record; "
"--stream: keep deltas\n"
"  --no-config      read no configuration and no environment\n"
"  -o key=value     set a configuration key: loop_guard.warn_threshold=2\n"
"  --report         what fired, as a table; --compare: one row per profile\n"
"  --explain CALL   why one call (its id or line) was judged as it was\n"
"  --calibrate      how often each rule fires at each threshold\n"
"  -h, --help       print this help; -V, --version: the version\n"
"Exit status: 0 done, 1 with -e a refusal, 2 usage, 65 bad record, 66 no such\n"
"file, 71 system error, 78 configuration\n";

struct opts {
	struct stage_args stage;
	const char *profile, *call;
	const struct report_ops *report;	/* NULL: the filter */
	const char *shows;		/* the option that says what to print */
	bool allow, status, import_only;
};

enum { OPT_REPORT = OPT_COMMAND, OPT_EXPLAIN, OPT_CALIBRATE, OPT_COMPARE,
	OPT_IMPORT_ONLY };

static void
read_opts(int argc, char **argv, struct opts *o)
{
	static const struct option names[] = { STAGE_LONG, STAGE_JQ,
		{ "import-only", 0, 0, OPT_IMPORT_ONLY },
		{ "report", 0, 0, OPT_REPORT },
		{ "explain", 1, 0, OPT_EXPLAIN },
		{ "calibrate", 0, 0, OPT_CALIBRATE },
		{ "compare", 0, 0, OPT_COMPARE }, { 0 } };
	static const struct report_ops *const reports[] = { &report_verdicts,
		&report_explain, &report_calibrate, &report_compare, NULL };
	int c, at;

	opterr = 0;
	while ((c = getopt_long(argc, argv, STAGE_SHORT "aep:", names,
	    &at)) != -1)
		switch (c) {
		case 'a': o->allow = true; break;
		case 'e': o->status = true; break;
		case 'p': o->profile = optarg; break;
		case OPT_EXPLAIN:
			if (o->call != NULL && optarg != NULL &&
			    strcmp(o->call, optarg) != 0)
				err_die(ST_USAGE, "--explain: one call at a "
				    "time, %s or %s", o->call, optarg);
			o->call = optarg;
			/* fallthrough */
		case OPT_REPORT:
		case OPT_CALIBRATE:
		case OPT_COMPARE:
		case OPT_IMPORT_ONLY:
			/* otherwise the last of two would win silently */
			if (o->shows != NULL && o->shows != names[at].name)
				err_die(ST_USAGE, "--%s and --%s: one at a "
				    "time; leave one out", o->shows,
				    names[at].name);
			o->shows = names[at].name;
			o->report = reports[c - OPT_REPORT];
			o->import_only = c == OPT_IMPORT_ONLY;
			break;
		default:
			stage_option(&o->stage, c, argv, help);
		}
}

/* ---- the stage ---- */

static bool
keep(struct stage *s, const struct rec *r)
{
	(void)s, (void)r;
	return false;		/* record passes it on */
}

static void
record(struct stage *s, const struct rec *r)
{
	if (guard_is_own(r))
		return;
	if (s->mode == STAGE_FILTER)
		stage_put(s, r->kind, r->line);
	guard_record(s->self, r);
}

static void
reset(struct stage *s)
{
	guard_reset(s->self);
}

static size_t
profile_of(const struct conf *c, const struct opts *o)
{
	const char *name = o->profile;
	struct buf b = BUF_INIT(BUF_RECORD_MAX);

	if (name == NULL)
		name = conf_str(c, "loop_guard.profile");
	size_t profile = profile_find(name);
	if (profile == PROFILES) {
		for (size_t i = 0; i < PROFILES; i++)
			buf_fmt(&b, i > 0 ? ", %s" : "%s", profiles[i].name);
		err_die(o->profile != NULL ? ST_USAGE : ST_CONFIG,
		    "profile %s: unknown; the profiles are %s", name, b.p);
	}
	/* with -p, tell which of the keys that are set it does not use */
	for (size_t i = 0; o->profile != NULL && !o->stage.quiet &&
	    i < conf_nkeys; i++) {
		const char *key = conf_keys[i].key;

		if ((strncmp(key, "loop_guard.", 11) == 0 ||
		    strncmp(key, "loop_control.", 13) == 0) &&
		    conf_is_set(c, key) && !conf_source(c, key).derived &&
		    !profile_reads(profile, key))
			/* the place, as an alias may stand there */
			err_say("%s: %s is set, but profile %s does not use it",
			    conf_origin(c, key), key, name);
	}
	return profile;
}

int
main(int argc, char **argv)
{
	static const struct stage_ops pass = { .name = "guard" };
	static const struct stage_ops filter = { .name = "guard",
		.keep = keep, .record = record, .reset = reset };
	struct opts o = { .profile = NULL };
	struct stage s = { .ops = NULL };
	struct profile_env env = { .sink.stage = &s };
	const char *const *normalize;
	struct profile p;
	struct err e;
	size_t n;
	int status;

	err_program("hamr-guard");
	read_opts(argc, argv, &o);
	char *root = conf_root(".", &e);
	struct conf *conf = root != NULL ? stage_conf(&o.stage, root, &e) :
	    NULL;
	free(root);
	if (conf == NULL)
		return err_report(&e);
	env.conf = conf;
	env.sink.allow = o.allow;
	env.sink.status = o.status;
	stage_apply(&s, &o.stage, conf);
	s.files = (const char *const *)argv + optind;
	s.nfiles = (size_t)(argc - optind);
	size_t profile = profile_of(conf, &o);
	if (o.report == &report_calibrate && profiles[profile].system != NULL)
		err_die(ST_USAGE, "--calibrate: profile %s has its own "
		    "limits; use -p default or strict", profiles[profile].name);
	if (stage_reads(&s, &o.stage, conf, &e) < 0)
		return err_report(&e);
	normalize = conf_list(conf, "loop_guard.normalize", &n);
	if (n > 0)
		env.rules = user_rules_new(normalize, n, &s.in.name, &e);
	if (n > 0 && env.rules == NULL)
		return err_report(&e);
	s.ops = o.import_only ? &pass : &filter;
	if (o.import_only) {
		status = stage_run(&s);
	} else if (o.report != NULL) {
		status = report_run(&(struct report){ .ops = o.report,
		    .stage = &s, .env = env, .call = o.call,
		    .profile = profile });
	} else {
		profile_init(&p, profile, &env);
		s.self = &p.guard;
		status = stage_run(&s);
		profile_release(&p);
	}
	user_rules_free(env.rules);
	conf_free(conf);
	free(o.stage.set);
	return status;
}
