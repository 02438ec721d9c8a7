/* method.h - one way of making requests, followed through a transcript.
 *
 * Ours at one window, with every_call or without, or one of the named rules
 * that ours is measured against.  Those work on the plain view: all that was
 * said, made legal.
 */
#pragma once

#include "epoch/compact.h"
#include "request.h"
#include "retention.h"

enum method_rule {
	METHOD_OURS,
	METHOD_EVERY_CALL,	/* ours with every_call */
	METHOD_RAW,		/* everything, each time */
	METHOD_LAST5,		/* the last 5 results are kept */
	METHOD_TURN10,		/* those of the last 10 tool steps */
	METHOD_DROP		/* at 75 % of the window the oldest steps and
				 * messages go, down to 40 %; the task stays */
};

struct step {
	long tokens;		/* 0: no request */
	bool epoch, closed;	/* it was compacted; nothing fitted */
};

struct method {
	enum method_rule rule;
	struct compact compact;	/* ours */
	long epoch;		/* the last one seen */
	long window;
	size_t border;		/* a named rule: what is before this message is
				 * masked, or dropped */
	size_t changed;		/* messages of the plain view from here on are
				 * other than at the last request */
	struct request request;	/* the last one and its reply */
	size_t asked;		/* messages of it without the reply */
	struct retention retained;
	struct step *steps;
	size_t n, cap;
	size_t requests, breaks, closed, epochs;
	uint64_t fresh;
	double bytes, same, tokens;
	long largest;
};

void method_init(struct method *m, enum method_rule rule,
    const struct conf *conf, const char *strategy, long window);
void method_release(struct method *m);
void method_reset(struct method *m);

/* A record was read. */
void method_record(struct method *m, const struct rec *r);

/* A request is made now. */
void method_go(struct method *m, const struct request *plain,
    const struct essentials *e, uint64_t tools);
/* The model answered: what the server now holds is the request and message i
 * of the plain view.  A second call replaces the first. */
void method_reply(struct method *m, const struct request *plain, size_t i);
/* An edit in the answer: is its old text in the request? */
void method_edit(struct method *m, struct slice old);

const char *method_name(const struct method *m);	/* ours: its strategy */
size_t method_over(const struct method *m, long room);
double method_mean(const struct method *m);
double method_reuse(const struct method *m);	/* percent */
