/* ingest.c - takes in messages: stage 0, and what is remembered of each call.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "record/memid.h"
#include "record/msg.h"

#include "items/command_output.h"
#include "items/fact.h"
#include "internal.h"

#define MEMORY_SUM (15 * 64)	/* estimate of "; memory m:123456789abc" */

/* ---- calls ---- */

/* The number of what the next call of the view is about. */
static size_t
touch(struct compact *c, struct subjects *all, struct slice key,
    const struct fact *f)
{
	uint64_t *no = map_put(&all->by_key, key, NULL);

	if (*no == 0) {
		GROW(all->v, all->n, all->cap);
		all->v[all->n++] = (struct subject){ .name = f->what };
		*no = all->n;
	}
	all->v[*no - 1].touched = c->view->ncalls + 1;
	return *no;
}

static void
take_call(void *self, struct view_call *call, struct slice name,
    const struct view_args *args)
{
	struct compact *c = self;
	struct fact *f = fact_new(c->view, name, args);
	struct buf *made = &c->made, *whole = &c->quoted;
	unsigned prev = TOKEN_START;

	call->note = f;
	call->lean = f->kind == TOOL_EDIT;	/* the new text stays */
	f->at = c->view->records;
	/* its arguments with long strings cut, for when the call is old: made
	 * and counted now, while we have them */
	bufs_reset(BUFS(made, whole));
	if (slim_args(args->text, call->lean, made)) {
		if (call->json != NULL) {
			call->slim_args = view_content_sum(c->family, name) +
			    token_sum(c->family, made->p, made->len, &prev);
			scan_put(whole, "{'id':$,'type':'function',"
			    "'function':{'name':$,'arguments':@}",
			    slice_of(call->id), name.n > 2 ? name :
			    SLICE("\"unknown\""), buf_view(made));
			/* Gemini refuses a call without its thought
			 * signature */
			msg_put_carried(slice_of(call->json), true, whole);
			buf_addc(whole, '}');
			made = whole;
		}
		call->slim = arena_dup(&c->view->arena, made->p, made->len);
	}
	struct slice what = slice_of(f->what);
	if (f->kind == TOOL_COMMAND)
		f->command = touch(c, &c->commands, what, f);
	else if (f->kind != TOOL_OTHER && what.n > 0)
		f->file = touch(c, &c->files, compact_path(c, what), f);
}

/* ---- results ---- */

/* The text of a result as shown: cleaned if a command printed it, and cut to
 * the cap.  *sum is its estimate (0: unknown).  It is `was` or lies in a buffer
 * of c. */
static struct slice
ingest(struct compact *c, struct fact *f, struct slice was, uint64_t *sum)
{
	struct slice text = was;
	long cap = c->budget.result_cap, whole = f->kind == TOOL_READ ?
	    c->budget.file_cap : cap;

	if (f->kind == TOOL_COMMAND) {
		buf_reset(&c->clean);
		clean_output(&c->clean, text);
		if (!slice_eq(buf_view(&c->clean), was))
			text = buf_view(&c->clean);
	}
	*sum = token_text(c->family, text.p, text.n);
	if (cap > 0 && *sum / 64 > (uint64_t)whole) {
		buf_reset(&c->text);
		f->holes |= budget_clip(&c->text, text, cap, c->family);
		f->cut |= f->holes;
		text = buf_view(&c->text);
		*sum = 0;
	}
	return text;
}

/* Content parts: replace each text by its shown form, or all of them by one
 * that is cut if together they are over the cap. */
static void
ingest_parts(struct compact *c, struct view_call *call, struct slice content)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX), in = b;
	struct walk w = walk_of(content);
	struct slice part;
	uint64_t sum;

	bool has_text = msg_lines(content, &in);
	struct slice shown = ingest(c, call->note, buf_view(&in), &sum);
	bool cut = shown.n > 0 && sum == 0;
	if (cut)
		scan_put(&b, "[{'type':'text','text':@}", shown);
	else
		buf_addc(&b, '[');
	while (walk_next(&w, NULL, &part)) {
		struct slice text = scan_get(part, "text");
		bool is_text = scan_kind(text) == SCAN_STRING;

		if (cut && is_text)
			continue;
		if (b.len > 1)
			buf_addc(&b, ',');
		buf_reset(&in);
		scan_str(text, &in);
		shown = ingest(c, call->note, buf_view(&in), &sum);
		if (is_text && shown.p != in.p)
			scan_put(&b, "{'type':'text','text':@}", shown);
		else
			buf_slice(&b, part);
	}
	buf_reset(&c->made);
	if (has_text && !msg_has_image(content))
		context_line(call->note, c->inspected, &c->made);
	if (c->made.len > 0)
		scan_put(&b, ",{'type':'text','text':@}", slice_trim_start(
		    buf_view(&c->made), "\n"));
	buf_addc(&b, ']');
	call->result = arena_dup(&c->view->arena, b.p, b.len);
	bufs_release(BUFS(&in, &b));
}

