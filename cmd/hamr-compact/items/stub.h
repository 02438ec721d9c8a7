/* stub.h - what is said of a call and its result: a line of context at the end
 * of the result, and what stands for both once they are old.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/map.h"
#include "fact.h"

/* Append the line of context (chapter 8.4), with its LF before it; nothing
 * when the result gets none.  It is made once, when the result is taken in,
 * and never changed, so that the prefix of a request stays.  inspected: how
 * often git was asked for what. */
void context_line(const struct fact *f, struct map *inspected,
    struct buf *out);

/* Append the stub; false when the result is short and stays.  f->id_at is where
 * the id of the memory item may be put. */
bool stub_text(struct fact *f, struct slice text, struct buf *out);

/* Append args with long strings cut, of an edit only what it replaced; false
 * when they are short and stay. */
bool slim_args(struct slice args, bool edit, struct buf *out);

/* The first line of text that tells of an error; p NULL when none does. */
struct slice error_line(struct slice text);
