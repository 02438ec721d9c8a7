/* budget.h - what fits: window, effective window, caps (chapter 8.1).
 *
 * All numbers are tokens as tokens/token.h estimates them; 0 means no limit.
 * To measure a text against a cap, count it: token_count(family, p, n).  To
 * decide in bytes before there is a text (how much to read), use
 * budget_bytes(cap): that many bytes are seldom more than cap tokens.  To cut
 * a text to a cap, use budget_clip: its result fits.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "conf/conf.h"
#include "token.h"

struct budget {
	long window;
	long effective;		/* B: the window less the reserved output */
	long result_cap;	/* of one result */
	long file_cap;		/* a file's text up to this is shown whole, a
				 * longer one is cut to result_cap */
	long turn_cap;		/* of all read results of one turn */
};

/* From the configuration and the last `limit` record (-1: none); the smaller
 * of the two is the window. */
struct budget budget_from(const struct conf *c, long limit);

/* The same in two steps, for a caller that changes a key in between or has a
 * flag for the window (--window; -1: none), which wins. */
struct budget_cap {
	long floor;		/* it grows with the window from here */
	long asked;		/* as it is; -1: not set */
};
struct budget_keys {
	long tokens, reserved;
	struct budget_cap single, turn;
	long window;		/* -1: not set */
	long keep_tokens, keep_steps;	/* of the newest turns */
};
struct budget_keys budget_keys(const struct conf *c);
/* Take what a `config` record sets (its `set`) of them. */
void budget_set(struct budget_keys *k, struct slice set);
struct budget budget_of(const struct budget_keys *k, long flag_window,
    long limit);

size_t budget_bytes(long tokens);
/* At least 1, unless one of the two is 0. */
long percent_of(long whole, long percent);

/* How many bytes from the start of text are at most cap tokens: whole lines if
 * one fits, else whole characters. */
size_t budget_head(struct slice text, size_t cap, enum token_family f);

/* Append text, cut to cap tokens if it has more: the first 60 % and the last
 * 40 %, cut at line ends, with a line between them that says what was cut.
 * True if it was cut. */
bool budget_clip(struct buf *out, struct slice text, long cap,
    enum token_family f);
