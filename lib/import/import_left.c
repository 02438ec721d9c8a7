/* import_left.c - what an importer left out, counted by what it was. */
#include <stdlib.h>
#include <string.h>

#include "import_left.h"
#include "base/mem.h"
#include "json/scan.h"
#include "base/utf8.h"

#define KINDS 16		/* told apart */
#define LONGEST 60		/* bytes of what one is called */

static size_t
find(const struct import_left *l, const char *what)
{
	size_t i = 0;

	while (i < l->n && strcmp(l->kind[i].what, what) != 0)
		i++;
	return i;
}

static void
add(struct import_left *l, const char *what, size_t n)
{
	size_t i = find(l, what);

	if (i == l->n && l->n >= KINDS)
		i = find(l, what = "others");
	if (i == l->n) {
		GROW(l->kind, l->n, l->cap);
		l->kind[l->n++] = (struct import_left_kind){ xstrdup(what),
			0 };
	}
	l->kind[i].n += n;
}

void
import_left_add(struct import_left *l, struct slice what, size_t n)
{
	char *text = scan_strdup(what);
	size_t len = text != NULL ? strlen(text) : 0;

	if (len > LONGEST)
		text[utf8_cut(text, len, LONGEST)] = '\0';
	add(l, len > 0 ? text : "others", n);
	free(text);
}

void
import_left_merge(struct import_left *l, const struct import_left *more)
{
	for (size_t i = 0; i < more->n; i++)
		add(l, more->kind[i].what, more->kind[i].n);
}

void
import_left_put(const struct import_left *l, struct buf *out)
{
	for (size_t i = 0; i < l->n; i++)
		buf_fmt(out, "%s%s (%zu)", i > 0 ? ", " : "", l->kind[i].what,
		    l->kind[i].n);
}

void
import_left_reset(struct import_left *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->kind[i].what);
	free(l->kind);
	*l = (struct import_left){ NULL, 0, 0 };
}
