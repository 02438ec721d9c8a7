/* book.h - counts by key, with the last calls that were counted.
 *
 * What the profiles of other systems remember: they count what a call is,
 * most of them without forgetting anything within a turn.  At BOOK_MAX keys
 * all is forgotten at once.
 */
#ifndef HAMR_GUARD_BOOK_H
#define HAMR_GUARD_BOOK_H

#include <stdbool.h>

#include "map.h"

#define BOOK_MAX 65536
#define BOOK_IDS 8		/* calls kept as evidence */

struct page {
	unsigned long n;	/* how often */
	unsigned long told;	/* words said about it */
	unsigned long polls;
	bool stop;		/* no more of this */
	char *id[BOOK_IDS];	/* JSON texts, oldest first */
	size_t line[BOOK_IDS];	/* where those calls stand */
	char *note[BOOK_IDS];	/* what there is to say of each; yours to set */
	size_t nid;
	char *text;		/* and of the key; ditto */
};

struct book {
	struct map index;
	struct page *page;
	size_t n, cap;
};

/* The page of key, made empty if there is none; valid until the next one is
 * made. */
struct page *book_page(struct book *b, struct slice key);
/* One more call of it. */
void page_count(struct page *p, const char *id, size_t line);
void book_clear(struct book *b);

#endif
