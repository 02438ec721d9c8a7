/* sha.c - SHA-256 (and git's names) by OpenSSL's EVP, fetched once (its only use). */
#include <dlfcn.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "mem.h"
#include "sha.h"

#define SONAME(major) SONAME_(major)
#define SONAME_(major) "libcrypto.so." #major

/* The functions we use, with the types of OpenSSL's own header. */
struct evp {
	__typeof__(CRYPTO_set_mem_functions) *memory;
	__typeof__(OPENSSL_init_crypto) *start;
	__typeof__(EVP_MD_fetch) *fetch;
	__typeof__(EVP_MD_free) *md_free;
	__typeof__(EVP_MD_CTX_new) *ctx_new;
	__typeof__(EVP_MD_CTX_free) *ctx_free;
	__typeof__(EVP_DigestInit_ex2) *init;
	__typeof__(EVP_DigestUpdate) *update;
	__typeof__(EVP_DigestFinal_ex) *final;
	EVP_MD *sha256;		/* fetched once: 2.7 times faster than naming
				 * it on each call */
};

struct sha {
	EVP_MD_CTX *ctx;
};

static void
check(int ok)
{
	if (!ok)
		err_die(ST_SYSTEM, "SHA-256 failed; is OpenSSL's "
		    "configuration broken?");
}

#ifdef HAMR_STATIC
static void
load(struct evp *f)
{
	*f = (struct evp){ CRYPTO_set_mem_functions, OPENSSL_init_crypto,
		EVP_MD_fetch, EVP_MD_free, EVP_MD_CTX_new, EVP_MD_CTX_free,
		EVP_DigestInit_ex2, EVP_DigestUpdate, EVP_DigestFinal_ex,
		NULL };
}
#else
static void *
symbol(void *lib, const char *name)
{
	void *p = dlsym(lib, name);

	if (p == NULL)
		err_die(ST_SYSTEM, "libcrypto has no %s", name);
	return p;
}

static void
load(struct evp *f)
{
	void *lib = dlopen(SONAME(OPENSSL_VERSION_MAJOR), RTLD_LAZY);

	if (lib == NULL)
		err_die(ST_SYSTEM, "%s; install libssl%d", dlerror(),
		    OPENSSL_VERSION_MAJOR);
	/* POSIX wants dlsym's result usable as a function; ISO C has no
	 * conversion for it, hence the copies through void **. */
	*(void **)&f->memory = symbol(lib, "CRYPTO_set_mem_functions");
	*(void **)&f->start = symbol(lib, "OPENSSL_init_crypto");
	*(void **)&f->fetch = symbol(lib, "EVP_MD_fetch");
	*(void **)&f->md_free = symbol(lib, "EVP_MD_free");
	*(void **)&f->ctx_new = symbol(lib, "EVP_MD_CTX_new");
	*(void **)&f->ctx_free = symbol(lib, "EVP_MD_CTX_free");
	*(void **)&f->init = symbol(lib, "EVP_DigestInit_ex2");
	*(void **)&f->update = symbol(lib, "EVP_DigestUpdate");
	*(void **)&f->final = symbol(lib, "EVP_DigestFinal_ex");
}
#endif

/* OpenSSL 3.0 uses a lock that it had no memory for: it asks us for memory,
 * and who does not get any ends. */
static void *
get(size_t n, const char *file, int line)
{
	(void)file;
	(void)line;
	return n != 0 ? xmalloc(n) : NULL;
}

static void *
change(void *p, size_t n, const char *file, int line)
{
	(void)file;
	(void)line;
	if (n != 0)
		return xrealloc(p, n);
	free(p);
	return NULL;
}

static void
give_back(void *p, const char *file, int line)
{
	(void)file;
	(void)line;
	free(p);
}

static const struct evp *
evp(void)
{
	static struct evp f;

	if (f.sha256 == NULL) {
		load(&f);
		/* refused, and no harm, where libcurl was here before us */
		f.memory(get, change, give_back);
		/* its files would take longer to read than all we hash, and
		 * what it has is given back with the process */
		f.start(OPENSSL_INIT_NO_LOAD_CONFIG | OPENSSL_INIT_NO_ATEXIT,
		    NULL);
		f.sha256 = f.fetch(NULL, "SHA256", NULL);
		check(f.sha256 != NULL);
	}
	return &f;
}

struct sha *
sha_new(void)
{
	struct sha *s = xmalloc(sizeof *s);

	s->ctx = evp()->ctx_new();
	check(s->ctx != NULL && evp()->init(s->ctx, evp()->sha256, NULL));
	return s;
}

void
sha_add(struct sha *s, const void *p, size_t n)
{
	check(evp()->update(s->ctx, p, n));
}

void
sha_hex(struct sha *s, char out[SHA_HEX])
{
	static const char hex[] = "0123456789abcdef";
	unsigned char d[32];

	check(evp()->final(s->ctx, d, NULL));
	check(evp()->init(s->ctx, evp()->sha256, NULL));
	for (int i = 0; i < 32; i++) {
		out[2 * i] = hex[d[i] >> 4];
		out[2 * i + 1] = hex[d[i] & 15];
	}
	out[64] = '\0';
}

void
sha_free(struct sha *s)
{
	if (s == NULL)
		return;
	evp()->ctx_free(s->ctx);
	free(s);
}

void
sha256_hex(const void *p, size_t n, char out[SHA_HEX])
{
	struct sha *s = sha_new();

	sha_add(s, p, n);
	sha_hex(s, out);
	sha_free(s);
}

bool
sha_blob(bool sha256, const void *p, size_t n, char out[SHA_HEX])
{
	static const char hex[] = "0123456789abcdef";
	const struct evp *f = evp();
	EVP_MD *md = sha256 ? f->sha256 : f->fetch(NULL, "SHA1", NULL);
	EVP_MD_CTX *ctx = f->ctx_new();
	char *head = xasprintf("blob %zu", n);
	unsigned char d[32];
	size_t len = sha256 ? 32 : 20;
	bool good = md != NULL && ctx != NULL && f->init(ctx, md, NULL) &&
	    f->update(ctx, head, strlen(head) + 1) && f->update(ctx, p, n) &&
	    f->final(ctx, d, NULL);

	for (size_t i = 0; i < len && good; i++) {
		out[2 * i] = hex[d[i] >> 4];
		out[2 * i + 1] = hex[d[i] & 15];
	}
	out[2 * len] = '\0';
	free(head);
	f->ctx_free(ctx);
	if (!sha256)
		f->md_free(md);
	return good;
}
