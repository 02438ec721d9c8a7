/* summary.c - what we know of the folded nodes, and the text made from it. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/utf8.h"

#include "internal.h"

#define CONTEXT_PERCENT 10	/* of the window: context that is kept */
#define SENTENCES_SHOWN 6
#define USER_KEPT 600		/* bytes of a user message that is not kept
				 * whole */
#define LAST 3			/* messages that are, where they fit in ... */
#define LAST_PERCENT 15		/* ... this much of the window ... */
#define LEAST_PERCENT 2		/* ... or this, where long ones are cut */
#define FIRST_LINE 2060		/* the first message where it is cut */
#define FIRST_LEAST 360
#define LEFT_OUT 60		/* the title, and "(N messages left out)" */
#define BEGINNING 100		/* bytes of each message, if all fit */
#define CONSIDERED 1000		/* messages: more would make a summary as slow
				 * as the transcript is long */
#define FRAME 10		/* "123. " and LF */
#define MORE 6			/* " [...]" */
#define COMMAND_KEPT 160
#define COMMAND_LEAST 40	/* of failed ones where not all fit */
#define SENTENCE_KEPT 160
#define COMMANDS_SHOWN 10
#define FILES_PERCENT 50	/* of the summary: its changed files ... */
#define ERRORS_PERCENT 40	/* ... and open errors, at most */
#define FIRM_STEPS 12

static const char HEADER[] =
    "[Summary of earlier work, made without a model. Continue the task; do "
    "not restart.]\n";
static const char FOOTER[] = "[end of summary]";

/* A file that was touched, or a command that was run. */
struct entry {
	const char *text;	/* path or command line */
	size_t edits, writes, reads;
	bool failed;		/* last time */
	const char *error;	/* its first error line; NULL: none is open */
	size_t older, newer;	/* numbers of the ones used before, after */
};

struct entries {
	struct entry *v;	/* numbered as the subjects */
	size_t n, cap;
	size_t newest;		/* number of the one used last */
};

struct user {
	const char *text;
	size_t len;
};

struct summary {
	size_t upto;
	struct user *users;
	struct slice task, newest;	/* content values of the first and the
					 * last user */
	struct slice *contexts;	/* content values */
	size_t nusers, capusers, ncontexts, capcontexts;
	size_t said[SENTENCES_SHOWN], nsaid;	/* ring of the last nodes */
	struct entries files, commands;
};

struct summary *
summary_new(void)
{
	return xcalloc(1, sizeof(struct summary));
}

static void
empty(struct summary *s)
{
	FREE(s->users, s->contexts, s->files.v, s->commands.v);
	*s = (struct summary){ .upto = 0 };
}

void
summary_free(struct summary *s)
{
	empty(s);
	free(s);
}

/* ---- folding ---- */

static const struct entry *
entry_at(const struct entries *t, size_t at)
{
	return at > 0 ? &t->v[at - 1] : NULL;
}

static void
fold_call(struct summary *s, const struct fact *f)
{
	struct entries *t = f->command > 0 ? &s->commands : &s->files;
	size_t at = f->command > 0 ? f->command : f->file;

	if (f->what[0] == '\0' || at == 0)
		return;
	while (t->n < at) {
		GROW(t->v, t->n, t->cap);
		t->v[t->n++] = (struct entry){ .text = NULL };
	}
	struct entry *it = &t->v[at - 1];
	if (it->text == NULL)
		it->text = f->what;
	it->edits += f->kind == TOOL_EDIT && !f->failed;
	it->writes += f->kind == TOOL_WRITE && !f->failed;
	it->reads += f->kind == TOOL_READ && !f->listing;
	it->failed = f->failed;
	it->error = f->failed ? f->error : NULL;
	/* move it to the front of the list, or add it if it is new */
	if (t->newest == at)
		return;
	if (it->newer > 0)
		t->v[it->newer - 1].older = it->older;
	if (it->older > 0)
		t->v[it->older - 1].newer = it->newer;
	if (t->newest > 0)
		t->v[t->newest - 1].newer = at;
	it->older = t->newest;
	it->newer = 0;
	t->newest = at;
}

