/* commands.c - slash commands. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/num.h"
#include "conf/conf_keys.h"
#include "conf/place.h"
#include "conf/state.h"
#include "internal.h"
#include "base/image.h"
#include "session/origin.h"
#include "session/sessions.h"
#include "show/export.h"
#include "term/term.h"
#include "tokens/budget.h"
#include "turn/contract.h"

#define HELP_WIDE 77		/* columns of /help with two entries in a row */
#define NEAR 5			/* conf_distance of a misspelled command: two
				 * letters left out, or one and one wrong */
#define OUTPUT_MAX ((size_t)1 << 20)	/* of the table of sessions */
#define CLIPBOARD_MAX ((size_t)48 << 10)	/* bytes; in base64 64 KiB, of
				 * the 74,994 bytes that terminals take */

#define INIT_TASK \
	"Look at this repository and write AGENTS.md at its root, for a " \
	"coding agent that comes here for the first time: what it is, how " \
	"it is built, run and tested (the exact commands), where things " \
	"are, and the conventions that a change must keep. Only what you " \
	"have seen, in at most 60 lines. If there is an AGENTS.md already, " \
	"improve it."

/* Flags of a command. */
enum {
	OPEN = 1,		/* it needs a session */
	NOW = 2,		/* during a turn it runs at once, and does not
				 * wait for the turn's end */
	OFFERS = 4,		/* so it does without an argument: then it only
				 * lists what may be chosen */
	ALIAS = 8,		/* another name for one, not listed */
	SERVED = 16		/* a program in a person's place has it, too */
};

struct command {
	int group;		/* of /help: TALK, ... */
	int flags;
	const char *name;	/* "/new" */
	const char *args;	/* "[ID]"; "": it takes none */
	const char *what;	/* its description in /help and completions */
	void (*run)(struct chat *c);	/* what it does: one of these three */
	void (*with)(struct chat *c, const char *arg);
	void (*show)(struct ui *u);
	const char *const *words;	/* all its argument may be, or NULL */
};

static void
say(struct chat *c, const char *text)
{
	ui_note(&c->run->ui, "%s", text);
}

/* ---- about the session ---- */

/* From 1 on; "": 0; -1: not such a number. */
static long
number(const char *arg)
{
	int64_t n = 0;

	if (arg[0] != '\0' && (!num_i64(arg, strlen(arg), &n) || n < 1 ||
	    n > 1000000000))
		return -1;
	return (long)n;
}

static void
fork_session(struct chat *c, const char *arg)
{
	struct session_summary s;
	struct run *r = c->run;
	long turn = number(arg);

	if (turn < 0) {
		say(c, "usage: /fork [TURN]: go on in a copy of this session, "
		    "up to the end of that turn");
		return;
	}
	summarize_session(c, &s, turn);
	if (turn > s.turns) {
		ui_note(&r->ui, "this session has %ld turn%s", s.turns,
		    plural(s.turns));
		session_summary_release(&s);
		return;
	}
	char *id = xstrdup(r->session.id);
	run_end(r);
	r->o.fork = id;
	r->o.at = turn > 0 ? s.at : 0;
	bool open = chat_open(c, NULL) == 0;
	if (open && turn > 0)
		chat_show_last_turn(c);
	if (open)
		ui_note(&r->ui, "you are in a copy now, session %s%s%s; %s "
		    "stays as it is", r->session.id, turn > 0 ?
		    ", up to turn " : "", arg, id);
	r->o.fork = NULL;
	r->o.at = 0;
	free(id);
	session_summary_release(&s);
}

/* ---- what was shown ---- */

/* Read the session and its last answer with text.  False: there is none, and
 * the person was told. */
static bool
last_answer(struct chat *c, struct session_summary *s)
{
	summarize_session(c, s, -1);
	if (s->answer == NULL)
		say(c, "the model has not answered yet");
	else if (s->broken)
		say(c, "this answer broke off");
	else if (s->silent && !c->run->ui.status.on)
		say(c, "the last turn has no answer; this is the one before");
	return s->answer != NULL;
}

/* The answer that holds code block n of the turn, with the number of that block
 * within the answer; or the last answer, with n less the blocks before it. */
