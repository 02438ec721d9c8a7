/* think.h - reasoning that a server leaves in the content, split off.
 *
 * Fed with the content as it comes (decoded UTF-8, cut anywhere, also within
 * a tag), it hands every piece on as content or reasoning, in order, as soon
 * as it is certain which; what may still become a tag is held back.  Forms:
 *
 *	<think>A</think>B	reasoning A, content B
 *	<think>A		(unclosed)  reasoning A
 *	A</think>B		(the template wrote the opening tag)  A went
 *				out as content already: THINK_TAKE_BACK, then
 *				content B
 *
 * White space behind a closing tag and before the content is dropped, and
 * white space at both ends of the reasoning.  An opening tag counts at the
 * start of the content (white space before it is dropped), at the start of a
 * line, and amidst a line if a closing one follows; a closing tag without an
 * opening one only as the first of the content.  Within code, and within a
 * call that is written as text, they are text.
 */
#ifndef PROVIDER_THINK_H
#define PROVIDER_THINK_H

#include "buf.h"

enum think_kind {
	THINK_CONTENT,
	THINK_REASONING,
	THINK_TAKE_BACK		/* all content handed on so far was reasoning
				 * (s is empty); happens at most once */
};

/* s is valid during the call and never empty, but for THINK_TAKE_BACK. */
typedef void think_fn(void *ctx, enum think_kind kind, struct slice s);

struct think;

struct think *think_new(think_fn *emit, void *ctx);
void think_free(struct think *t);
void think_reset(struct think *t);		/* as new: the next answer */

void think_feed(struct think *t, struct slice text);
void think_end(struct think *t);		/* what was held back, out */

#endif
