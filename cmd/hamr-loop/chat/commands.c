/* commands.c - what a person says with a slash. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/num.h"
#include "child/child.h"
#include "conf/state.h"
#include "candidate_files.h"
#include "internal.h"
#include "base/image.h"
#include "session/sessions.h"
#include "show/export.h"
#include "show/inspect.h"
#include "term/term.h"
#include "turn/contract.h"

#define UNDO_MS (10 * 60 * 1000)
#define GIT_MS 10000
#define HELP_COLUMN 28		/* where /help says what a command does */
#define CANCEL_MS 1500		/* a cancelled action writes what there is */
#define NO_COMMITS "## No commits yet on "
#define OUTPUT_MAX ((size_t)1 << 20)
#define CLIPBOARD_MAX ((size_t)48 << 10)	/* terminals take 74,994 */

/* The task of /init. */
#define INIT_TASK \
	"Look at this repository and write AGENTS.md at its root, for a " \
	"coding agent that comes here for the first time: what it is, how " \
	"it is built, run and tested (the exact commands), where things " \
	"are, and the conventions that a change must keep. Only what you " \
	"have seen, in at most 60 lines. If there is an AGENTS.md already, " \
	"improve it."

struct command {
	const char *name;	/* without its slash */
	const char *args, *what;
	void (*run)(struct chat *c, const char *arg);
};

static void
say(struct chat *c, const char *text)
{
	ui_note(&c->run->ui, "%s", text);
}

static bool
needs_session(struct chat *c)
{
	if (c->open)
		return true;
	say(c, "there is no session yet; it begins with your first message");
	return false;
}

/* ---- about the session ---- */

static void
budget(struct chat *c, const char *arg)
{
	struct err e;

	(void)arg;
	ui_lend(&c->run->ui);
	if (inspect(&c->run->o, "budget", c->open ? c->run->session.path :
	    NULL, &e) < 0)
		err_report(&e);
	ui_take_back(&c->run->ui);
}

static const char *
plural(long n)
{
	return n == 1 ? "" : "s";
}

/* "": 0; -1: it is none. */
static long
number(const char *arg)
{
	int64_t n = 0;

	if (arg[0] != '\0' && (!num_i64(arg, strlen(arg), &n) || n < 0 ||
	    n > 1000000000))
		return -1;
	return (long)n;
}

/* ---- what the session holds ---- */

struct seen {
	long turn, turns;	/* wanted; so far */
	long line, at;		/* so far; of the wanted one's end */
	long requests;
	long long in, cached, out;
	double cost;
	struct buf read, changed;	/* paths, LF behind each */
	char *checkpoint;
	struct buf diff;
};

static void
add_path(struct buf *paths, struct slice value)
{
	char *path = scan_kind(value) == SCAN_STRING ? scan_strdup(value) :
	    NULL, *line;

	if (path == NULL)
		return;
	line = xasprintf("\n%s\n", path);
	if (paths->len == 0)
		buf_addc(paths, '\n');
	if (strstr(buf_view(paths).p, line) == NULL)
		buf_fmt(paths, "%s\n", path);
	free(line);
	free(path);
}

static void
see_tool(struct seen *s, const struct rec *r)
{
	struct slice path = msg_meta(r, "path");
	int64_t n;

	if (scan_true(rec_get(r, "is_error")))
		return;
	if (scan_int(msg_meta(r, "added"), &n))
		add_path(&s->changed, path);
	else if (rec_str_is(r, "name", "read"))
		add_path(&s->read, path);
	scan_str(msg_meta(r, "diff"), &s->diff);
}

