/* dialect_region.c - blocks that are read whole: where they begin and end. */
#include <string.h>

#include "dialect_objects.h"
#include "dialect_region.h"

/* ---- where they begin ---- */

static const struct region regions[] = {
	{ DIALECT_LLAMA3, PYTHON_TAG, NULL, NULL, NULL, NULL, false,
	    read_llama3 },
	{ DIALECT_MISTRAL, MISTRAL, "[ARGS]", NULL, NULL, NULL, false,
	    read_mistral },
	{ DIALECT_DEEPSEEK, DS_CALLS, DS_CALL, "<｜tool▁calls▁end｜>", NULL,
	    NULL, false, read_deepseek },
	{ DIALECT_DEEPSEEK, DS_CALL, NULL, DS_END, NULL, NULL, false,
	    read_deepseek },
	{ DIALECT_KIMI, "<|tool_calls_section_begin|>", KIMI_CALL,
	    "<|tool_calls_section_end|>", NULL, NULL, false, read_kimi },
	{ DIALECT_KIMI, KIMI_CALL, NULL, KIMI_END, NULL, NULL, false,
	    read_kimi },
	{ DIALECT_MINIMAX, "<minimax:tool_call>", INVOKE,
	    "</minimax:tool_call>", "</invoke>", "<invoke", false,
	    read_minimax },
	{ DIALECT_MINIMAX, FUNCTIONS, INVOKE, FUNCTIONS_END, "</invoke>",
	    "<invoke", false, read_functions },
	{ DIALECT_PYTHONIC, FUNCTIONS, NULL, FUNCTIONS_END, NULL, NULL, false,
	    read_functions },
	{ DIALECT_MINIMAX, INVOKE, NULL, "</invoke>", "</parameter>",
	    "<parameter", false, read_minimax },
};
static const struct region bare = { DIALECT_LLAMA3, "{", NULL, NULL, NULL,
	NULL, true, read_bare };
static const struct region pythonic = { DIALECT_PYTHONIC, "[", NULL, NULL,
	NULL, NULL, true, read_pythonic };
/* a fence that is all of the answer, and one anywhere */
static const struct region fence_only = { DIALECT_JSON, "```", NULL, NULL,
	NULL, NULL, true, read_fence };
static const struct region fence = { DIALECT_JSON, "```", NULL, "\n```", NULL,
	NULL, true, read_fence };
static const struct region glm = { DIALECT_GLM, "<tool_call>", NULL,
	"</tool_call>", "</arg_value>", "<arg_key>", false, read_glm };

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

bool
region_is_stub(const struct region *r, struct slice block)
{
	size_t at = skip_white(block, strlen(r->open));

	if (r->kind == DIALECT_MISTRAL)		/* a name first */
		at = skip_name(block, at);
	return at == block.n || (r->inner != NULL &&
	    tag_match(slice_from(block, at), r->inner) < 0);
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
