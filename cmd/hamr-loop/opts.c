/* opts.c - the command line of hamr-loop. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/num.h"
#include "opts.h"
#include "base/utf8.h"
#include "show/export.h"

#define TASK_MAX ((size_t)10 << 20)	/* 60 in a record, if escaped */
#define PIPED_MAX ((size_t)1 << 20)	/* of stdin given with a task */
#define ID_LEAST 8		/* a session's id, without its "=" */

static const char help[] =
"usage: hamr-loop                        chat, on a terminal\n"
"       hamr-loop [options] TASK | -     carry out a task (-: from stdin)\n"
"       hamr-loop [options] TASK -       ... and what stdin holds\n"
"       hamr-loop --resume[=ID] [TASK]   continue a session\n"
"       hamr-loop --fork=ID [--at LINE] [TASK]   branch off a session\n"
"       hamr-loop --sessions | --inspect budget|ledger|context [ID]\n"
"       hamr-loop --export openai|atif|html [ID]\n"
"       hamr-loop --print-config | --doctor | --trust | --acp (for editors)\n"
"  --task T            the task, as an option\n"
"  --mode M            read-only, patch (default), verify or docs\n"
"  --yes               run edits and commands without asking\n"
"  --model M  --base-url URL  --provider NAME    the model server\n"
"  --replay FILE       answers from a recorded script or transcript\n"
"  --strategy S        auto, light, balanced ...: when to compact\n"
"  --json              every record to stdout as NDJSON, the end record last;\n"
"  --records           the same, reading messages as records on stdin\n"
"  --quiet, -C DIR     no progress; work in DIR's repository\n"
"  -o KEY=VALUE        a configuration key; --no-config reads no file\n"
"  --verification-profile quick|full  --repair-attempts N\n"
"Exit status: 0 completed, 1 tool_error, 2 usage, 3 budget_exhausted,\n"
"  4 contract_failed, 5 guard_stopped, 6 model_error, 65 bad transcript,\n"
"  66 missing, 71 system, 75 in use, 77 denied, 78 configuration,\n"
"  130 interrupted\n";

/* Most options set a text or flag of struct opts, given by its offset. */
#define AT 256
#define TEXT(name, member) \
	{ name, required_argument, NULL, AT + offsetof(struct opts, member) }
#define FLAG(name, member) \
	{ name, no_argument, NULL, AT + offsetof(struct opts, member) }

