/* run.c - everything one run of the agent holds, from configuration to end. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/num.h"
#include "contract.h"
#include "run.h"
#include "session/origin.h"
#include "session/sessions.h"
#include "ui/ui.h"

#define HOOK_MS 5000
#define KEYS_MS 15		/* a key is shown within 20 */

static void
run_hook(struct hub *h, const char *const *argv, const char *record)
{
	char *path = strchr(argv[0], '/') != NULL ? xstrdup(argv[0]) :
	    which_beside(argv[0], NULL);
	struct child_opts o = { .flags = argv + 1, .stop = h->ui->signals,
		.unset = h->slot[SLOT_TOOL].cmd.unset };
	struct buf line = BUF_INIT(BUF_RECORD_MAX), command = line;
	struct child *child = NULL;
	char what[64];
	struct err e;
	int interrupts = h->interrupts;

	if (path == NULL || !which_is_program(path))
		err_set(&e, ST_CONFIG, "it was not found, or is not "
		    "executable");
	else {
		argv_shell(&command, path);
		o.commands = ARGS(command.p);
		child = child_start(&o, &e);
	}
	buf_release(&command);
	free(path);
	if (child == NULL) {
		err_say("the on_end hook %s: %s", argv[0], e.text);
		return;
	}
	buf_fmt(&line, "%s\n", record);
	struct slice rest = buf_view(&line);
	long long until = file_now_ms() + HOOK_MS;
	bool ends;
	ui_status_doing(h->ui, "the on_end hook");
	do {	/* keys are read and shown meanwhile */
		if (child_communicate(child, &rest, file_now_ms() + KEYS_MS,
		    NULL) > 0)
			child_is_alive(child, KEYS_MS);
		/* what it left in the background is not waited for */
		ends = kill(child->group, 0) < 0 && errno == ESRCH;
		hub_pause(h, !ends);
		hub_read_signals(h);
	} while (!ends && file_now_ms() < until && h->interrupts == interrupts);
	ui_status_doing(h->ui, "");
	buf_release(&line);
	bool late = !ends && h->interrupts == interrupts;
	int st = child_end(child, ends ? -1 : 0);
	if (!late && st == 0)
		return;
	if (late)
		snprintf(what, sizeof what, "did not end within %d s",
		    HOOK_MS / 1000);
	else if (WIFSIGNALED(st))
		snprintf(what, sizeof what, "signal %d", WTERMSIG(st));
	else
		snprintf(what, sizeof what, "status %d", WEXITSTATUS(st));
	err_say("the on_end hook %s: %s", argv[0], what);
	runlog_line(h->log, "hook", "on_end %s: %s", argv[0], what);
}

/* What --provider's table says of model and server is in force, unless a flag
 * says otherwise, as for hamr-provider. */
static int
take_provider(struct run *r, struct err *e)
{
	static const char *const keys[] = { "model", "base_url" };
	size_t n, at = 0;
	const char *const *names = conf_names(r->conf, "provider", &n);
	int rc = 0;

	while (at < n && (r->o.provider == NULL ||
	    strcmp(names[at], r->o.provider) != 0))
		at++;
	/* hamr-provider says that there is no such table */
	for (size_t i = 0; at < n && rc == 0 && i < 2; i++) {
		char *key = xasprintf("provider.%s", keys[i]);
		char *own = xasprintf("provider.%s.%s", r->o.provider, keys[i]);

		if (conf_origin(r->conf, key)[0] != '-' &&
		    conf_is_set(r->conf, own))
			rc = conf_set(r->conf, key, conf_str(r->conf, own),
			    "--provider", e);
		FREE(own, key);
	}
	return rc;
}

