/* match.h - find marks in text that may be cut anywhere. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* Does s begin with tag?  1: yes; -1: s is only the beginning of tag (or
 * empty); 0: no. */
int tag_match(struct slice s, const char *tag);

bool begins(struct slice s, size_t at, const char *tag);

/* Is s this word, in any case? */
bool is_word(struct slice s, const char *word);

/* The position after the white space, or the name (letters, digits, _ - . :),
 * that begins at byte at. */
size_t skip_white(struct slice s, size_t at);
size_t skip_name(struct slice s, size_t at);

/* The tool that a call names, borrowed: gpt-oss and Kimi say functions.NAME,
 * Gemma default_api.NAME, and not every server removes the prefix, or what
 * gpt-oss puts after the name. */
struct slice tool_name(struct slice said);
