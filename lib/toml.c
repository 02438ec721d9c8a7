/* toml.c - documents of TOML: keys, tables, lines. */
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "err.h"
#include "mem.h"
#include "utf8.h"
#include "toml_impl.h"

/* How a name came to be decides who may define it again. */
enum node_kind {
	NODE_VALUE,
	NODE_HEADER,		/* [a.b]: b.  Never again. */
	NODE_IMPLIED,		/* [a.b]: a.  One header may still name it. */
	NODE_DOTTED		/* a.b = 1: a.  No header may name it. */
};

struct node {
	size_t parent;
	char *name;
	enum node_kind kind;
	size_t line;
};

struct toml {
	struct toml_in in;
	struct node *nodes;	/* nodes[0] is the document */
	size_t n, cap;
	size_t table;		/* the node of the header in force */
	char **key;		/* the key being read, name by name */
	size_t nkey, capkey;
	toml_fn *fn;
	void *ctx;
};

/* ---- keys ---- */

static void
key_reset(struct toml *t)
{
	while (t->nkey > 0)
		free(t->key[--t->nkey]);
}

static int
key_part(struct toml *t, char **name)
{
	const char *from = t->in.p;

	if (toml_peek(&t->in) == '"' || toml_peek(&t->in) == '\'')
		return toml_string(&t->in, name);
	while (toml_bare(toml_peek(&t->in)))
		t->in.p++;
	if (t->in.p == from)
		return toml_stray(&t->in,
		    "a key wants letters, digits, - and _, or quotes");
	*name = xmemdup0(from, (size_t)(t->in.p - from));
	return 0;
}

/* A dotted key into t->key; stops behind it and its blanks. */
static int
key(struct toml *t)
{
	key_reset(t);
	for (;;) {
		char *name = NULL;

		toml_blanks(&t->in);
		if (key_part(t, &name) < 0)
			return -1;
		t->key = xgrow(t->key, t->nkey, &t->capkey, sizeof *t->key);
		t->key[t->nkey++] = name;
		toml_blanks(&t->in);
		if (toml_peek(&t->in) != '.')
			return 0;
		t->in.p++;
	}
}

/* The node of name below parent, 0 if there is none. */
static size_t
child(const struct toml *t, size_t parent, const char *name)
{
	for (size_t i = 1; i < t->n; i++)
		if (t->nodes[i].parent == parent &&
		    strcmp(t->nodes[i].name, name) == 0)
			return i;
	return 0;
}

static size_t
grow(struct toml *t, size_t parent, const char *name, enum node_kind kind)
{
	t->nodes = xgrow(t->nodes, t->n, &t->cap, sizeof *t->nodes);
	t->nodes[t->n] = (struct node){ parent, xstrdup(name), kind,
	    t->in.line };
	return t->n++;
}

/* The names that lead to a node, NULL at the end; free() the array. */
static const char **
names_of(const struct toml *t, size_t node, size_t *n)
{
	const char **path;
	size_t i;

	*n = 0;
	for (i = node; i != 0; i = t->nodes[i].parent)
		++*n;
	path = xcalloc(*n + 1, sizeof *path);
	for (size_t k = *n; node != 0; node = t->nodes[node].parent)
		path[--k] = t->nodes[node].name;
	return path;
}

/* A name that stands on an earlier line already, in another sense. */
static int
clash(struct toml *t, size_t node, const char *before, const char *after)
{
	struct buf path = BUF_INIT(400);
	const char **names;
	size_t n;
	int r;

	names = names_of(t, node, &n);
	toml_path(&path, names, n);
	r = toml_bad(&t->in, "%s%s%s (line %zu)", before,
	    path.over ? "a long name" : path.p, after, t->nodes[node].line);
	free(names);
	buf_release(&path);
	return r;
}

/* The tables that t->key goes through, from the node `at` on, made where they
 * are not there yet. */
