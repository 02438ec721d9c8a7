/* import_guess.h - whose transcript is this?  Told by its first 64 KiB. */
#pragma once

#include <stdbool.h>

#include "base/buf.h"

#define GUESS_HEAD ((size_t)64 << 10)

struct import_format {
	const char *name;
	const char *mark;	/* by what it is known, in words */
	const char *rule;	/* the same for a program: import_guess.c */
	const char *element;	/* of an array's elements only; or NULL */
	bool has_messages;	/* its messages are OpenAI's, and more */
};

extern const struct import_format import_formats[];	/* NULL name: end */
const struct import_format *import_format_named(const char *name);

enum guess_kind {
	GUESS_MORE,		/* not to be told yet: show more of it */
	GUESS_HAMR,		/* a record of ours, or nothing at all */
	GUESS_FORMAT,		/* one */
	GUESS_TWO,		/* one and another */
	GUESS_NOBODY,		/* records of nobody we know */
	GUESS_BROKEN		/* not even JSON: its reader says why */
};

struct guess {
	enum guess_kind kind;
	const struct import_format *one, *other;
	bool lines;		/* a value a line, as far as was seen */
	bool document;		/* one JSON value over several lines, or an
				 * array: what a format has on lines is in it */
	bool bad_array;		/* GUESS_BROKEN: an array that is no JSON */
	char keys[100];		/* GUESS_NOBODY: of its first object */
	bool odd;		/* GUESS_NOBODY: looks like somebody's
				 * transcript all the same */
};

/* head: the file's beginning; all: there is no more, or enough was shown;
 * lenient: a first line that is refused is no end of it.  What is told does
 * not depend on how often it was asked before. */
void import_guess(struct slice head, bool all, bool lenient, struct guess *g);
