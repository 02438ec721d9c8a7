/* turn.c - one turn of the agent: steps until it ends, and how it ended. */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "contract.h"
#include "internal.h"
#include "json/json.h"
#include "setup.h"
#include "texts.h"

#define FINAL_REQUEST_MS 60000	/* the extra request of a spent budget */
#define MAX_CUT 3		/* answers cut by length in a row */
#define REPAIR_CALLS 8		/* allowed at least in a repair turn */
#define FITS_ANY 8192		/* bytes of a session, a third for the tools */

bool
turn_set_ending(struct turn *t, enum ending e, const char *reason)
{
	t->end = e;
	xset(&t->reason, xstrdup(reason));
	return false;
}

bool
turn_message(struct turn *t, const char *by, const char *text,
    const char *rule)
{
	return hub_put(t->hub, rule != NULL ? "{'role':'user','content':@,"
	    "'meta':{'by':@,'rules':[@]}}" : "{'role':'user','content':@,"
	    "'meta':{'by':@}}", slice_of(text), slice_of(by),
	    slice_of(rule)) == 0 &&
	    hub_sync(t->hub, SLOT_GUARD) == 0;
}

const struct turn_ending turn_endings[] = {
	[END_COMPLETED] = { "completed", ST_OK, "done" },
	[END_TOOL_ERROR] = { "tool_error", ST_NO,
	    "stopped by an error in hamr" },
	[END_BUDGET] = { "budget_exhausted", ST_NOFIT,
	    "stopped: the conversation has become too long" },
	[END_CONTRACT] = { "contract_failed", ST_CONTRACT,
	    "stopped: the check did not pass" },
	[END_GUARD] = { "guard_stopped", ST_GUARD,
	    "stopped: the model was going in circles" },
	[END_MODEL] = { "model_error", ST_MODEL,
	    "stopped: no usable answer from the model" },
	[END_DENIED] = { "denied", ST_POLICY,
	    "stopped: nobody could be asked" },
	[END_INTERRUPTED] = { "interrupted", ST_INTERRUPTED, "interrupted" },
};

/* ---- the budgets of a turn (chapter 7.1) ---- */

/* Calls that may still be started. */
static int64_t
calls_left(const struct turn *t)
{
	const struct track *k = t->hub->track;
	int64_t max = conf_int(t->conf, "agent.max_tool_calls");

	if (max == 0)
		return INT64_MAX;
	if (k->repairs > 0)
		max = max / 2 > REPAIR_CALLS ? max / 2 : REPAIR_CALLS;
	int64_t left = max - (k->started - k->started_before);
	return left > 0 ? left : 0;
}

/* The limit that was reached, or NULL. */
static const char *
limit_reached(const struct turn *t)
{
	const struct track *k = t->hub->track;
	const struct conf *c = t->conf;
	int64_t tokens = conf_int(c, "budget.max_tokens");
	double cost = conf_num(c, "budget.max_cost");
	long long wall = turn_wall_end(t);

	if (k->steps - k->steps_before >= conf_int(c, "agent.max_model_steps"))
		return "max_model_steps";
	if (calls_left(t) == 0)
		return "max_tool_calls";
	if (wall != 0 && file_now_ms() >= wall)
		return "max_wall_seconds";
	if (tokens > 0 && k->usage.prompt + k->usage.completion >= tokens)
		return "max_tokens";
	/* what cannot be counted cannot be limited */
	if (cost > 0 && (k->usage.has_cost ? k->usage.cost >= cost :
	    k->steps > 0))
		return "max_cost";
	return NULL;
}

long long
turn_wall_end(const struct turn *t)
{
	int64_t wall = conf_int(t->conf, "budget.max_wall_seconds");

	return wall > 0 ? t->begun + wall * 1000 : 0;
}

