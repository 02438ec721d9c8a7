/* tags.h - the tags of a fact: a JSON array of strings, sorted, none twice. */
#ifndef MEM_TAGS_H
#define MEM_TAGS_H

#include "buf.h"

/* Those of both arrays (a value that is no array has none) as one. */
char *tags_join(struct slice a, struct slice b);

#endif