static void
see(struct seen *s, const struct rec *r)
{
	struct slice cost = rec_get(r, "cost");
	int64_t n = 0;

	s->line++;
	if (r->kind == R_USER && msg_is_person(r) &&
	    !scan_true(msg_meta(r, "steering")) && s->turns++ == s->turn)
		s->at = s->line - 1;
	if (r->kind == R_TOOL)
		see_tool(s, r);
	if (r->kind == R_CHECKPOINT) {
		free(s->checkpoint);
		s->checkpoint = rec_strdup(r, "id");
	}
	if (r->kind != R_USAGE)
		return;
	s->requests++;
	s->in += rec_int(r, "prompt_tokens", &n) ? n : 0;
	s->cached += rec_int(r, "cached_tokens", &n) ? n : 0;
	s->out += rec_int(r, "completion_tokens", &n) ? n : 0;
	if (scan_kind(cost) == SCAN_NUMBER)
		s->cost += strtod(cost.p, NULL);
}

static void
see_session(struct chat *c, struct seen *s)
{
	int fd = open(c->run->session.path, O_RDONLY | O_CLOEXEC);
	const struct rec *r;
	struct rec_in in;
	struct err e;

	buf_init(&s->read, (size_t)1 << 40);
	buf_init(&s->changed, (size_t)1 << 40);
	buf_init(&s->diff, (size_t)1 << 40);
	if (fd < 0)
		return;
	rec_in_init(&in, fd, c->run->session.path, REC_MAX);
	while (rec_next(&in, &r, &e) > 0)
		see(s, r);
	rec_in_release(&in);
	close(fd);
}

static void
seen_release(struct seen *s)
{
	buf_release(&s->read);
	buf_release(&s->changed);
	buf_release(&s->diff);
	free(s->checkpoint);
}

/* In one row: "read: a, b, c". */
static void
tell_paths(struct chat *c, const char *what, const struct buf *paths)
{
	struct slice rest = buf_view(paths), path;
	struct buf b = BUF_INIT((size_t)1 << 40);

	while (slice_line(&rest, &path))
		if (path.n > 0)
			buf_fmt(&b, "%s%.*s", b.len > 0 ? ", " : "",
			    (int)path.n, path.p);
	if (b.len > 0)
		ui_note(&c->run->ui, "%s: %s", what, b.p);
	buf_release(&b);
}

static void
tell_git(struct chat *c)
{
	static const char *const args[] = { "status", "--short", "--branch" };
	struct buf b = BUF_INIT(OUTPUT_MAX);
	struct slice first = { "", 0 }, rest;

	child_run("git", args, 3, GIT_MS, CHILD_ERR_NONE, &b, NULL);
	rest = buf_view(&b);
	if (!slice_line(&rest, &first))
		first = SLICE("");
	if (slice_starts(first, NO_COMMITS))
		ui_note(&c->run->ui, "git: branch %.*s, no commits yet",
		    (int)(first.n - strlen(NO_COMMITS)),
		    first.p + strlen(NO_COMMITS));
	else if (slice_starts(first, "## "))
		ui_note(&c->run->ui, "git: branch %.*s, %zu file%s not "
		    "committed", (int)first.n - 3, first.p + 3,
		    slice_lines(rest), plural((long)slice_lines(rest)));
	buf_release(&b);
}

static void
tell_session(struct chat *c)
{
	const struct run *r = c->run;
	const struct track *k = &r->track;

	ui_note(&c->run->ui, "session %s, mode %s, model %s; this turn: %ld "
	    "step%s, %ld call%s, %zu file%s changed, %lld tokens",
	    r->session.id, k->mode != NULL ? k->mode : "?", k->model != NULL ?
	    k->model : "the server's", k->steps, plural(k->steps),
	    k->started, plural(k->started), k->nfiles,
	    plural((long)k->nfiles), (long long)k->usage.prompt +
	    (long long)k->usage.completion);
}

static void
tell_cost(struct chat *c, const struct seen *s)
{
	struct ui *u = &c->run->ui;

	ui_note(u, "the session so far: %ld turn%s, %ld request%s, %lld tokens "
	    "in (%lld of them cached), %lld out", s->turns, plural(s->turns),
	    s->requests, plural(s->requests), s->in, s->cached, s->out);
	if (s->cost > 0)
		ui_note(u, "cost: $%.4f", s->cost);
	else
		ui_note(u, "no price is known (budget.prices)");
}

