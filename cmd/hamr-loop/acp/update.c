/* update.c - what a session's records mean to an editor. */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/utc.h"
#include "base/utf8.h"
#include "record/msg.h"
#include "ui/remarks.h"
#include "internal.h"

#define CHUNK ((size_t)128 << 10)	/* of a text; escaped it is longer */
#define OUTPUT_SHOWN ((size_t)8 << 10)	/* of a command, its end */
#define OUTPUT_HELD ((size_t)64 << 10)
#define OUTPUT_MS 250		/* at most four times a second */
#define RESULT_SHOWN ((size_t)64 << 10)
#define INPUT_SHOWN ((size_t)256 << 10)
#define TITLE_SHOWN ((size_t)80)

/* ---- sending ---- */

static struct json *
begin_update(const char *kind)
{
	struct json *o = json_object();

	json_str(o, "sessionUpdate", kind);
	return o;
}

/* False: it would be too long. */
static bool
send_update(struct worker *s, struct json *update)
{
	struct json *o = rpc_message(), *params = json_object();

	json_str(o, "method", "session/update");
	json_str(params, "sessionId", s->id);
	json_add(params, "update", update);
	json_add(o, "params", params);
	return acp_send(s->acp, o);
}

static struct json *
text_block(struct slice text)
{
	struct json *o = json_object();

	json_str(o, "type", "text");
	json_slice(o, "text", text);
	return o;
}

void
update_text(struct worker *s, const char *kind, struct slice text)
{
	bool gap = s->said_text && strcmp(kind, "agent_message_chunk") == 0;

	/* two messages of the model, one behind the other */
	if (gap && text.n > 0) {
		s->said_text = false;
		update_text(s, kind, SLICE("\n\n"));
	}
	while (text.n > 0) {
		struct json *o = begin_update(kind);
		size_t n = utf8_cut(text.p, text.n, CHUNK);
		char *id = xasprintf("m%zu", s->messages + 1);

		json_add(o, "content", text_block((struct slice){ text.p, n }));
		if (kind[0] == 'a')
			json_str(o, "messageId", id);
		send_update(s, o);
		free(id);
		text = (struct slice){ text.p + n, text.n - n };
	}
}

/* The text of a JSON string. */
static void
send_string(struct worker *s, const char *kind, struct slice value)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);

	if (scan_str(value, &b))
		update_text(s, kind, buf_view(&b));
	buf_release(&b);
}

/* ---- modes and models ---- */

static const struct {
	const char *id, *name, *about;
} modes[] = {
	{ "read-only", "Read only", "Look and answer; nothing is changed" },
	{ "patch", "Patch", "Change files to carry out the task" },
	{ "verify", "Verify", "Run the project's check; change nothing" },
	{ "docs", "Docs", "Change documentation only" },
};
#define MODES (sizeof modes / sizeof *modes)

const char *const update_mode_names[] = { "read-only", "patch", "verify",
	"docs", NULL };

static void
put_option(struct json *list, const char *value, const char *name,
    const char *about)
{
	struct json *o = json_object();

	json_str(o, "value", value);
	json_str(o, "name", name);
	if (about != NULL)
		json_str(o, "description", about);
	json_add(list, NULL, o);
}

static struct json *
begin_option(const char *id, const char *name, const char *value)
{
	struct json *o = json_object();

	json_str(o, "type", "select");
	json_str(o, "id", id);
	json_str(o, "name", name);
	json_str(o, "category", id);
	json_str(o, "currentValue", value);
	return o;
}

static struct json *
config_options(const struct worker *s)
{
	struct json *all = json_array(), *list = json_array(), *o;
	bool seen = false;

	o = begin_option("mode", "Mode", s->mode);
	for (size_t i = 0; i < MODES; i++)
		put_option(list, modes[i].id, modes[i].name, modes[i].about);
	json_add(o, "options", list);
	json_add(all, NULL, o);
	o = begin_option("model", "Model", s->model);
	list = json_array();
	for (size_t i = 0; i < s->nmodels; i++) {
		put_option(list, s->models[i], s->models[i], NULL);
		seen |= strcmp(s->models[i], s->model) == 0;
	}
	if (!seen)
		put_option(list, s->model, s->model[0] != '\0' ? s->model :
		    "the server's own", NULL);
	json_add(o, "options", list);
	json_add(all, NULL, o);
	return all;
}

