/* turn.c - one turn of the agent: steps until it ends, and how it ended. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "mem.h"
#include "texts.h"
#include "turn.h"

#define CANCEL_MS 1500		/* a cancelled action writes what there is */
#define LAST_WORDS_MS 60000	/* the extra request of a spent budget */
#define MAX_CUT 3		/* answers cut by length in a row */
#define MAX_EMPTY 2		/* nudges for empty answers */

static const struct {
	const char *word;
	int status;
} endings[] = {
	[END_COMPLETED] = { "completed", ST_OK },
	[END_TOOL_ERROR] = { "tool_error", ST_NO },
	[END_BUDGET] = { "budget_exhausted", ST_NOFIT },
	[END_GUARD] = { "guard_stopped", ST_GUARD },
	[END_MODEL] = { "model_error", ST_MODEL },
	[END_INTERRUPTED] = { "interrupted", ST_INTERRUPTED },
};

const char *
turn_status_word(enum ending e)
{
	return endings[e].word;
}

int
turn_status(enum ending e)
{
	return endings[e].status;
}

static void
ends(struct turn *t, enum ending e, const char *reason)
{
	t->end = e;
	free(t->reason);
	t->reason = xstrdup(reason);
}

/* ---- records of our own ---- */

static int
say(struct turn *t, const char *text)
{
	struct json *o = json_object(), *meta = json_object();

	json_str(o, "role", "user");
	json_str(o, "content", text);
	json_str(meta, "by", "loop");
	json_add(o, "meta", meta);
	return hub_commit(t->hub, o);
}

static struct json *
refusal(const struct open_call *c, const char *code, const char *text)
{
	struct json *o = json_object(), *meta = json_object();

	json_str(o, "role", "tool");
	json_str(o, "tool_call_id", c->id);
	json_str(o, "name", c->name);
	json_str(o, "content", text);
	json_bool(o, "is_error", true);
	json_str(meta, "error", code);
	json_add(o, "meta", meta);
	return o;
}

/* Answer every open call, in call order. */
static void
close_calls(struct turn *t, const char *code, const char *text)
{
	struct track *k = t->hub->track;

	for (size_t i = 0; i < k->ncalls; i++)
		if (!k->calls[i].done &&
		    hub_commit(t->hub, refusal(&k->calls[i], code,
		    k->calls[i].started ? TEXT_RESULT_UNKNOWN : text)) < 0)
			return;
}

static int
recovery(struct turn *t, const char *scenario, int attempt)
{
	struct json *o = json_object();

	json_str(o, "type", "recovery");
	json_str(o, "scenario", scenario);
	json_int(o, "attempt", attempt);
	return hub_commit(t->hub, o);
}

/* ---- limits ---- */

/* The limit that is reached, or NULL. */
static const char *
limit_reached(const struct turn *t)
{
	const struct track *k = t->hub->track;
	const struct conf *c = t->conf;
	int64_t wall = conf_int(c, "budget.max_wall_seconds");
	int64_t tokens = conf_int(c, "budget.max_tokens");
	double cost = conf_num(c, "budget.max_cost");
	int64_t steps = conf_int(c, "agent.max_model_steps");
	int64_t calls = conf_int(c, "agent.max_tool_calls");

	if (steps > 0 && k->steps >= steps)
		return "max_model_steps";
	if (calls > 0 && k->started >= calls)
		return "max_tool_calls";
	if (wall > 0 && file_now_ms() - t->begun >= wall * 1000)
		return "max_wall_seconds";
	if (tokens > 0 && k->usage.prompt + k->usage.completion >= tokens)
		return "max_tokens";
	if (cost > 0 && k->usage.has_cost && k->usage.cost >= cost)
		return "max_cost";
	return NULL;
}

/* When max_wall_seconds is over, in ms; 0: never. */
static long long
wall_end(const struct turn *t)
{
	int64_t wall = conf_int(t->conf, "budget.max_wall_seconds");

	return wall > 0 ? t->begun + wall * 1000 : 0;
}

/* An action did not return: if it was its time that ran out, it is stopped
 * and the turn ends. */
static bool
out_of_time(struct turn *t)
{
	struct hub *h = t->hub;

	if (h->failed || h->interrupts > 0 || h->ui->out_closed)
		return false;
	hub_cancel(h, CANCEL_MS);
	ends(t, END_BUDGET, "max_wall_seconds");
	return true;
}

