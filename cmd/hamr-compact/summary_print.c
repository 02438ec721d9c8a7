/* summary_print.c - a summary as text. */
#include <stdlib.h>
#include <string.h>

#include "token.h"
#include "utf8.h"

#include "summary_in.h"

#define COMMAND_KEPT 160
#define SENTENCE_KEPT 160
#define ERRORS_SHOWN 8
#define COMMANDS_SHOWN 10

static const char HEADER[] =
    "[Summary of earlier work, made without a model. Continue the task; do "
    "not restart.]\n";
static const char FOOTER[] = "[end of summary]";

static size_t
smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* ---- files ---- */

static void
put_count(struct buf *line, size_t n, const char *what, const char *before)
{
	if (n > 0)
		buf_fmt(line, "%s%zu %s%s", before, n, what, n > 1 ? "s" :
		    "");
}

static bool
put_changed(struct section *sec, const struct touched_file *f)
{
	buf_fmt(&sec->line, "- %s", f->path);
	put_count(&sec->line, f->edits, "edit", " (");
	put_count(&sec->line, f->writes, "write", f->edits > 0 ? ", " : " (");
	put_count(&sec->line, f->reads, "read", ", ");
	buf_addc(&sec->line, ')');
	return section_put(sec);
}

/* Every path that was changed, the older ones without their counts when room
 * is short; `more` is room for these. */
static void
print_changed(const struct summary *s, struct section *sec, size_t more)
{
	size_t i = s->changed, left = 0;

	while (i > 0 && put_changed(sec, &s->files[i - 1]))
		i = s->files[i - 1].all.older;
	sec->room += more;
	for (; i > 0; i = s->files[i - 1].all.older) {
		const char *path = s->files[i - 1].path;

		if (sec->line.len + strlen(path) + 40 > sec->room) {
			left++;
			continue;
		}
		buf_adds(&sec->line, sec->line.len == 0 ? "- " : ", ");
		buf_adds(&sec->line, path);
	}
	if (left > 0)
		buf_fmt(&sec->line, "%s(%zu more)", sec->line.len > 0 ? " " :
		    "- ", left);
	if (sec->line.len > 0)
		section_put(sec);
}

static void
print_read(const struct summary *s, struct section *sec)
{
	for (size_t i = s->read; i > 0; i = s->files[i - 1].all.older) {
		buf_fmt(&sec->line, "- %s x%zu", s->files[i - 1].path,
		    s->files[i - 1].reads);
		if (!section_put(sec))
			return;
	}
}

/* ---- commands ---- */

static void
put_command(struct buf *line, const char *text)
{
	buf_add(line, text, utf8_cut(text, strcspn(text, "\n"),
	    COMMAND_KEPT));
}

static void
print_errors(const struct summary *s, struct section *sec)
{
	size_t i = s->open;

	for (int n = 0; i > 0 && n < ERRORS_SHOWN; n++) {
		const struct command *c = &s->commands[i - 1];

		buf_adds(&sec->line, "- ");
		put_command(&sec->line, c->text);
		buf_adds(&sec->line, " -> ");
		buf_adds(&sec->line, c->error);
		if (!section_put(sec))
			return;
		i = c->open.older;
	}
}

static void
print_commands(const struct summary *s, struct section *sec)
{
	size_t i = s->recent;

	for (int n = 0; i > 0 && n < COMMANDS_SHOWN; n++) {
		const struct command *c = &s->commands[i - 1];

		buf_adds(&sec->line, c->failed ? "- [ERR] " : "- [ok] ");
		put_command(&sec->line, c->text);
		if (!section_put(sec))
			return;
		i = c->all.older;
	}
}

/* ---- what the assistant said ---- */