void
update_put_options(const struct worker *s, struct json *o, bool both)
{
	struct json *m = json_object(), *list = json_array(), *mode;

	json_add(o, "configOptions", config_options(s));
	for (size_t i = 0; i < MODES; i++) {
		mode = json_object();
		json_str(mode, "id", modes[i].id);
		json_str(mode, "name", modes[i].name);
		json_str(mode, "description", modes[i].about);
		json_add(list, NULL, mode);
	}
	json_str(m, "currentModeId", s->mode);
	json_add(m, "availableModes", list);
	if (both)
		json_add(o, "modes", m);
	else
		json_free(m);
}

void
update_modes(struct worker *s, bool mode)
{
	struct json *o;

	if (mode) {
		o = begin_update("current_mode_update");
		json_str(o, "currentModeId", s->mode);
		send_update(s, o);
	}
	o = begin_update("config_option_update");
	update_put_options(s, o, false);
	send_update(s, o);
}

void
update_commands(struct worker *s)
{
	struct json *o = begin_update("available_commands_update"), *c;
	struct json *list = json_array(), *input;
	struct slice el, hint;
	struct walk w;

	walk_list(&w, slice_of(s->commands != NULL ? s->commands : "[]"));
	while (walk_next(&w, NULL, &el)) {
		c = json_object();
		json_raw(c, "name", scan_get(el, "name"));
		json_raw(c, "description", scan_get(el, "description"));
		hint = scan_get(el, "hint");
		if (hint.p != NULL) {
			input = json_object();
			json_raw(input, "hint", hint);
			json_add(c, "input", input);
		}
		json_add(list, NULL, c);
	}
	json_add(o, "availableCommands", list);
	send_update(s, o);
}

/* ---- calls ---- */

static void
release_call(struct seen_call *c)
{
	free(c->id);
	free(c->name);
	free(c->args);
	free(c->path);
	free(c->old);
	free(c->new);
	buf_release(&c->output);
}

void
update_forget(struct worker *s)
{
	for (size_t i = 0; i < s->ncalls; i++)
		release_call(&s->calls[i]);
	free(s->calls);
	s->calls = NULL;
	s->ncalls = s->capcalls = 0;
}

static struct seen_call *
find_call(struct worker *s, struct slice id)
{
	for (size_t i = 0; i < s->ncalls; i++)
		if (scan_str_is(id, s->calls[i].id))
			return &s->calls[i];
	return NULL;
}

static bool
is_edit(const struct seen_call *c)
{
	return strcmp(c->name, "edit") == 0 || strcmp(c->name, "write") == 0;
}

static const char *
kind_of(const struct seen_call *c)
{
	static const struct { const char *name, *kind; } kinds[] = {
		{ "read", "read" }, { "view_image", "read" },
		{ "edit", "edit" }, { "write", "edit" }, { "bash", "execute" },
		{ "search_memory", "search" } };
	struct slice args = slice_of(c->args);

	if (strcmp(c->name, "read") == 0 && scan_get(args, "query").p != NULL)
		return "search";
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (strcmp(c->name, kinds[i].name) == 0)
			return kinds[i].kind;
	return "other";
}

/* "read src/a.c", or a command as it is. */
static char *
title_of(const struct seen_call *c)
{
	static const char *const telling[] = { "command", "query", "path",
		"file_path", "fact" };
	struct buf b = BUF_INIT(BUF_RECORD_MAX);
	size_t n;

	if (strcmp(c->name, "bash") != 0)
		buf_fmt(&b, "%s ", c->name);
	for (size_t i = 0; i < sizeof telling / sizeof *telling; i++)
		if (scan_str(scan_get(slice_of(c->args), telling[i]), &b))
			break;
	if (b.len == 0)
		buf_adds(&b, c->name);
	n = utf8_cut(b.p, b.len, 4 * TITLE_SHOWN);
	while (n > 0 && (b.p[n - 1] == ' ' || b.p[n - 1] == '\n'))
		n--;
	b.p[n] = '\0';
	return buf_detach(&b);
}

