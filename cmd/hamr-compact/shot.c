/* shot.c - a request as it goes out: its messages, their words, their size. */
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "msg.h"
#include "view.h"

#include "shot.h"

#define FRAME (8 * 64)		/* a message around its text (chapter 8.1) */

void
shot_init(struct shot *s, enum token_family family)
{
	*s = (struct shot){ .family = family };
	buf_init(&s->bytes, (size_t)1 << 40);
	buf_init(&s->words, (size_t)1 << 40);
}

void
shot_release(struct shot *s)
{
	buf_release(&s->bytes);
	buf_release(&s->words);
	free(s->m);
}

/* ---- one message ---- */

static char
role_of(struct slice role)
{
	static const char *const names[] = { "system", "user", "assistant",
		"tool" };

	for (int i = 0; i < 4; i++)
		if (scan_str_is(role, names[i]))
			return names[i][0];
	return '?';
}

static void
add_words(struct shot *s, struct slice value)
{
	if (scan_str(value, &s->words))
		buf_addc(&s->words, '\n');
}

/* Every string in a value, the deep ones too. */
static void
add_leaves(struct shot *s, struct slice value)
{
	enum scan_kind kind = scan_kind(value);
	struct slice v;
	struct walk w;

	if (kind != SCAN_OBJECT && kind != SCAN_ARRAY) {
		add_words(s, value);
		return;
	}
	walk_in(&w, value);
	while (walk_next(&w, NULL, &v))
		add_leaves(s, v);
}

static uint64_t
add_call(struct shot *s, const struct call *c)
{
	struct buf args = BUF_INIT(BUF_RECORD_MAX);
	struct scan scan = { 0 };
	uint64_t sum = view_content_sum(s->family, c->name) +
	    view_content_sum(s->family, c->args);

	add_words(s, c->name);
	scan_str(c->args, &args);
	if (args.len > 0 && scan_value(&scan, args.p, args.len) == 0)
		add_leaves(s, buf_view(&args));
	scan_release(&scan);
	buf_release(&args);
	return sum;
}

static void
add_message(struct shot *s, struct slice m, size_t end)
{
	struct slice calls = scan_get(m, "tool_calls");
	struct slice content = scan_get(m, "content");
	struct slice why = scan_get(m, "reasoning");
	struct shot_msg *new;
	struct call call;
	struct walk w;
	uint64_t sum = FRAME + view_content_sum(s->family, content);

	msg_text(content, &s->words);
	buf_addc(&s->words, '\n');
	if (scan_kind(why) == SCAN_STRING)
		sum += view_content_sum(s->family, why);
	if (scan_kind(calls) == SCAN_ARRAY) {
		walk_in(&w, calls);
		while (msg_next_call(&w, &call))
			sum += add_call(s, &call);
	}
	s->m = xgrow(s->m, s->n, &s->cap, sizeof *s->m);
	new = &s->m[s->n++];
	s->sum += sum;
	*new = (struct shot_msg){ end, s->words.len, sum, s->sum,
		role_of(scan_get(m, "role")) };
}

uint64_t
shot_message_sum(enum token_family f, struct slice m)
{
	struct shot one;
	uint64_t sum;

	shot_init(&one, f);
	add_message(&one, m, m.n);
	sum = one.sum;
	shot_release(&one);
	return sum;
}

/* ---- all of them ---- */

size_t
shot_common(struct slice a, struct slice b)
{
	size_t n = a.n < b.n ? a.n : b.n, i = 0;

	while (n - i >= 4096 && memcmp(a.p + i, b.p + i, 4096) == 0)
		i += 4096;
	while (i < n && a.p[i] == b.p[i])
		i++;
	return i;
}

void
shot_cut(struct shot *s, size_t n)
{
	while (s->n > n)
		s->sum -= s->m[--s->n].sum;
	s->bytes.len = s->n > 0 ? s->m[s->n - 1].end : 0;
	s->words.len = s->n > 0 ? s->m[s->n - 1].words : 0;
	if (s->kept > s->words.len)
		s->kept = s->words.len;
}

void
shot_take(struct shot *s, struct slice inside, size_t known,
    struct shot_news *news)
{
	size_t was = s->bytes.len, whole, keep = s->n, last = s->n > 1 ?
	    s->m[s->n - 2].end : 0;
	struct walk w;
	struct slice m;

	if (known > was)
		known = was;
	*news = (struct shot_news){ .bytes = inside.n, .same = known +
		shot_common((struct slice){ s->bytes.p + known, was - known },
		    (struct slice){ inside.p + known, inside.n - known }) };
	news->broke = news->same < was &&
	    (news->same < last || was - news->same > SHOT_CLOSING);
	while (keep > 0 && s->m[keep - 1].end > news->same)
		keep--;
	shot_cut(s, keep);
	news->first = keep;
	whole = s->bytes.len;
	buf_add(&s->bytes, inside.p + whole, inside.n - whole);
	w = (struct walk){ inside.p + whole, inside.p + inside.n, SCAN_ARRAY };
	for (bool first = true; walk_next(&w, NULL, &m); first = false) {
		size_t end = (size_t)(m.p - inside.p) + m.n, had;

		add_message(s, m, end);
		had = first && news->same > end - m.n ?
		    news->same - (end - m.n) : 0;
		news->fresh += (uint64_t)((double)s->m[s->n - 1].sum *
		    (1 - (double)had / (double)m.n));
	}
}

void
shot_append(struct shot *s, struct slice message)
{
	if (s->bytes.len > 0)
		buf_addc(&s->bytes, ',');
	buf_slice(&s->bytes, message);
	add_message(s, message, s->bytes.len);
}

struct slice
shot_message(const struct shot *s, size_t i)
{
	size_t start = i > 0 ? s->m[i - 1].end + 1 : 0;

	return (struct slice){ s->bytes.p + start, s->m[i].end - start };
}
