/* conf_print.c - every key with its value and where that came from. */
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "conf_keys.h"
#include "mem.h"
#include "toml.h"
#include "utf8.h"
#include "conf_impl.h"

/* An origin may be any path: in a comment it must stay one line of UTF-8. */
static void
print_origin(const char *s, struct buf *out)
{
	struct buf clean = BUF_INIT(CONF_FILE_MAX);
	struct buf quoted = BUF_INIT(CONF_FILE_MAX);

	utf8_clean(&clean, s, strlen(s));
	toml_quote(&quoted, buf_view(&clean).p);
	if (quoted.len > 2)
		buf_add(out, quoted.p + 1, quoted.len - 2);
	buf_release(&clean);
	buf_release(&quoted);
}

static int
by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void
print_key(const struct conf *c, const char *name, struct buf *out)
{
	const struct entry *en = conf_entry(c, name);

	if (en->layer == LAYER_DEFAULT && en->k->def == NULL) {
		buf_fmt(out, "# %s is not set  # default\n", name);
		return;
	}
	buf_fmt(out, "%s = ", name);
	toml_show(out, &en->v);
	buf_adds(out, "  # ");
	print_origin(conf_origin(c, name), out);
	buf_addc(out, '\n');
}

void
conf_print(const struct conf *c, struct buf *out)
{
	const char **names = xcalloc(conf_nkeys + c->n, sizeof *names);
	size_t n = 0, len;

	for (size_t i = 0; i < conf_nkeys; i++)
		if (!conf_key_is_named(&conf_keys[i]))
			names[n++] = conf_keys[i].key;
	for (size_t i = 0; i < c->n; i++)
		if (conf_key_name(c->set[i].name, &len) != NULL)
			names[n++] = c->set[i].name;
	qsort(names, n, sizeof *names, by_name);
	for (size_t i = 0; i < n; i++)
		print_key(c, names[i], out);
	free(names);
}
