/* ctrl.h - the characters that control a terminal, or are invisible on it: one
 * list for everything that is shown to people.
 *
 * C0 (with LF and TAB: callers that allow these test for them first), DEL, C1;
 * bidirectional marks, embeddings, overrides and isolates; line and paragraph
 * separators; invisible ones: soft hyphen, zero-width spaces and joiners,
 * word joiner and invisible operators, byte-order mark, Hangul fillers,
 * interlinear and musical marks, tags and their variation selectors, and
 * the two noncharacters that no XML may hold.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

bool ctrl_is(unsigned long cp);

/* The code point of a valid character of n bytes. */
unsigned long ctrl_code(const unsigned char *p, size_t n);

/* For text that ends with a NUL: the length in bytes of the character at p if
 * it is on the list (here TAB is not), else 0. */
size_t ctrl_len(const unsigned char *p);
