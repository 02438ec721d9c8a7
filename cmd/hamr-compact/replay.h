/* replay.h - a transcript replayed call by call: a `go` before each assistant
 * message, to hamr-compact at several windows and to the named rules.
 */
#ifndef COMPACT_REPLAY_H
#define COMPACT_REPLAY_H

#include "lane.h"
#include "view.h"

enum { REPLAY_RULES = 3, REPLAY_WINDOWS = 5 };

struct replay {
	const struct conf *conf;
	long windows[REPLAY_WINDOWS];
	size_t nwindows;
	struct lane ours[REPLAY_WINDOWS], every[REPLAY_WINDOWS];
	struct lane rules[REPLAY_RULES];
	struct needs needs;
	enum token_family family;	/* all is counted by it */
	uint64_t tools;		/* their estimate */
	struct view *view;	/* the plain one */
	struct shot plain;
	size_t messages, steps;
	size_t before;		/* plain messages at the last go */
	bool asked;		/* nothing to answer came since the last go;
				 * a second assistant message in a row goes on
				 * from the first */
	char *title;		/* session, model: bytes of others */
};

/* window: -1 for all five. */
void replay_init(struct replay *r, const struct conf *conf,
    const char *strategy, long window);
void replay_release(struct replay *r);
void replay_reset(struct replay *r);
void replay_record(struct replay *r, const struct rec *rec);

#endif
