/* history.h - the messages that were sent or put aside, oldest first.
 *
 * The file has a line a message, its blanks, line ends and backslashes as \040,
 * \012 and \\ (libedit's form), so that a message of several lines is one
 * entry.  An entry is appended under a lock when it is added; several programs
 * may share the file.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"

#define HISTORY_ENTRIES 1000
#define HISTORY_ENTRY_MAX ((size_t)1 << 20)	/* that the file takes */

struct history {
	char **v;
	size_t n, cap;
	size_t bytes;		/* of all entries */
	char *file;		/* NULL: none */
};

/* With what is in the file, if it can be read. */
void history_init(struct history *h, const char *file);
void history_release(struct history *h);

/* A message that is there already becomes the newest; an empty one is not
 * added. */
void history_add(struct history *h, const char *message);

/* The newest entry before i (h->n: of all) that holds what; h->n: none.  With
 * newer the oldest one behind i.  Capital letters in what count. */
size_t history_search(const struct history *h, const char *what, size_t i,
    bool newer);
