/* key.h - the command that prints the key, and what no message may show. */
#pragma once

#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

/* Disable core dumps, and ptrace by the user's other processes. */
void key_protect(void);

/* The first line that a command (ended by NULL) prints; it has 10 s to exit.
 * The caller frees it.  NULL with e. */
char *key_command(const char *const *argv, struct err *e);

/* Check that a key is one line of visible characters, after removing trailing
 * line ends.  0, or -1 with e, which names origin but never shows the key. */
int key_check(char *key, const char *origin, struct err *e);

/* Replace every occurrence of key in b with "[key]" if key has at least
 * `least` bytes.  In a stream of JSON texts a key may come in pieces: the ends
 * and beginnings of strings that have the same name. */
void key_redact(const char *key, size_t least, struct buf *b);
