/* opening.c - what a chat shows when it begins; the server and the sandbox are
 * asked in the background. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "child/child.h"
#include "git/gitrepo.h"
#include "internal.h"

#define SAID_MAX ((size_t)1 << 20)
#define ROW "  %-9s"		/* "  model    qwen3-coder" */
#define ANSWER_MS 2000		/* the first prompt waits no longer */

static void
ask(struct chat *c, int i, const char *program, struct argv *a)
{
	buf_release(&c->reply[i]);
	buf_init(&c->reply[i], SAID_MAX);
	c->query[i] = child_open(program, a->v, c->run->ui.peer != NULL ?
	    CHILD_ERR_NONE : CHILD_ERR_OUT, NULL);
	if (c->query[i] != NULL)
		child_close_in(c->query[i]);
	free(a->v);
}

char *
chat_branch(const char *root)
{
	static const char lead[] = "ref: refs/heads/";
	char *dir = gitrepo_dir(root), *name = NULL;
	struct buf b = BUF_INIT(1 << 12);

	if (dir == NULL)
		return NULL;
	char *path = xasprintf("%s/HEAD", dir);
	if (gitrepo_read(AT_FDCWD, path, &b, NULL) == 0) {
		const char *text = buf_view(&b).p;

		name = strncmp(text, lead, strlen(lead)) == 0 ?
		    xasprintf("branch %.*s", (int)strcspn(text + strlen(lead),
		    "\n"), text + strlen(lead)) : xstrdup("no branch");
	}
	buf_release(&b);
	free(path);
	free(dir);
	return name;
}

static void
tell_model(struct chat *c, const char *name)
{
	const char *url = conf_str(c->run->conf, "provider.base_url");

	ui_note(&c->run->ui, ROW "%s%s%s", "model", name,
	    url[0] != '\0' ? " at " : "", url);
}

void
opening_ask_server(struct chat *c)
{
	struct argv a = { 0 };

	if (c->run->o.replay != NULL || c->query[QUERY_SERVER] != NULL)
		return;
	argv_add(&a, "--models", "-q");
	argv_ours(&a, &c->run->o);
	argv_server(&a, &c->run->o);
	ask(c, QUERY_SERVER, "hamr-provider", &a);
}

void
opening_begin(struct chat *c)
{
	const struct run *r = c->run;
	struct ui *u = &c->run->ui;
	char *name = chat_branch(r->root), *folder = xstrdup(r->root);
	const char *model = conf_str(r->conf, "provider.model");
	struct argv a = { 0 };

	for (char *p = folder; (p = strchr(p, '\n')) != NULL; )
		*p = '?';	/* it has one row */
	/* what can be shown without asking */
	ui_note(u, "hamr " HAMR_VERSION "  /help lists the commands");
	ui_note(u, ROW "%s%s%s%s", "folder", folder, name != NULL ? "  " : "",
	    name != NULL ? name : "", access("AGENTS.md", R_OK) == 0 ?
	    "  AGENTS.md" : "");
	/* a session that is resumed has its own mode */
	if (!r->o.resume && r->o.fork == NULL)
		ui_note(u, ROW "%s", "mode", conf_str(r->conf, "agent.mode"));
	if (r->o.replay != NULL)
		ui_note(u, ROW "%s", "model", "a recording");
	else if (model[0] != '\0')
		tell_model(c, model);
	FREE(name, folder);
	opening_ask_server(c);
	argv_add(&a, "--sandbox-status", "--root", r->root);
	argv_ours(&a, &r->o);
	ask(c, QUERY_SANDBOX, "hamr-tool", &a);
	/* where the terminal edits its lines itself, do not print in the
	 * middle of one */
	for (int i = 0; r->ui.editor == NULL && i < QUERIES; i++)
		while (c->query[i] != NULL) {
			struct pollfd p[2] = { { c->query[i]->out, POLLIN, 0 },
				{ r->ui.signals, POLLIN, 0 } };
			int n = poll(p, 2, ANSWER_MS);

			if (n == 0 || p[1].revents != 0)
				return;
			if (n > 0)
				opening_read(c, i);
		}
}

/* Tell a program all models; for a person, use the first one if no model is
 * known. */
static void
take_models(struct chat *c, struct slice said)
{
	struct ui *u = &c->run->ui;
	struct buf b = BUF_INIT(8 * SAID_MAX);
	struct slice line;

	texts_release(&c->models);
	scan_put(&b, "{'type':'progress','stage':'loop','models':[");
	while (slice_line(&said, &line)) {
		if (line.n == 0)
			continue;
		scan_put(&b, "$@", scan_comma(&b), line);
		texts_add(&c->models, xmemdup0(line.p, line.n));
	}
	buf_adds(&b, "]}");
	if (u->peer != NULL) {
		hub_show(&c->run->hub, &b);
		return;
	}
	buf_release(&b);
	if (ui_model(u)[0] == '\0' && c->models.n > 0) {
		if (!c->has_message)
			tell_model(c, c->models.v[0]);
		u->status.model = xstrdup(c->models.v[0]);
		u->stale = true;
	}
	char *text = u->editor != NULL ? editor_text(u->editor) : NULL;
	bool offer = c->offer && text != NULL && strcmp(text, "/model ") == 0;
	c->offer = false;
	if (offer)
		ui_suggest(u, text);	/* it asks again */
	free(text);
}

void
opening_read(struct chat *c, int i)
{
	static const char lead[] = "hamr-provider: ";
	char part[4096];
	ssize_t n = read(c->query[i]->out, part, sizeof part);
	struct buf *b = &c->reply[i];
	struct slice line, rest, layer = SLICE("");

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n > 0) {
		buf_add(b, part, (size_t)n);
		return;
	}
	int status = child_end(c->query[i], 500);
	c->query[i] = NULL;
	rest = buf_view(b);
	if (i == QUERY_SANDBOX) {
		/* the first layer that is marked "yes" */
		while (layer.n == 0 && slice_line(&rest, &line)) {
			size_t k = slice_find(line, 0, " ");

			if (slice_starts(slice_trim_start(slice_from(line, k),
			    " "), "yes"))
				layer = (struct slice){ line.p, k };
		}
		if (layer.n == 0)
			ui_note(&c->run->ui, ROW "%s", "sandbox", "none: "
			    "commands run as you; hamr-loop --doctor says why");
		else if (!c->has_message)
			ui_note(&c->run->ui, ROW "%.*s", "sandbox",
			    (int)layer.n, layer.p);
	} else if (status == 0) {
		take_models(c, buf_view(b));
	} else if (c->run->ui.peer == NULL) {
		/* the program's own message says why there is no server */
		const char *label = "model";

		if (b->len == 0)
			rest = SLICE("no server answers; hamr-loop --doctor "
			    "looks for one");
		for (; slice_line(&rest, &line); label = "") {
			size_t k = slice_starts(line, lead) ? strlen(lead) : 0;

			ui_note(&c->run->ui, ROW "%.*s", label,
			    (int)(line.n - k), line.p + k);
		}
		c->offer = false;
	}
}

void
opening_end(struct chat *c)
{
	for (int i = 0; i < QUERIES; i++) {
		if (c->query[i] != NULL)
			child_end(c->query[i], 0);
		c->query[i] = NULL;
		buf_release(&c->reply[i]);
	}
	texts_release(&c->models);
}
