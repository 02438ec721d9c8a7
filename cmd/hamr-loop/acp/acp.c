/* acp.c - hamr-loop --acp: requests from the editor, and questions to it. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "session/track.h"
#include "acp.h"
#include "internal.h"

#define PROTOCOL 1
#define LINE_MAX_BYTES ((size_t)64 << 20)
#define WORDS_SHOWN ((size_t)64 << 10)	/* of an error */
#define END_MS 5000		/* for sessions, after stdin has ended ... */
#define LAST_MS 500		/* ... and for the reader of stdout */

/* ---- sending ---- */

bool
acp_send(struct acp *a, struct buf *message)
{
	bool fits = !message->over && message->len < ACP_MESSAGE_MAX;

	if (fits && a->out_errno == 0)
		rpc_put(&a->rpc, buf_view(message), SIZE_MAX);
	buf_release(message);
	return fits;
}

void
acp_error(struct acp *a, struct slice id, enum rpc_code code,
    const char *words)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);
	struct slice none = { NULL, 0 };
	char *shown = xmemdup0(words, utf8_cut(words, strlen(words),
	    WORDS_SHOWN));

	rpc_error(&b, id, code, shown);
	if (!acp_send(a, &b)) {		/* the id is too long */
		rpc_error(&b, none, code, shown);
		acp_send(a, &b);
	}
	free(shown);
}

static void
put_result(struct acp *a, struct slice id, struct slice result)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);

	rpc_result(&b, id, result);
	if (!acp_send(a, &b))
		acp_error(a, id, RPC_INTERNAL, "the answer is too long");
}

bool
acp_ask(struct worker *s, const char *method, struct buf *params,
    const struct rec *r)
{
	struct slice id = rec_get(r, "id");
	struct buf b = BUF_INIT(BUF_RECORD_MAX);
	struct acp *a = s->acp;

	if (s->cancelled) {	/* its process does not wait any more */
		buf_release(params);
		return false;
	}
	rpc_call(&b, SCAN_INT(++a->number), method, buf_view(params));
	b.over |= params->over;
	buf_release(params);
	if (!acp_send(a, &b))
		return false;
	GROW(a->q, a->nq, a->capq);
	a->q[a->nq++] = (struct question){ a->number, s, r->kind,
		xmemdup0(id.p, id.n) };
	return true;
}

static void
remove_question(struct acp *a, size_t i)
{
	free(a->q[i].id);
	memmove(a->q + i, a->q + i + 1, (--a->nq - i) * sizeof *a->q);
}

void
acp_drop_questions(struct worker *s)
{
	for (size_t i = s->acp->nq; i-- > 0; )
		if (s->acp->q[i].worker == s)
			remove_question(s->acp, i);
}

/* ---- the end of a session's work ---- */

static void
finish_prompt(struct worker *s, struct slice id)
{
	static const char *const told[] = { "denied", "contract_failed",
		"guard_stopped", "budget_exhausted", NULL };
	const char *status = s->status != NULL ? s->status : "";
	const char *stop = "end_turn";
	struct buf b = BUF_INIT(BUF_RECORD_MAX);

	if (!s->cancelled && (strcmp(status, "model_error") == 0 ||
	    strcmp(status, "tool_error") == 0)) {
		buf_fmt(&b, "%s, %s%s%s", status, s->reason,
		    s->error != NULL ? ": " : "", s->error != NULL ? s->error :
		    "");
		acp_error(s->acp, id, RPC_INTERNAL, b.p);
		buf_release(&b);
		return;
	}
	/* why the turn ended, if the answer does not say so */
	if (!s->cancelled && slice_in(slice_of(status), told)) {
		buf_fmt(&b, "\n[%s: %s]\n", status, s->error != NULL &&
		    strcmp(s->reason, "context") == 0 ? s->error : s->reason);
		update_text(s, "agent_message_chunk", buf_view(&b));
		buf_reset(&b);
	}
	if (s->cancelled || strcmp(status, "interrupted") == 0)
		stop = "cancelled";
	else if (strcmp(status, "budget_exhausted") == 0)
		stop = strcmp(s->reason, "max_tokens") == 0 ||
		    strcmp(s->reason, "context") == 0 ? "max_tokens" :
		    "max_turn_requests";
	scan_put(&b, "{'stopReason':@}", slice_of(stop));
	put_result(s->acp, id, buf_view(&b));
	buf_release(&b);
}

