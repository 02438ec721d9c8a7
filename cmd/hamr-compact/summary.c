/* summary.c - what is left of the oldest turns: one text, made of records. */
#include <stdlib.h>
#include <string.h>

#include "map.h"
#include "mem.h"
#include "utf8.h"

#include "stub.h"
#include "summary.h"

#define FIRST_KEPT 2000		/* bytes of the first user message */
#define USER_KEPT 600		/* of every other one */
#define COMMAND_KEPT 160
#define SENTENCE_KEPT 160
#define ERRORS_SHOWN 8
#define COMMANDS_SHOWN 10
#define SENTENCES_SHOWN 6

static const char HEADER[] =
    "[Summary of earlier work, made without a model. Continue the task; do "
    "not restart.]\n";
static const char FOOTER[] = "[end of summary]";

struct file {
	char *path;
	size_t edits, writes, reads;
	size_t last;		/* newest touch, to list the newest first */
};

struct command {
	char *text;
	bool failed;
	char *error;		/* its first line of error, while it is open */
	size_t last;
};

struct summary {
	size_t upto, ticks;
	char **users, **sentences, **contexts;
	size_t nusers, capusers, nsentences, capsentences;
	size_t ncontexts, capcontexts;
	struct file *files;
	size_t nfiles, capfiles;
	struct command *commands;
	size_t ncommands, capcommands;
	struct map paths, texts;	/* to index + 1 */
};

struct summary *
summary_new(void)
{
	return xcalloc(1, sizeof(struct summary));
}

