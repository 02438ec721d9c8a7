/* commit.c - git commit, with a message that the model writes. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "internal.h"

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
#define GIT_MS 60000
#define NEW_FILES 3		/* named at most */

#define ASKED \
	"Write the git commit message for this change: one line of at most " \
	"60 characters that says what it does now, then, only if it needs " \
	"one, a blank line and a short reason. Reply with the message and " \
	"nothing else.\n\n"

static int
look(const char *const *args, struct buf *out)
{
	return child_run(LOOK, args, GIT_MS, CHILD_ERR_NONE, out, NULL);
}

/* Read what would be committed.  True: nothing is staged, so it is all changes
 * to tracked files; new files are named, as they are left out. */
static bool
read_diff(struct ui *u, struct buf *out)
{
	struct buf names = BUF_INIT(DIFF_MAX), b = BUF_INIT(1 << 16);
	struct argv a = { 0 };
	struct slice line;

	if (look(ARGS("diff", "--cached", DIFF), out) == 0 && out->len > 0)
		return false;
	buf_reset(out);
	/* The configured filters, as options that clear them.  Not by -c:
	 * a name may have a = in it. */
	look(ARGS("config", "--name-only", "-z", "--get-regexp",
	    "^filter[.]"), &names);
	for (size_t i = 0; i < names.len; i += strlen(names.p + i) + 1)
		argv_add(&a, xasprintf("--config-env=%s=HAMR_NONE",
		    names.p + i));
	size_t filters = a.n;
	argv_add(&a, "diff", "HEAD", DIFF);
	if (look(a.v, out) != 0)
		buf_reset(out);
	for (size_t i = 0; i < filters; i++)
		free((char *)a.v[i]);
	free(a.v);
	buf_reset(&names);
	look(ARGS("ls-files", "--others", "--exclude-standard"), &names);
	struct slice rest = buf_view(&names);
	for (size_t i = 0; i < NEW_FILES && slice_line(&rest, &line); i++)
		buf_fmt(&b, "%s%.*s", i > 0 ? ", " : "", (int)line.n, line.p);
	if (rest.n > 0)
		buf_fmt(&b, " and %zu more", slice_lines(rest));
	if (b.len > 0)
		ui_note(u, "new files stay out until git add: %s", b.p);
	bufs_release(BUFS(&names, &b));
	return true;
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
	bool stopped;

	argv_add(&a, "-n", "-q");
	argv_ours(&a, &c->run->o);
	argv_server(&a, &c->run->o);
	argv_option(&a, "--replay", c->run->o.replay);
	buf_adds(&text, ASKED);
	utf8_clean(&text, diff->p, diff->len < DIFF_TOLD ? diff->len :
	    DIFF_TOLD);
	scan_put(&line, "{'role':'user','content':@}\n", buf_view(&text));
	if (chat_run(c, "hamr-provider", a.v, CHILD_ERR_OURS, "asking for a "
	    "commit message", buf_view(&line), NULL, &out, &stopped) >= 0 &&
	    !stopped)
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
	char *message = NULL;
	bool all = read_diff(u, &diff), stopped;

	if (diff.len == 0)
		ui_note(u, "git has nothing to commit");
	else if ((message = ask_model(c, &diff)) == NULL)
		ui_note(u, "the model wrote no message");
	if (message != NULL) {
		/* the hooks that git would run: "pre-commit commit-msg" */
		if (child_run(GIT, ARGS("rev-parse", "--git-path", "hooks"),
		    GIT_MS, CHILD_ERR_NONE, &dir, NULL) == 0 && dir.len > 1)
			dir.p[--dir.len] = '\0';
		for (size_t i = 0; i < sizeof hook_names / sizeof *hook_names;
		    i++) {
			char *path = xasprintf("%s/%s", buf_view(&dir).p,
			    hook_names[i]);

			if (access(path, X_OK) == 0)
				buf_fmt(&hooks, "%s%s", hooks.len > 0 ? " " :
				    "", hook_names[i]);
			free(path);
		}
		char *question = xasprintf("git commit%s%s%s? (y/n) ", all ?
		    " -a" : "", hooks.len > 0 ? ", which runs " : "",
		    buf_view(&hooks).p);
		ui_lines(u, slice_of(message));
		if (!chat_confirm(c, question))
			ui_note(u, "not committed");
		else if (chat_run(c, GIT, ARGS("commit", "-m", message, all ?
		    "-a" : NULL), CHILD_ERR_OUT, "git commit", SLICE(""), NULL,
		    &said, &stopped) > 0)
			ui_note(u, stopped ? "git was stopped:" :
			    "git did not commit:");
		ui_lines(u, buf_view(&said));
		free(question);
	}
	free(message);
	bufs_release(BUFS(&diff, &hooks, &said, &dir));
}
