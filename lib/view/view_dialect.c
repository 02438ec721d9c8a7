/* view_dialect.c - calls and results that stand in the text of messages.
 *
 * Reads the tags by hand: what stands between them is no XML.
 */
#include <string.h>

#include "json/scan.h"
#include "view_dialect.h"

#define CALL "<tool_call>"
#define CALL_END "</tool_call>"
#define RESULT "<tool_response>"
#define RESULT_END "</tool_response>"
#define FUNCTION "<function="
#define PARAMETER "<parameter="

bool
dialect_may(struct slice content)
{
	return content.n > 30 && slice_has(content, "tool_") &&
	    (slice_has(content, "tool_call") ||
	    slice_has(content, "tool_response"));
}

/* What stands between the next two tags; false when there are none. */
static bool
next_block(struct slice text, size_t *at, const char *open, const char *close,
    struct slice *block)
{
	size_t from = slice_find(text, *at, open) + strlen(open);
	size_t to = slice_find(text, from, close);

	if (to == text.n)
		return false;
	*block = slice_trim(slice_part(text, from, to));
	*at = to + strlen(close);
	return true;
}

bool
dialect_has_calls(struct slice text)
{
	struct slice block;
	size_t at = 0;

	return slice_ends(slice_trim(text), CALL_END) &&
	    next_block(text, &at, CALL, CALL_END, &block);
}

bool
dialect_call(struct slice text, size_t *at, struct dialect_call *c)
{
	struct buf name = BUF_INIT(BUF_RECORD_MAX), args = name;
	struct slice block, key, val;
	size_t from, end, n = 0;

	if (!next_block(text, at, CALL, CALL_END, &block))
		return false;
	c->tags = !scan_is_json(block) || *block.p != '{';
	if (!c->tags) {
		scan_str(scan_get(block, "name"), &name);
		val = scan_get(block, "arguments");
		if (!scan_str(val, &args))
			buf_slice(&args, val.p != NULL ? val : SLICE("{}"));
	} else {
		/* <function=NAME> <parameter=KEY> value </parameter> ... */
		from = slice_find(block, 0, FUNCTION);
		end = slice_find(block, from, ">");
		if (end < block.n)
			buf_slice(&name, slice_part(block,
			    from + strlen(FUNCTION), end));
		buf_addc(&args, '{');
		while ((from = slice_find(block, end, PARAMETER)) < block.n) {
			from += strlen(PARAMETER);
			end = slice_find(block, from, ">");
			if (end == block.n)
				break;
			key = slice_part(block, from, end);
			from = end + 1;
			end = slice_find(block, from, "</parameter>");
			scan_put(&args, n++ > 0 ? ",@:@" : " @:@", key,
			    slice_trim(slice_part(block, from, end)));
		}
		buf_addc(&args, '}');
	}
	bufs_reset(BUFS(&c->name, &c->args));
	c->block = block;
	scan_put(&c->name, "@", buf_view(&name));
	scan_put(&c->args, "@", buf_view(&args));
	bufs_release(BUFS(&name, &args));
	return true;
}

void
dialect_write(const struct dialect_call *c, struct slice args,
    struct buf *out)
{
	struct slice key, val;

	if (!c->tags) {
		scan_put(out, "{'name': $, 'arguments': $}",
		    buf_view(&c->name), args);
		return;
	}
	buf_adds(out, FUNCTION);
	scan_str(buf_view(&c->name), out);
	buf_adds(out, ">\n");
	for (struct walk w = walk_of(args); walk_next(&w, &key, &val); ) {
		buf_adds(out, PARAMETER);
		scan_inside(key, out);
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

	return slice_starts(all, RESULT) &&
	    next_block(text, &at, RESULT, RESULT_END, &all);
}

bool
dialect_result(struct slice text, size_t *at, struct slice *block)
{
	struct slice rest = slice_trim(slice_from(text, *at));

	if (rest.n == 0)
		*at = text.n;
	return slice_starts(rest, RESULT) &&
	    next_block(text, at, RESULT, RESULT_END, block);
}
