/* cassette.h - exchanges with a server, written and read again (chapter 4.5).
 *
 * NDJSON, one exchange a line: {"type":"exchange","v":1,"api","request","status",
 * "end","response"}; response_hex instead where the bytes are no text.  The
 * key is blanked, and no header is in it.
 */
#ifndef PROVIDER_CASSETTE_H
#define PROVIDER_CASSETTE_H

#include "attempt.h"

/* Append what happened to the cassette p->record, if there is one; again: it
 * is tried once more, so that no answer came of it. */
void cassette_add(struct exchange *x, bool again);

/* The bytes of the response, and how it ended. */
void cassette_read(struct slice line, struct buf *out, struct http_reply *r);

#endif
