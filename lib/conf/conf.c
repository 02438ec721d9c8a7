/* conf.c - configuration: layers of values over the one table of keys. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "internal.h"
#include "json/scan.h"
#include "json/sha.h"

#ifndef HAMR_ETC
#define HAMR_ETC "/etc/hamr.toml"
#endif
#define SET "HAMR_SET"		/* KEY=VALUE a line, as by -o */

/* ---- one value ---- */

static bool
is_nested(const struct toml_value *v)
{
	return v->n > 0 && v->v[0].kind == TOML_ARRAY;
}

/* Move *from into en, and list the texts of its array or nested arrays. */
static void
entry_take(struct entry *en, struct toml_value *from)
{
	const struct toml_value *v = &en->v;
	size_t n = from->n + 1, at = 0;

	*en = (struct entry){ .k = en->k, .name = en->name, .v = *from };
	*from = (struct toml_value){ 0 };
	if (v->kind != TOML_ARRAY)
		return;
	size_t rows = is_nested(v) ? v->n : v->n > 0;
	for (size_t i = 0; i < v->n; i++)
		n += v->v[i].n;
	en->list = xcalloc(n, sizeof *en->list);
	en->argvs = xcalloc(rows, sizeof *en->argvs);
	for (size_t i = 0; i < rows; i++, at++) {
		const struct toml_value *row = is_nested(v) ? &v->v[i] : v;

		en->argvs[en->nargvs++] = en->list + at;
		for (size_t k = 0; k < row->n; k++)
			en->list[at++] = row->v[k].s;
	}
}

static void
entry_clear(struct entry *en)
{
	toml_release(&en->v);
	FREE(en->list, en->argvs, en->origin, en->overridden);
}

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
		for (size_t i = 0; is_nested(v) && i < v->n; i++)
			if (v->v[i].n == 0 || !is_strings(&v->v[i]))
				return false;
		return is_nested(v) || is_strings(v);
	case CONF_NUMS:
		return v->kind == TOML_ARRAY &&
		    (v->n == 0 || is_number(&v->v[0]));
	case CONF_TEXTS:
		return is_type(CONF_LIST, v) || is_type(CONF_NUMS, v);
	}
	return false;
}

