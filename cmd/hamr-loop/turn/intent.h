/* intent.h - does a task ask for a change of files?
 *
 * Told from its words alone, in English; a task in another language asks for
 * nothing.  The first imperative decides: "Fix it", "Can you fix it?" and "It
 * is slow. Speed it up." ask for a change; a question, or "Review it and fix
 * it", does not.  What is quoted, and lines of a log or of code, are not the
 * person's words.
 */
#pragma once

#include <stdbool.h>

/* Its first imperative asks for a change, and nothing in it forbids one. */
bool intent_is_change(const char *task);

/* "Do not change anything", "without editing", "read only", ... but not "do not
 * change the tests", which leaves the rest to be changed. */
bool intent_forbids_change(const char *task);
