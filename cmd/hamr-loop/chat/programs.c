/* programs.c - commands that other programs carry out: !COMMAND (shown as it
 * runs, and sent to the model), /commit, /undo, /remember and /forget. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/utf8.h"
#include "git/gitrepo.h"
#include "internal.h"
#include "term/clean.h"

#define FIRST_TOLD ((size_t)4 << 10)	/* of its output, sent to the model */
#define LAST_TOLD ((size_t)12 << 10)
#define HELD ((size_t)64 << 10)		/* with the next part of it */
#define STOP_MS 700			/* to end when it is stopped */
#define TICK_MS 30			/* between looks whether it has ended */
#define OUTPUT_MAX ((size_t)16 << 20)

/* Run a command with these arguments and input on its stdin until it ends,
 * while the live rows show doing.  Each part of its output is passed to take
 * or, if take is NULL, appended to the struct buf arg.  c->stopped: the person
 * stopped it.  Returns its wait status; -1: it did not start, and the person
 * was told. */
static int
run(struct chat *c, const char *command, const char *const *args,
    enum child_err err, const char *doing, struct slice input,
    void (*take)(void *arg, struct slice part), void *arg)
{
	struct ui *ui = &c->run->ui;
	struct err e;
	struct child *child = child_open(command, args, err, &e);
	long long until = 0;	/* when it is killed, once stopped */
	char part[8192];
	ssize_t n = 1;

	c->stopped = false;
	if (child == NULL) {
		err_report(&e);
		return -1;
	}
	ui_status_doing(ui, doing);
	file_write_all(child->in, input.p, input.n);
	child_close_in(child);
	/* it may close its output before it ends */
	while ((n > 0 || kill(child->group, 0) == 0) &&
	    (!c->stopped || file_now_ms() < until)) {
		/* as a shell's, it waits for a slow terminal */
		bool behind = ui->screen != NULL &&
		    screen_is_behind(ui->screen);
		struct pollfd p[CHAT_FDS + 1], *out = &p[CHAT_FDS];

		*out = (struct pollfd){ behind || n <= 0 ? -1 : child->out,
			POLLIN, 0 };
		if (chat_wait(c, p, CHAT_FDS + 1, c->stopped || n <= 0 ?
		    TICK_MS : -1)) {
			/* it may take a while to end, keys go on; but not when
			 * it is stopped again */
			until = c->stopped || c->quit ? 0 :
			    file_now_ms() + STOP_MS;
			kill(-child->group, SIGTERM);
			kill(-child->group, SIGCONT);
			c->stopped = true;
		}
		if (out->revents == 0)
			continue;
		n = read(child->out, part, sizeof part);
		if (n > 0 && take != NULL)
			take(arg, (struct slice){ part, (size_t)n });
		else if (n > 0)
			buf_add(arg, part, (size_t)n);
	}
	if (c->stopped && !c->quit)
		kill(-child->group, SIGKILL);
	int st = child_end(child, c->stopped ? 0 : -1);
	ui_status_doing(ui, "");
	if (c->stopped)
		ui_unqueue(ui);
	return st;
}

/* Run one of our programs; out gets what it prints, without its name before a
 * message.  Returns its status; -1: it did not run, or was stopped, and the
 * person was told. */
static int
ours(struct chat *c, const char *program, const char *const *args,
    const char *doing, struct buf *out)
{
	char *name = xasprintf("%s: ", program);
	int st = run(c, program, args, CHILD_ERR_OUT, doing, SLICE(""), NULL,
	    out);

	if (st >= 0 && c->stopped)
		ui_note(&c->run->ui, "stopped");
	if (slice_starts(buf_view(out), name))
		buf_drop(out, strlen(name));
	free(name);
	return st < 0 || c->stopped || !WIFEXITED(st) ? -1 : WEXITSTATUS(st);
}

/* ---- !COMMAND ---- */

struct printed {
	struct buf told;	/* the beginning and the end of the output */
	size_t between;		/* bytes left out after FIRST_TOLD */
	struct clean clean;
	struct ui *ui;
};

/* Show a part of the output and keep it for the model, without what is now in
 * the middle. */
