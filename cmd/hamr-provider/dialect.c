/* dialect.c - tool calls that a model writes as text, found and handed on. */
#include <stdlib.h>
#include <string.h>

#include "dialect.h"
#include "dialect_in.h"
#include "dialect_region.h"
#include "dialect_text.h"
#include "mem.h"

#define CALL "<tool_call>"
#define CALL_END "</tool_call>"
#define FUNC "<function="
#define FUNC_END "</function>"

/* Blocks that had to be read twice, in one answer: more is an attack. */
#define AGAIN_MAX 64

enum state {
	IN_TEXT,
	AT_CALL,		/* <tool_call>, and not yet known what */
	IN_HERMES,
	IN_QWEN3,
	IN_REGION,		/* read when it is whole */
	IN_JUNK			/* no call; up to its closing tag */
};

struct dialect {
	enum dialect_kind kind;
	struct dialect_out out;
	void *ctx;
	struct slice tools;
	enum state state;
	struct buf in;		/* what is not handed on yet */
	size_t pos;		/* of it; a block begins here */
	size_t looked;		/* IN_JUNK, IN_REGION: so far, from pos */
	const struct region *region;
	const char *closing;	/* IN_JUNK: its closing tag */
	struct hermes hermes;
	struct qwen3 qwen3;
	struct block_call call;
	struct scan scan;
	struct dialect_text text;
	unsigned again;
};

int
dialect_named(const char *name)
{
	static const char *const names[] = { "auto", "none", "hermes",
		"qwen3-coder", "llama3", "mistral", "deepseek", "glm", "kimi",
		"minimax", "pythonic", "json" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(name, names[i]) == 0)
			return (int)i;
	return strcmp(name, "fenced") == 0 ? DIALECT_JSON : -1;
}

struct dialect *
dialect_new(enum dialect_kind kind, const struct dialect_out *out, void *ctx)
{
	struct dialect *d = xcalloc(1, sizeof *d);

	d->kind = kind;
	d->out = *out;
	d->ctx = ctx;
	buf_init(&d->in, BUF_RECORD_MAX);
	buf_init(&d->call.name, BUF_RECORD_MAX);
	buf_init(&d->call.args, BUF_RECORD_MAX);
	d->text.emit = out->text;
	d->text.ctx = ctx;
	dialect_text_init(&d->text);
	return d;
}

void
dialect_free(struct dialect *d)
{
	if (d == NULL)
		return;
	buf_release(&d->in);
	buf_release(&d->call.name);
	buf_release(&d->call.args);
	dialect_text_release(&d->text);
	qwen3_release(&d->qwen3);
	scan_release(&d->scan);
	free(d);
}

void
dialect_reset(struct dialect *d, struct slice tools)
{
	d->tools = tools;
	d->state = IN_TEXT;
	buf_reset(&d->in);
	dialect_text_reset(&d->text);
	d->pos = d->looked = 0;
	d->again = 0;
}

static struct slice
rest_of(const struct dialect *d)
{
	if (d->in.len == d->pos)
		return SLICE("");
	return slice_from(buf_view(&d->in), d->pos);
}

/* ---- which blocks are meant ---- */

static bool
reads(const struct dialect *d, enum dialect_kind kind)
{
	return d->kind == DIALECT_AUTO || d->kind == kind;
}

/* auto lifts only what the tools have. */
static bool
is_tool(const struct dialect *d, struct slice name)
{
	return d->kind != DIALECT_AUTO || tools_find(d->tools, name).p != NULL;
}

static bool
has_tools(const struct dialect *d)
{
	struct slice key, val;
	struct walk w;

	if (d->kind != DIALECT_AUTO)
		return true;
	if (scan_kind(d->tools) != SCAN_ARRAY)
		return false;
	walk_in(&w, d->tools);
	return walk_next(&w, &key, &val);
}