void
summary_fold(struct summary *s, struct view *v, size_t fold)
{
	struct buf text = BUF_INIT(BUF_RECORD_MAX);

	if (fold < s->upto)
		empty(s);
	for (size_t i = s->upto; i < fold; i++) {
		const struct view_node *node = &v->nodes[i];
		bool person = node->kind == VIEW_USER && node->person;

		/* AGENTS.md and the like stay in force for the whole session */
		for (size_t at = 0; view_text(v, i, VIEW_CONTEXT, &at,
		    &text);) {
			GROW(s->contexts, s->ncontexts, s->capcontexts);
			s->contexts[s->ncontexts++] = view_value(v, i, at);
		}
		buf_reset(&text);
		for (size_t at = 0; person && view_text(v, i, VIEW_PERSON, &at,
		    &text); buf_reset(&text)) {
			struct slice value = view_value(v, i, at);
			struct slice wrote = buf_view(&text);

			if (wrote.n == 0 && !msg_has_image(value))
				continue;
			s->newest = value;
			if (s->nusers == 0)
				s->task = value;
			GROW(s->users, s->nusers, s->capusers);
			s->users[s->nusers++] = (struct user){ arena_dup(
			    &v->arena, wrote.p, wrote.n), wrote.n };
		}
		if (node->kind != VIEW_ASSISTANT)
			continue;
		if (view_says(v, i))
			s->said[s->nsaid++ % SENTENCES_SHOWN] = i;
		for (size_t k = 0; k < node->ncalls; k++)
			if (v->calls[node->call + k].note != NULL)
				fold_call(s, v->calls[node->call + k].note);
	}
	s->upto = fold;
	buf_release(&text);
}

/* ---- a section: a title and lines, with a ceiling ---- */

struct section {
	struct buf *out;
	const char *title;	/* NULL once written, with the first line */
	size_t room;		/* bytes that it may take */
	struct buf line;	/* in the making */
};

/* Begin a section of at most so many bytes, in a text of at most cap. */
static void
begin(struct section *sec, struct buf *out, const char *title, size_t cap,
    size_t most)
{
	sec->out = out;
	sec->title = title;
	sec->room = num_min(most, cap - num_min(out->len, cap));
}

/* Write the line if there is room; false if not. */
static bool
section_put(struct section *sec)
{
	size_t n = sec->line.len + 1, title = sec->title != NULL ?
	    strlen(sec->title) + 1 : 0;
	bool fits = n + title <= sec->room;

	if (fits) {
		sec->room -= n + title;
		if (title > 0) {
			buf_adds(sec->out, sec->title);
			buf_addc(sec->out, '\n');
		}
		sec->title = NULL;
		buf_slice(sec->out, buf_view(&sec->line));
		buf_addc(sec->out, '\n');
	}
	buf_reset(&sec->line);
	return fits;
}

/* ---- what people wrote ----
 *
 * Every message stays; if room is short, only the beginnings of older and
 * longer ones, or, if that is not enough, as many whole ones as fit.  Short
 * ones get room first, as they cost little in full.
 */

#define WHOLE (SIZE_MAX - MORE)

/* What is shown whatever the section's room. */
struct people_whole {
	bool first;		/* the task, whole */
	bool turn;		/* the newest is what the current turn is
				 * about */
	bool newest;		/* it is, and whole */
	bool images;		/* of these two, where they are cut */
	size_t nlast, last[LAST];	/* of the last messages, newest first,
					 * so many bytes each */
	size_t kept;		/* if none, so many bytes of the newest */
};

/* How many bytes of a message are shown if it may have `most`.  A few more are
 * shown, too: the mark of what is missing would be as long. */
static size_t
shown(const struct user *u, size_t most)
{
	return u->len <= most + MORE ? u->len : most;
}

static size_t
line_of(const struct user *u, size_t most)
{
	size_t n = shown(u, most);

	return n + FRAME + (n < u->len ? MORE : 0);
}

/* Append its beginning, at most `most` bytes; returns how many. */
static size_t
put_beginning(const struct user *u, size_t most, struct buf *out)
{
	size_t n = utf8_cut(u->text, u->len, shown(u, most));

	buf_add(out, u->text, n);
	if (n < u->len)
		buf_adds(out, " [...]");
	return n;
}

