/* dialect.h - tool calls that a model writes as text, lifted and rendered.
 *
 * Fed with the content (behind reasoning.h), cut anywhere, it hands on the text
 * that is certainly text, and the calls that are certainly calls, in order.
 * Dialects (notes in hamr-provider(1)):
 *
 *	hermes		<tool_call>{"name":N,"arguments":{...}}</tool_call>
 *	qwen3-coder	<tool_call><function=N><parameter=K>V</parameter>
 *			</function></tool_call>; the leading <tool_call>,
 *			</function>, and the closing tags at the very end may
 *			be missing
 *	the others	see internal.h
 *
 * Values are raw text, no XML: the last fitting closing tag counts.  They are
 * coerced by the schema of the tool (integer, number, boolean, array, object,
 * null when it fits, else a string).  Nothing is lifted out of a code fence
 * (``` or ~~~) of the answer, but out of one of tool_code, by the dialect json,
 * and by auto where fences of json are all of it.  DIALECT_AUTO reads every
 * dialect but lifts only names that stand in tools (any other block is text); a
 * named dialect lifts any name.  White space between blocks, and between text
 * and a block, is dropped, except that between two texts the longest run of it
 * around the blocks stays.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"

enum dialect_kind { DIALECT_AUTO, DIALECT_NONE, DIALECT_HERMES,
	DIALECT_QWEN3, DIALECT_LLAMA3, DIALECT_MISTRAL, DIALECT_DEEPSEEK,
	DIALECT_GLM, DIALECT_KIMI, DIALECT_MINIMAX, DIALECT_PYTHONIC,
	DIALECT_GEMMA, DIALECT_JSON };

/* By the name in tool_dialect: auto, none, hermes, qwen3-coder, llama3,
 * mistral, deepseek, glm, kimi, minimax, pythonic, gemma, json (fenced is
 * another name of it); -1 for any other name. */
int dialect_named(const char *name);

/* What it finds.  Slices are valid during the call. */
struct dialect_out {
	void (*text)(void *ctx, struct slice s);	/* never empty */
	/* name decoded; args the text of a JSON object (checked), which for
	 * hermes are the model's own bytes */
	void (*call)(void *ctx, struct slice name, struct slice args);
	/* a block that is meant as a call and cannot be lifted: the answer
	 * becomes an error malformed_tool_call with this text */
	void (*malformed)(void *ctx, struct slice block);
};

struct dialect;

struct dialect *dialect_new(enum dialect_kind kind,
    const struct dialect_out *out, void *ctx);	/* *out is copied */
void dialect_free(struct dialect *d);

/* The next answer begins.  tools: the JSON array sent (checked, borrowed
 * until the next dialect_reset), or {NULL, 0}. */
void dialect_reset(struct dialect *d, struct slice tools);

void dialect_feed(struct dialect *d, struct slice text);

/* The content is at its end.  cut: by length; then an incomplete last block
 * is dropped.  Returns how many blocks were dropped (0 or 1).  Not cut, an
 * incomplete block that can be read as a whole call (only closing tags are
 * missing) is lifted, any other is malformed(). */
unsigned dialect_end(struct dialect *d, bool cut);

/* For servers without tools of their own (any kind but auto and none): append
 * the messages (a JSON array as request.messages) as another JSON array, in
 * which the descriptions of tools stand at the end of the system message
 * (which is added if there is none), calls in the assistant's content, and
 * results in user messages, <tool_response> blocks. Results that follow each
 * other share a user message. Appending messages appends to the output, but
 * for its last message. Messages without calls or results are carried byte for
 * byte. forbidden (tool_choice "none"): a last message says that no tool may
 * be called now. */
void dialect_render(enum dialect_kind kind, struct slice messages,
    struct slice tools, bool forbidden, struct buf *out);
