/* deed.h - what a call is about, under canonical names, for those who look
 * at a transcript: the kind of tool, its arguments, its path or command.
 */
#ifndef COMPACT_DEED_H
#define COMPACT_DEED_H

#include "msg.h"

#include "stub.h"

struct deed {
	enum tool_kind kind;
	struct buf args;	/* a JSON object with canonical names */
	char *path;		/* or command; "" when there is none */
};

/* Read a call; d is to be released. */
void deed_of(struct deed *d, const struct call *c);
void deed_release(struct deed *d);

/* Did a result (a record) fail? */
bool deed_failed(const struct rec *r, enum tool_kind kind, struct slice text);

/* A line of text that tells of an error: the first, if any, within 80 bytes;
 * {NULL, 0} when there is none. */
struct slice deed_error_line(struct slice text);

#endif
