/* dump.h - export a memory as lines, and import lines into a memory.
 *
 * A line is a whole item, or the mark of a forgotten one.  The result of an
 * import depends neither on the order of the lines nor on repetition.
 */
#pragma once

#include "record/rec.h"
#include "conf/redact.h"
#include "store/store.h"

/* Call fn with each line, sorted by key; it returns 0, or -1 with e. */
typedef int dump_fn(void *ctx, struct slice line, struct err *e);
int dump_export(struct store *st, dump_fn *fn, void *ctx, struct err *e);

/* The same for a damaged memory, as far as it can be read, facts first. */
void dump_salvage(struct store *st, dump_fn *fn, void *ctx);

/* Within a transaction: import a line.  0, or -1 with e; ST_DATA when it is not
 * a valid line. */
int dump_import(struct store *st, const struct redact *redact,
    const struct rec *r, struct err *e);