void
acp_finish_work(struct worker *s, bool ended)
{
	struct slice id = slice_of(s->request != NULL ? s->request : "null");
	bool load = s->work == LOADING;
	struct buf b = BUF_INIT(BUF_RECORD_MAX);
	struct acp *a = s->acp;
	struct err e;

	acp_drop_questions(s);	/* a limit may have ended one */
	if (s->work != IDLE && s->dropped)
		acp_error(a, id, RPC_CANCELLED, "cancelled");
	else if (s->work == PROMPTED && ended && (s->cancelled ||
	    s->closing != NULL))
		put_result(a, id, SLICE("{\"stopReason\":\"cancelled\"}"));
	else if (s->work != IDLE && ended)
		acp_error(a, id, RPC_INTERNAL, s->last != NULL ? s->last :
		    "the session's process has ended; send the prompt again");
	else if (s->work == PROMPTED)
		finish_prompt(s, id);
	else if (load && listing_replay(s, &e) < 0)
		acp_error(a, id, RPC_INTERNAL, e.text);
	else if (s->work != IDLE) {
		if (load)
			update_commands(s);
		buf_addc(&b, '{');
		if (s->work == STARTING)
			scan_put(&b, "'sessionId':@,", slice_of(s->id));
		update_put_options(s, &b);
		update_put_modes(s, &b);
		buf_addc(&b, '}');
		s->opened = true;
		put_result(a, id, buf_view(&b));
		buf_release(&b);
		if (!load)
			update_commands(s);
	}
	s->work = IDLE;
	if (!ended)
		return;
	if (s->closing != NULL)
		put_result(a, slice_of(s->closing), SLICE("{}"));
	if (s->closing != NULL || !s->opened)
		worker_free(s);
}

/* ---- parameters ---- */

/* A string parameter; the caller frees it.  NULL: the error was sent. */
static char *
require_str(struct acp *a, const struct rpc_msg *m, const char *key)
{
	char *text = scan_strdup(scan_get(m->params, key)), *words;

	if (text == NULL) {
		words = xasprintf("%s is missing, or is not a string", key);
		acp_error(a, m->id, RPC_NO_PARAMS, words);
		free(words);
	}
	return text;
}

static struct worker *
find_session(struct acp *a, const char *id)
{
	for (size_t i = 0; i < a->n; i++)
		if (a->v[i]->id != NULL && strcmp(a->v[i]->id, id) == 0)
			return a->v[i];
	return NULL;
}

/* The open session that a request names.  NULL: the error was sent. */
static struct worker *
require_session(struct acp *a, const struct rpc_msg *m)
{
	char *id = require_str(a, m, "sessionId");
	struct worker *s = id != NULL ? find_session(a, id) : NULL;

	if (id != NULL && s == NULL)
		acp_error(a, m->id, RPC_NOT_FOUND, "no such session is open");
	free(id);
	return s;
}

/* ---- methods ---- */

static void
on_initialize(struct acp *a, const struct rpc_msg *m)
{
	struct slice can = scan_get(m->params, "clientCapabilities");
	struct slice fs = scan_get(can, "fs");
	struct buf b = BUF_INIT(BUF_RECORD_MAX);
	int64_t version;

	if (!scan_int(scan_get(m->params, "protocolVersion"), &version)) {
		acp_error(a, m->id, RPC_NO_PARAMS, "protocolVersion is "
		    "missing, or is not an integer");
		return;
	}
	a->reads = scan_true(scan_get(fs, "readTextFile"));
	a->writes = scan_true(scan_get(fs, "writeTextFile"));
	a->terminal = scan_true(scan_get(scan_get(can, "_meta"),
	    "terminal_output"));
	scan_put(&b, "{'protocolVersion':$,'agentCapabilities':{"
	    "'loadSession':true,'promptCapabilities':{'image':$,"
	    "'audio':false,'embeddedContext':true},"
	    "'mcpCapabilities':{'http':true,'sse':false},"
	    "'sessionCapabilities':{'list':{},'resume':{},'close':{}}},"
	    "'authMethods':[],'agentInfo':{'name':'hamr','title':'hamr',"
	    "'version':@}}", SCAN_INT(PROTOCOL), scan_truth(a->images),
	    SLICE(HAMR_VERSION));
	put_result(a, m->id, buf_view(&b));
	buf_release(&b);
}