static void
status(struct chat *c, const char *arg)
{
	struct seen s = { .turn = -1 };
	const struct conf *conf = c->run->conf;

	(void)arg;
	if (!needs_session(c))
		return;
	see_session(c, &s);
	tell_session(c);
	tell_paths(c, "read", &s.read);
	tell_paths(c, "changed", &s.changed);
	tell_git(c);
	ui_note(&c->run->ui, "limits of a turn: %lld steps, %lld calls%s%s",
	    (long long)conf_int(conf, "agent.max_model_steps"),
	    (long long)conf_int(conf, "agent.max_tool_calls"),
	    s.checkpoint != NULL ? "; last checkpoint: " : "",
	    s.checkpoint != NULL ? s.checkpoint : "");
	tell_cost(c, &s);
	seen_release(&s);
}

static void
cost(struct chat *c, const char *arg)
{
	struct seen s = { .turn = -1 };

	(void)arg;
	if (!needs_session(c))
		return;
	see_session(c, &s);
	tell_cost(c, &s);
	seen_release(&s);
}

static void
diff(struct chat *c, const char *arg)
{
	struct seen s = { .turn = -1 };

	(void)arg;
	if (!needs_session(c))
		return;
	see_session(c, &s);
	if (s.diff.len == 0)
		say(c, "nothing was changed by edit or write");
	else
		ui_diff(&c->run->ui, buf_view(&s.diff));
	seen_release(&s);
}

static void
fork_session(struct chat *c, const char *arg)
{
	struct seen s = { .turn = number(arg) };
	struct run *r = c->run;
	char *id;

	if (!needs_session(c))
		return;
	if (s.turn < 0 || (arg[0] != '\0' && s.turn == 0)) {
		say(c, "usage: /fork [TURN]: a new session that begins with "
		    "this one, up to that turn");
		return;
	}
	see_session(c, &s);
	id = xstrdup(r->session.id);
	run_end(r);
	c->open = false;
	r->o.fork = id;
	r->o.at = s.turn > 0 ? s.at : 0;
	if (chat_open(c, NULL) == 0)
		ui_note(&r->ui, "session %s goes on from %s%s%s",
		    r->session.id, id, arg[0] != '\0' ? ", turn " : "", arg);
	r->o.fork = NULL;
	r->o.at = 0;
	free(id);
	seen_release(&s);
}

static void
context(struct chat *c, const char *arg)
{
	struct err e;

	(void)arg;
	if (!needs_session(c))
		return;
	ui_lend(&c->run->ui);
	if (inspect(&c->run->o, "context", c->run->session.path, &e) < 0)
		err_report(&e);
	ui_take_back(&c->run->ui);
}

/* ---- what was shown ---- */

static void
output(struct chat *c, const char *arg)
{
	(void)arg;
	ui_show_output(&c->run->ui);
}

static void
thinking(struct chat *c, const char *arg)
{
	(void)arg;
	ui_show_thinking(&c->run->ui);
}

static void
edit(struct chat *c, const char *arg)
{
	(void)arg;
	ui_edit_input(&c->run->ui);
}

static void
last(struct chat *c, const char *arg)
{
	const char *answer = c->open ? c->run->track.answer : "";
	struct ui *u = &c->run->ui;

	if (answer == NULL || answer[0] == '\0')
		say(c, "there is no answer yet");
	else if (strcmp(arg, "raw") == 0 || !u->live)
		ui_lines(u, slice_of(answer));
	else
		ui_rows(u, slice_of(answer));
}

