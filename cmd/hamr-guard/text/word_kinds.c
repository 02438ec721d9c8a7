/* word_kinds.c - what words are, by a table of words. */
#include <string.h>

#include "word_kinds.h"

uint64_t
words_is(struct words *w, struct slice word)
{
	const struct word_kind *k = w->known.n == 0 ? w->kinds : NULL;

	for (; k != NULL && k->words != NULL; k++)
		for (const char *p = k->words, *end; *p != '\0'; p = end) {
			end = p + strcspn(p, " ");
			*map_put(&w->known, (struct slice){ p,
			    (size_t)(end - p) }, NULL) |= k->is;
			end += *end == ' ';
		}
	const uint64_t *is = map_get(&w->known, word);
	return is != NULL ? *is : 0;
}