int
run_configure(struct run *r, struct err *e)
{
	static const struct { size_t at; const char *key, *flag; } named[] = {
		{ offsetof(struct opts, mode), "agent.mode", "--mode" },
		{ offsetof(struct opts, strategy), "agent.strategy",
		    "--strategy" },
		{ offsetof(struct opts, model), "provider.model", "--model" },
		{ offsetof(struct opts, base_url), "provider.base_url",
		    "--base-url" },
		{ offsetof(struct opts, profile), "verification.profile",
		    "--verification-profile" },
		{ offsetof(struct opts, repairs), "agent.repair_attempts",
		    "--repair-attempts" },
	};
	struct conf_opts co = { .none = r->o.no_config, .set = r->o.set,
		.nset = r->o.nset, .quiet = r->o.trust };

	r->root = conf_root(r->o.dir != NULL ? r->o.dir : ".", e);
	if (r->root == NULL)
		return -1;
	if (e->text[0] != '\0')
		err_say("%s", e->text);
	co.root = r->root;
	r->conf = conf_load(&co, e);
	if (r->conf == NULL && r->o.doctor && e->status == ST_CONFIG) {
		r->broken = *e;
		r->o.no_config = co.none = true;
		r->conf = conf_load(&co, e);
	}
	if (r->conf == NULL)
		return -1;
	for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
		const char *v = *(const char **)((char *)&r->o + named[i].at);

		if (v != NULL && conf_set(r->conf, named[i].key, v,
		    named[i].flag, e) < 0) {
			e->status = ST_USAGE;	/* a flag, not a file */
			return -1;
		}
	}
	if (take_provider(r, e) < 0)
		return -1;
	if (r->o.replay != NULL && access(r->o.replay, R_OK) < 0)
		return err_sys(e, ST_NOINPUT, "--replay: %s", r->o.replay);
	/* The path of a recording is relative to where we were started, but
	 * the stages run in the root.  (No realpath: a shell's /dev/fd/63 must
	 * stay as it is.) */
	if (r->o.replay != NULL && r->o.replay[0] != '/') {
		char *here = getcwd(NULL, 0);

		if (here == NULL)
			return err_sys(e, ST_SYSTEM, "the working directory");
		r->replay = xasprintf("%s/%s", here, r->o.replay);
		r->o.replay = r->replay;
		free(here);
	}
	r->dir = realpath(r->o.dir != NULL ? r->o.dir : ".", NULL);
	if (chdir(r->root) < 0)
		return err_sys(e, ST_NOINPUT, "%s", r->root);
	return 0;
}

/* Feed the recorded part to the tracker.  Calls whose results are still to come
 * will be shown with them.  here: the session was written here. */
static int
read_session(struct run *r, bool here, struct err *e)
{
	int64_t copied = -1, line = 0, calls = 0;	/* numbers of lines */
	const struct rec *rec;
	struct rec_in in;
	off_t at = 0;
	int rc;

	if (lseek(r->session.fd, 0, SEEK_SET) < 0)
		return err_sys(e, ST_SYSTEM, "%s", r->session.path);
	rec_in_init(&in, r->session.fd, r->session.path, REC_MAX);
	in.drop_end = true;
	for (; (rc = rec_next(&in, &rec, e)) > 0;
	    at += (off_t)rec->line.n + 1) {
		/* stages read the file, and would obey */
		if (rec->kind == R_REQUEST || rec->kind >= R_VERIFY) {
			struct slice type = rec_get(rec, "type");

			rc = err_set(e, ST_DATA, "%s:%zu: a record of type "
			    "%.*s is never stored; remove the line, or use "
			    "--fork", in.name, rec->no, (int)type.n, type.p);
			break;
		}
		track_record(&r->track, rec, at);
		if (++line == 1)	/* a later header may be a copy */
			rec_int(rec, "fork_at", &copied);
		if (rec->kind == R_ASSISTANT) {
			calls = line;
			ui_restore_calls(&r->ui, rec);
		}
	}
	rec_in_release(&in);
	if (rc < 0 && e->status == ST_DATA && line > 0) {
		struct err why = *e;
		char *how = run_command(r, "--fork=", r->session.id);

		err_set(e, ST_DATA, "%s; to go on from line %lld: %s --at "
		    "%lld", why.text, (long long)line, how, (long long)line);
		free(how);
	}
	r->runs_calls = here && calls > copied;
	/* an empty one, as a crash leaves it, asks for nothing */
	if (rc == 0 && !here && at > 0) {
		xset(&r->track.mode, NULL);
		xset(&r->track.model, NULL);
		r->foreign = xasprintf("session %s was not written here by "
		    "you; its open calls are not run, and mode %s applies",
		    r->o.fork != NULL ? r->o.fork : r->session.id,
		    conf_str(r->conf, "agent.mode"));
		err_say("%s", r->foreign);
	}
	return rc < 0 ? -1 : session_truncate(&r->session, at, e);
}

