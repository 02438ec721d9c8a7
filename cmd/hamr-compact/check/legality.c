/* legality.c - --check: is the view legal, and what was left out. */
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "record/msg.h"

#include "items/fact.h"
#include "items/finder.h"
#include "legality.h"

#define BEGINNING 60	/* how much of a message identifies it */
#define NOTHING SIZE_MAX	/* of one without a text: it is not missed */

/* ---- is a list of messages legal? ---- */

enum role { NONE, SYSTEM, USER, ASSISTANT, TOOL };

/* State while walking the list. */
struct checker {
	enum role last;
	struct map ids;
	char **open;		/* ids whose results must come next */
	size_t n, cap, next;
	struct scan scan;
};

static const char *
check_call(struct checker *k, const struct call *call)
{
	char *id = scan_strdup(call->id), *args;
	bool fresh, object;

	if (id == NULL || *id == '\0') {
		free(id);
		return "a call without an id";
	}
	args = scan_strdup(call->args);
	object = args != NULL && scan_value(&k->scan, args,
	    strlen(args)) == 0 && args[strspn(args, " \t\r\n")] == '{';
	free(args);
	map_put(&k->ids, slice_of(id), &fresh);
	GROW(k->open, k->n, k->cap);
	k->open[k->n++] = id;
	if (!fresh)
		return "a duplicate call id";
	if (call->name.n <= 2)
		return "a call without a name";
	if (!object)
		return "arguments that are not a JSON object";
	return NULL;
}

static const char *
check_assistant(struct checker *k, struct slice m)
{
	struct slice calls = scan_get(m, "tool_calls");
	const char *why = NULL;
	struct walk w;
	struct call call;

	for (size_t i = 0; i < k->n; i++)
		free(k->open[i]);
	k->n = k->next = 0;
	if (calls.p == NULL)
		return NULL;
	if (scan_kind(calls) != SCAN_ARRAY)
		return "tool_calls that is not an array";
	w = walk_of(calls);
	while (why == NULL && msg_next_call(&w, &call))
		why = check_call(k, &call);
	return why;
}

static const char *
check_one(struct checker *k, struct slice m, size_t at)
{
	static const char *const names[] = { "none", "system", "user",
		"assistant", "tool" };
	struct slice name = scan_get(m, "role");
	struct slice content = scan_get(m, "content");
	enum role role = TOOL;

	while (role > NONE && !scan_str_is(name, names[role]))
		role--;
	if (role != TOOL && k->next < k->n)
		return "a call without its result after it";
	if (role == NONE)
		return "a message of an unknown role";
	if (role == SYSTEM && at > 0)
		return "a system message that is not the first";
	if (role == USER && k->last == USER)
		return "two user messages in a row";
	if (role == USER && k->last == TOOL)
		return "a user message right after results";
	if (scan_get(m, "meta").p != NULL || scan_get(m, "usage").p != NULL ||
	    scan_get(m, "is_error").p != NULL)
		return "a key of our own";
	if (role == TOOL && k->next == k->n)
		return "a result without its call before it";
	if (role == TOOL && !scan_str_is(scan_get(m, "tool_call_id"),
	    k->open[k->next++]))
		return "a result of another call than the next";
	if (role == ASSISTANT && (k->last == NONE || k->last == SYSTEM))
		return "an assistant message before any user's";
	if (role == ASSISTANT && k->last == ASSISTANT)
		return "two assistant messages in a row";
	if (scan_get(m, "tool_calls").p == NULL &&
	    (scan_kind(content) == SCAN_NULL || content.n <= 2))
		return "a message without content";
	k->last = role;
	return role == ASSISTANT ? check_assistant(k, m) : NULL;
}

/* The first breach of the rules of chapter 8.3, or NULL; *at is the index of
 * the message. */
static const char *
check_messages(struct slice messages, size_t *at)
{
	struct checker k = { .last = NONE };
	const char *why = NULL;
	struct slice m;
	struct walk w;

	w = walk_of(messages);
	for (*at = 0; walk_next(&w, NULL, &m); ++*at) {
		why = check_one(&k, m, *at);
		if (why != NULL)
			break;
	}
	if (why == NULL && k.next < k.n)
		why = "a call without its result at the end";
	for (size_t i = 0; i < k.n; i++)
		free(k.open[i]);
	free(k.open);
	map_release(&k.ids);
	scan_release(&k.scan);
	return why;
}

/* ---- what was left out ---- */

