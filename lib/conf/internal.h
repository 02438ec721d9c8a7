/* internal.h - what conf.c and conf_trust.c share. */
#pragma once

#include "base/mem.h"
#include "conf.h"
#include "conf_keys.h"
#include "toml.h"

#define CONF_FILE_MAX ((size_t)1 << 20)
#define CONF_NAMED 2		/* tables with names: provider, mcp */

/* Weakest first.  Up to LAYER_ENV, a key can occur once in each. */
enum layer {
	LAYER_DEFAULT,
	LAYER_ETC,
	LAYER_USER,
	LAYER_REPO,
	LAYER_ENV,
	LAYER_SET,
	LAYER_FLAG
};

struct entry {
	const struct conf_key *k;
	char *name;		/* canonical; NULL for a default */
	char *origin;
	enum layer layer;
	bool derived;		/* from other keys; nobody set it */
	char *overridden;	/* the string it replaced, or NULL */
	struct toml_value v;
	const char **list;	/* an array's texts, ended by NULL; of nested
				 * arrays, each is ended by NULL */
	const char *const **argvs;	/* CONF_ARGVS: where each begins */
	size_t nargvs;
};

struct conf {
	struct entry *def;	/* defaults, parallel to the table's rows */
	struct entry *set;	/* the keys that were set, unordered */
	size_t n, cap;
	struct texts names[CONF_NAMED];
	struct texts trust;	/* path, hash, path, hash, ... */
	struct texts allow;	/* root, what, root, what, ... */
	bool trusted, untrusted;	/* of the repository's file, if there
					 * is one */
};

/* Where a value comes from. */
struct source {
	struct conf *c;
	enum layer layer;
	const char *where;	/* "FILE:LINE", "HAMR_X", "-o": the origin */
	const char *file;
	char *pending;		/* the error for an unknown [x], unless a key
				 * that follows has a better one */
	struct buf ignored;	/* keys an untrusted file may not set */
};

/* Is (a, b) one of the pairs in the list? */
bool texts_pair(const struct texts *l, const char *a, const char *b);

bool conf_value_fits(const struct conf_key *k, const struct toml_value *v);

/* Take in the text of a file. */
int conf_parse(struct source *at, const struct buf *text, struct err *e);

/* Take in the file of the repository at root, if there is one. */
int conf_load_repo(struct conf *c, const char *root, bool quiet,
    struct err *e);