static int
descend(struct toml *t, size_t *at, enum node_kind kind)
{
	if (t->n + t->nkey > TOML_KEYS_MAX)
		return toml_unsupported(&t->in, "so many keys in one file");
	for (size_t i = 0; i + 1 < t->nkey; i++) {
		size_t next = child(t, *at, t->key[i]);

		if (next == 0)
			next = grow(t, *at, t->key[i], kind);
		else if (t->nodes[next].kind == NODE_VALUE)
			return clash(t, next, "\"", "\" is a value already");
		else if (kind == NODE_DOTTED &&
		    t->nodes[next].kind != NODE_DOTTED)
			return clash(t, next, "[",
			    "] is a table already; add to it there");
		*at = next;
	}
	return 0;
}

static int
tell(struct toml *t, size_t node, const struct toml_value *v, size_t line)
{
	struct toml_event ev = { .v = v, .line = line };
	const char **names = names_of(t, node, &ev.nkey);
	int r;

	ev.key = names;
	r = t->fn(t->ctx, &ev, t->in.e);
	free(names);
	return r;
}

/* ---- tables and lines ---- */

static int
line_end(struct toml_in *t, const char *after)
{
	if (toml_comment(t) < 0)
		return -1;
	if (t->p == t->end || toml_newline(t))
		return 0;
	return toml_stray(t, after);
}

static int
header(struct toml *t)
{
	size_t at = 0, node, line = t->in.line;

	if (toml_starts(&t->in, "[["))
		return toml_unsupported(&t->in, "an array of tables");
	t->in.p++;
	if (key(t) < 0)
		return -1;
	if (toml_peek(&t->in) != ']')
		return toml_bad(&t->in, "a table's name without its ]");
	if (descend(t, &at, NODE_IMPLIED) < 0)
		return -1;
	node = child(t, at, t->key[t->nkey - 1]);
	if (node == 0)
		node = grow(t, at, t->key[t->nkey - 1], NODE_HEADER);
	else if (t->nodes[node].kind != NODE_IMPLIED)
		return clash(t, node, "table [", "] twice");
	t->nodes[node].kind = NODE_HEADER;
	t->nodes[node].line = line;
	t->table = node;
	t->in.p++;
	if (line_end(&t->in, "something stands after the table's name") < 0)
		return -1;
	return tell(t, node, NULL, line);
}

static int
assignment(struct toml *t)
{
	struct toml_value v = { 0 };
	size_t at = t->table, node, line = t->in.line;
	int r;

	if (key(t) < 0)
		return -1;
	if (toml_peek(&t->in) != '=')
		return toml_bad(&t->in, "a key without = and a value");
	if (descend(t, &at, NODE_DOTTED) < 0)
		return -1;
	node = child(t, at, t->key[t->nkey - 1]);
	if (node != 0)
		return clash(t, node, "key \"", "\" twice");
	node = grow(t, at, t->key[t->nkey - 1], NODE_VALUE);
	t->in.p++;
	toml_blanks(&t->in);
	r = toml_read(&t->in, &v);
	if (r == 0)
		r = line_end(&t->in, "something stands after the value");
	if (r == 0)
		r = tell(t, node, &v, line);
	toml_release(&v);
	return r;
}

static int
document(struct toml *t, size_t n)
{
	size_t good = utf8_check(t->in.p, n);

	if (good < n) {
		for (const char *p = t->in.p; p < t->in.p + good; p++)
			t->in.line += *p == '\n';
		return toml_bad(&t->in, "not UTF-8");
	}
	if (toml_starts(&t->in, "\xef\xbb\xbf"))
		return toml_unsupported(&t->in, "a byte order mark");
	while (t->in.p < t->in.end) {
		int r;

		if (toml_comment(&t->in) < 0)
			return -1;
		if (t->in.p == t->in.end || toml_newline(&t->in))
			continue;
		r = toml_peek(&t->in) == '[' ? header(t) : assignment(t);
		if (r < 0)
			return -1;
	}
	return 0;
}

int
toml_parse(const char *name, const char *p, size_t n, toml_fn *fn, void *ctx,
    struct err *e)
{
	struct toml t = { .in = { .name = name, .p = p, .end = p + n,
	    .line = 1, .e = e }, .fn = fn, .ctx = ctx };
	int r;

	grow(&t, 0, "", NODE_HEADER);
	r = document(&t, n);
	key_reset(&t);
	free(t.key);
	for (size_t i = 0; i < t.n; i++)
		free(t.nodes[i].name);
	free(t.nodes);
	return r;
}