int
turn_check_limits(const struct conf *c, const char *provider, struct err *e)
{
	size_t n, named, nrows;
	const char *const *names = conf_names(c, "provider", &named);
	const char *const *rows = conf_list(c, "budget.prices", &nrows);

	if (conf_num(c, "budget.max_cost") == 0)
		return 0;
	/* prices from [provider.NAME], or from [provider] */
	conf_list(c, "provider.prices", &n);
	for (size_t i = 0; provider != NULL && n == 0 && i < named; i++)
		if (strcmp(names[i], provider) == 0) {
			char *key = xasprintf("provider.%s.prices", provider);

			conf_list(c, key, &n);
			free(key);
		}
	if (n > 0)
		return 0;
	/* budget.prices may be one row of numbers, for any model, also for one
	 * not named yet */
	const char *model = conf_str(c, "provider.model");
	size_t len = strlen(model);
	for (size_t i = 0; i < nrows; i++)
		if (len == 0 || strchr(rows[i], ' ') == NULL ||
		    (strncmp(rows[i], model, len) == 0 &&
		    rows[i][len] == ' '))
			return 0;
	return err_set(e, ST_CONFIG, "budget.max_cost is set, but no prices "
	    "are; set prices = [IN, OUT] under [provider], per million tokens, "
	    "or drop the limit");
}

/* ---- records of the loop ---- */

/* Why a call was not run: the result's meta.error, and its text. */
static const struct unrun {
	const char *code, *text;
} unrun_cut = { "truncated", TEXT_RESULT_CUT },
    unrun_budget = { "budget_exhausted", TEXT_RESULT_BUDGET },
    unrun_interrupted = { "interrupted", TEXT_RESULT_INTERRUPTED },
    unrun_died = { "stage_died", TEXT_RESULT_INTERRUPTED };

static struct buf
refusal(const struct open_call *c, const struct unrun *why)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);

	scan_put(&b, "{'role':'tool','tool_call_id':@,'name':@,'content':@,"
	    "'is_error':true,'meta':{'error':@}}", slice_of(c->id),
	    slice_of(c->name), slice_of(c->started ? TEXT_RESULT_UNKNOWN :
	    why->text), slice_of(why->code));
	return b;
}

/* Answer every open call, in call order. */
static void
close_calls(struct turn *t, const struct unrun *why)
{
	struct track *k = t->hub->track;
	int rc = 0;

	for (size_t i = 0; i < k->ncalls && rc == 0; i++)
		if (!k->calls[i].done) {
			struct buf b = refusal(&k->calls[i], why);

			rc = hub_commit(t->hub, &b);
		}
}

bool
turn_out_of_time(struct turn *t)
{
	struct hub *h = t->hub;

	if (h->failed || h->interrupts > 0 || h->ui->out_closed)
		return false;
	hub_cancel(h);
	hub_revive(h);
	close_calls(t, &unrun_budget);
	if (hub_sync(h, SLOT_GUARD) == 0)
		t->timed_out = h->track->spent != SPENT_TOLD;
	return turn_set_ending(t, END_BUDGET, "max_wall_seconds");
}

/* ---- one step ---- */

/* Send go to compact, then its request to the provider.  True: an assistant
 * message was committed; false: the turn has ended, or must be retried. */
static bool
ask_model(struct turn *t, long long until)
{
	struct hub *h = t->hub;
	struct track *k = h->track;
	long steps = k->steps;

	buf_reset(&h->request);
	/* A first request that fits any window need not wait for the server's
	 * window.  Filters are tried first: only a sync has a deadline. */
	if (!h->window_asked && (steps > 0 || h->session->size > FITS_ANY ||
	    h->slot[SLOT_PROVIDER].cmd.commands[1] != NULL) &&
	    hub_sync(h, SLOT_PROVIDER) < 0)
		return false;
	if (hub_go(h, SLOT_COMPACT, 0) < 0)
		return false;
	if (h->request.len == 0)
		return k->error_code != NULL ?
		    turn_set_ending(t, END_BUDGET, "context") :
		    turn_set_ending(t, END_TOOL_ERROR,
		    "stage compact made no request");
	if (hub_go(h, SLOT_PROVIDER, until) < 0)
		return turn_out_of_time(t);
	if (k->steps == steps)
		return turn_set_ending(t, END_MODEL, k->error_code != NULL ?
		    k->error_code : "no answer");
	return hub_sync(h, SLOT_GUARD) == 0;
}

