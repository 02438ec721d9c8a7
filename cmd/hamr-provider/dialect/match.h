/* match.h - marks looked for in text that may still be cut anywhere. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* Is s the beginning of tag, or does it begin with it?  1: it begins with
 * tag; -1: it is a piece of tag (or empty); 0: neither. */
int tag_match(struct slice s, const char *tag);

bool begins(struct slice s, size_t at, const char *tag);

/* Behind the white space, or the name (letters, digits, _ - . :), at byte
 * at. */
size_t skip_white(struct slice s, size_t at);
size_t skip_name(struct slice s, size_t at);

/* The tool that a call names: gpt-oss and Kimi say functions.NAME, Gemma
 * default_api.NAME, and not every server takes that away. */
struct slice tool_name(struct slice said);