/* Where a file is that a call names. */
static char *
absolute(const struct worker *s, const char *path)
{
	while (strncmp(path, "./", 2) == 0)
		path += 2;
	return path[0] == '/' ? xstrdup(path) : path[0] == '\0' ||
	    strcmp(path, ".") == 0 ? xstrdup(s->root) : xasprintf("%s%s%s",
	    s->root, s->root[1] != '\0' ? "/" : "", path);
}

static void
put_location(struct json *o, const char *path, int64_t line)
{
	struct json *list = json_array(), *at = json_object();

	json_str(at, "path", path);
	if (line > 0)
		json_int(at, "line", line);
	json_add(list, NULL, at);
	json_add(o, "locations", list);
}

static void
add_meta(struct json *o, const char *key, struct json *value)
{
	struct json *meta = json_object();

	json_add(meta, key, value);
	json_add(o, "_meta", meta);
}

static struct json *
terminal(const struct seen_call *c)
{
	struct json *o = json_object();

	json_str(o, "terminal_id", c->id);
	return o;
}

static bool
shows_terminal(const struct worker *s, const struct seen_call *c)
{
	return s->acp->terminal && strcmp(c->name, "bash") == 0;
}

/* The arguments, unless they are too long to be shown. */
static void
put_input(struct json *o, const struct seen_call *c)
{
	struct slice args = slice_of(c->args);

	if (args.n <= INPUT_SHOWN)
		json_raw(o, "rawInput", args);
}

static void
tell_call(struct worker *s, const struct seen_call *c)
{
	struct json *o = begin_update("tool_call"), *info;
	char *title = title_of(c);
	int64_t line = 0;

	json_str(o, "toolCallId", c->id);
	json_str(o, "title", title);
	json_str(o, "kind", kind_of(c));
	json_str(o, "status", "pending");
	if (c->path != NULL) {
		scan_int(scan_get(slice_of(c->args), "first"), &line);
		put_location(o, c->path, line);
	}
	put_input(o, c);
	if (shows_terminal(s, c)) {
		info = terminal(c);
		json_str(info, "cwd", s->root);
		add_meta(o, "terminal_info", info);
	}
	send_update(s, o);
	free(title);
}

static void
see_call(struct worker *s, const struct call *call)
{
	struct buf args = BUF_INIT(BUF_RECORD_MAX);
	struct scan scan = { 0 };
	struct seen_call *c;
	char *path;

	s->calls = xgrow(s->calls, s->ncalls, &s->capcalls, sizeof *s->calls);
	c = &s->calls[s->ncalls++];
	*c = (struct seen_call){ .id = scan_strdup(call->id),
		.name = scan_strdup(call->name),
		.output = BUF_INIT(2 * OUTPUT_HELD + (1 << 20)) };
	if (c->id == NULL)
		c->id = xasprintf("call %zu.%zu", s->messages, s->ncalls);
	if (c->name == NULL)
		c->name = xstrdup("call");
	/* what is not an object is not shown */
	if (scan_str(call->args, &args) &&
	    scan_record(&scan, buf_view(&args).p, args.len) == 0)
		c->args = xmemdup0(args.p, args.len);
	else
		c->args = xstrdup("{}");
	path = scan_strdup(scan_get(slice_of(c->args), "path"));
	if (path == NULL)
		path = scan_strdup(scan_get(slice_of(c->args), "file_path"));
	c->path = path != NULL ? absolute(s, path) : NULL;
	free(path);
	scan_release(&scan);
	buf_release(&args);
	tell_call(s, c);
}

static struct json *
begin_call_update(const struct seen_call *c, const char *status)
{
	struct json *o = begin_update("tool_call_update");

	json_str(o, "toolCallId", c->id);
	if (status != NULL)
		json_str(o, "status", status);
	return o;
}

static void
put_content(struct json *o, struct json *content)
{
	struct json *list = json_array();

	json_add(list, NULL, content);
	json_add(o, "content", list);
}

static struct json *
text_content(struct slice text)
{
	struct json *o = json_object();

	json_str(o, "type", "content");
	json_add(o, "content", text_block(text));
	return o;
}

static struct json *
diff_content(const struct seen_call *c)
{
	struct json *o = json_object();

	json_str(o, "type", "diff");
	json_str(o, "path", c->path);
	if (c->old != NULL)
		json_str(o, "oldText", c->old);
	else
		json_null(o, "oldText");
	json_str(o, "newText", c->new);
	return o;
}

