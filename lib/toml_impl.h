/* toml_impl.h - the bytes of a document being read; of toml*.c only.
 *
 * Functions that read stand at the first byte of what they read and leave
 * the position behind it; they return -1 with the error set.
 */
#ifndef HAMR_TOML_IMPL_H
#define HAMR_TOML_IMPL_H

#include <stdbool.h>
#include <stddef.h>

#include "err.h"
#include "toml.h"

struct toml_in {
	const char *name;	/* the FILE of errors */
	const char *p, *end;
	size_t line;
	struct err *e;
};

/* Errors: always -1. */
int toml_bad(struct toml_in *t, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
int toml_unsupported(struct toml_in *t, const char *what);
/* What stands here is not what should: a control character, or as said. */
int toml_stray(struct toml_in *t, const char *why);

int toml_peek(const struct toml_in *t);		/* -1 at the end */
bool toml_starts(const struct toml_in *t, const char *text);
bool toml_bare(int c);		/* may it stand in a key without quotes? */

void toml_blanks(struct toml_in *t);
/* At LF or CR LF: 1 and over it. */
int toml_newline(struct toml_in *t);
/* Blanks and a comment, up to the line's end but not over it. */
int toml_comment(struct toml_in *t);

/* A string in " or ' on one line, decoded; yours to free. */
int toml_string(struct toml_in *t, char **text);
/* Any value; *v is to be released after an error, too. */
int toml_read(struct toml_in *t, struct toml_value *v);

#endif
