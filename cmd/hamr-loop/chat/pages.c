/* pages.c - what a session holds, on a page each; and its last turn. */
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/num.h"
#include "git/gitindex.h"
#include "git/gitrepo.h"
#include "internal.h"
#include "record/msg.h"
#include "show/inspect.h"
#include "term/term.h"
#include "tokens/token.h"

#define OUTPUT_MAX ((size_t)1 << 20)
#define COMPACT_MS 10000
#define LABEL 14		/* columns */
#define MESSAGES "messages to it"	/* of what takes room in the window */
#define CALLS_SHOWN 20		/* the last ones of the last turn */
#define PATHS_SHOWN 100		/* of files, in one row */

const char *
plural(long n)
{
	return n == 1 ? "" : "s";
}

/* ---- what the session holds ---- */

static void
see_tool(struct session_summary *s, const struct rec *r)
{
	struct slice mutated = msg_meta(r, "mutated");

	s->calls++;
	if (!scan_true(rec_get(r, "is_error")) && rec_str_is(r, "name", "read"))
		track_add_path(&s->read, msg_meta(r, "path"));
	if (scan_kind(mutated) != SCAN_ARRAY || mutated.n <= 2)
		return;
	GROW(s->v, s->n, s->cap);
	struct change *v = &s->v[s->n++];
	*v = (struct change){ .call = rec_strdup(r, "tool_call_id"),
		.command = scan_strdup(msg_meta(r, "command")),
		.diff = scan_strdup(msg_meta(r, "diff")),
		.mutated = xmemdup0(mutated.p, mutated.n) };
}

static void
see_id(struct session_summary *s, const struct rec *r, const char *key)
{
	char *id = rec_strdup(r, key);

	if (id != NULL)
		map_put(&s->ours, slice_of(id), NULL);
	free(id);
}

static uint64_t
tokens_of(struct slice json)
{
	struct buf text = BUF_INIT(BUF_RECORD_MAX);
	unsigned prev = TOKEN_START;

	scan_inside(json, &text);
	uint64_t sum = token_sum(TOK_MODERN, text.p, text.len, &prev);
	buf_release(&text);
	return sum;
}

/* Take the text of an answer, complete or cut off. */
static void
see_answer(struct session_summary *s, struct slice content, bool broken)
{
	struct buf text = BUF_INIT(BUF_RECORD_MAX);

	msg_text(content, &text);
	struct slice words = slice_trim(buf_view(&text));
	if (words.n > 0) {
		if (s->silent)
			buf_reset(&s->answers);
		buf_add(&s->answers, words.p, words.n);
		buf_add(&s->answers, "", 1);
		free(s->answer);
		s->answer = xmemdup0(words.p, words.n);
		s->broken = broken;
		s->silent = false;
	}
	buf_release(&text);
}

static bool
begins_turn(const struct rec *r)
{
	return msg_is_person(r) && !msg_by(r, "shell") &&
	    !scan_true(msg_meta(r, "steering"));
}

/* The next record of the session's file; NULL: no more.  *in is zeroed before
 * the first one, and again after the last. */
static const struct rec *
next_record(struct chat *c, struct rec_in *in)
{
	const char *path = c->run->session.path;
	const struct rec *r;

	if (in->name == NULL) {
		int fd = open(path, O_RDONLY | O_CLOEXEC);

		if (fd < 0)
			return NULL;
		rec_in_init(in, fd, path, REC_MAX);
	}
	if (rec_next(in, &r, NULL) > 0)
		return r;
	close(in->fd);
	rec_in_release(in);
	*in = (struct rec_in){ .name = NULL };
	return NULL;
}

