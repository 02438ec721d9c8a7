/* conf_put.c - one value from anywhere: checked, allowed, kept. */
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "conf_keys.h"
#include "err.h"
#include "mem.h"
#include "toml.h"
#include "utf8.h"
#include "conf_impl.h"

/* ---- what is wrong with it ---- */

static int
wrong(const struct source *at, const char *name, const struct conf_key *k,
    const struct toml_value *v, struct err *e)
{
	struct buf b = BUF_INIT(1000);

	buf_fmt(&b, "key \"%s\" wants ", name);
	conf_key_wanted(k, &b);
	buf_adds(&b, ", not ");
	conf_value_got(k, v, &b);
	err_set(e, ST_CONFIG, "%s: %s", at->where, b.p);
	buf_release(&b);
	return -1;
}

static int
unknown(const struct source *at, const char *name, struct err *e)
{
	char *near = conf_key_nearest(name);
	int shown = (int)utf8_cut(name, strlen(name), 200);

	err_set(e, ST_CONFIG,
	    "%s: unknown key \"%.*s\"; nearest known key is \"%s\"",
	    at->where, shown, name, near);
	free(near);
	return -1;
}

/* ---- kept ---- */

static void
add_name(struct names *l, const char *p, size_t n)
{
	size_t i;

	for (i = 0; i < l->n; i++) {
		int d = strncmp(l->p[i], p, n);

		if (d == 0 && l->p[i][n] == '\0')
			return;
		if (d > 0 || (d == 0 && l->p[i][n] != '\0'))
			break;
	}
	l->p = xgrow(l->p, l->n, &l->cap, sizeof *l->p);
	memmove(&l->p[i + 1], &l->p[i], (l->n - i) * sizeof *l->p);
	l->p[i] = xmemdup0(p, n);
	l->n++;
}

void
conf_note_name(struct conf *c, const char *key)
{
	size_t n;
	const char *p = conf_key_name(key, &n);

	if (p != NULL)
		add_name(&c->names[*key == 'm'], p, n);
}

static struct entry *
store(struct source *at, const struct conf_key *k, const char *name,
    const struct toml_value *v)
{
	struct conf *c = at->c;
	struct entry *en = conf_entry_find(c, name);
	char *was = NULL;

	if (en != NULL && en->layer < at->layer && en->v.s != NULL)
		was = xstrdup(en->v.s);
	else if (en != NULL && en->overridden != NULL)
		was = xstrdup(en->overridden);
	if (en == NULL) {
		c->set = xgrow(c->set, c->n, &c->cap, sizeof *c->set);
		en = &c->set[c->n++];
		*en = (struct entry){ .k = k, .name = xstrdup(name) };
	}
	conf_entry_clear(en);
	conf_entry_copy(en, v);
	en->origin = xstrdup(at->where);
	en->layer = at->layer;
	en->overridden = was;
	en->derived = false;
	conf_note_name(c, name);
	return en;
}

/* ---- allowed ---- */

static bool
is_stricter(const struct source *at, const struct conf_key *k,
    const char *name, const struct toml_value *v)
{
	const struct entry *now = conf_in_force(at->c, k, name);
	double a = conf_value_weight(k, v), b;

	if (k->mark == MARK_LESS_0 && a == 0)
		return false;
	if (now->layer == LAYER_DEFAULT && k->def == NULL)
		return true;
	b = conf_value_weight(k, &now->v);
	if (k->mark == MARK_LESS_0 && b == 0)
		return true;
	return k->mark == MARK_MORE ? a > b : a < b;
}

void
conf_ignore(struct source *at, const char *what)
{
	buf_fmt(&at->ignored, "%s%s", at->ignored.len > 0 ? ", " : "", what);
}

/* May the repository's file set this?  Notes what it may not. */
static bool
may(struct source *at, const struct conf_key *k, const char *name,
    const struct toml_value *v)
{
	size_t n;

	if (at->layer != LAYER_REPO || !at->c->untrusted)
		return true;
	if (k->mark == MARK_NO || conf_key_name(name, &n) != NULL) {
		conf_ignore(at, name);
		return false;
	}
	return k->mark == MARK_YES || is_stricter(at, k, name, v);
}

/* ---- from anywhere ---- */

/* One value from anywhere. */
int
conf_put(struct source *at, const char *key, const struct toml_value *v,
    struct err *e)
{
	const struct conf_key *k = conf_key_find(key);
	const struct entry *was;
	const char *name;

	if (k == NULL)
		return unknown(at, key, e);
	if (!conf_value_fits(k, v))
		return wrong(at, key, k, v, e);
	name = conf_key_canon(k, key);
	was = conf_entry_find(at->c, name);
	if (was != NULL && was->layer == at->layer && at->layer <= LAYER_ENV)
		return err_set(e, ST_CONFIG, "%s: key \"%s\" twice (%s, "
		    "by one of its names)", at->where, name, was->origin);
	if (may(at, k, name, v))
		store(at, k, name, v);
	return 0;
}

int
conf_put_text(struct source *at, const char *key, const char *text,
    struct err *e)
{
	const struct conf_key *k = conf_key_find(key);
	size_t n = strlen(text);
	struct toml_value v;
	int r;

	if (utf8_check(text, n) < n)
		return err_set(e, ST_CONFIG, "%s: the value of \"%s\" is not "
		    "UTF-8", at->where, key);
	if (!toml_value(text, n, &v) || (k != NULL && v.kind != TOML_STRING &&
	    (k->type == CONF_STR || k->type == CONF_JSON))) {
		toml_release(&v);
		v.kind = TOML_STRING;
		v.s = xstrdup(text);
	}
	r = conf_put(at, key, &v, e);
	toml_release(&v);
	return r;
}

/* Hermes counts warnings before a block where we have the block's threshold;
 * the stronger layer decides, and our own key within one. */
void
conf_derive(struct conf *c)
{
	static const char warns[] = "loop_guard.max_warnings_before_block";
	static const char block[] = "loop_guard.block_threshold";
	const struct entry *w = conf_entry_find(c, warns), *b;
	struct toml_value v = { .kind = TOML_INT };
	struct source at = { .c = c };

	b = conf_entry_find(c, block);
	if (w == NULL || (b != NULL && !b->derived && b->layer >= w->layer))
		return;
	v.i = conf_int(c, "loop_guard.warn_threshold") + w->v.i;
	v.d = (double)v.i;
	if (w->layer == LAYER_REPO && c->untrusted && v.i >= conf_int(c, block))
		return;
	at.layer = w->layer;
	at.where = w->origin;
	v.s = xasprintf("%lld", (long long)v.i);
	store(&at, conf_key_find(block), block, &v)->derived = true;
	toml_release(&v);
}