/* Start the session's process unless it runs.  False: the error was sent. */
static bool
ensure_running(struct worker *s, const struct rpc_msg *m)
{
	struct err e;

	if (s->child != NULL || worker_begin(s, &e) == 0)
		return true;
	acp_error(s->acp, m->id, RPC_INTERNAL, e.text);
	return false;
}

/* session/new, session/load and session/resume */
static void
on_open(struct acp *a, const struct rpc_msg *m)
{
	bool make = scan_str_is(m->method, "session/new");
	bool load = scan_str_is(m->method, "session/load");
	enum work work = make ? STARTING : load ? LOADING : RESUMING;
	char *id = make ? NULL : require_str(a, m, "sessionId"), *path = NULL;
	char *cwd = make || id != NULL ? require_str(a, m, "cwd") : NULL;
	struct worker *s = id != NULL ? find_session(a, id) : NULL;
	struct stat st;

	if (cwd == NULL)
		goto out;
	if (cwd[0] != '/' || stat(cwd, &st) < 0 || !S_ISDIR(st.st_mode)) {
		acp_error(a, m->id, RPC_NO_PARAMS, cwd[0] != '/' ?
		    "cwd is not an absolute path" : "cwd is not a folder");
		goto out;
	}
	if (!make)
		path = listing_find(cwd, id);
	if (!make && path == NULL) {
		acp_error(a, m->id, RPC_NOT_FOUND, "there is no such session "
		    "for that cwd");
	} else if (s != NULL && (s->work != IDLE || s->closing != NULL)) {
		acp_error(a, m->id, RPC_INTERNAL, s->closing != NULL ?
		    "the session is being closed" :
		    "the session is busy; cancel its prompt first");
	} else {
		bool known = s != NULL;
		if (!known)
			s = worker_new(a, id, cwd);
		bool good = servers_read(s, m, make || load);
		if (good)
			worker_work(s, work, m->id);
		if (good ? !ensure_running(s, m) : !known)
			worker_free(s);
	}
out:
	FREE(path, cwd, id);
}

/* Is a parameter present, but neither a string nor null? */
static bool
is_mistyped(const struct rpc_msg *m, const char *key, const char *text)
{
	struct slice value = scan_get(m->params, key);

	return text == NULL && value.p != NULL && scan_kind(value) != SCAN_NULL;
}

static void
on_list(struct acp *a, const struct rpc_msg *m)
{
	char *cwd = scan_strdup(scan_get(m->params, "cwd"));
	char *cursor = scan_strdup(scan_get(m->params, "cursor"));
	struct buf page = BUF_INIT(BUF_RECORD_MAX);
	struct err e;

	if (is_mistyped(m, "cwd", cwd) || is_mistyped(m, "cursor", cursor) ||
	    (cwd != NULL && cwd[0] != '/'))
		acp_error(a, m->id, RPC_NO_PARAMS, "cwd is not an absolute "
		    "path, or cursor is not a string");
	else if (listing_page(cwd, cursor, &page, &e) < 0)
		acp_error(a, m->id, RPC_NO_PARAMS, e.text);
	else
		put_result(a, m->id, buf_view(&page));
	buf_release(&page);
	FREE(cursor, cwd);
}

static void
on_prompt(struct acp *a, const struct rpc_msg *m)
{
	struct slice prompt = scan_get(m->params, "prompt");
	struct worker *s = require_session(a, m);
	struct err e;

	if (s == NULL)
		return;
	if (scan_kind(prompt) != SCAN_ARRAY)
		acp_error(a, m->id, RPC_NO_PARAMS, "prompt is missing, or is "
		    "not an array");
	else if (s->work != IDLE || s->closing != NULL)
		acp_error(a, m->id, RPC_INVALID, s->work == PROMPTED ?
		    "a prompt is running in this session" :
		    "the session is being opened or closed");
	else if (!ensure_running(s, m))
		return;
	else if (prompt_send(s, prompt, &e) < 0)
		acp_error(a, m->id, RPC_NO_PARAMS, e.text);
	else
		worker_work(s, PROMPTED, m->id);
}

