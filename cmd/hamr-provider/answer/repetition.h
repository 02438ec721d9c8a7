/* repetition.h - detect a model that repeats the same passage.
 *
 * Fed with the text of an answer, cut anywhere.  What counts is a passage of
 * 20 to 2,000 characters that comes limit times in a row and fills 4,000
 * characters, outside code fences: a table of dashes, a refrain or the rows
 * of a CSV file stay below that.  A shorter passage counts as the multiple of
 * it that has 20 characters.  The place where it is found does not depend on
 * how the text was cut.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "dialect/fence.h"

/* Zero it and set limit to begin; free text in the end. */
struct repetition {
	long long limit;	/* 0: off */
	long long times;	/* how often it occurred; 0: not found */
	struct fence fence;
	uint32_t *text;		/* the last n characters */
	size_t n;
	uint32_t partial;	/* of a character that is not whole */
	unsigned more;		/* bytes it still lacks */
	size_t unsearched;	/* characters since the last search */
	size_t period, run;	/* the last run characters have this period;
				 * 0: none known */
};

/* Returns how many of these bytes belong to the answer: all of them, or those
 * up to the end of the last passage allowed.  In the latter case times is set,
 * and the caller must not feed any more. */
size_t repetition_feed(struct repetition *r, const char *p, size_t n);