/* Open the session.  Nothing that a foreign session asks for is carried out:
 * its open calls are answered as interrupted, its mode and model are ignored.
 */
static int
open_session(struct run *r, struct err *e)
{
	bool old = r->o.resume || r->o.fork != NULL;
	char *dir = sessions_dir(r->root, !old, e), *id = NULL;
	bool here = true;
	int rc = -1;

	track_init(&r->track, conf_str(r->conf,
	    "verification.defaultCommand"));
	if (dir == NULL)
		return -1;
	/* from here on a signal is answered with an end record */
	if (!r->o.resume && ui_take_signals(&r->ui) < 0) {
		err_sys(e, ST_SYSTEM, "signalfd");
	} else if (r->o.fork != NULL) {
		rc = sessions_fork(&r->session, dir, r->root, r->o.fork,
		    r->o.at, &here, e);
	} else if (r->o.resume) {
		id = sessions_find(dir, r->root, r->o.resume_id, e);
		if (id != NULL)
			rc = session_open(&r->session, dir, id, e);
		here = rc == 0 &&
		    origin_is_here(r->session.fd, id, r->root);
	} else {
		rc = session_create(&r->session, dir, e);
	}
	FREE(id, dir);
	if (rc < 0)
		return -1;
	r->session.sync_all = strcmp(conf_str(r->conf, "agent.durability"),
	    "all") == 0;
	return read_session(r, here, e);
}

static int
prepare(struct run *r, struct err *e)
{
	bool recorded = r->o.mode == NULL && r->track.mode != NULL;

	r->mode = xstrdup(recorded ? r->track.mode :
	    conf_str(r->conf, "agent.mode"));
	if (hub_init(&r->hub, &r->session, &r->track, &r->ui, e) < 0)
		return -1;
	r->open = true;
	r->ui.root = r->root;
	r->hub.unattended = !r->o.yes && !ui_can_ask(&r->ui);
	if (setup_slots(r, e) < 0)
		return -1;
	/* The secrets to keep out of the log are known by now. */
	r->hub.log = runlog_open(r->session.path, r->session.id);
	for (size_t i = 0; i < r->secrets.n; i++)
		runlog_redact(r->hub.log, getenv(r->secrets.v[i]));
	runlog_line(r->hub.log, "run", "hamr-loop " HAMR_VERSION ", process "
	    "%ld, mode %s, in %s%s", (long)getpid(), r->mode, r->root,
	    r->session.size > 0 ? ", resumed" : "");
	return hub_start(&r->hub, r->session.size > 0, e);
}

int
run_begin(struct run *r, const char *task, struct err *e)
{
	hub_revive(&r->hub);
	if (r->begun)
		return 0;
	r->begun = setup_session(r, task, e) == 0;
	/* once it has a record, the session ends like any other */
	return r->begun || r->hub.failed || r->hub.interrupts > 0 ||
	    r->ui.out_closed ? 0 : -1;
}

/* How it ended, in words. */
static char *
ending_words(enum ending end, const char *reason)
{
	if (end == END_TOOL_ERROR)
		return xasprintf("%s: %s", turn_endings[end].told, reason);
	if (end == END_BUDGET && strcmp(reason, "context") != 0)
		return xasprintf("stopped at the limit %s", reason);
	return xstrdup(end == END_CONTRACT && strcmp(reason, "no_change") ==
	    0 ? "stopped: no file was changed" : turn_endings[end].told);
}

void
run_tell_last(struct run *r, const struct rec *end)
{
	char *reason = scan_text(rec_get(end, "reason"));
	enum ending e = END_COMPLETED;
	int64_t ms = 0;

	while (e < END_INTERRUPTED && !rec_str_is(end, "status",
	    turn_endings[e].word))
		e++;
	char *how = ending_words(e, reason);
	rec_int(end, "ms", &ms);
	ui_turn_summary(&r->ui, how, &r->track, ms);
	FREE(how, reason);
}

