/* chat_cmd.c - what a person commands in the chat: /word and !command. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "chat_in.h"
#include "export.h"
#include "file.h"
#include "inspect.h"
#include "mem.h"
#include "peer.h"
#include "term.h"
#include "verify.h"

#define UNDO_MS (10 * 60 * 1000)
#define CANCEL_MS 1500		/* a cancelled action writes what there is */
#define OUTPUT_MAX ((size_t)1 << 20)

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

static void
write_out(struct chat *c, const struct buf *b)
{
	struct buf safe = BUF_INIT(8 * OUTPUT_MAX);

	(void)c;
	term_escape(&safe, buf_view(b));
	if (safe.len > 0 && safe.p[safe.len - 1] != '\n')
		buf_addc(&safe, '\n');
	file_write_all(STDERR_FILENO, safe.p, safe.len);
	buf_release(&safe);
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
	if (inspect(&c->run->o, "budget", c->open ? c->run->session.path :
	    NULL, &e) < 0)
		err_report(&e);
}

static const char *
plural(long n)
{
	return n == 1 ? "" : "s";
}

static void
status(struct chat *c, const char *arg)
{
	const struct run *r = c->run;
	const struct track *k = &r->track;

	(void)arg;
	if (!needs_session(c))
		return;
	ui_note(&c->run->ui, "session %s, mode %s, model %s; this turn: %ld "
	    "step%s, %ld call%s, %zu file%s changed, %lld tokens",
	    r->session.id, k->mode != NULL ? k->mode : "?", k->model != NULL ?
	    k->model : "the server's", k->steps, plural(k->steps),
	    k->started, plural(k->started), k->nfiles,
	    plural((long)k->nfiles), (long long)k->usage.prompt +
	    (long long)k->usage.completion);
}

static void
export_page(struct chat *c, const char *arg)
{
	struct buf b = BUF_INIT((size_t)1 << 40);
	struct err e;
	const char *dir = c->run->dir, *ending = "html";
	char *to;
	int r;

	if (!needs_session(c))
		return;
	if (strcmp(arg, "openai") == 0) {
		ending = "openai.json";
		r = export_openai(c->run->session.path, &b, &e);
	} else if (strcmp(arg, "atif") == 0) {
		ending = "atif.json";
		r = export_atif(c->run->session.path, &b, &e);
	} else if (arg[0] == '\0' || strcmp(arg, "html") == 0) {
		r = export_html(c->run->session.path, &b, &e);
	} else {
		say(c, "usage: /export [html|openai|atif]");
		return;
	}
	to = xasprintf("%s/%s.%s", dir != NULL ? dir : ".",
	    c->run->session.id, ending);
	if (r == 0)
		r = file_replace(to, b.p, b.len, 0600, &e);
	if (r < 0)
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

static void
mode(struct chat *c, const char *arg)
{
	static const char *const words[] = { "read-only", "patch", "verify",
		"docs" };

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strcmp(arg, words[i]) == 0) {
			set(c, "agent.mode", arg);
			return;
		}
	say(c, "usage: /mode read-only|patch|verify|docs");
}

static void
model(struct chat *c, const char *arg)
{
	if (arg[0] == '\0')
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
	if (peer_run("hamr-tool", args, 3, UNDO_MS, PEER_ERR_OURS,
	    &b, &e) < 0)
		err_report(&e);
	write_out(c, &b);
	buf_release(&b);
}

/* ---- the table ---- */

static int
open_old(struct chat *c, const char *id)
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

/* What was said last, so that one knows where to go on. */
static void
last_exchange(struct chat *c)
{
	struct ui *ui = &c->run->ui;
	const struct track *k = &c->run->track;
	size_t open = track_open(k);

	if (k->task != NULL)
		ui_note(ui, "> %s", k->task);
	if (k->answer[0] != '\0')
		ui_note(ui, "%s", k->answer);
	if (open > 0)
		ui_note(ui, "it was broken off in %zu call%s; your next "
		    "message goes on behind %s", open, plural((long)open),
		    open == 1 ? "it" : "them");
}

int
chat_resume(struct chat *c, const char *id)
{
	if (open_old(c, id) < 0)
		return -1;
	last_exchange(c);
	status(c, "");
	return 0;
}

/* If the other one cannot be had, this one stays. */
static void
resume(struct chat *c, const char *arg)
{
	char *before = c->open ? xstrdup(c->run->session.id) : NULL;

	if (c->open)
		run_end(c->run);
	c->open = false;
	if (chat_resume(c, arg) < 0 && before != NULL) {
		err_report(&c->err);
		c->failed = open_old(c, before) < 0;
	}
	free(before);
}

static void
quit(struct chat *c, const char *arg)
{
	(void)arg;
	c->quit = true;
}

static void help(struct chat *c, const char *arg);

static const struct command commands[] = {
	{ "budget", "", "the context's window and every cap", budget },
	{ "compact", "", "shorten the context now", compact },
	{ "export", "[html|openai|atif]", "write the session to a file",
	    export_page },
	{ "help", "", "this list", help },
	{ "mode", "read-only|patch|verify|docs", "what may be touched", mode },
	{ "model", "NAME", "another model from here on", model },
	{ "quit", "", "end; so does Ctrl-D", quit },
	{ "resume", "[ID]", "go on with another session", resume },
	{ "status", "", "where this session stands", status },
	{ "undo-last-edit", "", "take the newest change back", undo },
	{ "verify", "[quick|full]", "run the project's own check", check },
};

const char *const chat_commands[] = { "/budget", "/compact", "/export",
	"/help", "/mode", "/model", "/quit", "/resume", "/status",
	"/undo-last-edit", "/verify", NULL };

static void
help(struct chat *c, const char *arg)
{
	(void)arg;
	for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
		ui_note(&c->run->ui, "/%-15s %-28s %s", commands[i].name,
		    commands[i].args, commands[i].what);
	say(c, "!COMMAND         run it, and show it to the model\n"
	    "@PATH            names a file; Tab completes it\n"
	    "Ctrl-C stops the step; what you type meanwhile goes to the "
	    "model with the next one");
}

static const struct command *
find(const char *word, size_t n)
{
	for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
		if (strlen(commands[i].name) == n &&
		    strncmp(commands[i].name, word, n) == 0)
			return &commands[i];
	return NULL;
}

bool
chat_is_command(const char *line)
{
	return line[0] == '!' || (line[0] == '/' &&
	    strchr(line, '\n') == NULL);
}

void
chat_command(struct chat *c, const char *line)
{
	const struct command *cmd;
	size_t n = strcspn(line + 1, " \t");
	const char *arg = line + 1 + n;
	char *word;

	if (line[0] == '!') {
		if (line[1 + strspn(line + 1, " \t\n")] == '\0')
			say(c, "usage: !COMMAND");
		else
			chat_shell(c, line + 1);
		return;
	}
	arg += strspn(arg, " \t");
	cmd = find(line + 1, n);
	if (cmd == NULL) {
		ui_note(&c->run->ui, "no command /%.*s; /help lists them",
		    (int)n, line + 1);
		return;
	}
	word = xmemdup0(arg, strlen(arg));
	for (n = strlen(word); n > 0 && strchr(" \t", word[n - 1]) != NULL; )
		word[--n] = '\0';
	cmd->run(c, word);
	free(word);
}