static const char *
answer_with(const struct session_summary *s, size_t n, size_t *k)
{
	const char *p = s->answers.p, *next = p, *end = p + s->answers.len;

	for (*k = n; next < end; ) {
		struct buf code = BUF_INIT((size_t)1 << 40);
		size_t blocks = markdown_code(slice_of(next), 0, &code);

		buf_release(&code);
		p = next;
		next += strlen(p) + 1;
		if (*k <= blocks || next == end)
			break;
		*k -= blocks;
	}
	return p;
}

static void
last(struct chat *c, const char *arg)
{
	struct ui *u = &c->run->ui;
	struct session_summary s;
	size_t left, blocks;

	if (arg[0] != '\0' && strcmp(arg, "raw") != 0) {
		say(c, "usage: /last [raw]");
		return;
	}
	if (last_answer(c, &s) && (strcmp(arg, "raw") == 0 || !u->live)) {
		ui_lines(u, slice_of(s.answer));
	} else if (s.answer != NULL) {
		answer_with(&s, SIZE_MAX, &left);
		blocks = SIZE_MAX - left;
		ui_rows(u, slice_of(s.answer), &blocks);
	}
	session_summary_release(&s);
}

/* Copy block n of the turn, as numbered on the screen; 0: the last one of the
 * last answer, or all of that answer.  The terminal copies it (OSC 52); what is
 * too long goes to a file. */
static void
copy(struct chat *c, const char *arg)
{
	struct buf b = BUF_INIT((size_t)1 << 40);
	struct buf osc = BUF_INIT((size_t)1 << 40);
	struct ui *u = &c->run->ui;
	long n = number(arg);
	struct err e;
	struct session_summary s;
	size_t k = 0;

	if (n < 0) {
		say(c, "usage: /copy [NUMBER OF A CODE BLOCK]");
		return;
	}
	if (last_answer(c, &s)) {
		const char *answer = n > 0 ? answer_with(&s, (size_t)n, &k) :
		    s.answer;
		bool code = markdown_code(slice_of(answer), k, &b) > 0;
		struct slice text = code ? buf_view(&b) : slice_of(answer);
		char *to = xasprintf("%s/.hamr/copied.txt", c->run->root);

		if (!code && n > 0) {
			say(c, "the turn has no such code block");
		} else if (text.n <= CLIPBOARD_MAX && u->live) {
			buf_adds(&osc, "\033]52;c;");
			base64_add(&osc, text.p, text.n);
			buf_adds(&osc, "\a");
			screen_control(u->screen, osc.p);
			ui_note(u, "copied %zu line%s, if your terminal "
			    "allows it", slice_lines(text),
			    plural((long)slice_lines(text)));
		} else if (file_replace(to, text.p, text.n, 0600, &e) < 0) {
			err_report(&e);
		} else {
			ui_note(u, "written: %s", to);
		}
		free(to);
	}
	session_summary_release(&s);
	bufs_release(BUFS(&b, &osc));
}

static void
init(struct chat *c)
{
	chat_turn(c, INIT_TASK);
}