void
summarize_session(struct chat *c, struct session_summary *s, long turn)
{
	struct rec_in in = { .name = NULL };
	const struct rec *r;
	struct slice el;

	*s = (struct session_summary){ .answers = BUF_INIT((size_t)1 << 40) };
	for (long line = 0; (r = next_record(c, &in)) != NULL; line++)
		switch (r->kind) {
		case R_USER:
			if (msg_by(r, "context"))
				s->context += tokens_of(rec_get(r, "content"));
			if (!begins_turn(r))
				break;
			s->silent = true;
			s->last = line;
			s->calls = 0;
			if (s->turns++ == turn)
				s->at = line;
			break;
		case R_ASSISTANT:
			see_answer(s, rec_get(r, "content"), false);
			break;
		case R_TOOL: see_tool(s, r); break;
		case R_ERROR:
			see_answer(s, scan_get(rec_get(r, "partial"),
			    "content"), true);
			break;
		case R_UNDO:
			for (struct walk w = walk_elements(rec_get(r,
			    "tool_call_ids")); walk_next(&w, NULL, &el); )
				for (size_t i = 0; i < s->n; i++)
					s->v[i].undone |= s->v[i].call !=
					    NULL && scan_str_is(el,
					    s->v[i].call);
			break;
		case R_CHECKPOINT:
			see_id(s, r, "id");
			free(s->checkpoint);
			s->checkpoint = rec_strdup(r, "id");
			break;
		case R_START: see_id(s, r, "tool_call_id"); break;
		case R_COMPACTION:
			s->compactions++;
			s->before = s->after = s->shortened = 0;
			rec_int(r, "tokens_before", &s->before);
			rec_int(r, "tokens_after", &s->after);
			rec_int(r, "results_compacted", &s->shortened);
			break;
		default: break;
		}
}

void
session_summary_release(struct session_summary *s)
{
	for (size_t i = 0; i < s->n; i++)
		FREE(s->v[i].call, s->v[i].command, s->v[i].diff,
		    s->v[i].mutated);
	FREE(s->v, s->answer, s->checkpoint);
	map_release(&s->ours);
	texts_release(&s->read);
	buf_release(&s->answers);
}

/* ---- a page ---- */

void
page_show(struct chat *c, struct buf *page)
{
	ui_lines(&c->run->ui, buf_view(page));
	buf_release(page);
}

/* Append a row: a label, and its text in the second column. */
__attribute__((format(printf, 4, 5)))
static void
row(const struct chat *c, struct buf *page, const char *label,
    const char *fmt, ...)
{
	size_t columns = ui_columns(&c->run->ui) - 1;
	size_t used = 2 + term_width(slice_of(label)), at = LABEL;
	struct buf what = BUF_INIT((size_t)1 << 30);
	va_list ap;

	va_start(ap, fmt);
	buf_vfmt(&what, fmt, ap);
	va_end(ap);
	at = at < columns / 2 ? at : columns / 3;
	buf_fmt(page, "  %s", label);
	if (used + 2 > at) {
		buf_addc(page, '\n');
		used = 0;
	}
	term_wrap(page, buf_view(&what), used, at, columns);
	buf_release(&what);
}

/* The files that a call changed. */
static void
add_changed(struct texts *paths, const struct change *v)
{
	struct slice el;

	for (struct walk w = walk_of(slice_of(v->mutated));
	    walk_next(&w, NULL, &el); )
		track_add_path(paths, scan_get(el, "path"));
}

/* Their names in one row, of many the first. */
static void
list_paths(struct buf *out, const struct texts *paths)
{
	for (size_t i = 0; i < paths->n && i < PATHS_SHOWN; i++)
		buf_fmt(out, "%s%s", i > 0 ? ", " : "", paths->v[i]);
	if (paths->n > PATHS_SHOWN)
		buf_fmt(out, " and %s more",
		    num_grouped((long long)paths->n - PATHS_SHOWN).s);
}

static void
row_paths(const struct chat *c, struct buf *page, const char *label,
    const struct texts *paths)
{
	struct buf b = BUF_INIT((size_t)1 << 40);

	list_paths(&b, paths);
	if (b.len > 0)
		row(c, page, label, "%s", b.p);
	buf_release(&b);
}

/* Read git's files: git itself would run programs that the repository's
 * configuration names. */
static void
row_git(const struct chat *c, struct buf *page)
{
	const char *root = c->run->root;
	char *dir = gitrepo_dir(root), *name = chat_branch(root);
	struct gitindex ix = { 0 };
	struct stat st;
	long n = 0;

	if (name != NULL && gitindex_read(&ix, dir, NULL) == 0) {
		for (size_t i = 0; i < ix.n; i++) {
			const struct gitindex_entry *f = &ix.v[i];
			char *path = xasprintf("%s/%s", root, f->path);

			/* changed since git saw it, by its size and time,
			 * which git checks first, too */
			n += f->plain && (lstat(path, &st) != 0 ||
			    (uint32_t)st.st_size != f->size ||
			    (uint32_t)st.st_mtim.tv_sec !=
			    (uint32_t)f->mtime.tv_sec ||
			    (f->mtime.tv_nsec != 0 &&
			    st.st_mtim.tv_nsec != f->mtime.tv_nsec));
			free(path);
		}
		row(c, page, "git", "%s, %ld tracked file%s changed, not "
		    "staged", name, n, plural(n));
	}
	gitindex_release(&ix);
	free(name);
	free(dir);
}

