/* main.c - hamr-provider: request in, assistant message out. */
#include <fcntl.h>
#include <getopt.h>
#include <stdlib.h>
#include <unistd.h>

#include "ask/discover.h"
#include "ask/replay.h"
#include "ask/transcript.h"
#include "base/mem.h"
#include "bridge/bridge.h"
#include "net/key.h"

static const char help[] =
"usage: hamr-provider [-n|-r] [--base-url URL] [--model M] [--provider NAME]\n"
"                     [--api API] [--replay FILE] [-o key=value]\n"
"                     [FILE...] <records >records\n"
"       hamr-provider --models | --probe | --mcp URL\n"
"Reads a transcript; answers its last request, or one made of its messages.\n"
"Writes what it read, then usage and an assistant message, or an error.\n"
"  -n                only its own records     -r   resident: act only at go\n"
"  --stream          write deltas too         -q   say less on stderr\n"
"  --api API         openai, responses, anthropic, gemini, ollama, replay,\n"
"                    or an adapter in jq: FILE.jq, or NAME, like cohere\n"
"  --base-url URL    like http://127.0.0.1:8080/v1; else a local server\n"
"  --model M         else the first one the server lists\n"
"  --provider NAME   the table [provider.NAME] of the configuration\n"
"  --replay FILE     answer from a script, transcript or cassette\n"
"  --replay-speed N  at N tokens a second; --replay-chunk N  in N bytes\n"
"  --record FILE     append every exchange to a cassette for --replay\n"
"  --models          list what the server has\n"
"  --probe           its window, tools and speed, as a limit record\n"
"  --mcp URL         offer an MCP server over HTTP as one over stdio\n"
"  -F hamr|auto      input format             -o key=value  a setting\n"
"  --lenient         bad lines are errors     --no-config, -h, -V\n"
"Exit status: 0 done, 1 nothing listed, 2 usage, 65 bad record, 66 no input,\n"
"69 refused, 71 system error, 75 try again later, 78 config, no server\n"
"Example: echo '{\"role\":\"user\",\"content\":\"hi\"}' | hamr-provider\n";

enum { OPT_API = OPT_COMMAND, OPT_BASE_URL, OPT_MODEL, OPT_PROVIDER,
	OPT_REPLAY, OPT_REPLAY_SPEED, OPT_REPLAY_CHUNK, OPT_RECORD, OPT_MODELS,
	OPT_PROBE, OPT_MCP };

static const struct option options[] = {
	{ "api", 1, 0, OPT_API },
	{ "base-url", 1, 0, OPT_BASE_URL },
	{ "model", 1, 0, OPT_MODEL },
	{ "provider", 1, 0, OPT_PROVIDER },
	{ "replay", 1, 0, OPT_REPLAY },
	{ "replay-speed", 1, 0, OPT_REPLAY_SPEED },
	{ "replay-chunk", 1, 0, OPT_REPLAY_CHUNK },
	{ "record", 1, 0, OPT_RECORD },
	{ "models", 0, 0, OPT_MODELS },
	{ "probe", 0, 0, OPT_PROBE },
	{ "mcp", 1, 0, OPT_MCP },
	STAGE_LONG,
	{ 0, 0, 0, 0 }
};

static void
read_options(int argc, char **argv, struct stage_args *a, struct flags *f)
{
	int c;

	opterr = 0;
	while ((c = getopt_long(argc, argv, STAGE_SHORT, options, NULL)) != -1)
		switch (c) {
		case OPT_API: f->api = optarg; break;
		case OPT_BASE_URL: f->base_url = optarg; break;
		case OPT_MODEL: f->model = optarg; break;
		case OPT_PROVIDER: f->provider = optarg; break;
		case OPT_REPLAY: f->replay = optarg; break;
		case OPT_REPLAY_SPEED: f->replay_speed = optarg; break;
		case OPT_REPLAY_CHUNK: f->replay_chunk = optarg; break;
		case OPT_RECORD: f->record = optarg; break;
		case OPT_MODELS: f->models = true; break;
		case OPT_PROBE: f->probe = true; break;
		case OPT_MCP: f->mcp = optarg; break;
		default:
			stage_option(a, c, argv, help);
		}
	f->quiet = a->quiet;
}

/* hamr-provider-NAME speaks the stage contract itself: we become it. */
static int
become(const struct settings *set, const struct stage_args *a,
    const struct flags *f, char **files, struct err *e)
{
	const char *const words[] = {
		a->mode == STAGE_NEW ? "-n" : NULL,
		a->mode == STAGE_RESIDENT ? "-r" : NULL,
		a->quiet ? "-q" : NULL, a->stream ? "--stream" : NULL,
		f->models ? "--models" : NULL, f->probe ? "--probe" : NULL,
		*set->model != '\0' ? "--model" : NULL, set->model,
		*set->base_url != '\0' ? "--base-url" : NULL, set->base_url };
	struct texts argv = { NULL, 0, 0 };

	texts_add(&argv, set->program);
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (words[i] != NULL && *words[i] != '\0')
			texts_add(&argv, (char *)words[i]);
	for (; *files != NULL; files++)	/* a file is no option there, either */
		texts_add(&argv, (*files)[0] == '-' && (*files)[1] != '\0' ?
		    xasprintf("./%s", *files) : *files);
	texts_add(&argv, NULL);
	execv(set->program, argv.v);
	free(argv.v);
	err_sys(e, ST_SYSTEM, "%s", set->program);
	return err_report(e);
}

static int
run(struct provider *p, const struct flags *f, struct stage *s,
    struct err *e)
{
	if (f->models)
		return server_models(p);
	if (f->probe)
		return server_probe(p);
	if (p->set->replay_file != NULL) {
		p->replay = replay_open(p->set->replay_file,
		    p->set->replay_speed, e);
		if (p->replay == NULL)
			return err_report(e);
	}
	if (f->record != NULL) {
		p->record = open(f->record, O_WRONLY | O_APPEND | O_CREAT |
		    O_CLOEXEC, 0600);
		if (p->record < 0) {
			err_sys(e, ST_SYSTEM, "%s", f->record);
			return err_report(e);
		}
	}
	p->stage = s;
	return stage_run(s);
}

int
main(int argc, char **argv)
{
	struct provider p;
	struct stage stage = { .ops = &provider_ops, .self = &p };
	struct stage_args args = { .mode = STAGE_FILTER };
	struct flags flags = { .api = NULL };
	struct settings set = { .api = NULL };
	struct conf *conf = NULL;
	char *root = NULL;
	struct err e;
	int st;

	err_program("hamr-provider");
	key_protect();
	read_options(argc, argv, &args, &flags);
	if (stage_format(&args, &e) < 0)
		return err_report(&e);
	if (!args.no_config)
		root = conf_root(".", &e);
	if (root != NULL || args.no_config)
		conf = stage_conf(&args, root, &e);
	if (conf != NULL && flags.mcp != NULL) {
		st = bridge_run(flags.mcp, conf, &e);
		st = st < 0 ? err_report(&e) : st;
	} else if (conf == NULL || settings_load(&set, conf, &flags, &e) < 0)
		st = err_report(&e);
	else if (set.program != NULL)
		st = become(&set, &args, &flags, argv + optind, &e);
	else {
		stage_apply(&stage, &args, conf);
		stage.files = (const char *const *)argv + optind;
		stage.nfiles = (size_t)(argc - optind);
		provider_init(&p, &set);
		st = run(&p, &flags, &stage, &e);
		provider_release(&p);
	}
	settings_release(&set);
	conf_free(conf);
	FREE(root, args.set);
	return st;
}
