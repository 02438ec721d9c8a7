/* sentence.h - English prose, word by word (chapter 3.4). */
#ifndef HAMR_GUARD_SENTENCE_H
#define HAMR_GUARD_SENTENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"

#define WORD_MAX 24		/* longer words are none of ours */
#define LINE_WORDS 96		/* of one sentence; more are not looked at */

struct sentence {
	char w[LINE_WORDS][WORD_MAX];
	size_t n;
	uint32_t initials;	/* of its words */
	char end;		/* the mark behind it: . ! ? : or 0 */
};

/* A row of phrases, and the letters they begin with. */
struct set {
	const char *const *row;
	uint32_t initials;
};

/* The set of a row of phrases in lower case that ends at NULL. */
struct set set_of(const char *const *row);

/* Cut the next sentence off text; false when there is none. */
bool sentence_next(struct slice *text, struct sentence *s);

/* Do the words from i on begin with this phrase, or one of the set?  How many
 * words it has, 0: no. */
size_t sentence_starts(const struct sentence *s, size_t i,
    const char *phrase);
size_t sentence_is(const struct sentence *s, size_t i, const struct set *set);

/* A word (letters only) that hints at a phrase, and the words one of which
 * must come next, with blanks between; NULL: any may.  Rows end at NULL. */
struct hint {
	const char *word, *next;
};

/* Is a hint in the text?  Much cheaper than to cut it into sentences. */
bool sentence_any(struct slice text, const struct hint *hints);

/* Is a phrase of the set anywhere in it? */
bool sentence_has(const struct sentence *s, const struct set *set);

#endif
