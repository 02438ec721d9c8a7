/* retain.h - what a request must not lose: the task, what persons said, the
 * paths that were edited, errors, and the text the next edit replaces.
 *
 * The needs are learnt from the records; each way of making requests keeps
 * its own count of what it still had of them, verbatim.
 */
#ifndef COMPACT_RETAIN_H
#define COMPACT_RETAIN_H

#include "buf.h"
#include "map.h"
#include "rec.h"
#include "shot.h"

enum need_kind { NEED_TASK, NEED_USER, NEED_PATH, NEED_ERROR };
enum { NEED_KINDS = NEED_ERROR + 1, NEED_LAST = 3 };

struct need {
	enum need_kind kind;
	char *text;
	size_t n;
};

struct needs {
	struct need *v;
	size_t n, cap;
	size_t users[NEED_LAST], nusers;	/* the last ones, a ring */
	struct map seen;	/* paths and error lines, once each */
	struct map commands;	/* ids of open calls that are commands */
};

void needs_take(struct needs *s, const struct rec *r);
void needs_reset(struct needs *s);

/* What one way of making requests kept. */
struct kept {
	size_t *at;		/* per need: where + 1, 0: not there */
	size_t n, cap;
	double share[NEED_KINDS], last;	/* sums over requests */
	size_t asked[NEED_KINDS], asked_last;
	size_t edits, supported;
};

/* A request was made: look for every need in it. */
void kept_look(struct kept *k, const struct needs *s, struct shot *shot);
/* A call of the answer to it: an edit whose old text all of history holds;
 * is it in the request? */
void kept_edit(struct kept *k, const struct shot *shot, struct slice old);
void kept_release(struct kept *k);

double kept_percent(const struct kept *k, enum need_kind kind);
double kept_percent_last(const struct kept *k);
double kept_percent_edits(const struct kept *k);

/* Walk over the old texts of the edit calls of an assistant message. */
void edits_of(const struct rec *r, void *self,
    void (*each)(void *self, struct slice old));

#endif
