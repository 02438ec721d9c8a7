/* progress.c - what a person sees of a run: calm progress on stderr. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/utf8.h"
#include "conf/place.h"
#include "record/alias.h"
#include "record/msg.h"
#include "term/term.h"
#include "diff_rows.h"
#include "internal.h"

#define SHORT_MS 100		/* a shorter time is not shown */
#define WAITING "waiting to ask the model server again"
#define LINE_MAX_SHOWN 100	/* bytes of a call's arguments on its line */

/* The first match counts; words are a part of the server's text. */
static const struct {
	const char *codes, *words, *remedy;
} advice[] = {
	{ "auth", "", "api_key_env or api_key_command, beside base_url "
	    "under [provider], names the key to send" },
	{ "network", "reset by peer", "check the port, and http:// against "
	    "https://; --base-url names another" },
	{ "network", "resolve host", "is the URL right? --base-url names "
	    "another" },
	{ "network", "", "start the server, or name another with --base-url; "
	    "hamr-loop --doctor looks for one" },
	{ "context_overflow", "", "set window under [context] to what "
	    "the model can hold" },
	{ "rate_limited", "", "continue later with --resume" },
	{ "overloaded", "", "continue later with --resume" },
	{ "server", "jinja", "start llama-server with --jinja, or describe "
	    "the tools in text: -o provider.tool_dialect=hermes" },
	{ "bad_request server", "tool", "if the model has no tool calls of "
	    "its own, describe the tools in text: "
	    "-o provider.tool_dialect=hermes" },
	{ "bad_request server", "image", "if the model cannot see images, "
	    "keep them from it: -o provider.vision=false" },
	{ "bad_request", "model", "hamr-provider --models lists what the "
	    "server has; name one with --model" },
};

static const char *
advice_for(const char *code, const char *words)
{
	for (size_t i = 0; i < sizeof advice / sizeof *advice; i++)
		if (strstr(advice[i].codes, code) != NULL &&
		    strcasestr(words, advice[i].words) != NULL)
			return advice[i].remedy;
	return NULL;
}

void
ui_model_error(const struct track *t, bool chat)
{
	const char *remedy = t->has_partial ? (chat ? "the answer broke "
	    "off; send a message to go on" : "the answer broke off; "
	    "continue later with --resume") :
	    advice_for(t->error_code, t->error_text);

	/* no address at all: two lines */
	if (strcmp(t->error_code, "network") == 0 && !t->error_retryable &&
	    !t->has_partial) {
		char *own = conf_user_path();

		err_say("%s", t->error_text);
		err_say("start one, or point at yours: --base-url "
		    "http://HOST:PORT/v1 --model NAME (or base_url and model "
		    "under [provider] in %s)", own != NULL ? own :
		    "/etc/hamr.toml");	/* not the untrusted repository's */
		free(own);
	} else if (remedy != NULL)
		err_say("%.1000s; %s", t->error_text, remedy);
	else
		err_say("%s", t->error_text);
}

/* Report trouble with the model server once, then in the status line only, like
 * the wait before a retry. */
static bool
show_trouble(struct ui *u, const struct rec *r)
{
	static const char *const busy[] = { "overloaded", "rate_limited",
		NULL };
	char *code = rec_strdup(r, "code"), *words = rec_strdup(r, "message");
	bool ours = code != NULL && words != NULL &&
	    rec_str_is(r, "stage", "provider");
	bool begun = rec_get(r, "partial").p != NULL;
	int64_t n = 0, of = 0, ms = 0;
	bool waits = u->live && r->kind == R_PROGRESS &&
	    rec_str_is(r, "stage", "loop") && rec_int(r, "wait_ms", &ms);

	if (waits) {
		rec_int(r, "attempt", &n);
		rec_int(r, "of", &of);
		char *text = xasprintf(WAITING " (%lld of %lld)", (long long)n,
		    (long long)of);
		ui_status_doing(u, text);
		free(text);
		u->status.until = file_now_ms() + ms;
	} else if (ours && r->kind == R_ERROR &&
	    !scan_true(rec_get(r, "retryable"))) {
		/* if it ends the run, that is reported at the end */
		ours = strcmp(code, "context_overflow") != 0 &&
		    strcmp(code, "malformed_tool_call") != 0;
	} else if (ours) {
		const char *remedy = begun ? "the answer broke off" :
		    slice_in(slice_of(code), busy) ? "waiting to ask again" :
		    advice_for(code, words);
		bool again = u->trouble != NULL &&
		    strcmp(u->trouble, words) == 0;

		if (again && begun)
			ui_note(u, "  the answer broke off again");
		else if (!again)
			ui_note(u, "  %.1000s%s%s", words, remedy != NULL ?
			    "; " : "", remedy != NULL ? remedy : "");
		xset(&u->trouble, xstrdup(words));
		/* a wait that does not count as a retry */
		bool loads = r->kind == R_PROGRESS &&
		    !rec_int(r, "attempt", &n);
		rec_int(r, "wait_ms", &ms);
		ui_status_doing(u, loads ? "the server is loading its model" :
		    ms >= 1000 ? WAITING : "trying the model server again");
		if (!loads && ms >= 1000) {
			u->status.until = file_now_ms() + ms;
			ui_redraw(u);
		}
	}
	free(code);
	free(words);
	return ours || waits;
}