/* Run the open calls.  If the budget allows fewer, the tool stage is told that
 * the last ones are answered, and those answers are committed after its own. */
static bool
run_calls(struct turn *t)
{
	struct hub *h = t->hub;
	struct track *k = h->track;
	int64_t left = calls_left(t);
	bool cut = false;

	for (size_t i = 0; i < k->ncalls; i++) {
		const struct open_call *c = &k->calls[i];

		/* those started before a crash are not started again */
		if (c->done || c->started)
			continue;
		if (left-- > 0)
			continue;
		struct buf b = refusal(c, &unrun_budget);
		hub_notify_tool(h, &b);
		cut = true;
	}
	if (hub_go(h, SLOT_TOOL, turn_wall_end(t)) < 0)
		return turn_out_of_time(t);
	if (cut)
		close_calls(t, &unrun_budget);
	if (track_has_open(k)) {
		close_calls(t, &unrun_interrupted);
		return turn_set_ending(t, END_TOOL_ERROR,
		    "stage tool left calls unanswered");
	}
	return hub_sync(h, SLOT_GUARD) == 0;
}

/* The budget is spent: one more request, text only. */
static void
final_request(struct turn *t, const char *limit)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);
	struct hub *h = t->hub;
	char *text = xasprintf(TEXT_BUDGET, limit);

	turn_set_ending(t, END_BUDGET, limit);
	/* in one write, like a recovery */
	scan_put(&b, "{'role':'user','content':@,'meta':{'by':'loop'}}\n"
	    "{'type':'constrain','stage':'hamr-loop','tool_choice':'none',"
	    "'rule':@,'steps':1}", slice_of(text), slice_of(limit));
	if (h->track->spent != SPENT_TOLD)	/* else done before a crash */
		hub_commit(h, &b);
	buf_release(&b);
	if (h->track->spent == SPENT_TOLD && hub_sync(h, SLOT_GUARD) == 0 &&
	    ask_model(t, file_now_ms() + FINAL_REQUEST_MS)) {
		close_calls(t, &unrun_budget);
		hub_sync(h, SLOT_GUARD);
	}
	turn_set_ending(t, END_BUDGET, limit);
	free(text);
}

static bool
halt(struct turn *t)
{
	turn_set_ending(t, END_GUARD, t->hub->track->halt_rule);
	return recover(t, INFINITE_LOOP);
}

/* Record each restart of a stage in the session.  A halt stays: a recovery
 * would lift it.  False: there is nothing to record. */
static bool
put_restarts(struct hub *h)
{
	const struct track *k = h->track;

	if (h->died.n == 0 || k->halted)
		return false;
	for (size_t i = 0; i < h->died.n; i++)
		hub_put(h, "{'type':'recovery','scenario':@,'attempt':$,"
		    "'stage':@}", slice_of(track_scenarios[STAGE_DIED]),
		    SCAN_INT(k->recovered[STAGE_DIED] + 1),
		    slice_of(h->died.v[i]));
	texts_release(&h->died);
	return true;
}

/* Commit a message that the person typed meanwhile, after the results; commands
 * wait for the prompt, but /etc/hosts is not one. */
static bool
steered(struct turn *t)
{
	struct hub *h = t->hub;
	const char *first = h->ui->sent.n > 0 ? h->ui->sent.v[0] : "!";

	if (strchr("!\n", *first) != NULL || (*first == '/' &&
	    memchr(first + 1, '/', strcspn(first + 1, " \t\n")) == NULL))
		return false;
	char *line = ui_take_sent(h->ui);
	bool is = line != NULL && setup_task(h, line, NULL, true) == 0;
	free(line);
	return is;
}

/* Was the last answer cut for its length and the model not told yet?  After a
 * crash, some of its calls may be answered. */
