/* query.c - FTS5 expressions built from whatever the user typed. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/map.h"
#include "base/mem.h"
#include "query.h"
#include "store/text.h"

#define WORD_BYTES 1000		/* anything longer is not a word */
#define FRAGMENT 3		/* bytes; shorter ones match too many words */

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

/* Words contain no quotes, so quoting needs no escapes. */
static void
add_word(struct buf *b, struct slice w)
{
	buf_addc(b, '"');
	buf_slice(b, w);
	buf_addc(b, '"');
}

/* Add a word and the parts of it that are words, each only once. */
static void
add_any(struct query *q, struct slice w, bool part, struct map *seen)
{
	struct buf parts = BUF_INIT(4 * WORD_BYTES);
	struct slice p;
	size_t at = 0;
	bool fresh;

	map_put(seen, w, &fresh);
	if (!fresh || q->nword >= QUERY_WORDS || is_stop_word(w))
		return;
	q->word = xrealloc(q->word, (q->nword + 1) * sizeof *q->word);
	struct query_word *any = &q->word[q->nword];
	*any = (struct query_word){ .no = (int)q->nword++, .part = part,
		.joined = memchr(w.p, '_', w.n) != NULL,
		.expr = BUF_INIT(EXPR_MAX) };
	if (!part)
		any->text = w;
	add_word(&any->expr, w);
	text_parts(w, &parts);
	while (text_word(buf_view(&parts), &at, &p))
		add_any(q, p, true, seen);
	buf_release(&parts);
}

void
query_build(struct query *q, struct slice text, bool raw)
{
	struct map seen = { 0 }, any = { 0 };
	struct slice w;
	size_t at = 0;
	int joined = 0;

	*q = (struct query){ .phrase = BUF_INIT(EXPR_MAX),
		.all = BUF_INIT(EXPR_MAX) };
	if (raw) {
		buf_slice(&q->phrase, text);
		return;
	}
	while (q->words < QUERY_WORDS && text_word(text, &at, &w)) {
		bool fresh;

		if (w.n > WORD_BYTES)
			continue;
		uint64_t *no = map_put(&seen, w, &fresh);
		if (fresh)
			*no = seen.n - 1;
		q->order[q->words++] = (int)*no;
		buf_addc(&q->phrase, q->words == 1 ? '"' : ' ');
		buf_slice(&q->phrase, w);
		if (!fresh)
			continue;
		joined += w.p == text.p || w.p[-1] != '_';
		q->joined[*no] = joined;
		add_word(&q->all, w);
		buf_addc(&q->all, '\n');
		if (!is_stop_word(w))
			add_any(q, w, false, &any);
	}
	/* words joined by underscores also count as one: it may be a
	 * fragment */
	for (size_t i = 0, n; i < text.n; i += n + 1) {
		size_t joints = 0;

		for (n = 0; i + n < text.n && (text.p[i + n] == '_' ||
		    text_is_word(text.p[i + n])); n++)
			joints += text.p[i + n] == '_';
		if (n > FRAGMENT && n < WORD_BYTES && joints > 0 && joints < n)
			add_any(q, slice_part(text, i, i + n), false, &any);
	}
	if (q->words > 0)
		buf_addc(&q->phrase, '"');
	if (q->words == 1)	/* the phrase is the word */
		buf_reset(&q->all);
	map_release(&seen);
	map_release(&any);
}

void
query_release(struct query *q)
{
	bufs_release(BUFS(&q->phrase, &q->all));
	for (size_t i = 0; i < q->nword; i++)
		buf_release(&q->word[i].expr);
	free(q->word);
}
