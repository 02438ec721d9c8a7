/* dialect_markup.c - glm and minimax: values between tags, as raw text.
 *
 * No XML: a value ends at the first closing tag that is followed by what may
 * follow it, so that tags within a file's text do not end it. */
#include <string.h>

#include "dialect_region.h"

/* Where the value that begins at byte at ends: at close, with white space and
 * then one of next (or nothing more) behind it; s.n: it is open. */
static size_t
value_end(struct slice s, size_t at, const char *close, const char *const *next)
{
	for (; (at = find(s, at, close)) < s.n; at++) {
		size_t then = skip_white(s, at + strlen(close));

		if (then == s.n)
			return at;
		for (size_t i = 0; next[i] != NULL; i++)
			if (begins(s, then, next[i]))
				return at;
	}
	return s.n;
}

static void
add_arg(struct block_call *c, struct slice fn, struct slice key,
    struct slice val, struct scan *sc)
{
	buf_addc(&c->args, c->args.len > 0 ? ',' : '{');
	scan_quote(&c->args, key.p, key.n);
	buf_addc(&c->args, ':');
	tools_coerce(fn, buf_view(&c->name), key, val, sc, &c->args);
}

static void
end_args(struct block_call *c)
{
	buf_adds(&c->args, c->args.len > 0 ? "}" : "{}");
}

enum region_said
read_glm(struct slice s, struct slice tools, struct scan *sc,
    struct region_calls *calls, size_t *used)
{
	static const char *const next[] = { "<arg_key>", "</tool_call>",
		NULL };
	size_t at = skip_white(s, strlen("<tool_call>"));
	size_t name = skip_name(s, at), key, key_end, val, end;
	struct block_call *c = region_add(calls);
	struct slice fn;

	buf_add(&c->name, s.p + at, name - at);
	fn = tools_find(tools, buf_view(&c->name));
	at = skip_white(s, name);
	while (begins(s, at, "<arg_key>")) {
		key = at + strlen("<arg_key>");
		key_end = find(s, key, "</arg_key>");
		val = find(s, key_end, "<arg_value>");
		end = val < s.n ? value_end(s, val + strlen("<arg_value>"),
		    "</arg_value>", next) : s.n;
		if (end == s.n) {
			region_drop(calls);
			return REGION_OPEN;
		}
		val += strlen("<arg_value>");
		add_arg(c, fn, (struct slice){ s.p + key, key_end - key },
		    (struct slice){ s.p + val, end - val }, sc);
		at = skip_white(s, end + strlen("</arg_value>"));
	}
	end_args(c);
	*used = s.n;
	if (at == s.n)
		return REGION_UNCLOSED;
	if (begins(s, at, "</tool_call>"))
		return REGION_CALLS;
	region_drop(calls);
	return REGION_BROKEN;
}

/* The word of name="..." at byte at; empty: there is none.  *at is set behind
 * the tag. */
static struct slice
tag_name(struct slice s, size_t *at)
{
	size_t end = find(s, *at, ">");
	struct slice w = { s.p + *at, end - *at };

	*at = end < s.n ? end + 1 : s.n;
	if (end == s.n)
		return (struct slice){ s.p, 0 };
	while (w.n > 0 && strchr("\"' ", *w.p) != NULL)
		w.p++, w.n--;
	while (w.n > 0 && strchr("\"' ", w.p[w.n - 1]) != NULL)
		w.n--;
	return w;
}

static enum region_said
invoke(struct slice s, size_t *at, struct slice tools, struct scan *sc,
    struct block_call *c)
{
	static const char *const next[] = { "<parameter name=", "</invoke>",
		NULL };
	struct slice fn, key;

	buf_slice(&c->name, tag_name(s, at));
	if (c->name.len == 0)
		return *at == s.n ? REGION_OPEN : REGION_BROKEN;
	fn = tools_find(tools, buf_view(&c->name));
	*at = skip_white(s, *at);
	while (begins(s, *at, "<parameter name=")) {
		size_t end;

		*at += strlen("<parameter name=");
		key = tag_name(s, at);
		end = value_end(s, *at, "</parameter>", next);
		if (end == s.n)
			return REGION_OPEN;
		add_arg(c, fn, key, (struct slice){ s.p + *at, end - *at },
		    sc);
		*at = skip_white(s, end + strlen("</parameter>"));
	}
	end_args(c);
	if (*at == s.n)
		return REGION_UNCLOSED;
	if (!begins(s, *at, "</invoke>"))
		return REGION_BROKEN;
	*at += strlen("</invoke>");
	return REGION_CALLS;
}

enum region_said
read_minimax(struct slice s, struct slice tools, struct scan *sc,
    struct region_calls *calls, size_t *used)
{
	enum region_said said = REGION_NONE;
	size_t at = 0;

	while ((at = find(s, at, "<invoke name=")) < s.n) {
		at += strlen("<invoke name=");
		said = invoke(s, &at, tools, sc, region_add(calls));
		if (said != REGION_CALLS && said != REGION_UNCLOSED) {
			region_drop(calls);
			return said;
		}
	}
	*used = s.n;
	return said;
}
