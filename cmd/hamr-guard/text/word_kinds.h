/* word_kinds.h - what words are, by a table of words. */
#pragma once

#include "base/map.h"

struct words {
	const struct word_kind {
		uint64_t is;	/* bits of the caller's */
		const char *words;	/* in lower case, blanks between them */
	} *kinds;		/* end with NULL */
	struct map known;	/* private: made of kinds when it is needed */
};

/* The bits of all kinds that a word is of; 0: it is in none. */
uint64_t words_is(struct words *w, struct slice word);