/* Its name, and the argument that best identifies it. */
void
ui_describe_call(struct ui_call *call, struct slice name, struct slice args)
{
	struct buf what = BUF_INIT(1 << 20), v = BUF_INIT(1 << 20);
	struct buf named = BUF_INIT(BUF_RECORD_MAX);

	if (scan_is_json(args))
		alias_args(name, args, &named);
	struct slice got = track_about(buf_view(&named), &call->path);
	buf_slice(&what, name);
	buf_addc(&what, ' ');
	if (scan_str(got, &v)) {
		size_t n = utf8_cut(v.p, v.len, LINE_MAX_SHOWN);
		for (size_t k = 0; k < n; k++)
			if (v.p[k] == '\n')
				v.p[k] = ' ';
		buf_add(&what, v.p, n);
		if (n < v.len)
			buf_adds(&what, "...");
	}
	xset(&call->what, buf_detach(&what));
	bufs_release(BUFS(&v, &named));
}

/* ---- a result ---- */

static bool
failed(const struct rec *r)
{
	int64_t code = 0;

	return scan_true(rec_get(r, "is_error")) || (scan_int(msg_meta(r,
	    "exit"), &code) && code != 0) || msg_meta(r, "signal").p != NULL;
}

/* Sum up a result in out, which is empty: lines changed, matches found, or its
 * first words. */
static void
add_outcome(const struct ui *u, const struct ui_call *call,
    const struct rec *r, struct buf *out)
{
	struct buf text = BUF_INIT(BUF_RECORD_MAX);
	struct slice op = msg_meta(r, "op");
	int64_t added, removed, found;

	msg_text(rec_get(r, "content"), &text);
	if (scan_int(msg_meta(r, "added"), &added) &&
	    scan_int(msg_meta(r, "removed"), &removed) && !failed(r)) {
		buf_fmt(out, "+%lld -%lld", (long long)added,
		    (long long)removed);
	} else if (u->tty_err && call->refused) {
		buf_adds(out, "not allowed");
		if (call->reason != NULL) {
			buf_adds(out, ": ");
			term_escape(out, (struct slice){ call->reason,
			    utf8_cut(call->reason, strcspn(call->reason,
			    "\n"), LINE_MAX_SHOWN) });
		}
	} else if (scan_str_is(op, "search") && scan_int(msg_meta(r,
	    "matches"), &found)) {
		buf_fmt(out, "%lld match%s", (long long)found, found == 1 ?
		    "" : "es");
	} else if (scan_str_is(op, "list") && !failed(r)) {
		size_t n = slice_lines(buf_view(&text));
		buf_fmt(out, "%zu entr%s", n, n == 1 ? "y" : "ies");
	} else {
		/* The first line of the result, without a leading path that
		 * the call already shows ("read PATH"). */
		const char *p = buf_view(&text).p;
		const char *path = strchr(call->what, ' ');
		size_t len = path != NULL ? strlen(path + 1) : 0;

		if (len > 0 && strncmp(p, path + 1, len) == 0 && p[len] == ' ')
			p += len + 1;
		len = utf8_cut(p, strcspn(p, "\n"), LINE_MAX_SHOWN);
		term_escape(out, (struct slice){ p, len });
		buf_adds(out, p[len] != '\n' && p[len] != '\0' ? "..." : "");
	}
	/* success need not be reported */
	if (slice_is(buf_view(out), "exit 0"))
		buf_reset(out);
	buf_release(&text);
}

