/* remarks.h - what hamr tells the model or does by itself, for a person. */
#ifndef HAMR_LOOP_REMARKS_H
#define HAMR_LOOP_REMARKS_H

#include "record/rec.h"

/* What a verdict, recovery or verification means, or a message of the loop's
 * own; yours.  NULL: nothing that a person need know. */
char *words_for(const struct rec *r);

#endif