static bool
is_cut(const struct track *k)
{
	return (k->last == R_ASSISTANT || k->last == R_TOOL) &&
	    strcmp(k->finish, "length") == 0;
}

/* Were all changes of the turn not made, as nobody was there to allow one? */
static bool
lacks_consent(const struct track *k)
{
	return k->no_consent && k->files.n == 0 && !k->files_unknown;
}

/* Do the next thing due by the records.  False: the turn is over. */
static bool
next(struct turn *t)
{
	struct track *k = t->hub->track;

	if (put_restarts(t->hub) && hub_sync(t->hub, SLOT_GUARD) < 0)
		return false;
	const char *limit = limit_reached(t);
	if (k->spent == SPENT_ANSWERED && limit != NULL) {
		/* resumed with the same budget, or after a crash before the
		 * end record */
		close_calls(t, &unrun_budget);
		hub_sync(t->hub, SLOT_GUARD);
		return turn_set_ending(t, END_BUDGET, limit);
	}
	if (is_cut(k)) {
		/* An answer cut by length: the model is told, three times in a
		 * row. */
		close_calls(t, &unrun_cut);
		if (k->cut_in_a_row >= MAX_CUT)
			return turn_set_ending(t, END_MODEL, "truncated");
		return turn_message(t, "loop", k->repeats ? TEXT_REPEATED :
		    k->had_calls ? TEXT_CUT : TEXT_CUT_TEXT, NULL);
	}
	if (track_has_open(k))
		return run_calls(t) && (!k->halted || halt(t));
	if (k->halted && k->last != R_USER)
		return halt(t);
	if (steered(t))
		return true;
	if (k->last == R_ASSISTANT) {
		/* An answer without calls and without a nudge: is the work
		 * done? */
		if (k->spent == SPENT_ANSWERED)
			return turn_message(t, "loop", TEXT_NEW_BUDGET, NULL);
		if (track_is_blank(k->answer)) {
			turn_set_ending(t, END_MODEL, "empty_response");
			return recover(t, EMPTY_RESPONSE);
		}
		if (k->bash_output != NULL && recover(t, BASH_FAILURE))
			return true;
		if (lacks_consent(k) && t->hub->unattended)
			return turn_set_ending(t, END_DENIED,
			    "no consent; --yes allows changes");
		if (lacks_consent(k) && k->ended)	/* resumed with it */
			return turn_message(t, "loop", TEXT_CONSENT,
			    "contract");
		return contract_check(t);
	}
	if (limit == NULL)
		return recover_resumed(t) ||
		    ask_model(t, turn_wall_end(t)) ||
		    (!t->timed_out && recover_asking(t));
	final_request(t, limit);
	return false;
}

bool
turn_settle(struct turn *t, bool task, bool run)
{
	struct hub *h = t->hub;
	struct track *k = h->track;
	const struct unrun *why = !run || (k->last != R_ASSISTANT &&
	    k->last != R_TOOL) ? &unrun_interrupted : is_cut(k) ? &unrun_cut :
	    k->spent == SPENT_ANSWERED ? &unrun_budget : NULL;

	if (!track_has_open(k))
		return true;
	if (h->interrupts > 0)
		return false;
	if (why == NULL && task) {
		run_calls(t);
	} else if (why != NULL && (task || why == &unrun_interrupted)) {
		close_calls(t, why);
		hub_sync(h, SLOT_GUARD);
	}
	return !h->failed && h->interrupts == 0;
}

/* Have an interrupted turn's last messages judged, before others follow. */
static void
judge(struct hub *h)
{
	if (h->interrupts > 0)
		return;
	hub_ask(h, SLOT_GUARD, false);
	hub_cancel(h);
}

