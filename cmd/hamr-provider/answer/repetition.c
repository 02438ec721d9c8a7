/* repetition.c - detect a model that repeats the same passage.
 *
 * A run of equal passages is a stretch of text with a period.  Every STEP
 * characters we look for the shortest period of the last WINDOW characters;
 * once it is known, we compare each further character with the one a period
 * before.  The cost per character has a bound, whatever the text is.
 */
#include <string.h>

#include "base/mem.h"

#include "repetition.h"

#define PASSAGE_MIN 20
#define PASSAGE_MAX 2000
#define RUN_MIN 4000
#define STEP 500		/* a search falls within each run of */
#define WINDOW (RUN_MIN - STEP)	/* RUN_MIN, so that none is missed */
#define KEPT 8192		/* characters, at most ... */
#define CARRIED (KEPT / 2)	/* ... and at least: more than WINDOW */

/* Look for the shortest period of the last WINDOW characters. */
static void
search(struct repetition *r)
{
	size_t i = r->n - WINDOW, period = 1;
	const uint32_t *s = r->text + i;

	while (memcmp(s, s + period, (WINDOW - period) * sizeof *s) != 0)
		if (++period > PASSAGE_MAX)
			return;
	while (i > 0 && r->text[i - 1] == r->text[i - 1 + period])
		i--;
	r->period = period;
	r->run = r->n - i;
}

/* Add a character; does it end a passage beyond the limit? */
static bool
add(struct repetition *r, uint32_t c)
{
	if (r->n == KEPT) {
		memmove(r->text, r->text + r->n - CARRIED,
		    CARRIED * sizeof *r->text);
		r->n = CARRIED;
	}
	r->text[r->n++] = c;
	if (r->period > 0 && c == r->text[r->n - 1 - r->period])
		r->run++;
	else
		r->period = 0;
	if (++r->unsearched >= STEP) {
		r->unsearched = 0;
		if (r->period == 0 && r->n >= WINDOW)
			search(r);
	}
	if (r->period == 0 || r->run < RUN_MIN)
		return false;
	size_t passage = r->period;
	if (passage < PASSAGE_MIN)
		passage *= (PASSAGE_MIN + passage - 1) / passage;
	if (r->run / passage < (unsigned long long)r->limit)
		return false;
	r->times = (long long)(r->run / passage);
	return true;
}

size_t
repetition_feed(struct repetition *r, const char *p, size_t n)
{
	if (r->limit <= 0)
		return n;
	if (r->text == NULL)
		r->text = xmalloc(KEPT * sizeof *r->text);
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)p[i];

		fence_feed(&r->fence, p + i, 1);
		if (fence_in(&r->fence)) {
			r->n = r->unsearched = r->period = 0;
			r->more = 0;
			continue;
		}
		if (r->more > 0 && (c & 0xc0) == 0x80) {
			r->partial = r->partial << 6 | (c & 0x3f);
			r->more--;
		} else {
			r->partial = c;
			r->more = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : c >= 0xc0;
		}
		if (r->more == 0 && add(r, r->partial))
			return i + 1;
	}
	return n;
}