static void
row_cost(const struct chat *c, struct buf *page)
{
	const struct track *k = &c->run->track;
	const struct usage *u = &k->total;

	if (k->requests == 0) {
		row(c, page, "tokens", "none counted yet");
		return;
	}
	row(c, page, "tokens", "%s in, %s of them cached; %s out; %ld "
	    "request%s", num_grouped(u->prompt).s, num_grouped(u->cached).s,
	    num_grouped(u->completion).s, k->requests, plural(k->requests));
	if (u->cost > 0)
		row(c, page, "cost", "%s", num_dollars(u->cost).s);
	else
		row(c, page, "cost", "unknown; budget.prices in hamr.toml(5) "
		    "sets prices");
}

static void
row_limits(const struct chat *c, struct buf *page)
{
	const struct conf *conf = c->run->conf;
	struct buf b = BUF_INIT(1 << 12);
	long long calls = (long long)conf_int(conf, "agent.max_tool_calls");
	long long wall = (long long)conf_int(conf, "budget.max_wall_seconds");
	long long tokens = (long long)conf_int(conf, "budget.max_tokens");
	double most = conf_num(conf, "budget.max_cost");

	buf_fmt(&b, "%lld steps", (long long)conf_int(conf,
	    "agent.max_model_steps"));
	if (calls > 0)
		buf_fmt(&b, ", %lld calls", calls);
	if (wall > 0)
		buf_fmt(&b, ", %lld s", wall);
	if (tokens > 0)
		buf_fmt(&b, ", %lld tokens", tokens);
	if (most > 0)
		buf_fmt(&b, ", %s", num_dollars(most).s);
	row(c, page, "a turn", "at most %s", b.p);
	buf_release(&b);
}

void
page_status(struct chat *c)
{
	const struct run *r = c->run;
	const struct track *k = &r->track;
	const char *model = ui_model(&r->ui);
	struct buf page = BUF_INIT((size_t)1 << 40);
	struct texts changed = { .n = 0 };
	struct session_summary s;
	long undoable = 0;

	summarize_session(c, &s, -1);
	for (size_t i = 0; i < s.n; i++) {
		if (s.v[i].undone)
			continue;
		undoable++;
		add_changed(&changed, &s.v[i]);
	}
	buf_fmt(&page, "session %s, %ld turn%s\n", r->session.id, s.turns,
	    plural(s.turns));
	row(c, &page, "model", "%s, mode %s", model[0] != '\0' ? model :
	    "the server's own", k->mode != NULL ? k->mode : "?");
	row(c, &page, r->ui.status.on ? "this turn" : "last turn",
	    "%ld step%s, %ld call%s, %zu file%s changed", k->steps,
	    plural(k->steps), k->started, plural(k->started), k->files.n,
	    plural((long)k->files.n));
	row_paths(c, &page, "read", &s.read);
	row_paths(c, &page, "changed", &changed);
	if (s.checkpoint != NULL)
		row(c, &page, "undo", "%ld change%s; the last checkpoint is %s",
		    undoable, plural(undoable), s.checkpoint);
	row_git(c, &page);
	row_limits(c, &page);
	row_cost(c, &page);
	texts_release(&changed);
	session_summary_release(&s);
	page_show(c, &page);
}

void
page_cost(struct chat *c)
{
	struct buf page = BUF_INIT((size_t)1 << 40);

	row_cost(c, &page);
	page_show(c, &page);
}

void
page_diff(struct chat *c)
{
	struct buf diff = BUF_INIT((size_t)1 << 40);
	struct buf names = BUF_INIT((size_t)1 << 40);
	struct texts others = { .n = 0 };	/* what commands changed */
	struct session_summary s;

	summarize_session(c, &s, -1);
	for (size_t i = 0; i < s.n; i++)
		if (!s.v[i].undone && s.v[i].diff != NULL)
			buf_adds(&diff, s.v[i].diff);
		else if (!s.v[i].undone)
			add_changed(&others, &s.v[i]);
	if (diff.len > 0)
		ui_diff(&c->run->ui, buf_view(&diff));
	else if (others.n == 0)
		ui_note(&c->run->ui, s.n == 0 ? "this session has changed no "
		    "file" : "every change of this session was undone");
	list_paths(&names, &others);
	if (names.len > 0)
		ui_note(&c->run->ui, "changed by commands: %s; git status and "
		    "git diff show how", names.p);
	texts_release(&others);
	bufs_release(BUFS(&diff, &names));
	session_summary_release(&s);
}