/* The end of a text that holds no more than so many bytes. */
static struct slice
last_bytes(struct slice text, size_t most)
{
	if (text.n > most) {
		text.p += text.n - most;
		text.n = most;
		while (text.n > 0 && ((unsigned char)*text.p & 0xc0) == 0x80) {
			text.p++;
			text.n--;
		}
	}
	return text;
}

static void
send_output(struct worker *s, struct seen_call *c)
{
	struct json *o = begin_call_update(c, NULL), *out;
	struct slice all = buf_view(&c->output);

	put_content(o, text_content(last_bytes(all, OUTPUT_SHOWN)));
	if (shows_terminal(s, c)) {
		out = terminal(c);
		json_slice(out, "data", last_bytes(all, c->unsent < all.n ?
		    c->unsent : all.n));
		add_meta(o, "terminal_output", out);
	}
	send_update(s, o);
	c->unsent = 0;
	c->due = false;
	c->told = file_now_ms();
}

static void
take_output(struct worker *s, const struct rec *r)
{
	struct seen_call *c = find_call(s, rec_get(r, "tool_call_id"));
	struct buf text = BUF_INIT(BUF_RECORD_MAX);
	struct slice end;

	if (c != NULL && scan_str(rec_get(r, "text"), &text)) {
		end = last_bytes(buf_view(&text), OUTPUT_HELD);
		c->unsent += end.n;
		if (c->output.len > OUTPUT_HELD) {
			struct slice kept = last_bytes(buf_view(&c->output),
			    OUTPUT_SHOWN);

			buf_drop(&c->output, c->output.len - kept.n);
		}
		buf_slice(&c->output, end);
		c->due = true;
	}
	buf_release(&text);
}

int
update_output(struct worker *s)
{
	int least = -1;

	for (size_t i = 0; i < s->ncalls; i++) {
		long long left = s->calls[i].told + OUTPUT_MS - file_now_ms();

		if (!s->calls[i].due)
			continue;
		if (left <= 0)
			send_output(s, &s->calls[i]);
		else if (least < 0 || left < least)
			least = (int)left;
	}
	return least;
}

/* ---- a result ---- */

/* The texts that an edit made one of the other, as far as the file and the
 * diff tell them. */
static void
find_texts(struct seen_call *c, struct slice diff, bool made)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);

	if (c->new != NULL || c->path == NULL || !scan_str(diff, &b) ||
	    b.len == 0)
		goto out;
	c->new = whole_read(c->path);
	if (c->new == NULL || made)
		goto out;
	c->old = whole_text(c->new, buf_view(&b), true);
	if (c->old == NULL) {
		free(c->new);
		c->new = NULL;
	}
out:
	buf_release(&b);
}

/* The line of the first change in a diff, from 1; 0: none. */
static int64_t
first_line(struct slice diff)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);
	int64_t line = 0;
	const char *p = scan_str(diff, &b) ? strstr(buf_view(&b).p, "@@ -") :
	    NULL;

	p = p != NULL ? strchr(p, '+') : NULL;
	if (p != NULL)
		line = strtol(p + 1, NULL, 10);
	buf_release(&b);
	return line > 0 ? line : 0;
}

static void
put_exit(struct worker *s, struct json *o, const struct seen_call *c,
    const struct rec *r)
{
	struct json *out = terminal(c);
	struct slice exit = msg_meta(r, "exit"), sig = msg_meta(r, "signal");
	int64_t n;

	if (scan_int(exit, &n))
		json_int(out, "exit_code", n);
	else
		json_null(out, "exit_code");
	if (scan_kind(sig) == SCAN_STRING || scan_int(sig, &n))
		json_raw(out, "signal", sig);
	else
		json_null(out, "signal");
	add_meta(o, "terminal_exit", out);
	(void)s;
}

static void
put_result_text(struct json *o, const struct seen_call *c,
    const struct rec *r)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);
	struct slice text;

	msg_text(rec_get(r, "content"), &b);
	text = buf_view(&b);
	if (strcmp(c->name, "bash") == 0)
		text = last_bytes(text, OUTPUT_SHOWN);
	else if (text.n > RESULT_SHOWN)
		text.n = utf8_cut(text.p, text.n, RESULT_SHOWN);
	put_content(o, text_content(text));
	buf_release(&b);
}

