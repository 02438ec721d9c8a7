/* req.h - one HTTP request, taken from the bytes of a connection. */
#pragma once

#include <stdbool.h>

#include "bytes.h"

struct req {
	char *head;		/* owns the three that follow */
	char *method, *path;
	char *fields;		/* "name: value" NUL ... NUL NUL */
	struct buf body;	/* without its chunks */
	size_t used;		/* bytes of the connection that it was */
};

/*
 * Takes a request from in.  1: there it is; 0: not yet whole; -1: garbage.
 * r is all zero before; req_release it in any case.
 */
int req_take(struct req *r, const struct buf *in);
void req_release(struct req *r);

/* The first field of that name (lower case) from line on, or NULL. */
const char *req_field(const char *line, const char *name, size_t n);

/* What a field line says whose name is n bytes long. */
const char *req_value(const char *line, size_t n);

/* Does the field name hold what, in any case? */
bool req_says(const struct req *r, const char *name, const char *what);