/* Would this block, which cannot be lifted, have been a call? */
static bool
is_meant(struct dialect *d, struct slice block)
{
	size_t n, at = 0;

	if (tag_match(block, CALL) == 1)
		for (at = strlen(CALL); at < block.n &&
		    is_white(block.p[at]); at++)
			;
	if (qwen3_opening(slice_from(block, at), &n) == 1) {
		at += strlen(FUNC);
		return is_tool(d, (struct slice){ block.p + at,
		    n - strlen(FUNC) - 1 });
	}
	buf_reset(&d->call.name);
	if (hermes_name(block, &d->call.name))
		return is_tool(d, buf_view(&d->call.name));
	/* a mention: "within <tool_call></tool_call> tags" */
	if (tag_match(slice_from(block, at), CALL_END) == 1)
		return false;
	return has_tools(d);
}

/* ---- blocks ---- */

static void
leave(struct dialect *d, size_t n)
{
	d->pos += n;
	d->state = IN_TEXT;
}

static void
on_call(struct dialect *d, size_t n)
{
	if (is_tool(d, buf_view(&d->call.name))) {
		dialect_text_block(&d->text);
		d->out.call(d->ctx, buf_view(&d->call.name),
		    buf_view(&d->call.args));
	} else
		dialect_text_say(&d->text, (struct slice){ rest_of(d).p, n });
	leave(d, n);
}

static void
on_broken(struct dialect *d, size_t n)
{
	struct slice block = { rest_of(d).p, n };

	if (is_meant(d, block)) {
		dialect_text_block(&d->text);
		d->out.malformed(d->ctx, block);
	} else
		dialect_text_say(&d->text, block);
	leave(d, n);
}

static void
into_junk(struct dialect *d)
{
	d->closing = tag_match(rest_of(d), CALL) == 1 ? CALL_END : FUNC_END;
	d->state = IN_JUNK;
	d->looked = 1;
}

/* False when more bytes are needed. */
static bool
in_junk(struct dialect *d, enum block_end e)
{
	struct slice s = rest_of(d);
	size_t n = strlen(d->closing), from = d->looked;
	const char *p;

	/* <function=NAME> of another tool can never be a call */
	if (d->closing[2] == 'f' && !is_meant(d, s)) {
		dialect_text_say(&d->text, (struct slice){ s.p, 1 });
		leave(d, 1);
		return true;
	}
	p = from < s.n ? memmem(s.p + from, s.n - from, d->closing, n) : NULL;
	if (p != NULL) {
		on_broken(d, (size_t)(p - s.p) + n);
		return true;
	}
	if (e == BLOCK_GROWS) {
		d->looked = s.n > n ? s.n - n : 1;
		return false;
	}
	/* never closed: somebody wrote about the tag */
	dialect_text_say(&d->text, (struct slice){ s.p, 1 });
	leave(d, 1);
	d->again++;
	return true;
}

/* The bytes end in mid-block; the answer's last one, cut or left open. */
static unsigned
on_open(struct dialect *d, enum block_end e)
{
	struct slice s = rest_of(d);
	const char *p;

	if (e == BLOCK_CUT && is_meant(d, s)) {
		dialect_text_block(&d->text);
		leave(d, s.n);
		return 1;
	}
	/* a quote too many: what follows the block is not part of it */
	p = d->again++ < AGAIN_MAX && d->state == IN_HERMES ?
	    memmem(s.p, s.n, CALL_END, strlen(CALL_END)) : NULL;
	on_broken(d, p != NULL ? (size_t)(p - s.p) + strlen(CALL_END) : s.n);
	return 0;
}

/* ---- blocks that are read whole ---- */

static struct region_place
place(const struct dialect *d)
{
	return (struct region_place){ .kind = d->kind, .tools = d->tools,
		.first = !d->text.said,
		.line = fence_line_start(&d->text.fence) };
}

static void
into_region(struct dialect *d, const struct region *r)
{
	d->region = r;
	d->state = IN_REGION;
	d->looked = 1;
}

static void
no_region(struct dialect *d)
{
	dialect_text_say(&d->text, (struct slice){ rest_of(d).p, 1 });
	leave(d, 1);
	d->again++;
}

