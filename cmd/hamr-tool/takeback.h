/* takeback.h - files put back as they were, all of them or none.
 */
#ifndef HAMR_TOOL_TAKEBACK_H
#define HAMR_TOOL_TAKEBACK_H

#include <stdbool.h>
#include <sys/types.h>

#include "buf.h"
#include "err.h"
#include "files.h"

struct takeback_step {
	char *path;		/* true name; yours was copied */
	const char *oid;	/* "": it shall not be there; borrowed */
	struct slice text;	/* else its content (a link: its target) */
	mode_t mode;		/* and its mode */
	mode_t left;		/* the one that the change left */
	int folders;		/* that many above go too, if they are empty */
	char *aside;		/* private: what was there, under this name */
	bool done;		/* private */
};

struct takeback {
	struct takeback_step *v;
	size_t n, cap;
};

/* A new step, with path only. */
struct takeback_step *takeback_add(struct takeback *tb, const char *path);
void takeback_release(struct takeback *tb);

/* Is there at path what has this hash and kind and x bits ("": nothing)? */
bool takeback_is(const struct files *f, const char *path, const char *sha,
    mode_t mode);
/* The same kind, and for files the same x bits? */
bool takeback_same_mode(mode_t a, mode_t b);

/* Do all steps; when one fails the others are undone again.  0, or -1. */
int takeback_do(struct files *f, struct takeback *tb, struct err *e);

#endif
