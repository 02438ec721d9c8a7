/* main.c - hamr-tool: tool calls in, tool results out. */
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "sandbox/box.h"
#include "base/err.h"
#include "base/mem.h"
#include "git/gitrepo.h"
#include "extras/mcp.h"
#include "serve/mcp_serve.h"
#include "extras/extra.h"
#include "stage/stage.h"
#include "supervisor/supervisor.h"
#include "term/term.h"

#include "calls/journal_calls.h"
#include "calls/tool.h"
#include "undo/undo.h"

#define STACK_MIN ((rlim_t)128 << 10)	/* more than any call takes */

static const char help[] =
"usage: hamr-tool [-n|-r] [--mode MODE] [--yes] [--root DIR] <records "
">records\n"
"       hamr-tool [--mode MODE] [--yes] [--root DIR] NAME JSON [--json]\n"
"       hamr-tool undo [ID] [--force] [--json] | undo --list [ID]\n"
"       hamr-tool --schemas | --sandbox-status | --mcp\n"
"Runs the open calls of the last assistant message: read, edit, write, bash,\n"
"view_image, search_memory, save_memory.\n"
"Reads records (NDJSON) on stdin and writes them again, adding each call's\n"
"start and tool message.  NAME JSON runs one call and prints its content.\n"
"undo reverts the newest change, the one with ID, or all since a checkpoint;\n"
"--force also reverts files that have changed since.\n"
"  --mode MODE      read-only, patch (default), verify, docs\n"
"  --yes            edit, write, and let bash write, without asking\n"
"  --root DIR       the repository (default: the git top level, else .)\n"
"  --schemas        print the tools record   --mcp   be an MCP server (stdio)\n"
"  --sandbox-status print each layer of the sandbox here, and why\n"
"  --json           with NAME JSON: print the tool message\n"
"  --stream         write output records too, for a person watching\n"
"  -n               new records only    -r   resident: act only at go, ask\n"
"  -F FORMAT        auto or hamr        --lenient   bad lines become errors\n"
"  -o KEY=VALUE     configuration       --no-config   read none\n"
"  -q  no warnings  --no-ask  with -r: ask nobody  -h, --help  -V, --version\n"
"Exit status: 0 done; 1 NAME JSON: an error, undo: nothing; 2 usage, unknown\n"
"tool or bad JSON; 65 bad record; 66 no root; 69 plug-in; 71 system error;\n"
"77 root is your home or /, undo: a file is not as hamr left it; 78 config\n";

enum { OPT_MODE = OPT_COMMAND, OPT_ROOT };

struct opts {
	struct stage_args args;
	const char *mode, *root, *name, *json_args;
	int yes, no_ask, schemas, json, status, mcp;	/* 1: given */
	int list, force;
	bool undo;		/* undo [ID] | undo --list [ID] */
	const char *undo_id;
};

static void
bad_usage(const char *what)
{
	err_die(ST_USAGE, "%s; try hamr-tool --help", what);
}

static void
parse(struct opts *o, int argc, char **argv)
{
	const struct option longs[] = {
		{ "mode", 1, 0, OPT_MODE }, { "root", 1, 0, OPT_ROOT },
		{ "yes", 0, &o->yes, 1 }, { "no-ask", 0, &o->no_ask, 1 },
		{ "schemas", 0, &o->schemas, 1 }, { "mcp", 0, &o->mcp, 1 },
		{ "sandbox-status", 0, &o->status, 1 },
		{ "json", 0, &o->json, 1 }, { "list", 0, &o->list, 1 },
		{ "force", 0, &o->force, 1 }, STAGE_LONG, { 0, 0, 0, 0 }
	};
	int c;

	opterr = 0;
	while ((c = getopt_long(argc, argv, STAGE_SHORT, longs, NULL)) != -1)
		switch (c) {
		case 0: break;		/* one without an argument */
		case OPT_MODE: o->mode = optarg; break;
		case OPT_ROOT: o->root = optarg; break;
		default:
			stage_option(&o->args, c, argv, help);
		}
	argc -= optind;
	argv += optind;
	if (argc > 0 && strcmp(argv[0], "undo") == 0) {
		o->undo = true;
		o->undo_id = argc == 2 ? argv[1] : NULL;
		if (argc > 2 || (o->list && (o->force || o->json)) ||
		    o->schemas)
			bad_usage("undo takes one ID; --list cannot be used "
			    "with --force or --json");
		return;
	}
	if (o->list || o->force)
		bad_usage("--list and --force require undo");
	if (argc == 1 || argc > 2 || ((o->schemas || o->mcp ||
	    o->status) && argc != 0))
		bad_usage("give NAME and JSON, or neither");
	o->name = argc == 2 ? argv[0] : NULL;
	o->json_args = argc == 2 ? argv[1] : NULL;
	if (o->json && o->name == NULL)
		bad_usage("--json requires NAME JSON or undo");
	if (o->mode != NULL && mode_named(o->mode) < 0)
		bad_usage("--mode is read-only, patch, verify or docs");
}

