/* ingest.c - messages as they are taken in: stage 0, and what is remembered of
 * each call.
 */
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "msg.h"

#include "clean.h"
#include "compact.h"

#define MEMORY_SUM (15 * 64)	/* what "; memory m:123456789abc" counts */

/* ---- calls ---- */

static bool
is_file(const struct fact *f)
{
	return (f->kind == TOOL_READ || f->kind == TOOL_EDIT ||
	    f->kind == TOOL_WRITE) && f->what[0] != '\0';
}

static void
note_file(struct compact *c, struct fact *f)
{
	struct files *fs = &c->files;
	uint64_t *at = map_put(&fs->by_path, slice_of(f->what), NULL);

	if (*at == 0) {
		fs->v = xgrow(fs->v, fs->n, &fs->cap, sizeof *fs->v);
		fs->v[fs->n++] = (struct file){ .path = f->what };
		*at = fs->n;
	}
	f->file = *at;
	fs->v[*at - 1].touched = f->at;
}

void
files_release(struct files *f)
{
	map_release(&f->by_path);
	free(f->v);
	*f = (struct files){ .n = 0 };
}

/* The arguments with long strings cut, counted, for the day the call is
 * old; made now that they are at hand. */
static void
make_slim(struct compact *c, struct view_call *call, struct slice name,
    struct slice args)
{
	struct buf *made = &c->made, *b = &c->quoted;
	unsigned prev = TOKEN_START;

	buf_reset(made);
	if (!slim_args(args, made))
		return;
	if (call->json == NULL) {
		call->slim = view_dup(c->view, made->p, made->len);
		return;
	}
	call->slim_args = view_content_sum(c->family, name) +
	    token_sum(c->family, made->p, made->len, &prev);
	buf_reset(b);
	buf_adds(b, "{\"id\":");
	buf_adds(b, call->id);
	buf_adds(b, ",\"type\":\"function\",\"function\":{\"name\":");
	buf_slice(b, name.n > 2 ? name : SLICE("\"unknown\""));
	buf_adds(b, ",\"arguments\":");
	scan_quote(b, made->p, made->len);
	buf_adds(b, "}}");
	call->slim = view_dup(c->view, b->p, b->len);
}

static void
take_call(void *self, struct view_call *call, struct slice name,
    const struct view_args *args)
{
	struct compact *c = self;
	char *text = scan_strdup(name);
	struct fact *f = fact_new(c->view, text != NULL ? text : "", args);

	free(text);
	call->note = f;
	f->at = view_records(c->view);
	if (f->longer)
		make_slim(c, call, name, args->text);
	if (is_file(f))
		note_file(c, f);
	else if (f->kind == TOOL_COMMAND)
		*map_put(&c->commands, slice_of(f->what), NULL) = f->at;
}

/* ---- results ---- */

/* The text of a result as it is shown: cleaned if a command printed it, cut to
 * the cap.  Its estimate is *sum (0: not known).  It is `was`, or in a buffer
 * of c. */
static struct slice
ingest(struct compact *c, struct fact *f, struct slice was, uint64_t *sum)
{
	struct slice text = was;
	long cap = c->budget.result_cap;

	if (f->kind == TOOL_COMMAND) {
		buf_reset(&c->clean);
		clean_output(&c->clean, text);
		if (!slice_eq(buf_view(&c->clean), was))
			text = buf_view(&c->clean);
	}
	*sum = token_text(c->family, text.p, text.n);
	if (cap > 0 && *sum / 64 > (uint64_t)cap) {
		buf_reset(&c->text);
		f->cut |= budget_clip(&c->text, text, cap, c->family);
		text = buf_view(&c->text);
		*sum = 0;
	}
	return text;
}

/* Content parts, each text as it is shown. */
static struct buf
ingest_parts(struct compact *c, struct fact *f, struct slice content)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX), in = b;
	struct slice part, text, shown;
	struct walk w;
	uint64_t sum;

	walk_in(&w, content);
	buf_addc(&b, '[');
	while (walk_next(&w, NULL, &part)) {
		if (b.len > 1)
			buf_addc(&b, ',');
		text = scan_get(part, "text");
		buf_reset(&in);
		if (scan_str(text, &in))
			shown = ingest(c, f, buf_view(&in), &sum);
		else
			shown.p = in.p;
		if (shown.p != in.p) {
			buf_adds(&b, "{\"type\":\"text\",\"text\":");
			scan_quote(&b, shown.p, shown.n);
			buf_addc(&b, '}');
		} else {
			buf_slice(&b, part);
		}
	}
	buf_addc(&b, ']');
	buf_release(&in);
	return b;
}

static void
put_parts(struct compact *c, struct view_call *call, struct slice content)
{
	struct buf b = ingest_parts(c, call->note, content);

	call->result = view_dup(c->view, b.p, b.len);
	buf_release(&b);
}

/* A line behind text, counted as its end. */
static void
count_line(struct compact *c, struct view_call *call, struct slice text,
    struct slice line)
{
	unsigned prev = TOKEN_START;

	if (text.n > 0)
		token_sum(c->family, text.p + text.n - 1, 1, &prev);
	call->text += token_sum(c->family, line.p, line.n, &prev);
}

/* A string result: json as it came, was decoded.  Returns the text as it is
 * shown, but for its line of context. */
static struct slice
ingest_string(struct compact *c, struct view_call *call, const struct rec *r,
    struct slice json, struct slice was)
{
	struct fact *f = call->note;
	struct slice text = ingest(c, f, was, &call->text);
	struct buf *line = &c->made, *quoted = &c->quoted;