/* By the terminal (OSC 52), or, where it is too much, in a file. */
static void
to_clipboard(struct chat *c, struct slice text)
{
	struct ui *u = &c->run->ui;
	struct buf b = BUF_INIT((size_t)1 << 40);
	char *to = xasprintf("%s/.hamr/copied.txt", c->run->root);
	struct err e;

	if (text.n <= CLIPBOARD_MAX && u->live) {
		buf_adds(&b, "\033]52;c;");
		base64_add(&b, text.p, text.n);
		buf_adds(&b, "\a");
		screen_control(u->screen, b.p);
		ui_note(u, "copied: %zu line%s, if the terminal takes it",
		    slice_lines(text), plural((long)slice_lines(text)));
	} else if (file_replace(to, text.p, text.n, 0600, &e) < 0) {
		err_report(&e);
	} else {
		ui_note(u, "written: %s", to);
	}
	free(to);
	buf_release(&b);
}

static void
copy(struct chat *c, const char *arg)
{
	struct buf code = BUF_INIT((size_t)1 << 40);
	const char *answer = c->open ? c->run->track.answer : "";
	long n = number(arg);

	if (answer == NULL || answer[0] == '\0')
		say(c, "there is no answer yet");
	else if (n < 0)
		say(c, "usage: /copy [NUMBER OF A CODE BLOCK]");
	else if (markdown_code(slice_of(answer), (size_t)n, &code) > 0)
		to_clipboard(c, buf_view(&code));
	else if (n == 0)
		to_clipboard(c, slice_of(answer));
	else
		say(c, "the answer has no such code block");
	buf_release(&code);
}

static void
init(struct chat *c, const char *arg)
{
	(void)arg;
	chat_turn(c, INIT_TASK);
}

static void
commit(struct chat *c, const char *arg)
{
	(void)arg;
	chat_commit(c);
}

static void
export_page(struct chat *c, const char *arg)
{
	struct buf b = BUF_INIT((size_t)1 << 40);
	struct err e;
	const char *form = arg[0] != '\0' ? arg : "html";
	bool page = strcmp(form, "html") == 0;
	char *to, *dir;

	if (!needs_session(c))
		return;
	if (!page && strcmp(form, "openai") != 0 && strcmp(form, "atif") != 0) {
		say(c, "usage: /export [html|openai|atif]");
		return;
	}
	dir = state_folder(c->run->root, "exports", true, &e);
	if (dir == NULL) {
		err_report(&e);
		return;
	}
	to = xasprintf("%s/%s.%s%s", dir, c->run->session.id, form,
	    page ? "" : ".json");
	free(dir);
	if (export_session(c->run->session.path, form, &b, &e) < 0 ||
	    file_replace(to, b.p, b.len, 0600, &e) < 0)
		err_report(&e);
	else
		ui_note(&c->run->ui, "written: %s", to);
	free(to);
	buf_release(&b);
}

/* ---- settings, kept as records ---- */

static void
set(struct chat *c, const char *key, const char *value)
{
	if (chat_open(c, NULL) < 0)
		return;
	if (setup_config(&c->run->hub, key, value) == 0)
		hub_sync(&c->run->hub, SLOT_GUARD);
	ui_note(&c->run->ui, "%s is %s from here on", key, value);
}

static const char *const modes[] = { "read-only", "patch", "verify", "docs",
	NULL };

static void
mode(struct chat *c, const char *arg)
{
	for (size_t i = 0; modes[i] != NULL; i++)
		if (strcmp(arg, modes[i]) == 0) {
			set(c, "agent.mode", arg);
			return;
		}
	if (arg[0] == '\0' && c->run->ui.editor != NULL)
		ui_offer(&c->run->ui, "/mode ");
	else
		say(c, "usage: /mode read-only|patch|verify|docs");
}

static void
model(struct chat *c, const char *arg)
{
	if (arg[0] == '\0' && c->run->ui.editor != NULL &&
	    c->run->o.replay == NULL)
		ui_offer(&c->run->ui, "/model ");
	else if (arg[0] == '\0')
		say(c, "usage: /model NAME; hamr-provider --models lists them");
	else
		set(c, "provider.model", arg);
}

