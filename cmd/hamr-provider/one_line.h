/* one_line.h - JSON of others, as it can stand in a record. */
#ifndef PROVIDER_ONE_LINE_H
#define PROVIDER_ONE_LINE_H

#include "buf.h"

/* Append checked JSON; if it has line ends, without the blanks between its
 * tokens. */
void one_line(struct slice json, struct buf *out);

#endif
