/* conf_keys.c - lookups in the table of keys: by name, variable, table. */
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "mem.h"
#include "toml.h"
#include "conf_keys.h"

bool
conf_key_next(const struct conf_key *k, struct slice *s)
{
	const char *p = k->alias;

	if (s->p == NULL) {
		*s = slice_of(k->key);
		return true;
	}
	if (s->p != k->key)
		p = s->p[s->n] == ' ' ? s->p + s->n + 1 : NULL;
	if (p == NULL)
		return false;
	*s = (struct slice){ p, strcspn(p, " ") };
	return true;
}

struct slice
conf_key_last(struct slice s)
{
	size_t n = s.n;

	while (n > 0 && s.p[n - 1] != '.')
		n--;
	return (struct slice){ s.p + n, s.n - n };
}

static const struct conf_key *
row(struct slice name)
{
	for (size_t i = 0; i < conf_nkeys; i++) {
		struct slice s = { NULL, 0 };

		while (conf_key_next(&conf_keys[i], &s))
			if (slice_eq(s, name))
				return &conf_keys[i];
	}
	return NULL;
}

bool
conf_key_is_named(const struct conf_key *k)
{
	return strncmp(k->key, "mcp.", 4) == 0;
}

/* May the n bytes at p, behind "provider." or "mcp.", be a table's name?
 * Not if [provider] has a key of that name. */
static bool
is_name(const char *key, const char *p, size_t n)
{
	char *s = xmemdup0(p, n);
	bool ok = n <= 64 && toml_is_bare(s) && !(*key == 'p' &&
	    row((struct slice){ key, (size_t)(p - key) + n }) != NULL);

	free(s);
	return ok;
}

const char *
conf_key_name(const char *key, size_t *len)
{
	const char *p = strncmp(key, "provider.", 9) == 0 ? key + 9 :
	    strncmp(key, "mcp.", 4) == 0 ? key + 4 : NULL;

	if (p == NULL)
		return NULL;
	*len = strcspn(p, ".");
	return p[*len] == '.' && is_name(key, p, *len) ? p : NULL;
}

const struct conf_key *
conf_key_find(const char *key)
{
	const struct conf_key *k;
	const char *name;
	char *plain;
	size_t n;

	name = conf_key_name(key, &n);
	if (name == NULL)
		return row(slice_of(key));
	plain = xasprintf("%s%s", *key == 'p' ? "provider" : "mcp.NAME",
	    name + n);
	k = row(slice_of(plain));
	free(plain);
	return k;
}

const char *
conf_key_canon(const struct conf_key *k, const char *key)
{
	size_t n;

	return conf_key_name(key, &n) != NULL ? key : k->key;
}

bool
conf_key_is_table(const char *path)
{
	char *inner = xasprintf("%s.", path);
	size_t n;
	const char *name = conf_key_name(inner, &n);
	bool found = name != NULL && name[n + 1] == '\0';

	for (size_t i = 0; i < conf_nkeys && !found; i++) {
		struct slice s = { NULL, 0 };

		while (conf_key_next(&conf_keys[i], &s))
			found |= slice_starts(s, inner);
	}
	free(inner);
	return found;
}

static bool
is_var(struct slice name, const char *var)
{
	if (strncmp(var, "HAMR_", 5) != 0)
		return false;
	for (size_t i = 0; i < name.n; i++) {
		char c = name.p[i] == '.' ? '_' : name.p[i];

		if (c >= 'a' && c <= 'z')
			c = (char)(c - 'a' + 'A');
		if (var[5 + i] != c)
			return false;
	}
	return var[5 + name.n] == '\0';
}

const struct conf_key *
conf_key_env(const char *var)
{
	const struct conf_key *best = NULL;
	size_t longest = 0;

	for (size_t i = 0; i < conf_nkeys; i++) {
		struct slice s = { NULL, 0 };

		while (conf_key_next(&conf_keys[i], &s)) {
			size_t n = s.n - conf_key_last(s).n;

			if (conf_key_is_named(&conf_keys[i]) ||
			    n <= longest || !is_var(s, var))
				continue;
			longest = n;
			best = &conf_keys[i];
		}
	}
	return best;
}

static void
words(const char *p, struct buf *out)
{
	buf_adds(out, "one of \"");
	for (; *p != '\0'; p++) {
		if (*p == '|')
			buf_adds(out, "\", \"");
		else
			buf_addc(out, *p);
	}
	buf_addc(out, '"');
}

void
conf_key_wanted(const struct conf_key *k, struct buf *out)
{
	static const char *const names[] = { "an integer", "a number",
	    "true or false", "a string", "a string that holds a JSON object",
	    "an array of strings",
	    "an array of strings or of such arrays, none empty",
	    "an array of numbers", "an array of strings or numbers" };

	if (k->words != NULL)
		words(k->words, out);
	else
		buf_adds(out, names[k->type]);
	if (k->min < k->max)
		buf_fmt(out, " from %lld to %lld", (long long)k->min,
		    (long long)k->max);
}
