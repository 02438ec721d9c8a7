/* mcp_call.c - a call of a tool of an MCP server, and when they are up. */
#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "file.h"
#include "image_view.h"
#include "keep.h"
#include "mem.h"
#include "mode.h"
#include "output.h"
#include "report.h"
#include "scan.h"

#include "mcp_in.h"

#define IMAGES_MAX ((size_t)20 << 20)	/* of one result */
#define STOPPED (STAGE_CANCEL | STAGE_EOF | STAGE_CLOSED)

/* ---- up, or not ---- */

static bool
may_be_of(const struct mcp *m, const char *name)
{
	size_t n = strlen(m->prefix);

	return strncmp(name, m->prefix, n) == 0 &&
	    strncmp(name + n, "__", 2) == 0;
}

/* Until nobody is being asked; false: stopped before. */
static bool
settle(struct tool *t)
{
	for (;;) {
		bool asked = false;

		for (size_t i = 0; i < t->extras->nservers; i++)
			asked = asked || t->extras->servers[i]->asked != 0;
		if (!asked)
			return true;
		if ((mcp_round(t, -1, -1) & STOPPED) != 0)
			return false;
	}
}

void
mcp_load(struct tool *t, const char *name)
{
	struct extras *x = t->extras;
	bool any = false;

	for (size_t i = 0; i < x->nservers; i++) {
		struct mcp *m = x->servers[i];

		if ((name != NULL && !may_be_of(m, name)) || (m->state !=
		    MCP_OFF && m->state != MCP_DOWN))
			continue;
		mcp_start(t, m, false);
		any = true;
	}
	if (!any)
		return;
	settle(t);
	mcp_publish(t);
	for (size_t i = 0; i < x->nservers; i++)
		if (x->servers[i]->state == MCP_DOWN)
			err_say("mcp.%s: %s; its tools are left out",
			    x->servers[i]->name, x->servers[i]->why);
}

bool
mcp_changed(struct tool *t)
{
	struct extras *x = t->extras;
	bool any = false;

	if (x->nservers == 0)
		return false;
	mcp_round(t, 0, -1);
	for (size_t i = 0; i < x->nservers; i++) {
		struct mcp *m = x->servers[i];

		mcp_forget_old(m);	/* no call is in hand */
		if (m->state != MCP_UP || !m->stale)
			continue;
		mcp_list(m);
		any = true;
	}
	if (!any)
		return false;
	settle(t);
	mcp_publish(t);
	return true;
}

bool
mcp_is_bare(const struct mcp *m)
{
	return m->bare;
}

bool
mcp_judge(const struct tool *t, const struct extra *x, struct result *r)
{
	if (!x->server->bare || t->mode == MODE_PATCH || x->read_only)
		return true;
	result_error(r, "denied", "denied: the MCP server %s runs without a "
	    "sandbox, and %s does not say that it only reads; in mode %s "
	    "nothing is changed", x->server->name, x->name,
	    mode_name(t->mode));
	return false;
}

static void
say_down(const struct mcp *m, struct result *r)
{
	result_error(r, "spawn_failed", "the MCP server %s is not running: "
	    "%s; do without it, or ask the user to look at it", m->name,
	    m->why != NULL ? m->why : "it was not started");
}

bool
mcp_is_down(const struct tool *t, const char *name, struct result *r)
{
	struct extras *x = t->extras;

	for (size_t i = 0; i < x->nservers; i++) {
		if (x->servers[i]->state != MCP_DOWN ||
		    !may_be_of(x->servers[i], name))
			continue;
		say_down(x->servers[i], r);
		return true;
	}
	return false;
}

/* ---- what it answered ---- */

/* An image part, judged by its bytes as view_image judges a file's, whatever
 * the server says it is: one that a model's server refuses would stay in the
 * transcript and be refused with each request.  Else a line says why there is
 * none. */
