/* job.c - the steps of a call: check, approve, start, run, answer. */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/utc.h"
#include "base/utf8.h"
#include "extras/schema.h"
#include "extras/extra.h"
#include "extras/mcp.h"
#include "record/msg.h"
#include "run/command.h"

#include "journal_calls.h"

#define UNSAVED_TOLD 10
#define EDITED_TOLD 1000	/* bytes */

/* ---- may it run?  The checks before anyone is asked ---- */

/* Is the sandbox that a command needs available?  False: r is the error. */
static bool
box_allows(const struct tool *t, struct result *r)
{
	enum box_kind kind = tool_kind(t, mode_has_consent(t));

	/* do not probe the machine if the answer makes no difference */
	if (kind == BOX_WRITE &&
	    strcmp(conf_str(t->conf, "sandbox.mode"), "require") != 0)
		return true;
	const char *why = sandboxes_why_not(t->sandboxes, kind);
	if (why == NULL)
		return true;
	if (kind == BOX_WRITE)
		result_error(r, "denied", "denied: %s, and the configuration "
		    "requires one (sandbox.mode); use the other tools", why);
	else if (t->mode == MODE_PATCH) {
		scan_put(&r->meta, "'consent':'missing',");
		result_error(r, "denied", "denied: without --yes commands run "
		    "in a read-only sandbox, and %s; use read, or ask for "
		    "--yes", why);
	} else
		result_error(r, "denied", "denied: in mode %s commands run in "
		    "a sandbox only, and %s; use read", mode_names[t->mode],
		    why);
	return false;
}

/* Check, in this order: the tool's name, JSON, schema, policy (the mode, then
 * the paths).  False: r is the error. */
static bool
judge(struct job *j, struct slice given)
{
	const struct tool *t = j->t;
	const char *name = j->call->name;
	const struct schema *s = tool_schema(t, name);
	struct result *r = &j->r;

	j->schema = s;
	j->mode = t->mode;
	buf_reset(&j->args);
	if (s == NULL) {
		j->misuse = !mcp_is_down(t, name, r);
		if (!j->misuse)
			return false;
		result_error(r, "unknown_tool", "there is no tool \"%.*s\"; "
		    "the tools are ", (int)utf8_cut(name, strlen(name), 64),
		    name);
		tool_names(t, &r->content);
		return false;
	}
	if (!args_check(s, given, &j->args, r, &j->misuse))
		return false;
	if (!root_is_there(&t->files->root)) {
		result_error(r, "not_found", "not_found: the folder %s was "
		    "replaced or moved since this session began; tell the user "
		    "to start a new one there", t->root);
		return false;
	}
	struct slice args = buf_view(&j->args);
	if (extra_of(s) != NULL)
		return extra_judge(t, extra_of(s), args, r);
	if (!schema_is_on(s, tool_on(t) | SCHEMA_CHANGE)) {
		result_error(r, "denied", "denied: %s is switched off by the "
		    "configuration (%s); the tools are ", s->name,
		    s->id == TOOL_BASH ? "tools.bash.enabled" :
		    "memory.enabled");
		tool_names(t, &r->content);
		return false;
	}
	/* in mode docs, the file tools decide which files */
	if ((s->id == TOOL_EDIT || s->id == TOOL_WRITE) &&
	    t->mode != MODE_PATCH && t->mode != MODE_DOCS) {
		result_error(r, "denied", "denied: in mode %s no file is "
		    "changed; say what you would change", mode_names[t->mode]);
		return false;
	}
	if (s->id == TOOL_BASH)
		return box_allows(t, r);
	return (s->id != TOOL_READ && s->id != TOOL_EDIT &&
	    s->id != TOOL_WRITE && s->id != TOOL_VIEW) ||
	    files_judge(t->files, s->name, args, r);
}

/* Judge the call again if the mode has changed while a person was asked or the
 * start was read back.  False: r is the error. */
static bool
is_still_allowed(struct job *j)
{
	struct buf args = BUF_INIT(BUF_RECORD_MAX);

	if (j->mode == j->t->mode)
		return true;
	buf_slice(&args, buf_view(&j->args));
	bool fine = judge(j, buf_view(&args));
	buf_release(&args);
	if (j->spec.kind == BOX_WRITE)
		j->spec.kind = tool_kind(j->t, true);
	return fine;
}

bool
job_must_stop(struct tool *t)
{
	return stage_wait(t->stage, NULL, 0, 0) != 0 || t->stage->failed;
}

