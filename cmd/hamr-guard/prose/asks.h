/* asks.h - does a person ask for something to be repeated? */
#pragma once

#include "base/buf.h"

enum asks {
	ASKS_UNREAD,		/* nobody has looked */
	ASKS_ONCE,
	ASKS_UNTIL,		/* wait until it is up, keep watching it */
	ASKS_EVERY,		/* every 5 s */
	ASKS_OFTEN		/* 20 times */
};

/* What a person's message asks for, in a dozen languages.  A long one asks for
 * nothing: it is a task with its papers, which may speak of anything.  *often:
 * how often; if it does not say so, its largest number from 4 to 60, or 0. */
enum asks prose_asks(struct slice text, unsigned long *often);

/* Does the message name a short call: do they share a word, or its stem?  call:
 * the text that it is signed by. */
bool prose_names(struct slice text, struct slice call, bool in_names);
