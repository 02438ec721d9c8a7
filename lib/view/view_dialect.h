/* view_dialect.h - calls and results that stand in the text of messages.
 *
 * Chat logs of models without native calls: an assistant writes blocks
 * <tool_call>...</tool_call> at the end of its message, a user message answers
 * with blocks <tool_response>...</tool_response>.  Their inside is a JSON
 * object with name and arguments (Hermes, Qwen), or <function=NAME> and
 * <parameter=KEY> (Qwen3-Coder).  No XML parser: values are raw text.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* A quick look at a content value: is it worth decoding? */
bool dialect_may(struct slice content);

/* Does the text end with a block of a call? */
bool dialect_has_calls(struct slice text);

struct dialect_call {
	struct buf name, args;	/* JSON: a string, an object's text quoted */
	struct slice block;	/* what stands between the tags, trimmed */
	bool tags;		/* it is <function=NAME>, not JSON */
};

/* The next call; *at starts at 0.  False: none is left. */
bool dialect_call(struct slice text, size_t *at, struct dialect_call *c);

/* Append what stands between the tags of a call, as dialect_call read it, with
 * other arguments: a JSON object. */
void dialect_write(const struct dialect_call *c, struct slice args,
    struct buf *out);

/* Does the text begin with a result?  Then one after the other; at the end
 * *at is where other text begins, or text.n. */
bool dialect_is_result(struct slice text);
bool dialect_result(struct slice text, size_t *at, struct slice *block);