static void
take_result(struct worker *s, const struct rec *r, bool replay)
{
	struct seen_call *c = find_call(s, rec_get(r, "tool_call_id"));
	bool failed = scan_true(rec_get(r, "is_error"));
	struct slice diff = msg_meta(r, "diff");
	const char *status = failed ? "failed" : "completed";
	struct json *o;

	if (c == NULL)
		return;
	if (c->due && !replay)
		send_output(s, c);
	o = begin_call_update(c, status);
	if (is_edit(c) && !failed && !replay)
		find_texts(c, diff, scan_kind(msg_meta(r,
		    "sha256_before")) == SCAN_NULL);
	if (is_edit(c) && !failed && c->path != NULL)
		put_location(o, c->path, first_line(diff));
	if (is_edit(c) && !failed && c->new != NULL) {
		put_content(o, diff_content(c));
		if (send_update(s, o))
			return;
		o = begin_call_update(c, status);
	}
	put_result_text(o, c, r);
	if (shows_terminal(s, c))
		put_exit(s, o, c, r);
	send_update(s, o);
}

/* ---- permission ---- */

static void
put_choice(struct json *list, const char *id, const char *name)
{
	struct json *o = json_object();

	json_str(o, "optionId", id);
	json_str(o, "name", name);
	json_str(o, "kind", id);
	json_add(list, NULL, o);
}

/* What would be done; how 0: all of it, 1: no whole texts, 2: the beginning. */
static struct json *
asked_call(const struct seen_call *c, const struct rec *r, int how)
{
	struct json *o = json_object();
	struct buf b = BUF_INIT(BUF_RECORD_MAX);
	char *title = title_of(c);
	struct slice text;

	json_str(o, "toolCallId", c->id);
	json_str(o, "title", title);
	json_str(o, "kind", kind_of(c));
	json_str(o, "status", "pending");
	put_input(o, c);
	if (c->path != NULL)
		put_location(o, c->path, first_line(rec_get(r, "diff")));
	if (!scan_str(rec_get(r, "diff"), &b))
		scan_str(rec_get(r, "command"), &b);
	text = buf_view(&b);
	if (how == 2) {
		text.n = utf8_cut(text.p, text.n, CHUNK);
		while (text.n > 0 && text.p[text.n - 1] != '\n')
			text.n--;
		text.n = text.n > 0 ? text.n : utf8_cut(b.p, b.len, CHUNK);
		b.len = text.n;
		buf_adds(&b, "[more; too long to be shown here]\n");
		text = buf_view(&b);
	}
	if (how == 0 && c->new != NULL)
		put_content(o, diff_content(c));
	else if (text.n > 0)
		put_content(o, text_content(text));
	free(title);
	buf_release(&b);
	return o;
}

static void
ask_permission(struct worker *s, const struct rec *r)
{
	struct seen_call *c = find_call(s, rec_get(r, "tool_call_id"));
	struct buf diff = BUF_INIT(BUF_RECORD_MAX);
	bool asked = false;

	if (c == NULL)
		return;
	if (is_edit(c) && c->path != NULL &&
	    scan_str(rec_get(r, "diff"), &diff)) {
		bool made = scan_true(rec_get(r, "new"));

		c->old = made ? NULL : whole_read(c->path);
		if (made || c->old != NULL)
			c->new = whole_text(made ? "" : c->old,
			    buf_view(&diff), false);
	}
	for (int how = 0; how < 3 && !asked; how++) {
		struct json *params = json_object(), *list = json_array();

		json_str(params, "sessionId", s->id);
		json_add(params, "toolCall", asked_call(c, r, how));
		put_choice(list, "allow_once", "Allow once");
		put_choice(list, "allow_always", "Always allow");
		put_choice(list, "reject_once", "Reject");
		put_choice(list, "reject_always", "Always reject");
		json_add(params, "options", list);
		asked = acp_ask(s, "session/request_permission", params, r);
	}
	/* what the result says counts; this was a proposal */
	free(c->old);
	free(c->new);
	c->old = c->new = NULL;
	buf_release(&diff);
}

/* ---- a file that the editor has open ---- */

