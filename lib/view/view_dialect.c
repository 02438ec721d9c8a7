/* view_dialect.c - calls and results that stand in the text of messages.
 *
 * Reads the tags by hand: what stands between them is no XML.
 */
#include <string.h>

#include "json/scan.h"
#include "view_dialect.h"

static const struct slice call_open = { "<tool_call>", 11 };
static const struct slice call_close = { "</tool_call>", 12 };
static const struct slice result_open = { "<tool_response>", 15 };
static const struct slice result_close = { "</tool_response>", 16 };

static const char *
find(struct slice s, struct slice what)
{
	return s.n < what.n ? NULL : memmem(s.p, s.n, what.p, what.n);
}

static struct slice
behind(struct slice s, const char *p)
{
	return (struct slice){ p, (size_t)(s.p + s.n - p) };
}

bool
dialect_may(struct slice content)
{
	return content.n > 30 && find(content, SLICE("tool_")) != NULL &&
	    (find(content, SLICE("tool_call")) != NULL ||
	    find(content, SLICE("tool_response")) != NULL);
}

/* What stands between the next two tags; false when there are none. */
static bool
next_block(struct slice text, size_t *at, struct slice open,
    struct slice close, struct slice *block)
{
	struct slice rest = { text.p + *at, text.n - *at };
	const char *p = find(rest, open), *q;

	if (p == NULL)
		return false;
	rest = behind(rest, p + open.n);
	q = find(rest, close);
	if (q == NULL)
		return false;
	*block = slice_trim((struct slice){ rest.p, (size_t)(q - rest.p) });
	*at = (size_t)(q + close.n - text.p);
	return true;
}

bool
dialect_has_calls(struct slice text)
{
	struct slice all = slice_trim(text), block;
	size_t at = 0;

	return all.n > call_close.n && memcmp(all.p + all.n - call_close.n,
	    call_close.p, call_close.n) == 0 &&
	    next_block(text, &at, call_open, call_close, &block);
}

/* <function=NAME> <parameter=KEY> value </parameter> ... as JSON. */
static void
read_tags(struct slice s, struct buf *name, struct buf *args)
{
	static const struct slice par = { "<parameter=", 11 };
	static const struct slice end = { "</parameter>", 12 };
	const char *p = find(s, SLICE("<function=")), *q;
	struct slice value;
	size_t n = 0;

	buf_addc(args, '{');
	q = p != NULL ? memchr(p, '>', (size_t)(s.p + s.n - p)) : NULL;
	if (q != NULL)
		buf_add(name, p + 10, (size_t)(q - p) - 10);
	while (q != NULL && (p = find(behind(s, q), par)) != NULL) {
		p += par.n;
		q = memchr(p, '>', (size_t)(s.p + s.n - p));
		if (q == NULL)
			break;
		buf_addc(args, n++ > 0 ? ',' : ' ');
		scan_quote(args, p, (size_t)(q - p));
		buf_addc(args, ':');
		value = behind(s, q + 1);
		p = find(value, end);
		q = p == NULL ? s.p + s.n : p;
		value.n = (size_t)((p == NULL ? s.p + s.n : p) - value.p);
		value = slice_trim(value);
		scan_quote(args, value.p, value.n);
	}
	buf_addc(args, '}');
}

bool
dialect_call(struct slice text, size_t *at, struct dialect_call *c)
{
	struct buf name = BUF_INIT(BUF_RECORD_MAX), args = name;
	struct scan scan = { 0 };
	struct slice block, val;

	if (!next_block(text, at, call_open, call_close, &block))
		return false;
	c->tags = scan_value(&scan, block.p, block.n) != 0 || *block.p != '{';
	if (!c->tags) {
		scan_str(scan_get(block, "name"), &name);
		val = scan_get(block, "arguments");
		if (!scan_str(val, &args))
			buf_slice(&args, val.p != NULL ? val : SLICE("{}"));
	} else {
		read_tags(block, &name, &args);
	}
	buf_reset(&c->name);
	buf_reset(&c->args);
	c->block = block;
	scan_quote(&c->name, name.p, name.len);
	scan_quote(&c->args, args.p, args.len);
	scan_release(&scan);
	buf_release(&name);
	buf_release(&args);
	return true;
}

void
dialect_write(const struct dialect_call *c, struct slice args,
    struct buf *out)
{
	struct slice key, val;

	if (!c->tags) {
		buf_adds(out, "{\"name\": ");
		buf_slice(out, buf_view(&c->name));
		buf_adds(out, ", \"arguments\": ");
		buf_slice(out, args);
		buf_addc(out, '}');
		return;
	}
	buf_adds(out, "<function=");
	scan_str(buf_view(&c->name), out);
	buf_adds(out, ">\n");
	for (struct walk w = walk_of(args); walk_next(&w, &key, &val); ) {
		buf_adds(out, "<parameter=");
		scan_str((struct slice){ key.p - 1, key.n + 2 }, out);
		buf_adds(out, ">\n");
		scan_str(val, out);
		buf_adds(out, "\n</parameter>\n");
	}
	buf_adds(out, "</function>");
}

bool
dialect_is_result(struct slice text)
{
	struct slice all = slice_trim(text);
	size_t at = 0;

	return all.n > result_open.n && memcmp(all.p, result_open.p,
	    result_open.n) == 0 &&
	    next_block(text, &at, result_open, result_close, &all);
}

bool
dialect_result(struct slice text, size_t *at, struct slice *block)
{
	struct slice rest = { text.p + *at, text.n - *at };

	rest = slice_trim(rest);
	if (rest.n == 0) {
		*at = text.n;
		return false;
	}
	return rest.n > result_open.n && memcmp(rest.p, result_open.p,
	    result_open.n) == 0 && next_block(text, at, result_open,
	    result_close, block);
}