/* The task, before the header: it was there before the first epoch, so a
 * server's cached prefix includes it.  If whole, it is its original content
 * and takes no room from the other messages; otherwise it gets `most` bytes of
 * theirs. */
static void
put_task(struct section *sec, const struct summary *s, bool whole, size_t most,
    struct buf *front)
{
	struct buf text = BUF_INIT(BUF_RECORD_MAX);

	if (whole) {
		buf_slice(front, s->task);
	} else {
		size_t n = put_beginning(&s->users[0], most, &text);

		scan_quote(front, text.p, text.len);
		sec->room -= num_min(sec->room, n + FRAME + MORE);
	}
	buf_release(&text);
	if (s->nusers > 1) {
		buf_adds(&sec->line, "1. (above)");
		section_put(sec);
	}
}

/* Messages from..last-1; message i may have most[i] bytes, 0 if it is left out.
 */
struct share {
	size_t from, last;
	size_t *most;
	size_t room;		/* bytes left */
};

/* Newest first, give messages of at most `longest` bytes so many, while there
 * is room. */
static void
give(const struct summary *s, struct share *sh, size_t longest, size_t most)
{
	for (size_t i = sh->last; i > sh->from; i--) {
		const struct user *u = &s->users[i - 1];
		size_t had = sh->most[i - 1];

		if (u->len > longest || had == most)
			continue;
		size_t more = line_of(u, most) - (had > 0 ?
		    line_of(u, had) : 0);
		if (more > sh->room)
			continue;
		sh->room -= more;
		sh->most[i - 1] = most;
	}
}

/* The room that the newest message takes, which is always shown. */
static size_t
newest_line(const struct summary *s, struct people_whole whole)
{
	return s->nusers > 1 && whole.nlast == 0 ?
	    line_of(&s->users[s->nusers - 1], whole.kept) : 0;
}

static void
print_people(const struct summary *s, struct people_whole whole,
    struct section *sec, struct buf *front)
{
	static const size_t longest[] = { 120, 180, 300, USER_KEPT,
		SIZE_MAX };
	size_t newest = newest_line(s, whole), left_out, all = 0;
	struct share sh = { .last = s->nusers > 1 ? s->nusers -
	    (whole.nlast > 0 ? whole.nlast : 1) : 1 };

	if (s->nusers == 0)
		return;
	size_t left = sec->room > newest + LEFT_OUT ? sec->room - newest -
	    LEFT_OUT : 0;
	/* the first may take half, if there are others */
	size_t first = s->nusers == 1 ? sec->room : sec->room / 2;
	first = first > FIRST_LEAST ? num_min(first, FIRST_LINE) : FIRST_LEAST;
	first -= FRAME + MORE;
	sh.room = left - (whole.first ? 0 :
	    num_min(line_of(&s->users[0], first), left));
	sh.from = sh.last > CONSIDERED ? sh.last - CONSIDERED : 1;
	sh.most = xcalloc(sh.last + 1, sizeof *sh.most);
	for (size_t i = sh.from; i < sh.last; i++)
		all += line_of(&s->users[i], BEGINNING);
	if (all <= sh.room)
		give(s, &sh, SIZE_MAX, BEGINNING);
	/* the rest goes to those it completes, shortest first, then to long
	 * ones */
	for (size_t k = 0; k < sizeof longest / sizeof *longest; k++)
		give(s, &sh, longest[k], USER_KEPT);
	put_task(sec, s, whole.first, first, front);
	left_out = sh.from - 1;
	for (size_t i = sh.from; i < sh.last; i++)
		left_out += sh.most[i] == 0;
	if (left_out > 0) {
		buf_fmt(&sec->line, "(%zu message%s left out)", left_out,
		    left_out == 1 ? "" : "s");
		section_put(sec);
	}
	for (size_t i = sh.from; i < s->nusers; i++) {
		size_t most = i < sh.last ? sh.most[i] : whole.nlast > 0 ?
		    whole.last[s->nusers - 1 - i] : whole.kept;

		if (i == sh.last)
			sec->room = SIZE_MAX;	/* the newest always fit */
		if (most == 0)
			continue;
		buf_fmt(&sec->line, "%zu. ", i + 1);
		put_beginning(&s->users[i], most, &sec->line);
		section_put(sec);
	}
	free(sh.most);
}

/* ---- files and commands ---- */

