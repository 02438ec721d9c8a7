/* harmony.h - gpt-oss answers whose channels a server left in the content.
 *
 *	<|channel|>analysis<|message|>A<|end|>		reasoning A
 *	<|start|>assistant<|channel|>final<|message|>B	content B
 *	<|channel|>commentary to=functions.N <|constrain|>json<|message|>{...}
 *	<|call|>					a call of N
 *	 to=functions.N<|channel|>commentary<|message|>{...}	the same
 *
 * Only content that begins with such a tag is read so.  Calls come out as
 * content in the hermes dialect, so that dialect.h judges them.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"

enum harmony_state { HARMONY_START, HARMONY_OFF, HARMONY_HEADER,
	HARMONY_BODY };
enum harmony_kind { HARMONY_CONTENT, HARMONY_REASONING, HARMONY_CALL };

/* What comes out; kind is content or reasoning, s never empty. */
typedef void harmony_fn(void *ctx, enum harmony_kind kind, struct slice s);

/* Zero it; set emit, ctx and held's ceiling.  Before the next answer held is
 * emptied, and state, said and headed are zero again. */
struct harmony {
	harmony_fn *emit;
	void *ctx;
	enum harmony_state state;
	enum harmony_kind kind;	/* of the body in hand */
	bool said;		/* content, before this body */
	bool empty;		/* nothing of this body yet */
	bool headed;		/* a header was whole */
	struct buf held;
};

void harmony_feed(struct harmony *h, struct slice text);
/* Cut by length or broken, a call in hand stays open. */
void harmony_end(struct harmony *h, bool cut);
