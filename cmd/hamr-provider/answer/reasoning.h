/* reasoning.h - split off the reasoning that a server leaves in the content.
 *
 * Fed with the content as it arrives (decoded UTF-8, cut anywhere, even within
 * a tag), it passes on every piece as content or reasoning, in order, as soon
 * as it is certain which; what may still become a tag is held back.  Forms:
 *
 *	<think>A</think>B	reasoning A, content B
 *	<think>A		(unclosed)  reasoning A
 *	A</think>B		(the template wrote the opening tag)  A went
 *				out as content already: SPLIT_RECLASSIFY, then
 *				content B
 *
 * Mistral's [THINK]A[/THINK]B, Gemma 4's <|channel>thought A<channel|>B and the
 * other pairs of reasoning.c are the same.
 *
 * White space after a closing tag and before the content is dropped, and
 * white space at both ends of the reasoning.  An opening tag counts at the
 * start of the content (white space before it is dropped), at the start of a
 * line, and within a line if a closing one follows; a closing tag without an
 * opening one only as the first of the content.  Within code, and within a
 * call that is written as text, they are text.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"

enum reasoning_kind {
	SPLIT_CONTENT,
	SPLIT_REASONING,
	SPLIT_RECLASSIFY	/* all content handed on so far was reasoning
				 * (s is empty); happens at most once */
};

/* s is valid during the call; it is empty only for SPLIT_RECLASSIFY. */
typedef void reasoning_fn(void *ctx, enum reasoning_kind kind, struct slice s);

/* Does what was emitted end within a call that is written as text? */
typedef bool reasoning_call_fn(void *ctx);

struct reasoning;

struct reasoning *reasoning_new(reasoning_fn *emit,
    reasoning_call_fn *in_call, void *ctx);
void reasoning_free(struct reasoning *t);

/* The server sends reasoning separately, so the content so far was not
 * reasoning: a closing tag without an opening one is text. */
void reasoning_is_apart(struct reasoning *t);

void reasoning_feed(struct reasoning *t, struct slice text);
/* End the content: pass on what was held.  True: it ended in reasoning. */
bool reasoning_end(struct reasoning *t);
