/* text.h - a text as the full-text index sees it: passages, words, parts. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

#define PASSAGE_BYTES 1500
#define PASSAGE_OVERLAP 200

/* The passage of text that begins at *at; *at becomes the start of the next
 * one.  False when there is none left.  An empty text has one, empty. */
bool text_passage(struct slice text, size_t *at, struct slice *passage);

/* Of words: letters and digits, and every byte that is not ASCII (the index's
 * own tokenizer decides about those). */
bool text_is_word(char byte);

/* The next word at or behind *at.  False: none. */
bool text_word(struct slice text, size_t *at, struct slice *word);

/* Append the parts of the camelCase words of text, blanks between; of a word
 * of one part nothing (snake_case and paths fall apart by themselves).  Of a
 * script without blanks between words its pairs of letters, and Straße also as
 * Strasse. */
void text_parts(struct slice text, struct buf *out);
