/* message_call.c - a past call, as every server can read it. */
#include "message_call.h"

/* Append ,"key":val or with first the same without comma. */
void
message_member(struct buf *out, bool *first, struct slice key,
    struct slice val)
{
	buf_adds(out, *first ? "{\"" : ",\"");
	buf_slice(out, key);
	buf_adds(out, "\":");
	buf_slice(out, val);
	*first = false;
}

/* Do the arguments hold a JSON object?  Servers crash on others. */
static bool
is_object_text(struct call_printer *p, struct slice args)
{
	struct slice plain = scan_plain(args);

	p->tmp.max = BUF_RECORD_MAX;
	if (plain.p == NULL) {
		buf_reset(&p->tmp);
		if (!scan_str(args, &p->tmp))
			return false;
		plain = buf_view(&p->tmp);
	}
	return scan_record(&p->scan, plain.p, plain.n) == 0;
}

/* The arguments as a JSON string: what does not parse is wrapped. */
static void
print_args(struct call_printer *p, struct slice args, struct buf *out)
{
	struct buf wrapped = BUF_INIT(BUF_RECORD_MAX);

	if (is_object_text(p, args)) {
		buf_slice(out, args);
		return;
	}
	if (scan_kind(args) == SCAN_OBJECT) {
		scan_quote(out, args.p, args.n);
		return;
	}
	buf_reset(&p->tmp);
	if (!scan_str(args, &p->tmp) || p->tmp.len == 0) {
		buf_adds(out, "\"{}\"");
		return;
	}
	buf_adds(&wrapped, "{\"_invalid\":");
	scan_quote(&wrapped, p->tmp.p, p->tmp.len);
	buf_addc(&wrapped, '}');
	scan_quote(out, wrapped.p, wrapped.len);
	buf_release(&wrapped);
}

static bool
is_name(struct slice val)
{
	return scan_kind(val) == SCAN_STRING && val.n > 2;
}

static void
print_function(struct call_printer *p, struct slice fn, struct buf *out)
{
	struct slice name = scan_get(fn, "name"), key, val;
	struct walk w;
	bool first = true;

	if (scan_kind(fn) != SCAN_OBJECT)
		fn = SLICE("{}");
	if (!is_name(name))
		message_member(out, &first, SLICE("name"),
		    SLICE("\"unknown\""));
	walk_in(&w, fn);
	while (walk_next(&w, &key, &val))
		if (!scan_key_is(key, "arguments") &&
		    (is_name(name) || !scan_key_is(key, "name")))
			message_member(out, &first, key, val);
	message_member(out, &first, SLICE("arguments"), SLICE(""));
	print_args(p, scan_get(fn, "arguments"), out);
	buf_addc(out, '}');
}

void
message_call(struct call_printer *p, struct slice call, const char *id,
    struct buf *out)
{
	struct slice fn = scan_get(call, "function"), key, val;
	bool stripped = !p->carry && scan_get(call, "carry").p != NULL;
	bool typed = is_name(scan_get(call, "type")), first = true;
	struct walk w;

	if (!stripped && id == NULL && typed && scan_kind(fn) == SCAN_OBJECT &&
	    is_name(scan_get(fn, "name")) &&
	    is_object_text(p, scan_get(fn, "arguments"))) {
		buf_slice(out, call);
		return;
	}
	if (id != NULL)
		message_member(out, &first, SLICE("id"), slice_of(id));
	if (!typed)
		message_member(out, &first, SLICE("type"),
		    SLICE("\"function\""));
	walk_in(&w, call);
	while (walk_next(&w, &key, &val))
		if (scan_key_is(key, "function")) {
			message_member(out, &first, key, SLICE(""));
			print_function(p, fn, out);
		} else if (!(stripped && scan_key_is(key, "carry")) &&
		    !(id != NULL && scan_key_is(key, "id")) &&
		    (typed || !scan_key_is(key, "type")))
			message_member(out, &first, key, val);
	if (fn.p == NULL) {
		message_member(out, &first, SLICE("function"), SLICE(""));
		print_function(p, fn, out);
	}
	buf_addc(out, '}');
}

void
call_printer_release(struct call_printer *p)
{
	scan_release(&p->scan);
	buf_release(&p->tmp);
}
