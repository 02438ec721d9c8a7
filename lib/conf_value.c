/* conf_value.c - one value: does it fit its key, which of two is stricter. */
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "conf_keys.h"
#include "mem.h"
#include "scan.h"
#include "toml.h"
#include "conf_impl.h"

/* ---- kept ---- */

static void
copy_array(struct entry *en, const struct toml_value *v)
{
	en->v.v = xcalloc(v->n, sizeof *en->v.v);
	en->v.n = v->n;
	en->list = xcalloc(v->n + 1, sizeof *en->list);
	for (size_t i = 0; i < v->n; i++) {
		en->v.v[i].kind = v->v[i].kind;
		en->v.v[i].s = xstrdup(v->v[i].s);
		en->list[i] = en->v.v[i].s;
	}
}

void
conf_entry_copy(struct entry *en, const struct toml_value *v)
{
	en->v = (struct toml_value){ .kind = v->kind, .i = v->i, .d = v->d,
	    .b = v->b };
	en->list = NULL;
	if (v->s != NULL)
		en->v.s = xstrdup(v->s);
	if (v->kind == TOML_ARRAY)
		copy_array(en, v);
}

void
conf_entry_clear(struct entry *en)
{
	toml_release(&en->v);
	free(en->list);
	free(en->origin);
	en->list = NULL;
	en->origin = NULL;
}

/* ---- type and range ---- */

static bool
is_number(const struct toml_value *v)
{
	return v->kind == TOML_INT || v->kind == TOML_FLOAT;
}

static bool
is_type(enum conf_type type, const struct toml_value *v)
{
	switch (type) {
	case CONF_INT:
		return v->kind == TOML_INT;
	case CONF_NUM:
		return is_number(v);
	case CONF_BOOL:
		return v->kind == TOML_BOOL;
	case CONF_STR:
	case CONF_JSON:
		return v->kind == TOML_STRING;
	case CONF_LIST:
		return v->kind == TOML_ARRAY &&
		    (v->n == 0 || v->v[0].kind == TOML_STRING);
	case CONF_NUMS:
		return v->kind == TOML_ARRAY &&
		    (v->n == 0 || is_number(&v->v[0]));
	}
	return false;
}

/* The place of a word in "a|b|c", -1 if it is none of them. */
static int
word(const char *words, const char *s)
{
	size_t n = strlen(s);

	for (int i = 0; ; i++) {
		size_t len = strcspn(words, "|");

		if (len == n && memcmp(words, s, n) == 0)
			return i;
		if (words[len] == '\0')
			return -1;
		words += len + 1;
	}
}

static bool
is_json_object(const char *s)
{
	struct scan sc = { 0 };
	bool ok = *s == '\0' || scan_record(&sc, s, strlen(s)) == 0;

	scan_release(&sc);
	return ok;
}

static bool
in_range(const struct conf_key *k, const struct toml_value *v)
{
	if (k->words != NULL)
		return word(k->words, v->s) >= 0;
	if (k->type == CONF_JSON)
		return is_json_object(v->s);
	for (size_t i = 0; i < v->n; i++)
		if (k->type == CONF_NUMS && !in_range(k, &v->v[i]))
			return false;
	if (!is_number(v) || k->min >= k->max)
		return true;
	if (v->kind == TOML_INT)
		return v->i >= k->min && v->i <= k->max;
	return v->d >= (double)k->min && v->d <= (double)k->max;
}

bool
conf_value_fits(const struct conf_key *k, const struct toml_value *v)
{
	return is_type(k->type, v) && in_range(k, v);
}

void
conf_value_got(const struct conf_key *k, const struct toml_value *v,
    struct buf *out)
{
	if (v->kind == TOML_STRING && k->words != NULL && strlen(v->s) <= 60)
		toml_quote(out, v->s);
	else if (is_number(v))
		buf_adds(out, v->s);
	else if (v->kind == TOML_ARRAY && v->n > 0)
		buf_fmt(out, "an array that begins with %s",
		    toml_kind_name(v->v[0].kind));
	else
		buf_adds(out, toml_kind_name(v->kind));
}

double
conf_value_weight(const struct conf_key *k, const struct toml_value *v)
{
	if (k->words != NULL)
		return word(k->words, v->s);
	if (v->kind == TOML_BOOL)
		return v->b;
	return v->d;
}
