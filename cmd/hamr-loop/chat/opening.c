/* opening.c - what there is, told when a chat begins: the server and the
 * sandbox are asked in the background. */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "child/child.h"
#include "git/gitrepo.h"
#include "internal.h"

#define SAID_MAX ((size_t)1 << 20)

void
chat_provider_args(const struct chat *c, struct argv *a)
{
	const struct opts *o = &c->run->o;

	argv_add(a, "-q");
	if (o->no_config)
		argv_add(a, "--no-config");
	for (size_t i = 0; i < o->nset; i++)
		argv_option(a, "-o", o->set[i]);
	argv_option(a, "--provider", o->provider);
	argv_option(a, "--model", o->model);
	argv_option(a, "--base-url", o->base_url);
}

static struct child *
ask(const char *program, const struct argv *a)
{
	struct child_opts o = { .commands = &program, .n = 1, .flags = a->v,
		.nflags = a->n, .err = CHILD_ERR_OUT };
	struct child *child = child_start(&o, NULL);

	if (child != NULL)
		child_close_in(child);
	return child;
}

/* "main", or what HEAD names; yours, or NULL. */
static char *
branch(const char *root)
{
	static const char lead[] = "ref: refs/heads/";
	char *dir = gitrepo_dir(root), *path, *name = NULL;
	struct buf b = BUF_INIT(1 << 12);

	if (dir == NULL)
		return NULL;
	path = xasprintf("%s/HEAD", dir);
	if (gitrepo_read(path, 1 << 12, &b, NULL) == 0) {
		const char *text = buf_view(&b).p;

		name = strncmp(text, lead, strlen(lead)) == 0 ?
		    xmemdup0(text + strlen(lead), strcspn(text + strlen(lead),
		    "\n")) : xstrdup("no branch");
	}
	buf_release(&b);
	free(path);
	free(dir);
	return name;
}

/* What needs nobody's answer. */
static void
tell_place(struct chat *c)
{
	const struct run *r = c->run;
	char *name = branch(r->root);
	const char *model = conf_str(r->conf, "provider.model");
	const char *url = conf_str(r->conf, "provider.base_url");
	struct buf b = BUF_INIT(1 << 16);

	if (r->o.replay != NULL)
		buf_adds(&b, "answers from a recording");
	else
		buf_fmt(&b, "%s%s%s", model[0] != '\0' ? model :
		    "the server's model", url[0] != '\0' ? " at " : "", url);
	if (name != NULL)
		buf_fmt(&b, "  git %s", name);
	if (access("AGENTS.md", R_OK) == 0)
		buf_adds(&b, "  AGENTS.md");
	ui_note(&c->run->ui, "%s", b.p);
	buf_release(&b);
	free(name);
}

void
opening_begin(struct chat *c)
{
	struct argv a = { 0 }, b = { 0 };

	tell_place(c);
	for (int i = 0; i < ASKED; i++)
		buf_init(&c->said[i], SAID_MAX);
	if (c->run->o.replay == NULL) {
		argv_add(&a, "--models");
		chat_provider_args(c, &a);
		c->asked[ASKED_SERVER] = ask("hamr-provider", &a);
	}
	argv_add(&b, "--sandbox-status");
	argv_option(&b, "--root", c->run->root);
	if (c->run->o.no_config)
		argv_add(&b, "--no-config");
	for (size_t i = 0; i < c->run->o.nset; i++)
		argv_option(&b, "-o", c->run->o.set[i]);
	c->asked[ASKED_SANDBOX] = ask("hamr-tool", &b);
	free(a.v);
	free(b.v);
}

/* Only what is missing: the model's name stands at the bottom. */
static void
tell_server(struct chat *c, struct slice said, bool well)
{
	static const char lead[] = "hamr-provider: ";
	struct ui *u = &c->run->ui;
	struct slice line, rest = said;
	char *name;

	if (well && slice_line(&rest, &line)) {
		if (u->status.model != NULL)
			return;
		name = xmemdup0(line.p, line.n);
		name[strcspn(name, " \t")] = '\0';
		ui_where(u, name, NULL);
		free(name);
		return;
	}
	if (rest.n == 0)
		ui_note(u, "no model server answers; hamr-loop --doctor looks "
		    "for one");
	while (!well && slice_line(&rest, &line)) {
		size_t n = slice_starts(line, lead) ? strlen(lead) : 0;

		ui_note(u, "%.*s", (int)(line.n - n), line.p + n);
	}
}

static void
tell_sandbox(struct chat *c, struct slice said)
{
	struct slice line, first = { "", 0 };

	while (first.n == 0 && slice_line(&said, &line)) {
		size_t n = 0;

		while (n < line.n && line.p[n] != ' ')
			n++;
		while (n < line.n && line.p[n] == ' ')
			n++;
		if (n + 3 <= line.n && memcmp(line.p + n, "yes", 3) == 0)
			first = line;
	}
	if (first.n == 0)
		ui_note(&c->run->ui, "no sandbox: commands run as you; "
		    "hamr-loop --doctor says why");
	else if (!c->spoken)
		ui_note(&c->run->ui, "sandbox %.*s", (int)strcspn(first.p, " "),
		    first.p);
}

void
opening_read(struct chat *c, int i)
{
	char part[4096];
	ssize_t n = read(c->asked[i]->out, part, sizeof part);
	struct buf *b = &c->said[i];
	int status;

	if (n > 0) {
		buf_add(b, part, (size_t)n);
		return;
	}
	status = child_end(c->asked[i], 500);
	c->asked[i] = NULL;
	if (i == ASKED_SERVER)
		tell_server(c, buf_view(b), status == 0);
	else
		tell_sandbox(c, buf_view(b));
}

void
opening_end(struct chat *c)
{
	for (int i = 0; i < ASKED; i++) {
		if (c->asked[i] != NULL)
			child_end(c->asked[i], 0);
		c->asked[i] = NULL;
		buf_release(&c->said[i]);
	}
}
