/* output.h - one stream of a command's output, in bounded memory.
 *
 * The first and the last bytes are kept in memory; once they are not the
 * whole, all of it (up to a limit) is also in an unnamed file of ours, from
 * which it can be saved.
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
	struct buf tail;	/* what is behind the head; of much the end */
	unsigned long long total;	/* cleaned bytes */
	unsigned long long raw;		/* bytes as they came */
	char last;			/* the last cleaned byte */
	int spool;		/* -1: not needed, or it failed */
	unsigned long long spooled;
	bool failed;		/* the spool could not be written */
};

void output_init(struct output *o, size_t cap);
void output_release(struct output *o);

/* Take bytes in; what they come to, cleaned, is left in text (emptied
 * first).  p NULL: the end. */
void output_add(struct output *o, const char *p, size_t n, struct buf *text);

/* The first bytes, and the last ones; together they are the whole if total is
 * at most twice the cap. */
struct slice output_head(const struct output *o);
struct slice output_tail(const struct output *o);

/* Write stdout and stderr, as the result shows them, into
 * .hamr/out/HASH12.txt below the root (mode 0600, at most 64 MiB; .hamr and
 * its .gitignore are made).  The path, yours; NULL when it cannot be saved.
 * Before, what nobody has used for 30 days goes, and the oldest while there is
 * more than 1 GiB. */
char *output_save(int rootfd, const struct output *out,
    const struct output *err);