static bool
has_changed(const struct entry *f)
{
	return f->edits + f->writes > 0;
}

static void
put_count(struct buf *line, size_t n, const char *what, const char *before)
{
	if (n > 0)
		buf_fmt(line, "%s%zu %s%s", before, n, what, n > 1 ? "s" :
		    "");
}

/* "- PATH", how often it was changed, and how often read. */
static void
put_changed(const struct entry *f, struct buf *line)
{
	buf_adds(line, "- ");
	buf_slice(line, first_line(f->text));
	put_count(line, f->edits, "edit", " (");
	put_count(line, f->writes, "write", f->edits > 0 ? ", " : " (");
	put_count(line, f->reads, "read", ", ");
	buf_addc(line, ')');
}

/* All changed paths with counts if they fit, otherwise those without counts
 * that were used last.  They are in the order in which they came up: the one
 * used last differs at each epoch, and a server would read all of them again.
 */
static void
print_changed(const struct summary *s, struct section *sec)
{
	const struct entries *t = &s->files;
	size_t all = strlen(sec->title) + 1, left = 0;
	size_t bare = sizeof "- (1000 more), " + all;
	bool *fits = xcalloc(t->n + 1, sizeof *fits);

	for (const struct entry *f = entry_at(t, t->newest); f != NULL;
	    f = entry_at(t, f->older)) {
		size_t n = first_line(f->text).n + sizeof ", " - 1;

		if (!has_changed(f))
			continue;
		put_changed(f, &sec->line);
		all += sec->line.len + 1;
		buf_reset(&sec->line);
		fits[f - t->v] = bare + n <= sec->room;
		if (fits[f - t->v])
			bare += n;
		else
			left++;
	}
	bool counts = all <= sec->room;
	if (!counts && left > 0)
		buf_fmt(&sec->line, "- (%zu more)", left);
	for (const struct entry *f = t->v; f != NULL && f < t->v + t->n; f++) {
		if (counts && has_changed(f)) {
			put_changed(f, &sec->line);
			section_put(sec);
		} else if (!counts && fits[f - t->v]) {
			buf_adds(&sec->line, sec->line.len > 0 ? ", " : "- ");
			buf_slice(&sec->line, first_line(f->text));
		}
	}
	if (sec->line.len > 0)
		section_put(sec);
	free(fits);
}

/* The first line of a command, at most so many bytes. */
static struct slice
command_line(const struct entry *c, size_t most)
{
	return (struct slice){ c->text, utf8_cut(c->text,
	    first_line(c->text).n, most) };
}

/* Why the commands failed whose last run did; the newest first.  Their lines
 * are cut where that makes room for all. */
static void
print_errors(const struct summary *s, struct section *sec)
{
	const struct entry *newest = entry_at(&s->commands,
	    s->commands.newest), *c;
	size_t n = strlen(sec->title) + 1;

	for (c = newest; c != NULL; c = entry_at(&s->commands, c->older))
		if (c->error != NULL)
			n += command_line(c, COMMAND_KEPT).n +
			    strlen(c->error) + sizeof "-  -> ";
	size_t kept = n <= sec->room ? COMMAND_KEPT : COMMAND_LEAST;
	for (c = newest; c != NULL; c = entry_at(&s->commands, c->older)) {
		if (c->error == NULL)
			continue;
		buf_adds(&sec->line, "- ");
		buf_slice(&sec->line, command_line(c, kept));
		buf_fmt(&sec->line, " -> %s", c->error);
		section_put(sec);
	}
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
		/* its last sentence */
		struct slice said = slice_trim(buf_view(&text));
		for (at = said.n; at > 0; at--) {
			const char *p = said.p + at - 1;

			/* does the sentence before it end here? */
			if (at < said.n && (*p == '\n' || (*p != '\0' &&
			    strchr(".!?:", *p) != NULL &&
			    (p[1] == ' ' || p[1] == '\n'))))
				break;
		}
		said = slice_trim(slice_from(said, at));
		buf_adds(&sec->line, "- ");
		buf_add(&sec->line, said.p, utf8_cut(said.p, said.n,
		    SENTENCE_KEPT));
		if (sec->line.len > 2)
			fits = section_put(sec);
		buf_reset(&sec->line);
	}
	buf_release(&text);
}

