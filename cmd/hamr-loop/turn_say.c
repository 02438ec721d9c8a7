/* turn_say.c - what all parts of a turn do: say something, end it. */
#include <stdlib.h>

#include "mem.h"
#include "turn_in.h"

void
turn_ends(struct turn *t, enum ending e, const char *reason)
{
	t->end = e;
	free(t->reason);
	t->reason = xstrdup(reason);
}

int
turn_say(struct turn *t, const char *text, const char *rule)
{
	struct json *o = json_object(), *meta = json_object(), *rules;

	json_str(o, "role", "user");
	json_str(o, "content", text);
	json_str(meta, "by", "loop");
	if (rule != NULL) {
		rules = json_array();
		json_str(rules, NULL, rule);
		json_add(meta, "rules", rules);
	}
	json_add(o, "meta", meta);
	return hub_commit(t->hub, o);
}