static void
put_one(const char *how, const struct view_call *call, struct buf *out)
{
	const struct fact *f = call->note;

	buf_fmt(out, "%s %s %s", how, call->id, f->name);
	if (f->what[0] != '\0') {
		buf_addc(out, ' ');
		buf_add(out, f->what, strcspn(f->what, "\n"));
	}
	buf_fmt(out, " %zu bytes sha256:%s\n", f->bytes,
	    f->hash != NULL ? f->hash : "-");
}

/* ---- what must not be ---- */

struct retained {
	size_t users, users_in;		/* messages a person wrote */
	size_t paths, paths_in;		/* that were edited */
	bool task, newest;
};

/* Append the text of all messages and the arguments of all calls, decoded. */
static void
read_all(struct slice messages, struct buf *text)
{
	struct slice m;
	struct call call;

	for (struct walk w = walk_of(messages); walk_next(&w, NULL, &m); ) {
		msg_text(scan_get(m, "content"), text);
		buf_addc(text, '\n');
		for (struct walk calls = walk_of(scan_get(m, "tool_calls"));
		    msg_next_call(&calls, &call); ) {
			scan_str(call.args, text);
			buf_addc(text, '\n');
		}
	}
}

/* Look in a text for the beginning of each message that a person wrote, and for
 * each path that was edited. */
static struct retained
look_for(const struct compact *c, struct slice in)
{
	const struct view *v = c->view;
	struct retained k = { .task = true, .newest = true };
	struct buf b = BUF_INIT(BUF_RECORD_MAX);
	struct finder texts = { .n = 0 };
	size_t *no = NULL, n = 0, cap = 0, *at;

	for (size_t i = 0; i < v->n; i++)
		for (size_t next = 0; v->nodes[i].kind == VIEW_USER &&
		    view_text(v, i, VIEW_PERSON, &next, &b); buf_reset(&b)) {
			b.len = utf8_cut(b.p, b.len, BEGINNING);
			GROW(no, n, cap);
			no[n++] = b.len > 0 ? finder_add(&texts,
			    buf_view(&b)) : NOTHING;
		}
	k.users = n;
	for (size_t i = 0; i < c->files.n; i++)
		if (c->files.v[i].edited > 0) {
			GROW(no, n, cap);
			no[n++] = finder_add(&texts,
			    slice_of(c->files.v[i].path));
		}
	k.paths = n - k.users;
	at = xcalloc(texts.n, sizeof *at);
	finder_look(&texts, in, 0, at);
	for (size_t i = 0; i < n; i++) {
		bool there = no[i] == NOTHING || at[no[i]] > 0;

		if (i >= k.users) {
			k.paths_in += there;
			continue;
		}
		k.users_in += there;
		k.task &= i > 0 || there;
		k.newest = there;
	}
	free(no);
	free(at);
	finder_release(&texts);
	buf_release(&b);
	return k;
}

/* ---- the sentence ---- */

bool
legality_print(struct compact *c, bool fits, struct buf *out)
{
	struct buf all = BUF_INIT((size_t)1 << 40), elided = all;
	struct buf text = all;
	const struct view *v = c->view;
	size_t at, n = 0;
	const char *why;
	struct retained k;

	view_print(c->view, &all);
	why = check_messages(buf_view(&all), &at);
	read_all(buf_view(&all), &text);
	k = look_for(c, buf_view(&text));
	for (size_t i = 0; i < v->ncalls; i++) {
		const struct view_call *call = &v->calls[i];

		if (call->result != NULL && compact_elides(c, call, false)) {
			put_one("elided", call, &elided);
			n++;
		} else if (call->cut != NULL) {
			put_one("cut", call, &elided);
		}
	}
	if (why != NULL)
		buf_fmt(out, "not legal: message %zu: %s\n", at, why);
	else if (!k.task || !k.newest)
		buf_fmt(out, "not sound: %s is lost\n", k.task ?
		    "the newest user message" : "the task");
	else
		buf_fmt(out, "legal: %zu messages of %zu, %zu results "
		    "elided, stage %s, %ld tokens%s; task, %zu of %zu "
		    "messages by persons and %zu of %zu edited paths are in "
		    "it\n", view_count(c->view), c->view->records, n,
		    epoch_stage(c), compact_size(c),
		    fits ? "" : ", too large to send", k.users_in, k.users,
		    k.paths_in, k.paths);
	buf_slice(out, buf_view(&elided));
	bufs_release(BUFS(&all, &elided, &text));
	return why == NULL && k.task && k.newest;
}
