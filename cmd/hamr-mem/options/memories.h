/* memories.h - which memories, words and ids a command line names. */
#pragma once

#include "opts.h"
#include "find/find.h"

/* The path of the memory to write: --db, --global, else the project's; *name
 * becomes its name.  create makes its folder; without it the path is "" while
 * the folder does not exist.  The caller frees the path.  NULL with e. */
char *memories_path(const struct opts *o, bool create, const char **name,
    struct err *e);

/* Open the memories that are meant: that of --db or --global, else the
 * project's, the one in a .hamr that can only be read (always DB_READ) and, if
 * users, the user's; missing ones are skipped.  *n: how many are open;
 * memories_close closes them, whatever the result.  0; 1 with e when one after
 * the first cannot be opened and is left out, which stderr says; or -1 with e
 * when the first one cannot, or none of those that exist. */
int memories_open(const struct opts *o, enum db_mode mode, bool users,
    struct store st[MEMORIES], size_t *n, struct err *e);
void memories_close(struct store *st, size_t n);

/* The same without the user's, and a missing --db is an error, ST_NOINPUT: 0,
 * or -1 with e. */
int memories_open_own(const struct opts *o, enum db_mode mode,
    struct store st[MEMORIES], size_t *n, struct err *e);

/* Open the memory to write, and create it if missing: 0, or -1 with e. */
int memories_create_own(const struct opts *o, struct store *st, struct err *e);

/* Append the remaining arguments, cleaned and separated by blanks. */
#define WORDS_BYTES ((size_t)8 << 20)
void opts_words(const struct opts *o, struct buf *out);

/* Copy the hex digits of an id, or of a prefix of at least 4 digits, to out.
 * 0, or -1 with e. */
int memories_parse_id(const char *arg, char out[MEMID_SIZE], struct err *e);
/* Find the item whose id begins so, and complete the id; *row is in the first
 * store that has it.  1, 0 if none has, or -1 with e: ST_USAGE when several
 * items' ids begin so. */
int memories_find(struct store *st, size_t n, char id[MEMID_SIZE],
    size_t *which, int64_t *row, struct err *e);