static void
compact(struct chat *c, const char *arg)
{
	struct json *o;

	(void)arg;
	if (!needs_session(c))
		return;
	o = json_object();
	json_str(o, "type", "compact");
	hub_commit(&c->run->hub, o);
	say(c, "the next request is compacted one stage further");
}

/* ---- work ---- */

static void
check(struct chat *c, const char *arg)
{
	struct run *r = c->run;
	const struct track *k = &r->track;

	if (arg[0] == '\0')
		arg = conf_str(r->conf, "verification.profile");
	if (strcmp(arg, "quick") != 0 && strcmp(arg, "full") != 0) {
		say(c, "usage: /verify [quick|full]");
		return;
	}
	if (conf_str(r->conf, "verification.defaultCommand")[0] == '\0') {
		say(c, "no command is set; put [verification] defaultCommand "
		    "into config.toml");
		return;
	}
	if (chat_open(c, NULL) < 0)
		return;
	ui_note(&r->ui, "%s runs; Ctrl-C stops it", k->verify_command);
	if (!verify_now(&r->hub, arg) && r->hub.interrupts > 0) {
		hub_cancel(&r->hub, CANCEL_MS);
		say(c, "stopped");
	}
	r->hub.interrupts = 0;
}

static void
undo(struct chat *c, const char *arg)
{
	const char *args[] = { "undo", "--root", c->run->root };
	struct buf b = BUF_INIT(OUTPUT_MAX);
	struct err e;

	(void)arg;
	if (child_run("hamr-tool", args, 3, UNDO_MS, CHILD_ERR_OUT,
	    &b, &e) < 0)
		err_report(&e);

	struct slice said = slice_trim_end(buf_view(&b), "\n");

	if (slice_starts(said, "hamr-tool: "))
		said = (struct slice){ said.p + 11, said.n - 11 };
	if (said.n > 0)
		ui_note(&c->run->ui, "%.*s", (int)said.n, said.p);
	buf_release(&b);
}

/* ---- other sessions ---- */

int
chat_open_old(struct chat *c, const char *id)
{
	struct run *r = c->run;
	int rc;
	char *before = r->resume_id;

	r->resume_id = id != NULL && id[0] != '\0' ? xstrdup(id) : NULL;
	r->o.resume = true;
	r->o.resume_id = r->resume_id;
	rc = chat_open(c, NULL);
	free(before);
	r->o.resume = false;	/* what is opened after this one is new */
	return rc;
}

int
chat_resume(struct chat *c, const char *id)
{
	if (chat_open_old(c, id) < 0)
		return -1;

	/* What was said last, so that one knows where to go on. */
	struct ui *ui = &c->run->ui;
	const struct track *k = &c->run->track;
	size_t open = track_open(k);

	if (k->task != NULL)
		ui_note(ui, "> %s", k->task);
	if (k->answer[0] != '\0' && ui->live && ui->markdown)
		ui_rows(ui, slice_of(k->answer));
	else if (k->answer[0] != '\0')
		ui_note(ui, "%s", k->answer);
	if (open > 0)
		ui_note(ui, "it was interrupted during %zu call%s; your "
		    "next message comes after %s", open, plural((long)open),
		    open == 1 ? "it" : "them");
	tell_session(c);
	return 0;
}

/* Another session in the place of this one; if it cannot be had, this stays. */
static void
resume(struct chat *c, const char *arg)
{
	char *before;

	if (arg[0] == '\0' && c->run->ui.editor != NULL) {
		ui_offer(&c->run->ui, "/resume ");
		return;
	}
	before = c->open ? xstrdup(c->run->session.id) : NULL;
	if (c->open)
		run_end(c->run);
	c->open = false;
	if (chat_resume(c, arg) < 0 && before != NULL) {
		err_report(&c->err);
		c->failed = chat_open_old(c, before) < 0;
	}
	free(before);
}

