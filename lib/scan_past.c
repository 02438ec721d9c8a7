/* scan_past.c - what the last text and this one begin with is checked once.
 *
 * A conversation's request is sent anew at each step, and all but its last
 * messages are those of the step before.  The bytes of its first long array
 * are kept up to the end of an element; a text that has the same bytes there
 * goes on behind them, as the scanner's state depends on nothing else.
 */
#include <stdlib.h>

#include "mem.h"
#include "scan_in.h"

#define MOST ((size_t)16 << 20)	/* larger ones are checked whole each time */
#define STRIDE ((size_t)4096)	/* memcmp looks at this much at a time */

static size_t
same_bytes(const char *a, const char *b, size_t n)
{
	size_t i = 0;

	while (n - i >= STRIDE && memcmp(a + i, b + i, STRIDE) == 0)
		i += STRIDE;
	while (i < n && a[i] == b[i])
		i++;
	return i;
}

/* How many of the elements' ends lie within the first n bytes. */
static size_t
ends_within(const struct scan_past *past, size_t n)
{
	size_t lo = 0, hi = past->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (past->ends[mid] <= n)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

void
scan_past_open(struct scan *s)
{
	struct scan_past *past = &s->past;
	size_t open = (size_t)(s->p - s->start);
	size_t n = (size_t)(s->end - s->start), same = 0;

	past->on = true;
	if (n > past->bytes.len)
		n = past->bytes.len;
	if (open == past->open)
		same = same_bytes(past->bytes.p, s->start, n);
	past->open = open;
	past->n = ends_within(past, same);
	past->bytes.len = past->n > 0 ? past->ends[past->n - 1] : 0;
	if (past->n > 0)
		s->p = s->start + past->bytes.len;
}

void
scan_past_end(struct scan *s)
{
	struct scan_past *past = &s->past;

	if (past->n == past->cap)
		past->ends = xgrow(past->ends, past->n, &past->cap,
		    sizeof *past->ends);
	past->ends[past->n++] = (size_t)(s->p - s->start);
}

void
scan_past_close(struct scan *s)
{
	struct scan_past *past = &s->past;
	size_t have = past->bytes.len;

	if (past->n == 0)
		return;
	past->bytes.max = MOST;
	buf_add(&past->bytes, s->start + have, past->ends[past->n - 1] - have);
	if (past->bytes.over) {
		buf_release(&past->bytes);
		past->n = 0;
	}
}

void
scan_past_release(struct scan *s)
{
	free(s->past.ends);
	buf_release(&s->past.bytes);
}