/* A string result: json as read, `was` decoded.  Returns the text as shown,
 * without its line of context. */
static struct slice
ingest_string(struct compact *c, struct view_call *call, const struct rec *r,
    struct slice json, struct slice was)
{
	struct fact *f = call->note;
	struct slice text = ingest(c, f, was, &call->text);
	struct buf *line = &c->made, end = BUF_INIT(BUF_RECORD_MAX);
	unsigned prev = TOKEN_START;

	fact_result(c->view, f, r, was, text);
	buf_reset(line);
	context_line(f, c->inspected, line);
	if (text.p == was.p && line->len == 0)
		return text;
	if (line->len > 0 && call->text > 0) {	/* count it as text's end */
		if (text.n > 0)
			token_sum(c->family, text.p + text.n - 1, 1, &prev);
		call->text += token_sum(c->family, line->p, line->len, &prev);
	}
	if (text.p != was.p) {
		buf_reset(&c->quoted);
		scan_quote(&c->quoted, text.p, text.n);
		json = buf_view(&c->quoted);
	}
	scan_quote(&end, line->p, line->len);
	json.n--;		/* join two strings into one */
	call->result = arena_concat(&c->view->arena, json,
	    slice_from(buf_view(&end), 1));
	buf_release(&end);
	return text;
}

/* The stub, with the id of hamr-mem's item in it, which derives from the call's
 * original id (a JSON string). */
static void
make_stub(struct compact *c, struct view_call *call, struct slice text,
    struct slice id, bool image)
{
	struct fact *f = call->note;
	struct buf *stub = &c->made;
	char mem[MEMID_SIZE];
	unsigned prev = TOKEN_START;

	buf_reset(stub);
	size_t at = stub_text(f, text, stub);
	if (stub->len == 0 && image)
		buf_fmt(stub, "[elided %s %.*s, an image]", f->name,
		    (int)first_line(f->what).n, f->what);
	call->stub = NULL;
	if (stub->len == 0)
		return;
	/* the id is counted even where there is none */
	call->stub_text = token_sum(c->family, stub->p, stub->len, &prev) +
	    (at > 0 ? MEMORY_SUM : 0);
	if (at > 0 && f->remembered && c->set.memory) {
		char *name = scan_strdup(id);
		memid_result(slice_of(c->session), slice_of(name), mem);
		free(name);
		buf_reset(&c->tmp);
		buf_add(&c->tmp, stub->p, at);
		buf_fmt(&c->tmp, "; memory %s%s", mem, stub->p + at);
		stub = &c->tmp;
	}
	buf_reset(&c->quoted);
	scan_quote(&c->quoted, stub->p, stub->len);
	call->stub = arena_dup(&c->view->arena, c->quoted.p, c->quoted.len);
}

void
ingest_changes(struct compact *c, struct slice files, size_t call)
{
	struct walk w = walk_elements(files);
	struct slice one;

	while (walk_next(&w, NULL, &one)) {
		char *path = scan_strdup(scan_get(one, "path"));
		uint64_t *at = path == NULL ? NULL : map_get(&c->files.by_key,
		    compact_path(c, slice_of(path)));

		if (at != NULL)
			c->files.v[*at - 1].written = call;
		free(path);
	}
}

static void
take_result(void *self, struct view_call *call, const struct rec *r,
    struct slice content)
{
	struct compact *c = self;
	struct fact *f = call->note;
	struct subject *file = f->file > 0 ? &c->files.v[f->file - 1] : NULL;
	struct slice id = rec_get(r, "tool_call_id");
	size_t no = (size_t)(call - c->view->calls) + 1;
	char hex[SHA_HEX];

	if (f->kind == TOOL_READ && file != NULL && !f->listing)
		f->reads = ++file->reads;
	buf_reset(&c->tmp);
	msg_text(content, &c->tmp);
	struct slice text = buf_view(&c->tmp);
	if (c->hashes) {
		sha256_hex(text.p, text.n, hex);
		f->hash = arena_dup(&c->view->arena, hex, SHA_HEX - 1);
	}
	if (scan_kind(content) == SCAN_STRING) {
		text = ingest_string(c, call, r, content, text);
	} else {
		fact_result(c->view, f, r, text, text);
		if (scan_kind(content) == SCAN_ARRAY && content.n > 2)
			ingest_parts(c, call, content);
	}
	if (file != NULL && !f->failed && f->kind == TOOL_EDIT)
		file->edited = no;
	if (file != NULL && !f->failed && f->kind == TOOL_WRITE)
		file->edited = file->written = no;
	if (f->kind == TOOL_COMMAND || f->kind == TOOL_OTHER)
		ingest_changes(c, msg_meta(r, "mutated"), no);
	f->remembered &= scan_kind(id) == SCAN_STRING;
	make_stub(c, call, text, id, msg_has_image(content));
}

void
ingest_begin(struct compact *c)
{
	c->view->hooks = (struct view_hooks){ c, take_call, take_result };
}