/* The index of a word in "a|b|c", or -1. */
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
in_range(const struct conf_key *k, const struct toml_value *v)
{
	if (k->words != NULL)
		return word(k->words, v->s) >= 0;
	if (k->type == CONF_JSON)
		return *v->s == '\0' || (*slice_trim(slice_of(v->s)).p == '{' &&
		    scan_is_json(slice_of(v->s)));
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

bool
conf_takes(struct slice key, struct slice value)
{
	char *name = xmemdup0(key.p, key.n);
	const struct conf_key *k = conf_key_find(name);
	struct toml_value v;
	bool takes = toml_value(value.p, value.n, &v) && k != NULL &&
	    conf_value_fits(k, &v);

	toml_release(&v);
	free(name);
	return takes;
}

/* A number to compare two values of a key that can be tightened. */
static double
weight(const struct conf_key *k, const struct toml_value *v)
{
	if (k->words != NULL)
		return word(k->words, v->s);
	return v->kind == TOML_BOOL ? v->b : v->d;
}

/* ---- the values in force ---- */

static struct entry *
find(const struct conf *c, const char *name)
{
	for (size_t i = 0; i < c->n; i++)
		if (strcmp(c->set[i].name, name) == 0)
			return &c->set[i];
	return NULL;
}

/* The entry that was set, else the default. */
static const struct entry *
in_force(const struct conf *c, const struct conf_key *k, const char *key)
{
	const struct entry *en = find(c, conf_key_canon(k, key));

	return en != NULL ? en : &c->def[k - conf_keys];
}

/* The effective entry of a key with a type from a to b; anything else is a bug
 * in the caller. */
static const struct entry *
get(const struct conf *c, const char *key, enum conf_type a, enum conf_type b)
{
	const struct conf_key *k = conf_key_find(key);

	if (k == NULL || k->type < a || k->type > b)
		err_die(ST_BUG, "configuration has no such key: %s", key);
	return in_force(c, k, key);
}

static const struct entry *
entry(const struct conf *c, const char *key)
{
	return get(c, key, CONF_INT, CONF_TEXTS);
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
	return entry(c, key)->layer != LAYER_DEFAULT;
}

const char *
conf_origin(const struct conf *c, const char *key)
{
	const char *s = entry(c, key)->origin;

	return s != NULL ? s : "default";
}

struct conf_source
conf_source(const struct conf *c, const char *key)
{
	const struct entry *en = entry(c, key);

	return (struct conf_source){ (int)en->layer, en->derived,
		en->overridden };
}

const char *const *
conf_names(const struct conf *c, const char *table_name, size_t *n)
{
	const struct texts *l = &c->names[strcmp(table_name, "mcp") == 0];

	*n = l->n;
	return (const char *const *)l->v;
}

/* ---- a value from anywhere ---- */

/* Remember the NAME of "provider.NAME.x", in order. */
static void
note_name(struct conf *c, const char *key)
{
	struct texts *l = &c->names[*key == 'm'];
	size_t n, i;
	const char *p = conf_key_name(key, &n);

	if (p == NULL)
		return;
	char *name = xmemdup0(p, n);
	for (i = 0; i < l->n && strcmp(l->v[i], name) < 0; i++)
		;
	if (i < l->n && strcmp(l->v[i], name) == 0) {
		free(name);
		return;
	}
	texts_add(l, name);
	memmove(&l->v[i + 1], &l->v[i], (l->n - 1 - i) * sizeof *l->v);
	l->v[i] = name;
}

static struct entry *
store(struct source *at, const struct conf_key *k, const char *name,
    struct toml_value *v)
{
	struct conf *c = at->c;
	struct entry *en = find(c, name);
	char *was = NULL;

	if (en != NULL && en->layer < at->layer && en->v.s != NULL)
		was = xstrdup(en->v.s);
	else if (en != NULL && en->overridden != NULL)
		was = xstrdup(en->overridden);
	if (en == NULL) {
		GROW(c->set, c->n, c->cap);
		en = &c->set[c->n++];
		*en = (struct entry){ .k = k, .name = xstrdup(name) };
	}
	entry_clear(en);
	entry_take(en, v);
	en->origin = xstrdup(at->where);
	en->layer = at->layer;
	en->overridden = was;
	note_name(c, name);
	return en;
}

static bool
is_stricter(const struct source *at, const struct conf_key *k,
    const char *name, const struct toml_value *v)
{
	const struct entry *now = in_force(at->c, k, name);
	double a = weight(k, v);

	if (k->mark == MARK_LESS_0 && a == 0)
		return false;
	if (now->layer == LAYER_DEFAULT && k->def == NULL)
		return true;
	double b = weight(k, &now->v);
	if (k->mark == MARK_LESS_0 && b == 0)
		return true;
	return k->mark == MARK_MORE ? a > b : a < b;
}

static bool
is_untrusted(const struct source *at)
{
	return at->layer == LAYER_REPO && at->c->untrusted;
}

static void
ignore(struct source *at, const char *what)
{
	buf_fmt(&at->ignored, "%s%s", at->ignored.len > 0 ? ", " : "", what);
}

static int
put(struct source *at, const char *key, struct toml_value *v, struct err *e)
{
	const struct conf_key *k = conf_key_find(key);
	size_t n;

	if (k == NULL) {
		char *near = conf_key_nearest(key);

		err_set(e, ST_CONFIG, "%s: unknown key \"%.*s\"; nearest "
		    "known key is \"%s\"", at->where,
		    (int)utf8_cut(key, strlen(key), 200), key, near);
		free(near);
		return -1;
	}
	if (!conf_value_fits(k, v)) {
		struct buf b = BUF_INIT(1000);

		buf_fmt(&b, "key \"%s\" must be ", key);
		conf_key_wanted(k, &b);
		buf_adds(&b, ", not ");
		/* show the text only where a word was expected: elsewhere it
		 * may be a misplaced secret */
		if (v->kind == TOML_STRING && k->words != NULL &&
		    strlen(v->s) <= 60)
			toml_quote(&b, v->s);
		else if (is_number(v))
			buf_adds(&b, v->s);
		else if (v->kind == TOML_STRING && k->type == CONF_JSON)
			buf_adds(&b, "another string");
		else if (v->kind == TOML_ARRAY && v->n > 0)
			buf_fmt(&b, "an array that begins with %s",
			    toml_kind_name(v->v[0].kind));
		else
			buf_adds(&b, toml_kind_name(v->kind));
		err_set(e, ST_CONFIG, "%s: %s", at->where, b.p);
		buf_release(&b);
		return -1;
	}
	const char *name = conf_key_canon(k, key);
	const struct entry *was = find(at->c, name);
	if (was != NULL && was->layer == at->layer && at->layer <= LAYER_ENV)
		return err_set(e, ST_CONFIG, "%s: key \"%s\" twice (%s, "
		    "by one of its names)", at->where, name, was->origin);
	if (is_untrusted(at) && (k->mark == MARK_NO ||
	    conf_key_name(name, &n) != NULL))
		ignore(at, name);
	else if (!is_untrusted(at) || k->mark == MARK_YES ||
	    is_stricter(at, k, name, v))
		store(at, k, name, v);
	return 0;
}

/* Set the value of a variable or -o: TOML, else a string. */
static int
put_text(struct source *at, const char *key, const char *text,
    struct err *e)
{
	const struct conf_key *k = conf_key_find(key);
	size_t n = strlen(text);
	struct toml_value v;

	if (utf8_check(text, n) < n)
		return err_set(e, ST_CONFIG, "%s: the value of \"%s\" is not "
		    "UTF-8", at->where, key);
	if (!toml_value(text, n, &v) || (k != NULL && v.kind != TOML_STRING &&
	    (k->type == CONF_STR || k->type == CONF_JSON))) {
		toml_release(&v);
		v.kind = TOML_STRING;
		v.s = xstrdup(text);
	}
	int r = put(at, key, &v, e);
	toml_release(&v);
	return r;
}

/* Hermes sets the number of warnings before a block, we the block's threshold:
 * the stronger layer wins, and within a layer our own key. */
static void
derive(struct conf *c)
{
	static const char warns[] = "loop_guard.max_warnings_before_block";
	static const char block[] = "loop_guard.block_threshold";
	const struct entry *w = find(c, warns);
	struct toml_value v = { .kind = TOML_INT };
	struct source at = { .c = c };
	const struct entry *b = find(c, block);

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
}

/* ---- a file ---- */

bool
texts_pair(const struct texts *l, const char *a, const char *b)
{
	for (size_t i = 0; i + 1 < l->n; i += 2)
		if (strcmp(l->v[i], a) == 0 && strcmp(l->v[i + 1], b) == 0)
			return true;
	return false;
}

/* [trust] "PATH" = "SHA-256" and [allow] "ROOT" = ["command make test"]: in the
 * user's own file. */
static int
about_repo(struct source *at, const struct toml_event *ev, struct err *e)
{
	const struct toml_value *v = ev->v;
	bool trust = strcmp(ev->key[0], "trust") == 0;
	struct texts *l = trust ? &at->c->trust : &at->c->allow;

	if (is_untrusted(at)) {
		if (v != NULL)
			ignore(at, trust ? "[trust]" : "[allow]");
		return 0;
	}
	if (at->layer != LAYER_USER)
		return err_set(e, ST_CONFIG, "%s: [%s] is read only from the "
		    "user's own file", at->where, ev->key[0]);
	if (ev->nkey == 1 && v == NULL)
		return 0;
	if (ev->nkey != 2 || v == NULL || !(trust ? v->kind == TOML_STRING &&
	    strlen(v->s) == SHA_HEX - 1 : is_strings(v)))
		return err_set(e, ST_CONFIG, "%s: [%s] takes \"PATH\" = %s",
		    at->where, ev->key[0], trust ? "\"SHA-256 in 64 "
		    "hexadecimal digits\"" : "[\"command ...\", "
		    "\"path ...\"]");
	for (size_t i = 0; i < (trust ? 1 : v->n); i++) {
		texts_add(l, xstrdup(ev->key[1]));
		texts_add(l, xstrdup(trust ? v->s : v->v[i].s));
	}
	return 0;
}

bool
conf_allows(const struct conf *c, const char *root, const char *what)
{
	return texts_pair(&c->allow, root, what);
}

static int
event(void *ctx, const struct toml_event *ev, struct err *e)
{
	struct source *at = ctx;
	struct buf path = BUF_INIT(2 * CONF_FILE_MAX);
	char *where = xasprintf("%s:%zu", at->file, ev->line);
	int r = 0;

	at->where = where;
	toml_path(&path, ev->key, ev->nkey);
	if (strcmp(ev->key[0], "trust") == 0 ||
	    strcmp(ev->key[0], "allow") == 0) {
		r = about_repo(at, ev, e);
	} else if (ev->v != NULL) {
		r = put(at, path.p, ev->v, e);
	} else if (at->pending != NULL) {
		r = err_set(e, ST_CONFIG, "%s", at->pending);
	} else if (ev->nkey == 2 && (strcmp(ev->key[0], "provider") == 0 ||
	    strcmp(ev->key[0], "mcp") == 0) && !toml_is_bare(ev->key[1])) {
		r = err_set(e, ST_CONFIG, "%s: [%.200s]: a name may have only "
		    "letters, digits, _ and -", where, path.p);
	} else if (!conf_key_is_table(path.p)) {
		path.p[utf8_cut(path.p, path.len, 200)] = '\0';
		char *near = conf_key_nearest_table(path.p);
		at->pending = xasprintf("%s: unknown table [%s]; nearest "
		    "known table is [%s]", where, path.p, near);
		free(near);
	} else if (!is_untrusted(at)) {
		buf_addc(&path, '.');
		note_name(at->c, path.p);
	}
	at->where = NULL;
	free(where);
	buf_release(&path);
	return r;
}

int
conf_parse(struct source *at, const struct buf *text, struct err *e)
{
	int r = toml_parse(at->file, buf_view(text).p, text->len, event, at,
	    e);

	if (r == 0 && at->pending != NULL)
		r = err_set(e, ST_CONFIG, "%s", at->pending);
	free(at->pending);
	at->pending = NULL;
	return r;
}

static int
load_file(struct conf *c, const char *path, enum layer layer, struct err *e)
{
	struct source at = { .c = c, .layer = layer, .file = path };
	struct buf text = BUF_INIT(CONF_FILE_MAX);
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), r;

	if (fd < 0)
		return errno == ENOENT || errno == ENOTDIR ? 0 :
		    err_sys(e, ST_CONFIG, "%s", path);
	/* never wait on a FIFO */
	if (fstat(fd, &st) == 0 && S_ISFIFO(st.st_mode))
		r = err_set(e, ST_CONFIG, "%s: is not a regular file", path);
	else
		r = file_read_fd(fd, path, &text, e);
	if (r == 0)
		r = conf_parse(&at, &text, e);
	else
		e->status = ST_CONFIG;
	close(fd);
	buf_release(&text);
	return r;
}