static void
empty(struct summary *s)
{
	for (size_t i = 0; i < s->nusers; i++)
		free(s->users[i]);
	for (size_t i = 0; i < s->nsentences; i++)
		free(s->sentences[i]);
	for (size_t i = 0; i < s->ncontexts; i++)
		free(s->contexts[i]);
	for (size_t i = 0; i < s->nfiles; i++)
		free(s->files[i].path);
	for (size_t i = 0; i < s->ncommands; i++) {
		free(s->commands[i].text);
		free(s->commands[i].error);
	}
	free(s->users);
	free(s->sentences);
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

/* ---- folding in ---- */

static void
add_user(struct summary *s, struct slice text)
{
	size_t max = s->nusers == 0 ? FIRST_KEPT : USER_KEPT;
	size_t n = utf8_cut(text.p, text.n, max);

	if (n == 0)
		return;
	s->users = xgrow(s->users, s->nusers, &s->capusers,
	    sizeof *s->users);
	s->users[s->nusers++] = n == text.n ? xmemdup0(text.p, n) :
	    xasprintf("%.*s ... [%zu bytes more]", (int)n, text.p,
	    text.n - n);
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

/* Is this the end of a sentence, at p of n bytes? */
static bool
ends_sentence(const char *p, size_t n)
{
	return n == 0 || *p == '\n' ||
	    (strchr(".!?:", *p) != NULL && *p != '\0' &&
	    (n == 1 || p[1] == ' ' || p[1] == '\n'));
}

/* The last sentence of what the assistant said. */
static void
fold_text(struct summary *s, const struct view *v, size_t i)
{
	struct buf text = BUF_INIT(BUF_RECORD_MAX);
	size_t end, at = 0;

	while (view_text(v, i, VIEW_SAID, &at, &text))
		buf_addc(&text, '\n');
	end = text.len;
	while (end > 0 && strchr(" \t\r\n", text.p[end - 1]) != NULL)
		end--;
	for (at = end; at > 0; at--)
		if (at < end - (end > 0) && ends_sentence(text.p + at - 1,
		    end - at + 1))
			break;
	while (at < end && strchr(" \t\r\n", text.p[at]) != NULL)
		at++;
	if (at < end) {
		s->sentences = xgrow(s->sentences, s->nsentences,
		    &s->capsentences, sizeof *s->sentences);
		s->sentences[s->nsentences++] = xmemdup0(text.p + at,
		    utf8_cut(text.p + at, end - at, SENTENCE_KEPT));
	}
	buf_release(&text);
}

static void
fold_file(struct summary *s, const struct fact *f)
{
	uint64_t *at = map_put(&s->paths, slice_of(f->what), NULL);
	struct file *file;

	if (*at == 0) {
		s->files = xgrow(s->files, s->nfiles, &s->capfiles,
		    sizeof *s->files);
		s->files[s->nfiles++] = (struct file){ xstrdup(f->what), 0, 0,
			0, 0 };
		*at = s->nfiles;
	}
	file = &s->files[*at - 1];
	file->edits += f->kind == TOOL_EDIT && !f->failed;
	file->writes += f->kind == TOOL_WRITE && !f->failed;
	file->reads += f->kind == TOOL_READ;
	file->last = ++s->ticks;
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
	c->last = ++s->ticks;
}

static void
fold_node(struct summary *s, const struct view *v, size_t i)
{
	const struct view_node *node = view_node(v, i);

	fold_context(s, v, i);
	if (node->kind == VIEW_USER && node->person)
		fold_user(s, v, i);
	if (node->kind != VIEW_ASSISTANT)
		return;
	fold_text(s, v, i);
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

/* ---- the text ---- */

/* A section that may take so many bytes more; its title comes with the first
 * line. */
struct section {
	struct buf *out;
	const char *title;
	size_t room;
};

static bool
put(struct section *sec, const char *line)
{
	size_t n = strlen(line) + 1, title = sec->title != NULL ?
	    strlen(sec->title) + 1 : 0;

	if (n + title > sec->room)
		return false;
	sec->room -= n + title;
	if (title > 0)
		buf_fmt(sec->out, "%s\n", sec->title);
	sec->title = NULL;
	buf_fmt(sec->out, "%s\n", line);
	return true;
}

static bool
put_owned(struct section *sec, char *line)
{
	bool fits = put(sec, line);

	free(line);
	return fits;
}

static struct section
section(struct buf *out, const char *title, size_t start, size_t cap,
    size_t percent)
{
	size_t used = out->len - start, left = cap > used ? cap - used : 0;
	size_t room = cap * percent / 100;

	return (struct section){ out, title, room < left ? room : left };
}

static char *
user_line(const struct summary *s, size_t i, size_t max)
{
	const char *t = s->users[i];
	size_t n = utf8_cut(t, strlen(t), max);

	return xasprintf("%zu. %.*s%s", i + 1, (int)n, t,
	    t[n] != '\0' ? " ..." : "");
}

/* The first and as many of the newest as there is room for, in order. */
static void
print_users(const struct summary *s, struct section *sec)
{
	size_t room = sec->room, from = s->nusers;
	size_t first = room / 2 < FIRST_KEPT + 40 ? room / 2 :
	    FIRST_KEPT + 40;
	size_t each = room / 5 < USER_KEPT + 40 ? room / 5 : USER_KEPT + 40;
	size_t used;

	if (s->nusers == 0)
		return;
	used = strlen(s->users[0]);
	used = (used < first ? used : first) + 80;
	room -= room < used ? room : used;
	while (from > 1) {
		size_t n = strlen(s->users[from - 1]);

		n = (n < each ? n : each) + 16;
		if (n > room && from < s->nusers)
			break;
		room -= n < room ? n : room;
		from--;
	}
	put_owned(sec, user_line(s, 0, first));
	if (from > 1)
		put_owned(sec, xasprintf("(%zu messages left out)", from - 1));
	for (size_t i = from; i < s->nusers; i++)
		put_owned(sec, user_line(s, i, each));
}

/* The index of the newest file (changed or not) older than `before`. */
static size_t
next_file(const struct summary *s, bool changed, size_t before)
{
	size_t best = s->nfiles;

	for (size_t i = 0; i < s->nfiles; i++) {
		const struct file *f = &s->files[i];

		if ((f->edits + f->writes > 0) == changed &&
		    f->last < before &&
		    (best == s->nfiles || f->last > s->files[best].last))
			best = i;
	}
	return best;
}

static void
print_files(const struct summary *s, bool changed, struct section *sec)
{
	size_t before = (size_t)-1, i;

	while ((i = next_file(s, changed, before)) < s->nfiles) {
		const struct file *f = &s->files[i];
		char *line = changed ?
		    xasprintf("- %s (%zu edits, %zu writes, %zu reads)",
		    f->path, f->edits, f->writes, f->reads) :
		    xasprintf("- %s x%zu", f->path, f->reads);

		before = f->last;
		if (!put_owned(sec, line))
			return;
	}
}

static size_t
next_command(const struct summary *s, bool open, size_t before)
{
	size_t best = s->ncommands;

	for (size_t i = 0; i < s->ncommands; i++) {
		const struct command *c = &s->commands[i];

		if ((!open || c->failed) && c->last < before &&
		    (best == s->ncommands ||
		    c->last > s->commands[best].last))
			best = i;
	}
	return best;
}

static void
print_commands(const struct summary *s, bool open, struct section *sec)
{
	size_t before = (size_t)-1, i, n = 0;

	while (n++ < (open ? ERRORS_SHOWN : COMMANDS_SHOWN) &&
	    (i = next_command(s, open, before)) < s->ncommands) {
		const struct command *c = &s->commands[i];
		int len = (int)utf8_cut(c->text, strcspn(c->text, "\n"),
		    COMMAND_KEPT);

		before = c->last;
		if (!put_owned(sec, open ?
		    xasprintf("- %.*s -> %s", len, c->text, c->error) :
		    xasprintf("- [%s] %.*s", c->failed ? "ERR" : "ok", len,
		    c->text)))
			return;
	}
}

static uint64_t
context_sum(const struct summary *s, enum token_family f)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < s->ncontexts; i++)
		sum += token_count(f, s->contexts[i], strlen(s->contexts[i]));
	return sum;
}

/* Verbatim, in front, where they stood; or that they are not here. */
static void
print_contexts(const struct summary *s, const struct summary_room *room,
    struct buf *out)
{
	size_t bytes = 0;

	if (context_sum(s, room->family) > (uint64_t)room->context) {
		for (size_t i = 0; i < s->ncontexts; i++)
			bytes += strlen(s->contexts[i]);
		buf_fmt(out, "[%zu bytes of project instructions are left "
		    "out: more than 10 %% of the window; read their files "
		    "again]\n\n", bytes);
		return;
	}
	for (size_t i = 0; i < s->ncontexts; i++)
		buf_fmt(out, "%s\n\n", s->contexts[i]);
}

static void
print_notes(const struct summary *s, struct section *sec)
{
	size_t from = s->nsentences;

	from -= from < SENTENCES_SHOWN ? from : SENTENCES_SHOWN;
	for (; from < s->nsentences; from++)
		if (!put_owned(sec, xasprintf("- %s", s->sentences[from])))
			break;
}

/* What people wrote goes before all but changed files and open errors, which
 * are short: their sections are made first. */
void
summary_print(const struct summary *s, const struct summary_room *room,
    struct buf *out)
{
	struct buf firm = BUF_INIT(BUF_RECORD_MAX);
	size_t start, cap = room->cap - sizeof FOOTER, left;
	struct section sec;

	print_contexts(s, room, out);
	start = out->len;
	buf_adds(out, HEADER);
	sec = section(&firm, "FILES CHANGED:", 0, cap, 30);
	print_files(s, true, &sec);
	sec = section(&firm, "OPEN ERRORS:", 0, cap, 20);
	print_commands(s, true, &sec);
	left = cap - firm.len;
	sec = section(out, "USER MESSAGES SO FAR:", start, left, 100);
	print_users(s, &sec);
	buf_slice(out, buf_view(&firm));
	buf_release(&firm);
	sec = section(out, "FILES READ:", start, cap, 20);
	print_files(s, false, &sec);
	sec = section(out, "RECENT COMMANDS:", start, cap, 15);
	print_commands(s, false, &sec);
	sec = section(out, "NOTES:", start, cap, 15);
	print_notes(s, &sec);
	buf_adds(out, FOOTER);
}
