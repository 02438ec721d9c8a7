/* toml.h - the subset of TOML 1.0 that configuration files are written in.
 *
 * Chapter 1.7 of the specification: UTF-8, comments, [a.b] tables, bare,
 * quoted and dotted keys, basic and literal strings on one line, decimal
 * 64-bit integers, finite floats, booleans, arrays of one type, where an
 * integer among floats is a float.  What passes here means the same to every
 * parser of TOML 1.0.  TOML outside the subset is refused with "FILE:LINE: not
 * supported here: ...", everything else with "FILE:LINE: WHY".  All refusals
 * have the status ST_CONFIG.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

#define TOML_KEYS_MAX 4096	/* names in one document, tables included */
#define TOML_DEPTH_MAX 2	/* arrays of values, or of arrays of values */

enum toml_kind {
	TOML_STRING,
	TOML_INT,
	TOML_FLOAT,
	TOML_BOOL,
	TOML_ARRAY
};

struct toml_value {
	enum toml_kind kind;
	int64_t i;		/* TOML_INT */
	double d;		/* TOML_FLOAT, and TOML_INT as one */
	bool b;
	char *s;		/* a string, decoded, no NUL in it; or the text
				 * of a number without '_' */
	struct toml_value *v;	/* TOML_ARRAY: n elements of one kind */
	size_t n;
};

/* One assignment, or a table's header (v is then NULL).  Everything is borrowed
 * for the duration of the call. */
struct toml_event {
	const char *const *key;	/* the whole path, decoded */
	size_t nkey;
	struct toml_value *v;	/* copy and zero it to take it over */
	size_t line;
	size_t last;		/* the value's last line */
	const char *at, *end;	/* where it is in the document */
};

/* Returns 0, or -1 with e filled: then the parse ends with that error. */
typedef int toml_fn(void *ctx, const struct toml_event *ev, struct err *e);

/* Parse a whole document, calling fn for each event in order.  name is the FILE
 * of errors.  0, or -1 with e; events before the error have been delivered. */
int toml_parse(const char *name, const char *p, size_t n, toml_fn *fn,
    void *ctx, struct err *e);

/* Is p exactly one value (blanks around it allowed)?  If so it is in *v, and
 * the caller releases it; else *v is empty. */
bool toml_value(const char *p, size_t n, struct toml_value *v);
void toml_release(struct toml_value *v);

/* "an integer", "an array", ... for messages. */
const char *toml_kind_name(enum toml_kind kind);

/* May this be a key without quotes? */
bool toml_is_bare(const char *s);

/* Append s, which must be UTF-8, as a basic string with its quotes.  Control
 * and bidirectional characters are escaped, so it is safe to show. */
void toml_quote(struct buf *out, const char *s);

/* Append a value. */
void toml_show(struct buf *out, const struct toml_value *v);

/* Append a dotted path, its names quoted where necessary. */
void toml_path(struct buf *out, const char *const *key, size_t nkey);
