/* where.h - which memories a command line means, and opening them. */
#pragma once

#include "opts.h"
#include "find/find.h"

/* The one memory that is written: --db, --global, else the project's.  With
 * create its folder is made.  Its path, yours, "" when it has no folder yet,
 * and its name; NULL with e. */
char *where_path(const struct opts *o, bool create, const char **name,
    struct err *e);

/* Open those that are read: the one of --db or --global, else the project's
 * and the user's; of them those that are there.  -1 with e. */
int where_open(const struct opts *o, enum db_mode mode,
    struct store st[MEMORIES], size_t *n, struct err *e);
void where_close(struct store *st, size_t n);

/* Open the one that is written: 0, or 1: there is none yet, or -1 with e,
 * ST_NOINPUT when --db names a file that is missing. */
int where_open_own(const struct opts *o, enum db_mode mode, struct store *st,
    struct err *e);
/* The same; a missing one is made. */
int where_make_own(const struct opts *o, struct store *st, struct err *e);

/* The hex digits of an id or of how one begins, in out. */
int where_read_id(const char *arg, char out[MEMID_SIZE], struct err *e);
/* The item in the first of the stores that has it: 1, 0 none, -1 e. */
int where_find(struct store *st, size_t n, const char *prefix, size_t *which,
    int64_t *row, struct err *e);
