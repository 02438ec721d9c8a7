/* lane.h - one way of making requests, followed through a transcript.
 *
 * Ours at one window, with every_call or without, or one of the named rules
 * that ours is measured against.  Those work on the plain view: all that was
 * said, made legal.
 */
#ifndef COMPACT_LANE_H
#define COMPACT_LANE_H

#include "retain.h"
#include "seam.h"
#include "shot.h"

enum lane_rule {
	LANE_OURS,
	LANE_EVERY,		/* ours with every_call */
	LANE_RAW,		/* everything, each time */
	LANE_LAST5,		/* the last 5 results are kept */
	LANE_TURN10		/* those of the last 10 tool steps */
};

/* A named rule works on the plain view and makes no request: what it would
 * send is known by sums. */
struct ruled {
	size_t from;		/* results before this message are masked */
	struct masked {
		size_t end;	/* bytes up to here, masked */
		uint64_t sum;
	} *masked;		/* of the messages before `from` */
	size_t cap;
	/* the last request and its reply */
	size_t bytes, last;	/* of it; where its last message begins */
	size_t messages;
	size_t asked, asked_bytes;	/* messages and bytes without it */
	/* what of it the plain view has changed since */
	size_t first;		/* this message and those behind it, */
	size_t same;		/* from this byte of the plain view on */
};

struct step {
	long tokens;		/* 0: no request */
	bool epoch, closed;
};

struct lane {
	enum lane_rule rule;
	struct seam seam;	/* LANE_OURS, LANE_EVERY */
	struct shot shot;
	struct kept kept;
	struct ruled ruled;	/* the others */
	size_t asked;		/* messages of the last request */
	struct step *steps;
	size_t n, cap;
	size_t requests, breaks, closed, epochs;
	uint64_t fresh;
	double bytes, same, tokens;
	long largest;
};

void lane_init(struct lane *l, enum lane_rule rule, const struct conf *conf,
    const char *strategy, long window);
void lane_release(struct lane *l);
void lane_reset(struct lane *l);

/* The plain view has grown: messages from `first` on are other than before,
 * and bytes from `same` on. */
void lane_plain(struct lane *l, size_t first, size_t same);

/* A request is made now.  plain: the plain view (for the named
 * rules). */
void lane_go(struct lane *l, const struct shot *plain,
    const struct needs *needs, uint64_t tools);
/* The model answered: what the server now holds is the request and message i
 * of the plain view.  A second call replaces the first. */
void lane_reply(struct lane *l, const struct shot *plain, size_t i);

/* An edit in the answer, and where its old text stands last in the plain view
 * + 1: is it in the request? */
void lane_edit(struct lane *l, const struct shot *plain, struct slice old,
    size_t place);

/* ---- lane_rule.c ---- */

void ruled_init(struct ruled *r);
void ruled_release(struct ruled *r);
void ruled_changed(struct ruled *r, size_t first, size_t same);
/* The request is made now.  Returns its estimate. */
uint64_t ruled_go(struct ruled *r, enum lane_rule rule,
    const struct shot *plain, struct shot_news *news);
void ruled_reply(struct ruled *r, const struct shot *plain, size_t i);
/* Is byte `at` of the words of the plain view in the request? */
bool ruled_shows(const struct ruled *r, const struct shot *plain, size_t at);

const char *lane_name(const struct lane *l);
size_t lane_over(const struct lane *l, long room);
double lane_mean(const struct lane *l);
double lane_reuse(const struct lane *l);	/* percent */

#endif