static bool
is_white(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Does a sentence end with p[0]?  n bytes are left. */
static bool
ends_sentence(const char *p, size_t n)
{
	if (*p == '\n')
		return true;
	return (*p == '.' || *p == '!' || *p == '?' || *p == ':') &&
	    (n == 1 || p[1] == ' ' || p[1] == '\n');
}

static struct slice
last_sentence(struct slice s)
{
	size_t at;

	while (s.n > 0 && is_white(s.p[s.n - 1]))
		s.n--;
	for (at = s.n; at > 0; at--)
		if (at < s.n && ends_sentence(s.p + at - 1, s.n - at + 1))
			break;
	while (at < s.n && is_white(s.p[at]))
		at++;
	return (struct slice){ s.p + at, utf8_cut(s.p + at, s.n - at,
	    SENTENCE_KEPT) };
}

static void
print_said(const struct summary *s, const struct view *v,
    struct section *sec)
{
	size_t from = s->nsaid < SENTENCES_SHOWN ? 0 :
	    s->nsaid - SENTENCES_SHOWN;
	struct buf text = BUF_INIT(BUF_RECORD_MAX);
	bool fits = true;

	for (; fits && from < s->nsaid; from++) {
		size_t at = 0;

		buf_reset(&text);
		while (view_text(v, s->said[from % SENTENCES_SHOWN],
		    VIEW_SAID, &at, &text))
			buf_addc(&text, '\n');
		buf_adds(&sec->line, "- ");
		buf_slice(&sec->line, last_sentence(buf_view(&text)));
		if (sec->line.len > 2)
			fits = section_put(sec);
		buf_reset(&sec->line);
	}
	buf_release(&text);
}

/* ---- all of it ---- */

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
	for (size_t i = 0; i < s->ncontexts; i++) {
		buf_adds(out, s->contexts[i]);
		buf_adds(out, "\n\n");
	}
}

/* What people wrote goes before all but changed files and open errors, which
 * are short: their sections are made first, in at most so many bytes. */
static void
print_firm(const struct summary *s, size_t cap, size_t most, struct buf *out)
{
	struct section sec = section_of(out, "FILES CHANGED:", 0, most, 100);
	size_t all = sec.room;

	sec.room = smaller(all, cap * 30 / 100);
	print_changed(s, &sec, smaller(all - sec.room, cap * 20 / 100));
	section_end(&sec);
	sec = section_of(out, "OPEN ERRORS:", 0, most, 100);
	sec.room = smaller(sec.room, cap * 20 / 100);
	print_errors(s, &sec);
	section_end(&sec);
}

/* Does a turn that is not folded begin behind what is? */
static bool
has_newer(const struct summary *s, const struct view *v)
{
	for (size_t i = view_nodes(v); i > s->upto; i--)
		if (view_node(v, i - 1)->kind == VIEW_USER &&
		    view_node(v, i - 1)->person)
			return true;
	return false;
}

/* The task and what the turn in hand is about are whole as long as there is
 * another stage; at the last one they are cut, but never a task that alone does
 * not fit. */
static struct people_whole
whole_of(const struct summary *s, const struct view *v,
    const struct summary_room *room)
{
	struct people_whole whole = { true, !has_newer(s, v) };
	const struct user *first = s->users, *newest;
	uint64_t sum;

	if (!room->last || s->nusers == 0)
		return whole;
	newest = first + s->nusers - 1;
	sum = token_count(room->family, first->text, first->len);
	if (newest > first && whole.newest)
		sum += token_count(room->family, newest->text, newest->len);
	return sum > (uint64_t)room->window ? whole :
	    (struct people_whole){ false, false };
}

void
summary_print(const struct summary *s, const struct view *v,
    const struct summary_room *room, struct buf *out)
{
	struct buf firm = BUF_INIT(BUF_RECORD_MAX);
	size_t start, cap = room->cap - sizeof FOOTER;
	struct people_whole whole = whole_of(s, v, room);
	size_t least = people_least(s, whole) + sizeof HEADER;
	struct section sec;

	print_contexts(s, room, out);
	start = out->len;
	buf_adds(out, HEADER);
	print_firm(s, cap, cap > least ? cap - least : 0, &firm);
	sec = section_of(out, "USER MESSAGES SO FAR:", start, cap - firm.len,
	    100);
	people_print(s, whole, &sec);
	section_end(&sec);
	buf_slice(out, buf_view(&firm));
	buf_release(&firm);
	sec = section_of(out, "FILES READ:", start, cap, 20);
	print_read(s, &sec);
	section_end(&sec);
	sec = section_of(out, "RECENT COMMANDS:", start, cap, 15);
	print_commands(s, &sec);
	section_end(&sec);
	sec = section_of(out, "NOTES:", start, cap, 15);
	print_said(s, v, &sec);
	section_end(&sec);
	buf_adds(out, FOOTER);
}
