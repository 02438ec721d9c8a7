/* play.c - an answer of the replay, put as if a server had sent it. */
#include <stdlib.h>
#include <string.h>

#include "calls.h"
#include "mem.h"
#include "msg.h"
#include "provider.h"

/* Wait as the pacing says.  False when the work in hand is to end. */
static bool
pause_for(struct provider *p, int ms)
{
	enum { STOP = STAGE_CANCEL | STAGE_EOF | STAGE_CLOSED };

	if (ms > 0)
		p->flags |= stage_wait(p->stage, NULL, 0, ms) & STOP;
	return p->flags == 0;
}

/* Show a text (a JSON string, or content parts) as deltas; *shown gets what
 * was shown of it. */
static bool
show(struct provider *p, const char *kind, struct slice val, struct buf *shown)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);
	bool go_on = true;

	msg_text(val, &b);
	for (size_t at = 0; at < b.len && go_on;) {
		struct slice rest = { b.p + at, b.len - at };
		size_t n = replay_piece(p->replay, rest);

		go_on = pause_for(p, replay_delay(p->replay, n));
		if (!go_on)
			break;
		rest.n = n;
		provider_delta(p, kind, rest);
		buf_slice(shown, rest);
		at += n;
	}
	buf_release(&b);
	return go_on;
}

static bool
show_calls(struct provider *p, struct slice calls)
{
	struct buf none = BUF_INIT(BUF_RECORD_MAX);
	bool go_on = true;
	struct call c;
	struct walk w;

	walk_in(&w, calls);
	while (go_on && msg_next_call(&w, &c))
		go_on = show(p, "tool_call", c.name, &none) &&
		    show(p, "tool_call", c.args, &none);
	buf_release(&none);
	return go_on;
}

/* ---- the message ---- */

/* Is it written as we write calls, so that its own bytes can stay? */
static bool
is_whole(struct slice call, struct buf *id, bool *valid)
{
	struct slice fn = scan_get(call, "function");
	struct buf args = BUF_INIT(BUF_RECORD_MAX);
	struct scan sc = { 0 };
	bool whole;

	scan_str(scan_get(call, "id"), id);
	whole = scan_kind(scan_get(fn, "name")) == SCAN_STRING &&
	    scan_str(scan_get(fn, "arguments"), &args) && args.len > 0 &&
	    !slice_is(buf_view(&args), "null") &&
	    args.p[strspn(args.p, " \t\r\n")] != '\0';
	*valid = whole && scan_value(&sc, args.p, args.len) == 0;
	scan_release(&sc);
	buf_release(&args);
	return whole;
}

/* One call: its own bytes, but for what it lacks or repeats. */
static void
add_call(struct provider *p, struct ids *fresh, struct slice call,
    struct json *out, struct json *malformed)
{
	struct buf was = BUF_INIT(BUF_RECORD_MAX), id = BUF_INIT(BUF_RECORD_MAX);
	struct calls one = { .v = NULL };
	struct json *o;
	bool valid;

	if (!is_whole(call, &was, &valid)) {
		calls_take(&one, call);
		calls_json(&one, &p->ids, fresh, SLICE(""), out,
		    malformed);
		calls_reset(&one);
		buf_release(&was);
		return;
	}
	ids_make(&p->ids, fresh, buf_view(&was), &id);
	if (!valid)
		json_slice(malformed, NULL, buf_view(&id));
	if (slice_eq(buf_view(&was), buf_view(&id)) &&
	    scan_str_is(scan_get(call, "type"), "function"))
		json_raw(out, NULL, call);
	else {
		o = json_object();
		json_slice(o, "id", buf_view(&id));
		json_str(o, "type", "function");
		json_raw(o, "function", scan_get(call, "function"));
		json_add(out, NULL, o);
	}
	buf_release(&was);
	buf_release(&id);
}

static void
add_calls(struct provider *p, struct json *o, struct slice list,
    struct json *malformed)
{
	struct ids fresh = { .seen = { NULL, 0, 0 } };
	struct json *out = json_array();
	struct slice key, val;
	struct walk w;

	walk_in(&w, list);
	while (walk_next(&w, &key, &val))
		if (scan_kind(val) == SCAN_OBJECT)
			add_call(p, &fresh, val, out, malformed);
	json_add(o, "tool_calls", out);
	ids_reset(&fresh);
}

