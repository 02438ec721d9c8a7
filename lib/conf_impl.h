/* conf_impl.h - the inside of configuration; of conf_*.c only.
 *
 * Layers of values over the one table of keys.  conf_value knows one value,
 * conf_get what is in force, conf_put how a value gets in, conf_file and
 * conf_repo what a file may say, conf_trust how trust is given, conf_load
 * the order of it all.
 */
#ifndef HAMR_CONF_IMPL_H
#define HAMR_CONF_IMPL_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "conf.h"
#include "conf_keys.h"
#include "err.h"
#include "sha.h"
#include "toml.h"

#define CONF_FILE_MAX ((size_t)1 << 20)
#define CONF_NAMED 2		/* tables with names: provider, mcp */

/* Weakest first.  Up to LAYER_ENV a key stands once in each. */
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
	bool derived;		/* by conf_derive(), not said by anybody */
	char *overridden;	/* the string it replaced, or NULL */
	struct toml_value v;
	const char **list;	/* of an array: the texts, NULL at the end, and
				 * of arrays at the end of each */
	const char *const **argvs;	/* CONF_ARGVS: where each begins */
	size_t nargvs;
};

struct names {
	char **p;
	size_t n, cap;
};

struct conf {
	struct entry *def;	/* beside the rows of the table */
	struct entry *set;	/* what something set, in no order */
	size_t n, cap;
	struct names names[CONF_NAMED];
	struct names trust;	/* path, hash, path, hash, ... */
	bool untrusted;		/* of the repository's file, if there is one */
};

/* Where a value comes from. */
struct source {
	struct conf *c;
	enum layer layer;
	const char *where;	/* "FILE:LINE", "HAMR_X", "-o": the origin */
	const char *file;
	char *pending;		/* the error that an unknown [x] is if no key
				 * follows to say it better */
	struct buf ignored;	/* keys an untrusted file may not set */
};

/* conf_value.c */
void conf_entry_copy(struct entry *en, const struct toml_value *v);
void conf_entry_clear(struct entry *en);
bool conf_value_fits(const struct conf_key *k, const struct toml_value *v);
/* What somebody set instead; texts only where a word was wanted, since
 * elsewhere they may be a secret in the wrong place. */
void conf_value_got(const struct conf_key *k, const struct toml_value *v,
    struct buf *out);
/* A number by which two values of a key that can be tightened compare. */
double conf_value_weight(const struct conf_key *k, const struct toml_value *v);

/* conf_get.c */
struct entry *conf_entry_find(const struct conf *c, const char *name);
/* The value in force: the set one, else the default. */
const struct entry *conf_in_force(const struct conf *c,
    const struct conf_key *k, const char *key);
const struct entry *conf_entry(const struct conf *c, const char *key);

/* conf_put.c */
/* Remember the NAME of "provider.NAME.x". */
void conf_note_name(struct conf *c, const char *key);
void conf_ignore(struct source *at, const char *what);
int conf_put(struct source *at, const char *key, const struct toml_value *v,
    struct err *e);
/* The value of a variable or -o: TOML, else a string. */
int conf_put_text(struct source *at, const char *key, const char *text,
    struct err *e);
/* The one value that follows from others; call it when they are in. */
void conf_derive(struct conf *c);

/* conf_file.c */
int conf_parse(struct source *at, const struct buf *text, struct err *e);
int conf_load_file(struct conf *c, const char *path, enum layer layer,
    struct err *e);

/* conf_repo.c */
struct repo_file {
	char *path;		/* real and whole; NULL if root is none */
	int fd;			/* -1: not there */
	const char *why;	/* why it is not to be read, NULL if it is */
	int dir;		/* its folder; -1: as fd */
};

/* The file of the repository at root; close it in any case. */
int conf_repo_open(struct repo_file *f, const char *root, struct err *e);
/* What is trusted: by its text (read from fd), and by all in commands/ and
 * skills/ beside it, if there is anything. */
void conf_repo_hash(const struct repo_file *f, struct slice text,
    char hash[SHA_HEX]);
void conf_repo_close(struct repo_file *f);
int conf_load_repo(struct conf *c, const char *root, bool quiet,
    struct err *e);

#endif
