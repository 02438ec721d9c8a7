/* needs.h - what a request must not lose: the task, what persons said, the
 * paths that were edited, errors.
 *
 * The needs are learnt from the records.  All of them are looked for at once,
 * so that a look costs what there is to look at, however many they are.
 */
#ifndef COMPACT_NEEDS_H
#define COMPACT_NEEDS_H

#include "buf.h"
#include "map.h"
#include "rec.h"
#include "shot.h"

enum need_kind { NEED_TASK, NEED_USER, NEED_PATH, NEED_ERROR };
enum { NEED_KINDS = NEED_ERROR + 1, NEED_LAST = 3 };

/* One text. */
struct need {
	char *text;
	size_t n;
	size_t weight[NEED_KINDS];	/* how often it is needed, as what */
	/* in the plain view: */
	bool said;		/* a message that is no result has it */
	size_t result;		/* else the last result that has it, + 1 */
	size_t newer, older;	/* row of those, + 1; 0 at its ends */
};

struct need_event {
	size_t need;
	enum need_kind kind;
};

struct needs_index;		/* private */

struct needs {
	struct need *v;
	size_t n, cap;
	struct need_event *log;	/* what was learnt, in order */
	size_t nlog, caplog;
	size_t all[NEED_KINDS];
	size_t said[NEED_KINDS], results[NEED_KINDS];	/* of the plain view */
	size_t newest;		/* of the row, + 1 */
	size_t users[NEED_LAST], nusers;	/* the last ones, a ring */
	struct map by_text;	/* to index + 1 */
	struct map seen;	/* paths and error lines, once each */
	struct map commands;	/* ids of open calls that are commands */
	struct needs_index *index;
};

void needs_take(struct needs *s, const struct rec *r);
void needs_reset(struct needs *s);

/* Look for all needs in words from byte `from` on: found is called for each
 * place, in order. */
void needs_find(const struct needs *s, struct slice words, size_t from,
    void *self, void (*found)(void *self, size_t need, size_t at));

/* The plain view has other messages from `first` on. */
void needs_plain(struct needs *s, const struct shot *plain, size_t first);

#endif
