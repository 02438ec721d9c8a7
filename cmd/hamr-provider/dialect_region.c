/* dialect_region.c - blocks that are read whole: where they begin and end,
 * and those that hold JSON. */
#include <string.h>

#include "dialect_region.h"

#define DS_CALLS "<｜tool▁calls▁begin｜>"
#define DS_CALL "<｜tool▁call▁begin｜>"
#define DS_SEP "<｜tool▁sep｜>"
#define DS_END "<｜tool▁call▁end｜>"
#define KIMI_CALL "<|tool_call_begin|>"
#define KIMI_ARGS "<|tool_call_argument_begin|>"
#define KIMI_END "<|tool_call_end|>"
#define PYTHON_TAG "<|python_tag|>"
#define FUNCTIONS "<function_calls>"
#define FUNCTIONS_END "</function_calls>"
#define MISTRAL "[TOOL_CALLS]"

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

static enum region_said
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

static enum region_said
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

static enum region_said
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

static enum region_said
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

static enum region_said
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

/* One fence, or more with nothing between them. */
static enum region_said
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
		else if (at < s.n)
			return REGION_BROKEN;
		*used = at;
		at = skip_white(s, at);
	}
	return at < s.n ? REGION_NONE : said;
}

/* <function_calls>: what MiniMax writes in it, or N(K=V) lines of OLMo. */
static enum region_said
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

/* ---- where they begin ---- */

static const struct region regions[] = {
	{ DIALECT_LLAMA3, PYTHON_TAG, NULL, NULL, NULL, false, read_llama3 },
	{ DIALECT_MISTRAL, MISTRAL, NULL, NULL, NULL, false, read_mistral },
	{ DIALECT_DEEPSEEK, DS_CALLS, "<｜tool▁calls▁end｜>", NULL, NULL,
	    false, read_deepseek },
	{ DIALECT_DEEPSEEK, DS_CALL, DS_END, NULL, NULL, false,
	    read_deepseek },
	{ DIALECT_KIMI, "<|tool_calls_section_begin|>",
	    "<|tool_calls_section_end|>", NULL, NULL, false, read_kimi },
	{ DIALECT_KIMI, KIMI_CALL, KIMI_END, NULL, NULL, false, read_kimi },
	{ DIALECT_MINIMAX, "<minimax:tool_call>", "</minimax:tool_call>",
	    "</invoke>", "<invoke", false, read_minimax },
	{ DIALECT_MINIMAX, FUNCTIONS, FUNCTIONS_END, "</invoke>", "<invoke",
	    false, read_functions },
	{ DIALECT_PYTHONIC, FUNCTIONS, FUNCTIONS_END, NULL, NULL, false,
	    read_functions },
	{ DIALECT_MINIMAX, "<invoke name=", "</invoke>", "</parameter>",
	    "<parameter", false, read_minimax },
};
static const struct region bare = { DIALECT_LLAMA3, "{", NULL, NULL, NULL,
	true, read_bare };
static const struct region pythonic = { DIALECT_PYTHONIC, "[", NULL, NULL,
	NULL, true, read_pythonic };
/* a fence that is all of the answer, and one anywhere */
static const struct region fence_only = { DIALECT_JSON, "```", NULL, NULL,
	NULL, true, read_fence };
static const struct region fence = { DIALECT_JSON, "```", "\n```", NULL, NULL,
	true, read_fence };
static const struct region glm = { DIALECT_GLM, "<tool_call>", "</tool_call>",
	"</arg_value>", "<arg_key>", false, read_glm };

static bool
reads(const struct region_place *at, enum dialect_kind kind)
{
	return at->kind == DIALECT_AUTO || at->kind == kind;
}

static bool
may_lift(const struct region_place *at, struct slice name)
{
	return at->kind != DIALECT_AUTO ||
	    tools_find(at->tools, name).p != NULL;
}

/* [NAME( */
static int
opens_python(const struct region_place *at, struct slice s)
{
	size_t name = skip_white(s, 1), end = skip_name(s, name);

	if (end == s.n)
		return end < BLOCK_WHITE_MAX ? -1 : 0;
	return end > name && s.p[end] == '(' && may_lift(at,
	    (struct slice){ s.p + name, end - name });
}