/* ---- the window ---- */

static int
ask_compact(const struct chat *c, const char *flag, struct buf *out)
{
	const struct run *r = c->run;

	return inspect_ask(&r->o, flag, r->open ? r->session.path : NULL,
	    COMPACT_MS, CHILD_ERR_NONE, out, NULL);
}

/* The number after a name in the output of --budget; 0: none. */
static long long
value_of(struct slice text, const char *name)
{
	size_t n = strlen(name);
	struct slice line;

	while (slice_line(&text, &line))
		if (slice_starts(line, name) && line.n > n &&
		    line.p[n] == ' ')
			return strtoll(line.p + n, NULL, 10);
	return 0;
}

/* Count the tokens of a message of a request, by what it is. */
static void
take_message(struct map *kinds, struct slice m)
{
	struct slice role = scan_get(m, "role");
	struct slice content = scan_get(m, "content");
	char *tool = scan_strdup(scan_get(m, "name"));
	char *label = scan_str_is(role, "system") ? xstrdup("instructions") :
	    scan_str_is(role, "user") ? xstrdup(MESSAGES) :
	    scan_str_is(role, "assistant") ? xstrdup("its answers") :
	    tool == NULL ? xstrdup("results") :
	    xasprintf("results of %s", tool);
	struct call call;

	/* an answer that only calls has no text: null or "" */
	if (content.n > 4 || !scan_str_is(role, "assistant"))
		*map_put(kinds, slice_of(label), NULL) += tokens_of(content);
	for (struct walk w = walk_of(scan_get(m, "tool_calls"));
	    msg_next_call(&w, &call); )
		*map_put(kinds, SLICE("its calls"), NULL) +=
		    tokens_of(call.whole);
	FREE(label, tool);
}

/* Count what is in a request.  Returns the total it states, or 0. */
static long long
take_request(struct map *kinds, struct slice lines)
{
	struct rec_text t = { .rest = lines };
	struct slice m;
	int64_t tokens = 0;

	while (rec_text_next(&t)) {
		if (t.rec.kind != R_REQUEST)
			continue;
		rec_int(&t.rec, "tokens", &tokens);
		*map_put(kinds, SLICE("tool descriptions"), NULL) +=
		    tokens_of(rec_get(&t.rec, "tools"));
		for (struct walk w = walk_of(rec_get(&t.rec, "messages"));
		    walk_next(&w, NULL, &m); )
			take_message(kinds, m);
	}
	return tokens;
}

/* Append a row a kind, the largest first, in shares of all tokens. */
static void
list_kinds(struct buf *page, struct map *kinds, long long all)
{
	uint64_t sum = 0, n, most, below = UINT64_MAX;
	struct slice key;

	for (size_t at = 0; map_next(kinds, &at, &n).p != NULL; )
		sum += n;
	for (; below > 0; below = most) {
		most = 0;
		for (size_t at = 0; map_next(kinds, &at, &n).p != NULL; )
			if (n < below && n > most)
				most = n;
		long long part = sum == 0 ? 0 : (long long)((double)most *
		    (double)all / (double)sum + 0.5);
		for (size_t at = 0; part > 0 && (key = map_next(kinds, &at,
		    &n)).p != NULL; )
			if (n == most)
				buf_fmt(page, "  %-20.23s%9s  %3lld %%\n",
				    key.p, num_grouped(part).s,
				    part * 100 / all);
	}
}