static void
new(struct chat *c, const char *arg)
{
	(void)arg;
	if (c->open)
		run_end(c->run);
	c->open = false;
	say(c, "the next message begins a new session");
}

static void
list(struct chat *c, const char *arg)
{
	struct buf b = BUF_INIT(OUTPUT_MAX);
	struct err e;
	char *dir = sessions_dir(c->run->root, false, &e);

	(void)arg;
	if (dir == NULL || sessions_list(dir, false, &b, &e) < 0)
		err_report(&e);
	else
		ui_lines(&c->run->ui, buf_view(&b));
	free(dir);
	buf_release(&b);
}

/* ---- the table ---- */

static void
quit(struct chat *c, const char *arg)
{
	(void)arg;
	c->quit = true;
}

static void help(struct chat *c, const char *arg);

static const struct command commands[] = {
	{ "budget", "", "show the context window and every limit in it",
	    budget },
	{ "commit", "", "git commit, with a message written by the model",
	    commit },
	{ "compact", "", "shorten the context now", compact },
	{ "context", "", "show the next request", context },
	{ "copy", "[N]", "copy the last answer, or its code block N", copy },
	{ "cost", "", "tokens and cost of the session", cost },
	{ "diff", "", "show what the session's edits changed", diff },
	{ "edit", "", "write the message in your editor", edit },
	{ "exit", "", "quit", quit },
	{ "export", "[html|openai|atif]", "write the session to a file",
	    export_page },
	{ "fork", "[TURN]", "continue in a copy of this session", fork_session
	},
	{ "help", "", "this list", help },
	{ "init", "", "have the model write AGENTS.md", init },
	{ "last", "[raw]", "show the last answer again", last },
	{ "mode", "[MODE]", "read-only, patch, verify or docs", mode },
	{ "model", "[NAME]", "switch to another model", model },
	{ "new", "", "begin a new session", new },
	{ "output", "", "show all output of the last command", output },
	{ "quit", "", "quit; so does Ctrl-D", quit },
	{ "resume", "[ID]", "switch to another session", resume },
	{ "sessions", "", "list the sessions of this project", list },
	{ "status", "", "show where this session stands", status },
	{ "thinking", "", "show the model's last reasoning", thinking },
	{ "undo", "", "undo the newest change", undo },
	{ "undo-last-edit", "", "undo the newest change", undo },
	{ "verify", "[quick|full]", "run the project's own check", check },
};

#define COMMANDS (sizeof commands / sizeof *commands)

/* A name and what it does, which keeps to its own column. */
static void
help_line(struct chat *c, const char *name, const char *args, const char *what)
{
	struct buf b = BUF_INIT(1 << 16);
	struct slice all;
	size_t at = HELP_COLUMN, columns = ui_columns(&c->run->ui);
	char *first = xasprintf("%s%s%s", name, args[0] != '\0' ? " " : "",
	    args);

	at = at < columns / 2 ? at : HELP_COLUMN / 2 + 2;
	buf_adds(&b, first);
	if (term_width(slice_of(first)) + 2 > at) {
		buf_addc(&b, '\n');
		term_wrap(&b, slice_of(what), 0, at, columns - 1);
	} else {
		term_wrap(&b, slice_of(what), term_width(slice_of(first)), at,
		    columns - 1);
	}
	all = slice_trim_end(buf_view(&b), "\n");
	ui_note(&c->run->ui, "%.*s", (int)all.n, all.p);
	free(first);
	buf_release(&b);
}

