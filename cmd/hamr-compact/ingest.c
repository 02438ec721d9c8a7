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
	unsigned prev = TOKEN_START;
	struct buf b = BUF_INIT(BUF_RECORD_MAX);

	buf_reset(&c->text);
	if (call->json == NULL || !slim_args(args, &c->text))
		return;
	call->slim_args = view_content_sum(c->family, name) +
	    token_sum(c->family, c->text.p, c->text.len, &prev);
	buf_adds(&b, "{\"id\":");
	buf_adds(&b, call->id);
	buf_adds(&b, ",\"type\":\"function\",\"function\":{\"name\":");
	buf_slice(&b, name.n > 2 ? name : SLICE("\"unknown\""));
	buf_adds(&b, ",\"arguments\":");
	scan_quote(&b, c->text.p, c->text.len);
	buf_adds(&b, "}}");
	call->slim = view_dup(c->view, b.p, b.len);
	buf_release(&b);
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

/* The text of a result as it is shown, in c->text: cleaned if a command
 * printed it, cut to the cap, with a line of context.  Its estimate is *sum.
 * False when it is shown as it came. */
static bool
ingest(struct compact *c, struct fact *f, struct slice was, uint64_t *sum)
{
	struct slice text = was;
	unsigned prev = TOKEN_START;
	struct buf clean = BUF_INIT(BUF_RECORD_MAX);
	long cap = c->budget.result_cap;

	if (f->kind == TOOL_COMMAND) {
		clean_output(&clean, text);
		if (!slice_eq(buf_view(&clean), was))
			text = buf_view(&clean);
	}
	buf_reset(&c->text);
	*sum = token_sum(c->family, text.p, text.n, &prev);
	if (cap > 0 && *sum / 64 > (uint64_t)cap) {
		f->cut |= budget_clip(&c->text, text, cap, c->family);
		text = buf_view(&c->text);
		*sum = 0;
	} else if (text.p != was.p) {
		buf_slice(&c->text, text);
		text = buf_view(&c->text);
	}
	buf_release(&clean);
	return text.p != was.p;
}

/* Content parts, each text as it is shown. */
static struct buf
ingest_parts(struct compact *c, struct fact *f, struct slice content)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX), in = b;
	struct slice part, text;
	struct walk w;
	uint64_t sum;

	walk_in(&w, content);
	buf_addc(&b, '[');
	while (walk_next(&w, NULL, &part)) {
		if (b.len > 1)
			buf_addc(&b, ',');
		text = scan_get(part, "text");
		buf_reset(&in);
		if (scan_str(text, &in) &&
		    ingest(c, f, buf_view(&in), &sum)) {
			buf_adds(&b, "{\"type\":\"text\",\"text\":");
			scan_quote(&b, c->text.p, c->text.len);
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

/* A string result: json as it came, was decoded.  Returns the text as it is
 * shown, but for its line of context. */
static struct slice
ingest_string(struct compact *c, struct view_call *call, const struct rec *r,
    struct slice json, struct slice was)
{
	struct fact *f = call->note;
	bool other = ingest(c, f, was, &call->text);
	struct slice text = other ? buf_view(&c->text) : was;
	struct buf line = BUF_INIT(4096), all = BUF_INIT(BUF_RECORD_MAX);
	unsigned prev = TOKEN_START;

	fact_result(f, r, was, text);
	context_line(c, f, &line);
	if (!other && line.len == 0)
		return text;
	if (line.len > 0 && call->text > 0) {
		if (text.n > 0)
			token_sum(c->family, text.p + text.n - 1, 1, &prev);
		call->text += token_sum(c->family, line.p, line.len, &prev);
	}
	if (other)
		scan_quote(&all, text.p, text.n);
	else
		buf_slice(&all, json);
	if (line.len > 0) {
		size_t n = --all.len;	/* over its last quote */

		scan_quote(&all, line.p, line.len);
		memmove(all.p + n, all.p + n + 1, all.len - n);
		all.len--;	/* the NUL has moved along */
	}
	call->result = view_dup(c->view, all.p, all.len);
	buf_release(&all);
	buf_release(&line);
	return text;
}

/* Quote text; *at is where its byte `hole` is then. */
static char *
quote_parts(struct compact *c, struct slice text, size_t hole, size_t *at)
{
	struct buf *b = &c->tmp;
	size_t n;

	buf_reset(b);
	scan_quote(b, text.p, hole);
	n = --b->len;		/* over its last quote */
	scan_quote(b, text.p + hole, text.n - hole);
	memmove(b->p + n, b->p + n + 1, b->len - n);
	if (hole > 0)
		*at = n;
	return view_dup(c->view, b->p, b->len - 1);
}

static void
make_stub(struct compact *c, struct view_call *call, struct slice text,
    bool image)
{
	struct fact *f = call->note;
	unsigned prev = TOKEN_START;

	buf_reset(&c->text);
	call->stub = NULL;
	if (!stub_text(f, text, &c->text)) {
		if (!image)
			return;
		buf_fmt(&c->text, "[elided %s %s, an image]", f->name,
		    f->what);
	}
	call->stub_text = token_sum(c->family, c->text.p, c->text.len,
	    &prev) + (f->hole > 0 ? MEMORY_SUM : 0);
	call->stub = quote_parts(c, buf_view(&c->text), f->hole, &f->hole);
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
		fact_result(f, r, text, text);
	}
	note_result(c, call, r);
	if (text.p == c->text.p) {	/* out of the way */
		struct buf b = c->tmp;

		c->tmp = c->text;
		c->text = b;
	}
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