static void
put_image(const struct tool *t, struct slice part, struct buf *text,
    struct result *r)
{
	struct slice data = scan_get(part, "data");
	struct buf b = BUF_INIT(MCP_LINE_MAX);
	struct buf bytes = BUF_INIT(MCP_LINE_MAX);
	struct image im;

	if (!scan_str(data, &b) || b.len == 0 ||
	    !base64_take(&bytes, buf_view(&b)))
		buf_adds(text, "[an image that is not shown: its data is not "
		    "valid base64]");
	else if (!image_probe(&im, buf_view(&bytes)))
		buf_adds(text, "[an image that is not shown: it is not a PNG, "
		    "JPEG, GIF or WebP image]");
	else if (!conf_bool(t->conf, "provider.vision"))
		buf_fmt(text, "[%s, %zu bytes; the model does not see "
		    "images]", im.mime, bytes.len);
	else if (bytes.len > IMAGE_BYTES_MAX)
		buf_fmt(text, "[an image that is not shown: it is larger than "
		    "%zu bytes]", IMAGE_BYTES_MAX);
	else if (r->images.len + b.len > IMAGES_MAX)
		buf_fmt(text, "[an image that is not shown: the images of "
		    "this result are larger than %zu MiB]", IMAGES_MAX >> 20);
	else
		image_part(&r->images, &im, buf_view(&bytes));
	buf_release(&b);
	buf_release(&bytes);
}

static void
put_part(const struct tool *t, struct slice part, struct buf *text,
    struct result *r)
{
	struct slice type = scan_get(part, "type");

	if (text->len > 0 && text->p[text->len - 1] != '\n')
		buf_addc(text, '\n');
	if (scan_str_is(type, "image"))
		put_image(t, part, text, r);
	else if (!scan_str_is(type, "text") ||
	    !scan_str(scan_get(part, "text"), text))
		buf_slice(text, part);
}

/* Its text, within the cap; the whole is kept as bash's is. */
static void
put_text(const struct tool *t, struct slice text, struct result *r)
{
	struct report rep = { .rootfd = files_root_fd(t->files),
		.cap = t->output_cap };
	struct buf unused = BUF_INIT(8 * MCP_LINE_MAX);
	struct output out;

	output_init(&out, t->output_cap);
	output_add(&out, text.p, text.n, &unused);
	output_add(&out, NULL, 0, &unused);
	rep.out = rep.err = &out;
	report_text(&rep, r);
	output_release(&out);
	buf_release(&unused);
}

static void
put_result(const struct tool *t, struct slice result, struct result *r)
{
	struct slice parts = scan_get(result, "content"), el;
	struct slice structured = scan_get(result, "structuredContent");
	struct buf text = BUF_INIT(8 * MCP_LINE_MAX);
	struct walk w;

	if (scan_kind(parts) == SCAN_ARRAY) {
		walk_in(&w, parts);
		while (walk_next(&w, NULL, &el))
			put_part(t, el, &text, r);
	}
	if (text.len == 0 && r->images.len == 0 && structured.p != NULL)
		buf_slice(&text, structured);
	else if (scan_kind(parts) != SCAN_ARRAY)
		buf_slice(&text, result);	/* as it is */
	put_text(t, buf_view(&text), r);
	r->is_error = scan_true(scan_get(result, "isError"));
	buf_release(&text);
}

static void
put_error(const struct extra *x, struct slice error, struct result *r)
{
	char *words = scan_strdup(scan_get(error, "message"));
	int64_t code = 0;

	scan_int(scan_get(error, "code"), &code);
	result_error(r, code == RPC_NO_PARAMS ? "bad_arguments" : NULL,
	    "%s: %s (error %lld of the MCP server %s)", x->name,
	    words != NULL ? words : "it failed", (long long)code,
	    x->server->name);
	free(words);
}

/* ---- the call ---- */

enum outcome { CALL_ANSWERED, CALL_LATE, CALL_STOPPED, CALL_LOST };

