/* where.h - which memories a command line means, and opening them. */
#ifndef MEM_WHERE_H
#define MEM_WHERE_H

#include "opts.h"
#include "store.h"

/* The one memory that is written: --db, --global, else the project's.  With
 * create its folder is made.  Its path, yours, and its name; NULL with e,
 * ST_NOINPUT when its folder is not there. */
char *where_path(const struct opts *o, bool create, const char **name,
    struct err *e);

/* Open those that are read: the one of --db or --global, else the project's
 * and the user's; of them those that are there.  -1 with e. */
#define MEMORIES 2
int where_open(const struct opts *o, enum db_mode mode,
    struct store st[MEMORIES], size_t *n, struct err *e);
void where_close(struct store *st, size_t n);

#endif