/* What a person must not miss, whatever else is shown; NULL: nothing.  The
 * caller frees it. */
static char *
remark(const struct run *r, const struct turn *t, bool full)
{
	const struct track *k = &r->track;
	const char *text = NULL;

	if (t->end == END_DENIED)
		text = "no change was made, because nobody could be asked; "
		    "--yes allows changes";
	else if (full)
		text = k->error_text;
	else if (t->end == END_BUDGET && !k->usage.has_cost &&
	    strcmp(t->reason, "max_cost") == 0)
		text = "the cost of this model is not known; add it to "
		    "budget.prices, or drop budget.max_cost";
	else if (t->end == END_BUDGET && !r->o.chat) {
		char *how = run_command(r, "--resume=", r->session.id);
		char *said = xasprintf("to go on, with a larger limit: %s",
		    how);

		free(how);
		return said;
	} else if (t->end == END_COMPLETED || t->end == END_CONTRACT)
		text = contract_remark(k, r->conf);
	if (text == NULL && k->mode != NULL && strcmp(k->mode, "verify") == 0 &&
	    k->verify_command == NULL)
		text = "nothing was verified: no command is set as "
		    "defaultCommand under [verification]";
	return text != NULL ? xstrdup(text) : NULL;
}

static void
tell_end(struct run *r, const struct turn *t)
{
	bool well = t->end == END_COMPLETED;
	bool full = t->end == END_BUDGET && strcmp(t->reason, "context") == 0;
	const struct track *k = &r->track;
	char *text = remark(r, t, full);
	bool costs = k->usage.has_cost && k->usage.cost > 0;
	bool explained = r->hub.stage_failed && r->hub.explained;

	ui_answer(&r->ui, k->answer);
	if (r->o.chat) {
		char *how = explained ? xstrdup("stopped: fix the error "
		    "above") : ending_words(t->end, t->reason);

		ui_turn_summary(&r->ui, how, k, file_now_ms() - t->begun);
		free(how);
	} else {
		ui_note(&r->ui, "%s%s%s: %ld step%s, %ld call%s, %zu "
		    "file%s changed%s%s; session %s",
		    turn_endings[t->end].word, well ? "" : ", ",
		    well ? "" : t->reason, k->steps,
		    k->steps == 1 ? "" : "s", k->started,
		    k->started == 1 ? "" : "s", k->files.n,
		    k->files.n == 1 ? "" : "s", costs ? ", " : "",
		    costs ? num_dollars(k->usage.cost).s : "", r->session.id);
	}
	if (t->end == END_TOOL_ERROR && !explained &&
	    runlog_path(r->hub.log) != NULL)
		ui_note(&r->ui, "what happened: %s",
		    runlog_path(r->hub.log));
	if (text != NULL && r->o.chat)
		ui_note(&r->ui, "%s%s", text, full ? "\n/fork TURN goes on in "
		    "a copy that ends with an earlier turn, /new begins again; "
		    "Up brings your message back" : "");
	else if (text != NULL)
		err_say("%.1000s", text);
	if (r->hub.stage_failed && !explained)
		err_say("%s", r->hub.err.text);
	else if (t->end == END_MODEL && r->track.error_text != NULL)
		ui_model_error(&r->track, r->o.chat);
	free(text);
}

bool
run_settle(struct run *r, bool run)
{
	struct turn t = { .hub = &r->hub, .conf = r->conf,
		.begun = file_now_ms() };
	bool settled = turn_settle(&t, true, run && r->runs_calls);

	free(t.reason);
	return settled;
}

