/* dialect_in.h - what the readers of the dialects owe to dialect.c.
 *
 * A reader looks at the bytes held, which begin with its block and only grow
 * (it remembers how far it has looked), until it can tell what the block is.
 */
#ifndef PROVIDER_DIALECT_IN_H
#define PROVIDER_DIALECT_IN_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "scan.h"

enum block_end { BLOCK_GROWS, BLOCK_STOPS, BLOCK_CUT };	/* more to come? */

enum block_said {
	BLOCK_MORE,		/* not to be told yet */
	BLOCK_CALL,		/* a call; it ends at *end */
	BLOCK_BROKEN,		/* meant as a call, but none; ends at *end */
	BLOCK_JUNK,		/* none either; ends at the next closing tag */
	BLOCK_OPEN		/* the bytes are at their end, the block not */
};

/* What was read: the name decoded, arguments as the text of an object. */
struct block_call {
	struct buf name, args;
};

/* No more white space than this stands within a block. */
#define BLOCK_WHITE_MAX 4096

/* ---- hermes: the block's JSON object begins at held[at] ---- */

struct hermes {
	size_t at, pos;
	size_t object_end;	/* 0: not yet */
	size_t depth;
	bool in_string, escaped;
};

void hermes_begin(struct hermes *h, size_t at);
enum block_said hermes_read(struct hermes *h, struct slice held,
    enum block_end e, struct scan *sc, struct block_call *call, size_t *end);
/* The call that a whole JSON object says; false: none. */
bool hermes_object(struct slice object, struct scan *sc,
    struct block_call *call);
/* The name in a broken object, as well as it can be told. */
bool hermes_name(struct slice block, struct buf *out);

/* ---- qwen3-coder: <function= begins at held[at] ---- */

enum qwen_kind { Q_NONE, Q_CALL, Q_CALL_END, Q_FUNC, Q_FUNC_END, Q_PARAM,
	Q_PARAM_END };

struct qwen_tag {
	enum qwen_kind kind;
	size_t start, end;
	bool ours;		/* of our call's own function */
};

struct qwen_param {
	size_t key, key_end, val, val_end;
};

struct qwen3 {
	size_t at, pos;
	bool led;		/* by <tool_call> */
	bool flat;		/* what looks nested is text */
	size_t depth;		/* functions open within a value */
	bool nested;		/* there was one */
	long opened;		/* <tool_call> less </tool_call> */
	struct qwen_tag prev;
	size_t name, name_end;
	struct qwen_param *v;
	size_t n, cap;
	size_t shut;		/* where the last value ends, if the block
				 * ends at end; 0: no end seen */
	size_t end, val_end;
};

void qwen3_begin(struct qwen3 *q, size_t at, bool led);
void qwen3_release(struct qwen3 *q);
/* tools: for the schema that values are coerced by. */
enum block_said qwen3_read(struct qwen3 *q, struct slice held,
    enum block_end e, struct slice tools, struct scan *sc,
    struct block_call *call, size_t *end);

/* Is p the beginning of a tag <function=NAME>?  1: all of it, and *n is its
 * length; -1: may be; 0: no. */
int qwen3_opening(struct slice s, size_t *n);

/* ---- tools ---- */

/* The "function" of the tool of this name (decoded), or {NULL, 0}. */
struct slice tools_find(struct slice tools, struct slice name);
/* Append text as JSON: the value its parameter's schema asks for when it can
 * be read as one, else a string.  fn as from tools_find. */
void tools_coerce(struct slice fn, struct slice tool, struct slice key,
    struct slice text, struct scan *sc, struct buf *out);

/* Is s a beginning of tag, or does it begin with it?  1 it begins with it,
 * -1 it is a piece of it (or empty), 0 neither. */
int tag_match(struct slice s, const char *tag);

static inline bool
is_white(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* s from byte at on. */
static inline struct slice
slice_from(struct slice s, size_t at)
{
	return (struct slice){ s.p + at, s.n - at };
}

#endif
