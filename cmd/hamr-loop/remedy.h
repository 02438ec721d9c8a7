/* remedy.h - what a person can do about a model server that failed. */
#ifndef HAMR_LOOP_REMEDY_H
#define HAMR_LOOP_REMEDY_H

#include "track.h"

/* What can be done about a failure with this code and these words; NULL:
 * nothing is known. */
const char *remedy_of(const char *code, const char *words);

/* Say on stderr why the model gave no answer, and what to do. */
void remedy_say(const struct track *t);

#endif
