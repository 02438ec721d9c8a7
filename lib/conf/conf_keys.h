/* conf_keys.h - the one table of configuration keys, and its lookups.
 *
 * Every key of every command stands here once, with what there is to say
 * about it; conf.c knows none by name but for one derived value.  Tables with
 * a name of the user's choice: [provider.NAME] has the keys of [provider],
 * and mcp's keys stand in the table as "mcp.NAME.command" and so on.
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

/* What the repository's own, untrusted file may do with a key.  "Less" is, of
 * words the one that stands earlier in the list, of booleans false. */
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
	int64_t min, max;	/* numbers, also those of an array */
	const char *words;	/* "a|b|c": all a string may be, or NULL */
	const char *source;	/* where the default comes from */
};

extern const struct conf_key conf_keys[];
extern const size_t conf_nkeys;

/* The row of a full key or alias, NULL if unknown.  "provider.x.model" gives
 * the row of "provider.model". */
const struct conf_key *conf_key_find(const char *key);

/* Has the full key a table's name in its middle?  Its length is *len. */
const char *conf_key_name(const char *key, size_t *len);

/* The name a key is kept under: aliases give the key they stand for. */
const char *conf_key_canon(const struct conf_key *k, const char *key);

/* Is there a table of this path, for a header without keys? */
bool conf_key_is_table(const char *path);

/* How far a, as typed, is from b.  A letter or a word that was left out counts
 * less (2) than one that is wrong or too many (3); two may be changed about
 * (2). */
size_t conf_distance(const char *a, const char *b);

/* The known key that is spelled most alike; never NULL, yours to free. */
char *conf_key_nearest(const char *key);
/* The same of the tables. */
char *conf_key_nearest_table(const char *path);

/* The row that environment variable var ("HAMR_AGENT_MODE") stands for; of
 * several the one with the longest table name.  NULL if unknown. */
const struct conf_key *conf_key_env(const char *var);

/* What a value of the row must be, in words: "an integer from 1 to 9". */
void conf_key_wanted(const struct conf_key *k, struct buf *out);