	fact_result(c->view, f, r, was, text);
	buf_reset(line);
	context_line(c, f, line);
	if (text.p == was.p && line->len == 0)
		return text;
	if (line->len > 0 && call->text > 0)
		count_line(c, call, text, buf_view(line));
	buf_reset(quoted);
	if (text.p != was.p) {
		scan_quote(quoted, text.p, text.n);
		json = buf_view(quoted);
	}
	if (line->len > 0) {	/* one string of two */
		size_t at = quoted->len;

		scan_quote(quoted, line->p, line->len);
		if (at > 0)
			json.p = quoted->p;
		call->result = view_join(c->view,
		    (struct slice){ json.p, json.n - 1 },
		    (struct slice){ quoted->p + at + 1,
			quoted->len - at - 1 });
	} else {
		call->result = view_dup(c->view, json.p, json.n);
	}
	return text;
}

/* Quote text; *at is where its byte `hole` is then. */
static char *
quote_parts(struct compact *c, struct slice text, size_t hole, size_t *at)
{
	struct buf *b = &c->quoted;
	size_t n;

	buf_reset(b);
	scan_quote(b, text.p, hole);
	n = b->len;
	scan_quote(b, text.p + hole, text.n - hole);
	if (hole > 0)
		*at = n - 1;
	return view_join(c->view, (struct slice){ b->p, n - 1 },
	    (struct slice){ b->p + n + 1, b->len - n - 1 });
}

static void
make_stub(struct compact *c, struct view_call *call, struct slice text,
    bool image)
{
	struct fact *f = call->note;
	unsigned prev = TOKEN_START;

	buf_reset(&c->made);
	call->stub = NULL;
	if (!stub_text(f, text, &c->made)) {
		if (!image)
			return;
		buf_fmt(&c->made, "[elided %s %s, an image]", f->name,
		    f->what);
	}
	call->stub_text = token_sum(c->family, c->made.p, c->made.len,
	    &prev) + (f->hole > 0 ? MEMORY_SUM : 0);
	call->stub = quote_parts(c, buf_view(&c->made), f->hole, &f->hole);
}

static bool
is_remembered(const struct compact *c, const struct fact *f)
{
	return f->remembered && c->set.memory;
}

/* Without a header the first message but the system's names the session. */
static const char *
session_name(struct compact *c)
{
	char hex[SHA_HEX];

	if (c->session == NULL) {
		memid_session(slice_of(c->first_role), buf_view(&c->first),
		    hex);
		c->session = xstrdup(hex);
	}
	return c->session;
}

static void
note_result(struct compact *c, struct view_call *call, const struct rec *r)
{
	struct fact *f = call->note;
	struct slice id = rec_get(r, "tool_call_id");
	struct file *file = f->file > 0 ? &c->files.v[f->file - 1] : NULL;

	if (file != NULL && !f->failed && f->kind == TOOL_EDIT)
		file->edited = f->at;
	if (file != NULL && !f->failed && f->kind == TOOL_WRITE)
		file->edited = file->written = f->at;
	f->remembered &= scan_kind(id) == SCAN_STRING;
	/* an id that was repeated is not what memory knows the item by */
	if (is_remembered(c, f) && !slice_eq(id, slice_of(call->id))) {
		char *text = scan_strdup(id);

		memid_result(slice_of(session_name(c)), slice_of(text),
		    f->mem);
		free(text);
	}
}

static const char *
hash_of(struct compact *c, struct slice text)
{
	char hex[SHA_HEX];

	sha256_hex(text.p, text.n, hex);
	return view_dup(c->view, hex, SHA_HEX - 1);
}

static void
take_result(void *self, struct view_call *call, const struct rec *r,
    struct slice content)
{
	struct compact *c = self;
	struct fact *f = call->note;
	struct slice text;

	if (f->kind == TOOL_READ && f->file > 0)
		f->reads = ++c->files.v[f->file - 1].reads;
	buf_reset(&c->tmp);
	msg_text(content, &c->tmp);
	text = buf_view(&c->tmp);
	if (c->hashes)
		f->hash = hash_of(c, text);
	if (scan_kind(content) == SCAN_STRING) {
		text = ingest_string(c, call, r, content, text);
	} else {
		if (scan_kind(content) == SCAN_ARRAY && content.n > 2)
			put_parts(c, call, content);
		fact_result(c->view, f, r, text, text);
	}
	note_result(c, call, r);
	make_stub(c, call, text, msg_has_image(content));
}

/* The id that hamr-mem gives the result, into its stub.  Late, because hashes
 * are dear and few stubs are ever shown. */
static void
take_shown(void *self, struct view_call *call)
{
	struct compact *c = self;
	struct fact *f = call->note;
	struct buf b = BUF_INIT(BUF_RECORD_MAX);
	char *id;

	if (f->hole == 0 || !is_remembered(c, f))
		return;
	if (f->mem[0] == '\0') {
		id = scan_strdup(slice_of(call->id));
		memid_result(slice_of(session_name(c)), slice_of(id), f->mem);
		free(id);
	}
	buf_add(&b, call->stub, f->hole);
	buf_fmt(&b, "; memory %s", f->mem);
	buf_adds(&b, call->stub + f->hole);
	call->stub = view_dup(c->view, b.p, b.len);
	buf_release(&b);
	f->hole = 0;
}

void
ingest_hooks(struct compact *c, struct view_hooks *h)
{
	*h = (struct view_hooks){ c, take_call, take_result,
		take_shown };
}
