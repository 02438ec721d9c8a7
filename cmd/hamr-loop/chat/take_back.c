/* take_back.c - the newest change of this session, undone after a question. */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "internal.h"

#define SAID_MAX ((size_t)16 << 20)

/* Run hamr-tool undo with these words.  Returns its status; -1: it was stopped
 * or did not run.  When it fails it says why, and out is empty. */
static int
run_tool(struct chat *c, const char *a, const char *b, const char *id,
    struct buf *out)
{
	struct argv args = { 0 };
	bool stopped;

	argv_add(&args, "undo", "--root", c->run->root, a, b);
	argv_add(&args, id);
	int st = chat_run(c, "hamr-tool", args.v, CHILD_ERR_OUT, "undo",
	    SLICE(""), NULL, out, &stopped);
	free(args.v);
	struct slice said = slice_trim_end(buf_view(out), "\n");
	if (slice_starts(said, "hamr-tool: "))
		said = slice_from(said, 11);
	if (st >= 0 && stopped)
		ui_note(&c->run->ui, "stopped");
	else if (st > 0 && WIFEXITED(st) && said.n > 0)
		ui_note(&c->run->ui, "%.*s", (int)said.n, said.p);
	if (st != 0 || stopped)
		buf_reset(out);
	return st < 0 || stopped || !WIFEXITED(st) ? -1 : WEXITSTATUS(st);
}

/* The newest change of this session, or NULL; the caller frees it. */
static char *
find_change(struct chat *c, const struct seen *s)
{
	struct buf list = BUF_INIT(SAID_MAX);
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
show(struct chat *c, const struct seen *s, const char *id)
{
	struct buf list = BUF_INIT(SAID_MAX), page = BUF_INIT(SAID_MAX);
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
	struct buf said = BUF_INIT(SAID_MAX);
	struct hub *h = &c->run->hub;
	struct slice el;
	struct seen s;
	int changed = -1;

	see_session(c, &s, -1);
	char *id = find_change(c, &s);
	if (id != NULL)
		changed = show(c, &s, id);
	/* a program is not asked: its command is its yes, if no file changed */
	bool sure = changed >= 0 && (c->run->ui.peer != NULL ? changed == 0 :
	    chat_confirm(c, changed == 0 ? "undo this? (y/n) " :
	    "undo this anyway? (y/n) "));
	if (changed >= 0 && !sure) {
		ui_note(&c->run->ui, c->run->ui.peer != NULL ?
		    "nothing was undone; hamr-tool undo --force %s does it all "
		    "the same" : "nothing was undone", id);
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
	seen_release(&s);
	buf_release(&said);
}
