/* lane_rule.c - what a named rule would send, known by sums.
 *
 * Each of its requests is the plain view with the results before one message
 * masked: to make it would cost all that was said, at each step.
 */
#include <stdlib.h>

#include "mem.h"
#include "msg.h"

#include "lane.h"

void
ruled_init(struct ruled *r)
{
	*r = (struct ruled){ .first = SIZE_MAX, .same = SIZE_MAX };
}

void
ruled_release(struct ruled *r)
{
	free(r->masked);
	ruled_init(r);
}

void
ruled_changed(struct ruled *r, size_t first, size_t same)
{
	if (r->from > first)
		r->from = first;	/* to be masked again */
	if (first < r->first)
		r->first = first;
	if (same < r->same)
		r->same = same;
}

/* ---- the rules ---- */

/* The first message from which results are shown. */
static size_t
border(enum lane_rule rule, const struct shot *plain)
{
	size_t i = plain->n, n = 0, want = rule == LANE_LAST5 ? 5 : 10;

	if (rule == LANE_RAW)
		return 0;
	while (i > 0 && n < want) {
		i--;
		if (rule == LANE_LAST5)
			n += plain->m[i].role == 't';
		else
			n += plain->m[i].role == 'a' && i + 1 < plain->n &&
			    plain->m[i + 1].role == 't';
	}
	return i;
}

/* What stands for a result that is masked: the words of SWE-agent. */
static void
mask(struct slice m, struct buf *out)
{
	struct slice id = scan_get(m, "tool_call_id");
	struct buf text = BUF_INIT(BUF_RECORD_MAX);
	size_t lines = 1;

	msg_text(scan_get(m, "content"), &text);
	for (size_t i = 0; i + 1 < text.len; i++)
		lines += text.p[i] == '\n';
	buf_adds(out, "{\"role\":\"tool\",\"tool_call_id\":");
	buf_slice(out, id);
	buf_fmt(out, ",\"content\":\"Old environment output: (%zu lines "
	    "omitted)\"}", lines);
	buf_release(&text);
}

/* ---- sums ---- */

/* Bytes and estimate of the messages before i. */
static struct masked
up_to(const struct ruled *r, const struct shot *plain, size_t i)
{
	struct masked at = { 0, 0 };
	size_t from = i < r->from ? i : r->from;

	if (from > 0)
		at = r->masked[from - 1];
	if (i > from) {
		at.end += plain->m[i - 1].end - (from > 0 ?
		    plain->m[from - 1].end : 0);
		at.sum += plain->m[i - 1].total - (from > 0 ?
		    plain->m[from - 1].total : 0);
	}
	return at;
}

/* Mask one message more.  How many of its bytes stay the same, or all. */
static size_t
mask_next(struct ruled *r, const struct shot *plain)
{
	struct slice m = shot_message(plain, r->from);
	struct masked at = up_to(r, plain, r->from);
	size_t same = m.n, n = m.n + (r->from > 0);
	struct buf text = BUF_INIT(BUF_RECORD_MAX);
	uint64_t sum = plain->m[r->from].sum;

	if (plain->m[r->from].role == 't') {
		mask(m, &text);
		same = shot_common(m, buf_view(&text));
		n = text.len + (r->from > 0);
		sum = shot_message_sum(plain->family, buf_view(&text));
	}
	buf_release(&text);
	r->masked = xgrow(r->masked, r->from, &r->cap, sizeof *r->masked);
	r->masked[r->from++] = (struct masked){ at.end + n, at.sum + sum };
	return same == m.n ? SIZE_MAX : same;
}

/* ---- step by step ---- */

/* The prefix in common ends in message i, behind `within` of its bytes. */
struct common {
	size_t i, within;
};

/* Mask what is to be masked now; the first message that changes by that. */
static struct common
move_border(struct ruled *r, size_t border, const struct shot *plain,
    size_t had)
{
	struct common c = { SIZE_MAX, 0 };

	if (r->from > border)
		r->from = border;
	while (r->from < border) {
		size_t i = r->from, same = mask_next(r, plain);

		if (i >= had && same < SIZE_MAX && c.i == SIZE_MAX)
			c = (struct common){ i, same };
	}
	return c;
}

static size_t
start_of(const struct shot *plain, size_t i)
{
	return i > 0 ? plain->m[i - 1].end + 1 : 0;
}

uint64_t
ruled_go(struct ruled *r, enum lane_rule rule, const struct shot *plain,
    struct shot_news *news)
{
	size_t had = r->from, was = r->bytes, start;
	struct common c = move_border(r, border(rule, plain), plain, had);
	struct masked all = up_to(r, plain, plain->n), at;

	if (r->first < c.i) {
		c.i = r->first;
		start = start_of(plain, c.i);
		c.within = r->same > start ? r->same - start : 0;
	}
	if (r->messages <= c.i)	/* it had no more */
		c = (struct common){ r->messages, 0 };
	if (c.i > plain->n)
		c = (struct common){ plain->n, 0 };
	at = up_to(r, plain, c.i);
	*news = (struct shot_news){ .bytes = all.end, .same = at.end +
		(c.within > 0 ? c.within + (c.i > 0) : 0) };
	news->fresh = all.sum - at.sum;
	if (c.within > 0 && c.i < plain->n) {
		struct masked next = up_to(r, plain, c.i + 1);
		size_t n = next.end - at.end - (c.i > 0);

		if (c.within > n)
			c.within = n;
		news->fresh -= (uint64_t)((double)(next.sum - at.sum) *
		    (double)c.within / (double)n);
	}
	news->broke = news->same < was && (news->same < r->last ||
	    was - news->same > SHOT_CLOSING);
	r->bytes = r->asked_bytes = all.end;
	r->last = plain->n > 1 ? up_to(r, plain, plain->n - 1).end : 0;
	r->messages = r->asked = plain->n;
	r->first = r->same = SIZE_MAX;
	return all.sum;
}

void
ruled_reply(struct ruled *r, const struct shot *plain, size_t i)
{
	if (i != r->asked)
		return;		/* it does not follow the request */
	r->last = r->asked_bytes;
	r->bytes = r->last + shot_message(plain, i).n + (i > 0);
	r->messages = i + 1;
	if (r->first >= i)	/* that is the reply itself */
		r->first = r->same = SIZE_MAX;
}

bool
ruled_shows(const struct ruled *r, const struct shot *plain, size_t at)
{
	size_t low = 0, high = plain->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (plain->m[mid].words <= at)
			low = mid + 1;
		else
			high = mid;
	}
	return low >= r->from || low >= plain->n ||
	    plain->m[low].role != 't';
}
