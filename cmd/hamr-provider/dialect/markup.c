/* markup.c - glm, minimax, deepseek, Kimi K3: values between tags, as raw
 * text.
 *
 * This is not XML: a value ends at the first closing tag that is followed by
 * what may follow a value, so that tags within a file's text do not end it.
 */
#include <string.h>

#include "internal.h"

#define CDATA "<![CDATA["
#define CDATA_END "]]>"

/* The marks around a key, around its value, after the last value, and before
 * a name. */
struct tags {
	const char *key, *key_end, *value, *value_end, *end, *name;
};
static const struct tags glm = { "<arg_key>", "</arg_key>", "<arg_value>",
	"</arg_value>", CALL_END, CALL };
static const struct tags minimax = { "<parameter name=", ">", ">",
	"</parameter>", INVOKE_END, INVOKE };
static const struct tags m3 = { "<", ">", ">", "</", INVOKE_END, INVOKE };
static const struct tags minicpm = { "<param name=", ">", ">", "</param>",
	FUNC_END, MINICPM };
static const struct tags deepseek = { "<｜DSML｜parameter name=", ">", ">",
	"</｜DSML｜parameter>", DSML_INVOKE_END, DSML_INVOKE };
static const struct tags ascii = { "<|DSML|parameter name=", ">", ">",
	"</|DSML|parameter>", ASCII_INVOKE_END, ASCII_INVOKE };
static const struct tags k3 = { "<|open|>argument key=", "<|sep|>", "<|sep|>",
	"<|close|>argument<|sep|>", K3_CALL_END, K3_CALL };

/* The end of the value that begins at byte `at`: its closing tag, followed by
 * white space and then, at *next, another key, the end tag or nothing; s.n: not
 * closed yet. */
static size_t
value_end(struct slice s, size_t at, struct slice key, const struct tags *t,
    size_t *next)
{
	size_t rest = t == &m3 ? key.n + 1 : 0;		/* KEY> */

	for (; (at = slice_find(s, at, t->value_end)) < s.n; at++) {
		*next = at + strlen(t->value_end);
		if (rest > s.n - *next ||
		    memcmp(s.p + *next, key.p, rest) != 0)
			continue;
		*next = skip_white(s, *next + rest);
		if (*next == s.n || begins(s, *next, t->key) ||
		    begins(s, *next, t->end))
			break;
	}
	return at;
}

/* The word of name="word", which string="true" may follow. */
static struct slice
unquoted(struct slice s)
{
	s = slice_trim_start(s, "\"' ");
	s.n = slice_find(s, 0, "\"");
	return slice_trim_end(s, "' ");
}

/* Read the arguments of a call with this name. */
static enum block_result
call(struct reading *r, struct slice name, const struct tags *t)
{
	struct block_call *c = reading_add_call(r);
	struct slice s = r->s, fn = tools_find(r->tools, name), key, text;

	buf_slice(&c->name, name);
	r->at = skip_white(s, r->at);
	/* a parameter's tag has its name */
	if (t == &minimax && begins(s, r->at, m3.key) &&
	    !begins(s, r->at, t->key))
		t = &m3;
	while (begins(s, r->at, t->key) && !begins(s, r->at, t->end)) {
		r->at += strlen(t->key);
		key = slice_part(s, r->at, slice_find(s, r->at, t->key_end));
		size_t val = slice_find(s, r->at + key.n, t->value);
		val += val < s.n ? strlen(t->value) : 0;
		size_t end = value_end(s, val, key, t, &r->at);
		if (end == s.n)
			return BLOCK_OPEN;
		if (t != &glm)
			key = unquoted(key);
		struct slice schema = tools_parameter(fn, name, key);
		if (t == &m3 && fn.p != NULL && schema.p == NULL)
			return BLOCK_BROKEN;
		text = slice_part(s, val, end);
		if (slice_starts(text, CDATA) && slice_ends(text, CDATA_END))
			text = slice_part(text, strlen(CDATA),
			    text.n - strlen(CDATA_END));
		scan_put(&c->args, c->args.len > 0 ? ",@:" : "{@:", key);
		if (t == &m3)
			tools_nested(schema, 0, text, &r->scan, &c->args);
		else
			tools_coerce(schema, text, &r->scan, &c->args);
	}
	/* words, but no end tag: the opening one is only mentioned */
	if (c->args.len == 0 && r->at < s.n && s.p[r->at] != '<' &&
	    !slice_has(slice_from(s, r->at), t->end))
		return BLOCK_NONE;
	buf_adds(&c->args, c->args.len > 0 ? "}" : "{}");
	if (r->at < s.n && !begins(s, r->at, t->end))
		return BLOCK_BROKEN;
	r->n++;
	if (r->at == s.n)
		return BLOCK_UNCLOSED;
	r->at += strlen(t->end);
	return BLOCK_CALLS;
}

enum block_result
read_glm(struct reading *r)
{
	r->at = skip_white(r->s, strlen(glm.name));
	struct slice name = slice_part(r->s, r->at, skip_name(r->s, r->at));
	r->at = skip_white(r->s, r->at + name.n);
	if (begins(r->s, r->at, NAME_END))
		r->at += strlen(NAME_END);
	return call(r, name, &glm);
}

enum block_result
read_invokes(struct reading *r)
{
	const struct tags *t = begins(r->s, 0, DSML) ? &deepseek :
	    begins(r->s, 0, ASCII_DSML) ? &ascii :
	    begins(r->s, 0, "<|open|>") ? &k3 :
	    begins(r->s, 0, MINICPM) ? &minicpm : &minimax;
	enum block_result said = BLOCK_NONE;
	struct slice s = r->s;
	bool one = begins(s, 0, t->name);	/* no mark around several */
	size_t next = one ? 0 : skip_white(s, r->open);

	for (; begins(s, next, t->name) && !(one && r->n > 0);
	    next = skip_white(s, r->at)) {
		size_t at = next + strlen(t->name);
		size_t end = slice_find(s, at, t->value);
		struct slice name = unquoted(slice_part(s, at, end));

		r->at = end + strlen(t->value);
		if (end == s.n || name.n == 0)
			return r->at >= s.n ? BLOCK_OPEN : BLOCK_BROKEN;
		said = call(r, name, t);
		if (said != BLOCK_CALLS && said != BLOCK_UNCLOSED)
			return said;
	}
	return said;
}
