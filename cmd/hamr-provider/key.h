/* key.h - the key: where it comes from, and that it goes nowhere else. */
#ifndef PROVIDER_KEY_H
#define PROVIDER_KEY_H

#include <stddef.h>

#include "buf.h"
#include "err.h"

/* No core dump, and no other process of this user may look into this one. */
void key_protect(void);

/* The first line a command prints, that has 10 s to end.  NULL with e; yours
 * to free. */
char *key_command(const char *const *argv, size_t n, struct err *e);

/* A key must be one line of visible characters: 0, or -1 with e.  It is
 * never shown.  Line ends behind it are taken off. */
int key_check(char *key, const char *origin, struct err *e);

/* Every occurrence of key in b becomes "[key]".  key may be NULL. */
void key_redact(const char *key, struct buf *b);

#endif
