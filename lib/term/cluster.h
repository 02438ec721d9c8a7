/* cluster.h - what a person sees as one character, and its width in columns.
 *
 * After term_open_clusters(), by utf8proc, loaded at run time: grapheme
 * clusters, as wide as their widest code point plus the marks that wcwidth
 * gives columns; 2 with VS16 and for a flag.  Before that, or without the
 * library: a character and the zero-width marks after it, by wcwidth.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/slice.h"

/* Use a UTF-8 locale for the characters of this thread, for the widths. */
void term_init(void);

/* Load utf8proc, and call term_init().  False: it is not installed. */
bool term_open_clusters(void);

/* The length in bytes of the first cluster of text, 0 at its end.  A byte that
 * is not UTF-8, or a character that controls a terminal, is a cluster of its
 * own, of one column. */
size_t term_cluster(struct slice text, size_t *columns);

enum { NON_JOINER = 0x200c, JOINER = 0x200d };

/* Does this joiner or non-joiner do its work: is it between two pictures, or in
 * a word of a script that uses them?  Any other one is just invisible. */
bool term_joins(unsigned long before, unsigned long cp, unsigned long next);

/* Do terminals disagree about its columns (joined emoji, flags, skin tones,
 * VS16)?  Then set the column absolutely after it. */
bool term_cluster_differs(struct slice cluster);