/* ---- all of it ---- */

/* Append the images of a message to a list. */
static void
put_images(struct slice value, struct buf *list)
{
	struct slice part;

	for (struct walk w = walk_elements(value);
	    walk_next(&w, NULL, &part); )
		if (scan_str_is(scan_get(part, "type"), "image_url"))
			scan_put(list, list->len > 0 ? ",$" : "[$", part);
}

/* The content, with what people wrote exactly as they wrote it. */
static void
put_all(const struct compact *c, struct slice task, struct slice text,
    struct people_whole whole, struct buf *out)
{
	const struct summary *s = c->summary;
	struct slice *v = xcalloc(s->ncontexts + 4, sizeof *v);
	struct buf instead = BUF_INIT(BUF_RECORD_MAX), quoted = instead;
	struct buf images = instead;
	size_t n = 0, bytes = 0;
	uint64_t sum = 0;

	/* contexts come first, verbatim, if they fit */
	for (; n < s->ncontexts; n++) {
		buf_reset(&instead);
		msg_text(s->contexts[n], &instead);
		bytes += instead.len;
		sum += token_count(c->family, instead.p, instead.len);
		v[n] = s->contexts[n];
	}
	if (sum > (uint64_t)percent_of(epoch_window(c), CONTEXT_PERCENT)) {
		buf_reset(&instead);
		buf_fmt(&instead, "\"[%zu bytes of project instructions are "
		    "left out: more than 10 %% of the window; read their "
		    "files again]\"", bytes);
		v[0] = buf_view(&instead);
		n = 1;
	}
	if (task.n > 0)
		v[n++] = task;
	scan_quote(&quoted, text.p, text.n);
	v[n++] = buf_view(&quoted);
	/* the images of a task that is cut, and of the newest message, as
	 * separate content */
	if (!whole.first && whole.images)
		put_images(s->task, &images);
	if (whole.turn && s->nusers > 1 && (whole.newest || whole.images))
		put_images(s->newest, &images);
	if (images.len > 0) {
		buf_addc(&images, ']');
		v[n++] = buf_view(&images);
	}
	view_join(out, v, n);
	free(v);
	bufs_release(BUFS(&instead, &quoted, &images));
}

/* Does a message stay whole where long ones are cut?  One that does not fit by
 * itself does: the error names it. */
static bool
stays(const struct compact *c, const struct user *u)
{
	return u->len <= FIRST_LEAST || token_count(c->family, u->text,
	    u->len) > (uint64_t)epoch_window(c);
}

static uint64_t
tokens_of(const struct compact *c, const struct user *u, size_t most)
{
	return token_count(c->family, u->text, shown(u, most));
}

/* The task and the current turn's message stay whole while there is anything
 * else to leave out; then they are cut if they are long.  So do the last
 * messages before it where they fit, or USER_KEPT bytes of them. */
static struct people_whole
whole_of(const struct compact *c, size_t cap)
{
	const struct summary *s = c->summary;
	const struct view *v = c->view;
	bool least = cap <= SUMMARY_IMAGES;
	struct people_whole whole = { .first = true,
		.images = cap > SUMMARY_LEAST };
	uint64_t left = (uint64_t)percent_of(epoch_window(c), least ?
	    LEAST_PERCENT : LAST_PERCENT);
	size_t later = 0;	/* nodes with messages after the folded part */

	for (size_t i = v->n; i > s->upto; i--)
		later += v->nodes[i - 1].kind == VIEW_USER &&
		    v->nodes[i - 1].person;
	whole.turn = whole.newest = later == 0;
	if (least && s->nusers > 0) {
		whole.first = stays(c, &s->users[0]);
		whole.newest &= stays(c, &s->users[s->nusers - 1]);
	}
	while (whole.nlast + later < LAST && whole.nlast + 1 < s->nusers) {
		const struct user *u = &s->users[s->nusers - 1 - whole.nlast];
		size_t most = WHOLE;
		uint64_t n = tokens_of(c, u, most);

		if (whole.nlast == 0 && whole.newest)
			n = 0;
		if (n > left)
			n = tokens_of(c, u, most = USER_KEPT);
		if (n > left)
			break;
		left -= n;
		whole.last[whole.nlast++] = most;
	}
	return whole;
}

