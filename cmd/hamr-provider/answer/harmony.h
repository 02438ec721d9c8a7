/* harmony.h - gpt-oss answers whose server left the channels in the content.
 *
 *	<|channel|>analysis<|message|>A<|end|>		reasoning A
 *	<|start|>assistant<|channel|>final<|message|>B	content B
 *	<|channel|>commentary to=functions.N <|constrain|>json<|message|>{...}
 *	<|call|>					a call of N
 *	 to=functions.N<|channel|>commentary<|message|>{...}	the same
 *
 * Only content that begins with such a tag is read this way.  Calls come out
 * as content in the hermes dialect, for dialect.h to parse.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "reasoning.h"

enum harmony_state { HARMONY_START, HARMONY_OFF, HARMONY_HEADER,
	HARMONY_BODY };

/* Zero it, then set emit, ctx and held's ceiling. */
struct harmony {
	reasoning_fn *emit;	/* of content and reasoning */
	void *ctx;
	enum harmony_state state;
	enum reasoning_kind kind;	/* of the current body */
	bool call;		/* it is a call's arguments */
	bool said;		/* there was content before this body */
	bool empty;		/* nothing of this body yet */
	bool headed;		/* a complete header was read */
	struct buf held;
};

void harmony_feed(struct harmony *h, struct slice text);
/* End the content.  cut (by length, or broken off): an unfinished call stays
 * open. */
void harmony_end(struct harmony *h, bool cut);
