/* opts.c - the command line of hamr-mem. */
#include <getopt.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/num.h"
#include "commands/commands.h"
#include "conf/conf_keys.h"
#include "store/store.h"

#define MAX_HITS 1000

static const char help[] =
"usage: hamr-mem [-n | -r] [--lenient] [FILE ...]\n"
"       hamr-mem save [--key KEY] [--tag TAG] [--replace ID] [FACT]\n"
"       hamr-mem search [-n N] [--kind fact|message] [--session S]\n"
"                       [--since T] [--raw] [--] QUERY\n"
"       hamr-mem list | show ID | brief [-n N] [TASK] | stats | check\n"
"       hamr-mem forget ID | --session S | --before T | rebuild DIR\n"
"       hamr-mem export | import [FILE ...]\n"
"Full-text memory of what was said.  Without a command it reads records,\n"
"remembers the messages, and passes every record on.\n"
"  -n, -r          write only its own records; -r: resident (for hamr-loop)\n"
"  -F FORMAT       of the transcript, see hamr-import(5); default: auto\n"
"  --lenient       turn a bad line into an error record; -q: say less\n"
"  --global        the user's memory, not the repository's\n"
"  --db FILE       the memory in FILE; like --global, for every command\n"
"  -o KEY=VALUE    set a configuration key; --no-config: read no file\n"
"save takes a fact (or stdin) and prints its id.  search, list and export\n"
"write NDJSON (search: a table on a terminal); brief writes `m:ID text'.\n"
"Examples:\n"
"  hamr-mem save --key port 'the test server listens on 8080'\n"
"  hamr-mem search parseHeader fails; hamr-mem show m:3f2a\n"
"  hamr-mem -n ~/.claude/projects/*/*.jsonl   index old sessions\n"
"Files: .hamr/memory.db of the repository, ~/.local/share/hamr/memory.db\n"
"Exit status: 0 done, 1 nothing found or a fault, 2 usage, 65 bad record\n"
"or file, 66 no input, 71 system error, 75 busy, 78 configuration\n";

enum { OPT_GLOBAL = 300, OPT_DB, OPT_KEY, OPT_TAG, OPT_KIND, OPT_SESSION,
	OPT_SINCE, OPT_BEFORE, OPT_RAW, OPT_REPLACE };

#define PLACE { "global", 0, 0, OPT_GLOBAL }, { "db", 1, 0, OPT_DB }, \
	{ "no-config", 0, 0, OPT_NO_CONFIG }, { "help", 0, 0, 'h' }, \
	{ "version", 0, 0, 'V' }

static const struct option stage_long[] = { PLACE, STAGE_LONG, { 0 } };
static const struct option plain_long[] = { PLACE, { 0 } };
static const struct option save_long[] = { PLACE, { "key", 1, 0, OPT_KEY },
	{ "tag", 1, 0, OPT_TAG }, { "replace", 1, 0, OPT_REPLACE },
	{ 0 } };
static const struct option search_long[] = { PLACE,
	{ "kind", 1, 0, OPT_KIND }, { "session", 1, 0, OPT_SESSION },
	{ "since", 1, 0, OPT_SINCE }, { "raw", 0, 0, OPT_RAW }, { 0 } };
static const struct option forget_long[] = { PLACE,
	{ "session", 1, 0, OPT_SESSION }, { "before", 1, 0, OPT_BEFORE },
	{ 0 } };

static const struct form {
	const char *name;
	int (*command)(const struct opts *, struct err *);
	const char *opts;
	const struct option *lopts;
	const char *wants;		/* the words it needs, or NULL */
	size_t max;
} forms[] = {
	{ "save", command_save, ":o:hV", save_long, NULL, SIZE_MAX },
	{ "search", command_search, ":n:o:hV", search_long, "a query",
	    SIZE_MAX },
	{ "list", command_list, ":o:hV", plain_long, NULL, 0 },
	{ "show", command_show, ":o:hV", plain_long, "an id", 1 },
	{ "forget", command_forget, ":o:hV", forget_long, NULL, 1 },
	{ "brief", command_brief, ":n:o:hV", plain_long, NULL, SIZE_MAX },
	{ "stats", command_stats, ":o:hV", plain_long, NULL, 0 },
	{ "check", command_check, ":o:hV", plain_long, NULL, 0 },
	{ "rebuild", command_rebuild, ":o:hV", plain_long,
	    "a directory", 1 },
	{ "export", command_export, ":o:hV", plain_long, NULL, 0 },
	{ "import", command_import, ":o:hV", plain_long, NULL, SIZE_MAX },
};

static int
take_time(const char *arg, const char *name, int64_t *out, struct err *e)
{
	if (when_parse(arg, out))
		return 0;
	return err_set(e, ST_USAGE, "--%s %s: not a time; write 2026-11-20 or "
	    "2026-11-20T10:15:00Z", name, arg);
}