static void
on_close(struct acp *a, const struct rpc_msg *m)
{
	struct worker *s = require_session(a, m);

	if (s == NULL)
		return;
	if (s->closing != NULL) {
		acp_error(a, m->id, RPC_INVALID, "the session is being closed");
	} else if (s->child == NULL) {
		put_result(a, m->id, SLICE("{}"));
		worker_free(s);
	} else {
		s->closing = xmemdup0(m->id.p, m->id.n);
		worker_cancel(s);
	}
}

/* ---- settings ---- */

/* session/set_config_option; session/set_mode is the older way. */
static void
on_set(struct acp *a, const struct rpc_msg *m)
{
	bool older = scan_str_is(m->method, "session/set_mode");
	struct worker *s = require_session(a, m);
	char *option = s == NULL ? NULL : older ? xstrdup("mode") :
	    require_str(a, m, "configId");
	char *value = option == NULL ? NULL : require_str(a, m, older ?
	    "modeId" : "value");
	bool mode = option != NULL && strcmp(option, "mode") == 0;
	struct buf b = BUF_INIT(BUF_RECORD_MAX);

	if (value == NULL || !ensure_running(s, m))
		goto out;
	char **now = mode ? &s->mode : &s->model;
	bool same = *now != NULL && strcmp(value, *now) == 0;
	bool known = same || (mode ? slice_in(slice_of(value), track_modes) :
	    s->models.n == 0 && value[0] != '\0');
	for (size_t i = 0; !mode && i < s->models.n; i++)
		known |= strcmp(value, s->models.v[i]) == 0;
	if (!mode && strcmp(option, "model") != 0) {
		acp_error(a, m->id, RPC_NO_PARAMS, "there is no such option; "
		    "they are mode and model");
	} else if (s->mode == NULL) {
		acp_error(a, m->id, RPC_INVALID, "the session is being opened");
	} else if (!known) {
		acp_error(a, m->id, RPC_NO_PARAMS, mode ? "there is no such "
		    "mode" : "the server has no such model");
	} else {
		if (!same)
			worker_send(s, "{'type':'config','set':{'$':@}}", mode ?
			    SLICE("agent.mode") : SLICE("provider.model"),
			    slice_of(value));
		xset(now, xstrdup(value));
		buf_addc(&b, '{');
		if (!older)
			update_put_options(s, &b);
		buf_addc(&b, '}');
		put_result(a, m->id, buf_view(&b));
		update_modes(s, mode);
	}
out:
	buf_release(&b);
	FREE(value, option);
}

/* ---- notifications ---- */

static void
on_cancel(struct acp *a, const struct rpc_msg *m)
{
	char *id = scan_strdup(scan_get(m->params, "sessionId"));
	struct worker *s = id != NULL ? find_session(a, id) : NULL;

	if (s != NULL && s->work == PROMPTED && s->child != NULL)
		worker_cancel(s);
	free(id);
}

static void
on_cancel_request(struct acp *a, const struct rpc_msg *m)
{
	struct slice id = scan_get(m->params, "requestId");

	for (size_t i = 0; i < a->n; i++) {
		struct worker *s = a->v[i];

		if (s->work == IDLE || s->child == NULL || id.p == NULL ||
		    !slice_is(id, s->request))
			continue;
		s->dropped = true;
		worker_cancel(s);
		if (!s->opened)
			child_close_in(s->child);
	}
}

/* ---- what the editor answers ---- */

void
acp_send_file(struct worker *s, struct slice id, struct slice content)
{
	if (scan_kind(content) == SCAN_STRING)
		worker_send(s, "{'type':'file','id':$,'content':$}", id,
		    content);
	else
		worker_send(s, "{'type':'file','id':$}", id);
}