static void
take_part(void *arg, struct slice part)
{
	struct printed *o = arg;
	struct buf *told = &o->told;
	size_t had = told->len;

	clean_add(&o->clean, part.p, part.n, told);
	if (told->len > had)
		ui_output(o->ui, told->p + had, told->len - had);
	if (told->len > FIRST_TOLD + LAST_TOLD) {
		size_t extra = told->len - FIRST_TOLD - LAST_TOLD;

		memmove(told->p + FIRST_TOLD, told->p + FIRST_TOLD + extra,
		    LAST_TOLD);
		told->len -= extra;
		o->between += extra;
	}
}

void
chat_shell(struct chat *c, const char *cmd)
{
	struct printed o = { BUF_INIT(HELD), .ui = &c->run->ui };
	struct buf b = BUF_INIT((size_t)1 << 20);
	char end[40];

	/* what was left open comes first, as before any message */
	if (c->run->open && !run_settle(c->run, true)) {
		chat_end_call(c);
		return;
	}
	int st = run(c, "bash", ARGS("-c", "exec 2>&1; eval \"$1\"",
	    "bash", cmd), CHILD_ERR_OURS, cmd, SLICE(""), take_part, &o);

	if (st < 0)
		return;
	ui_output(&c->run->ui, "", 0);
	clean_end(&o.clean, &o.told);
	if (c->stopped)
		snprintf(end, sizeof end, "interrupted");
	else if (WIFSIGNALED(st))
		snprintf(end, sizeof end, "signal %d", WTERMSIG(st));
	else
		snprintf(end, sizeof end, "exit %d", WEXITSTATUS(st));
	if (strcmp(end, "exit 0") != 0)
		ui_note(&c->run->ui, "%s", end);
	if (!c->quit && chat_open(c, NULL) == 0) {
		struct slice told = buf_view(&o.told);
		size_t first = o.between > 0 ? FIRST_TOLD : told.n;

		buf_fmt(&b, "$ %s\n", cmd);
		utf8_clean(&b, told.p, first);
		if (o.between > 0)
			buf_fmt(&b, "\n[%zu bytes are left out here]\n",
			    o.between);
		utf8_clean(&b, told.p + first, told.n - first);
		buf_fmt(&b, "%s[%s]", b.p[b.len - 1] == '\n' ? "" : "\n",
		    end);
		if (hub_put(&c->run->hub, "{'role':'user','content':@,"
		    "'meta':{'by':'shell'}}", buf_view(&b)) == 0)
			hub_sync(&c->run->hub, SLOT_GUARD);
	}
	bufs_release(BUFS(&b, &o.told));
}

/* ---- /commit ---- */

/* Run no program that the repository's configuration names without telling the
 * person.  LOOK runs none at all, not even to fetch a missing object from a
 * server. */
#define GIT "git -c core.fsmonitor=false"
#define LOOK "env HAMR_NONE= GIT_ALLOW_PROTOCOL=none " GIT \
	" -c core.hooksPath=/dev/null -c diff.autoRefreshIndex=false"
#define DIFF "--no-color", "--no-ext-diff", "--no-textconv", \
	"--ignore-submodules=dirty", "--submodule=short"
#define DIFF_MAX ((size_t)16 << 20)
#define DIFF_TOLD ((size_t)48 << 10)	/* of the diff, sent to the model */
#define NEW_FILES 3		/* named at most */
#define COMMIT_TASK \
	"Write the git commit message for this change: one line of at most " \
	"60 characters that says what it does now, then, only if it needs " \
	"one, a blank line and a short reason. Reply with the message and " \
	"nothing else.\n\n"

/* Returns the wait status; -1: it did not start, or was stopped. */
static int
look(struct chat *c, const char *git, const char *const *args,
    struct buf *out)
{
	int st = run(c, git, args, CHILD_ERR_NONE, "git", SLICE(""), NULL, out);

	return c->stopped ? -1 : st;
}

/* Read what would be committed.  1: nothing is staged, so it is all changes to
 * tracked files; new files are named, as they are left out.  -1 as for look. */