/* Read the options; o->args becomes what is left. */
static int
take_all(struct opts *o, int argc, char **argv, const char *opts,
    const struct option *lopts, struct err *e)
{
	uint64_t n;
	int c, r = 0;

	while (r == 0 && (c = getopt_long(argc, argv, opts, lopts,
	    NULL)) != -1)
		switch (c) {
		case OPT_GLOBAL: o->global = true; break;
		case OPT_DB:
			o->db = optarg;
			if (*optarg == '\0')
				r = err_set(e, ST_USAGE, "--db: needs the name "
				    "of a file");
			break;
		case OPT_KEY: o->key = optarg; break;
		case OPT_SESSION: o->session = optarg; break;
		case OPT_REPLACE: o->replace = optarg; break;
		case OPT_RAW: o->raw = true; break;
		case OPT_KIND:
			if (strcmp(optarg, "fact") == 0)
				o->kind = KIND_FACT;
			else if (strcmp(optarg, "message") == 0)
				o->kind = KIND_MESSAGE;
			else
				r = err_set(e, ST_USAGE, "--kind %s: not fact "
				    "or message", optarg);
			break;
		case OPT_SINCE:
			r = take_time(optarg, "since", &o->since, e);
			break;
		case OPT_BEFORE:
			r = take_time(optarg, "before", &o->before, e);
			break;
		case OPT_TAG:
			GROW(o->tag, o->ntag, o->captag);
			o->tag[o->ntag++] = optarg;
			break;
		case 'n':
			if (o->command == NULL)
				stage_option(&o->stage, c, argv, help);
			else if (!num_u64(optarg, strlen(optarg), &n) ||
			    n < 1 || n > MAX_HITS)
				r = err_set(e, ST_USAGE, "-n %s: not a number "
				    "from 1 to %d", optarg, MAX_HITS);
			else
				o->max = (size_t)n;
			break;
		default:
			stage_option(&o->stage, c, argv, help);
		}
	if (r < 0)
		return -1;
	o->args = argv + optind;
	o->nargs = (size_t)(argc - optind);
	return 0;
}

static int
no_command(const char *word, struct err *e)
{
	size_t least = strlen(word) * 3 / 5 + 2;	/* a fifth differs */
	const char *near = NULL;

	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
		size_t far = conf_distance(word, forms[i].name);

		if (far < least) {
			least = far;
			near = forms[i].name;
		}
	}
	if (near != NULL)
		return err_set(e, ST_NOINPUT, "%s: not a command, and no such "
		    "file; did you mean %s?", word, near);
	return err_set(e, ST_NOINPUT, "%s: not a command, and no such file; "
	    "try hamr-mem --help", word);
}

int
opts_read(struct opts *o, int argc, char **argv, struct err *e)
{
	const struct form *f = NULL;

	*o = (struct opts){ .since = WHEN_NONE, .before = WHEN_NONE };
	opterr = 0;
	if (take_all(o, argc, argv, "+" STAGE_SHORT, stage_long, e) < 0)
		return -1;
	const char *word = optind > 1 && strcmp(argv[optind - 1], "--") == 0 ?
	    NULL : argv[optind];
	for (size_t i = 0; word != NULL && i < sizeof forms / sizeof *forms;
	    i++)
		if (strcmp(word, forms[i].name) == 0)
			f = &forms[i];
	/* options may follow the files too */
	if (f == NULL && word != NULL &&
	    take_all(o, argc, argv, STAGE_SHORT, stage_long, e) < 0)
		return -1;
	if (f != NULL) {
		if (o->stage.mode != STAGE_FILTER || o->stage.lenient ||
		    o->stage.stream || o->stage.format != NULL)
			return err_set(e, ST_USAGE, "%s: an option before it "
			    "only applies to reading transcripts; try "
			    "hamr-mem --help", f->name);
		o->command = f->command;
		argc -= optind;
		argv += optind;
		optind = 0;		/* makes getopt_long start over */
		if (take_all(o, argc, argv, f->opts, f->lopts, e) < 0)
			return -1;
		if (o->nargs == 0 && f->wants != NULL)
			return err_set(e, ST_USAGE, "%s: needs %s; try "
			    "hamr-mem --help", f->name, f->wants);
		if (o->nargs > f->max)
			return err_set(e, ST_USAGE, "%s: unexpected argument "
			    "%s; try hamr-mem --help", f->name,
			    o->args[f->max]);
	}
	if (o->global && o->db != NULL)
		return err_set(e, ST_USAGE, "--global and --db cannot be "
		    "used together");
	/* a word that is not a file was meant as a command */
	word = o->nargs > 0 ? o->args[0] : "";
	if (o->command == NULL && *word != '\0' &&
	    strspn(word, "abcdefghijklmnopqrstuvwxyz") == strlen(word) &&
	    access(word, F_OK) < 0)
		return no_command(word, e);
	return 0;
}
