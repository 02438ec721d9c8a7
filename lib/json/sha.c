/* sha.c - SHA-256, and git's object names, by OpenSSL's own functions for them.
 *
 * Not by its EVP: the first fetch of an algorithm costs a process 0.9 ms and
 * 1.3 MiB, and allocates, for the same code.
 */
#define OPENSSL_SUPPRESS_DEPRECATED
#include <dlfcn.h>
#include <openssl/opensslv.h>
#include <openssl/sha.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/mem.h"
#include "sha.h"

#define SONAME(major) SONAME_(major)
#define SONAME_(major) "libcrypto.so." #major

/* The functions we use, with the types of OpenSSL's own header. */
#define FUNCTIONS(F) \
	F(SHA256_Init) F(SHA256_Update) F(SHA256_Final) \
	F(SHA1_Init) F(SHA1_Update) F(SHA1_Final)

struct functions {
#define MEMBER(name) __typeof__(name) *name;
	FUNCTIONS(MEMBER)
#undef MEMBER
};

struct sha {
	SHA256_CTX ctx;
};

static const struct functions *
openssl(void)
{
	static struct functions f;

	if (f.SHA1_Final != NULL)
		return &f;
#ifdef HAMR_STATIC
#define LOAD(name) f.name = name;
#else
	void *lib = dlopen(SONAME(OPENSSL_VERSION_MAJOR), RTLD_LAZY);

	if (lib == NULL)
		err_die(ST_SYSTEM, "%s; install libssl%d", dlerror(),
		    OPENSSL_VERSION_MAJOR);
	/* POSIX wants dlsym's result usable as a function; ISO C has no
	 * conversion for it, hence the copies through void **. */
#define LOAD(name) \
	*(void **)&f.name = dlsym(lib, #name); \
	if (f.name == NULL) \
		err_die(ST_SYSTEM, "libcrypto has no " #name);
#endif
	FUNCTIONS(LOAD)
#undef LOAD
	return &f;
}

static void
put_hex(const unsigned char *d, size_t n, char *out)
{
	static const char hex[] = "0123456789abcdef";

	for (size_t i = 0; i < n; i++) {
		out[2 * i] = hex[d[i] >> 4];
		out[2 * i + 1] = hex[d[i] & 15];
	}
	out[2 * n] = '\0';
}

struct sha *
sha_new(void)
{
	struct sha *s = xmalloc(sizeof *s);

	openssl()->SHA256_Init(&s->ctx);
	return s;
}

void
sha_add(struct sha *s, const void *p, size_t n)
{
	openssl()->SHA256_Update(&s->ctx, p, n);
}

void
sha_hex(struct sha *s, char out[SHA_HEX])
{
	unsigned char d[SHA256_DIGEST_LENGTH];

	openssl()->SHA256_Final(d, &s->ctx);
	openssl()->SHA256_Init(&s->ctx);
	put_hex(d, sizeof d, out);
}

void
sha_free(struct sha *s)
{
	free(s);
}

void
sha256_hex(const void *p, size_t n, char out[SHA_HEX])
{
	struct sha s;

	openssl()->SHA256_Init(&s.ctx);
	sha_add(&s, p, n);
	sha_hex(&s, out);
}

void
sha_git(bool sha256, const char *kind, const void *p, size_t n,
    unsigned char out[SHA_BYTES])
{
	const struct functions *f = openssl();
	char head[32];
	size_t len = kind == NULL ? 0 : (size_t)snprintf(head, sizeof head,
	    "%s %zu", kind, n) + 1;
	SHA256_CTX long_ctx;
	SHA_CTX ctx;

	if (sha256) {
		f->SHA256_Init(&long_ctx);
		f->SHA256_Update(&long_ctx, head, len);
		f->SHA256_Update(&long_ctx, p, n);
		f->SHA256_Final(out, &long_ctx);
	} else {
		f->SHA1_Init(&ctx);
		f->SHA1_Update(&ctx, head, len);
		f->SHA1_Update(&ctx, p, n);
		f->SHA1_Final(out, &ctx);
	}
}