/* ---- every key with its value and origin ---- */

void
conf_print(const struct conf *c, struct buf *out)
{
	const char **names = xcalloc(conf_nkeys + c->n, sizeof *names);
	struct buf clean = BUF_INIT(CONF_FILE_MAX), quoted = clean;
	size_t n = 0, len;

	for (size_t i = 0; i < conf_nkeys; i++)
		if (conf_key_name(conf_keys[i].key, &len) == NULL)
			names[n++] = conf_keys[i].key;
	for (size_t i = 0; i < c->n; i++)
		if (conf_key_name(c->set[i].name, &len) != NULL)
			names[n++] = c->set[i].name;
	qsort(names, n, sizeof *names, text_order);
	for (size_t i = 0; i < n; i++) {
		const struct entry *en = entry(c, names[i]);
		const char *origin = conf_origin(c, names[i]);

		if (en->layer == LAYER_DEFAULT && en->k->def == NULL) {
			buf_fmt(out, "# %s is not set  # default\n", names[i]);
			continue;
		}
		buf_fmt(out, "%s = ", names[i]);
		toml_show(out, &en->v);
		buf_adds(out, "  # ");
		/* it may contain any path, and the comment must stay one line
		 * of UTF-8 */
		bufs_reset(BUFS(&clean, &quoted));
		utf8_clean(&clean, origin, strlen(origin));
		toml_quote(&quoted, buf_view(&clean).p);
		if (quoted.len > 2)
			buf_add(out, quoted.p + 1, quoted.len - 2);
		buf_addc(out, '\n');
	}
	bufs_release(BUFS(&clean, &quoted));
	free(names);
}

