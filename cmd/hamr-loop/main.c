/* main.c - hamr-loop: the turnkey agent.  Options, session, one turn, end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conf.h"
#include "doctor.h"
#include "file.h"
#include "hook.h"
#include "mem.h"
#include "opts.h"
#include "sessions.h"
#include "setup.h"
#include "turn.h"
#include "views.h"

/* Everything a run holds, so that one place gives it back. */
struct run {
	struct opts o;
	struct conf *conf;
	char *root;
	char *dir;		/* where we were called, or -C */
	struct session session;
	struct track track;
	struct ui ui;
	struct hub hub;
	struct setup setup;
	bool hub_made;
};

static int
configure(struct run *r, struct err *e)
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
		.nset = r->o.nset };

	r->root = conf_root(r->o.dir != NULL ? r->o.dir : ".", e);
	if (r->root == NULL)
		return -1;
	co.root = r->root;
	r->conf = conf_load(&co, e);
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
	r->dir = realpath(r->o.dir != NULL ? r->o.dir : ".", NULL);
	if (chdir(r->root) < 0)
		return err_sys(e, ST_NOINPUT, "%s", r->root);
	return 0;
}

static int
print_config(const struct run *r, struct err *e)
{
	struct buf b = BUF_INIT((size_t)16 << 20);
	int rc = 0;

	conf_print(r->conf, &b);
	if (file_write_all(STDOUT_FILENO, b.p, b.len) < 0)
		rc = err_sys(e, ST_SYSTEM, "stdout");
	buf_release(&b);
	return rc;
}

/* Feed the recorded part of a session to the tracker. */
static int
read_back(struct run *r, struct err *e)
{
	struct rec_in in;
	const struct rec *rec;
	off_t at = 0;
	int got;

	if (lseek(r->session.fd, 0, SEEK_SET) < 0)
		return err_sys(e, ST_SYSTEM, "%s", r->session.path);
	rec_in_init(&in, r->session.fd, r->session.path, REC_MAX);
	while ((got = rec_next(&in, &rec, e)) > 0) {
		track_record(&r->track, rec, at);
		at += (off_t)rec->line.n + 1;
	}
	rec_in_release(&in);
	return got;
}

static int
open_session(struct run *r, struct err *e)
{
	bool old = r->o.resume || r->o.fork != NULL;
	char *dir = views_dir(r->root, !old, e);
	int rc;

	if (dir == NULL)
		return -1;
	if (r->o.fork != NULL)
		rc = sessions_fork(&r->session, dir, r->o.fork, r->o.at, e);
	else if (r->o.resume)
		rc = session_open(&r->session, dir, r->o.resume_id, e);
	else
		rc = session_create(&r->session, dir, e);
	free(dir);
	if (rc < 0)
		return -1;
	r->session.sync_all = strcmp(conf_str(r->conf, "agent.durability"),
	    "all") == 0;
	return old ? read_back(r, e) : 0;
}

/* A completed session that is given nothing new to do says its answer. */
static bool
is_over(const struct run *r)
{
	return r->o.task == NULL && r->track.ended &&
	    strcmp(r->track.end_status, "completed") == 0;
}

static int
prepare(struct run *r, struct err *e)
{
	r->setup = (struct setup){ .o = &r->o, .conf = r->conf,
		.root = r->root,
		.dir = r->dir != NULL ? r->dir : r->root };
	r->setup.mode = r->o.mode == NULL && r->track.mode != NULL ?
	    r->track.mode : conf_str(r->conf, "agent.mode");
	if (hub_init(&r->hub, &r->session, &r->track, &r->ui, e) < 0)
		return -1;
	r->hub_made = true;
	r->hub.yes = r->o.yes;
	if (setup_slots(&r->setup, &r->hub, e) < 0)
		return -1;
	return hub_start(&r->hub, r->session.size > 0, e);
}

/* How it ended, for people. */
static void
sum_up(struct run *r, const struct turn *t)
{
	bool well = t->end == END_COMPLETED;

	ui_answer(&r->ui, r->track.answer);
	ui_note(&r->ui, "%s%s%s: %ld steps, %ld calls, %zu files changed; "
	    "session %s", turn_status_word(t->end), well ? "" : ", ",
	    well ? "" : t->reason, r->track.steps, r->track.started,
	    r->track.nfiles, r->session.id);
	if (r->track.mode != NULL && strcmp(r->track.mode, "verify") == 0 &&
	    r->track.verify_command == NULL)
		ui_note(&r->ui, "nothing was verified: no command is set; put "
		    "[verification] defaultCommand into hamr.toml");
	if (r->hub.stage_failed)
		err_say("%s", r->hub.err.text);
	else if (t->end == END_MODEL && r->track.error_text != NULL)
		err_say("%s", r->track.error_text);
}

/* From the first record on, a session ends with one end record. */
static int
run_turn(struct run *r, struct err *e)
{
	struct turn t = { .hub = &r->hub, .conf = r->conf,
		.begun = file_now_ms(), .always_verify = true,
		.repair_attempts = (int)conf_int(r->conf,
		    "agent.repair_attempts"),
		.profile = conf_str(r->conf, "verification.profile") };
	int status;

	if (setup_session(&r->setup, &r->hub, e) < 0 && !r->hub.failed &&
	    r->hub.interrupts == 0 && !r->ui.out_closed)
		return -1;
	if (r->o.task != NULL)
		setup_task(&r->hub, r->o.task);
	turn_run(&t);
	status = turn_end(&t);
	if (status < 0) {
		*e = r->hub.err;
	} else {
		sum_up(r, &t);
		status = turn_status(t.end);
	}
	ui_flush(&r->ui);
	hook_end(r->conf, &r->hub, t.record);
	free(t.record);
	free(t.reason);
	return status;
}

static int
work(struct run *r, struct err *e)
{
	int status;

	track_init(&r->track, conf_str(r->conf,
	    "verification.defaultCommand"));
	if (open_session(r, e) < 0)
		return -1;
	if (is_over(r)) {
		ui_answer(&r->ui, r->track.end_answer);
		return ST_OK;
	}
	status = prepare(r, e);
	if (status == 0)
		status = run_turn(r, e);
	return status;
}

static int
dispatch(struct run *r, struct err *e)
{
	if (r->o.trust)
		return conf_trust(r->root, e);
	if (r->o.print_config)
		return print_config(r, e);
	if (r->o.sessions || r->o.inspect != NULL || r->o.export != NULL)
		return views_show(&r->o, r->root, e);
	if (r->o.doctor)
		return doctor(&r->o, r->conf, r->root, e);
	return work(r, e);
}

static void
release(struct run *r)
{
	session_close(&r->session);
	track_release(&r->track);
	ui_release(&r->ui);
	setup_release(&r->setup);
	conf_free(r->conf);
	free(r->root);
	free(r->dir);
	opts_release(&r->o);
}

int
main(int argc, char **argv)
{
	struct run r = { .session = { .fd = -1, .lock = -1 } };
	struct err e = { ST_BUG, "" };
	int status;

	err_program("hamr-loop");
	if (opts_read(&r.o, argc, argv, &e) < 0)
		return err_report(&e);
	ui_init(&r.ui, r.o.json, r.o.quiet);
	status = configure(&r, &e);
	if (status == 0)
		status = dispatch(&r, &e);
	if (status < 0)
		status = err_report(&e);
	if (r.hub_made)
		hub_end(&r.hub);
	if (ui_end(&r.ui, &e) < 0 &&
	    (status < ST_DATA || status == ST_INTERRUPTED))
		status = err_report(&e);
	release(&r);
	return status;
}