static enum step
step_verdict(struct job *j)
{
	const char *words = j->call->words, *id = j->call->twin;
	enum action action = j->call->action;
	struct call_state *twin = NULL;

	if (action == ACT_BLOCK || action == ACT_HALT) {
		result_error(&j->r, "refused", "%s", words != NULL &&
		    words[0] != '\0' ? words : "refused by the guard; do "
		    "something else");
		if (j->schema->id == TOOL_READ)
			files_known(j->t->files, buf_view(&j->args), &j->r);
		return STEP_DONE;
	}
	if (action != ACT_SHARE)
		return STEP_NEXT;
	for (struct call_state *c = j->t->calls; id != NULL && c < j->call &&
	    twin == NULL; c++)
		if (strcmp(c->id, id) == 0 && c->done && c->ran)
			twin = c;
	if (id != NULL)
		scan_put(&j->r.meta, "'shared':@,", slice_of(id));
	if (twin == NULL) {
		result_error(&j->r, "interrupted", "interrupted: the call "
		    "that this one repeats did not run, so neither did this");
		return STEP_DONE;
	}
	buf_adds(&j->r.content, twin->text != NULL ? twin->text :
	    "same as the call before it in this message");
	j->r.is_error = twin->is_error;
	if (twin->code != NULL)
		scan_put(&j->r.meta, "'error':@,", slice_of(twin->code));
	return STEP_DONE;
}

/* ---- approval ---- */

bool
job_has_plan(const struct job *j)
{
	return j->schema->id == TOOL_EDIT || j->schema->id == TOOL_WRITE;
}

/* May a person allow the network for one command? */
static bool
may_go_online(const struct tool *t)
{
	return conf_bool(t->conf, "sandbox.ask_network") &&
	    !conf_bool(t->conf, "sandbox.network");
}

/* Append what the person is asked to allow, and why. */
static void
put_what(const struct job *j, const struct buf *diff, const struct buf *more,
    struct buf *out)
{
	char *command = scan_strdup(scan_get(buf_view(&j->args), "command"));
	const char *why = "it may change files";

	if (job_has_plan(j)) {
		scan_put(out, ",'diff':@$", buf_view(diff), buf_view(more));
		why = "it changes a file";
	} else if (j->schema->id == TOOL_BASH && command != NULL) {
		scan_put(out, ",'command':@,'lines':$$", slice_of(command),
		    SCAN_INT((long long)slice_lines(slice_of(command))),
		    may_go_online(j->t) ? SLICE(",\"network\":true") :
		    SLICE(""));
	} else {
		scan_put(out, ",'arguments':@", buf_view(&j->args));
	}
	if (!job_has_plan(j) && extra_of(j->schema) == NULL &&
	    conf_bool(j->t->conf, "sandbox.network"))
		why = "it may change files and use the network";
	scan_put(out, ",'why':@}", slice_of(why));
	free(command);
}

/* Ask a person.  The ask shows all that would be done: nobody can allow what
 * they are not shown. */
static enum step
ask(struct job *j, const struct buf *diff, const struct buf *more)
{
	struct tool *t = j->t;
	struct buf line = BUF_INIT(REC_MAX);
	char *id = xasprintf("a%zu", t->answers + 1), *text = NULL;
	char *instead = NULL, *reason = NULL;
	enum step step = STEP_DONE;

	scan_put(&line, "{'type':'ask','id':@,'tool_call_id':@,'name':@",
	    slice_of(id), slice_of(j->call->id), slice_of(j->call->name));
	put_what(j, diff, more, &line);
	if (line.over || diff->over) {
		result_error(&j->r, "too_large", "too large to show to the "
		    "user, who must allow it; make the change in parts");
		goto out;
	}
	text = stage_ask(t->stage, R_ASK, buf_view(&line), R_ANSWER, id);
	struct slice reply = slice_of(text != NULL ? text : "");
	if (scan_true(scan_get(reply, "network")) && may_go_online(t))
		j->spec.network = j->spec.unix_sockets = true;
	/* what is no object is refused: the original was not allowed either */
	instead = msg_arguments(scan_get(reply, "arguments"));
	reason = scan_text(scan_get(reply, "reason"));
	if (text == NULL) {
		step = STEP_STOP;
	} else if (!scan_true(scan_get(reply, "allow"))) {
		bool stop = scan_true(scan_get(reply, "stop"));

		/* after a stop, ask nothing more */
		if (stop)
			t->stage->cancelled = true;
		result_error(&j->r, "denied", "denied: the user did not allow "
		    "this call%s%s", reason[0] != '\0' ? ": " : stop ?
		    " and stopped the turn" : "; do not repeat it", reason);
	} else if (instead == NULL) {
		step = STEP_NEXT;
	} else if (judge(j, slice_of(instead))) {
		j->edited = true;
		step = hook_before(j);	/* hooks check this call, too */
	}
out:
	buf_release(&line);
	FREE(id, text, instead, reason);
	return step;
}

