/* dialect_block.c - what becomes of a block: a call, text, or malformed. */
#include <string.h>

#include "dialect_block.h"

/* ---- which blocks are meant ---- */

/* auto lifts only what the tools have. */
static bool
is_tool(const struct dialect *d, struct slice name)
{
	return d->kind != DIALECT_AUTO || tools_find(d->tools, name).p != NULL;
}

bool
dialect_has_tools(const struct dialect *d)
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
	return dialect_has_tools(d);
}

/* ---- blocks ---- */

static void
leave(struct dialect *d, size_t n)
{
	d->pos += n;
	d->state = IN_TEXT;
}

void
block_is_call(struct dialect *d, size_t n)
{
	if (is_tool(d, buf_view(&d->call.name))) {
		dialect_text_block(&d->text);
		d->out.call(d->ctx, buf_view(&d->call.name),
		    buf_view(&d->call.args));
	} else
		dialect_text_say(&d->text, (struct slice){ dialect_rest(d).p, n });
	leave(d, n);
}

void
block_is_broken(struct dialect *d, size_t n)
{
	struct slice block = { dialect_rest(d).p, n };

	if (is_meant(d, block)) {
		dialect_text_block(&d->text);
		d->out.malformed(d->ctx, block);
	} else
		dialect_text_say(&d->text, block);
	leave(d, n);
}

void
block_into_junk(struct dialect *d)
{
	d->closing = tag_match(dialect_rest(d), CALL) == 1 ? CALL_END : FUNC_END;
	d->state = IN_JUNK;
	d->looked = 1;
}

/* False when more bytes are needed. */
bool
block_in_junk(struct dialect *d, enum block_end e)
{
	struct slice s = dialect_rest(d);
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
		block_is_broken(d, (size_t)(p - s.p) + n);
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
unsigned
block_is_open(struct dialect *d, enum block_end e)
{
	struct slice s = dialect_rest(d);
	const char *p;

	if (e == BLOCK_CUT && is_meant(d, s)) {
		dialect_text_block(&d->text);
		leave(d, s.n);
		return 1;
	}
	/* a quote too many: what follows the block is not part of it */
	p = d->again++ < AGAIN_MAX && d->state == IN_HERMES ?
	    memmem(s.p, s.n, CALL_END, strlen(CALL_END)) : NULL;
	block_is_broken(d, p != NULL ? (size_t)(p - s.p) + strlen(CALL_END) : s.n);
	return 0;
}

/* ---- blocks that are read whole ---- */

struct region_place
dialect_place(const struct dialect *d)
{
	return (struct region_place){ .kind = d->kind, .tools = d->tools,
		.first = !d->text.said,
		.line = fence_line_start(&d->text.fence) };
}

void
block_into_region(struct dialect *d, const struct region *r)
{
	d->region = r;
	d->state = IN_REGION;
	d->looked = 1;
}

static void
no_region(struct dialect *d)
{
	dialect_text_say(&d->text, (struct slice){ dialect_rest(d).p, 1 });
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

/* The bytes were cut off within the block, which cannot be read to its end: is
 * what is missing to be dropped, and not to be kept as text? */
static bool
is_cut_off(struct dialect *d, struct slice block, enum region_said said,
    const struct region_calls *calls)
{
	const struct region *r = d->region;

	if (said == REGION_NONE)
		return !r->weak && region_is_stub(r, block) &&
		    dialect_has_tools(d);
	return (said == REGION_OPEN || (said == REGION_BROKEN && !r->weak)) &&
	    all_tools(d, calls) && is_meant(d, block);
}

/* The block is there, or as much of it as there will be (cut). */
static unsigned
read_region(struct dialect *d, size_t n, bool cut)
{
	struct slice block = { dialect_rest(d).p, n };
	struct region_calls calls = { NULL, 0, 0 };
	size_t used = 0;
	enum region_said said = d->region->read(block, d->tools, &d->scan,
	    &calls, &used);
	unsigned dropped = 0;

	if (said == REGION_UNCLOSED && cut)
		region_drop(&calls);
	if (said == REGION_UNCLOSED)
		said = cut ? REGION_OPEN : REGION_CALLS;
	if (said == REGION_CALLS && all_tools(d, &calls)) {
		hand_on(d, &calls);
		leave(d, used);
	} else if (cut && is_cut_off(d, block, said, &calls)) {
		hand_on(d, &calls);
		leave(d, n);
		dropped = 1;
	} else if (said == REGION_NONE || d->region->weak) {
		no_region(d);
	} else if (said == REGION_CALLS) {
		dialect_text_say(&d->text, (struct slice){ block.p, used });
		leave(d, used);
	} else
		block_is_broken(d, n);
	region_calls_release(&calls);
	return dropped;
}

/* False when more bytes are needed. */
bool
block_in_region(struct dialect *d, enum block_end e, unsigned *dropped)
{
	struct slice s = dialect_rest(d);
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