static void
export_page(struct chat *c, const char *arg)
{
	struct buf b = BUF_INIT((size_t)1 << 40);
	struct err e;
	const char *form = arg[0] != '\0' ? arg : "html";

	if (!slice_in(slice_of(form), export_forms)) {
		say(c, "usage: /export [html|openai|atif]");
		return;
	}
	char *dir = state_folder(c->run->root, "exports", true, &e);
	if (dir == NULL) {
		err_report(&e);
		return;
	}
	char *to = xasprintf("%s/%s.%s%s", dir, c->run->session.id, form,
	    strcmp(form, "html") == 0 ? "" : ".json");
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

/* From now on, in the sessions that follow, too, as if the flag said so. */
static void
set(struct chat *c, const char *key, const char *value, const char **flag)
{
	struct run *r = c->run;

	if (chat_open(c, NULL) < 0 ||
	    conf_set(r->conf, key, value, "a command", &c->err) < 0)
		return;
	*flag = conf_str(r->conf, key);
	if (setup_config(&r->hub, key, *flag) == 0)
		hub_sync(&r->hub, SLOT_GUARD);
	ui_note(&r->ui, "the %s is now %s", strchr(key, '.') + 1, *flag);
}

static void
mode(struct chat *c, const char *arg)
{
	if (slice_in(slice_of(arg), track_modes))
		set(c, "agent.mode", arg, &c->run->o.mode);
	else if (arg[0] == '\0' && c->run->ui.editor != NULL)
		ui_suggest(&c->run->ui, "/mode ");
	else
		say(c, "usage: /mode read-only|patch|verify|docs");
}

static void
model(struct chat *c, const char *arg)
{
	if (arg[0] == '\0' && c->run->ui.editor != NULL &&
	    c->run->o.replay == NULL)
		ui_suggest(&c->run->ui, "/model ");
	else if (arg[0] == '\0' || strchr(arg, '\n') != NULL)
		say(c, "usage: /model NAME");
	else {
		set(c, "provider.model", arg, &c->run->o.model);
		/* is it among the models that the server listed, if any? */
		bool known = c->models.n == 0;
		for (size_t i = 0; i < c->models.n; i++)
			known |= strcmp(c->models.v[i], arg) == 0;
		if (!known)
			say(c, "the server does not list that model; /model "
			    "shows those it has");
	}
}

static void
compact(struct chat *c)
{
	hub_put(&c->run->hub, "{'type':'compact'}");
	say(c, c->run->ui.peer != NULL ? "older results are shortened before "
	    "your next message goes out" : "older results are shortened before "
	    "your next message goes out; /context shows what is there");
}

/* ---- work ---- */

void
chat_end_call(struct chat *c)
{
	struct run *r = c->run;

	hub_cancel(&r->hub);
	r->hub.interrupts = 0;
	run_settle(r, false);
	r->ui.printing = false;
	say(c, "stopped");
	ui_unqueue(&r->ui);
}

static const char *const profiles[] = { "quick", "full", NULL };

static void
check(struct chat *c, const char *arg)
{
	struct run *r = c->run;
	const struct track *k = &r->track;
	size_t most = (size_t)conf_int(r->conf, "ui.output_lines");

	if (arg[0] == '\0')
		arg = conf_str(r->conf, "verification.profile");
	if (!slice_in(slice_of(arg), profiles)) {
		say(c, "usage: /verify [quick|full]");
		return;
	}
	if (conf_str(r->conf, "verification.defaultCommand")[0] == '\0') {
		char *own = conf_user_path();

		ui_note(&r->ui, "no check is set; this sets one, in the "
		    "project's .hamr/config.toml%s%s:\n  [verification]\n"
		    "  defaultCommand = \"make check\"", own != NULL ?
		    " or in " : "", own != NULL ? own : "");
		free(own);
		return;
	}
	if (chat_open(c, NULL) < 0)
		return;
	if (!(run_settle(r, true) && verify_now(&r->hub, arg, 0)) &&
	    r->hub.interrupts > 0) {
		chat_end_call(c);
	} else if (r->ui.telling && !k->verified && k->verification != NULL) {
		/* a program gets the last lines of the output */
		char *printed = scan_text(scan_get(slice_of(k->verification),
		    "output"));
		struct slice s =
		    slice_last_lines(slice_trim_end(slice_of(printed), "\n"),
		    most);
		if (s.n > 0)
			ui_lines(&r->ui, s);
		free(printed);
	}
	ui_status_doing(&r->ui, "");
	r->hub.interrupts = 0;
}

/* ---- other sessions ---- */

static int
open_old(struct chat *c, const char *id)
{
	struct run *r = c->run;

	r->o.fork = NULL;
	r->o.at = 0;
	xset(&r->resume_id, id != NULL && id[0] != '\0' ? xstrdup(id) : NULL);
	r->o.resume = true;
	r->o.resume_id = r->resume_id;
	int rc = chat_open(c, NULL);
	r->o.resume = false;	/* the next session is a new one */
	return rc;
}

/* Show the last turn, so that the person knows where to continue. */
static void
show_session(struct chat *c)
{
	struct ui *ui = &c->run->ui;
	const struct track *k = &c->run->track;
	size_t open = k->ncalls - k->first_open;

	chat_show_last_turn(c);
	if (open > 0)
		ui_note(ui, "it was interrupted during %zu call%s; your "
		    "next message comes after %s", open, plural((long)open),
		    open == 1 ? "it" : "them");
	ui_note(ui, "session %s, mode %s; /status shows more",
	    c->run->session.id, k->mode != NULL ? k->mode : "?");
}

int
chat_resume(struct chat *c)
{
	const struct opts *o = &c->run->o;
	int rc = o->resume ? open_old(c, o->resume_id) : chat_open(c, NULL);

	if (rc == 0)
		show_session(c);
	return rc;
}

/* Replace this session with another; keep this one if that cannot be opened. */
static void
resume(struct chat *c, const char *arg)
{
	if (arg[0] == '\0' && c->run->ui.editor != NULL) {
		ui_suggest(&c->run->ui, "/resume ");
		return;
	}
	char *before = c->run->open ? xstrdup(c->run->session.id) : NULL;
	run_end(c->run);
	if (open_old(c, arg) == 0) {
		show_session(c);
	} else if (before != NULL) {
		err_report(&c->err);
		c->failed = open_old(c, before) < 0;
	}
	free(before);
}

static void
new(struct chat *c)
{
	run_end(c->run);
	c->run->o.fork = NULL;
	c->run->o.at = 0;
	say(c, "the next message begins a new session");
}

static void
list(struct chat *c)
{
	struct buf rows = BUF_INIT(OUTPUT_MAX);
	struct ui *ui = &c->run->ui;
	size_t columns = ui->live ? ui_columns(ui) - 1 : SIZE_MAX;
	struct err e;
	char *dir = sessions_dir(c->run->root, false, &e);

	if (dir == NULL || sessions_list(dir, columns, NULL, SIZE_MAX, &rows,
	    &e) < 0)
		err_report(&e);
	if (rows.len > 0)
		ui_lines(ui, buf_view(&rows));
	free(dir);
	buf_release(&rows);
}

/* ---- the table ---- */

static void
quit(struct chat *c)
{
	c->quit = true;
}

static void help(struct chat *c);

/* The groups of /help, in its order. */
enum { TALK, WORK, LOOK, SET, GROUPS };

static const struct command commands[] = {
	{ TALK, 0, "/new", "", "begin a session", .run = new },
	{ TALK, OFFERS, "/resume", "[ID]", "another session", .with = resume },
	{ TALK, NOW, "/sessions", "", "list sessions", .run = list },
	{ TALK, OPEN, "/fork", "[TURN]", "go on in a copy",
	    .with = fork_session },
	{ TALK, OPEN | NOW | SERVED, "/export", "[FORM]", "save the session",
	    .with = export_page, .words = export_forms },
	{ TALK, NOW, "/edit", "", "write in $EDITOR", .show = ui_edit_input },
	{ TALK, 0, "/remember", "[FACT]", "a fact for later",
	    .with = chat_remember },
	{ TALK, NOW, "/quit", "", "leave; or Ctrl-D", .run = quit },
	{ TALK, NOW | ALIAS, "/exit", "", "leave", .run = quit },
	{ WORK, OPEN | SERVED, "/undo", "", "the last change",
	    .run = chat_undo },
	{ WORK, OPEN | ALIAS | SERVED, "/undo-last-edit", "", "undo it",
	    .run = chat_undo },
	{ WORK, 0, "/commit", "", "commit with git", .run = chat_commit },
	{ WORK, SERVED, "/verify", "[full]", "run the check", .with = check,
	    .words = profiles },
	{ WORK, SERVED, "/init", "", "write AGENTS.md", .run = init },
	{ LOOK, OPEN | NOW | SERVED, "/status", "", "where you are",
	    .run = page_status },
	{ LOOK, OPEN | NOW, "/diff", "", "what was changed", .run = page_diff },
	{ LOOK, OPEN | NOW, "/context", "", "the next request",
	    .run = page_context },
	{ LOOK, NOW, "/budget", "", "limits of a turn", .run = page_budget },
	{ LOOK, OPEN | NOW | SERVED, "/cost", "", "tokens and money",
	    .run = page_cost },
	{ LOOK, OPEN | NOW, "/last", "[raw]", "the last answer", .with = last },
	{ LOOK, OPEN | NOW, "/copy", "[N]", "answer or block", .with = copy },
	{ LOOK, NOW, "/output", "", "full last output",
	    .show = ui_show_output },
	{ LOOK, NOW, "/thinking", "", "last reasoning",
	    .show = ui_show_thinking },
	{ LOOK, NOW, "/help", "", "this page", .run = help },
	{ SET, OFFERS, "/model", "[NAME]", "another model", .with = model },
	{ SET, OFFERS, "/mode", "[MODE]", "what hamr may do", .with = mode,
	    .words = track_modes },
	{ SET, OPEN | SERVED, "/compact", "", "shorten context",
	    .run = compact },
	{ SET, 0, "/forget", "ID", "delete a fact", .with = chat_forget },
};

#define COMMANDS (sizeof commands / sizeof *commands)

/* Append names with their descriptions after the title of their group, two in a
 * row or each in its own, and release them. */
static void
help_group(struct buf *page, const char *title, struct candidates *l, bool two)
{
	for (size_t i = 0; i < l->n; i++) {
		bool first = two && i % 2 == 0;

		if (first)
			buf_fmt(page, "%-9s", i == 0 ? title : "");
		else if (!two)
			buf_fmt(page, "%s%s  ", i > 0 ? "" : title,
			    i > 0 ? "" : "\n");
		buf_fmt(page, first && i + 1 < l->n ? "%-16s %-18s" :
		    "%-16s %s\n", l->v[i].text, l->v[i].about);
	}
	candidates_release(l);
}

static void
help(struct chat *c)
{
	static const char *const groups[GROUPS] = { "session", "work", "look",
		"settings" };
	bool edits = c->run->ui.editor != NULL;
	const char *const keys[][2] = {
		{ "!COMMAND", "run it yourself" },
		{ "@PATH", "attach a file" },
		{ "Ctrl-C", edits ? "stop; or Esc" : "stop" },
		/* in our own input */
		{ "Alt-Enter", "begin a new line" },
		{ "Tab", "complete or list" },
		{ "Ctrl-R", "search history" },
	};
	struct buf page = BUF_INIT(1 << 20);
	struct candidates l = { 0 };
	bool two = ui_columns(&c->run->ui) > HELP_WIDE;

	for (int g = 0; g < GROUPS; g++) {
		for (size_t i = 0; i < COMMANDS; i++) {
			const struct command *cmd = &commands[i];
			char *name = xasprintf("%s %s", cmd->name, cmd->args);

			if (cmd->group == g && (cmd->flags & ALIAS) == 0)
				candidates_add(&l, name, cmd->what);
			free(name);
		}
		help_group(&page, groups[g], &l, two);
	}
	for (size_t i = 0; i < (edits ? sizeof keys / sizeof *keys : 3); i++)
		candidates_add(&l, keys[i][0], keys[i][1]);
	help_group(&page, "typing", &l, two);
	user_commands_list(c, &l);	/* their descriptions may be long */
	help_group(&page, "your own", &l, false);
	page_show(c, &page);
}

static const struct command *
find(struct slice word)
{
	for (size_t i = 0; i < COMMANDS; i++)
		if (slice_is(word, commands[i].name + 1))
			return &commands[i];
	return NULL;
}

bool
chat_has_command(struct slice name)
{
	return find(name) != NULL;
}

/* ---- unknown commands ---- */

#define ARE_SERVED "here there are /compact, /cost, /export, /init, /status, " \
	"/undo, /verify and your own"

static bool
is_offered(const struct chat *c, size_t i)
{
	int flags = commands[i].flags;

	return (flags & ALIAS) == 0 && (c->run->ui.peer == NULL ||
	    (flags & SERVED) != 0);
}

/* What other agents call ours. */
static const char *const elsewhere[][2] = {
	{ "clear", "/new" }, { "reset", "/new" }, { "rewind", "/undo, /fork" },
	{ "continue", "/resume" }, { "history", "/sessions" },
	{ "compress", "/compact" }, { "summarize", "/compact" },
	{ "usage", "/cost" }, { "tokens", "/context" }, { "info", "/status" },
	{ "approvals", "/mode" }, { "permissions", "/mode" },
	{ "plan", "/mode" }, { "memory", "/remember" },
};

/* Add name to those that word may be meant for. */
static void
add_near(struct buf *near, const char *word, const char *name)
{
	if (conf_distance(word, name + 1) <= NEAR || (strlen(word) > 1 &&
	    strncasecmp(word, name + 1, strlen(word)) == 0))
		buf_fmt(near, "%s%s", near->len > 0 ? ", " : "", name);
}

static void
tell_nearest(struct chat *c, const char *word)
{
	struct buf near = BUF_INIT(BUF_RECORD_MAX);
	struct candidates own = { 0 };

	for (size_t i = 0; c->run->ui.peer == NULL &&
	    i < sizeof elsewhere / sizeof *elsewhere; i++)
		if (strcmp(word, elsewhere[i][0]) == 0)
			buf_adds(&near, elsewhere[i][1]);
	for (size_t i = 0; i < COMMANDS; i++)
		if (is_offered(c, i))
			add_near(&near, word, commands[i].name);
	user_commands_list(c, &own);
	for (size_t i = 0; i < own.n; i++)
		add_near(&near, word, own.v[i].text);
	candidates_release(&own);
	ui_note(&c->run->ui, "no command /%s; %s%s%s%s", word,
	    near.len > 0 ? "did you mean " : "", buf_view(&near).p,
	    near.len > 0 ? "? " : "", c->run->ui.peer != NULL ? ARE_SERVED :
	    "/help lists them");
	buf_release(&near);
}

/* False: not a command, or one that must wait for the end of the turn. */
static bool
take_command(struct chat *c, const char *line, bool in_turn)
{
	const char *why = NULL;
	char *text = NULL;

	if (strcmp(line, "exit") == 0 || strcmp(line, "quit") == 0)
		line = "/quit";
	size_t n = line[0] == '/' ? strcspn(line + 1, " \t\n") : 0;
	/* /etc/hosts is not a command */
	if (n == 0 ? strcmp(line, "/") != 0 : memchr(line + 1, '/', n) != NULL)
		return false;
	struct slice rest = slice_trim(slice_of(line + 1 + n));
	char *word = xmemdup0(line + 1, n);
	char *arg = xmemdup0(rest.p, rest.n);
	const struct command *cmd = find(slice_of(word));
	if (cmd == NULL)
		text = user_command_text(c, word, arg, &why);
	bool now = !in_turn || (cmd == NULL ? text == NULL :
	    (cmd->flags & NOW) != 0 ||
	    ((cmd->flags & OFFERS) != 0 && arg[0] == '\0'));
	if (now && in_turn)
		ui_show_message(&c->run->ui, line);
	if (!now)
		;
	else if (cmd != NULL && c->run->ui.peer != NULL &&
	    (cmd->flags & SERVED) == 0)
		ui_note(&c->run->ui, "%s is for a terminal; " ARE_SERVED,
		    cmd->name);
	else if (cmd != NULL && cmd->args[0] == '\0' && arg[0] != '\0')
		ui_note(&c->run->ui, "%s takes no argument%s", cmd->name,
		    c->run->ui.peer != NULL ? "" :
		    "; Up brings your text back");
	else if (cmd != NULL && (cmd->flags & OPEN) != 0 && !c->run->open)
		say(c, "there is no session yet; it begins with your first "
		    "message");
	else if (cmd != NULL && cmd->show != NULL)
		cmd->show(&c->run->ui);
	else if (cmd != NULL && cmd->run != NULL)
		cmd->run(c);
	else if (cmd != NULL)
		cmd->with(c, arg);
	else if (text != NULL)
		chat_turn(c, text);
	else if (why != NULL)
		say(c, why);
	else
		tell_nearest(c, word);
	FREE(word, arg, text);
	return now;
}

bool
chat_at_once(void *arg, const char *line)
{
	struct chat *c = arg;
	bool now = take_command(c, line, true);

	c->run->ui.leaving |= c->quit;
	return now;
}

bool
chat_command(struct chat *c, const char *line)
{
	if (line[0] != '!') {
		if (!take_command(c, line, false))
			return false;
	} else if (line[1 + strspn(line + 1, " \t\n")] == '\0') {
		say(c, "usage: !COMMAND");
	} else {
		chat_shell(c, line + 1);
	}
	c->run->hub.interrupts = 0;	/* they were for the command */
	return true;
}

/* ---- for a program in a person's place ---- */

static void
put_command(struct buf *out, const char *name, const char *args,
    const char *what)
{
	scan_put(out, "${'name':@,'description':@", scan_comma(out),
	    slice_of(name + 1), slice_of(what));
	if (args[0] != '\0')
		scan_put(out, ",'hint':@", slice_of(args));
	buf_addc(out, '}');
}

void
chat_send_session(struct chat *c)
{
	struct run *r = c->run;
	struct buf b = BUF_INIT(BUF_RECORD_MAX);
	struct candidates own = { 0 };
	char *root = origin_cwd(r->root);

	scan_put(&b, "{'type':'progress','stage':'loop','session':@,'root':@,"
	    "'mode':@,'model':@,'window':$,'commands':[",
	    slice_of(r->session.id), slice_of(root),
	    slice_of(r->track.mode != NULL ? r->track.mode : r->mode),
	    slice_of(r->track.model != NULL ? r->track.model :
	    conf_str(r->conf, "provider.model")),
	    SCAN_INT(budget_from(r->conf, (long)r->track.limit).window));
	free(root);
	for (size_t i = 0; i < COMMANDS; i++)
		if (is_offered(c, i))
			put_command(&b, commands[i].name, commands[i].args,
			    commands[i].what);
	user_commands_list(c, &own);
	for (size_t i = 0; i < own.n; i++)
		put_command(&b, own.v[i].text, own.v[i].more ? "arguments" : "",
		    own.v[i].about);
	candidates_release(&own);
	buf_adds(&b, "]}");
	hub_show(&r->hub, &b);
	if (r->foreign == NULL)
		return;
	r->ui.telling = true;
	ui_note(&r->ui, "%s", r->foreign);
	r->ui.telling = false;
}

/* ---- what completes ---- */

/* "2 h  mend the parser  3 steps" beside its id. */
static void
list_sessions(struct chat *c, struct candidates *out)
{
	struct buf b = BUF_INIT((size_t)16 << 20);
	struct err e;
	char *dir = sessions_dir(c->run->root, false, &e), *here = NULL;
	bool listed = dir != NULL && sessions_list(dir, 0, NULL, SIZE_MAX, &b,
	    &e) == 0;

	for (struct rec_text t = { .rest = buf_view(&b) };
	    listed && rec_text_next(&t); ) {
		char *id = rec_strdup(&t.rec, "session");
		char *task = scan_text(rec_get(&t.rec, "task"));
		int64_t age = 0, steps = 0;

		rec_int(&t.rec, "age_s", &age);
		rec_int(&t.rec, "steps", &steps);
		char *about = xasprintf("%lld %s  %s  %lld step%s", (long
		    long)age / (age < 5400 ? 60 : age < 129600 ? 3600 : 86400),
		    age < 5400 ? "min" : age < 129600 ? "h" : "d", task, (long
		    long)steps, plural((long)steps));
		if (id != NULL && c->run->open && strcmp(id,
		    c->run->session.id) == 0)
			here = xasprintf("(this one)  %s", about);
		else if (id != NULL)
			candidates_add(out, id, about);
		FREE(id, about, task);
	}
	if (here != NULL)	/* the least useful choice */
		candidates_add(out, c->run->session.id, here);
	free(here);
	free(dir);
	buf_release(&b);
}

void
chat_candidates(void *arg, enum complete_kind kind, struct slice command,
    struct candidates *out)
{
	const struct command *cmd = find(command);
	const char *const *word = cmd != NULL ? cmd->words : NULL;
	struct chat *c = arg;

	if (out->quick && c->run->ui.question.len > 0)
		return;
	if (kind == COMPLETE_PATH)
		candidate_files(c->run->root, out);
	for (; word != NULL && *word != NULL; word++)
		candidates_add(out, *word, NULL);
	if (slice_is(command, "resume")) {
		list_sessions(c, out);
	} else if (slice_is(command, "model")) {
		/* the models that the server listed last; it is asked again
		 * meanwhile */
		for (size_t i = 0; i < c->models.n; i++)
			candidates_add(out, c->models.v[i], NULL);
		c->offer = out->n == 0;
		opening_ask_server(c);
		if (c->offer)
			say(c, c->query[QUERY_SERVER] != NULL ? "asking the "
			    "server for its models" : "no server was asked for "
			    "its models");
	}
	for (size_t i = 0; kind == COMPLETE_COMMAND && i < COMMANDS; i++)
		if ((commands[i].flags & ALIAS) == 0)
			candidates_add(out, commands[i].name,
			    commands[i].what);
	if (kind == COMPLETE_COMMAND)
		user_commands_list(c, out);
}
