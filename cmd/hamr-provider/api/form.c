/* form.c - tools and messages in the form of an API. */
#include <ctype.h>
#include <string.h>

#include "base/num.h"
#include "json/scan.h"
#include "record/msg.h"
#include "view/view.h"

#include "form.h"

bool
form_tools(const struct form *form, const struct body *b, struct buf *out)
{
	struct slice tool;
	size_t n = 0;

	for (struct walk w = walk_elements(b->tools);
	    walk_next(&w, NULL, &tool); ) {
		struct slice fn = scan_get(tool, "function");
		struct slice name = scan_get(fn, "name");
		struct slice about = scan_get(fn, "description");
		struct slice schema = scan_get(fn, "parameters");

		if (scan_kind(name) != SCAN_STRING)
			continue;
		if (scan_kind(about) != SCAN_STRING)
			about = SLICE("\"\"");
		if (scan_kind(schema) != SCAN_OBJECT)
			schema = SLICE("{\"type\":\"object\","
			    "\"properties\":{}}");
		if (n++ == 0) {
			fields_put(b, "tools", SLICE(""), out);
			scan_put(out, form->tools);
		} else
			buf_addc(out, ',');
		scan_put(out, form->tool, name, about, schema);
	}
	buf_adds(out, n > 0 ? form->tools_end : "");
	return n > 0;
}

/* ---- turns and their parts ---- */

static void
close_turn(struct writer *w)
{
	if (w->role.p != NULL)
		buf_adds(w->out, "]}");
	w->role = (struct slice){ NULL, 0 };
}

void
writer_item(struct writer *w)
{
	close_turn(w);
	buf_adds(w->out, w->turns++ > 0 ? "," : "");
}

void
writer_part(struct writer *w, struct slice role)
{
	if (w->role.p == NULL || !slice_eq(w->role, role)) {
		writer_item(w);
		scan_put(w->out, w->form->turn, role);
		w->role = role;
	}
	buf_slice(w->out, scan_comma(w->out));
}

void
writer_end(struct writer *w)
{
	w->end = w->out->len;
	buf_addc(w->out, '}');
}

static void
put_text(struct writer *w, struct slice role, struct slice text)
{
	const struct form *f = w->form;
	bool said = f->said != NULL && scan_str_is(role, "assistant");

	/* Anthropic refuses a part that is only white space */
	if (scan_kind(text) != SCAN_STRING ||
	    (!f->flat && view_is_blank_string(text)))
		return;
	writer_part(w, role);
	scan_put(w->out, said ? f->said : f->text, text);
	writer_end(w);
}

void
writer_image(struct writer *w, struct slice role, struct slice part)
{
	struct slice url = scan_get(scan_get(part, "image_url"), "url");
	struct buf text = BUF_INIT(BUF_RECORD_MAX);
	struct slice mime, data;

	if (!scan_str(url, &text))
		return;
	writer_part(w, role);
	if (w->form->image_data == NULL)
		scan_put(w->out, w->form->image_url, url);
	else if (data_url(buf_view(&text), &mime, &data))
		scan_put(w->out, w->form->image_data, mime, data);
	else
		scan_put(w->out, w->form->image_url, buf_view(&text));
	writer_end(w);
	buf_release(&text);
}

static void
put_content(struct writer *w, struct slice role, struct slice content)
{
	struct slice part;

	if (content.n > 2)
		put_text(w, role, content);
	for (struct walk walk = walk_elements(content);
	    walk_next(&walk, NULL, &part); )
		if (scan_str_is(scan_get(part, "type"), "image_url"))
			writer_image(w, role, part);
		else
			put_text(w, role, scan_get(part, "text"));
}

void
writer_result(struct writer *w, struct slice m)
{
	struct slice content = scan_get(m, "content"), role = SLICE("\"user\"");
	struct writer inner = { .form = w->form, .out = w->out, .role = role };

	if (w->form->flat)
		writer_item(w);
	else
		writer_part(w, role);
	scan_put(w->out, w->form->result_head, scan_get(m, "tool_call_id"));
	if (scan_kind(content) == SCAN_ARRAY) {
		buf_addc(w->out, '[');
		put_content(&inner, role, content);
		buf_addc(w->out, ']');
	} else
		buf_slice(w->out, content.p != NULL ? content : SLICE("\"\""));
	writer_end(w);
}