/* From the first record on, a session ends with one end record. */
int
run_turn(struct run *r, const char *task, struct err *e)
{
	struct turn t = { .hub = &r->hub, .conf = r->conf,
		.begun = file_now_ms() };

	r->hub.refused = false;
	hub_revive(&r->hub);
	ui_begin_turn(&r->ui);
	if (turn_settle(&t, task != NULL, r->runs_calls) && task != NULL) {
		/* what came on stdin goes before the task, once */
		if (r->o.piped == NULL || setup_context(&r->hub,
		    slice_of(r->o.piped), "stdin", r->o.piped_lossy) == 0)
			setup_task(&r->hub, task, r->images, false);
	}
	/* a task that was stopped takes what belongs to it along */
	if (task != NULL)
		xset(&r->o.piped, NULL);
	xset(&r->images, NULL);
	turn_run(&t);
	ui_end_turn(&r->ui);
	int status = turn_end(&t);
	if (status < 0) {
		*e = r->hub.err;
	} else {
		tell_end(r, &t);
		/* the status of a stage that ended for good says why; use it
		 * where a person can fix the cause: a bad or missing input,
		 * no permission, configuration */
		status = r->hub.stage_failed && r->hub.err.status != ST_PEER ?
		    (int)r->hub.err.status : turn_endings[t.end].status;
	}
	ui_flush(&r->ui);

	size_t n;
	const char *const *const *argvs = conf_argvs(r->conf, "hooks.on_end",
	    &n);

	for (size_t i = 0; i < n; i++)
		run_hook(&r->hub, argvs[i], t.record);
	FREE(t.record, t.reason);
	return status;
}

int
run_open(struct run *r, struct err *e)
{
	return open_session(r, e) < 0 ? -1 : prepare(r, e);
}

char *
run_command(const struct run *r, const char *flag, const char *id)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);

	buf_adds(&b, "hamr-loop ");
	if (r->o.dir != NULL) {
		buf_adds(&b, "-C ");
		argv_shell(&b, r->o.dir);
		buf_addc(&b, ' ');
	}
	buf_adds(&b, flag);
	argv_shell(&b, id);
	return buf_detach(&b);
}

int
run_task(struct run *r, struct err *e)
{
	const struct rec *rec;
	struct rec_in in;

	if (open_session(r, e) < 0)
		return -1;
	if (r->o.fork != NULL && (r->o.task != NULL || r->track.task != NULL)) {
		/* with --json the header names the new session */
		lseek(r->session.fd, 0, SEEK_SET);
		rec_in_init(&in, r->session.fd, r->session.path, REC_MAX);
		if (rec_next(&in, &rec, e) > 0)
			ui_committed(&r->ui, rec);
		rec_in_release(&in);
	}
	/* A completed session without a new task prints its answer, or its
	 * end record. */
	if (r->o.task == NULL && r->track.ended && scan_str_is(scan_get(
	    slice_of(r->track.end), "status"), "completed")) {
		ui_print_ended(&r->ui, slice_of(r->track.end));
		if (r->o.fork != NULL)
			ui_note(&r->ui, "copied to session %s", r->session.id);
		return ST_OK;
	}
	/* do not keep an unused fork */
	if (r->o.task == NULL && r->track.task == NULL) {
		bool fork = r->o.fork != NULL;
		char *how = fork ? run_command(r, "--fork=", r->o.fork) :
		    run_command(r, "--resume=", r->session.id);

		err_set(e, ST_USAGE, fork ? "there is no task yet where the "
		    "fork begins; add one after the options: %s ... "
		    "\"make the tests pass\"" : "the session has no task yet; "
		    "add one: %s \"make the tests pass\"", how);
		free(how);
		return -1;
	}
	if (prepare(r, e) < 0 || run_begin(r, r->o.task, e) < 0)
		return -1;
	return run_turn(r, r->o.task, e);
}

void
run_end(struct run *r)
{
	if (r->open)
		hub_end(&r->hub);
	r->open = r->begun = false;
	runlog_close(r->hub.log);
	r->hub.log = NULL;
	xset(&r->foreign, NULL);
	/* keep a session whose task could not be written, for inspection */
	session_close(&r->session, r->track.has_person || r->o.task != NULL);
	map_release(&r->ui.always);
	bufs_reset(BUFS(&r->ui.thinking, &r->ui.output));
	track_release(&r->track);
	FREE(r->secrets.v, r->mode);
	buf_release(&r->system);
	r->secrets = (struct argv){ .n = 0 };
	r->mode = NULL;
	r->headed = false;
}

void
run_release(struct run *r)
{
	ui_release(&r->ui);
	conf_free(r->conf);
	FREE(r->root, r->dir, r->replay, r->resume_id, r->images);
}
