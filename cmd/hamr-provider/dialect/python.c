/* python.c - [N(K="V")]: calls as Python writes them, and as Gemma does.
 *
 * Format: names, and literals of Python (strings, numbers, True, False, None,
 * lists, tuples, dicts), which become JSON.  Gemma writes N{K:V}, and its own
 * marks around strings, in which nothing is escaped.  No library on our list
 * reads it.
 */
#include <ctype.h>
#include <string.h>

#include "base/num.h"
#include "base/utf8.h"

#include "internal.h"

#define DEEP 64

static char
peek(struct reading *r)
{
	r->at = skip_white(r->s, r->at);
	return r->at < r->s.n ? r->s.p[r->at] : '\0';
}

static bool
eat(struct reading *r, char c)
{
	if (peek(r) != c)
		return false;
	r->at++;
	return true;
}

static enum block_result
stuck(const struct reading *r)
{
	return r->at >= r->s.n ? BLOCK_OPEN : BLOCK_BROKEN;
}

/* The value of the n hexadecimal digits at byte `at`; -1: invalid. */
static long
hex(struct slice s, size_t at, size_t n)
{
	long v = 0;

	if (n == 0 || at + n > s.n)
		return -1;
	for (; n > 0; n--, at++) {
		if (num_hex(s.p[at]) < 0 || v > 0xffffff)
			return -1;
		v = v * 16 + num_hex(s.p[at]);
	}
	return v;
}

/* The quotes of the string that begins here; NULL: not a string. */
static const char *
quotes_at(const struct reading *r)
{
	static const char *const quotes[] = { "\"\"\"", "\'\'\'", "\"", "'",
		"<|\"|>", "<escape>" };

	for (size_t i = 0; i < sizeof quotes / sizeof *quotes; i++)
		if (begins(r->s, r->at, quotes[i]))
			return quotes[i];
	return NULL;
}

static enum block_result
string(struct reading *r, const char *marks, struct buf *out)
{
	static const char from[] = "nrtbfv", to[] = "\n\r\t\b\f\v";
	struct buf text = BUF_INIT(BUF_RECORD_MAX);
	bool closed, raw = *marks == '<';

	r->at += strlen(marks);
	while (!(closed = begins(r->s, r->at, marks)) && r->at < r->s.n) {
		char c = r->s.p[r->at++];
		if (c != '\\' || raw || r->at == r->s.n) {
			buf_addc(&text, c);
			continue;
		}
		c = r->s.p[r->at++];
		const char *q = c != '\0' ? strchr(from, c) : NULL;
		/* \xHH, \uHHHH or \UHHHHHHHH */
		size_t n = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
		long v = hex(r->s, r->at, n), low = -1;
		if (q != NULL)
			buf_addc(&text, to[q - from]);
		else if (v >= 0) {
			r->at += n;
			if ((v & ~0x3ffL) == 0xd800 &&
			    begins(r->s, r->at, "\\u"))
				low = hex(r->s, r->at + 2, 4);
			if ((low & ~0x3ffL) == 0xdc00) {
				r->at += 6;
				v = 0x10000 + ((v & 0x3ff) << 10) +
				    (low & 0x3ff);
			}
			utf8_put(&text, v > 0 ? (unsigned long)v : 0xfffd);
		} else if (c != '\n') {
			if (strchr("\\'\"", c) == NULL)
				buf_addc(&text, '\\');
			buf_addc(&text, c);
		}
	}
	if (closed) {
		r->at += strlen(marks);
		scan_put(out, "@", buf_view(&text));
	}
	buf_release(&text);
	return closed ? BLOCK_CALLS : BLOCK_OPEN;
}

static enum block_result value(struct reading *r, struct buf *out, int depth);

/* Read the key of an object's value: K= or K: */
static enum block_result
key(struct reading *r, struct buf *out)
{
	const char *marks = quotes_at(r);
	enum block_result said = BLOCK_CALLS;
	size_t name = r->at;

	if (marks != NULL)
		said = string(r, marks, out);
	else {
		while (r->at < r->s.n && (isalnum((unsigned char)
		    r->s.p[r->at]) || memchr("_-.", r->s.p[r->at], 3) != NULL))
			r->at++;
		if (r->at == name)
			return stuck(r);
		scan_put(out, "@", slice_part(r->s, name, r->at));
	}
	if (said != BLOCK_CALLS || eat(r, ':') || eat(r, '='))
		return said;
	return stuck(r);
}

/* Read a list, a tuple, a dict, or the arguments of a call (depth -1), after
 * its opening bracket. */
static enum block_result
list(struct reading *r, struct buf *out, char close, int depth)
{
	bool object = close == '}' || depth < 0;

	buf_addc(out, object ? '{' : '[');
	for (bool first = true; !eat(r, close); first = false) {
		if (!first) {
			if (!eat(r, ','))
				return stuck(r);
			if (eat(r, close))
				break;
			buf_addc(out, ',');
		}
		peek(r);
		enum block_result said = object ? key(r, out) : BLOCK_CALLS;
		buf_adds(out, object ? ":" : "");
		if (said == BLOCK_CALLS)
			said = value(r, out, depth + 1);
		if (said != BLOCK_CALLS)
			return said;
	}
	buf_addc(out, object ? '}' : ']');
	return BLOCK_CALLS;
}