static void
ask_file(struct worker *s, const struct rec *r)
{
	bool write = rec_str_is(r, "op", "write");
	struct json *params = json_object();

	json_str(params, "sessionId", s->id);
	json_raw(params, "path", rec_get(r, "path"));
	if (write)
		json_raw(params, "content", rec_get(r, "content"));
	if (!acp_ask(s, write ? "fs/write_text_file" : "fs/read_text_file",
	    params, r))
		acp_say_file(s, rec_get(r, "id"), SLICE("null"));
}

/* ---- messages ---- */

static void
see_assistant(struct worker *s, const struct rec *r)
{
	struct call call;
	struct walk w;

	if (!s->thought)
		send_string(s, "agent_thought_chunk", rec_get(r, "reasoning"));
	if (!s->streamed)
		send_string(s, "agent_message_chunk", rec_get(r, "content"));
	s->said_text |= s->streamed || scan_kind(rec_get(r,
	    "content")) == SCAN_STRING;
	s->thought = s->streamed = false;
	s->messages++;
	if (msg_count_calls(rec_get(r, "tool_calls")) == 0)
		return;
	update_forget(s);
	s->said_text = false;
	walk_in(&w, rec_get(r, "tool_calls"));
	while (msg_next_call(&w, &call))
		see_call(s, &call);
}

static void
see_delta(struct worker *s, const struct rec *r)
{
	if (rec_str_is(r, "kind", "content")) {
		s->streamed = true;
		send_string(s, "agent_message_chunk", rec_get(r, "text"));
	} else if (rec_str_is(r, "kind", "reasoning")) {
		s->thought = true;
		send_string(s, "agent_thought_chunk", rec_get(r, "text"));
	}
}

/* data:image/png;base64,AAAA */
static void
send_image(struct worker *s, struct slice part)
{
	char *url = scan_strdup(scan_get(scan_get(part, "image_url"), "url"));
	char *semi = url != NULL ? strchr(url, ';') : NULL;
	char *comma = url != NULL ? strchr(url, ',') : NULL;
	struct json *o, *image;

	if (semi != NULL && comma > semi && strncmp(url, "data:", 5) == 0) {
		o = begin_update("user_message_chunk");
		image = json_object();
		*semi = '\0';
		json_str(image, "type", "image");
		json_str(image, "mimeType", url + 5);
		json_str(image, "data", comma + 1);
		json_add(o, "content", image);
		send_update(s, o);
	}
	free(url);
}

/* What the session is called: how its first message begins. */
static void
see_title(struct worker *s, struct slice text, bool tell)
{
	struct json *o;
	char at[UTC_SIZE];
	bool known = s->title != NULL;

	if (!known) {
		text = slice_trim(text);
		s->title = xmemdup0(text.p != NULL ? text.p : "",
		    utf8_cut(text.p, text.n, TITLE_SHOWN));
		for (char *p = s->title; *p != '\0'; p++)
			*p = (unsigned char)*p < ' ' ? ' ' : *p;
	}
	if (!tell)
		return;
	o = begin_update("session_info_update");
	utc_print_now(at);
	if (!known)
		json_str(o, "title", s->title);
	json_str(o, "updatedAt", at);
	send_update(s, o);
}

static void
see_user(struct worker *s, const struct rec *r, bool replay)
{
	struct slice content = rec_get(r, "content"), part;
	struct buf b = BUF_INIT(BUF_RECORD_MAX);
	struct walk w;

	if (!msg_is_person(r))
		return;
	msg_text(content, &b);
	if (replay) {
		update_text(s, "user_message_chunk", buf_view(&b));
		walk_list(&w, content);
		while (walk_next(&w, NULL, &part))
			send_image(s, part);
	}
	see_title(s, buf_view(&b), !replay);
	s->said_text = false;
	buf_release(&b);
}

/* ---- the rest ---- */

static void
tell_usage(struct worker *s)
{
	struct json *o;

	if (s->window <= 0 || s->used <= 0)
		return;
	o = begin_update("usage_update");
	json_int(o, "used", s->used);
	json_int(o, "size", s->window);
	send_update(s, o);
}