static void
hand_on(struct dialect *d, const struct region_calls *calls)
{
	dialect_text_block(&d->text);
	for (size_t i = 0; i < calls->n; i++)
		d->out.call(d->ctx, buf_view(&calls->v[i].name),
		    buf_view(&calls->v[i].args));
}

static bool
all_tools(const struct dialect *d, const struct region_calls *calls)
{
	for (size_t i = 0; i < calls->n; i++)
		if (!is_tool(d, buf_view(&calls->v[i].name)))
			return false;
	return true;
}

/* The block is there, or as much of it as there will be (cut). */
static unsigned
read_region(struct dialect *d, size_t n, bool cut)
{
	struct slice block = { rest_of(d).p, n };
	struct region_calls calls = { NULL, 0, 0 };
	size_t used = 0;
	enum region_said said = d->region->read(block, d->tools, &d->scan,
	    &calls, &used);
	unsigned dropped = 0;

	if (said == REGION_CALLS && all_tools(d, &calls)) {
		hand_on(d, &calls);
		leave(d, used);
	} else if (said == REGION_OPEN && cut && all_tools(d, &calls) &&
	    is_meant(d, block)) {
		hand_on(d, &calls);
		leave(d, n);
		dropped = 1;
	} else if (said == REGION_NONE || d->region->weak) {
		no_region(d);
	} else if (said == REGION_CALLS) {
		dialect_text_say(&d->text, (struct slice){ block.p, used });
		leave(d, used);
	} else
		on_broken(d, n);
	region_calls_release(&calls);
	return dropped;
}

/* False when more bytes are needed. */
static bool
in_region(struct dialect *d, enum block_end e, unsigned *dropped)
{
	struct slice s = rest_of(d);
	size_t end = region_end(d->region, s, d->looked), n;

	if (end == 0 && e == BLOCK_GROWS) {
		n = d->region->close != NULL ? strlen(d->region->close) : 0;
		d->looked = s.n > n ? s.n - n : 1;
		return false;
	}
	*dropped += read_region(d, end > 0 ? end : s.n,
	    end == 0 && e == BLOCK_CUT);
	return true;
}

/* What stands behind <tool_call>?  False when more bytes are needed. */
static bool
at_call(struct dialect *d, enum block_end e)
{
	struct slice s = rest_of(d), inner;
	struct region_place here = place(d);
	const struct region *r = NULL;
	size_t at = strlen(CALL), n;
	int m, g;

	while (at < s.n && is_white(s.p[at]))
		at++;
	if (at == s.n && at < BLOCK_WHITE_MAX)
		return false;
	inner = slice_from(s, at);
	if (inner.n > 0 && *inner.p == '{' && reads(d, DIALECT_HERMES)) {
		hermes_begin(&d->hermes, at);
		d->state = IN_HERMES;
		return true;
	}
	m = reads(d, DIALECT_QWEN3) ? qwen3_opening(inner, &n) : 0;
	g = inner.n > 0 ? region_glm(&here, inner, &r) : 0;
	if ((m < 0 && inner.n > 0) || (g < 0 && e != BLOCK_STOPS))
		return false;
	if (g > 0)
		into_region(d, r);
	else if (m > 0) {
		qwen3_begin(&d->qwen3, at, true);
		d->state = IN_QWEN3;
	} else
		into_junk(d);
	return true;
}

/* ---- the walk ---- */

/* What may begin a block.  False when more bytes are needed. */
static bool
opening(struct dialect *d, enum block_end e)
{
	struct slice s = rest_of(d);
	struct region_place here = place(d);
	const struct region *r = NULL;
	int call = 0, func = 0, region = 0;
	size_t n;

	if (!dialect_text_is_code(&d->text) && d->again <= AGAIN_MAX) {
		if (reads(d, DIALECT_HERMES) || reads(d, DIALECT_QWEN3) ||
		    reads(d, DIALECT_GLM))
			call = tag_match(s, CALL);
		if (reads(d, DIALECT_QWEN3))
			func = qwen3_opening(s, &n);
		region = region_opening(&here, s, &r);
	}
	if (region == 1)
		into_region(d, r);
	else if (call == 1)
		d->state = AT_CALL;
	else if (func == 1) {
		qwen3_begin(&d->qwen3, 0, false);
		d->state = IN_QWEN3;
	} else if ((call < 0 || func < 0 || region < 0) && e == BLOCK_GROWS)
		return false;
	else {
		dialect_text_say(&d->text, (struct slice){ s.p, 1 });
		d->pos++;
	}
	return true;
}

