/* dialect.c - tool calls that a model writes as text, found and handed on. */
#include <stdlib.h>
#include <string.h>

#include "dialect_block.h"
#include "mem.h"

#define PIECE_MIN 5		/* bytes of a tag that are taken for it */

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

/* What stands behind <tool_call>?  False when more bytes are needed. */
static bool
at_call(struct dialect *d, enum block_end e)
{
	struct slice s = dialect_rest(d), inner;
	struct region_place here = dialect_place(d);
	const struct region *r = NULL;
	size_t at = strlen(CALL), n;
	int m, g;

	while (at < s.n && is_white(s.p[at]))
		at++;
	if (at == s.n && at < BLOCK_WHITE_MAX)
		return false;
	inner = slice_from(s, at);
	if (inner.n > 0 && *inner.p == '{' && dialect_reads(d, DIALECT_HERMES)) {
		hermes_begin(&d->hermes, at);
		d->state = IN_HERMES;
		return true;
	}
	m = dialect_reads(d, DIALECT_QWEN3) ? qwen3_opening(inner, &n) : 0;
	g = inner.n > 0 ? region_glm(&here, inner, &r) : 0;
	if ((m < 0 && inner.n > 0) || (g < 0 && e != BLOCK_STOPS))
		return false;
	if (g > 0)
		block_into_region(d, r);
	else if (m > 0) {
		qwen3_begin(&d->qwen3, at, true);
		d->state = IN_QWEN3;
	} else
		block_into_junk(d);
	return true;
}

/* ---- the walk ---- */

/* What may begin a block.  False when more bytes are needed. */
static bool
opening(struct dialect *d, enum block_end e, unsigned *dropped)
{
	struct slice s = dialect_rest(d);
	struct region_place here = dialect_place(d);
	const struct region *r = NULL;
	int call = 0, func = 0, region = 0;
	size_t n;

	if (!dialect_text_is_code(&d->text) && d->again <= AGAIN_MAX) {
		if (dialect_reads(d, DIALECT_HERMES) || dialect_reads(d, DIALECT_QWEN3) ||
		    dialect_reads(d, DIALECT_GLM))
			call = tag_match(s, CALL);
		if (dialect_reads(d, DIALECT_QWEN3))
			func = qwen3_opening(s, &n);
		region = region_opening(&here, s, &r);
	}
	if (region == 1)
		block_into_region(d, r);
	else if (call == 1)
		d->state = AT_CALL;
	else if (func == 1) {
		qwen3_begin(&d->qwen3, 0, false);
		d->state = IN_QWEN3;
	} else if ((call < 0 || func < 0 || region < 0) && e == BLOCK_GROWS)
		return false;
	else if ((call < 0 || func < 0 || region < 0) && e == BLOCK_CUT &&
	    s.n >= PIECE_MIN && dialect_has_tools(d)) {
		/* that much of a tag is none of the answer's */
		dialect_text_block(&d->text);
		d->pos = d->in.len;
		++*dropped;
	} else {
		dialect_text_say(&d->text, (struct slice){ s.p, 1 });
		d->pos++;
	}
	return true;
}

static bool
in_text(struct dialect *d, enum block_end e, unsigned *dropped)
{
	struct slice s = dialect_rest(d);
	size_t n = 0;

	while (n < s.n && memchr("<[{`", s.p[n], 4) == NULL)
		n++;
	if (n > 0) {
		dialect_text_say(&d->text, (struct slice){ s.p, n });
		d->pos += n;
	}
	return n < s.n && opening(d, e, dropped);
}

/* One step in a block.  False when more bytes are needed. */
static bool
in_block(struct dialect *d, enum block_end e, unsigned *dropped)
{
	enum block_said said;
	size_t n = 0;

	if (d->state == IN_HERMES)
		said = hermes_read(&d->hermes, dialect_rest(d), e, &d->scan,
		    &d->call, &n);
	else
		said = qwen3_read(&d->qwen3, dialect_rest(d), e, d->tools,
		    &d->scan, &d->call, &n);
	d->again += d->state == IN_QWEN3 && d->qwen3.flat;
	switch (said) {
	case BLOCK_CALL:
		block_is_call(d, n);
		return true;
	case BLOCK_BROKEN:
		block_is_broken(d, n);
		return true;
	case BLOCK_JUNK:
		block_into_junk(d);
		return true;
	case BLOCK_OPEN:
		*dropped += block_is_open(d, e);
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
			more = in_text(d, e, &dropped);
			break;
		case AT_CALL:
			more = at_call(d, e);
			if (!more && e != BLOCK_GROWS) {
				dropped += block_is_open(d, e);
				more = true;
			}
			break;
		case IN_JUNK:
			more = block_in_junk(d, e);
			break;
		case IN_REGION:
			more = block_in_region(d, e, &dropped);
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

unsigned
dialect_end(struct dialect *d, bool cut)
{
	unsigned dropped;

	if (d->kind == DIALECT_NONE)
		return 0;
	dropped = walk(d, cut ? BLOCK_CUT : BLOCK_STOPS);
	dialect_text_end(&d->text);
	return dropped;
}