static enum step
approve(struct job *j)
{
	struct tool *t = j->t;
	const struct extra *x = extra_of(j->schema);
	bool consent = mode_has_consent(t), bash = j->schema->id == TOOL_BASH;
	bool writes = x != NULL ? extra_writes(t, x) : bash ?
	    tool_kind(t, true) == BOX_WRITE : job_has_plan(j);
	struct buf diff = BUF_INIT(RESULT_MAX), more = diff;
	enum step step = STEP_DONE;

	j->spec = sandboxes_spec(t->sandboxes, tool_kind(t, consent));
	j->writes = writes && t->yes;
	if (!writes || t->yes)
		return STEP_NEXT;
	/* a command that only reads, if the sandbox can enforce that */
	if (bash) {
		char *command = scan_strdup(scan_get(buf_view(&j->args),
		    "command"));
		bool reads = command != NULL && readers_has(command) &&
		    sandboxes_why_not(t->sandboxes, BOX_READ) == NULL;
		free(command);
		if (reads) {	/* and without network */
			j->spec = (struct box_spec){
				.kind = tool_kind(t, false) };
			return STEP_NEXT;
		}
	}
	if (consent) {
		if (job_has_plan(j) && !files_plan(t->files, j->schema->id ==
		    TOOL_EDIT, buf_view(&j->args), &diff, &more, &j->r))
			step = STEP_DONE;	/* r is how it would end */
		else if (mode_has_approver(t))
			step = hook_approve(j, job_has_plan(j) ?
			    buf_view(&diff).p : NULL);
		else
			step = ask(j, &diff, &more);
		bufs_release(BUFS(&diff, &more));
		j->writes = step == STEP_NEXT;
		return step == STEP_NEXT && !is_still_allowed(j) ? STEP_DONE :
		    step;
	}
	/* Nobody can be asked: an edit is shown but not made, anything else may
	 * only read. */
	j->unasked = true;
	scan_put(&j->r.meta, "'consent':'missing',");
	if (x != NULL)
		return extra_unapproved(t, x, &j->r) ? STEP_NEXT : STEP_DONE;
	if (bash)
		return STEP_NEXT;
	files_make_change(t->files, j->schema->id == TOOL_EDIT, false,
	    buf_view(&j->args), &j->r);
	if (strcmp(j->r.code, "denied") == 0 && !t->no_ask)
		err_say("%s changed nothing, as nobody could be asked; --yes "
		    "allows changes", j->schema->name);
	return STEP_DONE;
}

/* ---- commit before act ---- */

void
job_put_start(struct job *j)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);
	char at[UTC_SIZE];

	if (j->call->start != START_NONE)
		return;
	if (j->t->stage->mode == STAGE_RESIDENT)
		j->call->start = START_PROPOSED;
	utc_print_now(at);
	scan_put(&b, "{'type':'start','tool_call_id':@,'at':@}",
	    slice_of(j->call->id), slice_of(at));
	stage_put(j->t->stage, R_START, buf_view(&b));
	buf_release(&b);
}

enum step
job_confirm_start(struct job *j)
{
	struct stage *s = j->t->stage;
	struct err e;

	if (s->mode != STAGE_RESIDENT) {
		/* without a written start, do nothing */
		if (rec_flush(&s->out, &e) == 0)
			return STEP_NEXT;
		stage_fail(s, &e);
		return STEP_STOP;
	}
	while (j->call->start == START_PROPOSED)
		if (stage_wait(s, NULL, 0, -1) != 0)
			return STEP_STOP;
	return job_must_stop(j->t) ? STEP_STOP : STEP_NEXT;
}

/* ---- work ---- */

/* Append to the result what the model cannot know: that a person changed the
 * arguments; what an editor has not saved; that the call ran read-only because
 * nobody could allow changes, which may be why it failed. */