/* False: no question has this id. */
static bool
on_answer(struct acp *a, const struct rpc_msg *m)
{
	struct slice outcome = scan_get(m->result, "outcome");
	struct slice option = scan_get(outcome, "optionId");
	bool chosen = m->kind == RPC_RESULT &&
	    scan_str_is(scan_get(outcome, "outcome"), "selected");
	bool always = chosen && (scan_str_is(option, "allow_always") ||
	    scan_str_is(option, "reject_always"));
	bool allow = chosen && (scan_str_is(option, "allow_once") ||
	    scan_str_is(option, "allow_always"));
	size_t i = 0;

	while (i < a->nq && !rpc_same_id(m->id, SCAN_INT(a->q[i].number)))
		i++;
	if (i == a->nq)
		return false;
	struct slice id = slice_of(a->q[i].id);
	if (a->q[i].kind == R_FILE)
		acp_send_file(a->q[i].worker, id,
		    scan_get(m->result, "content"));
	else
		worker_send(a->q[i].worker, "{'type':'answer','id':$,"
		    "'allow':$,'scope':@}", id, scan_truth(allow),
		    always ? SLICE("session") : SLICE("once"));
	remove_question(a, i);
	return true;
}

/* ---- messages ---- */

static const struct {
	const char *name;
	void (*take)(struct acp *a, const struct rpc_msg *m);
	bool notice;		/* it has no id */
} methods[] = {
	{ "initialize", on_initialize, false },
	{ "session/new", on_open, false },
	{ "session/load", on_open, false },
	{ "session/resume", on_open, false },
	{ "session/list", on_list, false },
	{ "session/close", on_close, false },
	{ "session/prompt", on_prompt, false },
	{ "session/set_mode", on_set, false },
	{ "session/set_config_option", on_set, false },
	{ "session/cancel", on_cancel, true },
	{ "$/cancel_request", on_cancel_request, true },
};

static void
take_message(struct acp *a, enum rpc_got got, struct slice text)
{
	struct slice none = { NULL, 0 };
	struct rpc_msg m;

	if (got != RPC_TEXT) {
		acp_error(a, none, RPC_PARSE, got == RPC_LONG ?
		    "a message is longer than 64 MiB" :
		    "a message is not JSON");
		return;
	}
	rpc_read(text, &m);
	/* an id of null is one, too */
	if (m.kind == RPC_OTHER && scan_kind(m.id) == SCAN_NULL &&
	    scan_kind(m.method) == SCAN_STRING)
		m.kind = RPC_REQUEST;
	/* a malformed answer is a no, because the turn waits for it */
	if (m.method.p == NULL && on_answer(a, &m))
		return;
	if (m.kind == RPC_RESULT || m.kind == RPC_ERROR)
		return;
	if (m.kind == RPC_OTHER) {
		acp_error(a, rpc_is_id(m.id) ? m.id : none, RPC_INVALID,
		    scan_kind(text) == SCAN_ARRAY ?
		    "batches are not supported" :
		    "this is not a JSON-RPC 2.0 message");
		return;
	}
	for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
		if (scan_str_is(m.method, methods[i].name) &&
		    methods[i].notice == (m.kind == RPC_NOTIFY)) {
			methods[i].take(a, &m);
			return;
		}
	if (m.kind == RPC_REQUEST)
		acp_error(a, m.id, RPC_NO_METHOD, "there is no such method");
}

/* ---- the loop ---- */

/* Close the input of sessions that must end, after their work is answered if
 * somebody reads stdout. */
static void
close_sessions(struct acp *a)
{
	for (size_t i = 0; i < a->n; i++) {
		struct worker *s = a->v[i];

		if (s->child != NULL && s->child->in >= 0 &&
		    (a->out_errno != 0 || ((a->ended || s->closing != NULL) &&
		    s->work == IDLE && s->written == s->out.len)))
			child_close_in(s->child);
	}
}

