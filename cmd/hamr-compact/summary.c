/* summary.c - what is known of the nodes that are folded.
 *
 * What is listed newest first is kept in that order, so that printing a few
 * costs the same however many there are.
 */
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "utf8.h"

#include "stub.h"
#include "summary_in.h"


struct summary *
summary_new(void)
{
	return xcalloc(1, sizeof(struct summary));
}

static void
empty(struct summary *s)
{
	for (size_t i = 0; i < s->nusers; i++)
		free(s->users[i].text);
	for (size_t i = 0; i < s->ncontexts; i++)
		free(s->contexts[i]);
	for (size_t i = 0; i < s->nfiles; i++)
		free(s->files[i].path);
	for (size_t i = 0; i < s->ncommands; i++) {
		free(s->commands[i].text);
		free(s->commands[i].error);
	}
	free(s->users);
	free(s->contexts);
	free(s->files);
	free(s->commands);
	map_release(&s->paths);
	map_release(&s->texts);
	*s = (struct summary){ .upto = 0 };
}

void
summary_free(struct summary *s)
{
	if (s == NULL)
		return;
	empty(s);
	free(s);
}

/* ---- people ---- */

/* The first message and the newest one are kept whole, in case they are the
 * task and what the turn is about. */
static void
add_user(struct summary *s, struct slice text)
{
	struct user *last = s->nusers > 1 ? &s->users[s->nusers - 1] : NULL;

	if (text.n == 0)
		return;
	if (last != NULL && last->len > USER_KEPT) {
		size_t n = utf8_cut(last->text, last->len, USER_KEPT);

		last->more = last->len - n;
		last->len = n;
		last->text = xrealloc(last->text, n + 1);
		last->text[n] = '\0';
	}
	s->users = xgrow(s->users, s->nusers, &s->capusers,
	    sizeof *s->users);
	s->users[s->nusers++] = (struct user){ xmemdup0(text.p, text.n),
		text.n, 0 };
}

static void
fold_user(struct summary *s, const struct view *v, size_t i)
{
	struct buf text = BUF_INIT(BUF_RECORD_MAX);

	for (size_t at = 0; view_text(v, i, VIEW_PERSON, &at, &text);) {
		add_user(s, buf_view(&text));
		buf_reset(&text);
	}
	buf_release(&text);
}

/* Context (AGENTS.md and the like) binds as long as the session lasts. */
static void
fold_context(struct summary *s, const struct view *v, size_t i)
{
	struct buf text = BUF_INIT(BUF_RECORD_MAX);

	for (size_t at = 0; view_text(v, i, VIEW_CONTEXT, &at, &text);) {
		s->contexts = xgrow(s->contexts, s->ncontexts,
		    &s->capcontexts, sizeof *s->contexts);
		s->contexts[s->ncontexts++] = buf_detach(&text);
	}
	buf_release(&text);
}

/* ---- files and commands ---- */

static void
take_file(struct summary *s, size_t *head, size_t i)
{
	struct link *l = &s->files[i - 1].all;

	if (l->newer > 0)
		s->files[l->newer - 1].all.older = l->older;
	else if (*head == i)
		*head = l->older;
	if (l->older > 0)
		s->files[l->older - 1].all.newer = l->newer;
	*l = (struct link){ 0, 0 };
}

static void
put_file(struct summary *s, size_t *head, size_t i)
{
	s->files[i - 1].all.older = *head;
	if (*head > 0)
		s->files[*head - 1].all.newer = i;
	*head = i;
}

static bool
has_changed(const struct touched_file *f)
{
	return f->edits + f->writes > 0;
}

static void
fold_file(struct summary *s, const struct fact *f)
{
	uint64_t *at = map_put(&s->paths, slice_of(f->what), NULL);
	struct touched_file *file;

	if (*at == 0) {
		s->files = xgrow(s->files, s->nfiles, &s->capfiles,
		    sizeof *s->files);
		s->files[s->nfiles++] = (struct touched_file){
			.path = xstrdup(f->what) };
		*at = s->nfiles;
	}
	file = &s->files[*at - 1];
	take_file(s, has_changed(file) ? &s->changed : &s->read,
	    (size_t)*at);
	file->edits += f->kind == TOOL_EDIT && !f->failed;
	file->writes += f->kind == TOOL_WRITE && !f->failed;
	file->reads += f->kind == TOOL_READ;
	put_file(s, has_changed(file) ? &s->changed : &s->read, (size_t)*at);
}

/* Which of a command's two links. */
static struct link *
link_of(struct summary *s, size_t i, bool open)
{
	return open ? &s->commands[i - 1].open : &s->commands[i - 1].all;
}

static void
move_command(struct summary *s, size_t i, bool open, bool in)
{
	size_t *head = open ? &s->open : &s->recent;
	struct link *l = link_of(s, i, open);

	if (l->newer > 0)
		link_of(s, l->newer, open)->older = l->older;
	else if (*head == i)
		*head = l->older;
	if (l->older > 0)
		link_of(s, l->older, open)->newer = l->newer;
	*l = (struct link){ 0, in ? *head : 0 };
	if (!in)
		return;
	if (*head > 0)
		link_of(s, *head, open)->newer = i;
	*head = i;
}

static void
fold_command(struct summary *s, const struct fact *f)
{
	uint64_t *at = map_put(&s->texts, slice_of(f->what), NULL);
	struct command *c;

	if (*at == 0) {
		s->commands = xgrow(s->commands, s->ncommands,
		    &s->capcommands, sizeof *s->commands);
		s->commands[s->ncommands++] = (struct command){
			.text = xstrdup(f->what) };
		*at = s->ncommands;
	}
	c = &s->commands[*at - 1];
	free(c->error);
	c->failed = f->failed;
	c->error = f->failed ? xstrdup(f->error) : NULL;
	move_command(s, (size_t)*at, false, true);
	move_command(s, (size_t)*at, true, f->failed);
}

/* ---- nodes ---- */

static void
fold_node(struct summary *s, const struct view *v, size_t i)
{
	const struct view_node *node = view_node(v, i);

	fold_context(s, v, i);
	if (node->kind == VIEW_USER && node->person)
		fold_user(s, v, i);
	if (node->kind != VIEW_ASSISTANT)
		return;
	if (view_says(v, i))
		s->said[s->nsaid++ % SENTENCES_SHOWN] = i;
	for (size_t k = 0; k < node->ncalls; k++) {
		const struct fact *f = view_call_at(v, node->call + k)->note;

		if (f == NULL || f->what[0] == '\0')
			continue;
		if (f->kind == TOOL_COMMAND)
			fold_command(s, f);
		else if (f->kind != TOOL_OTHER)
			fold_file(s, f);
	}
}

void
summary_fold(struct summary *s, const struct view *v, size_t fold)
{
	if (fold < s->upto)
		empty(s);
	for (; s->upto < fold; s->upto++)
		fold_node(s, v, s->upto);
}