/* ---- all layers, in their order ---- */

static int
load_env(struct conf *c, bool quiet, struct err *e)
{
	int r = 0;

	for (char **p = environ; p != NULL && *p != NULL && r == 0; p++) {
		size_t n = strcspn(*p, "=");
		struct source at = { .c = c, .layer = LAYER_ENV };

		if (strncmp(*p, "HAMR_", 5) != 0 || (*p)[n] != '=')
			continue;
		char *var = xmemdup0(*p, n);
		const struct conf_key *k = conf_key_env(var);
		at.where = var;
		if (k != NULL) {
			r = put_text(&at, k->key, *p + n + 1, e);
		} else if (strcmp(var, "HAMR_SHARE") != 0 &&
		    strcmp(var, SET) != 0 && !quiet) {
			for (char *s = var; *s != '\0'; s++)
				if (*s >= 'A' && *s <= 'Z')
					*s = (char)(*s - 'A' + 'a');
			/* another program's, such as HAMR_BIN, resembles none
			 * of ours: each byte to change costs 3 */
			char *near = conf_key_nearest(var + 5);
			bool like = n < 200 && conf_distance(var + 5, near) <=
			    2 * (n - 5);
			err_say("unknown variable %.*s in the environment"
			    "%s%s%s", (int)(n < 200 ? n : 200), *p,
			    like ? "; nearest known key is \"" : "",
			    like ? near : "", like ? "\"" : "");
			free(near);
		}
		free(var);
	}
	return r;
}