static bool
in_text(struct dialect *d, enum block_end e)
{
	struct slice s = rest_of(d);
	size_t n = 0;

	while (n < s.n && memchr("<[{`", s.p[n], 4) == NULL)
		n++;
	if (n > 0) {
		dialect_text_say(&d->text, (struct slice){ s.p, n });
		d->pos += n;
	}
	return n < s.n && opening(d, e);
}

/* One step in a block.  False when more bytes are needed. */
static bool
in_block(struct dialect *d, enum block_end e, unsigned *dropped)
{
	enum block_said said;
	size_t n = 0;

	if (d->state == IN_HERMES)
		said = hermes_read(&d->hermes, rest_of(d), e, &d->scan,
		    &d->call, &n);
	else
		said = qwen3_read(&d->qwen3, rest_of(d), e, d->tools,
		    &d->scan, &d->call, &n);
	d->again += d->state == IN_QWEN3 && d->qwen3.flat;
	switch (said) {
	case BLOCK_CALL:
		on_call(d, n);
		return true;
	case BLOCK_BROKEN:
		on_broken(d, n);
		return true;
	case BLOCK_JUNK:
		into_junk(d);
		return true;
	case BLOCK_OPEN:
		*dropped += on_open(d, e);
		return true;
	case BLOCK_MORE:
		break;
	}
	return false;
}

static unsigned
walk(struct dialect *d, enum block_end e)
{
	unsigned dropped = 0;
	bool more = true;

	while (more && d->pos < d->in.len)
		switch (d->state) {
		case IN_TEXT:
			more = in_text(d, e);
			break;
		case AT_CALL:
			more = at_call(d, e);
			if (!more && e != BLOCK_GROWS) {
				dropped += on_open(d, e);
				more = true;
			}
			break;
		case IN_JUNK:
			more = in_junk(d, e);
			break;
		case IN_REGION:
			more = in_region(d, e, &dropped);
			break;
		default:
			more = in_block(d, e, &dropped);
			break;
		}
	buf_drop(&d->in, d->pos);
	d->pos = 0;
	return dropped;
}

void
dialect_feed(struct dialect *d, struct slice text)
{
	if (d->kind == DIALECT_NONE) {
		if (text.n > 0)
			d->out.text(d->ctx, text);
		return;
	}
	buf_slice(&d->in, text);
	walk(d, BLOCK_GROWS);
	dialect_text_flush(&d->text);
}

/* Cut within the tag that begins a block: that much of it is none. */
static unsigned
drop_piece(struct dialect *d)
{
	struct slice s = rest_of(d);
	struct region_place here = place(d);
	const struct region *r = NULL;
	size_t n;

	if (s.n < 5 || dialect_text_is_code(&d->text) ||
	    !has_tools(d))
		return 0;
	if (tag_match(s, CALL) == 0 && !(reads(d, DIALECT_QWEN3) &&
	    qwen3_opening(s, &n) < 0) && region_opening(&here, s, &r) >= 0)
		return 0;
	buf_reset(&d->in);
	dialect_text_block(&d->text);
	return 1;
}

unsigned
dialect_end(struct dialect *d, bool cut)
{
	unsigned dropped = 0;

	if (d->kind == DIALECT_NONE)
		return 0;
	if (cut && d->state == IN_TEXT)
		dropped = drop_piece(d);
	dropped += walk(d, cut ? BLOCK_CUT : BLOCK_STOPS);
	dialect_text_end(&d->text);
	return dropped;
}