static int
read_diff(struct chat *c, struct buf *out)
{
	struct buf names = BUF_INIT(DIFF_MAX), b = BUF_INIT(1 << 16);
	struct argv a = { 0 };
	struct slice line;
	int st = look(c, LOOK, ARGS("diff", "--cached", DIFF), out), all = -1;

	if (st < 0 || (st == 0 && out->len > 0))
		return st;
	buf_reset(out);
	/* The configured filters, as options that clear them.  Not by -c:
	 * a name may have a = in it. */
	if (look(c, LOOK, ARGS("config", "--name-only", "-z", "--get-regexp",
	    "^filter[.]"), &names) < 0)
		goto out;
	for (size_t i = 0; i < names.len; i += strlen(names.p + i) + 1)
		argv_add(&a, xasprintf("--config-env=%s=HAMR_NONE",
		    names.p + i));
	size_t filters = a.n;
	argv_add(&a, "diff", "HEAD", DIFF);
	st = look(c, LOOK, a.v, out);
	for (size_t i = 0; i < filters; i++)
		free((char *)a.v[i]);
	free(a.v);
	if (st != 0)
		buf_reset(out);
	buf_reset(&names);
	if (st < 0 || look(c, LOOK, ARGS("ls-files", "--others",
	    "--exclude-standard"), &names) < 0)
		goto out;
	struct slice rest = buf_view(&names);
	for (size_t i = 0; i < NEW_FILES && slice_line(&rest, &line); i++)
		buf_fmt(&b, "%s%.*s", i > 0 ? ", " : "", (int)line.n, line.p);
	if (rest.n > 0)
		buf_fmt(&b, " and %zu more", slice_lines(rest));
	if (b.len > 0)
		ui_note(&c->run->ui, "new files stay out until git add: %s",
		    b.p);
	all = 1;
out:
	bufs_release(BUFS(&names, &b));
	return all;
}

/* The model's answer without control bytes, or NULL; the caller frees it. */
static char *
ask_model(struct chat *c, const struct buf *diff)
{
	struct argv a = { 0 };
	struct buf text = BUF_INIT(BUF_RECORD_MAX), line =
	    BUF_INIT(BUF_RECORD_MAX), out = BUF_INIT(BUF_RECORD_MAX);
	struct buf said = BUF_INIT(BUF_RECORD_MAX), clean =
	    BUF_INIT(4 * BUF_RECORD_MAX);

	argv_add(&a, "-n", "-q");
	argv_ours(&a, &c->run->o);
	argv_server(&a, &c->run->o);
	argv_option(&a, "--replay", c->run->o.replay);
	buf_adds(&text, COMMIT_TASK);
	utf8_clean(&text, diff->p, diff->len < DIFF_TOLD ? diff->len :
	    DIFF_TOLD);
	scan_put(&line, "{'role':'user','content':@}\n", buf_view(&text));
	if (run(c, "hamr-provider", a.v, CHILD_ERR_OURS, "asking for a "
	    "commit message", buf_view(&line), NULL, &out) >= 0 && !c->stopped)
		for (struct rec_text t = { .rest = buf_view(&out) };
		    rec_text_next(&t); )
			if (t.rec.kind == R_ASSISTANT)
				msg_text(rec_get(&t.rec, "content"), &said);
	keys_clean(&clean, buf_view(&said));
	free(a.v);
	bufs_release(BUFS(&text, &line, &out, &said));
	return clean.len > 0 ? buf_detach(&clean) : NULL;
}

static const char *const hook_names[] = { "pre-commit", "prepare-commit-msg",
	"commit-msg", "post-commit", "post-index-change",
	"reference-transaction", "pre-auto-gc" };

void
chat_commit(struct chat *c)
{
	struct buf diff = BUF_INIT(DIFF_MAX), hooks = BUF_INIT(1 << 12);
	struct buf said = BUF_INIT(DIFF_MAX), dir = BUF_INIT(1 << 16);
	struct ui *u = &c->run->ui;
	struct err e = { .status = ST_OK };
	char *message = NULL, *top = gitrepo_find(c->run->root, &e);

	if (top == NULL) {
		ui_note(u, "%s", e.status != ST_OK ? e.text :
		    "this folder is in no git repository");
		return;
	}
	free(top);
	int all = read_diff(c, &diff);

	if (all == 0 || (all > 0 && diff.len > 0))
		message = ask_model(c, &diff);
	if (message == NULL)
		ui_note(u, all < 0 ? "nothing was committed" : diff.len == 0 ?
		    "git has nothing to commit" :
		    "the model wrote no message");
	/* the hooks that git would run: "pre-commit commit-msg" */
	else if (look(c, GIT, ARGS("rev-parse", "--git-path", "hooks"),
	    &dir) >= 0) {
		struct slice path = slice_trim_end(buf_view(&dir), "\n");

		for (size_t i = 0; i < sizeof hook_names / sizeof *hook_names;
		    i++) {
			char *hook = xasprintf("%.*s/%s", (int)path.n, path.p,
			    hook_names[i]);

			if (access(hook, X_OK) == 0)
				buf_fmt(&hooks, "%s%s", hooks.len > 0 ? " " :
				    "", hook_names[i]);
			free(hook);
		}
		char *question = xasprintf("git commit%s%s%s? (y/n) ", all > 0 ?
		    " -a" : "", hooks.len > 0 ? ", which runs " : "",
		    buf_view(&hooks).p);
		ui_lines(u, slice_of(message));
		if (!chat_confirm(c, question))
			ui_note(u, "not committed");
		else if (run(c, GIT, ARGS("commit", "-m", message, all > 0 ?
		    "-a" : NULL), CHILD_ERR_OUT, "git commit", SLICE(""), NULL,
		    &said) > 0)
			ui_note(u, c->stopped ? "git was stopped:" :
			    "git did not commit:");
		ui_lines(u, buf_view(&said));
		free(question);
	}
	free(message);
	bufs_release(BUFS(&diff, &hooks, &said, &dir));
}

