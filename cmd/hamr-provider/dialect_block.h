/* dialect_block.h - what becomes of a block that has begun; of dialect.c only.
 *
 * The bytes held begin with the block.  Each step hands some of them on, as a
 * call, as text or as malformed, or says that it needs more.
 */
#ifndef PROVIDER_DIALECT_BLOCK_H
#define PROVIDER_DIALECT_BLOCK_H

#include "dialect.h"
#include "dialect_in.h"
#include "dialect_region.h"
#include "dialect_text.h"

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

/* The bytes that are not handed on yet. */
static inline struct slice
dialect_rest(const struct dialect *d)
{
	if (d->in.len == d->pos)
		return SLICE("");
	return slice_from(buf_view(&d->in), d->pos);
}

static inline bool
dialect_reads(const struct dialect *d, enum dialect_kind kind)
{
	return d->kind == DIALECT_AUTO || d->kind == kind;
}

/* Is there a tool that could be called? */
bool dialect_has_tools(const struct dialect *d);
struct region_place dialect_place(const struct dialect *d);

/* The first n bytes are a call (d->call), or one that cannot be read. */
void block_is_call(struct dialect *d, size_t n);
void block_is_broken(struct dialect *d, size_t n);
/* The bytes end in mid-block: how many calls are dropped. */
unsigned block_is_open(struct dialect *d, enum block_end e);

/* No call: it ends at its closing tag.  False: more bytes are needed. */
void block_into_junk(struct dialect *d);
bool block_in_junk(struct dialect *d, enum block_end e);

/* A block that is read whole.  False: more bytes are needed. */
void block_into_region(struct dialect *d, const struct region *r);
bool block_in_region(struct dialect *d, enum block_end e,
    unsigned *dropped);

#endif
