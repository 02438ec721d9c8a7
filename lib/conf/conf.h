/* conf.h - configuration: one table of keys, files in a subset of TOML.
 *
 * Chapter 1.7 of the specification.  One table (conf_keys.c) has every key of
 * every command: type, default, range, mark, source of the default.
 * Sources, weakest first: the table, /etc/hamr.toml, the user's
 * $XDG_CONFIG_HOME/hamr/config.toml, .hamr/config.toml of the repository
 * (untrusted: marks), environment HAMR_*, -o key=value, named flags.
 * A struct conf is read-only once loaded; strings it returns are borrowed
 * from it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "place.h"		/* conf_root, conf_share, conf_user_path */

struct conf;

/* What a command line says about configuration. */
struct conf_opts {
	bool none;		/* --no-config: no file and no environment */
	const char *root;	/* the repository root whose .hamr/config.toml
				 * is read; NULL: none */
	const char **set;	/* the -o arguments, "key=value", in order */
	size_t nset;
	bool quiet;		/* no warnings on stderr (every stage but one
				 * of a pipeline would repeat them) */
};

/* Load everything.  NULL with e (ST_CONFIG, "FILE:LINE: ..."; ST_USAGE for a
 * bad -o).  Warnings (ignored untrusted keys, unknown HAMR_ variables) go to
 * stderr, one line each. */
struct conf *conf_load(const struct conf_opts *o, struct err *e);
void conf_free(struct conf *c);

/* Values by full key, e.g. "agent.max_model_steps".  The key must be in the
 * table with that type, else it is a bug (status 70).  Keys of the tables
 * [provider.NAME] and [mcp.NAME] are given with their name. */
int64_t conf_int(const struct conf *c, const char *key);
double conf_num(const struct conf *c, const char *key);
bool conf_bool(const struct conf *c, const char *key);
const char *conf_str(const struct conf *c, const char *key);	/* "" unset */
/* A list of strings, ended by NULL; *n is its length.  Numbers in lists are
 * strings. */
const char *const *conf_list(const struct conf *c, const char *key, size_t *n);

/* Programs with their arguments: *n vectors, each ended by NULL. */
const char *const *const *conf_argvs(const struct conf *c, const char *key,
    size_t *n);

/* Did any source but the table set the key? */
bool conf_is_set(const struct conf *c, const char *key);
/* Its source: "default", "/etc/hamr.toml:3", "HAMR_X", "-o", "flag". */
const char *conf_origin(const struct conf *c, const char *key);

struct conf_source {
	int rank;		/* of its source: 0 is the table, and higher is
				 * stronger */
	bool derived;		/* from another key that was set */
	const char *overridden;	/* the string that the next weaker source had
				 * set; NULL: none had */
};
struct conf_source conf_source(const struct conf *c, const char *key);

/* Set a key from a named flag, the strongest source; value is as for -o.  0, or
 * -1 with e. */
int conf_set(struct conf *c, const char *key, const char *value,
    const char *origin, struct err *e);

/* Is it a key, and may it have this value, given as JSON? */
bool conf_takes(struct slice key, struct slice value);

/* Names under a table: the NAMEs of [provider.NAME] or [mcp.NAME]. */
const char *const *conf_names(const struct conf *c, const char *table,
    size_t *n);

/* One line per key, sorted: key = value  # origin. As TOML. */
void conf_print(const struct conf *c, struct buf *out);

/* Trust root's repository file as it is now: write its path and SHA-256 into
 * [trust] of the user's own configuration file (created if missing, other
 * content kept byte for byte, replaced atomically).  0, or -1 with e:
 * ST_NOINPUT if there is no such file, ST_POLICY if it is one that is never
 * read. */
int conf_trust(const char *root, struct err *e);

/* Is there a repository file, and was it trusted when c was loaded? */
bool conf_is_trusted(const struct conf *c);

/* Does [allow] of the user's own file always allow this in the repository at
 * root?  what is "command make test" or "path src/main.c", matched exactly.
 * conf_allow adds an entry there, as conf_trust does. */
bool conf_allows(const struct conf *c, const char *root, const char *what);
int conf_allow(const char *root, const char *what, struct err *e);
