/* dialect.h - parse and render tool calls that a model writes as text.
 *
 * Fed with the content (after reasoning.h), cut anywhere, it passes on what is
 * certainly text, and what are certainly calls ("lifts" them), in order.
 * Dialects (notes in hamr-provider(1)):
 *
 *	hermes		<tool_call>{"name":N,"arguments":{...}}</tool_call>
 *	qwen3-coder	<tool_call><function=N><parameter=K>V</parameter>
 *			</function></tool_call>; the leading <tool_call>,
 *			</function>, and the closing tags at the very end may
 *			be missing; also <function=N>{...}</function>
 *	the others	see internal.h
 *
 * Values are raw text, not XML: the last fitting closing tag counts.  They are
 * coerced by the schema of the tool (integer, number, boolean, array, object,
 * null when it fits, else a string).  Nothing is lifted out of code or a
 * quotation, except out of fences (``` or ~~~) by the dialects json and gemma,
 * whose calls are there, and by auto when such fences are the whole answer.
 * DIALECT_AUTO reads every dialect but lifts only names that are in tools (any
 * other block is text); a named dialect lifts any name.  White space between
 * blocks, and between text and a block, is dropped; between two texts the
 * longest run of it around the blocks is kept.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"

enum dialect_kind { DIALECT_AUTO, DIALECT_NONE, DIALECT_HERMES,
	DIALECT_QWEN3, DIALECT_LLAMA3, DIALECT_MISTRAL, DIALECT_DEEPSEEK,
	DIALECT_GLM, DIALECT_KIMI, DIALECT_MINIMAX, DIALECT_PYTHONIC,
	DIALECT_GEMMA, DIALECT_JSON };

/* Find a dialect by one of its names in provider.tool_dialect. */
enum dialect_kind dialect_named(const char *name);

/* Callbacks for what is found.  Slices are valid during the call. */
struct dialect_out {
	void (*text)(void *ctx, struct slice s);	/* never empty */
	/* name decoded; args: the text of a checked JSON object, for hermes
	 * the model's own bytes */
	void (*call)(void *ctx, struct slice name, struct slice args);
	/* a block that is meant as a call but cannot be lifted: the answer
	 * becomes the error malformed_tool_call with this text */
	void (*malformed)(void *ctx, struct slice block);
};

struct dialect;

/* tools: the JSON array sent (checked, borrowed), or {NULL, 0}.  *out is
 * copied.  The caller frees it with dialect_free, which takes NULL. */
struct dialect *dialect_new(enum dialect_kind kind, struct slice tools,
    const struct dialect_out *out, void *ctx);
void dialect_free(struct dialect *d);

void dialect_feed(struct dialect *d, struct slice text);

/* Does the text so far end within a call? */
bool dialect_in_call(struct dialect *d);

/* End the content.  cut (by length): an incomplete last block is dropped.
 * Otherwise an incomplete block that reads as a complete call (only closing
 * tags are missing) is lifted, and any other goes to malformed().  Returns how
 * many blocks were dropped (0 or 1). */
unsigned dialect_end(struct dialect *d, bool cut);

/* For servers without tool support (any kind but auto and none): append legal
 * messages (request/messages.h) as another JSON array, with the tools described
 * at the end of the system message (added if there is none), calls in the
 * assistant's content, and results in user messages as <tool_response> blocks.
 * Consecutive results share a user message.  Appending messages to the input
 * only appends to the output, except for its last message.  Messages without
 * calls or results are copied byte for byte. */
void dialect_render(enum dialect_kind kind, struct slice messages,
    struct slice tools, struct buf *out);
