/* key.h - the command that prints the key, and what no message may show. */
#pragma once

#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

/* No core dump, and no other process of this user may look into this one. */
void key_protect(void);

/* The first line a command prints, that has 10 s to end.  NULL with e; yours
 * to free. */
char *key_command(const char *const *argv, size_t n, struct err *e);

/* A key must be one line of visible characters: 0, or -1 with e.  It is
 * never shown.  Trailing line ends are removed. */
int key_check(char *key, const char *origin, struct err *e);

/* Every occurrence of key in b becomes "[key]", if it has at least so many
 * bytes. */
void key_redact(const char *key, size_t least, struct buf *b);