static void
help(struct chat *c, const char *arg)
{
	static const struct {
		const char *key, *what;
	} keys[] = {
		{ "!COMMAND", "run it yourself, and show the model what it "
		    "prints" },
		{ "@PATH", "name a file; Tab completes it" },
		{ "Esc, Ctrl-C", "stop what is going on" },
		{ "Alt-Enter, Ctrl-J", "begin a new line" },
		{ "Ctrl-O", "show all output of the last command" },
		{ "Ctrl-T", "show the model's last reasoning" },
		{ "Ctrl-G", "write the message in your editor" },
		{ "Ctrl-R", "search your earlier messages" },
	};
	struct candidates own = { 0 };

	(void)arg;
	for (size_t i = 0; i < COMMANDS; i++) {
		char *name = xasprintf("/%s", commands[i].name);

		help_line(c, name, commands[i].args, commands[i].what);
		free(name);
	}
	own_list(c, &own);
	for (size_t i = 0; i < own.n; i++)
		help_line(c, own.v[i].text, "", own.v[i].about);
	candidates_release(&own);
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		help_line(c, keys[i].key, "", keys[i].what);
	say(c, "What you send during a turn goes to the model with its next "
	    "step.");
}

static const struct command *
find(const char *word, size_t n)
{
	for (size_t i = 0; i < COMMANDS; i++)
		if (strlen(commands[i].name) == n &&
		    strncmp(commands[i].name, word, n) == 0)
			return &commands[i];
	return NULL;
}

/* ---- one that there is not ---- */

static size_t
least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Letters to add, leave out or change to get from one to the other. */
static size_t
distance(const char *a, const char *b)
{
	size_t n = strlen(b), *row = xcalloc(n + 1, sizeof *row), d;

	for (size_t j = 0; j <= n; j++)
		row[j] = j;
	for (size_t i = 1; a[i - 1] != '\0'; i++) {
		size_t corner = row[0];

		row[0] = i;
		for (size_t j = 1; j <= n; j++) {
			size_t old = row[j];

			row[j] = least(least(row[j] + 1, row[j - 1] + 1),
			    corner + (a[i - 1] != b[j - 1]));
			corner = old;
		}
	}
	d = row[n];
	free(row);
	return d;
}

static void
tell_nearest(struct chat *c, const char *word)
{
	struct buf near = BUF_INIT(1 << 12);

	for (size_t i = 0; i < COMMANDS; i++) {
		const char *name = commands[i].name;

		if (distance(word, name) <= 2 || (strlen(word) > 1 &&
		    strncmp(word, name, strlen(word)) == 0))
			buf_fmt(&near, "%s/%s", near.len > 0 ? ", " : "", name);
	}
	ui_note(&c->run->ui, "no command /%s; %s%s%s/help lists them", word,
	    near.len > 0 ? "did you mean " : "", buf_view(&near).p,
	    near.len > 0 ? "? " : "");
	buf_release(&near);
}

/* A command of the person's own, or of the project's. */
static void
run_own(struct chat *c, const char *word, const char *arg)
{
	const char *why = NULL;
	char *text = own_command(c, word, arg, &why);

	if (text != NULL)
		chat_turn(c, text);
	else if (why != NULL)
		say(c, why);
	else
		tell_nearest(c, word);
	free(text);
}

/* /etc/hosts is no command. */
static bool
is_command(const char *line)
{
	size_t n = strcspn(line, " \t\n");

	return line[0] == '/' && n > 1 && memchr(line + 1, '/', n - 1) == NULL;
}

bool
chat_command(struct chat *c, const char *line)
{
	const struct command *cmd;
	const char *arg;
	char *word, *text;
	size_t n;

	if (strcmp(line, "exit") == 0 || strcmp(line, "quit") == 0) {
		c->quit = true;
		return true;
	}
	if (line[0] == '!') {
		if (line[1 + strspn(line + 1, " \t\n")] == '\0')
			say(c, "usage: !COMMAND");
		else
			chat_shell(c, line + 1);
		return true;
	}
	if (!is_command(line))
		return false;
	n = strcspn(line + 1, " \t\n");
	arg = line + 1 + n;
	arg += strspn(arg, " \t\n");
	word = xmemdup0(line + 1, n);
	text = xstrdup(arg);
	for (n = strlen(text); n > 0 && strchr(" \t", text[n - 1]) != NULL; )
		text[--n] = '\0';
	cmd = find(word, strlen(word));
	if (cmd != NULL && cmd->args[0] == '\0' && text[0] != '\0')
		ui_note(&c->run->ui, "/%s takes no argument; Up brings your "
		    "text back", word);
	else if (cmd != NULL)
		cmd->run(c, text);
	else
		run_own(c, word, text);
	free(word);
	free(text);
	return true;
}

