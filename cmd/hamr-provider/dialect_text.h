/* dialect_text.h - the text between calls, and where it is code.
 *
 * White space next to a block is dropped, but that the longest of it around
 * the blocks between two texts stays between them.
 */
#ifndef PROVIDER_DIALECT_TEXT_H
#define PROVIDER_DIALECT_TEXT_H

#include <stdbool.h>

#include "buf.h"
#include "fence.h"

struct dialect_text {
	void (*emit)(void *ctx, struct slice s);	/* never empty */
	void *ctx;
	struct buf ready;	/* to hand on */
	struct buf white;	/* white space that text has ended with */
	struct buf apart;	/* the longest of it around the last blocks */
	bool after_block, said;	/* said: text was handed on */
	struct fence fence;
};

void dialect_text_init(struct dialect_text *t);
void dialect_text_reset(struct dialect_text *t);
void dialect_text_release(struct dialect_text *t);

void dialect_text_say(struct dialect_text *t, struct slice s);
void dialect_text_flush(struct dialect_text *t);	/* hand on */

/* A block stood here that is no text. */
void dialect_text_block(struct dialect_text *t);

void dialect_text_end(struct dialect_text *t);

/* Is what comes next within code? */
bool dialect_text_is_code(const struct dialect_text *t);

#endif
