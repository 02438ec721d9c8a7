/* query.c - FTS5 expressions built of whatever somebody typed. */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "map.h"
#include "query.h"
#include "text.h"

#define WORDS_MAX 64		/* words that count; the rest is dropped */
#define WORD_BYTES 1000		/* a longer one is no word */
#define FRAGMENT_BYTES 3	/* shorter ones stand in too many words */
#define EXPR_MAX ((size_t)1 << 20)

static bool
is_stop_word(struct slice w)
{
	static const char *const stop[] = { "a", "about", "an", "and", "are",
		"as", "at", "be", "by", "can", "did", "do", "does", "for",
		"from", "had", "has", "have", "how", "i", "in", "is", "it",
		"its", "me", "my", "of", "on", "or", "our", "that", "the",
		"there", "this", "to", "was", "we", "were", "what", "when",
		"where", "which", "who", "why", "will", "with", "you" };

	for (size_t i = 0; i < sizeof stop / sizeof *stop; i++)
		if (strlen(stop[i]) == w.n &&
		    strncasecmp(stop[i], w.p, w.n) == 0)
			return true;
	return false;
}

/* Words hold no quote, so quoting needs no escape. */
static void
add_word(struct buf *b, struct slice w, const char *between)
{
	if (b->len > 0)
		buf_adds(b, between);
	buf_addc(b, '"');
	buf_slice(b, w);
	buf_addc(b, '"');
}

static void
add_any(struct buf *b, struct slice w)
{
	struct buf parts = BUF_INIT(4 * WORD_BYTES);
	struct slice p;
	size_t at = 0;

	add_word(b, w, " OR ");
	text_parts(w, &parts);
	while (text_word(buf_view(&parts), &at, &p))
		add_word(b, p, " OR ");
	buf_release(&parts);
}

/* A fragment is looked for in small letters, as the index keeps them. */
static void
add_within(struct buf *b, struct slice w)
{
	if (w.n < FRAGMENT_BYTES)
		return;
	buf_addc(b, ' ');
	for (size_t i = 0; i < w.n; i++)
		buf_addc(b, (char)tolower((unsigned char)w.p[i]));
}

void
query_build(struct query *q, struct slice text)
{
	struct map seen = { 0 };
	struct slice w;
	size_t at = 0, useful = 0;

	*q = (struct query){ .words = 0 };
	for (int i = 0; i < TIERS; i++)
		buf_init(&q->expr[i], EXPR_MAX);
	buf_init(&q->within, EXPR_MAX);
	while (q->words < WORDS_MAX && text_word(text, &at, &w)) {
		bool fresh;

		if (w.n > WORD_BYTES)
			continue;
		q->words++;
		buf_addc(&q->expr[TIER_PHRASE],
		    q->words == 1 ? '"' : ' ');
		buf_slice(&q->expr[TIER_PHRASE], w);
		map_put(&seen, w, &fresh);
		if (!fresh)
			continue;
		add_word(&q->expr[TIER_ALL], w, " ");
		if (is_stop_word(w))
			continue;
		useful++;
		add_any(&q->expr[TIER_ANY], w);
		add_within(&q->within, w);
	}
	if (q->words > 0)
		buf_addc(&q->expr[TIER_PHRASE], '"');
	if (q->words == 1)	/* the phrase is the word */
		buf_reset(&q->expr[TIER_ALL]);
	if (useful == 0)
		buf_reset(&q->expr[TIER_ANY]);
	map_release(&seen);
}

void
query_raw(struct query *q, struct slice text)
{
	*q = (struct query){ .words = 0 };
	for (int i = 0; i < TIERS; i++)
		buf_init(&q->expr[i], EXPR_MAX);
	buf_init(&q->within, EXPR_MAX);
	buf_slice(&q->expr[TIER_PHRASE], text);
}

void
query_release(struct query *q)
{
	for (int i = 0; i < TIERS; i++)
		buf_release(&q->expr[i]);
	buf_release(&q->within);
}