static enum outcome
wait_for_answer(struct tool *t, struct mcp *m)
{
	long long until = file_now_ms() + m->timeout;

	while (m->box != NULL && m->reply == MCP_NONE) {
		int flags = mcp_round(t, until, -1);

		if (m->reply != MCP_NONE)
			break;
		if ((flags & STOPPED) != 0)
			return CALL_STOPPED;
		if (m->box != NULL && file_now_ms() >= until)
			return CALL_LATE;
	}
	return m->reply != MCP_NONE ? CALL_ANSWERED : CALL_LOST;
}

static void
tell_cancelled(struct mcp *m, const char *reason)
{
	struct json *o = json_object();

	json_int(o, "requestId", m->call);
	json_str(o, "reason", reason);
	mcp_tell(m, "notifications/cancelled", o);
	rpc_send(&m->rpc);
}

static enum outcome
ask_once(struct tool *t, const struct extra *x, struct slice args)
{
	struct mcp *m = x->server;
	struct json *o = json_object();
	enum outcome got;

	json_str(o, "name", x->remote);
	json_raw(o, "arguments", args);
	m->reply = MCP_NONE;
	m->call = mcp_ask(m, "tools/call", o);
	got = wait_for_answer(t, m);
	if (got == CALL_LATE)
		tell_cancelled(m, "timed out");
	else if (got == CALL_STOPPED)
		tell_cancelled(m, "cancelled by the user");
	m->call = 0;
	return got;
}

/* Up, with the sandbox that the mode wants; *left more starts may be tried. */
static bool
make_up(struct tool *t, struct mcp *m, int *left)
{
	if (m->state == MCP_UP && m->writes != mode_may_write(t)) {
		mcp_stop(m, "the mode has changed");
		++*left;	/* this one is our own doing */
	}
	while (m->state != MCP_UP && *left > 0) {
		--*left;
		mcp_start(t, m, true);
		if (!settle(t))
			return false;
	}
	return m->state == MCP_UP;
}

static void
fill(const struct tool *t, const struct extra *x, enum outcome got,
    struct result *r)
{
	struct mcp *m = x->server;

	if (got == CALL_STOPPED)
		result_error(r, "interrupted", "interrupted");
	else if (got == CALL_LATE)
		result_error(r, "timeout", "timed out after %lld s; the MCP "
		    "server %s was told to stop", m->timeout / 1000, m->name);
	else if (got == CALL_LOST)
		say_down(m, r);
	else if (m->reply == MCP_TOO_LONG)
		result_error(r, "too_large", "the answer of the MCP server %s "
		    "is longer than %zu MiB; ask for less", m->name,
		    MCP_LINE_MAX >> 20);
	else if (m->reply == MCP_ERROR)
		put_error(x, buf_view(&m->answer), r);
	else
		put_result(t, buf_view(&m->answer), r);
	r->lossy = r->lossy || (got == CALL_ANSWERED && m->lossy);
	buf_release(&m->answer);
	buf_init(&m->answer, 4 * MCP_LINE_MAX);
}

void
mcp_call(struct tool *t, const struct extra *x, struct slice args,
    struct result *r)
{
	struct mcp *m = x->server;
	enum outcome got = CALL_LOST;
	int left = 1;

	m->reply = MCP_NONE;
	mcp_round(t, 0, -1);	/* it may have died long ago */
	while (got == CALL_LOST && make_up(t, m, &left)) {
		got = ask_once(t, x, args);
		if (got != CALL_LOST || left == 0)
			break;
		if (x->once) {
			result_error(r, "spawn_failed", "the MCP server %s "
			    "ended in the call (%s); what it did before is "
			    "not known, so look before you call it again",
			    m->name, m->why);
			return;
		}
	}
	if (got == CALL_LOST && (stage_wait(t->stage, NULL, 0, 0) & STOPPED)
	    != 0)
		got = CALL_STOPPED;
	fill(t, x, got, r);
}