/* The meta of the recorded message, but for what is made anew. */
static struct json *
meta_json(const struct replay_answer *a, struct json *malformed)
{
	struct json *m = json_object();
	struct slice key, val;
	struct walk w;

	if (scan_kind(a->meta) == SCAN_OBJECT) {
		val = scan_get(a->meta, "model");
		if (val.p != NULL)
			json_raw(m, "model", val);
	}
	json_str(m, "api", "replay");
	if (scan_kind(a->meta) == SCAN_OBJECT) {
		walk_in(&w, a->meta);
		while (walk_next(&w, &key, &val)) {
			char *k = xmemdup0(key.p, key.n);

			if (strcmp(k, "model") != 0 && strcmp(k, "api") != 0 &&
			    strcmp(k, "malformed") != 0)
				json_raw(m, k, val);
			free(k);
		}
	}
	if (json_empty(malformed))
		json_free(malformed);
	else
		json_add(m, "malformed", malformed);
	return m;
}

static void
put_message(struct provider *p, const struct replay_answer *a)
{
	struct json *o = json_object(), *malformed = json_array();
	bool calls = msg_count_calls(a->tool_calls) > 0;

	json_str(o, "role", "assistant");
	if (a->content.p == NULL || scan_kind(a->content) == SCAN_NULL)
		json_raw(o, "content", calls ? SLICE("null") : SLICE("\"\""));
	else
		json_raw(o, "content", a->content);
	if (a->reasoning.n > 2)
		json_raw(o, "reasoning", a->reasoning);
	if (calls)
		add_calls(p, o, a->tool_calls, malformed);
	if (a->finish.p != NULL)
		json_raw(o, "finish_reason", a->finish);
	else
		json_str(o, "finish_reason", calls ? "tool_calls" : "stop");
	json_add(o, "meta", meta_json(a, malformed));
	stage_put_json(p->stage, R_ASSISTANT, o);
}

static void
play_message(struct provider *p, const struct replay_answer *a)
{
	struct buf shown = BUF_INIT(BUF_RECORD_MAX);
	struct failure f;
	struct json *partial;

	if (show(p, "reasoning", a->reasoning, &shown)) {
		buf_reset(&shown);
		if (show(p, "content", a->content, &shown) &&
		    show_calls(p, a->tool_calls)) {
			if (a->usage.p != NULL)
				stage_put(p->stage, R_USAGE, a->usage);
			put_message(p, a);
			buf_release(&shown);
			return;
		}
	} else
		buf_reset(&shown);
	if (p->flags == STAGE_CANCEL) {
		partial = json_object();
		json_slice(partial, "content", buf_view(&shown));
		failure_init(&f);
		failure_set(&f, "interrupted", false, false, "cancelled");
		provider_fail(p, &f, partial);
		failure_release(&f);
	}
	buf_release(&shown);
}

static void
play_error(struct provider *p, const struct replay_answer *a)
{
	char *code = scan_strdup(a->code), *words = scan_strdup(a->message);
	struct json *extra = NULL;
	bool retryable = scan_true(a->retryable);

	if (a->partial.p != NULL) {
		extra = json_object();
		json_raw(extra, "partial", a->partial);
	}
	stage_error(p->stage, code != NULL ? code : "server", retryable,
	    words != NULL ? words : "a recorded failure", extra);
	if (p->stage->mode != STAGE_RESIDENT)
		stage_status(p->stage, retryable ? ST_TEMP : ST_PEER);
	free(code);
	free(words);
}

void
play(struct provider *p, const struct ask *ask)
{
	struct replay_answer a;
	struct failure f;

	if (!replay_get(p->replay, p->answers, &a)) {
		failure_init(&f);
		failure_set(&f, "server", false, false, "the replay has %zu "
		    "answer%s and this would be number %zu; record more, or "
		    "use a server", replay_count(p->replay),
		    replay_count(p->replay) == 1 ? "" : "s", p->answers + 1);
		provider_fail(p, &f, NULL);
		failure_release(&f);
		return;
	}
	if (a.tape.p != NULL)
		exchange_play(p, ask, a.tape);
	else if (a.is_error)
		play_error(p, &a);
	else
		play_message(p, &a);
}
