/* dialect_python.c - [N(K="V")]: calls as Python writes them.
 *
 * Format: names, and literals of Python (strings, numbers, True, False,
 * None, lists, tuples, dicts), which become JSON.  No library on our list reads it. */
#include <string.h>

#include "dialect_region.h"

#define DEEP 64

struct python {
	struct slice s;
	size_t at;
	struct scan *sc;
	struct buf *out;
};

static char
peek(struct python *p)
{
	p->at = skip_white(p->s, p->at);
	return p->at < p->s.n ? p->s.p[p->at] : '\0';
}

static bool
eat(struct python *p, char c)
{
	if (peek(p) != c)
		return false;
	p->at++;
	return true;
}

static enum region_said
stuck(const struct python *p)
{
	return p->at >= p->s.n ? REGION_OPEN : REGION_BROKEN;
}

/* Of an escape, what it stands for. */
static void
escape(struct buf *b, char c)
{
	static const char from[] = "nrtbfv", to[] = "\n\r\t\b\f\v";
	const char *q = c != '\0' ? strchr(from, c) : NULL;

	if (q != NULL)
		buf_addc(b, to[q - from]);
	else if (c != '\n') {
		if (strchr("\\'\"", c) == NULL)
			buf_addc(b, '\\');
		buf_addc(b, c);
	}
}

static enum region_said
string(struct python *p)
{
	struct buf text = BUF_INIT(BUF_RECORD_MAX);
	char quote = p->s.p[p->at];
	char three[4] = { quote, quote, quote, '\0' };
	size_t marks = begins(p->s, p->at, three) ? 3 : 1;
	bool closed = false;

	three[marks] = '\0';
	p->at += marks;
	while (p->at < p->s.n && !closed) {
		if (begins(p->s, p->at, three)) {
			closed = true;
			p->at += marks;
		} else if (p->s.p[p->at] == '\\' && p->at + 1 < p->s.n) {
			escape(&text, p->s.p[p->at + 1]);
			p->at += 2;
		} else
			buf_addc(&text, p->s.p[p->at++]);
	}
	if (closed)
		scan_quote(p->out, text.p != NULL ? text.p : "", text.len);
	buf_release(&text);
	return closed ? REGION_CALLS : REGION_OPEN;
}

static enum region_said
word(struct python *p)
{
	size_t from = p->at;
	struct slice w;

	while (p->at < p->s.n && strchr(",)]}: \t\r\n", p->s.p[p->at]) == NULL)
		p->at++;
	if (p->at == p->s.n)
		return REGION_OPEN;
	w = (struct slice){ p->s.p + from, p->at - from };
	if (slice_eq(w, SLICE("True")) || slice_eq(w, SLICE("true")))
		buf_adds(p->out, "true");
	else if (slice_eq(w, SLICE("False")) || slice_eq(w, SLICE("false")))
		buf_adds(p->out, "false");
	else if (slice_eq(w, SLICE("None")) || slice_eq(w, SLICE("null")))
		buf_adds(p->out, "null");
	else if (w.n > 0 && scan_value(p->sc, w.p, w.n) == 0)
		buf_slice(p->out, w);
	else
		return REGION_BROKEN;
	return REGION_CALLS;
}

static enum region_said value(struct python *p, int depth);

static enum region_said
list(struct python *p, char close, bool dict, int depth)
{
	enum region_said said;
	bool first = true;

	p->at++;
	buf_addc(p->out, dict ? '{' : '[');
	while (!eat(p, close)) {
		if (!first && !eat(p, ','))
			return stuck(p);
		if (!first && eat(p, close))
			break;
		if (!first)
			buf_addc(p->out, ',');
		first = false;
		if (dict) {
			if (strchr("'\"", peek(p)) == NULL || peek(p) == '\0')
				return stuck(p);
			said = string(p);
			if (said != REGION_CALLS)
				return said;
			if (!eat(p, ':'))
				return stuck(p);
			buf_addc(p->out, ':');
		}
		said = value(p, depth + 1);
		if (said != REGION_CALLS)
			return said;
	}
	buf_addc(p->out, dict ? '}' : ']');
	return REGION_CALLS;
}

static enum region_said
value(struct python *p, int depth)
{
	if (depth > DEEP)
		return REGION_BROKEN;
	switch (peek(p)) {
	case '\0':
		return stuck(p);
	case '"':
	case '\'':
		return string(p);
	case '[':
		return list(p, ']', false, depth);
	case '(':
		return list(p, ')', false, depth);
	case '{':
		return list(p, '}', true, depth);
	default:
		return word(p);
	}
}

static enum region_said
arguments(struct python *p)
{
	enum region_said said;

	buf_addc(p->out, '{');
	while (!eat(p, ')')) {
		size_t from, end;

		if (p->out->len > 1) {
			if (!eat(p, ','))
				return stuck(p);
			if (eat(p, ')'))
				break;
			buf_addc(p->out, ',');
		}
		peek(p);
		from = p->at;
		end = p->at = skip_name(p->s, from);
		if (end == from || !eat(p, '='))
			return stuck(p);
		scan_quote(p->out, p->s.p + from, end - from);
		buf_addc(p->out, ':');
		said = value(p, 0);
		if (said != REGION_CALLS)
			return said;
	}
	buf_addc(p->out, '}');
	return REGION_CALLS;
}

enum region_said
python_call(struct slice s, size_t *at, struct scan *sc,
    struct region_calls *calls)
{
	struct block_call *c = region_add(calls);
	struct python p = { s, *at, sc, &c->args };
	size_t end = skip_name(s, *at);
	enum region_said said;

	buf_add(&c->name, s.p + *at, end - *at);
	/* of llama's own tools: search.call(query="...") */
	if (c->name.len > 5 && memcmp(c->name.p + c->name.len - 5, ".call",
	    5) == 0)
		c->name.len -= 5;
	p.at = end;
	said = end == *at || !eat(&p, '(') ? stuck(&p) : arguments(&p);
	/* a key twice is no object */
	if (said == REGION_CALLS && scan_record(sc, c->args.p, c->args.len) !=
	    0)
		said = REGION_BROKEN;
	if (said == REGION_CALLS)
		*at = p.at;
	else
		region_drop(calls);
	return said;
}

enum region_said
read_pythonic(struct slice s, struct slice tools, struct scan *sc,
    struct region_calls *calls, size_t *used)
{
	enum region_said said;
	size_t at = 1;

	(void)tools;
	for (;;) {
		at = skip_white(s, at);
		said = python_call(s, &at, sc, calls);
		if (said != REGION_CALLS)
			return said;
		at = skip_white(s, at);
		if (at == s.n)
			return REGION_OPEN;
		if (s.p[at] == ']')
			break;
		if (s.p[at++] != ',')
			return REGION_BROKEN;
	}
	*used = at + 1;
	return REGION_CALLS;
}