static void
show_call(struct ui *u, const struct ui_call *call, const struct rec *r)
{
	struct buf b = BUF_INIT((size_t)2 << 20), o = BUF_INIT(1 << 16);
	const char *on = !u->color ? "" : failed(r) ? "\033[31m" :
	    "\033[32m";
	struct slice what = slice_of(call->what);
	size_t head = strcspn(call->what, " ");
	char took[40] = "";
	int64_t ms = 0;

	scan_int(msg_meta(r, "ms"), &ms);
	add_outcome(u, call, r, &o);
	buf_adds(&b, "  ");
	/* On the screen a call and its outcome stay on one line: the longer is
	 * cut, the call to no less than two thirds of the line. */
	size_t room = u->live ? ui_columns(u) : SIZE_MAX / 4;

	if (ms >= SHORT_MS)
		snprintf(took, sizeof took, "  %lld.%lld s",
		    (long long)ms / 1000, (long long)ms / 100 % 10);
	size_t rest = 5 + strlen(took);
	room = room > rest + 10 ? room - rest : 10;
	size_t for_got = num_min(term_width(buf_view(&o)), room - num_min(
	    term_width(what), room * 2 / 3));
	size_t for_what = room - for_got;
	/* "edit src/main.c"; a path that is too long keeps its end */
	if (call->path) {
		head += what.p[head] == ' ';
		for_what -= term_put(&b, (struct slice){ what.p, head },
		    for_what);
		term_put_end(&b, slice_from(what, head), for_what);
	} else {
		term_put(&b, what, for_what);
	}
	if (o.len > 0)
		buf_fmt(&b, "  %s", on);
	term_put(&b, buf_view(&o), for_got);
	buf_fmt(&b, "%s%s%s\n", u->color ? "\033[0;2m" : "", took, PLAIN(u));
	ui_print(u, &b);
	buf_release(&o);
}

void
ui_diff(struct ui *u, struct slice diff)
{
	struct buf b = BUF_INIT((size_t)1 << 40);
	struct diff d = { .names = true };
	struct slice line;

	while (slice_line(&diff, &line))
		diff_add(&d, line, u->color, &b);
	ui_print(u, &b);
}

/* Those of a message; the ones before it all have results. */
static void
remember_calls(struct ui *u, const struct rec *r)
{
	struct call c;

	ui_clear_calls(u);
	for (struct walk w = walk_of(rec_get(r, "tool_calls"));
	    msg_next_call(&w, &c); ) {
		char *name = scan_text(c.name), *args = scan_strdup(c.args);

		GROW(u->seen, u->nseen, u->capseen);
		struct ui_call *call = &u->seen[u->nseen++];
		*call = (struct ui_call){ .args = args };
		ui_describe_call(call, slice_of(name),
		    slice_of(args != NULL ? args : ""));
		free(name);
		*map_put(&u->calls, c.id.p != NULL ? c.id : SLICE(""), NULL) =
		    u->nseen;
	}
}

void
ui_restore_calls(struct ui *u, const struct rec *r)
{
	if (u->tty_err || (!u->json && !u->quiet))
		remember_calls(u, r);
}

static void
show_result(struct ui *u, const struct rec *r)
{
	static char unknown[] = "?";
	struct ui_call none = { .what = unknown }, *call = &none;
	uint64_t *at = map_get(&u->calls, rec_get(r, "tool_call_id"));
	struct buf text = BUF_INIT(BUF_RECORD_MAX);
	struct buf b = BUF_INIT((size_t)1 << 40), row = b;
	struct slice rest, line;
	struct diff d = { .names = false };
	size_t most = (size_t)conf_int(u->conf, "ui.diff_lines");
	size_t lines = 0, more = 0;
	int64_t added = 0, removed = 0;

	if (at != NULL && *at != 0)
		call = &u->seen[*at - 1];
	/* Show the path as the tool resolved it, from the root, whatever the
	 * model wrote. */
	char *path = call->path ? scan_strdup(msg_meta(r, "path")) : NULL;
	if (path != NULL && *path != '\0')
		xset(&call->what, xasprintf("%.*s %s",
		    (int)strcspn(call->what, " "), call->what, path));
	free(path);
	show_call(u, call, r);
	/* the line above names the file */
	if (u->tty_err)
		scan_str(msg_meta(r, "diff"), &text);
	for (rest = buf_view(&text); slice_line(&rest, &line); )
		if (lines < most)
			lines += diff_add(&d, line, u->color, &b);
		else
			more += diff_line(&d, line, &row);
	/* a long diff is stored cut, and its last line says so */
	if (scan_int(msg_meta(r, "added"), &added) &&
	    scan_int(msg_meta(r, "removed"), &removed) &&
	    added + removed > (int64_t)d.changed)
		more += (size_t)(added + removed) - d.changed - (more > 0);
	if (more > 0)
		buf_fmt(&b, "%s       ... %zu more line%s%s%s\n", DIM(u),
		    more, more == 1 ? "" : "s",
		    u->live ? "; /diff shows all" : "", PLAIN(u));
	if (b.len > 0)
		ui_emit(u, buf_view(&b));
	bufs_release(BUFS(&text, &row, &b));
	ui_end_output(u, failed(r));
}