/* ---- what completes ---- */

static void
list_words(struct candidates *out, const char *const *words)
{
	for (; *words != NULL; words++)
		candidates_add(out, *words, NULL);
}

/* "2 h  completed  3 steps  mend the parser" beside its id. */
static void
list_sessions(struct chat *c, struct candidates *out)
{
	struct buf b = BUF_INIT((size_t)16 << 20);
	struct slice rest, line;
	struct scan scan = { 0 };
	struct err e;
	char *dir = sessions_dir(c->run->root, false, &e);
	struct rec r;

	if (dir != NULL && sessions_list(dir, true, &b, &e) == 0)
		for (rest = buf_view(&b); slice_line(&rest, &line); ) {
			char *id, *about, *task;
			int64_t age = 0, steps = 0;

			if (rec_parse(&scan, line.p, line.n, &r) < 0)
				continue;
			id = rec_strdup(&r, "session");
			task = rec_strdup(&r, "task");
			rec_int(&r, "age_s", &age);
			rec_int(&r, "steps", &steps);
			about = xasprintf(age < 5400 ? "%lld min  %lld step%s"
			    "  %s" : age < 129600 ? "%lld h  %lld step%s  %s" :
			    "%lld d  %lld step%s  %s", (long long)age / (age <
			    5400 ? 60 : age < 129600 ? 3600 : 86400),
			    (long long)steps, plural((long)steps),
			    task != NULL ? task : "");
			if (id != NULL)
				candidates_add(out, id, about);
			free(id);
			free(about);
			free(task);
		}
	scan_release(&scan);
	free(dir);
	buf_release(&b);
}

static void
list_models(struct chat *c, struct candidates *out)
{
	struct buf b = BUF_INIT(OUTPUT_MAX);
	struct argv a = { 0 };
	struct slice rest, line;

	argv_add(&a, "--models");
	chat_provider_args(c, &a);
	if (c->run->o.replay == NULL)
		child_run("hamr-provider", a.v, a.n, 3000, CHILD_ERR_NONE, &b,
		    NULL);
	for (rest = buf_view(&b); slice_line(&rest, &line); ) {
		char *name = xmemdup0(line.p, line.n);

		name[strcspn(name, " \t")] = '\0';
		candidates_add(out, name, NULL);
		free(name);
	}
	free(a.v);
	buf_release(&b);
}

static void
list_arguments(struct chat *c, const char *command, struct candidates *out)
{
	static const char *const forms[] = { "html", "openai", "atif", NULL };
	static const char *const profiles[] = { "quick", "full", NULL };

	if (strcmp(command, "mode") == 0)
		list_words(out, modes);
	else if (strcmp(command, "export") == 0)
		list_words(out, forms);
	else if (strcmp(command, "verify") == 0)
		list_words(out, profiles);
	else if (strcmp(command, "resume") == 0)
		list_sessions(c, out);
	else if (strcmp(command, "model") == 0)
		list_models(c, out);
}

void
chat_candidates(struct chat *c, enum complete_kind kind, const char *command,
    struct candidates *out)
{
	if (kind == COMPLETE_PATH)
		files_list(out);
	else if (kind == COMPLETE_ARGUMENT && command != NULL)
		list_arguments(c, command, out);
	for (size_t i = 0; kind == COMPLETE_COMMAND && i < COMMANDS; i++) {
		char *name = xasprintf("/%s", commands[i].name);

		candidates_add(out, name, commands[i].what);
		free(name);
	}
	if (kind == COMPLETE_COMMAND)
		own_list(c, out);
}
