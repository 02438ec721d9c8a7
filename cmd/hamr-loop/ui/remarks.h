/* remarks.h - what hamr tells the model or does by itself, for a person. */
#pragma once

#include "record/rec.h"

/* What a verdict, recovery or verification means, or a message of the loop's
 * own; yours.  NULL: nothing that a person need know. */
char *words_for(const struct rec *r);
