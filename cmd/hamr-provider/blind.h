/* blind.h - what is said to a model that sees no images. */
#ifndef PROVIDER_BLIND_H
#define PROVIDER_BLIND_H

#include "buf.h"

/* Append a message's content (JSON) to out, each image in it as a line of
 * text in its place.  Text alone is one string: there are servers that take
 * nothing else. */
void blind_content(struct slice content, struct buf *out);

#endif
