/* replay.c - a transcript replayed call by call. */
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "msg.h"

#include "replay.h"

static void
begin(struct replay *r)
{
	r->view = view_new();
	shot_init(&r->plain, TOK_MODERN);
	r->messages = r->steps = r->before = 0;
	r->tools = 0;
	r->asked = false;
	r->title = NULL;
}

static void
end(struct replay *r)
{
	view_free(r->view);
	shot_release(&r->plain);
	needs_reset(&r->needs);
	free(r->title);
}

/* The n-th lane of all, NULL behind the last. */
static struct lane *
lane_at(struct replay *r, size_t n)
{
	if (n < r->nwindows)
		return &r->ours[n];
	n -= r->nwindows;
	if (n < r->nwindows)
		return &r->every[n];
	n -= r->nwindows;
	return n < REPLAY_RULES ? &r->rules[n] : NULL;
}

void
replay_init(struct replay *r, const struct conf *conf, const char *strategy,
    long window)
{
	static const long all[REPLAY_WINDOWS] = { 12288, 16384, 32768, 65536,
		131072 };

	*r = (struct replay){ .conf = conf, .nwindows = REPLAY_WINDOWS };
	memcpy(r->windows, all, sizeof all);
	if (window >= 0) {
		r->windows[0] = window;
		r->nwindows = 1;
	}
	for (size_t i = 0; i < r->nwindows; i++) {
		lane_init(&r->ours[i], LANE_OURS, conf, strategy,
		    r->windows[i]);
		lane_init(&r->every[i], LANE_EVERY, conf, strategy,
		    r->windows[i]);
	}
	for (int i = 0; i < REPLAY_RULES; i++)
		lane_init(&r->rules[i], (enum lane_rule)(LANE_RAW + i), conf,
		    NULL, 0);
	begin(r);
}

void
replay_reset(struct replay *r)
{
	end(r);
	for (size_t i = 0; lane_at(r, i) != NULL; i++)
		lane_reset(lane_at(r, i));
	begin(r);
}

void
replay_release(struct replay *r)
{
	end(r);
	for (size_t i = 0; lane_at(r, i) != NULL; i++)
		lane_release(lane_at(r, i));
}

/* ---- steps ---- */

static void
look(struct replay *r)
{
	size_t known = view_unchanged(r->view);
	struct slice messages = view_messages(r->view);
	struct shot_news news;

	r->plain.family = r->family;
	shot_take(&r->plain, messages, known, &news);
	for (int i = 0; i < REPLAY_RULES; i++)
		lane_plain(&r->rules[i], news.first, news.same);
	needs_plain(&r->needs, &r->plain, news.first);
}

/* A model was called here. */
static void
go(struct replay *r)
{
	if (r->asked || view_nodes(r->view) == 0)
		return;
	r->asked = true;
	r->steps++;
	look(r);
	r->before = r->plain.n;
	for (size_t i = 0; lane_at(r, i) != NULL; i++)
		lane_go(lane_at(r, i), &r->plain, &r->needs,
		    r->tools);
}

/* The answer as the plain view shows it, which is how it was generated. */
static void
reply(struct replay *r)
{
	size_t i;

	look(r);
	for (i = r->plain.n; i > r->before; i--)
		if (r->plain.m[i - 1].role == 'a')
			break;
	if (i <= r->before)
		return;
	for (size_t k = 0; lane_at(r, k) != NULL; k++)
		lane_reply(lane_at(r, k), &r->plain, i - 1);
}

/* An edit in the answer: only old text that history holds at all counts. */
static void
edit(void *self, struct slice old)
{
	struct replay *r = self;
	size_t place = last_place(buf_view(&r->plain.words),
	    r->plain.words.len, old);

	if (place == 0)
		return;
	for (size_t i = 0; lane_at(r, i) != NULL; i++)
		lane_edit(lane_at(r, i), &r->plain, old, place);
}

/* ---- records ---- */

static void
take_header(struct replay *r, const struct rec *rec)
{
	char *session = rec_strdup(rec, "session");
	char *model = rec_strdup(rec, "model");

	free(r->title);
	r->title = xasprintf("%s%s%s", session != NULL ? session : "",
	    session != NULL && model != NULL ? ", " : "",
	    model != NULL ? model : "");
	free(session);
	free(model);
}

static void
take_tools(struct replay *r, const struct rec *rec)
{
	struct slice tools = rec_get(rec, "tools");
	unsigned prev = TOKEN_START;

	r->tools = tools.n > 2 ? token_sum(r->family, tools.p, tools.n,
	    &prev) : 0;
}

/* What belongs to the window that the transcript was made with, or is ours
 * to make. */
static bool
is_of_its_run(const struct rec *rec)
{
	switch (rec->kind) {
	case R_COMPACTION: case R_COMPACT: case R_RECOVERY: case R_LIMIT:
	case R_REQUEST: case R_GO:
		return true;
	default:
		return rec->kind == R_ERROR &&
		    rec_str_is(rec, "stage", "compact");
	}
}

void
replay_record(struct replay *r, const struct rec *rec)
{
	if (is_of_its_run(rec))
		return;
	if (rec->kind == R_HAMR)
		take_header(r, rec);
	if (rec->kind == R_TOOLS)
		take_tools(r, rec);
	if (rec->kind == R_ASSISTANT || rec->kind == R_USAGE)
		go(r);
	if (rec->kind == R_ASSISTANT && r->asked)
		edits_of(rec, r, edit);
	for (size_t i = 0; i < r->nwindows; i++) {
		seam_record(&r->ours[i].seam, rec);
		seam_record(&r->every[i].seam, rec);
	}
	if (!rec_is_message(rec->kind))
		return;
	r->messages++;
	view_add(r->view, rec);
	needs_take(&r->needs, rec);
	if (rec->kind == R_ASSISTANT && r->asked)
		reply(r);
	r->asked = rec->kind == R_ASSISTANT;
}
