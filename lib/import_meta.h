/* import_meta.h - the meta of an imported record. */
#ifndef HAMR_IMPORT_META_H
#define HAMR_IMPORT_META_H

#include <stdbool.h>

#include "buf.h"

/* Append the member meta, as the importer made it, with what we know: was
 * ({NULL, 0}: nothing) is the name a call had there; changed files are told by
 * the hash of what is in them.  Nothing when it would be empty.  text is
 * scratch. */
void import_meta(struct buf *text, struct slice meta, struct slice was,
    bool lossy, struct buf *out);

/* Append a member to an object that is being written. */
void import_member(struct buf *out, const char *key, struct slice val);
/* text as a JSON string, in b. */
struct slice import_quoted(struct buf *b, struct slice text);

#endif