/* One round: the editor's ends, and three of each session. */
static void
round_of_poll(struct acp *a, int most)
{
	size_t n = a->n;
	struct pollfd *p = xcalloc(3 * n + 2, sizeof *p);
	struct worker **v = xcalloc(n + 1, sizeof(struct worker *));
	bool behind = a->rpc.wr.len - a->rpc.sent > ACP_QUEUE_HIGH;
	enum rpc_got got;
	struct slice text;
	int ms = most;

	for (size_t i = 0; i < n; i++) {
		struct child *c = a->v[i]->child;
		bool more = a->v[i]->written < a->v[i]->out.len;
		int due = calls_send_due(a->v[i]);

		if (due >= 0 && (ms < 0 || due < ms))
			ms = due;
		v[i] = a->v[i];
		p[3 * i] = (struct pollfd){ c == NULL || behind ? -1 : c->out,
			POLLIN, 0 };
		p[3 * i + 1] = (struct pollfd){ c == NULL || !more ? -1 :
		    c->in, POLLOUT, 0 };
		p[3 * i + 2] = (struct pollfd){ c == NULL ? -1 : c->err,
			POLLIN, 0 };
	}
	/* stop reading from an editor that does not read */
	p[3 * n] = (struct pollfd){ a->ended || a->rpc.wr.len - a->rpc.sent >
		4 * ACP_QUEUE_HIGH ? -1 : STDIN_FILENO, POLLIN, 0 };
	p[3 * n + 1] = (struct pollfd){ STDOUT_FILENO,
		rpc_waiting(&a->rpc) ? POLLOUT : 0, 0 };
	if (poll(p, 3 * n + 2, ms) >= 0) {
		if (p[3 * n + 1].revents != 0 && rpc_send(&a->rpc) < 0)
			a->out_errno = errno;
		else if (p[3 * n + 1].revents & (POLLERR | POLLNVAL))
			a->out_errno = p[3 * n + 1].revents & POLLNVAL ?
			    EBADF : EPIPE;
		for (size_t i = 0; i < n; i++) {
			if (v[i]->child == NULL)
				continue;
			if (p[3 * i + 2].revents != 0)
				child_read_err(v[i]->child);
			if (p[3 * i + 1].revents != 0)
				worker_write(v[i]);
			if (p[3 * i].revents != 0)
				worker_read(v[i]);
		}
		if (p[3 * n].revents != 0 && rpc_fill(&a->rpc) < 0)
			a->ended = true;
		while (p[3 * n].revents != 0 &&
		    (got = rpc_take(&a->rpc, &text)) != RPC_NONE)
			take_message(a, got, text);
		close_sessions(a);
	}
	FREE(v, p);
}

int
acp(int argc, char **argv, bool images)
{
	struct acp a = { .images = images };
	struct err e;
	bool any = true;

	signal(SIGPIPE, SIG_IGN);
	/* all options but --acp; an operand would be a task */
	for (int i = 1; i < argc; i++)
		argv_add(&a.args, strcmp(argv[i], "--acp") != 0 ? argv[i] :
		    NULL);
	rpc_init(&a.rpc, STDIN_FILENO, STDOUT_FILENO, LINE_MAX_BYTES);
	a.rpc.repair = true;
	if (isatty(STDOUT_FILENO) != 1)
		fcntl(STDOUT_FILENO, F_SETFL,
		    fcntl(STDOUT_FILENO, F_GETFL) | O_NONBLOCK);
	while (a.out_errno == 0 && !a.ended)
		round_of_poll(&a, -1);
	/* the editor is gone: end its sessions as Ctrl-C does */
	long long until = file_now_ms() + END_MS;
	for (size_t i = 0; i < a.n; i++)
		if (a.v[i]->work == PROMPTED && a.v[i]->child != NULL)
			worker_cancel(a.v[i]);
	close_sessions(&a);
	while (any && file_now_ms() < until) {
		any = false;
		for (size_t i = 0; i < a.n; i++)
			any |= a.v[i]->child != NULL;
		if (any)
			round_of_poll(&a, 100);
	}
	while (a.n > 0)
		worker_free(a.v[a.n - 1]);
	until = file_now_ms() + LAST_MS;
	while (a.out_errno == 0 && rpc_waiting(&a.rpc) && file_now_ms() < until)
		round_of_poll(&a, LAST_MS);
	FREE(a.args.v, a.v, a.q);
	rpc_release(&a.rpc);
	if (a.out_errno == 0 || a.out_errno == EPIPE)
		return ST_OK;
	errno = a.out_errno;
	err_sys(&e, ST_SYSTEM, "stdout");
	return err_report(&e);
}