void
turn_run(struct turn *t)
{
	struct buf clean = BUF_INIT(BUF_RECORD_MAX);
	struct hub *h = t->hub;

	turn_set_ending(t, END_COMPLETED, "");
	while (!h->failed && h->interrupts == 0 && !h->ui->out_closed &&
	    next(t))
		;
	if (t->timed_out)
		final_request(t, "max_wall_seconds");
	bool closed = h->ui->out_closed;
	bool stopped = !h->failed && (h->interrupts > 0 || closed);
	if (!stopped)
		put_restarts(h);
	if (h->failed && h->stage_failed) {
		turn_set_ending(t, END_TOOL_ERROR, "stage_died");
		h->failed = false;	/* the session itself is sound */
		hub_cancel(h);		/* another stage may still act */
		close_calls(t, &unrun_died);
		utf8_clean(&clean, h->err.text, strlen(h->err.text));
		hub_put(h, "{'type':'error','stage':'loop',"
		    "'code':'stage_died','message':@,'retryable':false}",
		    buf_view(&clean));
		buf_release(&clean);
	} else if (stopped) {
		turn_set_ending(t, END_INTERRUPTED, closed ? "stdout closed" :
		    h->refused ? "refused" : "signal");
		h->interrupts = 0;	/* a second one ends without waiting */
		h->ending = true;
		if (h->to_end)
			lock_leave(h->session->lock);
		hub_cancel(h);
		judge(h);
		put_restarts(h);
		close_calls(t, &unrun_interrupted);
		judge(h);
	}
}

/* The end record, of which t->record is a copy. */
static struct buf
end_record(struct turn *t)
{
	struct track *k = t->hub->track;
	struct buf b = BUF_INIT(BUF_RECORD_MAX);
	struct json *usage = json_object();

	scan_put(&b, "{'type':'end','status':@,'reason':@,'answer':@,"
	    "'steps':$,'tool_calls':$,'files_changed':[",
	    slice_of(turn_endings[t->end].word),
	    slice_of(t->reason), slice_of(k->answer), SCAN_INT(k->steps),
	    SCAN_INT(k->started));
	for (size_t i = 0; i < k->files.n; i++)
		scan_put(&b, i > 0 ? ",@" : "@", slice_of(k->files.v[i]));
	scan_put(&b, k->files_unknown ? "],'files_unknown':true,'usage':" :
	    "],'usage':");
	json_int(usage, "prompt_tokens", k->usage.prompt);
	json_int(usage, "completion_tokens", k->usage.completion);
	json_int(usage, "cached_tokens", k->usage.cached);
	if (k->usage.has_cost)
		json_double(usage, "cost", k->usage.cost);
	json_print(usage, &b);
	json_free(usage);
	/* the weakest sandbox of a command, and what it did not limit */
	scan_put(&b, k->unlimited != NULL ? ",'sandbox':'$, $ not limited'" :
	    ",'sandbox':'$'", slice_of(k->sandbox != NULL ? k->sandbox :
	    "unused"), slice_of(k->unlimited));
	scan_put(&b, ",'ms':$}", SCAN_INT(file_now_ms() - t->begun));
	xset(&t->record, xstrdup(buf_view(&b).p));
	return b;
}

int
turn_end(struct turn *t)
{
	struct hub *h = t->hub;
	const struct track *k = h->track;
	struct slice last = slice_of(k->end);
	struct buf b = end_record(t);

	/* a resumed turn that still cannot continue has its end record */
	if (!h->failed && k->end_at == h->session->size &&
	    scan_str_is(scan_get(last, "status"), turn_endings[t->end].word) &&
	    scan_str_is(scan_get(last, "reason"), t->reason)) {
		hub_show(h, &b);
		return 0;
	}
	if (!h->failed && hub_commit(h, &b) == 0 && !h->failed) {
		hub_feed(h);	/* in a chat nobody waits for a while */
		return 0;
	}
	/* When the session cannot be written, the reader of stdout still
	 * learns how it ended. */
	turn_set_ending(t, END_TOOL_ERROR, h->err.status == ST_USAGE ?
	    "too_large" : "storage_full");
	buf_release(&b);
	b = end_record(t);
	hub_show(h, &b);
	return -1;
}
