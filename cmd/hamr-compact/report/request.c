/* request.c - a request as it goes out: its messages, words and size. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "record/msg.h"

#include "request.h"

#define FRAME (8 * 64)		/* a message around its text (chapter 8.1) */
#define CLOSING 4		/* longest end of a message: "}]} */

void
request_init(struct request *q)
{
	*q = (struct request){ .family = TOK_MODERN };
	buf_init(&q->bytes, (size_t)1 << 40);
	buf_init(&q->words, (size_t)1 << 40);
}

void
request_release(struct request *q)
{
	bufs_release(BUFS(&q->bytes, &q->words));
	free(q->m);
}

/* Every string in a value, the deep ones too. */
static void
add_strings(struct request *q, struct slice value)
{
	enum scan_kind kind = scan_kind(value);
	struct slice v;

	if (kind != SCAN_OBJECT && kind != SCAN_ARRAY) {
		if (scan_str(value, &q->words))
			buf_addc(&q->words, '\n');
		return;
	}
	for (struct walk w = walk_of(value); walk_next(&w, NULL, &v); )
		add_strings(q, v);
}

static void
add_message(struct request *q, struct slice m, size_t end)
{
	static const char *const roles[] = { "system", "user", "assistant",
		"tool" };
	struct slice content = scan_get(m, "content");
	struct slice role = scan_get(m, "role"), why = scan_get(m, "reasoning");
	struct request_message new = { .end = end, .role = '?' };
	struct buf args = BUF_INIT(BUF_RECORD_MAX);
	struct scan scan = { 0 };
	struct call call;

	new.sum = FRAME + view_content_sum(q->family, content);
	msg_text(content, &q->words);
	buf_addc(&q->words, '\n');
	if (scan_kind(why) == SCAN_STRING)
		new.sum += view_content_sum(q->family, why);
	for (struct walk w = walk_elements(scan_get(m, "tool_calls"));
	    msg_next_call(&w, &call); ) {
		add_strings(q, call.name);
		buf_reset(&args);
		scan_str(call.args, &args);
		if (args.len > 0 && scan_value(&scan, args.p, args.len) == 0)
			add_strings(q, buf_view(&args));
		new.sum += view_content_sum(q->family, call.name) +
		    view_content_sum(q->family, call.args);
	}
	scan_release(&scan);
	buf_release(&args);
	for (int i = 0; i < 4; i++)
		if (scan_str_is(role, roles[i]))
			new.role = roles[i][0];
	new.words = q->words.len;
	q->sum += new.sum;
	GROW(q->m, q->n, q->cap);
	q->m[q->n++] = new;
}

/* How many bytes both begin with. */
static size_t
common(struct slice a, struct slice b)
{
	size_t n = a.n < b.n ? a.n : b.n, i = 0;

	while (n - i >= 4096 && memcmp(a.p + i, b.p + i, 4096) == 0)
		i += 4096;
	while (i < n && a.p[i] == b.p[i])
		i++;
	return i;
}

/* Forget the messages from n on. */
static void
cut(struct request *q, size_t n)
{
	while (q->n > n)
		q->sum -= q->m[--q->n].sum;
	q->bytes.len = q->n > 0 ? q->m[q->n - 1].end : 0;
	q->words.len = q->n > 0 ? q->m[q->n - 1].words : 0;
	if (q->same_words > q->words.len)
		q->same_words = q->words.len;
}

void
request_take(struct request *q, size_t known, struct slice tail,
    struct request_news *news)
{
	size_t was = q->bytes.len, keep = q->n, start;
	size_t last = q->n > 1 ? q->m[q->n - 2].end : 0;
	struct walk w;
	struct slice m;

	*news = (struct request_news){ .bytes = known + tail.n, .same = known +
		common((struct slice){ q->bytes.p + known, was - known },
		    tail) };
	news->broke = news->same < was &&
	    (news->same < last || was - news->same > CLOSING);
	while (keep > 0 && q->m[keep - 1].end > news->same)
		keep--;
	cut(q, keep);
	news->first = keep;
	start = q->bytes.len;
	q->bytes.len = known;
	buf_slice(&q->bytes, tail);
	w = (struct walk){ q->bytes.p + start, q->bytes.p + q->bytes.len,
		SCAN_ARRAY };
	for (bool first = true; walk_next(&w, NULL, &m); first = false) {
		size_t end = (size_t)(m.p - q->bytes.p) + m.n, had;

		add_message(q, m, end);
		had = first && news->same > end - m.n ?
		    news->same - (end - m.n) : 0;
		news->fresh += (uint64_t)((double)q->m[q->n - 1].sum *
		    (1 - (double)had / (double)m.n));
	}
}

void
request_take_view(struct request *q, struct view *v, struct request_news *news)
{
	size_t known = v->body.len;
	struct slice messages = view_messages(v);

	if (known > q->bytes.len)
		known = q->bytes.len;
	request_take(q, known, (struct slice){ messages.p + known,
		messages.n - known }, news);
}

void
request_reply(struct request *q, size_t n, struct slice message)
{
	cut(q, n);
	if (q->bytes.len > 0)
		buf_addc(&q->bytes, ',');
	buf_slice(&q->bytes, message);
	add_message(q, message, q->bytes.len);
}

struct slice
request_message(const struct request *q, size_t i)
{
	size_t start = i > 0 ? q->m[i - 1].end + 1 : 0;

	return (struct slice){ q->bytes.p + start, q->m[i].end - start };
}
