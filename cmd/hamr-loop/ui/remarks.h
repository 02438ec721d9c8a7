/* remarks.h - tell a person what hamr told the model or did by itself. */
#pragma once

#include "record/rec.h"

/* What a verdict, recovery, verification or message of the loop means, in words
 * that the caller frees.  NULL: nothing a person needs to know. */
char *words_for(const struct rec *r);