/* ---- messages ---- */

static void
put_carried(struct writer *w, struct slice call)
{
	const struct form *f = w->form;
	struct slice item;

	if (f->carried == NULL || w->no_carry)
		return;
	for (struct walk walk = walk_elements(scan_get(call, "carry"));
	    walk_next(&walk, NULL, &item); ) {
		if (!slice_in(scan_plain(scan_get(item, "type")), f->carried))
			continue;
		if (f->flat)
			writer_item(w);
		else
			writer_part(w, slice_of(f->assistant));
		buf_slice(w->out, item);
	}
}

bool
system_text(struct slice messages, struct buf *out)
{
	struct walk w = walk_of(messages);
	struct slice first;

	return walk_next(&w, NULL, &first) &&
	    scan_str_is(scan_get(first, "role"), "system") &&
	    msg_lines(scan_get(first, "content"), out) &&
	    slice_trim(buf_view(out)).n > 0;
}

void
writer_messages(struct writer *w, struct slice messages)
{
	const struct form *f = w->form;
	struct slice m, call;

	for (struct walk walk = walk_of(messages);
	    walk_next(&walk, NULL, &m); ) {
		struct slice role = scan_get(m, "role");
		struct slice calls = scan_get(m, "tool_calls");

		if (scan_str_is(role, "tool")) {
			f->result(w, m);
			continue;
		}
		if (f->flat)
			close_turn(w);
		else if (scan_str_is(role, "system"))
			continue;
		else if (scan_str_is(role, "assistant")) {
			if (w->turns == 0)	/* the user must begin */
				put_text(w, SLICE("\"user\""),
				    SLICE("\"(continued)\""));
			role = slice_of(f->assistant);
			w->calls = calls;
		} else {
			role = SLICE("\"user\"");
			calls = (struct slice){ NULL, 0 };
		}
		struct walk first = walk_elements(calls);
		if (walk_next(&first, NULL, &call))
			put_carried(w, call);
		size_t had = w->out->len;
		put_content(w, role, scan_get(m, "content"));
		if (w->out->len == had && scan_str_is(role, "user"))
			put_text(w, role, SLICE("\"(empty)\""));
		size_t n = 0;
		for (struct walk each = walk_elements(calls);
		    walk_next(&each, NULL, &call); n++) {
			if (n > 0)
				put_carried(w, call);
			f->call(w, call);
		}
	}
	if (w->turns == 0 && !f->flat)
		put_text(w, SLICE("\"user\""), SLICE("\"(empty)\""));
	close_turn(w);
}

struct slice
name_of_call(struct slice calls, struct slice id)
{
	struct slice call;

	for (struct walk walk = walk_elements(calls);
	    walk_next(&walk, NULL, &call); )
		if (slice_eq(scan_get(call, "id"), id))
			return scan_get(scan_get(call, "function"), "name");
	return (struct slice){ NULL, 0 };
}

/* ---- small things ---- */

bool
data_url(struct slice url, struct slice *mime, struct slice *data)
{
	static const char start[] = "data:", base[] = ";base64,";
	struct slice head = slice_part(url, 0, num_min(url.n, 256));
	size_t at = slice_find(head, 0, base);

	if (!slice_starts(url, start) || at == head.n)
		return false;
	*mime = slice_part(url, strlen(start), at);
	*data = slice_from(url, at + strlen(base));
	return true;
}

void
put_path_name(const char *name, struct buf *out)
{
	for (; *name != '\0'; name++)
		if (isalnum((unsigned char)*name) ||
		    strchr("-._~/:@", *name) != NULL)
			buf_addc(out, *name);
		else
			buf_fmt(out, "%%%02X", (unsigned char)*name);
}
