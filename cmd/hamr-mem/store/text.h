/* text.h - a text as the full-text index sees it: passages, words, parts. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

#define PASSAGE_BYTES 1500
#define PASSAGE_OVERLAP 200

/* Get the passage of text that begins at *at, and advance *at to the next one.
 * False when none is left.  An empty text has one empty passage. */
bool text_passage(struct slice text, size_t *at, struct slice *passage);

/* Is this byte part of a word: a letter, a digit, or not ASCII?  (The index's
 * tokenizer decides about the latter.) */
bool text_is_word(char byte);

/* Get the next word at or after *at, and move *at past it.  False: none. */
bool text_word(struct slice text, size_t *at, struct slice *word);

/* Append, separated by blanks: the parts of each camelCase word in text that
 * has more than one (the index splits snake_case and paths itself); the pairs
 * of letters of scripts without blanks between words; Strasse for Straße, Lodz
 * for Łódź. */
void text_parts(struct slice text, struct buf *out);
