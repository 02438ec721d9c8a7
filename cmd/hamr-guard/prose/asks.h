/* asks.h - does a person ask for something to be repeated? */
#pragma once

#include "base/buf.h"

enum asks {
	ASKS_ONCE,
	ASKS_UNTIL,		/* wait until it is up, keep watching it */
	ASKS_AGAIN		/* 20 times, every 5 s */
};

/* What a person's message asks for, in a dozen languages.  A long one asks for
 * nothing: it is a task with its papers, which may speak of anything. */
enum asks prose_asks(struct slice text);