/* Print all but the context into empty text, and the task into task. */
static void
print_text(const struct compact *c, size_t cap, struct people_whole whole,
    struct buf *text, struct buf *task)
{
	const struct summary *s = c->summary;
	struct buf firm = BUF_INIT(BUF_RECORD_MAX);
	size_t least = sizeof HEADER;	/* for user messages */
	struct section sec = { .line = BUF_INIT(BUF_RECORD_MAX) };

	whole.kept = num_min(cap + sizeof FOOTER, USER_KEPT);
	if (whole.kept < FIRST_LEAST)
		whole.kept = FIRST_LEAST;
	if (s->nusers > 0)
		least += newest_line(s, whole) + LEFT_OUT;
	if (s->nusers > 0 && !whole.first)
		least += num_min(s->users[0].len + FRAME + MORE,
		    s->nusers == 1 ? USER_KEPT + FRAME + MORE : FIRST_LEAST);
	buf_adds(text, HEADER);
	/* User messages take precedence over everything but changed files and
	 * open errors, which are short: make those first.  The room for
	 * messages changes in steps, so that they are the same in the next
	 * summary. */
	size_t most = cap > least ? cap - least : 0;
	size_t step = cap / FIRM_STEPS + 1;
	begin(&sec, &firm, "FILES CHANGED:", most, cap * FILES_PERCENT / 100);
	print_changed(s, &sec);
	begin(&sec, &firm, "OPEN ERRORS:", most, cap * ERRORS_PERCENT / 100);
	print_errors(s, &sec);
	size_t room = num_min(most, (firm.len + step - 1) / step * step);
	begin(&sec, text, "USER MESSAGES SO FAR:", cap - room, cap);
	print_people(s, whole, &sec, task);
	if (!whole.first)
		cap -= num_min(cap, task->len);
	buf_slice(text, buf_view(&firm));
	begin(&sec, text, "FILES READ:", cap, cap / 5);
	const struct entry *f = entry_at(&s->files, s->files.newest);
	for (; f != NULL; f = entry_at(&s->files, f->older)) {
		if (has_changed(f) || f->reads == 0)
			continue;
		buf_adds(&sec.line, "- ");
		buf_slice(&sec.line, first_line(f->text));
		buf_fmt(&sec.line, " x%zu", f->reads);
		if (!section_put(&sec))
			break;
	}
	begin(&sec, text, "RECENT COMMANDS:", cap, cap * 15 / 100);
	f = entry_at(&s->commands, s->commands.newest);
	for (int left = COMMANDS_SHOWN; left > 0 && f != NULL; left--) {
		buf_adds(&sec.line, f->failed ? "- [ERR] " : "- [ok] ");
		buf_slice(&sec.line, command_line(f, COMMAND_KEPT));
		f = section_put(&sec) ? entry_at(&s->commands, f->older) :
		    NULL;
	}
	begin(&sec, text, "NOTES:", cap, cap * 15 / 100);
	print_said(s, c->view, &sec);
	buf_adds(text, FOOTER);
	bufs_release(BUFS(&sec.line, &firm));
}

void
summary_print(const struct compact *c, size_t cap, struct buf *out)
{
	const struct summary *s = c->summary;
	struct buf text = BUF_INIT(BUF_RECORD_MAX), task = text;
	struct people_whole whole = whole_of(c, cap);
	uint64_t most = (uint64_t)percent_of(epoch_window(c), SUMMARY_PERCENT);
	uint64_t apart = 0, n;

	cap -= sizeof FOOTER;
	for (size_t i = 0; i < whole.nlast; i++)
		apart += tokens_of(c, &s->users[s->nusers - 1 - i],
		    whole.last[i]);
	for (;;) {
		print_text(c, cap, whole, &text, &task);
		n = token_count(c->family, text.p, text.len) - apart;
		if (n <= most || cap < sizeof HEADER)
			break;
		/* its bytes are many tokens, or the window is tiny */
		cap = num_min((size_t)(cap * most / n), cap - cap / 16 - 1);
		bufs_reset(BUFS(&text, &task));
	}
	put_all(c, buf_view(&task), buf_view(&text), whole, out);
	bufs_release(BUFS(&text, &task));
}