/* ---- what hamr tells the model or does by itself ---- */

/* Of the guard's rules, and of recoveries. */
static const struct {
	const char *name, *text;
} words[] = {
	{ "repeat", "the same call gave the same result again" },
	{ "repeat-weak", "the same call gave much the same result again" },
	{ "same-answer", "many calls got the same short answer" },
	{ "retry", "a call that failed was made again unchanged" },
	{ "same-error", "the same error keeps coming back" },
	{ "cycle", "the same few calls keep repeating" },
	{ "stall", "the last calls found nothing new" },
	{ "futile-edits", "the command fails as before, whatever it edits" },
	{ "revisit", "a file is back to what it was before" },
	{ "no-mutation", "many steps, and no file changed yet" },
	{ "reads", "it has read a lot; it is time to act" },
	{ "calls", "it has made a great many calls" },
	{ "batch", "identical calls in one message share a result" },
	{ "plan-prose", "it announced what comes next instead of doing it" },
	{ "status-only", "its message was a status, not an answer" },
	{ "premature", "it said that tests pass, but none ran since the last "
	    "change" },
	{ "monologue", "it said the same thing for the third time" },
	{ "empty_response", "the answer was empty; asking again" },
	{ "infinite_loop", "the model repeated itself; told it "
	    "to try another way" },
	{ "bash_failure", "the last command failed; told the model to "
	    "fix that" },
	{ "malformed_tool_call", "a tool call could not be read; asking "
	    "again" },
	{ "context_exhaustion", "the conversation was too long; "
	    "shortening it" },
	{ "stage_died", "a part of hamr stopped and was restarted" },
};

char *
plain_words(const struct rec *r)
{
	bool verdict = r->kind == R_VERDICT;
	char *name = rec_strdup(r, verdict ? "rule" :
	    r->kind == R_RECOVERY ? "scenario" : "status");
	char *more = rec_strdup(r, verdict ? "message" : "command");
	char *all = NULL;
	const char *text = NULL;
	int64_t code = 0;

	for (size_t i = 0; name != NULL && i < sizeof words / sizeof *words;
	    i++)
		if (strcmp(words[i].name, name) == 0)
			text = words[i].text;
	if (verdict) {
		const char *lead = rec_str_is(r, "action", "halt") ?
		    "stopped the model" : rec_str_is(r, "action", "block") ?
		    "did not run a call" : "told the model";

		if (text == NULL)
			text = more != NULL ? more : name != NULL ? name : "";
		all = xasprintf("%s: %.*s", lead, (int)strcspn(text, "\n"),
		    text);
	} else if (r->kind == R_RECOVERY) {
		all = text != NULL ? xstrdup(text) : NULL;
	} else if (r->kind == R_VERIFICATION) {
		char exit[32] = "";

		if (rec_int(r, "exit", &code) && code != 0)
			snprintf(exit, sizeof exit, ", exit %lld",
			    (long long)code);
		all = xasprintf("checked with %s: %s%s", more != NULL ? more :
		    "the project's command", name != NULL ? name : "?", exit);
	}
	free(name);
	free(more);
	return all;
}

static void
show_event(struct ui *u, const struct rec *r)
{
	char *text = plain_words(r), *code = rec_strdup(r, "code");
	char *message = rec_strdup(r, "message");

	if (text != NULL)
		ui_note(u, "  %s", text);
	else if (r->kind == R_ERROR)
		ui_note(u, "  error %s: %s", code != NULL ? code : "?",
		    message != NULL ? message : "");
	FREE(text, code, message);
}