static void
tell_more(struct job *j)
{
	bool bash = j->schema->id == TOOL_BASH;
	const struct extra *x = extra_of(j->schema);
	const struct texts *unsaved = &j->t->files->unsaved;
	struct buf *b = &j->r.content;
	size_t was = b->len;

	if (j->edited) {
		struct slice args = buf_view(&j->args);
		size_t n = utf8_cut(args.p, args.n, EDITED_TOLD);

		buf_end_line(b);
		buf_fmt(b, "[the user changed the arguments to: %.*s%s]\n",
		    (int)n, args.p, n < args.n ? "..." : "");
	}
	if (bash && unsaved->n > 0) {
		buf_end_line(b);
		buf_adds(b, "[not saved in the editor, and not seen by the "
		    "command:");
		for (size_t i = 0; i < unsaved->n && i < UNSAVED_TOLD; i++) {
			buf_addc(b, ' ');
			utf8_clean(b, unsaved->v[i], strlen(unsaved->v[i]));
		}
		buf_adds(b, "]\n");
	}
	if (j->unasked && j->r.is_error && j->r.code == NULL &&
	    (x == NULL || x->server == NULL ||
	    !mcp_has_folder(x->server, "/"))) {
		buf_end_line(b);
		buf_fmt(b, "[ran read-only: %s can change files only with "
		    "--yes]\n", bash ? "commands" : j->schema->name);
		if (!j->t->no_ask)
			err_say("without --yes %s could change nothing", bash ?
			    "the command" : j->schema->name);
	}
	if (j->r.bytes >= 0)
		j->r.bytes += (long long)(b->len - was);
}

void
job_work(struct job *j)
{
	struct tool *t = j->t;
	long long begun = file_now_ms();

	/* first, as it sets args and spec */
	if (!is_still_allowed(j))
		return;
	struct slice args = buf_view(&j->args);
	struct command cmd = { .prog = { .sandboxes = t->sandboxes,
		.spec = j->spec, .id = j->call->id },
		.root = &t->files->root, .cap = t->output_cap };
	char *command;

	cmd.prog.alive = journal_calls_begin(t->journal, j);
	switch (j->schema->id) {
	case TOOL_READ: files_read(t->files, args, &j->r); break;
	case TOOL_EDIT:
	case TOOL_WRITE:
		files_make_change(t->files, j->schema->id == TOOL_EDIT, true,
		    args, &j->r);
		break;
	case TOOL_BASH:
		cmd.command = command = scan_text(scan_get(args, "command"));
		bash_run(t->stage, &cmd, scan_int_or(scan_get(args,
		    "timeout"), BASH_SECONDS), &j->r);
		free(command);
		break;
	case TOOL_VIEW:
		files_view(t->files, args, conf_bool(t->conf,
		    "provider.vision"), &j->r);
		break;
	case TOOL_SEARCH_MEMORY: memory_search(t, args, &j->r); break;
	case TOOL_SAVE_MEMORY: memory_save(t, args, &j->r); break;
	case TOOL_PLUGIN:
	case TOOL_MCP:
		extra_run(t, extra_of(j->schema), j->call->id, j->writes,
		    args, &j->r);
		break;
	}
	tell_more(j);
	j->ms = file_now_ms() - begun;
	journal_calls_end(t->journal, j);
}

enum step
job_before(struct job *j)
{
	bool fine = judge(j, slice_of(j->call->args));

	/* started by a process that is gone: never run it again */
	if (j->call->start == START_FOREIGN) {
		result_release(&j->r);
		result_init(&j->r);
		result_error(&j->r, "interrupted", "interrupted: this call "
		    "was started, but how it ended is not known; see what it "
		    "did before you call it again");
		if (fine)
			journal_calls_tell_killed(j->t->journal, j);
		return STEP_DONE;
	}
	if (!fine)
		return STEP_DONE;
	enum step s = step_verdict(j);
	if (s == STEP_NEXT && j->schema->id == TOOL_READ &&
	    files_over_budget(j->t->files, buf_view(&j->args), &j->r))
		s = STEP_DONE;
	if (s == STEP_NEXT)
		s = hook_before(j);
	if (s == STEP_NEXT)
		s = approve(j);
	if (s == STEP_NEXT)
		journal_calls_checkpoint(j->t->journal, j);
	return s;
}

void
job_print(struct job *j)
{
	result_message(&j->r, j->call->id, j->call->name, j->ms,
	    action_names[j->call->action], &j->message);
}

void
job_answer(struct job *j)
{
	struct buf *m = &j->message;
	struct scan scan = { .n = 0 };
	struct rec r;

	if (m->len == 0)	/* else its process made it */
		job_print(j);
	if (rec_parse(&scan, m->p, m->len, &r) == 0)
		tool_note_result(j->t, j->call, &r);
	scan_release(&scan);
	hook_after(j);
}

void
job_begin(struct job *j, struct tool *t, struct call_state *c)
{
	*j = (struct job){ .t = t, .call = c,
		.args = BUF_INIT(BUF_RECORD_MAX),
		.message = BUF_INIT(BUF_RECORD_MAX) };
	result_init(&j->r);
}

void
job_end(struct job *j)
{
	bufs_release(BUFS(&j->args, &j->message));
	result_release(&j->r);
}