static const struct option longs[] = {
	{ "task", required_argument, NULL, 't' },
	TEXT("mode", mode), FLAG("yes", yes), TEXT("model", model),
	TEXT("base-url", base_url), TEXT("provider", provider),
	TEXT("replay", replay), TEXT("strategy", strategy), FLAG("json", json),
	FLAG("records", records), FLAG("acp", acp), FLAG("quiet", quiet),
	FLAG("no-config", no_config), FLAG("print-config", print_config),
	FLAG("trust", trust), { "resume", optional_argument, NULL, 'r' },
	TEXT("verification-profile", profile),
	TEXT("repair-attempts", repairs), FLAG("sessions", sessions),
	TEXT("inspect", inspect), TEXT("fork", fork),
	{ "at", required_argument, NULL, 'a' }, TEXT("export", export),
	FLAG("doctor", doctor), { "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' }, { NULL, 0, NULL, 0 }
};

/* Take option c as getopt_long returns it, for a long option if not NULL. */
static int
one(struct opts *o, int c, const struct option *l, char *arg, struct err *e)
{
	char *member = (char *)o + c - AT;
	int64_t n;

	switch (c) {
	case 't': free(o->task); o->task = xstrdup(arg); break;
	case 'a':
		if (!num_i64(arg, strlen(arg), &n) || n < 1 || n > 1000000000)
			return err_set(e, ST_USAGE, "--at takes the number of "
			    "a line, from 1, not \"%s\"", arg);
		o->at = (long)n;
		break;
	case 'r': o->resume = true; o->resume_id = arg; break;
	case 'q': o->quiet = true; break;
	case 'C': o->dir = arg; break;
	case 'o':
		GROW(o->set, o->nset, o->capset);
		o->set[o->nset++] = arg;
		break;
	case 'h': err_print(help); break;
	case 'V': err_print("hamr " HAMR_VERSION "\n"); break;
	default:
		if (l->has_arg == required_argument)
			*(const char **)(void *)member = arg;
		else
			*(bool *)member = true;
	}
	return 0;
}

/* The task must be text that a record can hold. */
static int
check_task(struct opts *o, struct err *e)
{
	if (o->task == NULL)
		return 0;
	size_t n = strlen(o->task);
	if (o->task[strspn(o->task, " \t\r\n")] == '\0')
		return err_set(e, ST_USAGE, "the task is empty");
	if (utf8_check(o->task, n) < n)
		return err_set(e, ST_USAGE, "the task is not UTF-8");
	return 0;
}

static const char more_than_one[] = "more than one task; put the task in "
	"quotes";

/* [ID] [TASK] [-] */
static int
operands(struct opts *o, int n, char **v, struct err *e)
{
	bool dash = n > 0 && strcmp(v[n - 1], "-") == 0;
	int words = n - dash;
	struct buf clean = BUF_INIT(4 * PIPED_MAX);

	/* after a blank, a short word belongs to the task */
	if (words > 0 && o->resume && o->resume_id == NULL &&
	    strlen(v[0]) >= ID_LEAST && v[0][0] != '.' &&
	    strpbrk(v[0], " \t\r\n/") == NULL) {
		o->word = xstrdup(v[0]);
		v++;
		words--;
	}
	for (int i = 0; i < words; i++)
		if (strcmp(v[i], "-") == 0)
			return err_set(e, ST_USAGE, "- goes after the task: "
			    "hamr-loop \"TASK\" -");
	if (words > 1 || (words == 1 && o->task != NULL))
		return err_set(e, ST_USAGE, "%s", more_than_one);
	if (words == 1)
		o->task = xstrdup(v[0]);
	if (!dash)
		return 0;
	/* The task; or, if there is one, for instance the output of a command,
	 * which need not be text. */
	bool task = o->task == NULL && o->word == NULL;
	struct buf b = BUF_INIT(task ? TASK_MAX : PIPED_MAX);
	int rc = file_read_fd(STDIN_FILENO, "stdin", &b, e);
	if (rc < 0 && e->status == ST_DATA) {
		err_set(e, ST_USAGE, "stdin holds more than %zu MiB; put it "
		    "into a file, and name that in the task", b.max >> 20);
	} else if (rc == 0 && task) {
		if (memchr(buf_view(&b).p, '\0', b.len) != NULL)
			rc = err_set(e, ST_USAGE, "the task on stdin "
			    "contains a NUL byte");
		else
			o->task = buf_detach(&b);
	} else if (rc == 0 && b.len > 0) {
		o->piped_lossy = utf8_clean(&clean, b.p, b.len);
		o->piped = buf_detach(&clean);
	}
	buf_release(&b);
	return rc;
}

int
opts_settle(struct opts *o, bool is_id, struct err *e)
{
	if (is_id) {
		o->resume_id = o->word;
		if (o->task == NULL) {
			o->task = o->piped;
			o->piped = NULL;
		}
	} else if (o->task != NULL) {
		return o->word[0] < '0' || o->word[0] > '9' ?
		    err_set(e, ST_USAGE, "%s", more_than_one) :
		    err_set(e, ST_USAGE, "no session's id begins with %s; "
		    "hamr-loop --sessions lists them", o->word);
	} else {
		o->task = o->word;
		o->word = NULL;
	}
	o->chat = o->chat && o->task == NULL;
	return check_task(o, e);
}

/* Is it one of our options? */
static bool
is_option(const char *arg)
{
	size_t n = strcspn(arg, "=");

	for (const struct option *l = longs; l->name != NULL; l++)
		if (n > 2 && strncmp(arg, "--", 2) == 0 &&
		    strlen(l->name) == n - 2 &&
		    strncmp(l->name, arg + 2, n - 2) == 0)
			return true;
	return false;
}

/* --inspect and --export: the operand is a session, not a task. */
static int
view(struct opts *o, int n, char **v, struct err *e)
{
	static const char *const views[] = { "budget", "ledger", "context",
		NULL };

	if (n > 1 || (n == 1 && o->task != NULL))
		return err_set(e, ST_USAGE, "more than one session; name one");
	if (n == 1)
		o->task = xstrdup(v[0]);
	if (o->inspect != NULL && !slice_in(slice_of(o->inspect), views))
		return err_set(e, ST_USAGE, "--inspect takes budget, ledger or "
		    "context, not \"%s\"", o->inspect);
	if (o->export != NULL && !slice_in(slice_of(o->export), export_forms))
		return err_set(e, ST_USAGE, "--export takes openai, atif or "
		    "html, not \"%s\"", o->export);
	return 0;
}

int
opts_read(struct opts *o, int argc, char **argv, struct err *e)
{
	int c, at = 0;

	*o = (struct opts){ 0 };
	opterr = 0;
	while ((c = getopt_long(argc, argv, ":C:o:qhV", longs, &at)) != -1) {
		const char *arg = argv[optind - 1];

		if (c == ':' || c == '?')
			return err_option(e, c, argv);
		/* getopt takes "--yes" in "--fork --yes" as a value */
		if (optarg == arg && is_option(arg))
			return err_set(e, ST_USAGE, "%s needs a value, not %s; "
			    "try hamr-loop --help", argv[optind - 2], arg);
		if (one(o, c, &longs[at], optarg, e) < 0)
			return -1;
	}
	o->records |= o->acp;
	o->json |= o->records;
	bool views = o->inspect != NULL || o->export != NULL;
	int n = argc - optind;
	if ((views ? view(o, n, argv + optind, e) :
	    operands(o, n, argv + optind, e)) < 0)
		return -1;
	int whats = o->resume + (o->fork != NULL) + o->sessions +
	    (o->inspect != NULL) + (o->export != NULL) + o->doctor +
	    o->print_config + o->trust;
	if (o->acp && whats > 0)
		return err_set(e, ST_USAGE, "with --acp the editor opens and "
		    "lists sessions; leave out --resume, --fork and options "
		    "that print something");
	if (whats > 1)
		return err_set(e, ST_USAGE, "use only one of --resume, --fork, "
		    "--sessions, --inspect, --export, --doctor, --print-config "
		    "and --trust");
	if (views)
		return 0;
	if (check_task(o, e) < 0)
		return -1;
	if (o->at != 0 && o->fork == NULL)
		return err_set(e, ST_USAGE, "--at requires --fork=ID");
	const char *shows = o->sessions ? "--sessions" : o->doctor ?
	    "--doctor" : o->print_config ? "--print-config" : o->trust ?
	    "--trust" : NULL;
	if ((o->records || shows != NULL) && (o->task != NULL ||
	    o->piped != NULL))
		return err_set(e, ST_USAGE, "%s takes no task%s", o->acp ?
		    "--acp" : o->records ? "--records" : shows, o->records ?
		    "; it comes on stdin" : "");
	o->chat = o->records;
	if (o->task == NULL && !o->records && shows == NULL) {
		bool in = isatty(STDIN_FILENO) == 1;
		bool shown = isatty(STDERR_FILENO) == 1;

		o->chat = !o->json && !o->quiet && in && shown;
		if (o->chat || o->resume || o->fork != NULL)
			return 0;
		return err_set(e, ST_USAGE, "no task%s; say what to do: "
		    "hamr-loop \"make the tests pass\" (or - to read it "
		    "from stdin)", in && !shown ? ", and a chat needs stderr "
		    "on the terminal" : "");
	}
	return 0;
}

void
opts_release(struct opts *o)
{
	FREE(o->task, o->piped, o->word, o->set);
}
