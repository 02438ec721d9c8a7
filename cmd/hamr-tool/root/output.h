/* output.h - one stream of a command's output, in bounded memory.
 *
 * The first and the last bytes are kept in memory; once the head is full, the
 * whole output (up to a limit) is also in an unnamed temporary file, from which
 * it can be saved.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "term/clean.h"

#define OUTPUT_SPOOL_MAX ((unsigned long long)64 << 20)

struct output {
	size_t cap;		/* of head and of tail */
	struct clean clean;
	struct buf head;	/* the first cap bytes */
	struct buf tail;	/* what follows the head; its end, if long */
	unsigned long long total;	/* cleaned bytes */
	unsigned long long raw;		/* bytes as they came */
	char last;			/* the last cleaned byte */
	int spool;		/* -1: not needed, or it failed */
	unsigned long long spooled;
	bool failed;		/* the spool could not be written */
};

void output_init(struct output *o, size_t cap);
void output_release(struct output *o);

/* Add bytes; text is replaced by them, cleaned.  p NULL: end of output. */
void output_add(struct output *o, const char *p, size_t n, struct buf *text);

/* The first bytes, and the last ones; together they are the whole if total is
 * at most twice the cap. */
struct slice output_head(const struct output *o);
struct slice output_tail(const struct output *o);

/* Write stdout and stderr, as the result shows them, into
 * .hamr/out/HASH12.txt below the root (mode 0600, at most 64 MiB; .hamr and
 * its .gitignore are made).  Returns the path, which the caller frees; NULL if
 * it cannot be saved.  Files unused for 30 days are removed first, then the
 * oldest while they take more than 1 GiB. */
char *output_save(int rootfd, const struct output *out,
    const struct output *err);