static enum block_result
value(struct reading *r, struct buf *out, int depth)
{
	static const char open[] = "[({", close[] = "])}";
	static const char *const words[][3] = { { "True", "true", "true" },
		{ "False", "false", "false" }, { "None", "null", "null" } };
	char c = peek(r);
	const char *bracket = c != '\0' ? strchr(open, c) : NULL;
	const char *marks = quotes_at(r);
	/* Gemma's strings may be bare words that are not Python's */
	bool gemma = begins(r->s, 0, GEMMA) || begins(r->s, 0, GEMMA_FUNCTION);
	size_t from = r->at;

	if (depth > DEEP)
		return BLOCK_BROKEN;
	if (c == '\0')
		return stuck(r);
	if (marks != NULL)
		return string(r, marks, out);
	if (bracket != NULL) {
		r->at++;
		return list(r, out, close[bracket - open], depth);
	}
	while (r->at < r->s.n && strchr(gemma ? ",)]}" : ",)]}: \t\r\n",
	    r->s.p[r->at]) == NULL)
		r->at++;
	if (r->at == r->s.n)
		return BLOCK_OPEN;
	struct slice w = slice_trim(slice_part(r->s, from, r->at));
	for (size_t i = 0; i < 3; i++)
		if (slice_is(w, words[i][0]) || slice_is(w, words[i][1])) {
			buf_adds(out, words[i][2]);
			return BLOCK_CALLS;
		}
	bool json = w.n > 0 && scan_value(&r->scan, w.p, w.n) == 0;
	if (w.n == 0 || (!json && !gemma))
		return BLOCK_BROKEN;
	scan_put(out, json ? "$" : "@", w);
	return BLOCK_CALLS;
}

enum block_result
python_call(struct reading *r)
{
	struct block_call *c = reading_add_call(r);
	struct slice name = slice_part(r->s, r->at, skip_name(r->s, r->at));

	r->at += name.n;
	buf_slice(&c->name, tool_name(name));
	/* Llama's own tools: search.call(query="...") */
	if (name.n > 5 && slice_ends(name, ".call"))
		c->name.len -= 5;
	bool braces = eat(r, '{');
	if (name.n == 0 || (!braces && !eat(r, '(')))
		return stuck(r);
	enum block_result said = list(r, &c->args, braces ? '}' : ')', -1);
	if (said != BLOCK_CALLS)
		return said;
	/* an object with a duplicate key is invalid */
	if (scan_record(&r->scan, c->args.p, c->args.len) != 0)
		return BLOCK_BROKEN;
	r->n++;
	return BLOCK_CALLS;
}

enum block_result
read_pythonic(struct reading *r)
{
	r->at = slice_find(r->s, 0, "[") + 1;
	if (peek(r) == '{') {		/* LFM2, asked for JSON */
		r->at = slice_find(r->s, 0, "[");
		return read_objects(r);
	}
	do {
		do {
			peek(r);
			enum block_result said = python_call(r);
			if (said != BLOCK_CALLS)
				return said;
		} while (eat(r, ','));
		if (!eat(r, ']'))
			return stuck(r);
	} while (r->weak && eat(r, '['));	/* the next list */
	/* without marks, a list that text follows is part of an answer */
	size_t end = r->weak ? skip_turn_end(r->s, r->at) : r->s.n;
	return skip_white(r->s, end) < r->s.n ? BLOCK_NONE : BLOCK_CALLS;
}

/* <|tool_call>call:N{K:V}<tool_call|> */
enum block_result
read_gemma(struct reading *r)
{
	static const char call[] = "call:";
	enum block_result said = BLOCK_NONE;

	r->at = strlen(begins(r->s, 0, GEMMA) ? GEMMA : GEMMA_FUNCTION);
	do {
		peek(r);
		if (!begins(r->s, r->at, call))
			break;
		r->at += strlen(call);
		said = python_call(r);
	} while (said == BLOCK_CALLS);
	return said;
}

enum block_result
python_lines(struct reading *r, const char *end)
{
	static const char print[] = "print(";
	enum block_result said = BLOCK_NONE;

	while (peek(r) != '\0' && !begins(r->s, r->at, end)) {
		size_t name = skip_name(r->s, r->at);
		size_t sign = skip_white(r->s, name);

		if (begins(r->s, r->at, "#")) {
			r->at = slice_find(r->s, r->at, "\n");
			continue;
		}
		if (name > r->at && begins(r->s, sign, "="))
			r->at = skip_white(r->s, sign + 1);
		bool printed = begins(r->s, r->at, print);
		r->at += printed ? strlen(print) : 0;
		said = python_call(r);
		if (said == BLOCK_CALLS && printed && !eat(r, ')'))
			said = stuck(r);
		if (said != BLOCK_CALLS)
			return said;
	}
	return said;
}

/* Fences of tool_code up to the end of r->s, which for auto is the answer's. */
enum block_result
read_tool_code(struct reading *r)
{
	enum block_result said;

	do {
		r->at += strlen(TOOL_CODE);
		said = python_lines(r, "```");
		if (said != BLOCK_CALLS)
			return said;
		if (begins(r->s, r->at, "```"))
			r->at += strlen("```");
	} while (r->weak && peek(r) != '\0' &&
	    begins(r->s, r->at, TOOL_CODE));
	return !r->weak || r->at == r->s.n ? said : BLOCK_NONE;
}
