/* conf_keys.h - the one table of configuration keys, and its lookups.
 *
 * Every key of every command is here once, with everything about it; conf.c
 * knows no key by name except for one derived value.  Of the tables that the
 * user names, [provider.NAME] has the keys of [provider], and mcp's keys are
 * in the table as "mcp.NAME.command" and so on.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

enum conf_type {
	CONF_INT,
	CONF_NUM,		/* a float; an integer is taken as one */
	CONF_BOOL,
	CONF_STR,
	CONF_JSON,		/* a string that holds a JSON object, or "" */
	CONF_LIST,		/* an array of strings */
	CONF_ARGVS,		/* a program with its arguments as an array of
				 * strings, or an array of such arrays */
	CONF_NUMS,		/* an array of numbers, kept as texts */
	CONF_TEXTS		/* an array of strings or one of numbers */
};

/* What the repository's own, untrusted file may do with a key.  "Less" means
 * earlier in the list for words, and false for booleans. */
enum conf_mark {
	MARK_YES,
	MARK_NO,
	MARK_LESS,		/* tighten: less is stricter */
	MARK_LESS_0,		/* the same, but 0 means no limit at all */
	MARK_MORE		/* tighten: more is stricter */
};

struct conf_key {
	const char *key;	/* "agent.max_model_steps" */
	enum conf_type type;
	enum conf_mark mark;
	const char *def;	/* default: TOML, but plain text for strings
				 * (lists in '...'); NULL: not set */
	int64_t min, max;	/* of numbers, in arrays too */
	const char *words;	/* "a|b|c": the only strings allowed; or NULL */
	const char *source;	/* where the default comes from */
};

extern const struct conf_key conf_keys[];
extern const size_t conf_nkeys;

/* The row of a full key or alias, NULL if unknown.  "provider.x.model" finds
 * the row of "provider.model". */
const struct conf_key *conf_key_find(const char *key);

/* The NAME of its table within a full key, *len bytes; NULL: it has none. */
const char *conf_key_name(const char *key, size_t *len);

/* The name a key is kept under: for an alias, the key it stands for. */
const char *conf_key_canon(const struct conf_key *k, const char *key);

/* Is there a table with this path?  For a header without keys. */
bool conf_key_is_table(const char *path);

/* The edit distance from a, as typed, to b: 2 for a letter left out, 3 for a
 * wrong or extra one, 2 for two neighbors swapped. */
size_t conf_distance(const char *a, const char *b);

/* The known key with the nearest spelling; never NULL, the caller frees it. */
char *conf_key_nearest(const char *key);
/* The same for tables. */
char *conf_key_nearest_table(const char *path);

/* The row that environment variable var ("HAMR_AGENT_MODE") stands for; if
 * several fit, the one with the longest table name.  NULL if unknown. */
const struct conf_key *conf_key_env(const char *var);

/* Append what a value of the row must be: "an integer from 1 to 9". */
void conf_key_wanted(const struct conf_key *k, struct buf *out);
