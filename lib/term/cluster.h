/* cluster.h - what a person takes for one character, and its columns.
 *
 * By utf8proc, opened at run time, after term_open_clusters(): grapheme
 * clusters, as wide as their widest code point and the marks that wcwidth gives
 * columns; 2 with VS16 and for a flag.  Before that, and without the library, a
 * character and the marks of no width behind it, as wcwidth knows them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/slice.h"

/* Load utf8proc, and term_init().  False: it is not installed. */
bool term_open_clusters(void);

/* The bytes of the first cluster of text, 0 at its end.  A byte that is not
 * UTF-8 and a character that steers a terminal are one for themselves, of one
 * column. */
size_t term_cluster(struct slice text, size_t *columns);

enum { NON_JOINER = 0x200c, JOINER = 0x200d };

/* A joiner or non-joiner that does its work: between two pictures, or in a word
 * of a script that is written with them.  Any other one hides. */
bool term_joins(unsigned long before, unsigned long cp, unsigned long next);

/* Do terminals disagree about its columns (joined emoji, flags, skin tones,
 * VS16)?  Then the column is to be set absolutely behind it. */
bool term_cluster_differs(struct slice cluster);