/* ---- /undo ---- */

/* Run hamr-tool undo with these words.  Returns its status; -1: it was stopped
 * or did not run.  When it fails it says why, and out is empty. */
static int
run_tool(struct chat *c, const char *a, const char *b, const char *id,
    struct buf *out)
{
	struct argv args = { 0 };

	argv_add(&args, "undo", "--root", c->run->root, a, b);
	argv_add(&args, id);
	int status = ours(c, "hamr-tool", args.v, "undo", out);
	struct slice said = slice_trim_end(buf_view(out), "\n");
	free(args.v);
	if (status > 0 && said.n > 0)
		ui_note(&c->run->ui, "%.*s", (int)said.n, said.p);
	if (status != 0)
		buf_reset(out);
	return status;
}

/* The newest change of this session, or NULL; the caller frees it. */
static char *
find_change(struct chat *c, const struct session_summary *s)
{
	struct buf list = BUF_INIT(OUTPUT_MAX);
	int status = run_tool(c, "--list", NULL, NULL, &list);
	struct rec_text t = { .rest = buf_view(&list) };
	char *id = NULL;

	while (id == NULL && rec_text_next(&t)) {
		char *by = rec_strdup(&t.rec, "checkpoint");

		if (by == NULL)
			by = rec_strdup(&t.rec, "tool_call_id");
		if (by != NULL && map_get(&s->ours, slice_of(by)) != NULL)
			id = rec_strdup(&t.rec, "id");
		free(by);
	}
	if (status == 0 && id == NULL)
		ui_note(&c->run->ui, s->n == 0 ? "this session has changed no "
		    "file" : "nothing of this session is left to undo");
	scan_release(&t.scan);
	buf_release(&list);
	return id;
}

/* Show what would be undone.  Returns how many of the files have changed since;
 * -1: unknown. */
static int
show(struct chat *c, const struct session_summary *s, const char *id)
{
	struct buf list = BUF_INIT(OUTPUT_MAX), page = BUF_INIT(OUTPUT_MAX);
	struct slice path, el;
	int changed = -1;

	run_tool(c, "--list", NULL, id, &list);
	for (struct rec_text t = { .rest = buf_view(&list) };
	    rec_text_next(&t); ) {
		/* "bash make" */
		struct slice call = rec_get(&t.rec, "tool_call_id");
		char *tool = rec_strdup(&t.rec, "tool");
		const char *command = NULL;

		for (size_t i = 0; i < s->n; i++)
			if (s->v[i].call != NULL &&
			    scan_str_is(call, s->v[i].call))
				command = s->v[i].command;
		buf_adds(&page, tool != NULL ? tool : "change");
		if (command != NULL)
			buf_fmt(&page, " %.*s", (int)strcspn(command, "\n"),
			    command);
		buf_addc(&page, '\n');
		free(tool);
		changed = 0;
		for (struct walk w = walk_of(rec_get(&t.rec, "paths"));
		    walk_next(&w, NULL, &path); ) {
			char *name = scan_strdup(path);
			bool since = false;

			for (struct walk v = walk_of(rec_get(&t.rec,
			    "changed")); walk_next(&v, NULL, &el); )
				since |= slice_eq(el, path);
			buf_fmt(&page, "  %s%s\n", name != NULL ? name : "?",
			    since ? "  changed since; that would be lost" : "");
			changed += since;
			free(name);
		}
	}
	page_show(c, &page);
	buf_release(&list);
	return changed;
}

