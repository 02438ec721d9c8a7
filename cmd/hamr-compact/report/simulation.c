/* simulation.c - a transcript replayed call by call. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "record/msg.h"

#include "simulation.h"

/* ---- what the plain view tells of calls and results ---- */

/* An edit in the answer.  It counts only if its old text occurs in the history
 * at all. */
static void
edit(struct simulation *s, struct slice args)
{
	const struct buf *words = &s->plain.words;
	struct buf old = BUF_INIT(BUF_RECORD_MAX);

	if (scan_str(scan_get(args, "old"), &old) && old.len > 0 &&
	    words->len > 0 &&
	    memmem(words->p, words->len, old.p, old.len) != NULL)
		for (size_t i = 0; i < s->nmethods; i++)
			method_edit(&s->methods[i], buf_view(&old));
	buf_release(&old);
}

static void
take_call(void *self, struct view_call *call, struct slice name,
    const struct view_args *args)
{
	struct simulation *s = self;
	enum tool_kind *kind = arena_alloc(&s->view->arena, sizeof *kind);
	struct action a;
	struct slice one;
	struct walk w;

	action_init(&a, name, args->text);
	essentials_call(&s->essentials, &a);
	if (a.kind == TOOL_EDIT && s->asked) {
		edit(s, buf_view(&a.args));
		w = walk_of(scan_get(buf_view(&a.args), "edits"));
		while (walk_next(&w, NULL, &one))
			edit(s, one);
	}
	*kind = a.kind;
	call->note = kind;
	action_release(&a);
}

static void
take_result(void *self, struct view_call *call, const struct rec *r,
    struct slice content)
{
	struct simulation *s = self;
	const enum tool_kind *kind = call->note;

	(void)content;
	essentials_result(&s->essentials, r, *kind);
}

/* ---- life ---- */

static void
begin(struct simulation *s)
{
	s->view = view_new();
	s->view->hooks = (struct view_hooks){ s, take_call, take_result,
		NULL };
	request_init(&s->plain);
	s->messages = s->steps = s->before = 0;
	s->tools = 0;
	s->asked = false;
	s->title = NULL;
}

static void
end(struct simulation *s)
{
	view_free(s->view);
	request_release(&s->plain);
	essentials_release(&s->essentials);
	free(s->title);
}

static void
add(struct simulation *s, enum method_rule rule, const struct conf *conf,
    const char *strategy, long window)
{
	struct method *m = &s->methods[s->nmethods++];

	method_init(m, rule, conf, strategy, window);
	if (rule == METHOD_OURS || rule == METHOD_EVERY_CALL)
		compact_count_by(&m->compact, s->family);
}

void
simulation_init(struct simulation *s, const struct conf *conf,
    const char *strategy, long window, bool all, enum token_family family)
{
	static const long usual[] = { 12288, 16384, 32768, 65536, 131072 };

	*s = (struct simulation){ .nwindows = sizeof usual / sizeof *usual,
		.family = family };
	memcpy(s->windows, usual, sizeof usual);
	if (window >= 0) {
		s->windows[0] = window;
		s->nwindows = 1;
	}
	for (size_t i = 0; i < s->nwindows; i++) {
		add(s, METHOD_OURS, conf, strategy, s->windows[i]);
		add(s, METHOD_EVERY_CALL, conf, strategy, s->windows[i]);
		add(s, METHOD_DROP, conf, NULL, s->windows[i]);
		for (size_t k = 0; all && strategy_at(k) != NULL; k++)
			if (strategy_at(k) != s->methods[i *
			    s->each].compact.set.strategy)
				add(s, METHOD_OURS, conf, strategy_at(k)->name,
				    s->windows[i]);
		s->each = s->nmethods / (i + 1);
	}
	for (int rule = METHOD_RAW; rule <= METHOD_TURN10; rule++)
		add(s, (enum method_rule)rule, conf, NULL, 0);
	begin(s);
}

void
simulation_reset(struct simulation *s)
{
	end(s);
	for (size_t i = 0; i < s->nmethods; i++)
		method_reset(&s->methods[i]);
	begin(s);
}

void
simulation_release(struct simulation *s)
{
	end(s);
	for (size_t i = 0; i < s->nmethods; i++)
		method_release(&s->methods[i]);
}

/* ---- steps ---- */

static void
look(struct simulation *s)
{
	struct request_news news;

	s->plain.family = s->family;
	request_take_view(&s->plain, s->view, &news);
	for (size_t i = 0; i < s->nmethods; i++)
		if (news.first < s->methods[i].changed)
			s->methods[i].changed = news.first;
}

/* A model was called here. */
static void
go(struct simulation *s)
{
	if (s->asked || s->view->n == 0)
		return;
	s->asked = true;
	s->steps++;
	look(s);
	s->before = s->plain.n;
	for (size_t i = 0; i < s->nmethods; i++)
		method_go(&s->methods[i], &s->plain, &s->essentials,
		    s->tools);
}

/* Add the answer as the plain view shows it, which is how it was generated. */
static void
reply(struct simulation *s)
{
	size_t i;

	look(s);
	for (i = s->plain.n; i > s->before; i--)
		if (s->plain.m[i - 1].role == 'a')
			break;
	for (size_t k = 0; i > s->before && k < s->nmethods; k++)
		method_reply(&s->methods[k], &s->plain, i - 1);
}

/* ---- records ---- */

void
simulation_record(struct simulation *s, const struct rec *r)
{
	unsigned prev = TOKEN_START;
	struct slice tools;
	char *session, *model;

	switch (r->kind) {
	case R_COMPACTION: case R_COMPACT: case R_RECOVERY: case R_LIMIT:
	case R_REQUEST: case R_GO:
		return;		/* of the window that the transcript was made
				 * with, or ours to make */
	case R_ERROR:
		if (rec_str_is(r, "stage", "compact"))
			return;
		break;
	case R_HAMR:
		session = rec_strdup(r, "session");
		model = rec_strdup(r, "model");
		free(s->title);
		s->title = xasprintf("%s%s%s", session != NULL ? session : "",
		    session != NULL && model != NULL ? ", " : "",
		    model != NULL ? model : "");
		free(session);
		free(model);
		break;
	case R_TOOLS:
		tools = rec_get(r, "tools");
		s->tools = tools.n > 2 ? token_sum(s->family, tools.p,
		    tools.n, &prev) : 0;
		break;
	case R_ASSISTANT: case R_USAGE: go(s); break;
	default: break;
	}
	for (size_t i = 0; i < s->nmethods; i++)
		method_record(&s->methods[i], r);
	if (!rec_is_message(r->kind))
		return;
	s->messages++;
	view_add(s->view, r);
	if (r->kind == R_USER)
		essentials_user(&s->essentials, r);
	if (r->kind == R_ASSISTANT && s->asked)
		reply(s);
	s->asked = r->kind == R_ASSISTANT;
}
