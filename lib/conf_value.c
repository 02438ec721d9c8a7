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
copy(struct toml_value *to, const struct toml_value *v)
{
	*to = (struct toml_value){ .kind = v->kind, .i = v->i, .d = v->d,
	    .b = v->b };
	if (v->s != NULL)
		to->s = xstrdup(v->s);
	if (v->kind != TOML_ARRAY)
		return;
	to->v = xcalloc(v->n, sizeof *to->v);
	to->n = v->n;
	for (size_t i = 0; i < v->n; i++)
		copy(&to->v[i], &v->v[i]);
}

static bool
is_nested(const struct toml_value *v)
{
	return v->n > 0 && v->v[0].kind == TOML_ARRAY;
}

static size_t
add_texts(struct entry *en, size_t at, const struct toml_value *v)
{
	for (size_t i = 0; i < v->n; i++)
		en->list[at++] = v->v[i].s;
	return at + 1;
}

/* The texts of its array, or of the arrays in it. */
static void
list_texts(struct entry *en)
{
	const struct toml_value *v = &en->v;
	size_t n = v->n + 1, at = 0;

	for (size_t i = 0; i < v->n && is_nested(v); i++)
		n += v->v[i].n;
	en->list = xcalloc(n, sizeof *en->list);
	en->argvs = xcalloc(v->n, sizeof *en->argvs);
	for (size_t i = 0; i < v->n && is_nested(v); i++) {
		en->argvs[en->nargvs++] = en->list + at;
		at = add_texts(en, at, &v->v[i]);
	}
	if (v->n > 0 && !is_nested(v)) {
		en->argvs[en->nargvs++] = en->list;
		add_texts(en, 0, v);
	}
}

void
conf_entry_copy(struct entry *en, const struct toml_value *v)
{
	copy(&en->v, v);
	en->list = NULL;
	en->argvs = NULL;
	en->nargvs = 0;
	if (v->kind == TOML_ARRAY)
		list_texts(en);
}

void
conf_entry_clear(struct entry *en)
{
	toml_release(&en->v);
	free(en->list);
	free(en->argvs);
	free(en->origin);
	free(en->overridden);
	en->list = NULL;
	en->argvs = NULL;
	en->origin = en->overridden = NULL;
}

/* ---- type and range ---- */

static bool
is_number(const struct toml_value *v)
{
	return v->kind == TOML_INT || v->kind == TOML_FLOAT;
}

static bool
is_strings(const struct toml_value *v)
{
	return v->kind == TOML_ARRAY &&
	    (v->n == 0 || v->v[0].kind == TOML_STRING);
}

static bool
is_argvs(const struct toml_value *v)
{
	if (!is_nested(v))
		return is_strings(v);
	for (size_t i = 0; i < v->n; i++)
		if (v->v[i].n == 0 || !is_strings(&v->v[i]))
			return false;
	return true;
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
		return is_strings(v);
	case CONF_ARGVS:
		return is_argvs(v);
	case CONF_NUMS:
		return v->kind == TOML_ARRAY &&
		    (v->n == 0 || is_number(&v->v[0]));
	case CONF_TEXTS:
		return is_type(CONF_LIST, v) || is_type(CONF_NUMS, v);
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
		if (!in_range(k, &v->v[i]))
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