/* ---- one step ---- */

/* go to compact, then the request to the provider.  True when an assistant
 * message was committed; else the turn has ended, or is to be tried again. */
static bool
ask_model(struct turn *t, long long until)
{
	struct hub *h = t->hub;
	struct track *k = h->track;
	long steps = k->steps;

	buf_reset(&h->request);
	if (hub_go(h, SLOT_COMPACT, 0) < 0)
		return false;
	if (h->request.len == 0) {
		if (k->error_code != NULL)
			ends(t, END_BUDGET, "context");
		else
			ends(t, END_TOOL_ERROR, "stage compact made no request");
		return false;
	}
	if (hub_go(h, SLOT_PROVIDER, until) < 0) {
		out_of_time(t);
		return false;
	}
	if (k->steps == steps) {
		ends(t, END_MODEL, k->error_code != NULL ? k->error_code :
		    "no answer");
		return false;
	}
	return hub_sync(h, SLOT_GUARD) == 0;
}

/* A server that says the request is too long: compact once, ask again. */
static bool
squeeze(struct turn *t)
{
	struct json *o;

	if (t->squeezed || t->end != END_MODEL || t->reason == NULL ||
	    strcmp(t->reason, "context_overflow") != 0)
		return false;
	t->squeezed = true;
	o = json_object();
	json_str(o, "type", "compact");
	return hub_commit(t->hub, o) == 0;
}

/* More calls than the budget has left: the tool stage is told that the last
 * ones are answered, and their answers are committed behind its own. */
static bool
run_calls(struct turn *t)
{
	struct hub *h = t->hub;
	struct track *k = h->track;
	int64_t max = conf_int(t->conf, "agent.max_tool_calls");
	size_t open = track_open(k), cut = 0;

	if (max > 0 && (int64_t)open > max - k->started)
		cut = open - (size_t)(max - k->started);
	for (size_t i = k->ncalls, left = cut; left > 0 && i-- > 0; )
		if (!k->calls[i].done) {
			hub_hint(h, SLOT_TOOL, refusal(&k->calls[i],
			    "budget_exhausted", TEXT_RESULT_BUDGET));
			left--;
		}
	if (hub_go(h, SLOT_TOOL, wall_end(t)) < 0) {
		if (out_of_time(t))
			close_calls(t, "budget_exhausted", TEXT_RESULT_BUDGET);
		return false;
	}
	if (cut > 0)
		close_calls(t, "budget_exhausted", TEXT_RESULT_BUDGET);
	if (track_open(k) > 0) {
		close_calls(t, "interrupted", TEXT_RESULT_INTERRUPTED);
		ends(t, END_TOOL_ERROR, "stage tool left calls unanswered");
		return false;
	}
	return hub_sync(h, SLOT_GUARD) == 0;
}

/* The budget is spent: one more request, text only. */
static void
last_words(struct turn *t, const char *limit)
{
	struct hub *h = t->hub;
	struct json *o = json_object();
	char *text;

	ends(t, END_BUDGET, limit);
	t->summed_up = true;
	text = xasprintf(TEXT_BUDGET, limit);
	json_str(o, "type", "constrain");
	json_str(o, "stage", "hamr-loop");
	json_str(o, "tool_choice", "none");
	json_str(o, "rule", limit);
	json_int(o, "steps", 1);
	if (say(t, text) == 0 && hub_commit(h, o) == 0 &&
	    hub_sync(h, SLOT_GUARD) == 0 &&
	    ask_model(t, file_now_ms() + LAST_WORDS_MS)) {
		close_calls(t, "budget_exhausted", TEXT_RESULT_BUDGET);
		hub_sync(h, SLOT_GUARD);
	}
	ends(t, END_BUDGET, limit);
	free(text);
}

/* An answer cut by length, or an empty one.  True: the model was told, go
 * on.  False: nothing of the kind, or too often (then t->reason is set). */