/* {"name", or what else such an object begins with */
static int
opens_object(struct slice s, size_t at)
{
	static const char *const keys[] = { "\"name\"", "\"type\"",
		"\"function\"", "\"arguments\"", "\"parameters\"" };
	int m = 0;

	at = skip_white(s, at);
	if (at < s.n && s.p[at] == '[')
		at = skip_white(s, at + 1);
	if (at == s.n)
		return at < BLOCK_WHITE_MAX ? -1 : 0;
	if (s.p[at] != '{')
		return 0;
	at = skip_white(s, at + 1);
	for (size_t i = 0; i < sizeof keys / sizeof *keys && m != 1; i++) {
		int k = tag_match(slice_from(s, at), keys[i]);

		m = k != 0 ? k : m;
	}
	return m;
}

static int
opens_fence(struct slice s)
{
	size_t at = 3;
	int m = tag_match(s, "```");

	if (m != 1)
		return m;
	at = skip_name(s, at);
	while (at < s.n && (s.p[at] == ' ' || s.p[at] == '\r'))
		at++;
	if (at == s.n)
		return at < BLOCK_WHITE_MAX ? -1 : 0;
	return s.p[at] == '\n' ? opens_object(s, at) : 0;
}

static int
opens_weak(const struct region_place *at, struct slice s,
    const struct region **r)
{
	int m = 0;

	if (*s.p == '[' && reads(at, DIALECT_PYTHONIC) && at->line) {
		m = opens_python(at, s);
		*r = &pythonic;
	} else if (*s.p == '{' && reads(at, DIALECT_LLAMA3) && at->first) {
		m = opens_object(s, 0);
		*r = &bare;
	} else if (*s.p == '`' && at->kind == DIALECT_JSON && at->line) {
		m = opens_fence(s);
		*r = &fence;
	} else if (*s.p == '`' && at->kind == DIALECT_AUTO && at->first) {
		m = opens_fence(s);
		*r = &fence_only;
	}
	return m;
}

int
region_opening(const struct region_place *at, struct slice s,
    const struct region **r)
{
	const struct region *found = NULL;
	int may = 0;

	for (size_t i = 0; i < sizeof regions / sizeof *regions; i++) {
		int m = reads(at, regions[i].kind) ?
		    tag_match(s, regions[i].open) : 0;

		if (m == 1) {
			*r = &regions[i];
			return 1;
		}
		may = m < 0 ? -1 : may;
	}
	if (opens_weak(at, s, &found) == 1) {
		*r = found;
		return 1;
	}
	return may != 0 ? may : opens_weak(at, s, &found);
}

int
region_glm(const struct region_place *at, struct slice s,
    const struct region **r)
{
	size_t name = skip_name(s, 0), next = skip_white(s, name);
	int key, end;

	if (!reads(at, DIALECT_GLM) || (s.n > 0 && name == 0))
		return 0;
	if (next == s.n)
		return next < BLOCK_WHITE_MAX ? -1 : 0;
	key = tag_match(slice_from(s, next), "<arg_key>");
	end = tag_match(slice_from(s, next), "</tool_call>");
	*r = &glm;
	if (key != 1 && end != 1)
		return key < 0 || end < 0 ? -1 : 0;
	/* words between the tags may be a mention of them */
	return key == 1 || may_lift(at, (struct slice){ s.p, name });
}

/* ---- where they end ---- */

size_t
region_end(const struct region *r, struct slice s, size_t from)
{
	size_t n, at, to, b;

	if (r->close == NULL)
		return 0;
	n = strlen(r->close);
	for (at = from; (at = find(s, at, r->close)) < s.n; at++) {
		if (r->before == NULL || find(s, 0, r->guard) > at)
			return at + n;
		b = strlen(r->before);
		for (to = at; to > 0 && is_white(s.p[to - 1]); to--)
			;
		if (to >= b && memcmp(s.p + to - b, r->before, b) == 0)
			return at + n;
	}
	return 0;
}
