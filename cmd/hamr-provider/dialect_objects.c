/* dialect_objects.c - blocks that hold JSON objects, read. */
#include <string.h>

#include "dialect_objects.h"

/* ---- objects with name and arguments ---- */

static enum region_said
take_object(struct slice s, size_t *at, struct scan *sc,
    struct region_calls *calls)
{
	size_t end = skip_json(s, *at);
	struct slice object, inner;

	if (end == 0)
		return REGION_OPEN;
	object = (struct slice){ s.p + *at, end - *at };
	if (scan_record(sc, object.p, object.n) != 0)
		return REGION_BROKEN;
	inner = scan_get(object, "function");
	if (scan_kind(inner) == SCAN_OBJECT)
		object = inner;
	if (!hermes_object(object, sc, region_add(calls))) {
		region_drop(calls);
		return REGION_BROKEN;
	}
	*at = end;
	return REGION_CALLS;
}

/* Objects, bare or in an array, and what stands between them. */
static enum region_said
objects(struct slice s, size_t *at, struct scan *sc,
    struct region_calls *calls)
{
	enum region_said said;
	bool array;

	*at = skip_white(s, *at);
	array = *at < s.n && s.p[*at] == '[';
	if (array)
		(*at)++;
	for (;;) {
		size_t next = *at;

		while (next < s.n && (is_white(s.p[next]) ||
		    s.p[next] == ',' || s.p[next] == ';'))
			next++;
		if (array && next < s.n && s.p[next] == ']') {
			*at = next + 1;
			return calls->n > 0 ? REGION_CALLS : REGION_NONE;
		}
		if (next == s.n || s.p[next] != '{') {
			if (array && calls->n > 0)
				return next == s.n ? REGION_OPEN :
				    REGION_BROKEN;
			return calls->n > 0 ? REGION_CALLS : REGION_NONE;
		}
		*at = next;
		said = take_object(s, at, sc, calls);
		if (said != REGION_CALLS)
			return said;
	}
}

/* A call of this name with the JSON object at *at. */
static enum region_said
named_object(struct slice s, struct slice name, size_t *at, struct scan *sc,
    struct region_calls *calls)
{
	struct block_call *c;
	size_t end;

	if (name.n == 0)
		return REGION_BROKEN;
	if (*at == s.n || s.p[*at] != '{')
		return *at == s.n ? REGION_OPEN : REGION_BROKEN;
	end = skip_json(s, *at);
	if (end == 0)
		return REGION_OPEN;
	if (scan_record(sc, s.p + *at, end - *at) != 0)
		return REGION_BROKEN;
	c = region_add(calls);
	buf_slice(&c->name, name);
	buf_add(&c->args, s.p + *at, end - *at);
	*at = end;
	return REGION_CALLS;
}

/* ---- the readers ---- */

enum region_said
read_llama3(struct slice s, struct slice tools, struct scan *sc,
    struct region_calls *calls, size_t *used)
{
	enum region_said said = REGION_NONE;
	size_t at = 0, name;

	(void)tools;
	while (begins(s, at, PYTHON_TAG)) {
		at = skip_white(s, at + strlen(PYTHON_TAG));
		name = skip_name(s, at);
		if (name > at && name < s.n && s.p[name] == '(')
			said = python_call(s, &at, sc, calls);
		else
			said = objects(s, &at, sc, calls);
		if (said != REGION_CALLS)
			return said;
		at = skip_white(s, at);
		if (begins(s, at, "<|eom_id|>") || begins(s, at, "<|eot_id|>"))
			at = skip_white(s, at + strlen("<|eom_id|>"));
		*used = at;
	}
	return said;
}

enum region_said
read_bare(struct slice s, struct slice tools, struct scan *sc,
    struct region_calls *calls, size_t *used)
{
	enum region_said said = objects(s, used, sc, calls);

	(void)tools;
	/* an object with words behind it is part of an answer */
	if (said == REGION_CALLS && skip_white(s, *used) < s.n)
		return REGION_NONE;
	return said;
}

enum region_said
read_mistral(struct slice s, struct slice tools, struct scan *sc,
    struct region_calls *calls, size_t *used)
{
	enum region_said said = REGION_NONE;
	size_t at = 0, name;

	(void)tools;
	while (begins(s, at, MISTRAL)) {
		at = skip_white(s, at + strlen(MISTRAL));
		name = skip_name(s, at);
		if (name == at) {
			said = objects(s, &at, sc, calls);
		} else {
			struct slice n = { s.p + at, name - at };

			at = name;
			if (begins(s, at, "[CALL_ID]"))
				at = skip_name(s, at + strlen("[CALL_ID]"));
			if (begins(s, at, "[ARGS]"))
				at += strlen("[ARGS]");
			at = skip_white(s, at);
			if (at < s.n && s.p[at] != '{')
				return calls->n > 0 ? REGION_BROKEN :
				    REGION_NONE;
			said = named_object(s, n, &at, sc, calls);
		}
		if (said != REGION_CALLS)
			return said;
		*used = at;
		at = skip_white(s, at);
	}
	return said;
}

