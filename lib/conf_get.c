/* conf_get.c - the values in force. */
#include <string.h>

#include "conf_keys.h"
#include "err.h"
#include "conf_impl.h"

struct entry *
conf_entry_find(const struct conf *c, const char *name)
{
	for (size_t i = 0; i < c->n; i++)
		if (strcmp(c->set[i].name, name) == 0)
			return &c->set[i];
	return NULL;
}

const struct entry *
conf_in_force(const struct conf *c, const struct conf_key *k, const char *key)
{
	const struct entry *en = conf_entry_find(c, conf_key_canon(k, key));

	return en != NULL ? en : &c->def[k - conf_keys];
}

const struct entry *
conf_entry(const struct conf *c, const char *key)
{
	const struct conf_key *k = conf_key_find(key);

	if (k == NULL)
		err_die(ST_BUG, "configuration has no such key: %s", key);
	return conf_in_force(c, k, key);
}

/* The entry in force for a key of the types from a to b; anything else is a
 * bug of the caller. */
static const struct entry *
get(const struct conf *c, const char *key, enum conf_type a, enum conf_type b)
{
	const struct conf_key *k = conf_key_find(key);

	if (k == NULL || k->type < a || k->type > b)
		err_die(ST_BUG, "configuration has no such key: %s", key);
	return conf_in_force(c, k, key);
}

int64_t
conf_int(const struct conf *c, const char *key)
{
	return get(c, key, CONF_INT, CONF_INT)->v.i;
}

double
conf_num(const struct conf *c, const char *key)
{
	return get(c, key, CONF_NUM, CONF_NUM)->v.d;
}

bool
conf_bool(const struct conf *c, const char *key)
{
	return get(c, key, CONF_BOOL, CONF_BOOL)->v.b;
}

const char *
conf_str(const struct conf *c, const char *key)
{
	const char *s = get(c, key, CONF_STR, CONF_JSON)->v.s;

	return s != NULL ? s : "";
}

const char *const *
conf_list(const struct conf *c, const char *key, size_t *n)
{
	const struct entry *en = get(c, key, CONF_LIST, CONF_TEXTS);

	*n = en->v.n;
	return en->list;
}

const char *const *const *
conf_argvs(const struct conf *c, const char *key, size_t *n)
{
	const struct entry *en = get(c, key, CONF_ARGVS, CONF_ARGVS);

	*n = en->nargvs;
	return en->argvs;
}

bool
conf_is_set(const struct conf *c, const char *key)
{
	return conf_entry(c, key)->layer != LAYER_DEFAULT;
}

bool
conf_is_derived(const struct conf *c, const char *key)
{
	return conf_entry(c, key)->derived;
}

const char *
conf_origin(const struct conf *c, const char *key)
{
	const char *s = conf_entry(c, key)->origin;

	return s != NULL ? s : "default";
}

int
conf_rank(const struct conf *c, const char *key)
{
	return (int)conf_entry(c, key)->layer;
}

const char *
conf_overridden(const struct conf *c, const char *key)
{
	return conf_entry(c, key)->overridden;
}

const char *const *
conf_names(const struct conf *c, const char *table_name, size_t *n)
{
	const struct names *l = &c->names[strcmp(table_name, "mcp") == 0];

	*n = l->n;
	return (const char *const *)l->p;
}
