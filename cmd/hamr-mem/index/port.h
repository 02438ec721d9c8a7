/* port.h - a memory as lines, and lines into a memory.
 *
 * A line is a whole item, or the mark of a forgotten one.  What comes of
 * lines does not depend on their order, nor on how often each comes.
 */
#pragma once

#include "record/rec.h"
#include "store/redact.h"
#include "store/store.h"

/* Give fn each line, sorted by key; it returns 0, or -1 with e. */
typedef int port_fn(void *ctx, struct slice line, struct err *e);
int port_export(struct store *st, port_fn *fn, void *ctx, struct err *e);

/* The same of a damaged memory, as far as it can be read, facts first. */
void port_salvage(struct store *st, port_fn *fn, void *ctx);

/* Within a transaction: take a line in.  gone counts items that are no longer
 * there.  -1 with e; ST_DATA when it is no such line. */
int port_import(struct store *st, const struct redact *redact,
    const struct rec *r, size_t *gone, struct err *e);
