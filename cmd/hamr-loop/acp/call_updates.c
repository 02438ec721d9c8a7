/* call_updates.c - the calls of a model, as an editor shows them. */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "internal.h"

#define OUTPUT_SHOWN ((size_t)8 << 10)	/* of a command, its end */
#define OUTPUT_HELD ((size_t)64 << 10)
#define OUTPUT_MS 250		/* at most four times a second */
#define RESULT_SHOWN ((size_t)64 << 10)
#define INPUT_SHOWN ((size_t)256 << 10)
#define ASKED_SHOWN ((size_t)128 << 10)	/* of what is too long to be asked */
#define TITLE_SHOWN ((size_t)320)

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
calls_forget(struct worker *s)
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
	n = utf8_cut(b.p, b.len, TITLE_SHOWN);
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
	struct json *o = update_begin("tool_call"), *info;
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
	update_send(s, o);
	free(title);
}

void
calls_see(struct worker *s, const struct call *call)
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
	struct json *o = update_begin("tool_call_update");

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
	json_add(o, "content", update_block(text));
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
	update_send(s, o);
	c->unsent = 0;
	c->due = false;
	c->told = file_now_ms();
}

void
calls_output(struct worker *s, const struct rec *r)
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
calls_send_due(struct worker *s)
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

void
calls_start(struct worker *s, const struct rec *r)
{
	struct seen_call *c = find_call(s, rec_get(r, "tool_call_id"));

	if (c != NULL)
		update_send(s, begin_call_update(c, "in_progress"));
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
	/* behind the lines that only surround it */
	while (p != NULL && (p = strchr(p, '\n')) != NULL && *++p == ' ')
		line++;
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

void
calls_result(struct worker *s, const struct rec *r, bool replay)
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
		if (update_send(s, o))
			return;
		o = begin_call_update(c, status);
	}
	put_result_text(o, c, r);
	if (shows_terminal(s, c))
		put_exit(s, o, c, r);
	update_send(s, o);
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
		text.n = utf8_cut(text.p, text.n, ASKED_SHOWN);
		while (text.n > 0 && text.p[text.n - 1] != '\n')
			text.n--;
		if (text.n == 0)
			text.n = utf8_cut(b.p, b.len, ASKED_SHOWN);
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

void
calls_ask(struct worker *s, const struct rec *r)
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
