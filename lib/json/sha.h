/* sha.h - SHA-256 by OpenSSL (this file's only use).
 *
 * Linked in from libcrypto.a, 40 KiB: the shared library doubles the start-up
 * time of a command, and takes 1.6 MiB of each process.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define SHA_BYTES 32
#define SHA_HEX 65		/* 64 hex digits and a NUL */

struct sha;			/* a hash being computed */

struct sha *sha_new(void);
void sha_add(struct sha *s, const void *p, size_t n);
/* The hash of everything added, in hex; s then starts over. */
void sha_hex(struct sha *s, char out[SHA_HEX]);
void sha_free(struct sha *s);

/* All at once. */
void sha256_hex(const void *p, size_t n, char out[SHA_HEX]);

/* The name that git gives an object of this kind ("blob"), by SHA-256 or else
 * SHA-1 (20 bytes).  kind NULL: the hash of the bytes alone. */
void sha_git(bool sha256, const char *kind, const void *p, size_t n,
    unsigned char out[SHA_BYTES]);
