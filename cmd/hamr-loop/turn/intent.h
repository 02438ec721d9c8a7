/* intent.h - does a task ask for a change of files?
 *
 * Only its English words are looked at; a task in another language asks for
 * nothing.  The first imperative decides: "Fix it", "Can you fix it?" and "It
 * is slow. Speed it up." ask for a change; a question, or "Review it and fix
 * it", does not.  Quotes and lines of a log or of code are ignored.
 */
#pragma once

#include <stdbool.h>

/* Does its first imperative ask for a change, and nothing in it forbid one? */
bool intent_is_change(const char *task);

/* Does it say "do not change anything", "without editing", "read only", ...?
 * "Do not change the tests" does not count: the rest may be changed. */
bool intent_forbids_change(const char *task);