static struct slice
trimmed(struct slice s, size_t from, size_t to)
{
	from = skip_white(s, from);
	while (to > from && is_white(s.p[to - 1]))
		to--;
	return (struct slice){ s.p + from, to > from ? to - from : 0 };
}

enum region_said
read_deepseek(struct slice s, struct slice tools, struct scan *sc,
    struct region_calls *calls, size_t *used)
{
	enum region_said said = REGION_NONE;
	size_t at = 0, begin, sep, brace;
	struct slice name;

	(void)tools;
	while ((begin = find(s, at, DS_CALL)) < s.n) {
		begin += strlen(DS_CALL);
		sep = find(s, begin, DS_SEP);
		if (sep == s.n)
			return REGION_OPEN;
		brace = find(s, sep, "{");
		name = trimmed(s, begin, sep);
		/* the older form: function, sep, name, a fence */
		if (name.n == 8 && memcmp(name.p, "function", 8) == 0) {
			size_t line = skip_white(s, sep + strlen(DS_SEP));

			name = (struct slice){ s.p + line,
			    skip_name(s, line) - line };
		}
		at = brace;
		said = named_object(s, name, &at, sc, calls);
		if (said != REGION_CALLS)
			return said;
		at = skip_white(s, at);
		if (begins(s, at, "```"))
			at = skip_white(s, at + 3);
		if (begins(s, at, DS_END))
			at += strlen(DS_END);
	}
	*used = s.n;
	return said;
}

enum region_said
read_kimi(struct slice s, struct slice tools, struct scan *sc,
    struct region_calls *calls, size_t *used)
{
	enum region_said said = REGION_NONE;
	size_t at = 0, begin, args;

	(void)tools;
	while ((begin = find(s, at, KIMI_CALL)) < s.n) {
		struct slice name;
		const char *p;

		begin += strlen(KIMI_CALL);
		args = find(s, begin, KIMI_ARGS);
		if (args == s.n)
			return REGION_OPEN;
		name = trimmed(s, begin, args);
		if (name.n > 10 && memcmp(name.p, "functions.", 10) == 0)
			name = slice_from(name, 10);
		p = name.n > 0 ? memrchr(name.p, ':', name.n) : NULL;
		if (p != NULL)
			name.n = (size_t)(p - name.p);
		at = skip_white(s, args + strlen(KIMI_ARGS));
		said = named_object(s, name, &at, sc, calls);
		if (said != REGION_CALLS)
			return said;
	}
	*used = s.n;
	return said;
}

/* Is all from byte at on a piece of a fence? */
static bool
is_piece(struct slice s, size_t at)
{
	return tag_match(slice_from(s, at), "```") < 0;
}

/* One fence, or more with nothing between them. */
enum region_said
read_fence(struct slice s, struct slice tools, struct scan *sc,
    struct region_calls *calls, size_t *used)
{
	enum region_said said = REGION_NONE;
	size_t at = 0;

	(void)tools;
	while (begins(s, at, "```")) {
		at = skip_name(s, at + 3);
		said = objects(s, &at, sc, calls);
		if (said != REGION_CALLS)
			return said;
		at = skip_white(s, at);
		if (begins(s, at, "```"))
			at += 3;
		else if (at < s.n && !is_piece(s, at))
			return REGION_BROKEN;
		else
			at = s.n;
		*used = at;
		at = skip_white(s, at);
	}
	if (at < s.n && !is_piece(s, at))
		return REGION_NONE;
	if (at < s.n)
		*used = s.n;
	return said;
}

/* <function_calls>: what MiniMax writes in it, or N(K=V) lines of OLMo. */
enum region_said
read_functions(struct slice s, struct slice tools, struct scan *sc,
    struct region_calls *calls, size_t *used)
{
	size_t at = skip_white(s, strlen(FUNCTIONS));
	enum region_said said;

	if (begins(s, at, "<") && !begins(s, at, FUNCTIONS_END))
		return read_minimax(s, tools, sc, calls, used);
	while (at < s.n && !begins(s, at, FUNCTIONS_END)) {
		said = python_call(s, &at, sc, calls);
		if (said != REGION_CALLS)
			return said;
		at = skip_white(s, at);
	}
	*used = at < s.n ? at + strlen(FUNCTIONS_END) : s.n;
	return calls->n > 0 ? REGION_CALLS : REGION_NONE;
}