static bool
unfinished(struct turn *t)
{
	struct track *k = t->hub->track;

	if (strcmp(k->finish, "length") == 0) {
		close_calls(t, "truncated", TEXT_RESULT_CUT);
		if (k->cut_in_a_row >= MAX_CUT) {
			ends(t, END_MODEL, "truncated");
			return false;
		}
		return say(t, TEXT_CUT) == 0 &&
		    hub_sync(t->hub, SLOT_GUARD) == 0;
	}
	if (k->empty_in_a_row == 0)
		return false;
	if (k->empty_in_a_row > MAX_EMPTY) {
		ends(t, END_MODEL, "empty_response");
		return false;
	}
	return recovery(t, "empty_response", k->empty_in_a_row) == 0 &&
	    say(t, TEXT_EMPTY) == 0 && hub_sync(t->hub, SLOT_GUARD) == 0;
}

/* One thing that is due, by the records.  False: the turn is over. */
static bool
next(struct turn *t)
{
	struct track *k = t->hub->track;
	const char *limit;

	if (k->last == R_ASSISTANT && strcmp(k->finish, "length") == 0)
		return unfinished(t);
	if (track_open(k) > 0) {
		if (!run_calls(t))
			return false;
		if (k->halted)
			ends(t, END_GUARD, k->halt_rule);
		return !k->halted;
	}
	if (k->halted && k->last != R_USER) {
		ends(t, END_GUARD, k->halt_rule);
		return false;
	}
	if (k->last == R_ASSISTANT) {
		if (k->empty_in_a_row > 0)
			return unfinished(t);
		ends(t, END_COMPLETED, "stop");
		return false;
	}
	limit = limit_reached(t);
	if (limit != NULL) {
		last_words(t, limit);
		return false;
	}
	return ask_model(t, wall_end(t)) || squeeze(t);
}

static void
interrupted(struct turn *t, const char *why)
{
	struct hub *h = t->hub;

	ends(t, END_INTERRUPTED, why);
	hub_cancel(h, CANCEL_MS);
	h->interrupts = 0;
	h->ending = true;
	close_calls(t, "interrupted", TEXT_RESULT_INTERRUPTED);
	hub_ask(h, SLOT_GUARD, false);
	hub_wait(h, file_now_ms() + CANCEL_MS);
}

void
turn_run(struct turn *t)
{
	struct hub *h = t->hub;
	bool closed;

	ends(t, END_COMPLETED, "");
	while (!h->failed && h->interrupts == 0 && !h->ui->out_closed &&
	    next(t))
		;
	closed = h->ui->out_closed;
	if (h->failed && h->stage_failed) {
		ends(t, h->failed_slot == SLOT_PROVIDER ? END_MODEL :
		    END_TOOL_ERROR, "stage_died");
		h->failed = false;	/* the session itself is sound */
		close_calls(t, "stage_died", TEXT_RESULT_INTERRUPTED);
	} else if (h->failed) {
		ends(t, END_TOOL_ERROR, "storage_full");
	} else if (h->interrupts > 0 || closed) {
		interrupted(t, closed ? "stdout closed" : "signal");
	}
}

static struct json *
usage_json(const struct usage *u)
{
	struct json *o = json_object();

	json_int(o, "prompt_tokens", u->prompt);
	json_int(o, "completion_tokens", u->completion);
	json_int(o, "cached_tokens", u->cached);
	if (u->has_cost)
		json_double(o, "cost", u->cost);
	return o;
}

int
turn_end(struct turn *t)
{
	struct track *k = t->hub->track;
	struct json *o = json_object(), *files = json_array();
	struct buf line = BUF_INIT(BUF_RECORD_MAX);

	json_str(o, "type", "end");
	json_str(o, "status", turn_status_word(t->end));
	json_str(o, "reason", t->reason != NULL ? t->reason : "");
	json_str(o, "answer", k->answer);
	json_int(o, "steps", k->steps);
	json_int(o, "tool_calls", k->started);
	for (size_t i = 0; i < k->nfiles; i++)
		json_str(files, NULL, k->files[i]);
	json_add(o, "files_changed", files);
	json_add(o, "usage", usage_json(&k->usage));
	json_str(o, "sandbox", "none");
	json_int(o, "ms", file_now_ms() - t->begun);
	json_print(o, &line);
	t->record = buf_detach(&line);
	/* When the session cannot be written, who reads stdout is still told
	 * how it ended. */
	if (t->hub->failed) {
		hub_show(t->hub, o);
		return -1;
	}
	if (hub_commit(t->hub, o) < 0)
		return -1;
	return hub_durable(t->hub);
}