void
page_context(struct chat *c)
{
	struct buf got = BUF_INIT(BUF_RECORD_MAX), facts = BUF_INIT(OUTPUT_MAX);
	struct buf page = BUF_INIT((size_t)1 << 40);
	struct map kinds = { 0 };
	struct session_summary s;
	long long all;

	if (ask_compact(c, "-n", &got) < 0 ||
	    (all = take_request(&kinds, buf_view(&got))) <= 0) {
		ui_note(&c->run->ui, "the next request cannot be made; "
		    "hamr-compact --budget %s says why", c->run->session.path);
		goto out;
	}
	ask_compact(c, "--budget", &facts);
	summarize_session(c, &s, -1);
	/* AGENTS.md and mentioned files are in one message with the
	 * person's text. */
	uint64_t *messages = map_put(&kinds, SLICE(MESSAGES), NULL);
	if (s.context <= *messages) {
		*messages -= s.context;
		*map_put(&kinds, SLICE("AGENTS.md, files"), NULL) = s.context;
	}
	long long room = value_of(buf_view(&facts), "effective_window");
	buf_fmt(&page, "the next request: %s of %s tokens, %lld %%\n",
	    num_grouped(all).s, num_grouped(room).s,
	    room > 0 ? all * 100 / room : 0);
	list_kinds(&page, &kinds, all);
	if (s.compactions > 0)
		row(c, &page, "so far", "shortened %ld time%s; the last time "
		    "from %s to %s tokens, %lld result%s", s.compactions,
		    plural(s.compactions), num_grouped(s.before).s,
		    num_grouped(s.after).s, (long long)s.shortened,
		    plural((long)s.shortened));
	long long next = value_of(buf_view(&facts), "next_epoch_at");
	if (next > 0)
		row(c, &page, "next", "older results are shortened at %s "
		    "tokens; /compact does it now", num_grouped(next).s);
	page_show(c, &page);
	session_summary_release(&s);
out:
	map_release(&kinds);
	bufs_release(BUFS(&got, &facts));
}

void
page_budget(struct chat *c)
{
	static const struct {
		const char *label, *key, *before, *after;
	} rows[] = {
		{ "window", "window", "", " tokens" },
		{ "answer", "reserved_output", "", " are kept for it" },
		{ "request", "effective_window", "at most ", "" },
		{ "one result", "result_cap", "at most ", "" },
		{ "reading", "turn_read_cap", "at most ", " in one turn" },
		{ "shortened", "next_epoch_at", "from ", " on" },
		{ "in use", "size", "", "" },
	};
	struct buf facts = BUF_INIT(OUTPUT_MAX);
	struct buf page = BUF_INIT((size_t)1 << 40);

	ask_compact(c, "--budget", &facts);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		long long n = value_of(buf_view(&facts), rows[i].key);

		if (n > 0)
			row(c, &page, rows[i].label, "%s%s%s", rows[i].before,
			    num_grouped(n).s, rows[i].after);
	}
	row_limits(c, &page);
	page_show(c, &page);
	buf_release(&facts);
}

/* ---- the last turn, shown again ---- */

/* Show an answer of the model, which was streamed when it was live. */
static void
show_answer(struct ui *u, struct slice content, size_t *blocks)
{
	struct buf text = BUF_INIT(BUF_RECORD_MAX);

	msg_text(content, &text);
	struct slice words = slice_trim(buf_view(&text));
	if (words.n > 0 && u->live && conf_bool(u->conf, "ui.markdown"))
		ui_rows(u, words, blocks);
	else if (words.n > 0)
		ui_lines(u, words);
	u->streamed = true;
	buf_release(&text);
}

void
chat_show_last_turn(struct chat *c)
{
	struct ui *u = &c->run->ui;
	struct rec_in in = { .name = NULL };
	const struct rec *r;
	size_t blocks = 0;
	struct session_summary s;

	summarize_session(c, &s, -1);
	if (s.turns > 1)
		ui_note(u, "  ... %ld earlier turn%s; /export writes all of "
		    "them to a file", s.turns - 1, plural(s.turns - 1));
	/* calls counts down; only the last ones are shown */
	for (long line = 0, calls = s.calls; (r = next_record(c, &in)) != NULL;
	    line++) {
		bool hidden = calls > CALLS_SHOWN;

		if (s.turns == 0 || line < s.last) {
			ui_status_take(u, r);
		} else if (r->kind == R_USER) {
			if (msg_is_person(r))
				ui_show_record(u, r);
			if (hidden)
				ui_note(u, "  ... %ld earlier calls",
				    calls - CALLS_SHOWN);
		} else if (r->kind == R_ASSISTANT) {
			show_answer(u, hidden ? SLICE("") :
			    rec_get(r, "content"), &blocks);
			ui_committed(u, r);
		} else if (hidden) {
			calls -= r->kind == R_TOOL;
		} else if (r->kind == R_ERROR) {
			show_answer(u, scan_get(rec_get(r, "partial"),
			    "content"), &blocks);
		} else if (r->kind == R_TOOL || r->kind == R_VERDICT ||
		    r->kind == R_RECOVERY || r->kind == R_VERIFICATION) {
			ui_committed(u, r);
		} else if (r->kind == R_END) {
			run_tell_last(c->run, r);
		}
	}
	session_summary_release(&s);
	ui_status_doing(u, "");
}
