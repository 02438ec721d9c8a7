/* check.c - is a list of messages legal?  Knows nothing of how it was made. */
#include <stdlib.h>
#include <string.h>

#include "map.h"
#include "mem.h"
#include "msg.h"

#include "modes.h"

enum role { NONE, SYSTEM, USER, ASSISTANT, TOOL };

/* Where we are in the list. */
struct checker {
	enum role last;
	struct map ids;
	char **open;		/* ids the results of which must come next */
	size_t n, cap, next;
	struct scan scan;
};

static enum role
role_of(struct slice m)
{
	static const char *const names[] = { "system", "user", "assistant",
		"tool" };
	struct slice role = scan_get(m, "role");

	for (int i = 0; i < 4; i++)
		if (scan_str_is(role, names[i]))
			return (enum role)(i + 1);
	return NONE;
}

static bool
is_object_text(struct checker *k, struct slice args)
{
	char *text = scan_strdup(args);
	bool ok = text != NULL && scan_value(&k->scan, text,
	    strlen(text)) == 0 && text[strspn(text, " \t\r\n")] == '{';

	free(text);
	return ok;
}

static const char *
check_call(struct checker *k, const struct call *call)
{
	char *id = scan_strdup(call->id);
	bool fresh;

	if (id == NULL || *id == '\0') {
		free(id);
		return "a call without an id";
	}
	map_put(&k->ids, slice_of(id), &fresh);
	k->open = xgrow(k->open, k->n, &k->cap, sizeof *k->open);
	k->open[k->n++] = id;
	if (!fresh)
		return "a call id twice";
	if (call->name.n <= 2)
		return "a call without a name";
	if (!is_object_text(k, call->args))
		return "arguments that are no JSON object";
	return NULL;
}

static const char *
check_assistant(struct checker *k, struct slice m)
{
	struct slice calls = scan_get(m, "tool_calls");
	const char *why = NULL;
	struct walk w;
	struct call call;

	if (k->last == ASSISTANT)
		return "two assistant messages in a row";
	for (size_t i = 0; i < k->n; i++)
		free(k->open[i]);
	k->n = k->next = 0;
	if (calls.p == NULL)
		return NULL;
	if (scan_kind(calls) != SCAN_ARRAY)
		return "tool_calls that are no list";
	walk_in(&w, calls);
	while (why == NULL && msg_next_call(&w, &call))
		why = check_call(k, &call);
	return why;
}

static const char *
check_result(struct checker *k, struct slice m)
{
	if (k->next == k->n)
		return "a result without its call before it";
	if (!scan_str_is(scan_get(m, "tool_call_id"), k->open[k->next]))
		return "a result that is not of the next call";
	k->next++;
	return NULL;
}

static const char *
check_one(struct checker *k, struct slice m, size_t at)
{
	enum role role = role_of(m);
	const char *why = NULL;

	if (role != TOOL && k->next < k->n)
		return "a call without its result behind it";
	if (role == NONE)
		return "a message of an unknown role";
	if (role == SYSTEM && at > 0)
		return "a system message that is not the first";
	if (role == USER && k->last == USER)
		return "two user messages in a row";
	if (role == USER && k->last == TOOL)
		return "a user message right behind results";
	if (scan_get(m, "meta").p != NULL || scan_get(m, "usage").p != NULL ||
	    scan_get(m, "is_error").p != NULL)
		return "a key that is only ours";
	if (role == ASSISTANT)
		why = check_assistant(k, m);
	if (role == TOOL)
		why = check_result(k, m);
	k->last = role;
	return why;
}

const char *
check_messages(struct slice messages, size_t *at)
{
	struct checker k = { .last = NONE };
	const char *why = NULL;
	struct slice m;
	struct walk w;

	walk_in(&w, messages);
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