/* Show text that was not streamed: the words before calls; on a terminal that
 * is written line by line, all that the model says. */
static void
show_text(struct ui *u, struct slice content, bool with_calls)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);
	bool any = msg_text(content, &b) && b.len > 0;

	if (any && with_calls) {
		ui_note(u, "%s", b.p);
	} else if (any && u->dumb && u->tty_err && u->tty_out) {
		ui_lines(u, buf_view(&b));
		u->answered = true;
	}
	buf_release(&b);
}

static void
show_answer(struct ui *u, const struct rec *r)
{
	xset(&u->trouble, NULL);
	ui_end_reasoning(u);
	ui_break(u);
	/* The last answer goes to stdout.  Text that was shown while it came
	 * is not shown again. */
	if (u->streamed)
		u->answered = true;
	else
		show_text(u, rec_get(r, "content"), msg_count_calls(
		    rec_get(r, "tool_calls")) > 0);
	remember_calls(u, r);
	ui_status_doing(u, "");
}

void
ui_committed(struct ui *u, const struct rec *r)
{
	uint64_t *at;

	/* nothing else is shown, but a person may be asked about them */
	if ((u->json || u->quiet) && u->tty_err && r->kind == R_ASSISTANT)
		remember_calls(u, r);
	if (u->json) {
		ui_json_line(u, r->line);
		return;
	}
	ui_status_take(u, r);
	if (u->quiet)
		return;
	switch (r->kind) {
	case R_ASSISTANT:
		show_answer(u, r);
		break;
	case R_START:
		u->printing = false;
		at = map_get(&u->calls, rec_get(r, "tool_call_id"));
		if (at != NULL && *at != 0)
			ui_status_doing(u, u->seen[*at - 1].what);
		break;
	case R_USER:
		/* show a message queued in a turn when it is its time */
		if (scan_true(msg_meta(r, "steering")))
			ui_show_record(u, r);
		break;
	case R_TOOL:
		show_result(u, r);
		ui_status_doing(u, "");
		break;
	case R_VERDICT:
		show_event(u, r);
		break;
	case R_ERROR:
		show_text(u, scan_get(rec_get(r, "partial"), "content"),
		    false);
		/* an error that ends the turn is reported at its end */
		if (!show_trouble(u, r) &&
		    !rec_str_is(r, "code", "budget_exhausted") &&
		    !rec_str_is(r, "code", "stage_died"))
			show_event(u, r);
		break;
	case R_RECOVERY:
		/* else the wait, or the restart, was shown */
		if (!rec_str_is(r, "scenario", "provider_down") &&
		    !rec_str_is(r, "scenario", "stage_died"))
			show_event(u, r);
		break;
	case R_VERIFICATION:
		show_event(u, r);
		ui_end_output(u, !rec_str_is(r, "status", "passed"));
		break;
	default:
		break;
	}
}

void
ui_passing(struct ui *u, const struct rec *r)
{
	struct buf *o = &u->output, part = BUF_INIT(BUF_RECORD_MAX);

	if (u->json) {
		ui_json_line(u, r->line);
		return;
	}
	if (r->kind == R_DELTA && u->tty_err && !u->quiet) {
		/* the answer as it is written */
		bool content = rec_str_is(r, "kind", "content");

		scan_str(rec_get(r, "text"), &part);
		if (rec_str_is(r, "kind", "reasoning")) {
			if (part.len > 0)
				ui_stream_reasoning(u, buf_view(&part));
		} else {
			ui_end_reasoning(u);
			ui_status_doing(u, content ? "answering" :
			    "writing a call");
			if (part.len > 0 && content && u->live)
				ui_stream_answer(u, buf_view(&part));
		}
	} else if (r->kind == R_OUTPUT && u->tty_err) {
		/* a command's output, of which little more than
		 * STREAMED_MAX comes */
		scan_str(rec_get(r, "text"), &part);
		if (!u->printing)
			buf_reset(o);
		u->printing = true;
		buf_slice(o, buf_view(&part));
		ui_redraw(u);
	}
	buf_release(&part);
	if (r->kind != R_PROGRESS || show_trouble(u, r))
		return;
	char *text = rec_strdup(r, "message");
	if (text == NULL)
		text = rec_strdup(r, "text");
	if (text != NULL)
		ui_note(u, "  %s", text);
	free(text);
}