static int
set_option(struct conf *c, const char *arg, const char *where,
    struct err *e)
{
	struct source at = { .c = c, .layer = LAYER_SET, .where = where };
	const char *eq = strchr(arg, '=');

	if (eq == NULL || eq == arg)
		return err_set(e, ST_USAGE, "%s takes KEY=VALUE, not \"%s\"",
		    where, arg);
	char *key = xmemdup0(arg, (size_t)(eq - arg));
	int r = put_text(&at, key, eq + 1, e);
	free(key);
	return r;
}

struct conf *
conf_load(const struct conf_opts *o, struct err *e)
{
	struct conf *c = xcalloc(1, sizeof *c);
	const char *set = getenv(SET);
	struct slice rest = slice_of(set != NULL ? set : ""), line;
	int r = 0;

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
		entry_take(&c->def[i], &v);
	}
	if (!o->none) {
		char *user = conf_user_path();

		r = load_file(c, HAMR_ETC, LAYER_ETC, e);
		if (r == 0 && user != NULL)
			r = load_file(c, user, LAYER_USER, e);
		free(user);
		if (r == 0 && o->root != NULL)
			r = conf_load_repo(c, o->root, o->quiet, e);
		if (r == 0)
			r = load_env(c, o->quiet, e);
	}
	/* settings that must not show among a program's arguments */
	while (r == 0 && slice_line(&rest, &line)) {
		char *arg = xmemdup0(line.p, line.n);

		if (*arg != '\0')
			r = set_option(c, arg, SET, e);
		free(arg);
	}
	for (size_t i = 0; i < o->nset && r == 0; i++)
		r = set_option(c, o->set[i], "-o", e);
	if (r < 0) {
		conf_free(c);
		return NULL;
	}
	derive(c);
	return c;
}

int
conf_set(struct conf *c, const char *key, const char *value,
    const char *origin, struct err *e)
{
	struct source at = { .c = c, .layer = LAYER_FLAG,
	    .where = origin != NULL ? origin : "flag" };

	if (put_text(&at, key, value, e) < 0)
		return -1;
	derive(c);
	return 0;
}

void
conf_free(struct conf *c)
{
	if (c == NULL)
		return;
	for (size_t i = 0; i < conf_nkeys; i++)
		entry_clear(&c->def[i]);
	for (size_t i = 0; i < c->n; i++) {
		entry_clear(&c->set[i]);
		free(c->set[i].name);
	}
	for (int i = 0; i < CONF_NAMED; i++)
		texts_release(&c->names[i]);
	texts_release(&c->trust);
	texts_release(&c->allow);
	FREE(c->def, c->set, c);
}
