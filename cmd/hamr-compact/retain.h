/* retain.h - whether a request still has what it must not lose, and the text
 * that the next edit replaces: each way of making requests keeps its own
 * count.
 */
#ifndef COMPACT_RETAIN_H
#define COMPACT_RETAIN_H

#include "needs.h"

struct kept {
	size_t *at;		/* per need: where + 1, 0: not there */
	size_t n, cap;
	size_t *found;		/* needs that are there, by place */
	size_t nfound, capfound;
	size_t have[NEED_KINDS];
	size_t events;		/* of the log of the needs, taken */
	size_t looked;		/* words looked at */
	double share[NEED_KINDS], last;	/* sums over requests */
	size_t asked[NEED_KINDS], asked_last;
	size_t edits, supported;
};

/* A request was made: look for every need in it. */
void kept_look(struct kept *k, const struct needs *s, struct shot *shot);
/* The same of the plain view when it hides results before message `from`. */
void kept_plain(struct kept *k, const struct needs *s, size_t from);
void kept_release(struct kept *k);

double kept_percent(const struct kept *k, enum need_kind kind);
double kept_percent_last(const struct kept *k);
double kept_percent_edits(const struct kept *k);

/* Where `what` begins last before byte `end` of text, + 1; or 0.  The newest
 * is looked at first. */
size_t last_place(struct slice text, size_t end, struct slice what);

/* Walk over the old texts of the edit calls of an assistant message. */
void edits_of(const struct rec *r, void *self,
    void (*each)(void *self, struct slice old));

#endif
