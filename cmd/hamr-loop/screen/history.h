/* history.h - the messages that were sent or set aside, oldest first.
 *
 * The file has one JSON string per line and message; other lines are skipped.
 * An entry is appended under a lock when it is added; several programs may
 * share the file.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"

#define HISTORY_ENTRIES 1000
#define HISTORY_ENTRY_MAX ((size_t)1 << 20)	/* longer ones stay in memory */

struct history {
	char **v;
	size_t n, cap;
	char *file;		/* NULL: none */
};

/* Start with the entries of the file, if it can be read. */
void history_init(struct history *h, const char *file);
void history_release(struct history *h);

/* Add a message as the newest, moving it if it is there already; an empty one
 * is ignored. */
void history_add(struct history *h, const char *message);

/* The newest entry before i (h->n: of all) that contains what, or with newer
 * the oldest after i; h->n: none.  Case matters if what has a capital. */
size_t history_search(const struct history *h, const char *what, size_t i,
    bool newer);
