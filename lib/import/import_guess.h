/* import_guess.h - guesses a transcript's format from its first 64 KiB. */
#pragma once

#include <stdbool.h>

#include "base/buf.h"

#define GUESS_HEAD ((size_t)64 << 10)

struct import_format {
	const char *name;
	const char *rule;	/* how it is recognized: see import_guess.c */
	const char *element;	/* of an array's elements only; or NULL */
	bool has_messages;	/* its messages are OpenAI's, and more */
};

extern const struct import_format import_formats[];	/* NULL name: end */

enum guess_kind {
	GUESS_MORE,		/* unknown yet: call again with more of it */
	GUESS_HAMR,		/* a hamr record, or an empty file */
	GUESS_FORMAT,		/* it fits format one */
	GUESS_TWO,		/* it fits both one and other */
	GUESS_NOBODY,		/* JSON in no format we know */
	GUESS_BROKEN		/* not even JSON: its reader says why */
};

struct guess {
	enum guess_kind kind;
	const struct import_format *one, *other;
	bool lines;		/* a value a line, as far as was seen */
	bool document;		/* one JSON value over several lines, or an
				 * array; a line format's values may be in it */
	bool bad_array;		/* GUESS_BROKEN: an array that is not JSON */
	char keys[100];		/* GUESS_NOBODY: of its first object */
	bool odd;		/* GUESS_NOBODY: looks like somebody's
				 * transcript all the same */
};

/* head: the file's beginning; all: there is no more, or we saw enough;
 * lenient: continue after a first line that is refused.  The answer does not
 * depend on earlier calls. */
void import_guess(struct slice head, bool all, bool lenient, struct guess *g);
