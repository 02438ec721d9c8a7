/* conf_load.c - all layers of configuration, loaded in their order. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conf_keys.h"
#include "err.h"
#include "mem.h"
#include "toml.h"
#include "conf_impl.h"

#ifndef HAMR_ETC
#define HAMR_ETC "/etc/hamr.toml"
#endif

static void
defaults(struct conf *c)
{
	c->def = xcalloc(conf_nkeys, sizeof *c->def);
	for (size_t i = 0; i < conf_nkeys; i++) {
		const struct conf_key *k = &conf_keys[i];
		struct toml_value v = { .kind = TOML_STRING };

		c->def[i].k = k;
		if (k->def == NULL)
			continue;
		if (k->type == CONF_STR || k->type == CONF_JSON)
			v.s = xstrdup(k->def);
		else if (!toml_value(k->def, strlen(k->def), &v))
			err_die(ST_BUG, "default of %s", k->key);
		conf_entry_copy(&c->def[i], &v);
		toml_release(&v);
	}
}

static int
load_user(struct conf *c, struct err *e)
{
	char *path = conf_user_path();
	int r = path == NULL ? 0 : conf_load_file(c, path, LAYER_USER, e);

	free(path);
	return r;
}

/* ---- environment, options ---- */

static void
unknown_var(const char *var)
{
	char *s = xstrdup(var + 5), *near;

	for (char *p = s; *p != '\0'; p++)
		if (*p >= 'A' && *p <= 'Z')
			*p = (char)(*p - 'A' + 'a');
	near = conf_key_nearest(s);
	err_say("unknown variable %.200s in the environment; nearest known "
	    "key is \"%s\"", var, near);
	free(near);
	free(s);
}

static int
load_env(struct conf *c, bool quiet, struct err *e)
{
	int r = 0;

	for (char **p = environ; p != NULL && *p != NULL && r == 0; p++) {
		size_t n = strcspn(*p, "=");
		const struct conf_key *k;
		struct source at = { .c = c, .layer = LAYER_ENV };
		char *var;

		if (strncmp(*p, "HAMR_", 5) != 0 || (*p)[n] != '=')
			continue;
		var = xmemdup0(*p, n);
		k = conf_key_env(var);
		at.where = var;
		if (k != NULL)
			r = conf_put_text(&at, k->key, *p + n + 1, e);
		else if (strcmp(var, "HAMR_SHARE") != 0 && !quiet)
			unknown_var(var);
		free(var);
	}
	return r;
}

static int
set_option(struct conf *c, const char *arg, struct err *e)
{
	struct source at = { .c = c, .layer = LAYER_SET, .where = "-o" };
	const char *eq = strchr(arg, '=');
	char *key;
	int r;

	if (eq == NULL || eq == arg)
		return err_set(e, ST_USAGE, "-o wants KEY=VALUE, not \"%s\"",
		    arg);
	key = xmemdup0(arg, (size_t)(eq - arg));
	r = conf_put_text(&at, key, eq + 1, e);
	free(key);
	return r;
}

/* ---- all ---- */

struct conf *
conf_load(const struct conf_opts *o, struct err *e)
{
	struct conf *c = xcalloc(1, sizeof *c);
	int r = 0;

	defaults(c);
	if (!o->none) {
		r = conf_load_file(c, HAMR_ETC, LAYER_ETC, e);
		if (r == 0)
			r = load_user(c, e);
		if (r == 0 && o->root != NULL)
			r = conf_load_repo(c, o->root, o->quiet, e);
		if (r == 0)
			r = load_env(c, o->quiet, e);
	}
	for (size_t i = 0; i < o->nset && r == 0; i++)
		r = set_option(c, o->set[i], e);
	if (r < 0) {
		conf_free(c);
		return NULL;
	}
	conf_derive(c);
	return c;
}

int
conf_set(struct conf *c, const char *key, const char *value,
    const char *origin, struct err *e)
{
	struct source at = { .c = c, .layer = LAYER_FLAG,
	    .where = origin != NULL ? origin : "flag" };

	if (conf_put_text(&at, key, value, e) < 0)
		return -1;
	conf_derive(c);
	return 0;
}

static void
names_free(struct names *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->p[i]);
	free(l->p);
}

void
conf_free(struct conf *c)
{
	if (c == NULL)
		return;
	for (size_t i = 0; i < conf_nkeys; i++)
		conf_entry_clear(&c->def[i]);
	for (size_t i = 0; i < c->n; i++) {
		conf_entry_clear(&c->set[i]);
		free(c->set[i].name);
	}
	for (int i = 0; i < CONF_NAMED; i++)
		names_free(&c->names[i]);
	names_free(&c->trust);
	free(c->def);
	free(c->set);
	free(c);
}