static char *
find_root(const struct opts *o, struct err *e)
{
	char *root = o->root != NULL ? realpath(o->root, NULL) :
	    conf_root(".", e);

	if (root == NULL && o->root != NULL)
		err_sys(e, ST_NOINPUT, "%s", o->root);
	if (root == NULL)
		return NULL;
	/* warn of a .git that is not used; in a session the loop does */
	if ((o->root == NULL || gitrepo_is_top(root, e) < 0) &&
	    e->text[0] != '\0' && o->args.mode != STAGE_RESIDENT)
		err_say("%s", e->text);
	if (o->root != NULL || o->schemas || !conf_root_is_too_broad(root))
		return root;
	err_set(e, ST_POLICY, "the root would be %s; go into a project, or "
	    "pass --root %s", root, root);
	free(root);
	return NULL;
}

static void
on_sync(struct stage *s)
{
	struct tool *t = s->self;

	if (s->mode == STAGE_RESIDENT && t->told == NULL)
		tool_put(t);
	tool_may_end(s);
}

static void
on_idle(struct stage *s, int fd)
{
	struct tool *t = s->self;

	journal_calls_idle(t->journal);
	mcp_idle(t, fd, false);
	tool_may_end(s);
}

static int
run(const struct opts *o, struct tool *t, struct err *e)
{
	static const struct stage_ops ops = { .name = "tool",
		.record = tool_record, .act = tool_act, .sync = on_sync,
		.idle = on_idle, .reset = tool_reset, .end = tool_may_end };
	static const struct stage_ops server = { .name = "tool",
		.input = mcp_serve_input,
		.unwritten = mcp_serve_unwritten };
	struct stage s = { .ops = o->mcp ? &server : &ops, .self = t };
	int status;

	stage_apply(&s, &o->args, t->conf);
	if (o->undo || o->schemas || o->mcp || o->name != NULL) {
		/* does not filter records: leave stdin alone */
		s.mode = STAGE_FILTER;
		s.in.eof = true;
		rec_out_init(&s.out);
		s.stream = o->args.stream && o->json;
	}
	t->stage = &s;
	if (!o->undo)
		signals_hold(&t->held);
	if (tool_open(t, e) < 0) {
		t->stage = NULL;
		return err_report(e);
	}
	if (o->undo) {
		status = o->list ? undo_list(t->files, o->undo_id, e) :
		    undo_run(t->files, o->undo_id, o->force, o->json, e);
		if (status != ST_OK)
			err_report(e);
	} else if (o->schemas) {
		tool_put(t);
		status = s.failed ? tool_fail(t, &s.err) :
		    rec_end(&s.out, e) < 0 ? tool_fail(t, e) : ST_OK;
	} else if (o->mcp) {
		status = mcp_serve(t);
	} else if (o->name != NULL) {
		status = tool_once(t, o->name, o->json_args, o->json);
	} else {
		status = stage_run(&s);
	}
	tool_close(t);
	t->stage = NULL;	/* it ends with this function */
	return status;
}

static void
check_stack(void)
{
	struct rlimit stack;

	if (getrlimit(RLIMIT_STACK, &stack) < 0 || stack.rlim_cur >= STACK_MIN)
		return;
	stack.rlim_cur = stack.rlim_max;	/* it counts at once */
	if (stack.rlim_max < STACK_MIN || setrlimit(RLIMIT_STACK, &stack) < 0)
		err_die(ST_SYSTEM, "the stack is limited to %llu KiB; set a "
		    "higher limit (ulimit -s 8192)",
		    (unsigned long long)stack.rlim_max >> 10);
}

int
main(int argc, char **argv)
{
	struct opts o = { .mode = NULL };
	struct conf *conf = NULL;
	struct tool t = { .person = false };
	char *root = NULL;
	struct err e;
	int status;
	sigset_t none;

	if (argc == 2 && strcmp(argv[1], WIRE_ARG) == 0)
		supervisor_main();
	/* what our parent ignored or blocked, we inherited: waitpid would fail,
	 * and signals not end us */
	signal(SIGCHLD, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	err_program("hamr-tool");
	check_stack();
	parse(&o, argc, argv);
	if (stage_format(&o.args, &e) == 0)
		root = find_root(&o, &e);
	if (root != NULL)
		conf = stage_conf(&o.args, root, &e);
	if (conf == NULL || (o.mode != NULL && conf_set(conf, "agent.mode",
	    o.mode, "flag", &e) < 0)) {
		status = err_report(&e);
	} else {
		t.conf = conf;
		t.root = root;
		t.yes = o.yes;
		t.no_ask = o.no_ask;
		/* -q of a parent (-r): it has printed the configuration's
		 * warnings, but no others */
		t.quiet = o.args.quiet && o.args.mode != STAGE_RESIDENT;
		t.person = o.name != NULL;
		env_scrub(conf);
		if (o.status) {
			struct sandboxes *bs = sandboxes_new(conf, root, true);
			struct buf b = BUF_INIT(1 << 16);

			status = sandboxes_status(bs, &b) ? ST_OK : ST_NO;
			sandboxes_free(bs);
			if (term_write(buf_view(&b), false, &e) < 0)
				status = err_report(&e);
			buf_release(&b);
		} else {
			status = run(&o, &t, &e);
		}
	}
	conf_free(conf);
	FREE(root, o.args.set);
	return status;
}