static void
see_usage(struct worker *s, const struct rec *r, bool replay)
{
	int64_t in = 0, out = 0;

	rec_int(r, "prompt_tokens", &in);
	rec_int(r, "completion_tokens", &out);
	s->used = in + out;
	if (!replay)
		tell_usage(s);
}

static void
set_str(char **to, char *text)
{
	if (text == NULL)
		return;
	free(*to);
	*to = text;
}

/* Where the session stands, from the process itself. */
static void
see_progress(struct worker *s, const struct rec *r)
{
	struct slice commands = rec_get(r, "commands"), el;
	struct slice models = rec_get(r, "models");
	struct walk w;

	if (!rec_str_is(r, "stage", "loop"))
		return;
	if (commands.p != NULL) {
		if (s->id == NULL)
			s->id = rec_strdup(r, "session");
		set_str(&s->root, rec_strdup(r, "root"));
		set_str(&s->mode, rec_strdup(r, "mode"));
		set_str(&s->model, rec_strdup(r, "model"));
		set_str(&s->commands, xmemdup0(commands.p, commands.n));
		rec_int(r, "window", &s->window);
		s->ready = s->root != NULL && s->mode != NULL &&
		    s->model != NULL;
	} else if (models.p != NULL) {
		size_t cap = s->nmodels;

		walk_list(&w, models);
		while (walk_next(&w, NULL, &el)) {
			s->models = xgrow(s->models, s->nmodels, &cap,
			    sizeof *s->models);
			s->models[s->nmodels++] = scan_strdup(el);
		}
		if (s->ready && (s->work == IDLE || s->work == PROMPTED))
			update_modes(s, false);
	} else {
		struct buf b = BUF_INIT(BUF_RECORD_MAX);

		if (scan_str(rec_get(r, "text"), &b))
			buf_addc(&b, '\n');
		update_text(s, "agent_message_chunk", buf_view(&b));
		buf_release(&b);
	}
}

static void
see_config(struct worker *s, const struct rec *r)
{
	struct slice set = rec_get(r, "set");

	set_str(&s->mode, scan_strdup(scan_get(set, "agent.mode")));
	set_str(&s->model, scan_strdup(scan_get(set, "provider.model")));
}

static void
see_verification(struct worker *s, const struct rec *r)
{
	char *words = words_for(r), *line;

	if (words == NULL)
		return;
	line = xasprintf("%s\n", words);
	update_text(s, "agent_message_chunk", slice_of(line));
	free(line);
	free(words);
}

static void
see_start(struct worker *s, const struct rec *r)
{
	struct seen_call *c = find_call(s, rec_get(r, "tool_call_id"));

	if (c != NULL)
		send_update(s, begin_call_update(c, "in_progress"));
}

/* What passes by, and is never in a file. */
static void
update_passing(struct worker *s, const struct rec *r)
{
	int64_t n = 0;

	switch (r->kind) {
	case R_DELTA: see_delta(s, r); break;
	case R_OUTPUT: take_output(s, r); break;
	case R_ASK: ask_permission(s, r); break;
	case R_FILE: ask_file(s, r); break;
	case R_PROGRESS: see_progress(s, r); break;
	case R_SYNC:
		rec_int(r, "n", &n);
		if (n == s->sync && s->work != IDLE)
			acp_done(s, false);
		break;
	default: break;
	}
}

void
update_record(struct worker *s, const struct rec *r, bool replay)
{
	if (rec_is_passing(r->kind)) {
		if (!replay)
			update_passing(s, r);
		return;
	}
	switch (r->kind) {
	case R_ASSISTANT: see_assistant(s, r); break;
	case R_USER: see_user(s, r, replay); break;
	case R_TOOL: take_result(s, r, replay); break;
	case R_START:
		if (!replay)
			see_start(s, r);
		break;
	case R_USAGE: see_usage(s, r, replay); break;
	case R_LIMIT: rec_int(r, "context_tokens", &s->window); break;
	case R_CONFIG:
		if (replay)
			see_config(s, r);
		break;
	case R_VERIFICATION: see_verification(s, r); break;
	case R_ERROR:
		set_str(&s->error, rec_strdup(r, "message"));
		break;
	case R_END:
		set_str(&s->status, rec_strdup(r, "status"));
		set_str(&s->reason, rec_strdup(r, "reason"));
		if (replay)
			tell_usage(s);
		break;
	default: break;
	}
}
