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

struct step {
	long tokens;		/* 0: no request */
	bool epoch, closed;
};

struct lane {
	enum lane_rule rule;
	struct seam seam;	/* LANE_OURS, LANE_EVERY */
	struct shot shot;
	struct kept kept;
	char **masks;		/* by message of the plain view, or NULL */
	size_t nmasks, capmasks;
	size_t from;		/* results before this message are masked */
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

/* The plain view has grown: messages from `first` on are other than before. */
void lane_plain(struct lane *l, size_t first);

/* A request is made now.  plain: the plain view (for the named
 * rules). */
void lane_go(struct lane *l, const struct shot *plain,
    const struct needs *needs, uint64_t tools);
/* The model answered: what the server now holds is the request and this
 * message.  A second call replaces the first. */
void lane_reply(struct lane *l, struct slice message);

const char *lane_name(const struct lane *l);
size_t lane_over(const struct lane *l, long room);
double lane_mean(const struct lane *l);
double lane_reuse(const struct lane *l);	/* percent */

#endif
