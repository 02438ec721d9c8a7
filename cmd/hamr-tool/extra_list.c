/* extra_list.c - the list of the tools that others give. */
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "mode.h"
#include "shape.h"

#include "extra.h"

void
extra_free(struct extra *x)
{
	plugin_release(&x->plugin);
	free(x->name);
	free(x->what);
	free(x->parameters);
	free(x->template);
	free(x->remote);
	free(x);
}

struct extra *
extras_find(const struct extras *x, const char *name)
{
	for (size_t i = 0; i < x->n; i++)
		if (strcmp(x->v[i]->name, name) == 0)
			return x->v[i];
	return NULL;
}

bool
extras_add(struct extras *x, struct extra *new)
{
	struct buf b = BUF_INIT(4096);

	if (schema_find(new->name) != NULL || extras_find(x, new->name) != NULL)
		return false;
	shape_template(slice_of(new->parameters), &b);
	new->template = buf_detach(&b);
	new->schema.name = new->name;
	new->schema.what = new->what;
	new->schema.template = new->template;
	x->v = xgrow(x->v, x->n, &x->cap, sizeof(struct extra *));
	x->v[x->n++] = new;
	return true;
}

void
tool_names(const struct tool *t, struct buf *out)
{
	schema_names(tool_on(t), out);
	for (size_t i = 0; i < t->extras->n; i++)
		buf_fmt(out, ", %s", t->extras->v[i]->name);
}