void
chat_undo(struct chat *c)
{
	struct buf said = BUF_INIT(OUTPUT_MAX);
	struct hub *h = &c->run->hub;
	struct slice el;
	struct session_summary s;
	int changed = -1;

	summarize_session(c, &s, -1);
	char *id = find_change(c, &s);
	if (id != NULL)
		changed = show(c, &s, id);
	/* a program is not asked: its command is its yes, if no file changed */
	bool sure = changed >= 0 && (c->run->ui.peer != NULL ? changed == 0 :
	    chat_confirm(c, changed == 0 ? "undo this? (y/n) " :
	    "undo this anyway? (y/n) "));
	if (changed >= 0 && !sure) {
		ui_note(&c->run->ui, c->run->ui.peer != NULL ?
		    "nothing was undone; hamr-tool undo --force %s does it "
		    "anyway" : "nothing was undone", id);
	} else if (sure && run_tool(c, "--json", changed > 0 ? "--force" :
	    NULL, id, &said) == 0) {
		/* warnings may come before it */
		struct rec_text t = { .rest = buf_view(&said) };

		/* the record in the session tells the guard and the model */
		while (rec_text_next(&t)) {
			if (t.rec.kind != R_UNDO)
				continue;
			if (hub_put(h, "{'type':'undo','of':$,'paths':$,"
			    "'tool_call_ids':$}", rec_get(&t.rec, "of"),
			    rec_get(&t.rec, "paths"),
			    rec_get(&t.rec, "tool_call_ids")) == 0)
				hub_sync(h, SLOT_GUARD);
			for (struct walk w = walk_of(rec_get(&t.rec, "paths"));
			    walk_next(&w, NULL, &el); ) {
				char *name = scan_strdup(scan_get(el, "path"));
				bool gone = scan_kind(scan_get(el,
				    "sha256")) != SCAN_STRING;

				ui_note(&c->run->ui, "%s %s", gone ?
				    "removed" : "restored", name != NULL ?
				    name : "?");
				free(name);
			}
		}
		scan_release(&t.scan);
	}
	free(id);
	session_summary_release(&s);
	buf_release(&said);
}

/* ---- /remember, /forget ---- */

/* Run hamr-mem and show its output.  Returns its status. */
static int
ask_memory(struct chat *c, const char *const *args)
{
	struct buf b = BUF_INIT(OUTPUT_MAX);
	int status = ours(c, "hamr-mem", args, "the memory", &b);
	struct slice said = slice_trim_end(buf_view(&b), "\n");

	if (said.n > 0)
		ui_lines(&c->run->ui, said);
	else if (status == 0 && strcmp(args[0], "brief") == 0)
		ui_note(&c->run->ui, "no facts yet; /remember FACT keeps one "
		    "for all sessions");
	buf_release(&b);
	return status;
}

/* The length of the id at the start of arg, 0: not an id. */
static size_t
id_length(const char *arg)
{
	if (strncmp(arg, "m:", 2) != 0)
		return 0;
	size_t n = 2 + strspn(arg + 2, "0123456789abcdef");
	return n >= 6 && (arg[n] == '\0' || arg[n] == ' ') ? n : 0;
}

void
chat_remember(struct chat *c, const char *arg)
{
	char id[16] = "";
	size_t n = id_length(arg);
	const char *text = arg + n + strspn(arg + n, " ");

	if (n < sizeof id)
		memcpy(id, arg, n);
	int status = ask_memory(c, arg[0] == '\0' ? ARGS("brief", "-n", "100") :
	    n == 0 ? ARGS("save", "--", arg) :
	    text[0] == '\0' ? ARGS("show", id) :
	    ARGS("save", "--replace", id, "--", text));
	if (status == 0 && n == 0 && arg[0] != '\0')
		ui_note(&c->run->ui, "remembered for all sessions; /remember "
		    "lists the facts");
	if (status == 1)
		ui_note(&c->run->ui, "there is no %s; /remember lists the "
		    "facts", id);
}

void
chat_forget(struct chat *c, const char *arg)
{
	int status = -1;

	if (id_length(arg) == 0)
		ui_note(&c->run->ui, "usage: /forget m:ID; /remember lists "
		    "what there is");
	else
		status = ask_memory(c, ARGS("forget", arg));
	if (status == ST_OK)
		ui_note(&c->run->ui, "forgotten");
	else if (status == ST_NO)
		ui_note(&c->run->ui, "there is no %s", arg);
}
