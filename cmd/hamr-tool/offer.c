/* offer.c - which tools there are, told: the `tools` record. */
#include <stdlib.h>
#include <string.h>

#include "mode.h"

#include "extra.h"

/* The mode does not deny each of its calls. */
static bool
is_allowed(const struct tool *t, const struct extra *x)
{
	struct result unused;
	bool yes;

	result_init(&unused);
	yes = extra_judge_mode(t, x, &unused);
	result_release(&unused);
	return yes;
}

struct json *
tool_record_all(const struct tool *t)
{
	struct json *o = json_object(), *list = json_array();

	json_str(o, "type", "tools");
	schema_list(list, tool_on(t));
	for (size_t i = 0; i < t->extras->n; i++) {
		const struct extra *x = t->extras->v[i];
		struct json *fn;

		if (!is_allowed(t, x))
			continue;
		fn = schema_entry(list, x->name, x->what);
		json_raw(fn, "parameters", slice_of(x->parameters));
	}
	json_add(o, "tools", list);
	return o;
}

static void
propose(struct tool *t, bool always)
{
	struct buf line = BUF_INIT(BUF_RECORD_MAX);
	struct json *o = tool_record_all(t);

	json_print(o, &line);
	json_free(o);
	if (always || strcmp(t->told, line.p) != 0)
		stage_put(t->stage, R_TOOLS, buf_view(&line));
	free(t->told);
	t->told = buf_detach(&line);
}

void
tool_put(struct tool *t)
{
	struct err e;

	t->acting = true;
	if (extras_load(t, &e) < 0)
		stage_fail(t->stage, &e);
	else
		propose(t, true);
	t->acting = false;
	tool_catch_up(t);
}

void
tool_tell(struct tool *t)
{
	if (t->told != NULL && (extras_changed(t) || t->retell))
		propose(t, false);
	t->retell = false;
}
